/* Forces in a rotating frame (see the header). */
#include "statics/rotating_frame.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"

olo_status olo_rotating_frame_check(const olo_system *s, const olo_rotating_frame *spin,
                                    olo_error *error)
{
    const double rounding = 1e-12;
    double across[3];
    vec3_cross(s->gravity, spin->rate, across);
    for (int i = 0; i < 3; i++)
        if (!isfinite(spin->rate[i]) || !isfinite(spin->point[i]))
            return olo_fail(error, OLO_BAD_INPUT,
                            "the angular velocity of a frame needs finite numbers");
    if (vec3_norm(across) > rounding * vec3_norm(s->gravity) * vec3_norm(spin->rate))
        return olo_fail(error, OLO_UNSUPPORTED,
                        "gravity rotates in a frame that spins about another axis: omit it, or "
                        "let the frame spin about its direction");
    return OLO_OK;
}

void olo_rotating_frame_add_force(const olo_system *s, const olo_rotating_frame *spin,
                                  double factor, const double *q, double *work, double *T)
{
    const double *w = spin->rate;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        for (int I = 0; I < node->size; I += node->type->width) {
            double from[3], once[3];
            if (node->type->width == 1) { /* no motion in space */
                work[node->q + I] = 0;
                continue;
            }
            vec3_copy(q + node->q + I, from);
            if (I == node->type->position && node->base < 0)
                vec3_add(-1.0, spin->point, from);
            vec3_cross(w, from, once);
            vec3_cross(w, once, work + node->q + I);
        }
    }
    /* T already contains other forces */
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        olo_dense_add(entry->width, factor * entry->m, work + entry->j, T + entry->i);
        if (entry->i != entry->j)
            olo_dense_add(entry->width, factor * entry->m, work + entry->i, T + entry->j);
    }
}

void olo_rotating_frame_coriolis(const olo_system *s, const olo_rotating_frame *spin,
                                 const double *dq, double *work, double *y)
{
    for (int i = 0; i < s->n; i += s->coordinates[i].width) {
        if (s->coordinates[i].width == 1) {
            work[i] = 0;
            continue;
        }
        vec3_cross(spin->rate, dq + i, work + i);
        for (int j = 0; j < 3; j++)
            work[i + j] *= 2;
    }
    olo_system_mass_times(s, work, y);
}

static void skew(const double a[3], double out[9])
{
    const double m[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    memcpy(out, m, sizeof m);
}

/* out = A B of 3 x 3 matrices */
static void multiply(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* The part m W of M (x) W between the vectors at i and j: m L W R with L = d_i^ and R = -d_j^ for
 * directors, else one. */
static void add_pair(const olo_system *s, int i, int j, double m, const double W[9],
                     const double *q, olo_elimination *elimination)
{
    const olo_coordinate *a = &s->coordinates[i], *b = &s->coordinates[j];
    int row = s->nodes[b->node].twist;
    double *K = olo_elimination_matrix(elimination, a->node, b->node), part[9], turn[9], all[9];
    memcpy(part, W, sizeof part);
    if (a->slot > 0) {
        skew(q + i, turn);
        multiply(turn, W, part);
    }
    memcpy(all, part, sizeof all);
    if (b->slot > 0) {
        skew(q + j, turn);
        multiply(part, turn, all);
        m = -m;
    }
    K += a->twist * row + b->twist;
    for (int k = 0; k < 9; k++)
        K[k / 3 * row + k % 3] += m * all[k];
}

static void add(const olo_system *s, double factor, const double W[9], const double *q,
                olo_elimination *elimination)
{
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *x = &s->mass[e];
        if (x->width == 1)
            continue;
        add_pair(s, x->i, x->j, factor * x->m, W, q, elimination);
        if (x->i != x->j)
            add_pair(s, x->j, x->i, factor * x->m, W, q, elimination);
    }
}

void olo_rotating_frame_add_centrifugal(const olo_system *s, const olo_rotating_frame *spin,
                                        double factor, const double *q,
                                        olo_elimination *elimination)
{
    double once[9], twice[9];
    skew(spin->rate, once);
    multiply(once, once, twice);
    add(s, factor, twice, q, elimination);
}

void olo_rotating_frame_add_coriolis(const olo_system *s, const olo_rotating_frame *spin,
                                     double factor, const double *q, olo_elimination *elimination)
{
    double once[9];
    skew(spin->rate, once);
    add(s, 2 * factor, once, q, elimination);
}
