/* Equilibria compared with closed forms and published numbers: elastica, roll-up, 45 degree bend,
 * buckling, a limit point, hanging chains; order in space, no locking, linear cost. */
#include "scene.h"

#include "linalg/vec3.h"

static const double pi = 3.14159265358979323846;

static olo_equilibrium_summary settle(scene *s, const olo_equilibrium_options *options)
{
    olo_equilibrium_summary summary;
    olo_error error = {0};
    check_ok(olo_find_equilibrium(s->system, options, s->state, NULL, 0, &summary, &error), &error);
    olo_ledger ledger = scene_ledger(s);
    check_below(ledger.constraint_error, 1e-13);
    check_below(ledger.kinetic, 0);
    return summary;
}

/* --- cantilever: elastica of benchmarks, EA L^2/EI = GA L^2/EI = 1e8 --- */

#define CANTILEVER                                                                                 \
    "parameters: {n: 10, P: 0, k: 1e8, M: 0}\n"                                                    \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: n, to: [1, 0, 0], stiffness: [k, k, k, 1, 1, 1],\n"                   \
    "     inertia: [1, 1e-4, 1e-4]}\n"                                                             \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, P, 0], moment: [0, 0, M]}\n"
#define QUADRATIC                                                                                  \
    "parameters: {n: 10, P: 0, k: 1e8}\n"                                                          \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: n, interpolation: quadratic, to: [1, 0, 0],\n"                        \
    "     stiffness: [k, k, k, 1, 1, 1], inertia: [1, 1e-4, 1e-4]}\n"                              \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, P, 0]}\n"

typedef struct elastica {
    const char *load;
    double v, u, angle;
} elastica;

static const elastica published[] = {
    {"1", 0.301720773800, 0.0564332362834, 0.461351949712},
    {"2", 0.493457480397, 0.160641720825, 0.781749831557},
    {"5", 0.713791523612, 0.387628360724, 1.21536811761},
    {"10", 0.810609024880, 0.554995597754, 1.43028553880},
};

/* The largest error of deflection, shortening and angle at the tip. */
static double elastica_error(const char *model, const char *n, const elastica *x)
{
    olo_setting settings[] = {{"n", n}, {"P", x->load}};
    scene s = scene_open_set(model, NULL, settings, 2);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_equal(0, sum.unstable);
    check_equal(0, sum.neutral);
    const double *q = scene_q(&s, "b.end");
    double error = larger(fabs(q[1] - x->v), fabs(1 - q[0] - x->u));
    error = larger(error, fabs(atan2(q[10], q[9]) - x->angle));
    scene_close(&s);
    return error;
}

TEST(elastica_of_linear_elements_converges_with_order_two)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        double coarse = elastica_error(CANTILEVER, "20", &published[i]);
        double fine = elastica_error(CANTILEVER, "40", &published[i]);
        check_close(4.0, coarse / fine, 0.1);
    }
}

TEST(elastica_of_quadratic_elements_is_exact_to_1e_6_with_order_four)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        double coarse = elastica_error(QUADRATIC, "8", &published[i]);
        double fine = elastica_error(QUADRATIC, "16", &published[i]);
        double finest = elastica_error(QUADRATIC, "64", &published[i]);
        check_true(coarse / fine > 12);
        check_below(finest, 1e-6);
    }
}

/* --- roll-up: beam sheet, 18.2 --- */

#define SHEET_BEAM                                                                                 \
    "parameters: {M: 0, P: 0}\n"                                                                   \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: 22, to: [2, 0, 0],\n"                                                 \
    "     stiffness: [1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769],\n"                      \
    "     inertia: [0.27, 9e-8, 9e-8]}\n"                                                          \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, P, 0], moment: [0, 0, M]}\n"

TEST(roll_up_is_the_regular_polygon_of_the_sheet)
{
    const struct {
        const char *M;
        double x, y, strain;
    } rows[] = {{"0.12566370614359", 1.269954757194, 1.276815948879, 0.0992043864849565},
                {"0.25132741228718", -0.027933537893, 1.259292282006, 0.403180590752216},
                {"0.50265482457437", 0.119511976910, 0.024502290107, 1.73454133437310}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        olo_setting setting = {"M", rows[i].M};
        scene s = scene_open_set(SHEET_BEAM, NULL, &setting, 1);
        settle(&s, NULL);
        const double *q = scene_q(&s, "b.end");
        check_close(rows[i].x, q[0], 1e-9);
        check_close(rows[i].y, q[1], 1e-9);
        check_close(rows[i].strain, scene_ledger(&s).strain, 1e-10);
        scene_close(&s);
    }
}

