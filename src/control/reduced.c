/* The reduced transcription; see the header. */
#include "control/reduced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/entries.h"
#include "kinematics/chart.h"
#include "kinematics/null_space_form.h"
#include "linalg/dense.h"

/* A node at the present variables. Matrices are row-major; columns are degrees of freedom. */
typedef struct node {
    olo_chart *chart;
    olo_null_form *form;
    double *J, *P; /* [dof x n], transposed: one row per degree of freedom */
    /* A_kj J_j for j = k - 1, k, k + 1, [dof x n] each; and A_k by the controls of the intervals
     * k - 1 and k, [controls x n] each, and by the duration, [n] */
    double *AJ[3], *Au[2], *AT;
} node;

struct olo_reduced_problem {
    const olo_control_problem *problem;
    olo_redundant *full;
    const olo_nlp *of; /* the redundant programme */
    olo_pool pool;
    olo_nlp nlp;
    int n, m, dof, controls, intervals;
    int stride, row_stride;           /* variables and rows of a node */
    int full_stride, full_row_stride; /* the same in the redundant programme */
    int path_rows, end_rows;          /* rows that are passed on: of a node, and at the end */
    int velocities;                   /* n if the velocity at the end is a variable, else 0 */
    node *nodes;
    double *x, *b, *y, *g; /* of the redundant programme: variables, rows, multipliers, ... */
    double *A, *H;         /* ... gradient, Jacobian, Hessian */
    double *S, *DJ, *Pb;   /* [dof x n], [dof x n], [dof x dof] of one node */
    double *unit, *product, *row; /* [dof], [dof], [n] */
    /* entries of rows that are passed on, and those with the velocity at the end */
    olo_entries passed, velocity_hessian;
    double *placed_at; /* variables of the present point, and what is evaluated there: */
    bool placed;       /* configurations, charts */
    bool balanced;     /* b */
    bool linear;       /* bases, A and its products */
};

// -- layout ---------------------------------------------------------------------------------------

static int velocity_of(const olo_reduced *x)
{
    return (x->intervals + 1) * x->stride - x->controls;
}

static int duration_of(const olo_reduced *x)
{
    return velocity_of(x) + x->velocities;
}

static int control_of(const olo_reduced *x, int k)
{
    return k * x->stride + x->dof;
}

/* What a variable of the redundant programme is. */
typedef enum kind { CONFIGURATION, MULTIPLIER, CONTROL, VELOCITY, DURATION } kind;

static kind classify(const olo_reduced *x, int variable, int *k, int *local)
{
    *k = variable / x->full_stride;
    *local = variable % x->full_stride;
    if (variable == x->of->variables - 1)
        return DURATION;
    if (variable >= olo_redundant_end_velocity(x->full)) {
        *k = x->intervals;
        *local = variable - olo_redundant_end_velocity(x->full);
        return VELOCITY;
    }
    if (*local < x->n)
        return CONFIGURATION;
    *local -= x->n;
    if (*local < x->m)
        return MULTIPLIER;
    *local -= x->m;
    return CONTROL;
}

// -- the present point ----------------------------------------------------------------------------

/* A solver asks for values and derivatives at the same point one after the other: each thing is
 * evaluated once per point. */
static void set_point(olo_reduced *x, const double *at)
{
    const size_t size = (size_t)x->nlp.variables * sizeof *at;
    if (x->placed && memcmp(at, x->placed_at, size) == 0)
        return;
    memcpy(x->placed_at, at, size);
    x->placed = true;
    x->balanced = x->linear = false;
    memset(x->x, 0, (size_t)x->of->variables * sizeof *x->x);
    for (int k = 0; k <= x->intervals; k++) {
        const double *q = olo_chart_at(x->nodes[k].chart, at + k * x->stride);
        memcpy(x->x + olo_redundant_configuration(x->full, k), q, (size_t)x->n * sizeof *q);
        if (k < x->intervals)
            memcpy(x->x + olo_redundant_controls(x->full, k), at + control_of(x, k),
                   (size_t)x->controls * sizeof *at);
    }
    memcpy(x->x + olo_redundant_end_velocity(x->full), at + velocity_of(x),
           (size_t)x->velocities * sizeof *at);
    x->x[x->of->variables - 1] = at[duration_of(x)];
}

static void set_rows(olo_reduced *x)
{
    if (!x->balanced)
        x->of->evaluate(x->of->context, x->x, x->b);
    x->balanced = true;
}

static const double *configuration(const olo_reduced *x, int k)
{
    return x->x + olo_redundant_configuration(x->full, k);
}

