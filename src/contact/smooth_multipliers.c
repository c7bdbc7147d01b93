/* The smooth part of a step with contacts with all multipliers: unknowns dq, v1, Gamma, Lambda, one
 * sparse matrix with a fixed pattern; the equations are in smooth.h. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "contact/smooth.h"
#include "linalg/sparse.h"
#include "linalg/vector.h"
#include "system/condition.h"
#include "system/interval.h"
#include "system/mass_function.h"
#include "system/row_lift.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static const olo_evaluation discrete = {0};

typedef struct multipliers {
    int size;         /* 2 n + 2 row_count */
    double *unknown;  /* [size] dq, v1, Gamma, Lambda */
    double *residual; /* [size] */
    double *newton;   /* [size] the update without a change of impulses */
    double *response; /* [size] */
    double *v_mean;   /* [n] work */
    double *local;    /* work */
    olo_sparse *K;
} multipliers;

static multipliers *own(const olo_smooth *x)
{
    return x->data;
}

/* --- entries of the matrix --- */

/* The first index of each kind of equation, and of the unknown beside it. */
enum { POSITION, VELOCITY, ROW, ROW_RATE };
static int first(const olo_smooth *x, int kind)
{
    const int n = x->system->n;
    return kind == POSITION ? 0 : kind == VELOCITY ? n : 2 * n + (kind == ROW ? 0 : x->row_count);
}

static void put(olo_smooth *x, int i, int j, double value)
{
    olo_sparse_put(own(x)->K, i, j, value);
}

/* A local matrix, factor A or, without A, zeros. */
static void put_local(olo_smooth *x, int equation, int unknown, int size, const int *index,
                      double factor, const double *A)
{
    olo_sparse_put_block(own(x)->K, (olo_indices){first(x, equation), size, index},
                         (olo_indices){first(x, unknown), size, index}, factor, A);
}

static void add_local(double *residual, int size, const int *index, double factor, const double *r)
{
    for (int i = 0; i < size; i++)
        residual[index[i]] += factor * r[i];
}

/* --- parts of the equations; each adds to the residual and puts its entries --- */

static void add_mass(olo_smooth *x, bool numbers)
{
    const olo_system *s = x->system;
    double *E1 = own(x)->residual, *E2 = E1 + s->n, *change = own(x)->v_mean;
    for (int e = 0; e < s->mass_count; e++)
        for (int side = 0; side < olo_mass_blocks(&s->mass[e]); side++)
            for (int k = 0; k < s->mass[e].width; k++) {
                const int i = (side ? s->mass[e].j : s->mass[e].i) + k,
                          j = (side ? s->mass[e].i : s->mass[e].j) + k;
                put(x, i, j, s->mass[e].m);
                put(x, i, s->n + j, -0.5 * x->h * s->mass[e].m);
                put(x, s->n + i, s->n + j, s->mass[e].m);
            }
    if (!numbers)
        return;
    for (int i = 0; i < s->n; i++)
        change[i] = x->dq[i] - 0.5 * x->h * (x->v0[i] + x->v1[i]);
    olo_system_mass_times(s, change, E1);
    for (int i = 0; i < s->n; i++)
        change[i] = x->v1[i] - x->v0[i];
    olo_system_mass_times(s, change, E2);
}

/* G(q0, v0) dq of one entry f of the mass with the gradient g at q0: rows i and j have (g.dq) v_j
 * and (g.dq) v_i, the arguments of f have -g (v_j dq_i + v_i dq_j); for i = j half of that. */
static void add_gyroscopic(olo_smooth *x, const olo_mass_function *f, const double *g, bool numbers)
{
    const int n = x->system->n, size = f->f->size, *index = f->f->index;
    const int pair[2][2] = {{f->i, f->j}, {f->j, f->i}};
    for (int side = 0; side < (f->i == f->j ? 1 : 2); side++) {
        const int to = pair[side][0];
        const double v = numbers ? x->v0[pair[side][1]] : 0;
        for (int k = 0; k < size; k++) {
            const double factor = numbers ? g[k] * v : 0;
            put(x, n + to, index[k], factor);
            put(x, n + index[k], to, -factor);
            if (numbers) {
                own(x)->residual[n + to] += factor * x->dq[index[k]];
                own(x)->residual[n + index[k]] -= factor * x->dq[to];
            }
        }
    }
}