TEST(tip_force_bends_the_beam_of_the_sheet)
{
    const struct {
        const char *P;
        double x, y, tolerance;
    } rows[] = {{"1e-3", -8.31085e-5, 1.665689e-2, 1e-8},
                {"0.05", -0.1630783181, 0.7206262640, 1e-9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        olo_setting setting = {"P", rows[i].P};
        scene s = scene_open_set(SHEET_BEAM, NULL, &setting, 1);
        settle(&s, NULL);
        const double *q = scene_q(&s, "b.end");
        check_close(rows[i].x, q[0] - 2, rows[i].tolerance);
        check_close(rows[i].y, q[1], rows[i].tolerance);
        scene_close(&s);
    }
}

/* Two quadrature points per element lock: 795 times as stiff (beam sheet, 7; check 5). */
TEST(full_quadrature_locks_at_rest)
{
    static const char *const kinds[2] = {"reduced", "full"};
    static const double deflection[2] = {1.6657e-2, 2.0947e-5}, ratio[2] = {0.9994, 0.00126};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "name: locks\n"
                 "beams: [{name: b, elements: 22, to: [2, 0, 0], inertia: [0.27, 9e-8, 9e-8],\n"
                 "  stiffness: [1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769],\n"
                 "  quadrature: %s}]\n"
                 "supports: {on: b.start, type: fixed}\n"
                 "loads: {on: b.end, force: [0, 1e-3, 0]}\n",
                 kinds[i]);
        scene s = scene_open(text, NULL);
        settle(&s, NULL);
        check_relative(deflection[i], scene_q(&s, "b.end")[1], 5e-5);
        check_relative(ratio[i], scene_q(&s, "b.end")[1] / (1e-3 * 8 / (3 * 0.16)), 3e-3);
        scene_close(&s);
    }
}

/* The distance of the tip from the root under 2 pi EI/L. */
static double open_by(const char *n)
{
    char moment[32];
    snprintf(moment, sizeof moment, "%.17g", 2 * pi);
    olo_setting settings[] = {{"n", n}, {"M", moment}};
    scene s = scene_open_set(CANTILEVER, NULL, settings, 2);
    settle(&s, NULL);
    double distance = norm3(scene_q(&s, "b.end"));
    scene_close(&s);
    return distance;
}

/* The same in closed form: a regular polygon, d_theta = 1/2 asin(2 M l/EI), chords l/cos(d_theta/2)
 * (beam sheet, 18.2). */
static double polygon_open_by(int n)
{
    double turn = 0.5 * asin(4 * pi / n), chord = 1 / (n * cos(turn / 2));
    return fabs(chord * sin(n * turn / 2) / sin(turn / 2));
}

TEST(roll_up_closes_with_order_two)
{
    static const char *const n[4] = {"26", "52", "104", "208"};
    double distance[4];
    for (int i = 0; i < 4; i++) {
        distance[i] = open_by(n[i]);
        check_close(polygon_open_by(26 << i), distance[i], 1e-9);
        if (i > 0) /* 2.13, 2.03, 2.01 of the closed form */
            check_close(2, log2(distance[i - 1] / distance[i]), i == 1 ? 0.15 : 0.05);
    }
}

/* --- no locking --- */

TEST(deflection_does_not_depend_on_slenderness)
{
    const char *stiffness[] = {"1e2", "1e4", "1e6", "1e8"}; /* (L/thickness)^2 */
    for (size_t i = 0; i < sizeof stiffness / sizeof *stiffness; i++) {
        olo_setting settings[] = {{"n", "20"}, {"k", stiffness[i]}, {"P", "1e-4"}};
        scene s = scene_open_set(CANTILEVER, NULL, settings, 3);
        settle(&s, NULL);
        /* Timoshenko: P L^3/3 EI + P L/GA; with one point per element the bending part has the
         * relative error 1/(2 n)^2 */
        double theory = 1e-4 * (1.0 / 3 + 1 / strtod(stiffness[i], NULL));
        check_relative(theory, scene_q(&s, "b.end")[1], 1e-3);
        scene_close(&s);
    }
}

/* --- 45 degree bend (Bathe and Bolourchi), converged values of benchmarks --- */

#define BEND                                                                                       \
    "parameters: {n: 8, F: 600}\n"                                                                 \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: n, interpolation: quadratic, from: [0, 0, 0],\n"                      \
    "     arc: {center: [0, 100, 0], axis: [0, 0, 1], angle: 45*deg},\n"                           \
    "     stiffness: [5e6, 5e6, 1e7, 1e7/12, 1e7/12, 5e6/6], inertia: [1, 0.1, 0.1]}\n"            \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, 0, F]}\n"

