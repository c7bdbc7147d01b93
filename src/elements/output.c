/* Outputs that are recorded: the motion of points and the reactions of joints. */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "elements/drawing.h"
#include "linalg/vec3.h"

olo_output olo_output_default(void)
{
    return (olo_output){.initialised = OLO_INITIALISED_OUTPUT, .trace = true, .frame = "space"};
}

static void defaults(void *element)
{
    *(olo_output *)element = olo_output_default();
}

static olo_status unknown(olo_builder *builder, const char *name)
{
    const olo_system *s = olo_build_system(builder);
    const char **names = olo_alloc((size_t)s->group_count + 1, sizeof *names);
    size_t count = 0;
    if (!names)
        return olo_build_out_of_memory(builder);
    for (int i = 0; i < s->group_count; i++)
        if (!s->groups[i].internal && !s->groups[i].carried)
            names[count++] = s->groups[i].name;
    const char *near = olo_suggest(name, names, count);
    olo_status status =
        olo_builder_fail(builder, "reaction", "no joint, support or rod is called '%s'%s%s%s", name,
                         near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    olo_free(names);
    return status;
}

/* Finds the node whose axes the reaction refers to, -1 for space. */
static olo_status find_axes(olo_builder *builder, const olo_output *output, int group, int *node)
{
    const olo_system *s = olo_build_system(builder);
    *node = -1;
    if (strcmp(output->frame, "space") == 0)
        return OLO_OK;
    int joint = s->groups[group].joint;
    if (joint >= 0)
        *node =
            strcmp(output->frame, "parent") == 0 ? s->joints[joint].parent : s->joints[joint].child;
    bool point = *node >= 0 && !s->nodes[*node].type->spatial;
    return joint < 0 || point
               ? olo_builder_fail(builder, "frame", "'%s' has no %s body, only space",
                                  output->reaction, output->frame)
               : OLO_OK;
}

static olo_status build_reaction(olo_builder *builder, const olo_output *output)
{
    const olo_system *s = olo_build_system(builder);
    int group = s->group_count - 1, axes;
    if (output->on.on)
        return olo_builder_fail(builder, "reaction",
                                "an output has a point or a reaction, not both");
    while (group >= 0 && (s->groups[group].internal || s->groups[group].carried ||
                          strcmp(s->groups[group].name, output->reaction) != 0))
        group--;
    if (group < 0)
        return unknown(builder, output->reaction);
    olo_status status = find_axes(builder, output, group, &axes);
    return status == OLO_OK ? olo_build_reaction(builder, output->name, group, axes) : status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_output *output = element;
    olo_position x;
    int node;
    if (output->reaction)
        return build_reaction(builder, output);
    if (!output->on.on && vec3_norm(output->on.at) == 0)
        return olo_builder_fail(
            builder, NULL, "needs a point to record ('on'), or the name of a joint ('reaction')");
    olo_status status = olo_build_resolve_point(builder, "on", &output->on, &x, &node);
    if (status == OLO_OK)
        status = olo_build_output(builder, output->name, &x);
    return status == OLO_OK && output->trace ? olo_draw_trace(builder, output->name, node, &x)
                                             : status;
}

static const char *const frames[] = {"space", "parent", "child", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_output, name),
     .help = "name of the output"},
    {.key = "on",
     .kind = OLO_FIELD_POINT_ON_BODY,
     .offset = offsetof(olo_output, on),
     .help = "the point to record"},
    {.key = "reaction",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_output, reaction),
     .help = "instead: the joint, support or rod whose force and moment are recorded"},
    {.key = "frame",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_output, frame),
     .choices = frames,
     .help =
         "axes of the reaction: space (default), parent (the first body) or child (the second)"},
    {.key = "trace",
     .kind = OLO_FIELD_FLAG,
     .offset = offsetof(olo_output, trace),
     .help = "whether the report draws its path; default true"},
};

const olo_element_type olo_element_output = {.initialised = OLO_INITIALISED_OUTPUT,
                                             .section = "outputs",
                                             .noun = "output",
                                             .size = sizeof(olo_output),
                                             .fields = fields,
                                             .field_count = (int)(sizeof fields / sizeof *fields),
                                             .defaults = defaults,
                                             .build = build};
