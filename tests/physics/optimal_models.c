/* Models of the catalogue with optimal control: the arm with six hinges and the load below a
 * quadcopter, which feedback leads to its end although it is heavier than the plan knows. */
#include "scene.h"

#include <time.h>

#include "oloid/feedback.h"

static void skip_without_solver(void)
{
    if (!olo_optimize_available())
        skip();
}

static olo_optimum *solve(const scene *s, int intervals)
{
    olo_problem problem = *olo_model_problem(s->model);
    olo_optimum *optimum;
    olo_certificate certificate;
    olo_error error = {0};
    if (intervals > 0)
        problem.intervals = intervals;
    check_ok(olo_optimize(s->system, &problem, NULL, &optimum, &error), &error);
    check_text("an optimum was found", olo_optimum_explanation(optimum));
    check_ok(olo_optimum_certify(optimum, &certificate, &error), &error);
    check_below(certificate.violation, 1e-8);
    check_below(certificate.stationarity, 1e-7);
    check_true(certificate.minimum);
    return optimum;
}

/* The processor time of one core, which other processes do not change. */
TEST(arm_with_200_intervals_needs_less_than_ten_seconds)
{
    skip_without_solver();
    scene s = scene_open("robot-6r-reach", NULL);
    const clock_t start = clock();
    olo_optimum *optimum = solve(&s, 0);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check_equal(200, olo_optimum_intervals(optimum));
    print_message("%d intervals, %d iterations, %.2f s\n", olo_optimum_intervals(optimum),
                  olo_optimum_iterations(optimum), seconds);
    check_below(seconds, 10);
    olo_optimum_free(optimum);
    scene_close(&s);
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
    olo_optimum *optimum = solve(&s, 40);
    const double *q = olo_optimum_configuration(optimum, 40);
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

TEST_MAIN(cmocka_unit_test(arm_with_200_intervals_needs_less_than_ten_seconds),
          cmocka_unit_test(feedback_leads_a_load_below_a_quadcopter_to_its_end))