/* J and P of all nodes. */
static void set_bases(olo_reduced *x)
{
    for (int k = 0; k <= x->intervals; k++) {
        node *at = &x->nodes[k];
        for (int i = 0; i < x->dof; i++) {
            const olo_null_point point = {.q = configuration(x, k), .nu = x->unit};
            const olo_null_derivatives first = {.by_y = at->P + i * x->n};
            const olo_null_derivatives none = {0};
            x->unit[i] = 1;
            olo_chart_move(at->chart, x->unit, at->J + i * x->n);
            olo_null_form_at(at->form, &point, &first, &none);
            x->unit[i] = 0;
        }
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// -- values ---------------------------------------------------------------------------------------

static double objective(void *context, const double *at)
{
    olo_reduced *x = context;
    set_point(x, at);
    return x->of->objective(x->of->context, x->x);
}

static void gradient(void *context, const double *at, double *g)
{
    olo_reduced *x = context;
    set_point(x, at);
    x->of->gradient(x->of->context, x->x, x->g);
    for (int k = 0; k <= x->intervals; k++) {
        olo_chart_reduce(x->nodes[k].chart, x->g + olo_redundant_configuration(x->full, k),
                         g + k * x->stride);
        if (k < x->intervals)
            memcpy(g + control_of(x, k), x->g + olo_redundant_controls(x->full, k),
                   (size_t)x->controls * sizeof *g);
    }
    memcpy(g + velocity_of(x), x->g + olo_redundant_end_velocity(x->full),
           (size_t)x->velocities * sizeof *g);
    g[duration_of(x)] = x->g[x->of->variables - 1];
}

static void evaluate(void *context, const double *at, double *c)
{
    olo_reduced *x = context;
    set_point(x, at);
    set_rows(x);
    for (int k = 0; k <= x->intervals; k++) {
        const double *b = x->b + k * x->full_row_stride;
        const olo_null_point point = {.q = configuration(x, k), .y = b};
        const olo_null_derivatives first = {.by_nu = c + k * x->row_stride};
        const olo_null_derivatives none = {0};
        olo_null_form_at(x->nodes[k].form, &point, &first, &none);
        memcpy(c + k * x->row_stride + x->dof, b + x->n + x->m, (size_t)x->path_rows * sizeof *c);
    }
    memcpy(c + (x->intervals + 1) * x->row_stride, x->b + (x->intervals + 1) * x->full_row_stride,
           (size_t)x->end_rows * sizeof *c);
}

// -- Jacobian -------------------------------------------------------------------------------------

/* Products A_kj J_j of the balances with the bases, from the entries of the redundant Jacobian. */
static void set_products(olo_reduced *x)
{
    const olo_positions *at = &x->of->jacobian;
    const size_t bytes = (size_t)(x->dof * x->n) * sizeof(double);
    for (int k = 0; k <= x->intervals; k++) {
        node *own = &x->nodes[k];
        for (int j = 0; j < 3; j++)
            memset(own->AJ[j], 0, bytes);
        for (int j = 0; j < 2; j++)
            memset(own->Au[j], 0, (size_t)(x->controls * x->n) * sizeof(double));
        memset(own->AT, 0, (size_t)x->n * sizeof(double));
    }
    for (int e = 0; e < at->count; e++) {
        const int k = at->row[e] / x->full_row_stride, i = at->row[e] % x->full_row_stride;
        int j, local;
        if (k > x->intervals || i >= x->n)
            continue;
        node *own = &x->nodes[k];
        const kind what = classify(x, at->column[e], &j, &local);
        if (what == CONFIGURATION)
            for (int d = 0; d < x->dof; d++)
                own->AJ[j - k + 1][d * x->n + i] += x->A[e] * x->nodes[j].J[d * x->n + local];
        else if (what == CONTROL)
            own->Au[j - k + 1][local * x->n + i] += x->A[e];
        else if (what == DURATION)
            own->AT[i] += x->A[e];
    }
}

/* Pb[i][j] = d(P^T b)_i/dq J e_j of node k at its balance. */
static void set_turned_balance(olo_reduced *x, int k)
{
    node *own = &x->nodes[k];
    for (int j = 0; j < x->dof; j++) {
        const olo_null_point point = {
            .q = configuration(x, k), .y = x->b + k * x->full_row_stride, .w = own->J + j * x->n};
        const olo_null_derivatives none = {0}, change = {.by_nu = x->product};
        olo_null_form_at(own->form, &point, &none, &change);
        for (int i = 0; i < x->dof; i++)
            x->Pb[i * x->dof + j] = x->product[i];
    }
}

/* Values of the balance of node k, in the order of list_jacobian. */
static double *put_balance(olo_reduced *x, int k, double *v)
{
    const node *own = &x->nodes[k];
    set_turned_balance(x, k);
    for (int i = 0; i < x->dof; i++) {
        const double *P = own->P + i * x->n;
        for (int j = 0; j < 3; j++)
            for (int d = 0; d < x->dof && k + j >= 1 && k + j - 1 <= x->intervals; d++)
                *v++ = dot(x->n, P, own->AJ[j] + d * x->n) + (j == 1 ? x->Pb[i * x->dof + d] : 0);
        for (int j = 0; j < 2; j++)
            for (int c = 0; c < x->controls && k + j >= 1 && k + j - 1 < x->intervals; c++)
                *v++ = dot(x->n, P, own->Au[j] + c * x->n);
        *v++ = dot(x->n, P, own->AT);
    }
    return v;
}

/* The row of this programme that a row of the redundant one after its balances becomes; -1: it is a
 * balance or a constraint. */
static int passed_row(const olo_reduced *x, int row)
{
    const int k = row / x->full_row_stride, local = row % x->full_row_stride - x->n - x->m;
    if (k > x->intervals)
        return row - (x->intervals + 1) * (x->full_row_stride - x->row_stride);
    return local < 0 ? -1 : k * x->row_stride + x->dof + local;
}

/* Visits the rows that are passed on, by the chain rule from the entries of the redundant
 * Jacobian; and the columns of the velocity at the end in the last balance, P^T A. */
static void pass_rows(olo_reduced *x)
{
    const olo_positions *at = &x->of->jacobian;
    for (int e = 0; e < at->count; e++) {
        const int row = passed_row(x, at->row[e]);
        int k, local;
        const kind what = classify(x, at->column[e], &k, &local);
        const double value = x->passed.recorded ? x->A[e] : 0;
        if (row < 0 && what == VELOCITY) {
            const double *P = x->nodes[x->intervals].P + at->row[e] % x->full_row_stride;
            for (int d = 0; d < x->dof; d++)
                olo_entries_put(&x->passed, x->intervals * x->row_stride + d,
                                velocity_of(x) + local,
                                x->passed.recorded ? value * P[d * x->n] : 0);
        }
        if (row < 0)
            continue;
        if (what == CONFIGURATION)
            for (int d = 0; d < x->dof; d++)
                olo_entries_put(&x->passed, row, k * x->stride + d,
                                x->passed.recorded ? value * x->nodes[k].J[d * x->n + local] : 0);
        else if (what != MULTIPLIER)
            olo_entries_put(&x->passed, row,
                            what == CONTROL    ? control_of(x, k) + local
                            : what == VELOCITY ? velocity_of(x) + local
                                               : duration_of(x),
                            value);
    }
}

static void linearise(olo_reduced *x, const double *at)
{
    set_point(x, at);
    set_rows(x);
    if (x->linear)
        return;
    set_bases(x);
    x->of->evaluate_jacobian(x->of->context, x->x, x->A);
    set_products(x);
    x->linear = true;
}

static void evaluate_jacobian(void *context, const double *at, double *values)
{
    olo_reduced *x = context;
    linearise(x, at);
    for (int k = 0; k <= x->intervals; k++)
        values = put_balance(x, k, values);
    olo_entries_begin(&x->passed, values);
    pass_rows(x);
}

/* Positions, in the order of the values. */
static void add_position(olo_positions *to, int row, int column)
{
    if (to->row) {
        to->row[to->count] = row;
        to->column[to->count] = column;
    }
    to->count++;
}

static void add_entries(olo_positions *to, const olo_entries *entries)
{
    for (int i = 0; i < entries->positions.count; i++)
        add_position(to, entries->positions.row[i], entries->positions.column[i]);
}

static void list_jacobian(const olo_reduced *x, olo_positions *to)
{
    to->count = 0;
    for (int k = 0; k <= x->intervals; k++)
        for (int i = 0; i < x->dof; i++) {
            const int row = k * x->row_stride + i;
            for (int j = k - 1; j <= k + 1; j++)
                for (int d = 0; d < x->dof && j >= 0 && j <= x->intervals; d++)
                    add_position(to, row, j * x->stride + d);
            for (int j = k - 1; j <= k; j++)
                for (int c = 0; c < x->controls && j >= 0 && j < x->intervals; c++)
                    add_position(to, row, control_of(x, j) + c);
            add_position(to, row, duration_of(x));
        }
    add_entries(to, &x->passed);
}

// -- Hessian --------------------------------------------------------------------------------------

/* Multipliers of the redundant rows: z = P y of balances, those of conditions. */
static void set_multipliers(olo_reduced *x, const double *y)
{
    memset(x->y, 0, (size_t)x->of->rows * sizeof *x->y);
    for (int k = 0; k <= x->intervals; k++) {
        double *z = x->y + k * x->full_row_stride;
        for (int i = 0; i < x->dof; i++)
            for (int j = 0; j < x->n; j++)
                z[j] += y[k * x->row_stride + i] * x->nodes[k].P[i * x->n + j];
        memcpy(z + x->n + x->m, y + k * x->row_stride + x->dof, (size_t)x->path_rows * sizeof *y);
    }
    memcpy(x->y + (x->intervals + 1) * x->full_row_stride, y + (x->intervals + 1) * x->row_stride,
           (size_t)x->end_rows * sizeof *y);
}

/* The gradient of sigma f + z.b with respect to the redundant variables. */
static void set_gradient(olo_reduced *x, double sigma)
{
    const olo_positions *at = &x->of->jacobian;
    x->of->gradient(x->of->context, x->x, x->g);
    for (int i = 0; i < x->of->variables; i++)
        x->g[i] *= sigma;
    for (int e = 0; e < at->count; e++)
        x->g[at->column[e]] += x->A[e] * x->y[at->row[e]];
}

/* DJ and S J of node k; adds the gradient of b.P y at fixed b to g. */
static void set_curvature(olo_reduced *x, int k, const double *y)
{
    node *own = &x->nodes[k];
    double *g = x->g + olo_redundant_configuration(x->full, k);
    for (int j = 0; j < x->dof; j++) {
        const olo_null_point point = {.q = configuration(x, k),
                                      .y = x->b + k * x->full_row_stride,
                                      .nu = y + k * x->row_stride,
                                      .w = own->J + j * x->n};
        const olo_null_derivatives first = {.by_q = x->row},
                                   change = {.by_y = x->DJ + j * x->n, .by_q = x->S + j * x->n};
        olo_null_form_at(own->form, &point, &first, &change);
    }
    for (int i = 0; i < x->n; i++)
        g[i] += x->row[i];
}

/* The blocks of the Hessian of node k: with itself (the lower triangle, packed), with the node
 * before, with the controls of both intervals, with the duration. They begin at these indices. */
typedef struct blocks {
    int own, before, controls[2], duration;
} blocks;

static int packed(int i, int j)
{
    return i * (i + 1) / 2 + j;
}

static int block_count(const olo_reduced *x, int k, blocks *b)
{
    int at = 0;
    b->own = at;
    at += packed(x->dof, 0);
    b->before = at;
    at += k > 0 ? x->dof * x->dof : 0;
    for (int j = 0; j < 2; j++) {
        b->controls[j] = at;
        at += k + j >= 1 && k + j - 1 < x->intervals ? x->dof * x->controls : 0;
    }
    b->duration = at;
    return at + x->dof;
}

static int first_of(const olo_reduced *x, int k)
{
    blocks b;
    int first = 0;
    if (k > 0)
        first += block_count(x, 0, &b);
    if (k > 1)
        first += (k - 1) * block_count(x, 1, &b);
    return first;
}

/* Adds J^T H J of an entry of the redundant Hessian. */
static void add_entry(olo_reduced *x, int row, int column, double value, double *v, double *tail)
{
    int k, j, a, c;
    const kind of = classify(x, row, &k, &a), with = classify(x, column, &j, &c);
    blocks b;
    if (of == MULTIPLIER || with == MULTIPLIER || of == VELOCITY || with == VELOCITY)
        return;
    if (of != CONFIGURATION && with != CONFIGURATION) {
        /* controls with themselves, duration with controls and with itself */
        if (of == CONTROL)
            tail[k * x->controls + a] += value;
        else if (with == CONTROL)
            tail[(x->intervals + j) * x->controls + c] += value;
        else
            tail[2 * x->intervals * x->controls] += value;
        return;
    }
    if (of == CONFIGURATION && with == CONFIGURATION) {
        double *to = v + first_of(x, k);
        (void)block_count(x, k, &b);
        to += k == j ? b.own : b.before;
        const double *Jk = x->nodes[k].J, *Jj = x->nodes[j].J;
        for (int d = 0; d < x->dof; d++)
            for (int e = 0; e < (k == j ? d + 1 : x->dof); e++) {
                double *entry = to + (k == j ? packed(d, e) : d * x->dof + e);
                *entry += value * Jk[d * x->n + a] * Jj[e * x->n + c];
                if (k == j && a != c)
                    *entry += value * Jk[d * x->n + c] * Jj[e * x->n + a];
            }
        return;
    }
    /* a configuration with a control or the duration */
    const int node_of = of == CONFIGURATION ? k : j, q = of == CONFIGURATION ? a : c;
    const int other = of == CONFIGURATION ? j : k, number = of == CONFIGURATION ? c : a;
    const kind what = of == CONFIGURATION ? with : of;
    double *to = v + first_of(x, node_of);
    (void)block_count(x, node_of, &b);
    for (int d = 0; d < x->dof; d++) {
        const double product = value * x->nodes[node_of].J[d * x->n + q];
        if (what == DURATION)
            to[b.duration + d] += product;
        else
            to[b.controls[other - node_of + 1] + d * x->controls + number] += product;
    }
}

/* Adds D^T A and its transpose, S, and the curvature of the chart of node k. */
static void add_node(olo_reduced *x, int k, double *v)
{
    node *own = &x->nodes[k];
    blocks b;
    double *to = v + first_of(x, k);
    (void)block_count(x, k, &b);
    for (int d = 0; d < x->dof; d++) {
        x->unit[d] = 1;
        olo_chart_second(own->chart, x->g + olo_redundant_configuration(x->full, k), x->unit,
                         x->product);
        x->unit[d] = 0;
        const double *DJ = x->DJ + d * x->n;
        for (int e = 0; e <= d; e++)
            to[b.own + packed(d, e)] += dot(x->n, DJ, own->AJ[1] + e * x->n) +
                                        dot(x->n, x->DJ + e * x->n, own->AJ[1] + d * x->n) +
                                        dot(x->n, own->J + d * x->n, x->S + e * x->n) +
                                        x->product[e];
        for (int e = 0; e < x->dof; e++) {
            if (k > 0) /* rows w_k, columns w_k-1 */
                to[b.before + d * x->dof + e] += dot(x->n, DJ, own->AJ[0] + e * x->n);
            if (k < x->intervals) { /* rows w_k+1, columns w_k */
                blocks next;
                (void)block_count(x, k + 1, &next);
                v[first_of(x, k + 1) + next.before + e * x->dof + d] +=
                    dot(x->n, DJ, own->AJ[2] + e * x->n);
            }
        }
        for (int j = 0; j < 2; j++)
            for (int c = 0; c < x->controls && k + j >= 1 && k + j - 1 < x->intervals; c++)
                to[b.controls[j] + d * x->controls + c] += dot(x->n, DJ, own->Au[j] + c * x->n);
        to[b.duration + d] += dot(x->n, DJ, own->AT);
    }
}

/* Visits the entries with the velocity at the end: with itself and with w_N, H J + A^T D J. After
 * set_curvature of the last node. */
static void visit_velocity_hessian(olo_reduced *x)
{
    const olo_positions *H = &x->of->hessian, *A = &x->of->jacobian;
    olo_entries *to = &x->velocity_hessian;
    const double *J = x->nodes[x->intervals].J;
    const int w = x->intervals * x->stride;
    int k, j, a, c;
    for (int e = 0; x->velocities > 0 && e < H->count; e++) {
        const kind of = classify(x, H->row[e], &k, &a), with = classify(x, H->column[e], &j, &c);
        if (of == VELOCITY && with == VELOCITY)
            olo_entries_put(to, velocity_of(x) + a, velocity_of(x) + c, to->recorded ? x->H[e] : 0);
        else if (of == VELOCITY)
            for (int d = 0; d < x->dof; d++)
                olo_entries_put(to, velocity_of(x) + a, w + d,
                                to->recorded ? x->H[e] * J[d * x->n + c] : 0);
    }
    for (int e = 0; x->velocities > 0 && e < A->count; e++)
        if (passed_row(x, A->row[e]) < 0 && classify(x, A->column[e], &k, &a) == VELOCITY)
            for (int d = 0; d < x->dof; d++)
                olo_entries_put(
                    to, velocity_of(x) + a, w + d,
                    to->recorded ? x->A[e] * x->DJ[d * x->n + A->row[e] % x->full_row_stride] : 0);
}

static void evaluate_hessian(void *context, const double *at, double sigma, const double *y,
                             double *values)
{
    olo_reduced *x = context;
    const olo_positions *of = &x->of->hessian;
    blocks b;
    double *tail = values + first_of(x, x->intervals) + block_count(x, x->intervals, &b);
    memset(values, 0, (size_t)x->nlp.hessian.count * sizeof *values);
    linearise(x, at);
    set_multipliers(x, y);
    set_gradient(x, sigma);
    x->of->evaluate_hessian(x->of->context, x->x, sigma, x->y, x->H);
    for (int e = 0; e < of->count; e++)
        add_entry(x, of->row[e], of->column[e], x->H[e], values, tail);
    for (int k = 0; k <= x->intervals; k++) {
        set_curvature(x, k, y);
        add_node(x, k, values);
    }
    olo_entries_begin(&x->velocity_hessian, tail + 2 * x->intervals * x->controls + 1);
    visit_velocity_hessian(x);
}

static void list_hessian(const olo_reduced *x, olo_positions *to)
{
    const int T = duration_of(x);
    to->count = 0;
    for (int k = 0; k <= x->intervals; k++) {
        const int w = k * x->stride;
        for (int d = 0; d < x->dof; d++)
            for (int e = 0; e <= d; e++)
                add_position(to, w + d, w + e);
        for (int d = 0; d < x->dof * x->dof && k > 0; d++)
            add_position(to, w + d / x->dof, w - x->stride + d % x->dof);
        for (int j = 0; j < 2; j++)
            for (int d = 0; d < x->dof * x->controls && k + j >= 1 && k + j - 1 < x->intervals;
                 d++) {
                const int u = control_of(x, k + j - 1) + d % x->controls, i = w + d / x->controls;
                add_position(to, u > i ? u : i, u > i ? i : u);
            }
        for (int d = 0; d < x->dof; d++)
            add_position(to, T, w + d);
    }
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < x->intervals; k++)
            for (int c = 0; c < x->controls; c++)
                add_position(to, twice ? T : control_of(x, k) + c, control_of(x, k) + c);
    add_position(to, T, T);
    add_entries(to, &x->velocity_hessian);
}

// -- creation -------------------------------------------------------------------------------------

static bool make_positions(olo_reduced *x, void (*list)(const olo_reduced *, olo_positions *),
                           olo_positions *to)
{
    list(x, to);
    to->row = olo_pool_alloc(&x->pool, (size_t)to->count, sizeof *to->row);
    to->column = olo_pool_alloc(&x->pool, (size_t)to->count, sizeof *to->column);
    if (!to->row || !to->column)
        return false;
    list(x, to);
    return true;
}

static void set_bounds(olo_reduced *x)
{
    const olo_nlp *of = x->of;
    const int T = duration_of(x);
    for (int i = 0; i < x->nlp.variables; i++) {
        x->nlp.lower[i] = i < x->dof ? 0 : -INFINITY;
        x->nlp.upper[i] = i < x->dof ? 0 : INFINITY;
    }
    for (int k = 0; k < x->intervals; k++)
        for (int c = 0; c < x->controls; c++) {
            x->nlp.lower[control_of(x, k) + c] = of->lower[olo_redundant_controls(x->full, k) + c];
            x->nlp.upper[control_of(x, k) + c] = of->upper[olo_redundant_controls(x->full, k) + c];
        }
    x->nlp.lower[T] = of->lower[of->variables - 1];
    x->nlp.upper[T] = of->upper[of->variables - 1];
    for (int k = 0; k <= x->intervals; k++)
        for (int i = 0; i < x->path_rows; i++) {
            const int from = k * x->full_row_stride + x->n + x->m + i;
            x->nlp.row_lower[k * x->row_stride + x->dof + i] = of->row_lower[from];
            x->nlp.row_upper[k * x->row_stride + x->dof + i] = of->row_upper[from];
        }
    for (int i = 0; i < x->end_rows; i++) {
        const int from = (x->intervals + 1) * x->full_row_stride + i;
        x->nlp.row_lower[(x->intervals + 1) * x->row_stride + i] = of->row_lower[from];
        x->nlp.row_upper[(x->intervals + 1) * x->row_stride + i] = of->row_upper[from];
    }
    for (int i = 0; !olo_control_has_end_balance(x->problem) && i < x->dof; i++) {
        x->nlp.row_lower[x->intervals * x->row_stride + i] = -INFINITY;
        x->nlp.row_upper[x->intervals * x->row_stride + i] = INFINITY;
    }
}

static bool allocate_node(olo_reduced *x, node *own)
{
    const size_t size = (size_t)(x->dof * x->n);
    const olo_array arrays[] = {{&own->J, size},
                                {&own->P, size},
                                {&own->AJ[0], size},
                                {&own->AJ[1], size},
                                {&own->AJ[2], size},
                                {&own->AT, (size_t)x->n},
                                {&own->Au[0], (size_t)(x->controls * x->n)},
                                {&own->Au[1], (size_t)(x->controls * x->n)}};
    return olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
}

static bool allocate(olo_reduced *x)
{
    const olo_nlp *of = x->of;
    const size_t dof = (size_t)x->dof, n = (size_t)x->n;
    const olo_array arrays[] = {{&x->x, (size_t)of->variables},
                                {&x->g, (size_t)of->variables},
                                {&x->b, (size_t)of->rows},
                                {&x->y, (size_t)of->rows},
                                {&x->A, (size_t)of->jacobian.count},
                                {&x->H, (size_t)of->hessian.count},
                                {&x->S, dof * n},
                                {&x->DJ, dof * n},
                                {&x->Pb, dof * dof},
                                {&x->unit, dof},
                                {&x->product, dof},
                                {&x->row, n},
                                {&x->placed_at, (size_t)x->nlp.variables},
                                {&x->nlp.lower, (size_t)x->nlp.variables},
                                {&x->nlp.upper, (size_t)x->nlp.variables},
                                {&x->nlp.row_lower, (size_t)x->nlp.rows},
                                {&x->nlp.row_upper, (size_t)x->nlp.rows}};
    x->nodes = olo_pool_alloc(&x->pool, (size_t)x->intervals + 1, sizeof *x->nodes);
    bool done = x->nodes && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
    for (int k = 0; done && k <= x->intervals; k++)
        done = allocate_node(x, &x->nodes[k]);
    return done;
}

static void set_layout(olo_reduced *x)
{
    const olo_system *s = x->problem->system;
    const olo_control_problem *p = x->problem;
    x->n = s->n;
    const olo_redundant_layout full = olo_redundant_numbers(x->full);
    x->m = full.multipliers;
    x->dof = s->topology->unknowns;
    x->controls = p->controls;
    x->intervals = p->intervals;
    x->path_rows = full.path_rows;
    x->end_rows = full.end_rows;
    x->velocities = full.velocities;
    x->full_stride = full.stride;
    x->full_row_stride = full.row_stride;
    x->stride = x->dof + x->controls;
    x->row_stride = x->dof + x->path_rows;
    x->nlp.variables = duration_of(x) + 1;
    x->nlp.rows = (x->intervals + 1) * x->row_stride + x->end_rows;
}

static bool record_entries(olo_reduced *x)
{
    pass_rows(x);
    visit_velocity_hessian(x);
    const bool passed = olo_entries_complete(&x->passed, &x->pool);
    return olo_entries_complete(&x->velocity_hessian, &x->pool) && passed;
}

static olo_status build(olo_reduced *x, const double *reference, olo_error *error)
{
    const olo_topology *topology = x->problem->system->topology;
    olo_status status = OLO_OK;
    set_layout(x);
    if (topology->closure_count > 0)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the reduced transcription needs a model without loops: take redundant");
    if (!allocate(x) || !record_entries(x) || !make_positions(x, list_jacobian, &x->nlp.jacobian) ||
        !make_positions(x, list_hessian, &x->nlp.hessian))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++) {
        const double *q = reference + (size_t)k * (size_t)x->n;
        status = olo_chart_create(topology, q, &x->nodes[k].chart, error);
        if (status == OLO_OK)
            status = olo_null_form_create(topology, q, &x->nodes[k].form, error);
    }
    if (status == OLO_OK)
        set_bounds(x);
    return status;
}