/* h dT/dq of one entry: the product w = v1_i v1_j, or half of it, times the discrete gradient of f.
 */
static void add_kinetic_gradient(olo_smooth *x, const olo_mass_function *f, bool numbers)
{
    const olo_interval over = olo_smooth_interval(x);
    const int n = x->system->n, size = f->f->size, *index = f->f->index;
    const double share = f->i == f->j ? 0.5 : 1;
    double *d = own(x)->local, *K = own(x)->local + SIZE, w = 0, by_i = 0, by_j = 0;
    if (numbers) {
        (void)olo_evaluate_term(&discrete, f->f, &over, d, K);
        by_i = share * x->h * x->v1[f->j];
        by_j = share * x->h * x->v1[f->i];
        w = by_i * x->v1[f->i];
        add_local(own(x)->residual + n, size, index, w, d);
    }
    put_local(x, VELOCITY, POSITION, size, index, w, numbers ? K : NULL);
    for (int k = 0; k < size; k++) {
        put(x, n + index[k], n + f->i, numbers ? by_i * d[k] : 0);
        put(x, n + index[k], n + f->j, numbers ? by_j * d[k] : 0);
    }
}

/* What a mass that depends on coordinates adds to (1) and (2). */
static void add_mass_functions(olo_smooth *x, bool numbers)
{
    const olo_system *s = x->system;
    double g[SIZE] = {0};
    for (int e = 0; e < s->mass_function_count; e++) {
        const olo_mass_function *f = &s->mass_functions[e];
        const double m = numbers ? olo_mass_function_value(f, x->q0) : 0;
        for (int side = 0; side < (f->i == f->j ? 1 : 2); side++) {
            const int i = side ? f->j : f->i, j = side ? f->i : f->j;
            put(x, i, j, m);
            put(x, i, s->n + j, -0.5 * x->h * m);
            put(x, s->n + i, s->n + j, m);
            if (!numbers)
                continue;
            own(x)->residual[i] += m * (x->dq[j] - 0.5 * x->h * (x->v0[j] + x->v1[j]));
            own(x)->residual[s->n + i] += m * (x->v1[j] - x->v0[j]);
        }
        if (numbers)
            olo_term_gradient(f->f, x->q0, x->angles, g);
        add_gyroscopic(x, f, g, numbers);
        add_kinetic_gradient(x, f, numbers);
    }
}

/* h dV of terms and -h F of actions. */
static void add_forces(olo_smooth *x, bool numbers)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_smooth_interval(x);
    double *r = own(x)->local, *K = own(x)->local + SIZE, *E2 = own(x)->residual + s->n;
    for (int p = 0; p < s->term_count + s->action_count; p++) {
        const bool term = p < s->term_count, tangent = olo_piece_has_tangent(s, p);
        const int size = olo_piece_size(s, p), *index = olo_piece_index(s, p);
        const double factor = term ? x->h : -x->h;
        if (numbers && term)
            (void)olo_evaluate_term(&discrete, &s->terms[p], &over, r, tangent ? K : NULL);
        else if (numbers)
            olo_evaluate_action(&s->actions[p - s->term_count], &over, r, tangent ? K : NULL);
        if (numbers)
            add_local(E2, size, index, factor, r);
        if (tangent)
            put_local(x, VELOCITY, POSITION, size, index, factor, numbers ? K : NULL);
    }
}

/* d, its tangent K and the lift a of a row, as the variant has them; d_0 is the gradient that acts
 * in (1). The derivative of a by q1 is multiplied by k; it is zero without that. */
static void evaluate_row(olo_smooth *x, const olo_constraint *row, bool at_start, double k,
                         double *d, double *d_0, double *a, double *K, double *by_q1, double *by_v1)
{
    const olo_interval over = olo_smooth_interval(x);
    const olo_at start = {.q = x->q0, .angles = x->angles, .t = x->t};
    const int size = row->size;
    memset(K, 0, (size_t)(size * size) * sizeof *K);
    (void)olo_evaluate_row(&(olo_evaluation){.at_start = at_start}, row, &over, d, K);
    if (k == 0)
        memset(by_q1, 0, (size_t)(size * size) * sizeof *by_q1);
    olo_row_lift(row, &over, x->published ? x->v1 : x->v0, x->v1, a, k == 0 ? NULL : by_q1, by_v1);
    memcpy(d_0, d, (size_t)size * sizeof *d_0);
    if (!x->published)
        return;
    olo_constraint_gradient(row, &start, d_0);
    for (int i = 0; i < size * size; i++)
        by_v1[i] *= 2; /* both ends have v1 */
}

