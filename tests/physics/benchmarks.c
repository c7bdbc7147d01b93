/* Published benchmarks: the planar pendulum (IFToMM A01) and the heavy top of Bruels, Cardona and
 * Arnold converge with second order to the printed numbers. */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

/* Position of a point at several times with step h. */
static void positions(const char *model, const char *on, const char *constraints, double h,
                      int count, const double *time, double (*x)[3])
{
    scene s = scene_open(model, constraints);
    olo_error error = {0};
    const olo_point_on_body point = {.on = on};
    long done = 0;
    for (int k = 0; k < count; k++) {
        long steps = lround(time[k] / h);
        double velocity[3];
        scene_run(&s, h, steps - done);
        done = steps;
        check_ok(olo_system_point_on_body(s.system, s.state, &point, x[k], velocity, &error),
                 &error);
    }
    scene_close(&s);
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    vec3_subtract(a, b, d);
    return vec3_norm(d);
}

TEST(planar_pendulum_a01_converges_to_the_published_positions)
{
    const double time[3] = {1, 5, 10};
    const double expected[3][3] = {{0.986291751132, -0.165010853126, 0},
                                   {-0.942305435044, -0.334754338414, 0},
                                   {-0.275087462576, -0.961419205099, 0}};
    for (int k = 0; k < 2; k++) {
        double x[3][3][3];
        for (int i = 0; i < 3; i++)
            positions("planar-pendulum", "bob", treatments[k], 0.001 / (1 << i), 3, time, x[i]);
        for (int j = 0; j < 3; j++) {
            double e[3], limit[3];
            for (int i = 0; i < 3; i++)
                e[i] = distance(x[i][j], expected[j]);
            check_close(2.0, log2(e[0] / e[1]), 0.01);
            check_close(2.0, log2(e[1] / e[2]), 0.01);
            /* extrapolated twice in h^2, h^4 */
            for (int i = 0; i < 3; i++)
                limit[i] = (64 * x[2][j][i] - 20 * x[1][j][i] + x[0][j][i]) / 45;
            print_message("t = %2g: errors %.2e %.2e %.2e, extrapolated %.1e (%s)\n", time[j], e[0],
                          e[1], e[2], distance(limit, expected[j]), treatments[k]);
            check_below(distance(limit, expected[j]), 1e-11);
        }
    }
}

TEST(bruels_top_has_the_published_energy_and_a_singular_euler_tensor)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("bruels-top", treatments[k]);
        check_relative(5435.696790865547, scene_ledger(&s).total, 1e-14);
        for (int i = 0; i < 2000; i++) {
            scene_run(&s, 0.001, 1);
            check_relative(5435.696790865547, scene_ledger(&s).total, 1e-12);
            check_below(scene_ledger(&s).constraint_error, 1e-14);
        }
        scene_close(&s);
    }
}

TEST(bruels_top_converges_to_the_published_positions)
{
    const double time[3] = {0.2, 1, 2};
    const double expected[3][3] = {{0.605550561, 0.598957682, -0.523983027},
                                   {0.173343964, 0.640088592, -0.748490791},
                                   {-0.150416823, -0.724165592, -0.673022270}};
    double x[4][3][3];
    for (int i = 0; i < 4; i++)
        positions("bruels-top", "top.center", i == 1 ? "multipliers" : "reduced", 0.0004 / (1 << i),
                  3, time, x[i]);
    for (int j = 0; j < 3; j++) {
        double e[4], limit[3];
        for (int i = 0; i < 4; i++)
            e[i] = distance(x[i][j], expected[j]);
        check_close(2.0, log2(e[1] / e[2]), 0.05);
        check_close(2.0, log2(e[2] / e[3]), 0.05);
        for (int i = 0; i < 3; i++)
            limit[i] = (64 * x[3][j][i] - 20 * x[2][j][i] + x[1][j][i]) / 45;
        print_message("t = %3g: errors %.2e %.2e %.2e %.2e, extrapolated %.1e\n", time[j], e[0],
                      e[1], e[2], e[3], distance(limit, expected[j]));
        check_below(distance(limit, expected[j]), 1e-9);
    }
}

TEST_MAIN(cmocka_unit_test(planar_pendulum_a01_converges_to_the_published_positions),
          cmocka_unit_test(bruels_top_has_the_published_energy_and_a_singular_euler_tensor),
          cmocka_unit_test(bruels_top_converges_to_the_published_positions))