TEST(bend_of_45_degrees_converges_to_six_digits)
{
    /* the arc bends towards +y here, away from it in the benchmark */
    olo_setting setting = {"n", "64"};
    scene s = scene_open_set(BEND, NULL, &setting, 1);
    settle(&s, NULL);
    const double *q = scene_q(&s, "b.end");
    double x = q[0] - 100 * sin(pi / 4), y = q[1] - 100 * (1 - cos(pi / 4));
    check_relative(53.47485879, q[2], 2e-7);
    check_relative(-23.56023955, x, 1e-6);
    check_relative(-13.60452135, y, 1e-6);
    scene_close(&s);
}

/* --- stability --- */

#define COLUMN                                                                                     \
    "parameters: {n: 16, P: 5}\n"                                                                  \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: n, interpolation: quadratic, to: [1, 0, 0],\n"                        \
    "     stiffness: [1e8, 1e8, 1e8, 1, 3, 1], inertia: [1, 1e-4, 1e-4]}\n"                        \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [-P, 0, 0]}\n"

TEST(column_buckles_at_the_load_of_euler)
{
    scene s = scene_open(COLUMN, NULL);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_equal(1, sum.critical_count);
    check_equal(1, sum.unstable);
    check_true(!sum.critical[0].limit);
    check_relative(pi * pi / 4, 5 * sum.critical[0].load, 1e-5);
    scene_close(&s);
}

#define TRUSS                                                                                      \
    "parameters: {P: 1, k: 1000, h: 0.2}\n"                                                        \
    "plane: xy\n"                                                                                  \
    "points: {name: apex, mass: 1, position: [0, h]}\n"                                            \
    "springs:\n"                                                                                   \
    "  - {between: [[-1, 0, 0], apex], stiffness: k}\n"                                            \
    "  - {between: [[1, 0, 0], apex], stiffness: k}\n"                                             \
    "loads: {on: apex, force: [0, -P, 0]}\n"

/* The truss of von Mises: P = 2 k (l0 - l) y/l with l^2 = 1 + y^2; the limit point is at l^3 =
 * l0. */
static double truss_load(double y)
{
    double l0 = sqrt(1.04), l = sqrt(1 + y * y);
    return 2 * 1000 * (l0 - l) * y / l;
}

TEST(shallow_truss_is_followed_through_both_limit_points)
{
    double y = sqrt(pow(1.04, 1.0 / 3) - 1), largest = truss_load(y);
    olo_setting setting = {"P", "20"};
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.arc = true;
    options.step = 0.02;
    scene s = scene_open_set(TRUSS, NULL, &setting, 1);
    olo_equilibrium_summary sum = settle(&s, &options);
    check_equal(2, sum.critical_count);
    check_true(sum.critical[0].limit && sum.critical[1].limit);
    check_relative(largest, 20 * sum.critical[0].load, 1e-8);
    check_relative(-largest, 20 * sum.critical[1].load, 1e-8);
    double end = scene_q(&s, "apex")[1];
    check_true(end < -0.2); /* on the other side, in tension */
    check_relative(20, truss_load(end), 1e-9);
    check_equal(0, sum.unstable);
    scene_close(&s);
}

TEST(load_steps_end_at_a_limit_point_with_a_hint)
{
    olo_setting setting = {"P", "20"};
    olo_error error = {0};
    scene s = scene_open_set(TRUSS, NULL, &setting, 1);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.step = 1e-3;
    olo_equilibrium_summary sum;
    check_status(OLO_NOT_CONVERGED,
                 olo_find_equilibrium(s.system, &options, s.state, NULL, 0, &sum, &error));
    check_contains("limit point", error.text);
    /* the state is the limit point */
    double largest = truss_load(sqrt(pow(1.04, 1.0 / 3) - 1));
    check_relative(largest, 20 * sum.load, 1e-8);
    check_relative(20 * sum.load, truss_load(scene_q(&s, "apex")[1]), 1e-9);
    scene_close(&s);
}

/* --- mechanisms --- */

TEST(pendulum_slides_down_to_its_lowest_point)
{
    scene s = scene_open("planar-pendulum", NULL);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_true(sum.relaxed);
    check_equal(0, sum.unstable);
    check_close(0, scene_q(&s, "bob")[0], 1e-9);
    check_close(-1, scene_q(&s, "bob")[1], 1e-12);
    scene_close(&s);
}

/* A pendulum of length 1 leaves its upper equilibrium, which is a maximum of the potential, also if
 * the stiffest direction is that of another pendulum, of length 1/32, in its lower equilibrium: the
 * shift of the descent decreases below the negative stiffness of the first one. */