/* The forces of one row, sign +1 of a constraint, -1 of a contact: position (1) gets -k d, velocity
 * (2) gets sign l d + a k, with multiplier l and pair multiplier k (k: Gamma or kappa; contacts
 * enter (2) with -lambda d + a kappa). */
static void add_row_forces(olo_smooth *x, const olo_constraint *row, double sign, double l,
                           double k, double *d, double *d_0, double *a, bool numbers)
{
    double *K = own(x)->local, *by_q1 = K + SIZE * SIZE, *by_v1 = by_q1 + SIZE * SIZE;
    const int size = row->size, *index = row->index;
    if (numbers) {
        const bool at_start = sign < 0 && olo_smooth_at_start(x, row); /* not of rolling joints */
        evaluate_row(x, row, at_start, k, d, d_0, a, K, by_q1, by_v1);
        add_local(own(x)->residual, size, index, -k, d_0);
        add_local(own(x)->residual + x->system->n, size, index, sign * l, d);
        add_local(own(x)->residual + x->system->n, size, index, k, a);
    }
    if (!row->curved)
        return;
    put_local(x, POSITION, POSITION, size, index, x->published ? 0 : -k, numbers ? K : NULL);
    put_local(x, VELOCITY, POSITION, size, index, sign * l, numbers ? K : NULL);
    put_local(x, VELOCITY, POSITION, size, index, k, numbers ? by_q1 : NULL);
    put_local(x, VELOCITY, VELOCITY, size, index, k, numbers ? by_v1 : NULL);
}

static void add_constraints(olo_smooth *x, bool numbers)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_smooth_interval(x);
    const olo_at end = {.q = x->q1, .angles = x->angles, .t = x->t + x->h};
    double d[SIZE] = {0}, d_0[SIZE] = {0}, a[SIZE] = {0}, by_q[SIZE] = {0}, gradient[SIZE] = {0},
           rate_by[SIZE] = {0};
    for (int r = 0; r < x->row_count; r++) {
        const olo_constraint *row = &s->constraints[x->row[r]];
        const int of_row = first(x, ROW) + r, of_rate = first(x, ROW_RATE) + r;
        add_row_forces(x, row, 1, x->Lambda[r], x->Gamma[r], d, d_0, a, numbers);
        if (numbers) {
            olo_condition_by_end(row, &over, by_q);
            olo_constraint_gradient(row, &end, gradient);
            olo_rate_by_configuration(row, &end, x->v1, rate_by);
            own(x)->residual[of_row] = olo_condition_value(row, &over);
            own(x)->residual[of_rate] = olo_rate_value(row, &end, gradient, x->v1);
        }
        for (int k = 0; k < row->size; k++) {
            const int q = row->index[k], v = s->n + q;
            put(x, q, of_row, -d_0[k]);
            put(x, v, of_row, a[k]);
            put(x, v, of_rate, d[k]);
            put(x, of_row, q, by_q[k]);
            put(x, of_rate, q, rate_by[k]);
            put(x, of_rate, v, gradient[k]);
        }
    }
}

/* Forces of contacts. */
static void add_contacts(olo_smooth *x, bool numbers)
{
    const olo_system *s = x->system;
    for (int c = 0; c < s->contact_count; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]); i <= s->contacts[c].sliding_count;
             i++) {
            const olo_constraint *row = olo_contact_row(&s->contacts[c], i);
            const olo_row_over *at = olo_smooth_over(x, c, i);
            add_row_forces(x, row, -1, x->impulse[c].lambda[i], x->impulse[c].kappa[i], at->d,
                           x->spare, at->a, numbers && x->active[c]);
        }
}

static void add_all(olo_smooth *x, bool numbers)
{
    add_mass(x, numbers);
    add_mass_functions(x, numbers);
    add_forces(x, numbers);
    add_constraints(x, numbers);
    add_contacts(x, numbers);
}

static void list_all(void *smooth)
{
    add_all(smooth, false);
}

/* --- the functions of the form --- */

