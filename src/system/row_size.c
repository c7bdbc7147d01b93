/* Sizes of constraint rows. The error of a row in double precision has two sources: the row's own terms, and the positions
 * that enter it, which carry an absolute error in proportion to their distance from the origin. So a row is judged against
 *
 *     size = extent + share * parts,
 *
 * extent: the sum of the magnitudes of its terms with positions counted from the first node of the row (arms, lengths,
 * directors), at least its steepest derivative times the length of the model; parts: the same sum with positions as they are. The
 * share is such that a bound of 1e-12 of the size allows some units of the last place of the parts: 1e-12 share = 16 epsilon. */
#include "system/row_size.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/memory.h"
#include "linalg/vec3.h"
#include "system/system.h"

static const double share_of_parts = 16 * DBL_EPSILON / 1e-12;

/* Sets the positions of the row's nodes in `origin` to that of its first node, directors to zero. */
static void set_origin(const olo_system *s, const olo_constraint *row, const double *q,
                       double *origin)
{
    const olo_node *node = &s->nodes[s->coordinates[row->index[0]].node];
    for (int i = 0; i < row->size; i++) {
        const olo_coordinate *c = &s->coordinates[row->index[i]];
        const bool position = c->slot == 0 && s->nodes[c->node].base < 0;
        origin[row->index[i]] = position ? q[node->q + c->axis] : 0.0;
    }
}

/* Steepest derivative of the row over the lengths of the model. */
static double steepness(const olo_system *s, const olo_constraint *row, const olo_at *at)
{
    double gradient[OLO_FORM_SIZE_MAX], steepest = 0;
    olo_constraint_gradient(row, at, gradient);
    for (int i = 0; i < row->size; i++) {
        const bool position = s->coordinates[row->index[i]].slot == 0;
        steepest = fmax(steepest, fabs(gradient[i]) * (position ? s->length_scale : 1.0));
    }
    return steepest;
}

/* Size of row c; `remote` becomes the ratio of its parts to its extent. */
static double size_of(const olo_system *s, int c, const olo_at *at, double *origin, double *remote)
{
    const olo_constraint *row = &s->constraints[c];
    const double parts = olo_constraint_magnitude(row, at);
    double extent = parts;
    if (row->form) {
        set_origin(s, row, at->q, origin);
        extent = olo_form_magnitude_about(row->form, at->q, origin);
    }
    extent = fmax(extent, steepness(s, row, at));
    *remote = extent > 0 ? parts / extent : 1.0;
    const double size = extent + share_of_parts * parts;
    return size > 0 ? size : 1.0;
}

bool olo_system_measure_rows(olo_system *s)
{
    const olo_at at = {.q = s->q0};
    double remote, *origin = olo_alloc((size_t)s->n, sizeof *origin);
    s->row_scale = olo_alloc((size_t)s->m, sizeof *s->row_scale);
    const bool ok = origin && s->row_scale;
    for (int c = 0; ok && c < s->m; c++)
        s->row_scale[c] = size_of(s, c, &at, origin, &remote);
    olo_free(origin);
    return ok;
}

double olo_system_reach(const olo_system *s, const olo_state *x)
{
    double largest = 0;
    for (int k = 0; k < s->node_count; k++)
        olo_raise(&largest, vec3_norm(x->q + s->nodes[k].q));
    return largest + s->length_scale;
}

olo_row_growth olo_system_row_growth(const olo_system *s, const olo_state *x, double *origin)
{
    const olo_at at = {.q = x->q, .angles = x->angles, .t = x->t};
    olo_row_growth seen = {.growth = 1.0, .remote = 1.0};
    for (int c = 0; c < s->m; c++) {
        double remote;
        const double size = size_of(s, c, &at, origin, &remote);
        olo_raise(&seen.growth, size / s->row_scale[c]);
        olo_raise(&seen.remote, remote);
    }
    return seen;
}
