/* Models of the catalogue with optimal control: the arm with six hinges, the load below a
 * quadcopter, which feedback leads to its end although it is heavier than the plan knows, and the
 * optimum of the robot arm in the sheet on uncertainty, rods and gait (7.1) in the interval kernel.
 */
#include "optimal_task.h"

#include <time.h>

#include "linalg/vec3.h"
#include "oloid/feedback.h"
#include "oloid/interval.h"

static olo_optimum *solve(const scene *s, int intervals)
{
    olo_problem problem = *olo_model_problem(s->model);
    olo_certificate certificate;
    olo_error error = {0};
    if (intervals > 0)
        problem.intervals = intervals;
    olo_optimum *optimum = optimum_of(s->system, &problem);
    check_ok(olo_optimum_certify(optimum, &certificate, &error), &error);
    check_true(certificate.minimum);
    return optimum;
}

/* The processor time of one core, which other processes do not change. */
static void check_time(const char *model, int intervals, double most)
{
    scene s = scene_open(model, NULL);
    const clock_t start = clock();
    olo_optimum *optimum = solve(&s, 0);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check_equal(intervals, olo_optimum_intervals(optimum));
    print_message("%s: %d intervals, %d iterations, %.2f s\n", model,
                  olo_optimum_intervals(optimum), olo_optimum_iterations(optimum), seconds);
    check_below(seconds, most);
    olo_optimum_free(optimum);
    scene_close(&s);
}

TEST(arm_with_200_intervals_needs_less_than_ten_seconds)
{
    skip_without_solver();
    check_time("robot-6r-reach", 200, 10);
}

TEST(linkage_and_flexible_arm_with_100_intervals_need_less_than_a_minute)
{
    skip_without_solver();
    check_time("driven-linkage", 100, 60);
    check_time("flexible-arm", 100, 60);
}

static const double *position(const scene *s, const double *q, const char *body)
{
    for (int i = 0; i < s->system->node_count; i++)
        if (strcmp(s->system->nodes[i].name, body) == 0)
            return q + s->system->nodes[i].q;
    return NULL;
}

/* The distance of the load from the end of the plan, which a gust of the initial velocity disturbs;
 * feedback NULL: without. */
static double fly(const olo_optimum *optimum, const olo_feedback *feedback, double gust)
{
    scene s = scene_open("quadcopter-swing", NULL);
    olo_error error = {0};
    olo_run run = *olo_model_run(s.model);
    const int N = olo_optimum_intervals(optimum);
    double square = 0, *v = calloc((size_t)s.system->n, sizeof *v);
    run.step = run.end / N;
    for (int i = 0; i < s.system->node_count; i++)
        v[s.system->nodes[i].q + 1] = gust;
    olo_state_set_velocity(s.state, v);
    free(v);
    if (feedback) {
        check_ok(olo_feedback_simulate(feedback, s.system, &run, s.state, NULL, 0, NULL, &error),
                 &error);
    } else {
        for (int k = 0; k < N; k++) {
            for (int i = 0; i < olo_optimum_input_count(optimum); i++)
                check_ok(olo_stepper_set_control(s.stepper, olo_optimum_input_name(optimum, i),
                                                 olo_optimum_input(optimum, i, k), &error),
                         &error);
            check_ok(olo_stepper_step(s.stepper, s.state, run.step, &error), &error);
        }
    }
    const double *end = position(&s, olo_optimum_configuration(optimum, N), "parcel"),
                 *x = position(&s, s.state->q, "parcel");
    for (int i = 0; i < 3; i++)
        square += (x[i] - end[i]) * (x[i] - end[i]);
    scene_close(&s);
    return sqrt(square);
}

/* At the end the load hangs 0.83 m below the machine, at rest. A gust moves both sideways. */
TEST(feedback_leads_a_load_below_a_quadcopter_to_its_end)
{
    skip_without_solver();
    scene s = scene_open("quadcopter-swing", NULL);
    olo_optimum *optimum = solve(&s, 30);
    const double *q = olo_optimum_configuration(optimum, 30);
    const double wanted[2][3] = {{2, 0.5, 1}, {2, 0.5, 0.17}};
    for (int i = 0; i < 6; i++)
        check_close(wanted[i / 3][i % 3], position(&s, q, i < 3 ? "copter" : "parcel")[i % 3],
                    1e-8);
    olo_problem_feedback w = olo_problem_feedback_default();
    w.position = w.velocity = w.end_position = w.end_velocity = 100;
    olo_feedback *feedback;
    olo_error error = {0};
    check_ok(olo_feedback_create(optimum, &w, &feedback, &error), &error);
    check_below(fly(optimum, feedback, 0), 1e-6);
    const double open = fly(optimum, NULL, 0.3), closed = fly(optimum, feedback, 0.3);
    print_message("a gust of 0.3 m/s: %.3g m without feedback, %.3g m with it\n", open, closed);
    check_true(open > 0.3);
    check_below(closed, 0.05 * open);
    olo_feedback_free(feedback);
    olo_optimum_free(optimum);
    scene_close(&s);
}

