/* Places whose motion is recorded. */
#include <stddef.h>

#include "elements/drawing.h"

olo_output olo_output_default(void)
{
    return (olo_output){.trace = true};
}

static void defaults(void *element)
{
    *(olo_output *)element = olo_output_default();
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_output *output = element;
    olo_position x;
    int node;
    olo_status status = olo_build_place(builder, "on", &output->on, &x, &node);
    if (status == OLO_OK)
        status = olo_build_output(builder, output->name, &x);
    return status == OLO_OK && output->trace ? olo_draw_trace(builder, output->name, node, &x)
                                             : status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_output, name),
     .help = "name of the output"},
    {.key = "on",
     .kind = OLO_FIELD_PLACE,
     .offset = offsetof(olo_output, on),
     .required = true,
     .help = "the place to record"},
    {.key = "trace",
     .kind = OLO_FIELD_FLAG,
     .offset = offsetof(olo_output, trace),
     .help = "whether the report draws its way; default true"},
};

const olo_element_type olo_element_output = {.section = "outputs",
                                             .noun = "output",
                                             .size = sizeof(olo_output),
                                             .fields = fields,
                                             .field_count = (int)(sizeof fields / sizeof *fields),
                                             .defaults = defaults,
                                             .build = build};
