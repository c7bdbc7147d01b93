/* The shift S of a prescribed motion of the joint coordinate x: the increments with dx = 1 that all
 * other closures allow. With v the gradient of x in joint increments and s its part orthogonal to
 * the other closure rows,
 *
 *     S = s/|s|^2,     v.S = 1.
 */
#include "statics/motion_inputs.h"

#include <string.h>

#include "base/fail.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

/* Closure rows are dependent where less than this fraction of a row remains. */
static const double dependent = 1e-9;

typedef struct work {
    double *rows, *Q, *space; /* the other closure rows, an orthogonal basis, and its workspace */
    double *gradient;         /* [n of the system] */
    int *order;
} work;

static bool allocate(olo_pool *pool, const olo_system *s, const olo_pencil *p, work *w)
{
    const size_t u = (size_t)p->unknowns, rows = (size_t)p->closure_count;
    const olo_array arrays[] = {{&w->rows, rows * u},
                                {&w->Q, u * u},
                                {&w->space, olo_row_space_work(p->closure_count, p->unknowns)},
                                {&w->gradient, (size_t)s->n}};
    w->order = olo_pool_alloc(pool, rows + 1, sizeof *w->order);
    return w->order && olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
}

/* The position of a constraint row among the closure rows, or -1. */
static int closure_of(const olo_topology *t, int row)
{
    for (int i = 0; i < t->closure_block_count; i++) {
        const olo_closure *c = &t->closure_blocks[i];
        if (row >= c->first && row < c->first + c->count)
            return c->u + row - c->first;
    }
    return -1;
}

/* shift = the gradient of the coordinate in joint increments */
static void put_gradient(const olo_static_balance *balance, const olo_term *term,
                         olo_null_space *space, double *row, double *shift)
{
    double gradient[OLO_FORM_SIZE_MAX];
    memset(row, 0, (size_t)balance->system->n * sizeof *row);
    olo_term_gradient(term, balance->step.x.q1, balance->state->angles, gradient);
    for (int i = 0; i < term->size; i++)
        row[term->index[i]] += gradient[i];
    olo_null_space_apply(space, row, shift);
}

/* S from the gradient; false if the other closures determine the coordinate. */
static bool find_shift(const olo_pencil *p, int own, work *w, double *shift)
{
    const int u = p->unknowns, others = p->closure_count - (own >= 0);
    const double whole = olo_dense_dot(u, shift, shift);
    int rank = 0;
    for (int c = 0, at = 0; c < p->closure_count; c++)
        if (c != own)
            memcpy(w->rows + (size_t)(at++) * (size_t)u, p->closures + (size_t)c * (size_t)u,
                   (size_t)u * sizeof *w->rows);
    if (others > 0 &&
        !olo_row_space(others, u, w->rows, dependent, w->order, w->Q, &rank, w->space))
        return false;
    for (int i = 0; i < rank; i++) {
        const double *q = w->Q + (size_t)i * (size_t)u, part = olo_dense_dot(u, q, shift);
        for (int a = 0; a < u; a++)
            shift[a] -= part * q[a];
    }
    const double square = olo_dense_dot(u, shift, shift);
    for (int a = 0; a < u; a++)
        shift[a] /= square;
    return square > dependent * dependent * whole;
}

static const char *name_of(const olo_system *s, int row)
{
    int g = 0;
    while (row >= s->groups[g].first + s->groups[g].count)
        g++;
    return s->groups[g].name;
}

/* The forces of all motions. The matrices are filled one after the other. */
static void find_forces(olo_static_balance *balance, const olo_pencil *p, double load,
                        olo_motion_input *inputs, int count)
{
    static const olo_static_matrix matrices[] = {OLO_STATIC_STIFFNESS, OLO_STATIC_DAMPING,
                                                 OLO_STATIC_MASS};
    for (int k = 0; k < 3; k++) {
        if (count > 0)
            olo_static_fill(balance, matrices[k], load);
        for (int i = 0; i < count; i++) {
            olo_pencil_multiply(balance, inputs[i].shift, inputs[i].force[k]);
            for (int a = 0; a < p->unknowns; a++)
                inputs[i].force[k][a] = 0 - inputs[i].force[k][a]; /* no -0 */
        }
    }
}

olo_status olo_motion_inputs_create(olo_static_balance *balance, const olo_pencil *p,
                                    olo_null_space *space, double load, olo_pool *pool,
                                    olo_motion_input **inputs, int *count, olo_error *error)
{
    const olo_system *s = balance->system;
    const size_t u = (size_t)p->unknowns;
    work w = {0};
    *count = 0;
    *inputs = olo_pool_alloc(pool, (size_t)s->drive_count + 1, sizeof **inputs);
    bool ok = *inputs && allocate(pool, s, p, &w);
    for (int d = 0; ok && d < s->drive_count; d++) {
        olo_motion_input *x = &(*inputs)[*count];
        const olo_array arrays[] = {
            {&x->shift, u}, {&x->force[0], u}, {&x->force[1], u}, {&x->force[2], u}};
        ok = olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
        if (!ok)
            break;
        x->name = name_of(s, s->drives[d].row);
        put_gradient(balance, s->joint_coordinates[s->drives[d].coordinate].term, space, w.gradient,
                     x->shift);
        *count += find_shift(p, closure_of(balance->topology, s->drives[d].row), &w, x->shift);
    }
    if (!ok)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a linear system");
    find_forces(balance, p, load, *inputs, *count);
    return OLO_OK;
}