/* Increments of cone and cylinder, torques in elbow and shoulder, to the digits of the sheet. */
enum { ARM = 15 };
static const double arm_table[ARM][4] = {{1.20669984, -0.14139954, -15.297214, -120},
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

/* Position and directors of a body whose axis is turned from the vertical about x. */
static void put_body(double *q, const double base[3], double along, double angle)
{
    const double d[9] = {1, 0, 0, 0, cos(angle), sin(angle), 0, -sin(angle), cos(angle)};
    vec3_copy(base, q);
    vec3_add(along, d + 6, q);
    memcpy(q + 3, d, sizeof d);
}

/* The balances of all nodes, 24 numbers each: both ends of every interval, with torques that are
 * `more` than those of the table in one interval. */
static void add_arm_balances(const scene *s, const double *q, int other, double more,
                             double *balance)
{
    const double h = 0.1;
    olo_kernel *kernel;
    olo_error error = {0};
    check_ok(olo_kernel_create(s->system, "variational", &kernel, &error), &error);
    for (int k = 0; k < ARM; k++) {
        const double *row = arm_table[k], extra = k == other ? more : 0;
        const double inputs[3] = {row[3] + extra, row[2], -row[2]}; /* s1, e1, r1 */
        double work[48], r[64];
        olo_interval x;
        olo_interval_set(&x, 24, q + 24 * k, q + 24 * (k + 1), h, k * h, work);
        x.inputs = inputs;
        for (int i = 0; i < olo_kernel_pieces(kernel); i++) {
            const olo_piece_kind kind = olo_kernel_piece_kind(kernel, i);
            const int *index = olo_kernel_piece_coordinates(kernel, i);
            for (int end = 0; kind != OLO_PIECE_ROW && end < 2; end++) {
                const double factor = kind == OLO_PIECE_TERM     ? -0.5 * h
                                      : kind == OLO_PIECE_ACTION ? 0.5 * h
                                      : end                      ? 1 / h
                                                                 : -1 / h;
                x.acting = kind != OLO_PIECE_ACTION ? OLO_ACT_BETWEEN
                           : end                    ? OLO_ACT_AT_END
                                                    : OLO_ACT_AT_START;
                olo_kernel_value(kernel, i, &x, r);
                for (int j = 0; j < olo_kernel_piece_size(kernel, i); j++)
                    balance[24 * (k + end) + index[j]] += factor * r[j];
            }
        }
    }
    olo_kernel_free(kernel);
}

/* The largest balance along rotations of the cone about the elbow and of the cylinder about the
 * shoulder, from rest to rest; constraint forces have no part in it. */
static double arm_residual(const scene *s, int other, double more)
{
    double q[24 * (ARM + 1)], balance[24 * (ARM + 1)] = {0}, largest = 0, elbow[3];
    double cone = 0.25 * M_PI, cylinder = cone;
    const double origin[3] = {0}, x[3] = {1, 0, 0};
    const int first = (int)(position(s, s->system->q0, "cylinder") - s->system->q0),
              second = (int)(position(s, s->system->q0, "cone") - s->system->q0);
    for (int k = 0; k <= ARM; k++) {
        vec3_set(0, -sin(cylinder), cos(cylinder), elbow);
        put_body(q + 24 * k + first, origin, 0.5, cylinder);
        put_body(q + 24 * k + second, elbow, 0.15, cone);
        cone += k < ARM ? arm_table[k][0] : 0;
        cylinder += k < ARM ? arm_table[k][1] : 0;
    }
    const double tip[3] = {0, elbow[1] - 0.6 * sin(cone), elbow[2] + 0.6 * cos(cone)};
    check_close(-1.131, tip[1], 1e-6);
    check_close(0.283, tip[2], 1e-6);
    add_arm_balances(s, q, other, more, balance);
    for (int k = 0; k <= ARM; k++) {
        const double *a = q + 24 * k + first, *b = q + 24 * k + second;
        const double *fa = balance + 24 * k + first, *fb = balance + 24 * k + second;
        double v[3], arm[3], of_cone = 0, of_cylinder = 0;
        vec3_set(2 * a[0], 2 * a[1], 2 * a[2], elbow);
        vec3_subtract(b, elbow, arm);
        vec3_cross(x, arm, v);
        of_cone += vec3_dot(v, fb);
        vec3_cross(x, elbow, v);
        of_cylinder += vec3_dot(v, fb);
        for (int i = 0; i < 12; i += 3) {
            vec3_cross(x, a + i, v);
            of_cylinder += vec3_dot(v, fa + i);
            vec3_cross(x, b + i, v);
            of_cone += i > 0 ? vec3_dot(v, fb + i) : 0;
        }
        largest = fmax(largest, fmax(fabs(of_cone), fabs(of_cylinder)));
    }
    return largest;
}

/* R3. One increment is 1.6 rad, beyond what a forward step can do, so the table is inserted in the
 * discrete equations. Its digits of 5e-9 rad are up to 1e-5 of them, where momenta are near 100. */
TEST(r3_the_table_of_the_robot_arm_satisfies_the_discrete_equations)
{
    scene s = scene_open("robot-arm", NULL);
    check_below(arm_residual(&s, -1, 0), 1e-5);
    check_relative(0.05 * 0.01, arm_residual(&s, 4, 0.01), 0.02);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(r3_the_table_of_the_robot_arm_satisfies_the_discrete_equations),
          cmocka_unit_test(arm_with_200_intervals_needs_less_than_ten_seconds),
          cmocka_unit_test(linkage_and_flexible_arm_with_100_intervals_need_less_than_a_minute),
          cmocka_unit_test(feedback_leads_a_load_below_a_quadcopter_to_its_end))
