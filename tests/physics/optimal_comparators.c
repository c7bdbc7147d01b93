/* Other transcriptions of the two-link pendulum in its absolute angles, over the same solver (sheet
 * on variational integrators and DMOCC, 2.16, 3.6, O2 and O3): DMOC in generalised coordinates,
 * DMOCC written in angles, and collocation at midpoints on (q, p) and on (q, v).
 *
 * A method gives four residuals of an interval as functions of the state at its start, the torques,
 * and the state at its end, in the order of the variables. Derivatives are those of second-order
 * jets. The residuals of interval k are added to the rows from `rows` k on: with two rows per
 * interval those of neighbours overlap, and the rows are balances at nodes. */
#include "test.h"

#include "control/presolve.h"
#include "control/solver.h"

static const double pi = 3.14159265358979323846, g = 9.81;

/* Kinetic energy A/2 w1^2 + B/2 w2^2 + 1/2 cos(th1 - th2) w1 w2 and potential energy
 * g (3/2 sin th1 + 1/2 sin th2) of two links of mass and length 1 with inertia 1/12. */
static const double A = 4.0 / 3, B = 1.0 / 3;

// -- jets: value, gradient and Hessian ------------------------------------------------------------

enum { V = 10, VV = V * (V + 1) / 2 }; /* variables of an interval; packed lower triangle */

typedef struct jet {
    double v, g[V], h[VV];
} jet;

static jet variable(double value, int i)
{
    jet x = {.v = value};
    x.g[i] = 1;
    return x;
}

/* a x + b y */
static jet sum(double a, jet x, double b, jet y)
{
    x.v = a * x.v + b * y.v;
    for (int i = 0; i < V; i++)
        x.g[i] = a * x.g[i] + b * y.g[i];
    for (int i = 0; i < VV; i++)
        x.h[i] = a * x.h[i] + b * y.h[i];
    return x;
}

static jet times(double a, jet x)
{
    return sum(a, x, 0, x);
}

static jet product(jet x, jet y)
{
    jet z = sum(y.v, x, x.v, y);
    z.v = x.v * y.v;
    for (int i = 0, at = 0; i < V; i++)
        for (int j = 0; j <= i; j++, at++)
            z.h[at] += x.g[i] * y.g[j] + x.g[j] * y.g[i];
    return z;
}

/* f(x) with f' and f'' */
static jet chain(jet x, double f, double f1, double f2)
{
    jet z = times(f1, x);
    z.v = f;
    for (int i = 0, at = 0; i < V; i++)
        for (int j = 0; j <= i; j++, at++)
            z.h[at] += f2 * x.g[i] * x.g[j];
    return z;
}

static jet sine(jet x)
{
    return chain(x, sin(x.v), cos(x.v), -sin(x.v));
}

static jet cosine(jet x)
{
    return chain(x, cos(x.v), -sin(x.v), -cos(x.v));
}

// -- methods --------------------------------------------------------------------------------------

/* dL/dtheta and dL/domega of the continuous Lagrangian */
static void lagrangian(const jet th[2], const jet w[2], jet by_th[2], jet by_w[2])
{
    const jet apart = sum(1, th[0], -1, th[1]), c = cosine(apart);
    const jet turn = times(0.5, product(sine(apart), product(w[0], w[1])));
    by_th[0] = sum(-1, turn, -1.5 * g, cosine(th[0]));
    by_th[1] = sum(1, turn, -0.5 * g, cosine(th[1]));
    by_w[0] = sum(A, w[0], 0.5, product(c, w[1]));
    by_w[1] = sum(B, w[1], 0.5, product(c, w[0]));
}

/* The torques at base and elbow in absolute angles. */
static void forces(const jet tau[2], jet f[2])
{
    f[0] = sum(1, tau[0], -1, tau[1]);
    f[1] = tau[1];
}

static void midpoint(double h, const jet *x, const jet *y, jet mean[2], jet rate[2])
{
    for (int i = 0; i < 2; i++) {
        mean[i] = sum(0.5, x[i], 0.5, y[i]);
        rate[i] = sum(1 / h, y[i], -1 / h, x[i]);
    }
}

/* L_d = h L(mean, rate): D1 L_d + f^- and D2 L_d + f^+ */
static void dmoc(double h, const jet *at, jet r[4])
{
    jet th[2], w[2], by_th[2], by_w[2], f[2];
    midpoint(h, at, at + 4, th, w);
    lagrangian(th, w, by_th, by_w);
    forces(at + 2, f);
    for (int i = 0; i < 2; i++) {
        const jet half = sum(0.5 * h, by_th[i], 0.5 * h, f[i]);
        r[i] = sum(1, half, -1, by_w[i]);
        r[2 + i] = sum(1, half, 1, by_w[i]);
    }
}

