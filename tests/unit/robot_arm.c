/* The robot arm of the sheet on uncertainty, rods and gait (section 7.1): the tabulated increments
 * and torques satisfy the discrete equations, from rest to rest, and lead to the target. One
 * increment is 1.596 rad: a run of the model may take another way there, these equations do not. */
#include "scene.h"

#include "control/reduced.h"
#include "kinematics/chart.h"
#include "linalg/vec3.h"

enum { STEPS = 15 };

#define S "0.70710678118654752440"

static const char arm[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: cylinder, mass: 5, inertia: [0.003125 + 1.25/3, 0.003125 + 1.25/3, 0.00625],\n"
    "     position: [0, -0.5*" S ", 0.5*" S "], rotation: {axis: [1, 0, 0], angle: pi/4}}\n"
    "  - {name: cone, mass: 10, inertia: [0.00375 + 0.135, 0.00375 + 0.135, 0.0075],\n"
    "     position: [0, -1.15*" S ", 1.15*" S "], rotation: {axis: [1, 0, 0], angle: pi/4}}\n"
    "joints:\n"
    "  - {name: shoulder, between: [ground, cylinder], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  - {name: elbow, between: [cylinder, cone], at: [0, -" S ", " S "], axis: [1, 0, 0]}\n"
    "loads:\n"
    "  - {name: s1, on: cylinder, moment: [1, 0, 0], time: 0}\n"
    "  - {name: e1, on: cylinder, moment: [1, 0, 0], time: 0}\n"
    "  - {name: r1, on: cone, moment: [1, 0, 0], time: 0}\n";

/* Increments of cone and cylinder, torques in elbow and shoulder. */
static const double table[STEPS][4] = {{1.20669984, -0.14139954, -15.297214, -120},
                                       {1.59592784, 0.03868371, 22.368482, -99.152959},
                                       {0.30436111, -0.01606078, -0.175602, -76.551729},
                                       {-0.08176813, -0.06039969, -5.352692, -57.720866},
                                       {-0.17441825, -0.06155236, -6.492253, -45.003009},
                                       {-0.11583077, -0.03972930, -5.204678, -37.200558},
                                       {-0.03273554, -0.01218061, -3.541542, -33.348663},
                                       {0.02151988, 0.01333506, -2.821863, -32.887935},
                                       {0.06047652, 0.03716268, -3.539981, -35.695131},
                                       {0.11749417, 0.06166796, -5.602710, -42.038686},
                                       {0.18385375, 0.08371671, -7.950637, -52.624784},
                                       {0.14545973, 0.08674122, -7.914602, -68.642982},
                                       {-0.20885451, 0.04169926, -2.321488, -91.568263},
                                       {-1.01730735, -0.04304851, 5.734419, -120},
                                       {-0.43383040, 0.01099075, -20.198143, -120}};

typedef struct bench {
    scene s;
    olo_problem problem;
    olo_problem_control controls[3];
    olo_control_problem *resolved;
    olo_chart *chart;
    olo_redundant *full;
    olo_reduced *reduced;
    const olo_nlp *nlp;
    double *q;              /* configurations of the table */
    double *x, *c, *full_x; /* variables and rows; variables of the redundant transcription */
    int stride, row_stride;
} bench;

/* The configurations of the table; `more` is added to an increment of the cone. */
static void follow_table(bench *b, double more)
{
    const int cylinder = b->s.system->topology->nodes[0].u,
              cone = b->s.system->topology->nodes[1].u;
    double angles[2] = {0, 0}; /* of cone and cylinder in space */
    for (int k = 0; k <= STEPS; k++) {
        double u[2];
        u[cylinder] = angles[1];
        u[cone] = angles[0] - angles[1];
        memcpy(b->q + (size_t)(k * b->s.system->n), olo_chart_at(b->chart, u),
               (size_t)b->s.system->n * sizeof *b->q);
        for (int i = 0; k < STEPS && i < 2; i++)
            angles[i] += table[k][i] + (k == 7 && i == 0 ? more : 0);
    }
}

static void open_bench(bench *b, double more)
{
    *b = (bench){.s = scene_open(arm, NULL), .problem = olo_problem_default()};
    const olo_system *s = b->s.system;
    olo_error error = {0};
    olo_problem_entry at;
    const char *const names[] = {"s1", "e1", "r1"};
    for (int i = 0; i < 3; i++) {
        b->controls[i] = olo_problem_control_default();
        b->controls[i].name = names[i];
    }
    b->controls[2].follows = "e1";
    b->controls[2].factor = -1;
    b->problem.controls = b->controls;
    b->problem.control_count = 3;
    b->problem.intervals = STEPS;
    b->problem.duration = 1.5;
    b->q = calloc((size_t)((STEPS + 1) * s->n), sizeof *b->q);
    check_ok(olo_chart_create(s->topology, b->s.state->q, &b->chart, &error), &error);
    follow_table(b, more);
    check_ok(olo_control_problem_create(s, &b->problem, &b->resolved, &at, &error), &error);
    check_ok(olo_redundant_create(b->resolved, b->s.state, b->q, true, &b->full, &error), &error);
    check_ok(olo_reduced_create(b->resolved, b->full, b->q, &b->reduced, &error), &error);
    b->nlp = olo_reduced_nlp(b->reduced);
    b->stride = olo_reduced_controls(b->reduced, 1) - olo_reduced_controls(b->reduced, 0);
    b->row_stride = 2;
    b->x = calloc((size_t)b->nlp->variables, sizeof *b->x);
    b->c = calloc((size_t)b->nlp->rows, sizeof *b->c);
    b->full_x = calloc((size_t)olo_redundant_nlp(b->full)->variables, sizeof *b->full_x);
    olo_redundant_start(b->full, b->full_x);
    olo_reduced_shrink(b->reduced, b->full_x, b->x);
    for (int k = 0; k < STEPS; k++) {
        b->x[olo_reduced_controls(b->reduced, k)] = table[k][3];
        b->x[olo_reduced_controls(b->reduced, k) + 1] = table[k][2];
    }
}

static void close_bench(bench *b)
{
    olo_reduced_free(b->reduced);
    olo_redundant_free(b->full);
    olo_control_problem_free(b->resolved);
    olo_chart_free(b->chart);
    double *const all[] = {b->q, b->x, b->c, b->full_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    scene_close(&b->s);
}

static double largest_residual(bench *b)
{
    double largest = 0;
    b->nlp->evaluate(b->nlp->context, b->x, b->c);
    check_equal((STEPS + 1) * b->row_stride, b->nlp->rows);
    for (int i = 0; i < b->nlp->rows; i++)
        largest = fabs(b->c[i]) > largest ? fabs(b->c[i]) : largest;
    return largest;
}

/* The digits of the table leave 5e-9 rad in every angle. With I = 16 kg m^2 about the shoulder and
 * h = 0.1 s, momenta of I 5e-9/h at each end of an interval: 4e-6 in all. The torques leave 5e-8.
 */
TEST(r3_the_table_satisfies_the_discrete_equations_from_rest_to_rest)
{
    bench b;
    open_bench(&b, 0);
    check_below(largest_residual(&b), 4e-6);
    close_bench(&b);
    open_bench(&b, 1e-4);
    check_true(largest_residual(&b) > 1e-4);
    close_bench(&b);
}

/* Solves the balance of node k for the coordinates of node k + 1 by Newton's method. */
static void step(bench *b, int k)
{
    double *values = calloc((size_t)b->nlp->jacobian.count, sizeof *values);
    for (int iteration = 0; iteration < 6; iteration++) {
        double A[2][2] = {{0}};
        b->nlp->evaluate(b->nlp->context, b->x, b->c);
        b->nlp->evaluate_jacobian(b->nlp->context, b->x, values);
        for (int e = 0; e < b->nlp->jacobian.count; e++) {
            const int row = b->nlp->jacobian.row[e] - k * b->row_stride,
                      column = b->nlp->jacobian.column[e] - (k + 1) * b->stride;
            if (row >= 0 && row < 2 && column >= 0 && column < 2)
                A[row][column] += values[e];
        }
        const double *c = b->c + k * b->row_stride, det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
        b->x[(k + 1) * b->stride] -= (A[1][1] * c[0] - A[0][1] * c[1]) / det;
        b->x[(k + 1) * b->stride + 1] -= (A[0][0] * c[1] - A[1][0] * c[0]) / det;
    }
    free(values);
}

TEST(r3_torques_of_the_table_lead_to_the_target_from_its_increments)
{
    bench b;
    open_bench(&b, 0);
    for (int k = 0; k < STEPS; k++)
        step(&b, k);
    olo_reduced_expand(b.reduced, b.x, b.full_x);
    /* the point at 0.45 on the axis of the cone */
    const double *cone = b.full_x + olo_redundant_configuration(b.full, STEPS) + 12;
    const double target[3] = {0, -1.131, 0.283};
    for (int i = 0; i < 3; i++)
        check_close(target[i], cone[i] + 0.45 * cone[9 + i], 1e-5);
    for (int k = 1; k <= STEPS; k++)
        for (int i = 0; i < 2; i++)
            check_below(fabs(b.x[k * b.stride + i]), 1e-5);
    close_bench(&b);
}

TEST_MAIN(cmocka_unit_test(r3_the_table_satisfies_the_discrete_equations_from_rest_to_rest),
          cmocka_unit_test(r3_torques_of_the_table_lead_to_the_target_from_its_increments))