TEST(descent_leaves_an_equilibrium_that_is_no_minimum)
{
    const char *const text =
        "gravity: [0, -9.81, 0]\n"
        "plane: xy\n"
        "bodies:\n"
        "  - {name: upper, mass: 1, inertia: [0.01, 0.01, 0.01], position: [sin(0.01), "
        "cos(0.01)]}\n"
        "  - {name: lower, mass: 1, inertia: [1e-5, 1e-5, 1e-5], position: [3, -1/32]}\n"
        "joints:\n"
        "  - {type: revolute, between: [ground, upper], at: [0, 0]}\n"
        "  - {type: revolute, between: [ground, lower], at: [3, 0]}\n";
    scene s = scene_open(text, NULL);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_true(sum.relaxed && !sum.stayed);
    check_equal(0, sum.unstable);
    check_close(0, scene_q(&s, "upper")[0], 1e-9);
    check_close(-1, scene_q(&s, "upper")[1], 1e-12);
    check_close(3, scene_q(&s, "lower")[0], 1e-9);
    scene_close(&s);
}

/* n + 1 equal rods between two hooks, n masses of weight w at their joints, horizontal force H: the
 * tangents of the angles of the rods are (k - n/2) w/H, k = 0 ... n. */
#define CHAIN                                                                                      \
    "gravity: [0, -10, 0]\n"                                                                       \
    "plane: xy\n"                                                                                  \
    "points:\n"                                                                                    \
    "  - {name: p1, mass: 1, position: [0.3, -0.953939201416946]}\n"                               \
    "  - {name: p2, mass: 1, position: [1.1, -1.553939201416946]}\n"                               \
    "  - {name: p3, mass: 1, position: [1.7, -0.753939201416946]}\n"                               \
    "rods:\n"                                                                                      \
    "  - {between: [[0, 0, 0], p1]}\n"                                                             \
    "  - {between: [p1, p2]}\n"                                                                    \
    "  - {between: [p2, p3]}\n"                                                                    \
    "  - {between: [p3, [2.356867329607, 0, 0]], length: 1}\n"

TEST(chain_between_two_hooks_hangs_as_a_funicular_polygon)
{
    scene s = scene_open(CHAIN, NULL);
    double span = 2.356867329607;
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_equal(0, sum.unstable);
    /* symmetric: angles a (outer) and b (inner) with tan a = 3 tan b, cos a + cos b = span/2 */
    double low = 0, high = pi / 2;
    for (int i = 0; i < 200; i++) {
        double b = 0.5 * (low + high), a = atan(3 * tan(b));
        *(cos(a) + cos(b) > span / 2 ? &low : &high) = b;
    }
    double a = atan(3 * tan(low));
    check_close(cos(a), scene_q(&s, "p1")[0], 1e-8);
    check_close(-sin(a), scene_q(&s, "p1")[1], 1e-8);
    check_close(-sin(a) - sin(low), scene_q(&s, "p2")[1], 1e-8);
    check_close(-sin(a), scene_q(&s, "p3")[1], 1e-8);
    scene_close(&s);
}

/* --- reactions --- */

static void check_reaction(const scene *s, const char *name, const double force[3],
                           const double moment[3], double tolerance)
{
    double got[6] = {0};
    int index = 0;
    while (strcmp(olo_system_reaction_name(s->system, index), name) != 0)
        index++;
    olo_system_reaction(s->system, s->state, index, got, got + 3);
    for (int i = 0; i < 3; i++) {
        check_close(force[i], got[i], tolerance);
        check_close(moment[i], got[3 + i], tolerance);
    }
}

/* The reaction of the clamp to force and moment at the displaced tip x: -F and -(M + x F). */
TEST(clamp_of_a_cantilever_carries_force_and_moment)
{
    scene s = scene_open(
        "beams:\n"
        "  - {name: b, elements: 12, to: [2, 0, 0], stiffness: [1e4, 1e4, 1e4, 1, 2, 3],\n"
        "     inertia: [1, 1e-2, 1e-2]}\n"
        "supports: {name: clamp, on: b.start, type: fixed}\n"
        "loads: {on: b.end, force: [-0.1, 0.3, 0.2], moment: [0.1, -0.2, 0.4]}\n"
        "outputs:\n"
        "  - {name: root, reaction: clamp}\n",
        NULL);
    settle(&s, NULL);
    const double F[3] = {-0.1, 0.3, 0.2}, M[3] = {0.1, -0.2, 0.4};
    double arm[3], force[3], moment[3];
    vec3_copy(scene_q(&s, "b.end"), arm);
    check_true(fabs(arm[1]) > 0.2 && fabs(arm[2]) > 0.1);
    vec3_cross(arm, F, moment);
    for (int i = 0; i < 3; i++) {
        force[i] = -F[i];
        moment[i] = -(moment[i] + M[i]);
    }
    check_reaction(&s, "root", force, moment, 1e-9);
    scene_close(&s);
}

