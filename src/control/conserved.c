/* Momenta that nothing in a problem can change; see the header. */
#include "control/conserved.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/chart.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "system/interval.h"

enum { SAMPLES = 4 };

void olo_rigid_motion(const olo_system *s, const double motion[6], const double *q, double *xi)
{
    for (int i = 0; i < s->n; i += s->coordinates[i].width) {
        if (s->coordinates[i].width == 1) {
            xi[i] = 0;
            continue;
        }
        vec3_cross(motion + 3, q + i, xi + i);
        /* points in relative coordinates turn only */
        if (s->coordinates[i].slot == 0 && s->nodes[s->coordinates[i].node].base < 0)
            vec3_add(1.0, motion, xi + i);
    }
}

typedef struct search {
    const olo_control_problem *problem;
    const olo_system *system;
    double sum[36]; /* sum of the products of powers, each divided by its size */
    double *q[2];   /* [n] an interval */
    double *qm, *dq, *xi, *inputs;
} search;

/* Adds a force r on some coordinates at q: its powers under the six motions. */
static void add_force(search *x, int size, const int *index, const double *r, const double *q)
{
    const olo_system *s = x->system;
    const double length = s->length_scale;
    double power[6], largest = 0;
    for (int k = 0; k < 6; k++) {
        double motion[6] = {0}, scale = 0;
        motion[k] = k < 3 ? length : 1.0;
        olo_rigid_motion(s, motion, q, x->xi);
        power[k] = 0;
        for (int i = 0; i < size; i++) {
            power[k] += r[i] * x->xi[index[i]];
            scale += fabs(r[i] * x->xi[index[i]]);
        }
        largest = fmax(largest, scale);
    }
    for (int k = 0; largest > 0 && k < 36; k++)
        x->sum[k] += power[k / 6] * power[k % 6] / (largest * largest);
}

static void add_pieces(search *x, double t)
{
    const olo_system *s = x->system;
    const olo_evaluation how = {.midpoint = true, .at_start = true, .at_nodes = true};
    olo_interval over = {.q0 = x->q[0],
                         .q1 = x->q[1],
                         .qm = x->qm,
                         .dq = x->dq,
                         .h = 0.1,
                         .t = t,
                         .inputs = x->inputs};
    double r[OLO_FORM_SIZE_MAX];
    for (int i = 0; i < olo_pieces(s); i++) {
        int number;
        const olo_piece_kind kind = olo_piece_kind_of(s, i, &number);
        over.acting = kind == OLO_PIECE_ACTION ? OLO_ACT_AT_START : OLO_ACT_BETWEEN;
        olo_piece_value(s, &how, i, &over, r);
        add_force(x, olo_piece_size(s, i), olo_piece_index(s, i), r,
                  kind == OLO_PIECE_TERM ? x->qm : x->q[0]);
    }
}

/* Numbers between -1 and 1 without repetition. */
static double next_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

static void sample(search *x, olo_chart *chart, double *u)
{
    const olo_system *s = x->system;
    unsigned seed = 1;
    for (int k = 0; k < SAMPLES; k++) {
        for (int end = 0; end < 2; end++) {
            for (int i = 0; i < x->problem->topology->unknowns; i++)
                u[i] = (end ? u[i] : 0) + (end ? 0.1 : 0.7) * next_number(&seed);
            memcpy(x->q[end], olo_chart_at(chart, u), (size_t)s->n * sizeof *u);
        }
        for (int i = 0; i < s->n; i++) {
            x->qm[i] = 0.5 * (x->q[0][i] + x->q[1][i]);
            x->dq[i] = x->q[1][i] - x->q[0][i];
        }
        for (int i = 0; i < s->action_count; i++)
            x->inputs[i] = x->problem->control_of[i] < 0 ? NAN : 1.0;
        add_pieces(x, 0.3 * k);
    }
}

/* The null space of the sum, motions in units of the model. */
static bool take_null_space(search *x, olo_conserved *found)
{
    const double tolerance = 1e-20, length = x->system->length_scale;
    double value[6];
    if (!olo_symmetric_eigenvectors(6, x->sum, value))
        return false;
    for (int j = 0; j < 6; j++) {
        if (value[j] > tolerance)
            continue;
        for (int i = 0; i < 6; i++)
            found->motion[found->count][i] = x->sum[6 * i + j] * (i < 3 ? length : 1.0);
        found->count++;
    }
    return true;
}

/* Whether rigid motions of space move anything: scalars have no momentum. */
static bool moves_in_space(const olo_system *s)
{
    bool moves = false;
    for (int k = 0; k < s->node_count; k++)
        moves = moves || s->nodes[k].type->width == 3;
    return moves;
}

olo_status olo_conserved_find(const olo_control_problem *problem, const double *q,
                              olo_conserved *found, olo_error *error)
{
    const olo_system *s = problem->system;
    search x = {.problem = problem, .system = s};
    olo_pool pool = {0};
    olo_chart *chart = NULL;
    double *u;
    const size_t n = (size_t)s->n;
    const olo_array arrays[] = {{&x.q[0], n},
                                {&x.q[1], n},
                                {&x.qm, n},
                                {&x.dq, n},
                                {&x.xi, n},
                                {&x.inputs, (size_t)s->action_count},
                                {&u, (size_t)problem->topology->unknowns}};
    *found = (olo_conserved){0};
    if (!moves_in_space(s))
        return OLO_OK;
    olo_status status = olo_chart_create(problem->topology, q, &chart, error);
    if (status == OLO_OK && !olo_pool_arrays(&pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK) {
        sample(&x, chart, u);
        if (!take_null_space(&x, found))
            status = olo_fail(error, OLO_NOT_FINITE, "a force of the model is not finite");
    }
    olo_chart_free(chart);
    olo_pool_free(&pool);
    return status;
}

/* Gauss elimination of the motions with the largest pivot of all coordinates. */
olo_status olo_conserved_rows(const olo_system *s, const olo_conserved *conserved, const double *q,
                              int rows[6], olo_error *error)
{
    const size_t n = (size_t)s->n;
    double *xi = olo_alloc(6 * n, sizeof *xi);
    if (!xi)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int k = 0; k < conserved->count; k++)
        olo_rigid_motion(s, conserved->motion[k], q, xi + (size_t)k * n);
    for (int k = 0; k < conserved->count; k++) {
        double *own = xi + (size_t)k * n;
        int pivot = 0;
        for (int i = 1; i < s->n; i++)
            if (fabs(own[i]) / olo_coordinate_unit(s, i) >
                fabs(own[pivot]) / olo_coordinate_unit(s, pivot))
                pivot = i;
        rows[k] = pivot;
        for (int l = k + 1; l < conserved->count; l++) {
            double *other = xi + (size_t)l * n;
            const double factor = own[pivot] != 0 ? other[pivot] / own[pivot] : 0;
            for (size_t i = 0; i < n; i++)
                other[i] -= factor * own[i];
        }
    }
    olo_free(xi);
    return OLO_OK;
}