/* L_d = 1/h [A (1 - cos dth1) + B (1 - cos dth2)] + 1/(2h) de1.de2 - h/2 (V(q0) + V(q1)) with
 * e = (cos, sin): the discrete Lagrangian of directors */
static void dmocc(double h, const jet *at, jet r[4])
{
    const jet *a = at, *b = at + 4;
    const double inertia[2] = {A, B}, weight[2] = {1.5 * g, 0.5 * g};
    jet f[2];
    forces(at + 2, f);
    /* sines of th1 - th2 with either angle at either end */
    const jet aa = sine(sum(1, a[0], -1, a[1])), ab = sine(sum(1, a[0], -1, b[1]));
    const jet ba = sine(sum(1, b[0], -1, a[1])), bb = sine(sum(1, b[0], -1, b[1]));
    r[0] = sum(1, ab, -1, aa);
    r[1] = sum(1, aa, -1, ba);
    r[2] = sum(1, ba, -1, bb);
    r[3] = sum(1, bb, -1, ab);
    for (int i = 0; i < 4; i++) {
        const jet *end = i < 2 ? a : b;
        const int k = i % 2;
        const jet turn = sine(sum(1, b[k], -1, a[k]));
        r[i] = sum(0.5 / h, r[i], (i < 2 ? -1 : 1) * inertia[k] / h, turn);
        r[i] = sum(1, r[i], -0.5 * h * weight[k], cosine(end[k]));
        r[i] = sum(1, r[i], 0.5 * h, f[k]);
    }
}

/* Midpoint rule of Hamilton's equations: dL/domega = mean of p, dp/h = dL/dtheta + f */
static void collocation_qp(double h, const jet *at, jet r[4])
{
    jet th[2], w[2], p[2], dp[2], by_th[2], by_w[2], f[2];
    midpoint(h, at, at + 6, th, w);
    midpoint(h, at + 2, at + 8, p, dp);
    lagrangian(th, w, by_th, by_w);
    forces(at + 4, f);
    for (int i = 0; i < 2; i++) {
        r[i] = sum(1, by_w[i], -1, p[i]);
        r[2 + i] = sum(1, dp[i], -1, sum(1, by_th[i], 1, f[i]));
    }
}

/* Midpoint rule of dtheta/dt = v, M dv/dt = f - (gravity and centrifugal forces) */
static void collocation_qv(double h, const jet *at, jet r[4])
{
    jet th[2], w[2], v[2], dv[2], f[2];
    midpoint(h, at, at + 6, th, w);
    midpoint(h, at + 2, at + 8, v, dv);
    forces(at + 4, f);
    const jet apart = sum(1, th[0], -1, th[1]), c = times(0.5, cosine(apart)),
              s = times(0.5, sine(apart));
    for (int i = 0; i < 2; i++) {
        const jet *own = &v[i], *other = &v[1 - i];
        const jet inertia = sum(i ? B : A, dv[i], 1, product(c, dv[1 - i]));
        const jet turn = product(s, product(*other, *other));
        const jet moment = sum(i ? -1 : 1, turn, (i ? 0.5 : 1.5) * g, cosine(th[i]));
        r[i] = sum(1, w[i], -1, *own);
        r[2 + i] = sum(1, sum(1, inertia, 1, moment), -1, f[i]);
    }
}

typedef struct method {
    void (*residual)(double h, const jet *at, jet r[4]);
    int state; /* variables of a node: angles, or angles with momenta or velocities */
    int rows;  /* of an interval */
} method;

static const method DMOC = {dmoc, 2, 2}, DMOCC = {dmocc, 2, 2}, QP = {collocation_qp, 4, 4},
                    QV = {collocation_qv, 4, 4};

// -- the programme --------------------------------------------------------------------------------

typedef struct planar {
    method by;
    int intervals, stride, local; /* variables of a node with its torques, and of an interval */
    double h;
    olo_nlp nlp;
    double *x; /* the solution */
    double cost;
} planar;

static double objective(void *context, const double *x)
{
    const planar *p = context;
    double total = 0;
    for (int k = 0; k < p->intervals; k++)
        for (int i = 0; i < 2; i++) {
            const double tau = x[k * p->stride + p->by.state + i];
            total += 0.5 * p->h * tau * tau;
        }
    return total;
}

