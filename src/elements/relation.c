/* Relations between joint coordinates: gears, mimics, differentials.
 *
 *     coordinate = ratio follows + also_ratio also + offset
 *
 * Without a given offset the initial state satisfies the relation (system/constraint_relation.c).
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "elements/relation_row.h"

olo_relation olo_relation_default(void)
{
    return (olo_relation){
        .initialised = OLO_INITIALISED_RELATION, .ratio = 1, .also_ratio = 1, .offset = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_relation *)element = olo_relation_default();
}

static olo_status unknown(olo_builder *builder, const char *key, const char *name)
{
    const olo_system *s = olo_build_system(builder);
    size_t count = (size_t)s->joint_coordinate_count;
    const char **names = olo_alloc(count + 1, sizeof *names);
    if (!names)
        return olo_build_out_of_memory(builder);
    for (size_t i = 0; i < count; i++)
        names[i] = s->joint_coordinates[i].name;
    const char *near = olo_suggest(name, names, count);
    olo_status status = olo_builder_fail(
        builder, key, "no joint coordinate is called '%s'%s%s%s", name,
        near ? ", did you mean '" : "; joints with angles or positions have them, 'hinge.angle'",
        near ? near : "", near ? "'?" : "");
    olo_free(names);
    return status;
}

olo_status olo_find_joint_coordinate(olo_builder *builder, const char *key, const char *name,
                                     int *coordinate)
{
    const olo_system *s = olo_build_system(builder);
    size_t length = strlen(name);
    int found = 0;
    for (int i = 0; i < s->joint_coordinate_count; i++) {
        const char *other = s->joint_coordinates[i].name;
        if (strncmp(other, name, length) != 0 || (other[length] != 0 && other[length] != '.'))
            continue;
        *coordinate = i;
        if (other[length] == 0)
            return OLO_OK;
        found++;
    }
    if (found == 1)
        return OLO_OK;
    if (found > 1)
        return olo_builder_fail(builder, key,
                                "'%s' has several coordinates: choose one, for example '%s'", name,
                                s->joint_coordinates[*coordinate].name);
    return unknown(builder, key, name);
}

static olo_status add_share(olo_builder *builder, const char *key, const char *name, double factor,
                            olo_relation_row *row)
{
    olo_status status = olo_find_joint_coordinate(builder, key, name, &row->coordinate[row->count]);
    if (status != OLO_OK)
        return status;
    for (int i = 0; i < row->count; i++)
        if (row->coordinate[i] == row->coordinate[row->count])
            return olo_builder_fail(builder, key, "'%s' is named twice in the relation", name);
    row->factor[row->count++] = factor;
    return OLO_OK;
}

/* The offset with which the initial state satisfies the relation. */
static double initial_offset(const olo_system *s, const olo_relation_row *row)
{
    double sum = 0;
    for (int i = 0; i < row->count; i++)
        sum += row->factor[i] *
               olo_term_energy(s->joint_coordinates[row->coordinate[i]].term, s->q0, NULL);
    return sum;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_relation *relation = element;
    olo_relation_row row = {0};
    if (!isfinite(relation->ratio) || relation->ratio == 0)
        return olo_builder_fail(builder, "ratio",
                                "must not be %g; to fix a coordinate give its joint "
                                "a motion instead",
                                relation->ratio);
    olo_status status = add_share(builder, "coordinate", relation->coordinate, 1.0, &row);
    if (status == OLO_OK)
        status = add_share(builder, "follows", relation->follows, -relation->ratio, &row);
    if (status == OLO_OK && relation->also)
        status = add_share(builder, "also", relation->also, -relation->also_ratio, &row);
    if (status != OLO_OK)
        return status;
    row.constant = isnan(relation->offset) ? -initial_offset(olo_build_system(builder), &row)
                                           : -relation->offset;
    return olo_build_relation_row(builder, relation->name, &row);
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_relation, name),
     .help = "name of the relation"},
    {.key = "coordinate",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_relation, coordinate),
     .required = true,
     .help = "the joint coordinate that is given by others: hinge.angle, slide.position"},
    {.key = "follows",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_relation, follows),
     .required = true,
     .help = "the joint coordinate that it follows"},
    {.key = "ratio",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_relation, ratio),
     .help = "by which factor; default 1"},
    {.key = "also",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_relation, also),
     .help = "a second joint coordinate that it follows, as in a differential"},
    {.key = "also_ratio",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_relation, also_ratio),
     .help = "by which factor; default 1"},
    {.key = "offset",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_relation, offset),
     .help = "constant that is added; default such that the initial state satisfies the relation"},
};

const olo_element_type olo_element_relation = {.initialised = OLO_INITIALISED_RELATION,
                                               .section = "relations",
                                               .noun = "relation",
                                               .size = sizeof(olo_relation),
                                               .fields = fields,
                                               .field_count = (int)(sizeof fields / sizeof *fields),
                                               .defaults = defaults,
                                               .build = build};