static void move(olo_smooth *x)
{
    for (int i = 0; i < x->system->n; i++) {
        x->qm[i] = x->q0[i] + 0.5 * x->dq[i];
        x->q1[i] = x->q0[i] + x->dq[i];
    }
}

static void begin(olo_smooth *x)
{
    memset(own(x)->unknown, 0, (size_t)own(x)->size * sizeof *own(x)->unknown);
    for (int i = 0; i < x->system->n; i++) {
        x->dq[i] = x->h * x->v0[i];
        x->v1[i] = x->v0[i];
    }
    move(x);
    olo_sparse_restart(own(x)->K);
}

static olo_status linearise(olo_smooth *x, olo_error *error)
{
    olo_sparse_clear(own(x)->K);
    add_all(x, true);
    return olo_sparse_factor(own(x)->K, error);
}

/* y[size] -= the change of the residual with an impulse */
static void subtract_impulse(const olo_smooth *x, const olo_contact_unknown *of, double change,
                             double *y)
{
    const olo_constraint *row = olo_contact_row(&x->system->contacts[of->contact], of->row);
    const olo_row_over *at = olo_smooth_over(x, of->contact, of->row);
    const int n = x->system->n;
    for (int k = 0; k < row->size; k++) {
        y[(of->pair ? 0 : n) + row->index[k]] += change * at->d[k];
        if (of->pair)
            y[n + row->index[k]] -= change * at->a[k];
    }
}

static void respond(olo_smooth *x, const olo_contact_unknown *to)
{
    multipliers *m = own(x);
    double *y = to ? m->response : m->newton;
    memset(y, 0, (size_t)m->size * sizeof *y);
    if (to)
        subtract_impulse(x, to, 1, y);
    else
        olo_dense_add(m->size, -1, m->residual, y);
    olo_sparse_solve(m->K, y);
    x->response = y;
}

/* Largest update or value of positions and velocities, relative to the units of coordinates. */
static void measure(const olo_smooth *x, const double *z, double size[2])
{
    size[0] = size[1] = 0;
    for (int i = 0; i < x->system->n; i++) {
        const double unit = olo_coordinate_unit(x->system, i);
        olo_raise(&size[0], fabs(z[i]) / unit);
        olo_raise(&size[1], fabs(z[x->system->n + i]) / unit);
    }
}

static double update(olo_smooth *x, int count, const olo_contact_unknown *of, const double *change)
{
    multipliers *m = own(x);
    double size[2], value[2];
    memset(m->response, 0, (size_t)m->size * sizeof *m->response);
    for (int j = 0; j < count; j++)
        subtract_impulse(x, &of[j], change[j], m->response);
    if (count > 0)
        olo_sparse_solve(m->K, m->response);
    olo_dense_add(m->size, 1, m->newton, m->response);
    olo_dense_add(m->size, 1, m->response, m->unknown);
    move(x);
    measure(x, m->response, size);
    measure(x, m->unknown, value);
    return fmax(size[0] / (OLO_SMOOTH_ACCURATE * value[0] + OLO_SMOOTH_ROUNDING),
                size[1] / (OLO_SMOOTH_ACCURATE * value[1] + OLO_SMOOTH_ROUNDING / x->h));
}

static const olo_smooth_form form = {.contraction = 0.5,
                                     .begin = begin,
                                     .linearise = linearise,
                                     .respond = respond,
                                     .update = update};

olo_status olo_smooth_use_multipliers(olo_smooth *x, olo_error *error)
{
    const size_t n = (size_t)x->system->n;
    multipliers *m = x->data = olo_pool_alloc(&x->pool, 1, sizeof *m);
    if (!m)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->form = &form;
    m->size = 2 * x->system->n + 2 * x->row_count;
    const size_t size = (size_t)m->size;
    const olo_array arrays[] = {{&m->unknown, size}, {&m->residual, size},
                                {&m->newton, size},  {&m->response, size},
                                {&x->qm, n},         {&x->q1, n},
                                {&m->v_mean, n},     {&m->local, 3 * SIZE * SIZE}};
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->dq = m->unknown;
    x->v1 = x->dq + n;
    x->Gamma = x->v1 + n;
    x->Lambda = x->Gamma + x->row_count;
    return olo_sparse_create(m->size, list_all, x, &m->K, error);
}

void olo_smooth_free_multipliers(olo_smooth *x)
{
    if (own(x))
        olo_sparse_free(own(x)->K);
}