static void gradient(void *context, const double *x, double *out)
{
    const planar *p = context;
    memset(out, 0, (size_t)p->nlp.variables * sizeof *out);
    for (int k = 0; k < p->intervals; k++)
        for (int i = 0; i < 2; i++) {
            const int at = k * p->stride + p->by.state + i;
            out[at] = p->h * x[at];
        }
}

static void residuals(const planar *p, const double *x, int k, jet r[4])
{
    jet at[V];
    for (int i = 0; i < p->local; i++)
        at[i] = variable(x[k * p->stride + i], i);
    p->by.residual(p->h, at, r);
}

static void evaluate(void *context, const double *x, double *c)
{
    const planar *p = context;
    memset(c, 0, (size_t)p->nlp.rows * sizeof *c);
    for (int k = 0; k < p->intervals; k++) {
        jet r[4];
        residuals(p, x, k, r);
        for (int i = 0; i < 4; i++)
            c[k * p->by.rows + i] += r[i].v;
    }
}

static void evaluate_jacobian(void *context, const double *x, double *values)
{
    const planar *p = context;
    for (int k = 0; k < p->intervals; k++) {
        jet r[4];
        residuals(p, x, k, r);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < p->local; j++)
                *values++ = r[i].g[j];
    }
}

static void evaluate_hessian(void *context, const double *x, double sigma, const double *y,
                             double *values)
{
    const planar *p = context;
    for (int k = 0; k < p->intervals; k++) {
        jet r[4];
        residuals(p, x, k, r);
        for (int i = 0, at = 0; i < p->local; i++)
            for (int j = 0; j <= i; j++, at++) {
                const bool torque = i == j && i >= p->by.state && i < p->by.state + 2;
                *values = torque ? sigma * p->h : 0;
                for (int row = 0; row < 4; row++)
                    *values += y[k * p->by.rows + row] * r[row].h[at];
                values++;
            }
    }
}

static void *array(int count, size_t size)
{
    void *made = test_calloc((size_t)count, size);
    check_true(made != NULL);
    return made;
}

static olo_positions positions(int count)
{
    return (olo_positions){
        .count = count, .row = array(count, sizeof(int)), .column = array(count, sizeof(int))};
}

static void list_positions(planar *p)
{
    const int own = p->local * (p->local + 1) / 2;
    p->nlp.jacobian = positions(p->intervals * 4 * p->local);
    p->nlp.hessian = positions(p->intervals * own);
    for (int e = 0; e < p->nlp.jacobian.count; e++) {
        const int k = e / (4 * p->local), i = e / p->local % 4, j = e % p->local;
        p->nlp.jacobian.row[e] = k * p->by.rows + i;
        p->nlp.jacobian.column[e] = k * p->stride + j;
    }
    for (int k = 0, e = 0; k < p->intervals; k++)
        for (int i = 0; i < p->local; i++)
            for (int j = 0; j <= i; j++, e++) {
                p->nlp.hessian.row[e] = k * p->stride + i;
                p->nlp.hessian.column[e] = k * p->stride + j;
            }
}

/* From rest at (-pi/2, -pi/2) to rest at (pi/2, pi/2): states at both ends are given; balances at
 * nodes include the momenta zero at the ends. */
static planar open_planar(method by, int intervals)
{
    planar p = {.by = by, .intervals = intervals, .h = 1.0 / intervals};
    p.stride = by.state + 2;
    p.local = 2 * by.state + 2;
    p.nlp = (olo_nlp){.variables = intervals * p.stride + by.state,
                      .rows = (intervals - 1) * by.rows + 4,
                      .objective = objective,
                      .gradient = gradient,
                      .evaluate = evaluate,
                      .evaluate_jacobian = evaluate_jacobian,
                      .evaluate_hessian = evaluate_hessian};
    p.nlp.lower = array(p.nlp.variables, sizeof(double));
    p.nlp.upper = array(p.nlp.variables, sizeof(double));
    p.nlp.row_lower = array(p.nlp.rows, sizeof(double));
    p.nlp.row_upper = array(p.nlp.rows, sizeof(double));
    p.x = array(p.nlp.variables, sizeof(double));
    for (int i = 0; i < p.nlp.variables; i++) {
        p.nlp.lower[i] = -INFINITY;
        p.nlp.upper[i] = INFINITY;
    }
    for (int i = 0; i < by.state; i++) {
        const int last = intervals * p.stride + i;
        p.nlp.lower[i] = p.nlp.upper[i] = i < 2 ? -0.5 * pi : 0;
        p.nlp.lower[last] = p.nlp.upper[last] = i < 2 ? 0.5 * pi : 0;
    }
    list_positions(&p);
    return p;
}