olo_status olo_reduced_create(const olo_control_problem *problem, olo_redundant *full,
                              const double *reference, olo_reduced **reduced, olo_error *error)
{
    *reduced = NULL;
    olo_reduced *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    x->problem = problem;
    x->full = full;
    x->of = olo_redundant_nlp(full);
    x->nlp = (olo_nlp){.context = x,
                       .objective = objective,
                       .gradient = gradient,
                       .evaluate = evaluate,
                       .evaluate_jacobian = evaluate_jacobian,
                       .evaluate_hessian = evaluate_hessian};
    olo_status status = build(x, reference, error);
    if (status != OLO_OK) {
        olo_reduced_free(x);
        return status;
    }
    *reduced = x;
    return OLO_OK;
}

void olo_reduced_free(olo_reduced *x)
{
    if (!x)
        return;
    for (int k = 0; x->nodes && k <= x->intervals; k++) {
        olo_chart_free(x->nodes[k].chart);
        olo_null_form_free(x->nodes[k].form);
    }
    olo_free(x->passed.keys);
    olo_free(x->velocity_hessian.keys);
    olo_pool_free(&x->pool);
    olo_free(x);
}

int olo_reduced_controls(const olo_reduced *x, int interval)
{
    return control_of(x, interval);
}

bool olo_reduced_is_balance(const olo_reduced *x, int row)
{
    return row / x->row_stride <= x->intervals && row % x->row_stride < x->dof &&
           x->nlp.row_lower[row] == x->nlp.row_upper[row];
}