/* A beam of weight 2 on two supports, one of which closes a loop: each carries half of it. */
TEST(supports_of_a_beam_share_its_weight)
{
    scene s = scene_open(
        "gravity: [0, -10, 0]\n"
        "beams:\n"
        "  - {name: b, elements: 8, to: [1, 0, 0], stiffness: [1e4, 1e4, 1e4, 10, 10, 10],\n"
        "     inertia: [0.2, 1e-3, 1e-3]}\n"
        "joints:\n"
        "  - {name: left, type: revolute, between: [ground, b.start], axis: [0, 0, 1]}\n"
        "  - {name: right, type: point-on-line, between: [ground, b.end], at: [1, 0, 0], axis: "
        "[1, 0, 0]}\n"
        "outputs:\n"
        "  - {name: a, reaction: left}\n"
        "  - {name: c, reaction: right}\n"
        "  - {name: turned, reaction: left, frame: child}\n",
        NULL);
    settle(&s, NULL);
    const double half[3] = {0, 1, 0}, none[3] = {0, 0, 0}, *d = scene_q(&s, "b.start") + 3;
    check_reaction(&s, "a", half, none, 1e-9);
    check_reaction(&s, "c", half, none, 1e-9);
    check_reaction(&s, "turned", (double[]){d[1], d[4], d[7]}, none, 1e-9);
    scene_close(&s);
}

TEST(free_fall_has_no_equilibrium)
{
    olo_error error = {0};
    scene s = scene_open(
        "gravity: [0, 0, -9.81]\npoints: {name: stone, mass: 1, position: [0, 0, 0]}\n", NULL);
    check_status(OLO_NOT_CONVERGED,
                 olo_find_equilibrium(s.system, NULL, s.state, NULL, 0, NULL, &error));
    check_contains("no equilibrium near the initial state", error.text);
    check_contains("'stone'", error.text);
    scene_close(&s);
}

/* --- size --- */

TEST(thousand_elements_bend_in_a_second)
{
    olo_setting settings[] = {{"n", "1000"}, {"P", "5"}, {"k", "1e6"}};
    scene s = scene_open_set(CANTILEVER, NULL, settings, 3);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_close(0.713791523612, scene_q(&s, "b.end")[1], 1e-5);
    check_below(sum.wall_seconds, 20); /* much less than one on an idle machine */
    scene_close(&s);
}

TEST(options_are_checked)
{
    olo_error error = {0};
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.step = 0;
    scene s = scene_open("planar-pendulum", NULL);
    check_status(OLO_BAD_INPUT,
                 olo_find_equilibrium(s.system, &options, s.state, NULL, 0, NULL, &error));
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(elastica_of_linear_elements_converges_with_order_two),
          cmocka_unit_test(elastica_of_quadratic_elements_is_exact_to_1e_6_with_order_four),
          cmocka_unit_test(roll_up_is_the_regular_polygon_of_the_sheet),
          cmocka_unit_test(tip_force_bends_the_beam_of_the_sheet),
          cmocka_unit_test(full_quadrature_locks_at_rest),
          cmocka_unit_test(roll_up_closes_with_order_two),
          cmocka_unit_test(deflection_does_not_depend_on_slenderness),
          cmocka_unit_test(bend_of_45_degrees_converges_to_six_digits),
          cmocka_unit_test(column_buckles_at_the_load_of_euler),
          cmocka_unit_test(shallow_truss_is_followed_through_both_limit_points),
          cmocka_unit_test(load_steps_end_at_a_limit_point_with_a_hint),
          cmocka_unit_test(pendulum_slides_down_to_its_lowest_point),
          cmocka_unit_test(descent_leaves_an_equilibrium_that_is_no_minimum),
          cmocka_unit_test(chain_between_two_hooks_hangs_as_a_funicular_polygon),
          cmocka_unit_test(clamp_of_a_cantilever_carries_force_and_moment),
          cmocka_unit_test(supports_of_a_beam_share_its_weight),
          cmocka_unit_test(free_fall_has_no_equilibrium),
          cmocka_unit_test(thousand_elements_bend_in_a_second),
          cmocka_unit_test(options_are_checked))