static void close_planar(planar *p)
{
    void *const made[] = {
        p->nlp.lower,        p->nlp.upper,           p->nlp.row_lower,   p->nlp.row_upper,     p->x,
        p->nlp.jacobian.row, p->nlp.jacobian.column, p->nlp.hessian.row, p->nlp.hessian.column};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        test_free(made[i]);
}

/* The guess: straight lines, or the restriction of a finer solution of the same method. */
static void guess(planar *p, const planar *fine)
{
    for (int k = 0; k <= p->intervals; k++)
        for (int i = 0; i < p->stride; i++) {
            const int at = k * p->stride + i;
            if (at >= p->nlp.variables)
                break;
            if (fine)
                p->x[at] = fine->x[k * (fine->intervals / p->intervals) * p->stride + i];
            else if (i < 2)
                p->x[at] = pi * ((double)k / p->intervals - 0.5);
        }
}

static void solve(planar *p, const planar *fine)
{
    olo_error error = {0};
    olo_presolve *presolve = NULL;
    p->nlp.context = p;
    guess(p, fine);
    check_ok(olo_presolve_create(&p->nlp, &presolve, &error), &error);
    const olo_nlp *small = olo_presolve_nlp(presolve);
    olo_nlp_point point = {.x = array(small->variables, sizeof(double)),
                           .y = array(small->rows, sizeof(double)),
                           .z_lower = array(small->variables, sizeof(double)),
                           .z_upper = array(small->variables, sizeof(double))};
    const olo_solver_options options = {
        .linear_solver = "mumps", .tolerance = 1e-10, .iterations = 500};
    olo_solve_report report;
    olo_presolve_shrink(presolve, p->x, point.x);
    check_ok(olo_solver_solve(small, &options, &point, &report, &error), &error);
    check_equal(OLO_SOLVED, report.solved);
    olo_presolve_expand(presolve, point.x, p->x);
    p->cost = objective(p, p->x);
    test_free(point.x);
    test_free(point.y);
    test_free(point.z_lower);
    test_free(point.z_upper);
    olo_presolve_free(presolve);
}

// -- what is compared -----------------------------------------------------------------------------

static const double *node(const planar *p, int k)
{
    return p->x + k * p->stride;
}

static const double *torques(const planar *p, int k)
{
    return node(p, k) + p->by.state;
}

/* Largest differences of angles at the nodes, and of torques from the mean of the two fine values
 * around the middle of an interval. */
static void compare(const planar *p, const planar *fine, double *angle, double *torque)
{
    const int ratio = fine->intervals / p->intervals;
    *angle = *torque = 0;
    for (int k = 0; k <= p->intervals; k++)
        for (int i = 0; i < 2; i++)
            *angle = larger(*angle, fabs(node(p, k)[i] - node(fine, k * ratio)[i]));
    for (int k = 0; ratio > 1 && k < p->intervals; k++)
        for (int i = 0; i < 2; i++) {
            const int middle = k * ratio + ratio / 2;
            const double mean = 0.5 * (torques(fine, middle - 1)[i] + torques(fine, middle)[i]);
            *torque = larger(*torque, fabs(torques(p, k)[i] - mean));
        }
}

/* The moment of gravity about the base. */
static double moment(const double *th)
{
    return -g * (1.5 * cos(th[0]) + 0.5 * cos(th[1]));
}

/* Angular momentum about the base at node k: from the discrete Legendre transform of the interval
 * after it, -D1 L_d - f^-, that of the variables p, or that of the velocities. */
static double momentum(const planar *p, int k)
{
    const double *x = node(p, k);
    if (p->by.residual == QP.residual)
        return x[2] + x[3];
    if (p->by.residual == QV.residual)
        return A * x[2] + B * x[3] + 0.5 * cos(x[0] - x[1]) * (x[2] + x[3]);
    jet r[4];
    residuals(p, p->x, k, r);
    return -(r[0].v + r[1].v);
}

