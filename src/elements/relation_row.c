/* Constraint rows between joint coordinates: the entries of q on which a row depends, and the index
 * of each coordinate's entries among them (system/constraint_relation.c). */
#include "elements/relation_row.h"

#include <math.h>
#include <string.h>

/* Collects the entries of q of all shares in ascending order; returns their number, or -1 if there
 * are too many. */
static int collect_coordinates(const olo_system *s, const olo_relation_row *relation, int *index)
{
    int size = 0;
    for (int i = 0; i < relation->count; i++) {
        const olo_term *x = s->joint_coordinates[relation->coordinate[i]].term;
        for (int k = 0; k < x->size; k++) {
            int at = 0;
            while (at < size && index[at] < x->index[k])
                at++;
            if (at < size && index[at] == x->index[k])
                continue;
            if (size == OLO_FORM_SIZE_MAX)
                return -1;
            memmove(index + at + 1, index + at, (size_t)(size - at) * sizeof *index);
            index[at] = x->index[k];
            size++;
        }
    }
    return size;
}

/* Finds the index of each entry of a share in the list of the row. */
static bool find_slots(olo_pool *pool, const olo_constraint *row, olo_share *share)
{
    int *slots = olo_pool_alloc(pool, (size_t)share->coordinate->size, sizeof *slots);
    for (int k = 0, at = 0; slots && k < share->coordinate->size; k++) {
        while (row->index[at] != share->coordinate->index[k])
            at++;
        slots[k] = at;
    }
    share->slot = slots;
    return slots != NULL;
}

olo_status olo_make_relation_row(olo_builder *builder, const olo_relation_row *relation,
                                 olo_constraint *row)
{
    olo_system *s = olo_build_system(builder);
    int index[OLO_FORM_SIZE_MAX], size = collect_coordinates(s, relation, index);
    if (size < 0)
        return olo_builder_fail(builder, NULL, "depends on more than %d coordinates",
                                OLO_FORM_SIZE_MAX);
    int *stored = olo_pool_copy(&s->pool, index, (size_t)size, sizeof *stored);
    olo_share *shares = olo_pool_alloc(&s->pool, (size_t)relation->count, sizeof *shares);
    if (!stored || !shares)
        return olo_build_out_of_memory(builder);
    *row = (olo_constraint){.type = &olo_constraint_relation,
                            .size = size,
                            .index = stored,
                            .share_count = relation->count,
                            .shares = shares,
                            .constant = relation->constant};
    for (int i = 0; i < relation->count; i++) {
        const olo_term *x = s->joint_coordinates[relation->coordinate[i]].term;
        shares[i] = (olo_share){.factor = relation->factor[i], .coordinate = x};
        row->curved = row->curved || x->law->angle || x->form[0].products > 0;
        if (!find_slots(&s->pool, row, &shares[i]))
            return olo_build_out_of_memory(builder);
    }
    return OLO_OK;
}

static olo_status add_row(olo_builder *builder, const olo_relation_row *relation,
                          const olo_time_function *time)
{
    olo_constraint row;
    const olo_status status = olo_make_relation_row(builder, relation, &row);
    if (status != OLO_OK)
        return status;
    if (time)
        row.time = *time;
    return olo_build_row(builder, &row);
}

olo_status olo_build_relation_row(olo_builder *builder, const char *name,
                                  const olo_relation_row *relation)
{
    olo_status status = olo_build_group(builder, name, false, false);
    return status == OLO_OK ? add_row(builder, relation, NULL) : status;
}

/* Checks that value and rate of a motion are finite at t = 0, because the initial state takes them.
 */
static olo_status check_initial_motion(olo_builder *builder, const char *key,
                                       const olo_time_function *time)
{
    if (!isfinite(time->value(time->context, 0.0)))
        return olo_builder_fail(builder, key, "the motion is not finite at t = 0");
    if (!isfinite(olo_time_rate(time, 0.0)))
        return olo_builder_fail(builder, key, "the rate of the motion is not finite at t = 0");
    return OLO_OK;
}

olo_status olo_build_motion(olo_builder *builder, const char *name, int coordinate, const char *key,
                            const olo_signal *signal)
{
    olo_time_function time;
    olo_relation_row x = {.count = 1, .coordinate = {coordinate}, .factor = {1}};
    olo_status status = olo_build_signal(builder, key, signal, &time);
    if (status != OLO_OK)
        return status;
    status = check_initial_motion(builder, key, &time);
    if (status == OLO_OK)
        status = olo_build_group(builder, name, false, false);
    if (status == OLO_OK)
        status = olo_build_drive(builder, coordinate);
    if (status == OLO_OK)
        status = add_row(builder, &x, &time);
    if (status != OLO_OK && time.free)
        time.free(time.context);
    return status;
}

olo_status olo_motion_initial_rate(olo_builder *builder, const char *key, const olo_signal *signal,
                                   double *rate)
{
    olo_time_function time;
    *rate = 0;
    if (!olo_signal_is_given(signal))
        return OLO_OK;
    olo_status status = olo_build_signal(builder, key, signal, &time);
    if (status != OLO_OK)
        return status;
    *rate = olo_time_rate(&time, 0.0);
    if (time.free)
        time.free(time.context);
    return OLO_OK;
}
