/* Sizes of constraint rows. The error of a row in double precision has two sources: the rounding of
 * its terms, and the rounding of positions, which is proportional to their distance from the
 * origin. The error is therefore compared with
 *
 *     size = extent + share * parts.
 *
 * extent: the sum of the magnitudes of the terms of the row with positions relative to its first
 *         node (arms, lengths, directors), but at least its largest derivative times the length of
 *         a body in it
 * parts:  the same sum with absolute positions
 * share:  chosen such that an error of 1e-12 of the size allows 16 rounding errors of the parts,
 *         1e-12 share = 16 epsilon */
#include "system/row_size.h"

#include <float.h>
#include <math.h>

#include "base/extreme.h"
#include "base/memory.h"
#include "linalg/vec3.h"
#include "system/diagnostics.h"
#include "system/system.h"

static const double share_of_parts = 16 * DBL_EPSILON / 1e-12;

const double *olo_row_reference(const olo_system *s, const olo_constraint *row, const double *q)
{
    static const double zero[3] = {0};
    const double *position = NULL;
    for (int i = 0; !position && i < row->size; i++)
        position = olo_node_position(&s->nodes[s->coordinates[row->index[i]].node], q);
    return position ? position : zero;
}

/* Sets the positions of the nodes of the row in `origin` to that of the first node, directors to
 * zero. */
static void set_origin(const olo_system *s, const olo_constraint *row, const double *q,
                       double *origin)
{
    const double *reference = olo_row_reference(s, row, q);
    for (int i = 0; i < row->size; i++) {
        const olo_coordinate *c = &s->coordinates[row->index[i]];
        const bool position = c->slot == 0 && s->nodes[c->node].base < 0;
        origin[row->index[i]] = position ? reference[c->axis] : 0.0;
    }
}

/* A length of a node: the largest radius of gyration about its origin, or the length of the model
 * for a node without inertia. */
static double node_length(const olo_system *s, const olo_node *node)
{
    if (node->frame < 0)
        return s->length_scale;
    const olo_frame_mass *mass = &s->frames[node->frame];
    const double largest = fmax(mass->E[0], fmax(mass->E[4], mass->E[8]));
    return mass->m > 0 && largest > 0 ? sqrt(largest / mass->m) : s->length_scale;
}

/* The largest derivative of the row times the length of the body; `distant` becomes the sum of the
 * derivatives times the distances of the nodes from the origin. */
static double steepness(const olo_system *s, const olo_constraint *row, const olo_at *at,
                        double *distant)
{
    double gradient[OLO_FORM_SIZE_MAX], steepest = 0;
    olo_constraint_gradient(row, at, gradient);
    *distant = 0;
    for (int i = 0; i < row->size; i++) {
        const olo_coordinate *c = &s->coordinates[row->index[i]];
        const olo_node *node = &s->nodes[c->node];
        const double length = c->slot == 0 ? node_length(s, node) : 1.0;
        steepest = fmax(steepest, fabs(gradient[i]) * length);
        if (c->slot == 0 && node->base < 0)
            *distant += fabs(gradient[i]) * vec3_norm(olo_node_position(node, at->q));
    }
    return steepest;
}

/* Distance of the nodes of the row from the origin divided by a length of the row: that of its
 * bodies, or the distance between them. */
static double remoteness(const olo_system *s, const olo_constraint *row, const double *q)
{
    const double *reference = olo_row_reference(s, row, q);
    double distance = 0, length = 0;
    for (int i = 0; i < row->size; i++) {
        const olo_coordinate *c = &s->coordinates[row->index[i]];
        const olo_node *node = &s->nodes[c->node];
        if (c->slot != 0 || node->base >= 0)
            continue;
        const double *position = olo_node_position(node, q);
        double between[3];
        vec3_subtract(position, reference, between);
        distance = fmax(distance, vec3_norm(position));
        length = fmax(length, fmax(vec3_norm(between), node_length(s, node)));
    }
    return length > 0 ? distance / length : 0;
}

static double size_of(const olo_system *s, int c, const olo_at *at, double *origin)
{
    const olo_constraint *row = &s->constraints[c];
    double distant, parts = olo_constraint_magnitude(row, at), extent = parts;
    if (row->form) {
        set_origin(s, row, at->q, origin);
        extent = olo_form_magnitude_about(row->form, at->q, origin);
    }
    extent = fmax(extent, steepness(s, row, at, &distant));
    parts = fmax(parts, distant); /* rotations distribute rounding errors over all axes */
    const double size = extent + share_of_parts * parts;
    return size > 0 ? size : 1.0;
}

/* The length of the model, or its largest lever arm: the factor of a director in a linear row. */
static double lever_scale(const olo_system *s)
{
    double largest = s->length_scale;
    for (int c = 0; c < s->m; c++) {
        const olo_form *form = s->constraints[c].form;
        for (int i = 0; form && form->products == 0 && i < form->size; i++)
            if (s->coordinates[form->index[i]].slot > 0)
                largest = fmax(largest, fabs(form->b[i]));
    }
    return largest;
}

bool olo_system_measure_rows(olo_system *s)
{
    const olo_at at = {.q = s->q0};
    double *origin = olo_alloc((size_t)s->n, sizeof *origin);
    const bool ok = origin != NULL;
    for (int c = 0; c < s->m; c++)
        s->row_scale[c] = ok ? size_of(s, c, &at, origin) : 1.0;
    s->lever_scale = lever_scale(s);
    olo_free(origin);
    return ok;
}

double olo_system_reach(const olo_system *s, const olo_state *x)
{
    double largest = 0;
    for (int k = 0; k < s->node_count; k++) {
        const double *position = olo_node_position(&s->nodes[k], x->q);
        if (position)
            olo_raise(&largest, vec3_norm(position));
    }
    return largest + s->length_scale;
}

olo_row_growth olo_system_row_growth(const olo_system *s, const olo_state *x, double *origin)
{
    const olo_at at = {.q = x->q, .angles = x->angles, .t = x->t};
    olo_row_growth found = {.growth = 1.0, .remote = 1.0};
    (void)olo_system_measure(s);
    for (int c = 0; c < s->m; c++) {
        olo_raise(&found.growth, size_of(s, c, &at, origin) / s->row_scale[c]);
        olo_raise(&found.remote, remoteness(s, &s->constraints[c], x->q));
    }
    return found;
}