/* Largest |L_k+1 - L_k - h tau_1 - h moment of gravity|, O3 */
static double momentum_defect(const planar *p)
{
    double largest = 0;
    for (int k = 0; k < p->intervals - 1; k++) {
        const double *a = node(p, k), *b = node(p, k + 1);
        const double middle[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
        const double gravity =
            p->by.residual == DMOCC.residual ? 0.5 * (moment(a) + moment(b)) : moment(middle);
        largest = larger(largest, fabs(momentum(p, k + 1) - momentum(p, k) -
                                       p->h * (torques(p, k)[0] + gravity)));
    }
    return largest;
}

/* Ipopt is optional when the library is built. */
static void skip_without_solver(void)
{
    if (!olo_solver_available())
        skip();
}

/* O2: cost, errors of angles and torques with 512 (first), 256, ..., 16 intervals. To the digits
 * shown, but 1.76e-3 and 1.52e-4 are 1.7548e-3 and 1.5146e-4 here. */
static const int sizes[] = {512, 256, 128, 64, 32, 16};
static const double dmoc_table[][3] = {{80.3805573848, 0, 0},
                                       {80.3851428633, 9.02e-5, 1.76e-3},
                                       {80.4034972508, 4.52e-4, 8.81e-3},
                                       {80.4771142324, 1.90e-3, 3.93e-2},
                                       {80.7766831548, 7.90e-3, 1.63e-1},
                                       {82.2331907512, 5.15e-2, 1.55}};
static const double dmocc_table[][3] = {{80.3761515306, 0, 0},
                                        {80.3675194997, 1.52e-4, 2.09e-3},
                                        {80.3330046173, 7.57e-4, 1.09e-2},
                                        {80.1951547603, 3.19e-3, 4.54e-2},
                                        {79.6491828634, 1.28e-2, 2.37e-1},
                                        {77.6962566639, 4.03e-2, 1.79}};
static const double apart_table[] = {7.16e-5, 2.87e-4, 1.15e-3, 4.60e-3, 1.84e-2, 7.12e-2};

static void solve_table(method by, const double table[][3], planar found[6])
{
    double errors[6][3] = {0};
    for (int i = 0; i < 6; i++) {
        found[i] = open_planar(by, sizes[i]);
        solve(&found[i], i > 0 ? &found[0] : NULL);
        check_close(table[i][0], found[i].cost, 1e-9);
        check_below(momentum_defect(&found[i]), 1e-12);
        compare(&found[i], &found[0], &errors[i][1], &errors[i][2]);
        errors[i][0] = fabs(found[i].cost - found[0].cost);
        for (int j = 1; i > 0 && j < 3; j++)
            check_digits(table[i][j], errors[i][j], 3);
    }
    /* order 2 of the cost, the angles and the torques between 32 and 128 intervals */
    for (int j = 0; j < 3; j++)
        check_close(2.15, 0.5 * log2(errors[4][j] / errors[2][j]), 0.25);
}

TEST(o2_dmoc_has_the_table_of_the_sheet_and_dmocc_approaches_it)
{
    skip_without_solver();
    planar dmoc_found[6], dmocc_found[6];
    solve_table(DMOC, dmoc_table, dmoc_found);
    solve_table(DMOCC, dmocc_table, dmocc_found);
    double apart[6], torque;
    for (int i = 0; i < 6; i++) {
        compare(&dmoc_found[i], &dmocc_found[i], &apart[i], &torque);
        check_digits(apart_table[i], apart[i], 3);
        close_planar(&dmoc_found[i]);
        close_planar(&dmocc_found[i]);
    }
    check_close(2, 0.5 * log2(apart[4] / apart[2]), 0.05);
}

TEST(o3_collocation_on_q_and_p_is_dmoc)
{
    skip_without_solver();
    planar qp = open_planar(QP, 64), one = open_planar(DMOC, 64);
    double angle, torque = 0;
    solve(&one, NULL);
    solve(&qp, NULL);
    compare(&qp, &one, &angle, &torque);
    check_close(one.cost, qp.cost, 1e-9);
    check_below(angle, 1e-8);
    for (int k = 0; k < 64; k++)
        for (int i = 0; i < 2; i++)
            torque = larger(torque, fabs(torques(&qp, k)[i] - torques(&one, k)[i]));
    check_below(torque, 1e-7);
    check_below(momentum_defect(&qp), 1e-12);
    close_planar(&qp);
    close_planar(&one);
}

TEST(o3_collocation_on_q_and_v_does_not_balance_momentum)
{
    skip_without_solver();
    planar qv = open_planar(QV, 32);
    solve(&qv, NULL);
    const double defect = momentum_defect(&qv);
    check_true(defect > 1e-3 && defect < 1e-1);
    close_planar(&qv);
}

TEST_MAIN(cmocka_unit_test(o2_dmoc_has_the_table_of_the_sheet_and_dmocc_approaches_it),
          cmocka_unit_test(o3_collocation_on_q_and_p_is_dmoc),
          cmocka_unit_test(o3_collocation_on_q_and_v_does_not_balance_momentum))