const olo_nlp *olo_reduced_nlp(const olo_reduced *x)
{
    return &x->nlp;
}

void olo_reduced_shrink(const olo_reduced *x, const double *full, double *at)
{
    memset(at, 0, (size_t)x->nlp.variables * sizeof *at);
    for (int k = 0; k < x->intervals; k++)
        memcpy(at + control_of(x, k), full + olo_redundant_controls(x->full, k),
               (size_t)x->controls * sizeof *at);
    memcpy(at + velocity_of(x), full + olo_redundant_end_velocity(x->full),
           (size_t)x->velocities * sizeof *at);
    at[duration_of(x)] = full[x->of->variables - 1];
}

void olo_reduced_expand(olo_reduced *x, const double *at, double *full)
{
    set_point(x, at);
    memcpy(full, x->x, (size_t)x->of->variables * sizeof *full);
}

/* eta with P eta = xi, by normal equations; then the largest pivots. */
olo_status olo_reduced_drop_implied(olo_reduced *x, const olo_conserved *conserved,
                                    olo_error *error)
{
    const size_t dof = (size_t)x->dof;
    double *eta = olo_alloc(6 * dof + dof * dof, sizeof *eta), *M = eta + 6 * dof;
    int *pivot = olo_alloc(dof, sizeof *pivot);
    node *end = &x->nodes[x->intervals];
    olo_status status = OLO_OK;
    if (!eta || !pivot)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++) {
        memset(x->product, 0, dof * sizeof *x->product);
        memcpy(x->x + olo_redundant_configuration(x->full, k),
               olo_chart_at(x->nodes[k].chart, x->product), (size_t)x->n * sizeof *x->x);
    }
    if (status == OLO_OK) {
        x->placed = false;
        set_bases(x);
        for (int i = 0; i < x->dof * x->dof; i++)
            M[i] = dot(x->n, end->P + i / x->dof * x->n, end->P + i % x->dof * x->n);
        if (!olo_lu_factor(x->dof, M, pivot))
            status = olo_fail(error, OLO_SINGULAR, "the null space of the last node is singular");
    }
    for (int k = 0; status == OLO_OK && k < conserved->count; k++) {
        olo_rigid_motion(x->problem->system, conserved->motion[k], configuration(x, x->intervals),
                         x->row);
        for (int i = 0; i < x->dof; i++)
            eta[k * x->dof + i] = dot(x->n, end->P + i * x->n, x->row);
    }
    if (status == OLO_OK)
        olo_lu_solve(x->dof, M, pivot, false, conserved->count, eta);
    for (int k = 0; status == OLO_OK && k < conserved->count; k++) {
        double *own = eta + k * x->dof;
        int best = 0;
        for (int i = 1; i < x->dof; i++)
            if (fabs(own[i]) > fabs(own[best]))
                best = i;
        x->nlp.row_lower[x->intervals * x->row_stride + best] = -INFINITY;
        x->nlp.row_upper[x->intervals * x->row_stride + best] = INFINITY;
        for (int l = k + 1; l < conserved->count; l++) {
            double *other = eta + l * x->dof;
            const double factor = own[best] != 0 ? other[best] / own[best] : 0;
            for (int i = 0; i < x->dof; i++)
                other[i] -= factor * own[i];
        }
    }
    olo_free(eta);
    olo_free(pivot);
    return status;
}

void olo_reduced_describe(const olo_reduced *x, int row, double duration, char *text, size_t size)
{
    const int k = row / x->row_stride, local = row % x->row_stride;
    const olo_topology *topology = x->problem->system->topology;
    int full = row - (x->intervals + 1) * x->row_stride +
               (x->intervals + 1) * x->full_row_stride; /* a condition at the end */
    if (k <= x->intervals && local >= x->dof)
        full = k * x->full_row_stride + x->n + x->m + local - x->dof;
    for (int i = 0; k <= x->intervals && local < x->dof && i < x->problem->system->node_count; i++)
        if (local >= topology->nodes[i].u && local < topology->nodes[i].u + topology->nodes[i].dof)
            full = k * x->full_row_stride + x->problem->system->nodes[i].q;
    olo_redundant_describe(x->full, full, duration, text, size);
}
