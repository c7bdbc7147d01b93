/* Paths of equilibria with limit points, bifurcations or kinks: the search follows the path that
 * begins without load to its first limit point and reports it. Paths are compared with closed
 * forms, Lee's frame with a shooting method (lee_frame_reference.py). */
#include "scene.h"

static const double pi = 3.14159265358979323846;

static olo_status search(scene *s, const olo_equilibrium_options *options,
                         olo_equilibrium_summary *summary, olo_error *error)
{
    olo_status status = olo_find_equilibrium(s->system, options, s->state, NULL, 0, summary, error);
    check_below(scene_ledger(s).constraint_error, 1e-13);
    return status;
}

/* --- the truss of von Mises: two bars in compression, hinged at their ends --- */

#define MISES                                                                                      \
    "parameters: {P: 1, h: 0.1}\n"                                                                 \
    "plane: xy\n"                                                                                  \
    "beams:\n"                                                                                     \
    "  - {name: a, elements: 4, interpolation: quadratic, from: [-1, 0, 0], to: [0, h, 0],\n"      \
    "     d1: [0, 0, 1], stiffness: [1e4, 1e4, 1e4, 50, 50, 50], inertia: [1, 0.01, 0.01]}\n"      \
    "  - {name: b, elements: 4, interpolation: quadratic, from: [0, h, 0], to: [1, 0, 0],\n"       \
    "     d1: [0, 0, 1], stiffness: [1e4, 1e4, 1e4, 50, 50, 50], inertia: [1, 0.01, 0.01]}\n"      \
    "joints: {name: top, type: revolute, between: [a.end, b.start]}\n"                             \
    "supports:\n"                                                                                  \
    "  - {name: l, type: point, on: a.start}\n"                                                    \
    "  - {name: r, type: point, on: b.end}\n"                                                      \
    "loads: {name: push, on: a.end, force: [0, -P, 0]}\n"

/* N = EA (1 - l/L), P = 2 N y/l with l^2 = 1 + y^2: the largest P is at l^3 = L. N is below
 * Euler's load of a bar, so that the bars do not buckle: 33 compared with pi^2 50/1.01 = 489 for
 * h = 0.1. */
static double mises_load(double h, double y)
{
    double L = sqrt(1 + h * h), l = sqrt(1 + y * y);
    return 2e4 * (1 - l / L) * y / l;
}

static double mises_top(double h)
{
    return sqrt(cbrt(1 + h * h) - 1);
}

static void check_ends_at_limit(const char *P, const char *h, double step)
{
    olo_setting settings[] = {{"P", P}, {"h", h}};
    double height = strtod(h, NULL), top = mises_top(height);
    double limit = mises_load(height, top) / strtod(P, NULL);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    olo_equilibrium_summary sum;
    olo_error error = {0};
    options.step = step;
    scene s = scene_open_set(MISES, NULL, settings, 2);
    check_status(OLO_NOT_CONVERGED, search(&s, &options, &sum, &error));
    check_contains("limit point at load factor", error.text);
    check_equal(1, sum.critical_count);
    check_true(sum.critical[0].limit);
    check_equal(1, sum.critical[0].unstable);
    check_relative(limit, sum.critical[0].load, 1e-7);
    /* the state is the limit point, on the side where it is stable */
    check_relative(limit, sum.load, 1e-7);
    check_equal(0, sum.unstable);
    check_close(top, scene_q(&s, "a.end")[1], 1e-5 * height);
    scene_close(&s);
}

TEST(overloaded_truss_ends_at_its_limit_point)
{
    check_relative(3.8109, mises_load(0.1, mises_top(0.1)), 1e-5);
    check_ends_at_limit("4.5", "0.1", 0.1);
    check_ends_at_limit("6", "0.1", 0.1);
    check_ends_at_limit("10", "0.1", 0.1);
}

/* The limit point may be at any small part of the load, far within the first step. */
TEST(limit_point_is_found_whatever_the_first_step)
{
    const char *const heights[] = {"0.1", "0.03", "0.01", "0.001", "1e-4"};
    const double steps[] = {10, 0.5, 0.1, 0.01};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
            check_ends_at_limit("40", heights[i], steps[k]);
}

TEST(truss_is_stable_up_to_its_limit_point)
{
    const char *const loads[] = {"0.5", "3.8", "3.81", "3.8108719"};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        olo_setting setting = {"P", loads[i]};
        olo_equilibrium_summary sum;
        olo_error error = {0};
        scene s = scene_open_set(MISES, NULL, &setting, 1);
        check_ok(search(&s, NULL, &sum, &error), &error);
        check_equal(0, sum.critical_count);
        check_equal(0, sum.unstable);
        check_true(sum.load == 1);
        double y = scene_q(&s, "a.end")[1];
        check_true(y > mises_top(0.1));
        check_relative(strtod(loads[i], NULL), mises_load(0.1, y), 1e-8);
        scene_close(&s);
    }
}

/* --- Lee's frame (Lee, Manuel, Rossow 1968) --- */

#define FRAME                                                                                      \
    "parameters: {n: 20, P: 20, Y: 720, A: 6, I: 2, G: Y/2.6, k: 5/6}\n"                           \
    "plane: xy\n"                                                                                  \
    "beams:\n"                                                                                     \
    "  - {name: column, elements: 2*n, interpolation: quadratic, to: [0, 120, 0], d1: [0, 0, "     \
    "1],\n"                                                                                        \
    "     stiffness: [k*G*A, k*G*A, Y*A, Y*I, Y*I, G*2*I], inertia: [1, 1, 1]}\n"                  \
    "  - {name: left, elements: n, interpolation: quadratic, from: [0, 120, 0],\n"                 \
    "     to: [24, 120, 0], d1: [0, 0, 1],\n"                                                      \
    "     stiffness: [k*G*A, k*G*A, Y*A, Y*I, Y*I, G*2*I], inertia: [1, 1, 1]}\n"                  \
    "  - {name: right, elements: 2*n, interpolation: quadratic, from: [24, 120, 0],\n"             \
    "     to: [120, 120, 0], d1: [0, 0, 1], start_on: left.end,\n"                                 \
    "     stiffness: [k*G*A, k*G*A, Y*A, Y*I, Y*I, G*2*I], inertia: [1, 1, 1]}\n"                  \
    "joints: {name: corner, type: rigid, between: [column.end, left.start]}\n"                     \
    "supports:\n"                                                                                  \
    "  - {name: foot, type: point, on: column.start}\n"                                            \
    "  - {name: wall, type: point, on: right.end}\n"                                               \
    "loads: {name: push, on: left.end, force: [0, -P, 0]}\n"

TEST(frame_of_lee_stays_on_its_primary_branch)
{
    /* lee_frame_reference.py */
    const struct {
        double load, x, y;
    } rows[] = {{0.05, 25.9169553, 109.274601}, {0.09, 42.8676201, 78.517822}};
    for (int i = 0; i < 2; i++)
        for (int arc = 0; arc < 2; arc++) {
            olo_equilibrium_options options = olo_equilibrium_options_default();
            olo_equilibrium_summary sum;
            olo_error error = {0};
            options.end = rows[i].load;
            options.arc = arc == 1;
            scene s = scene_open(FRAME, NULL);
            check_ok(search(&s, &options, &sum, &error), &error);
            check_equal(0, sum.critical_count);
            check_equal(0, sum.unstable);
            check_close(rows[i].x, scene_q(&s, "left.end")[0], 2e-5);
            check_close(rows[i].y, scene_q(&s, "left.end")[1], 2e-5);
            scene_close(&s);
        }
}

TEST(frame_of_lee_ends_at_the_published_limit_load)
{
    olo_equilibrium_summary sum;
    olo_error error = {0};
    scene s = scene_open(FRAME, NULL);
    check_status(OLO_NOT_CONVERGED, search(&s, NULL, &sum, &error));
    check_equal(1, sum.critical_count);
    check_true(sum.critical[0].limit);
    check_relative(1.85445271, 20 * sum.load, 1e-7); /* shooting */
    check_close(1.85, 20 * sum.load, 0.005);         /* Lee, Manuel, Rossow 1968 */
    scene_close(&s);
}

/* --- a column with a small side load --- */

#define COLUMN                                                                                     \
    "parameters: {P: 5, side: 1e-6}\n"                                                             \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: 32, interpolation: quadratic, to: [1, 0, 0],\n"                       \
    "     stiffness: [1e8, 1e8, 1e8, 1, 3, 1], inertia: [1, 1e-4, 1e-4]}\n"                        \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [-P, 0, -P*side]}\n"

/* Complete elliptic integrals by the arithmetic-geometric mean, modulus k. */
static void elliptic(double k, double *K, double *E)
{
    double a = 1, b = sqrt(1 - k * k), sum = 0.5 * k * k, power = 0.5;
    for (int i = 0; i < 30; i++) {
        double c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        power *= 2;
        sum += power * c * c;
    }
    *K = pi / (2 * a);
    *E = *K * (1 - sum);
}

/* The column bends gradually into Euler's elastica: K(k) = sqrt(P), deflection 2 k/sqrt(P), height
 * 2 E(k)/sqrt(P) - 1. The straight branch is unstable here and not connected with the initial
 * state. */
TEST(imperfect_column_bends_into_the_elastica)
{
    double low = 0, high = 1, K = 0, E = 0;
    for (int i = 0; i < 100; i++) {
        elliptic(0.5 * (low + high), &K, &E);
        *(K < sqrt(5) ? &low : &high) = 0.5 * (low + high);
    }
    const char *const sides[] = {"1e-6", "1e-5", "1e-4"};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        olo_setting setting = {"side", sides[i]};
        double tolerance = 1e-6 + strtod(sides[i], NULL);
        olo_equilibrium_summary sum;
        olo_error error = {0};
        scene s = scene_open_set(COLUMN, NULL, &setting, 1);
        check_ok(search(&s, NULL, &sum, &error), &error);
        check_equal(0, sum.critical_count);
        check_equal(0, sum.unstable);
        check_close(-2 * low / sqrt(5), scene_q(&s, "b.end")[2], tolerance);
        check_close(2 * E / sqrt(5) - 1, scene_q(&s, "b.end")[0], tolerance);
        scene_close(&s);
    }
}

/* With equal stiffness in both planes, the buckled plane can rotate about the axis of the column,
 * and only the side load gives this rotation a stiffness. With a very small side load this
 * stiffness is a rounding error, and a change of its sign is no bifurcation. The perfect column has
 * one bifurcation, at Euler's load, the imperfect one has none. */
TEST(direction_without_stiffness_is_no_bifurcation)
{
    static const char round[] =
        "parameters: {P: 100, side: 1e-9}\n"
        "beams: {name: b, elements: 16, to: [1, 0, 0],\n"
        "  stiffness: [1e6, 1e6, 1e6, 10, 10, 10], inertia: [1, 1e-3, 1e-3]}\n"
        "supports: {on: b.start, type: fixed}\n"
        "loads: {on: b.end, force: [-P, side, 0]}\n";
    const char *const sides[] = {"1e-8", "1e-9", "1e-10"};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        olo_setting setting = {"side", sides[i]};
        olo_equilibrium_summary sum;
        olo_error error = {0};
        scene s = scene_open_set(round, NULL, &setting, 1);
        check_ok(search(&s, NULL, &sum, &error), &error);
        check_equal(0, sum.critical_count);
        check_equal(0, sum.unstable);
        check_true(sum.load == 1);
        scene_close(&s);
    }
}

/* --- beams with too few elements --- */

static void note_warning(void *context, const char *text)
{
    snprintf(context, 256, "%s", text);
}

/* Pure bending by M: an element of two nodes has M = EI sin(2 a)/(2 h) with the angle a between its
 * nodes, hence a limit point of the discretisation at EI/(2 h), 45 degrees. */
static void check_bent(const char *n, double largest, bool warns)
{
    olo_setting setting = {"n", n};
    const double M = 80 * pi, EI = 10, h = 1 / strtod(n, NULL);
    bool turns_back = M > EI / (2 * h);
    olo_equilibrium_summary sum;
    olo_error error = {0};
    char warning[256] = "";
    const olo_observer observer = {
        .initialised = OLO_INITIALISED_OBSERVER, .context = warning, .warn = note_warning};
    scene s = scene_open_set("parameters: {n: 20}\n"
                             "beams: {name: b, elements: n, to: [1, 0, 0],\n"
                             "  stiffness: [1e6, 1e6, 1e6, 10, 10, 10], inertia: [1, 1e-3, 1e-3]}\n"
                             "supports: {on: b.start, type: fixed}\n"
                             "loads: {on: b.end, moment: [0, 0, 80*pi]}\n",
                             NULL, &setting, 1);
    check_status(turns_back ? OLO_NOT_CONVERGED : OLO_OK,
                 olo_find_equilibrium(s.system, NULL, s.state, &observer, 1, &sum, &error));
    check_relative(turns_back ? EI / (2 * h) : M, M * sum.load, 1e-7);
    check_close(largest, sum.beam_rotation, 2e-4); /* at the limit point the load is flat */
    check_equal(0, sum.beam);
    check_true(warns == (warning[0] != '\0'));
    if (warns)
        check_contains("neighbouring nodes of beam 'b' are rotated by", warning);
    if (turns_back)
        check_contains("45 degrees relative to each other", error.text);
    if (turns_back)
        check_contains("take more elements", error.text);
    scene_close(&s);
}

TEST(too_few_elements_are_distinguished_from_snapping)
{
    check_bent("20", pi / 4, true);
    check_bent("52", 0.5 * asin(80 * pi * 2 / (52 * 10)), true);
    check_bent("80", 0.5 * asin(80 * pi * 2 / (80 * 10)), false);
}

/* A corner of a polyline is rigid: the angle between its sections is no deformation. */
TEST(rigid_corner_is_no_coarse_beam)
{
    olo_equilibrium_summary sum;
    olo_error error = {0};
    scene s =
        scene_open("beams: {name: b, elements: 4, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]],\n"
                   "  stiffness: [1e6, 1e6, 1e6, 10, 10, 10], inertia: [1, 1e-3, 1e-3]}\n"
                   "supports: {on: b.start, type: fixed}\n"
                   "loads: {on: b.end, force: [0, 0, 1e-6]}\n",
                   NULL);
    check_ok(search(&s, NULL, &sum, &error), &error);
    check_below(sum.beam_rotation, 1e-5);
    scene_close(&s);
}

/* --- kinks --- */

/* An arm is rotated by a given angle that increases and decreases again; where it reverses, the
 * path has no tangent. */
TEST(motion_with_kinks_is_followed)
{
    olo_equilibrium_summary sum;
    olo_error error = {0};
    scene s = scene_open(
        "beams:\n"
        "  - {name: arm, elements: 6, to: [10, 0, 0],\n"
        "     stiffness: [1e7, 1e7, 2.8e7, 1.4e4, 1.4e4, 1.4e4], inertia: [1.2, 6e-4, 6e-4]}\n"
        "joints:\n"
        "  - {name: hub, type: revolute, between: [ground, arm.start], axis: [0, 0, 1],\n"
        "     motion: \"if(t < 0.3, 3*t, if(t < 0.6, 0.9 - 5*(t - 0.3), -0.6 + 4*(t - 0.6)))\"}\n",
        NULL);
    check_ok(search(&s, NULL, &sum, &error), &error);
    check_equal(0, sum.critical_count);
    check_close(10 * cos(1.0), scene_q(&s, "arm.end")[0], 1e-9);
    check_close(10 * sin(1.0), scene_q(&s, "arm.end")[1], 1e-9);
    scene_close(&s);
}

/* An arm on a spring, 10 a = F cos a, until it reaches its stop at 0.2: then 10 a + 1e5 (a - 0.2) =
 * F cos a. */
TEST(stop_is_met_on_the_path)
{
    olo_equilibrium_summary sum;
    olo_error error = {0};
    scene s = scene_open("bodies: {name: arm, mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}\n"
                         "joints: {name: j, type: revolute, between: [ground, arm], axis: [0, 0, "
                         "1], stiffness: 10,\n"
                         "  lower: -0.2, upper: 0.2, stop_stiffness: 1e5}\n"
                         "loads: {name: push, on: {on: arm, at: [1, 0, 0]}, force: [0, 30, 0]}\n",
                         NULL);
    check_ok(search(&s, NULL, &sum, &error), &error);
    const double *q = scene_q(&s, "arm");
    double angle = atan2(q[4], q[3]);
    check_true(angle > 0.2);
    check_close(30 * cos(angle), 10 * angle + 1e5 * (angle - 0.2), 1e-6);
    check_equal(0, sum.critical_count);
    scene_close(&s);
}

/* --- subcritical branches --- */

/* A column on a hinge with a spring c = 1, held at its tip by two horizontal springs k = 1/2 of the
 * length far. At P = c + 2 k = 2 a branch goes down to a limit point near theta = pi/2, P = pi/2,
 * becomes stable there, and rises again. */
#define HELD_COLUMN                                                                                \
    "bodies: {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"                        \
    "joints: {name: foot, type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1],\n" \
    "         stiffness: 1}\n"                                                                     \
    "springs:\n"                                                                                   \
    "  - {name: left, between: [[-30, 1, 0], b], stiffness: 0.5}\n"                                \
    "  - {name: right, between: [[30, 1, 0], b], stiffness: 0.5}\n"                                \
    "loads: {on: b, force: [0, -1, 0]}\n"

/* P (1 - cos(theta))' = (c theta^2/2 + sum k (l - far)^2/2)' */
static double load_of_branch(double theta)
{
    const double far = 30, s = sin(theta), c = cos(theta);
    double sum = theta;
    for (int side = -1; side <= 1; side += 2) {
        const double x = far + side * s, l = sqrt(x * x + (1 - c) * (1 - c));
        sum += 0.5 * (l - far) * (side * x * c + (1 - c) * s) / l;
    }
    return sum / s;
}

/* The angle beyond the limit point with this load, by bisection; and the limit load. */
static double angle_of_branch(double load)
{
    double low = 0.5 * pi, high = 3;
    for (int i = 0; i < 60; i++) {
        const double theta = 0.5 * (low + high);
        *(load_of_branch(theta) < load ? &low : &high) = theta;
    }
    return low;
}

static double limit_of_branch(void)
{
    double least = 2;
    for (double theta = 1.4; theta < 1.7; theta += 1e-5)
        least = fmin(least, load_of_branch(theta));
    return least;
}

/* The largest distance of the states of the branch from its curve, and its lowest load. */
typedef struct branch_course {
    double apart, lowest;
    int count;
} branch_course;

static olo_status follow_branch(void *context, const olo_system *system, const olo_state *state,
                                long step, const olo_step_report *report, olo_error *error)
{
    branch_course *x = context;
    const double theta = fabs(atan2(state->q[0], state->q[1]));
    (void)system, (void)step, (void)report, (void)error;
    if (theta < 1e-3)
        return OLO_OK;
    x->apart = larger(x->apart, fabs(load_of_branch(theta) - state->t));
    x->lowest = x->count++ ? fmin(x->lowest, state->t) : state->t;
    return OLO_OK;
}

TEST(a_subcritical_branch_is_followed_down_and_up_again)
{
    for (int side = -1; side <= 1; side += 2) {
        scene s = scene_open(HELD_COLUMN, NULL);
        branch_course course = {0};
        olo_observer observer = olo_observer_default();
        olo_equilibrium_options options = olo_equilibrium_options_default();
        olo_equilibrium_summary sum;
        olo_error error = {0};
        observer.context = &course;
        observer.step = follow_branch;
        options.end = 2.5;
        options.branch = side;
        options.locate = true;
        check_ok(olo_find_equilibrium(s.system, &options, s.state, &observer, 1, &sum, &error),
                 &error);
        check_equal(2, sum.critical_count);
        check_true(!sum.critical[0].limit && sum.critical[1].limit);
        check_close(2.0, sum.critical[0].load, 1e-8);
        check_close(limit_of_branch(), sum.critical[1].load, 1e-6);
        check_equal(0, sum.unstable);
        check_close(angle_of_branch(2.5), fabs(atan2(s.state->q[0], s.state->q[1])), 1e-9);
        check_true(course.count > 10 && course.lowest < 1.6);
        check_below(course.apart, 1e-9);
        scene_close(&s);
    }
}

/* Load steps do not jump from the column to the states behind the branch: they stay on the straight
 * column, and say that it has become unstable. */
TEST(load_steps_beyond_a_subcritical_point_say_that_they_are_unstable)
{
    scene s = scene_open(HELD_COLUMN, NULL);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    olo_equilibrium_summary sum;
    olo_error error = {0};
    options.end = 2.5;
    options.step = 2.4; /* one long step */
    check_ok(olo_find_equilibrium(s.system, &options, s.state, NULL, 0, &sum, &error), &error);
    check_close(0, s.state->q[0], 1e-9);
    check_equal(1, sum.unstable);
    check_equal(1, sum.critical_count);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(overloaded_truss_ends_at_its_limit_point),
          cmocka_unit_test(limit_point_is_found_whatever_the_first_step),
          cmocka_unit_test(truss_is_stable_up_to_its_limit_point),
          cmocka_unit_test(frame_of_lee_stays_on_its_primary_branch),
          long_unit_test(frame_of_lee_ends_at_the_published_limit_load),
          cmocka_unit_test(imperfect_column_bends_into_the_elastica),
          cmocka_unit_test(direction_without_stiffness_is_no_bifurcation),
          cmocka_unit_test(too_few_elements_are_distinguished_from_snapping),
          cmocka_unit_test(rigid_corner_is_no_coarse_beam),
          cmocka_unit_test(motion_with_kinks_is_followed),
          cmocka_unit_test(stop_is_met_on_the_path),
          cmocka_unit_test(a_subcritical_branch_is_followed_down_and_up_again),
          cmocka_unit_test(load_steps_beyond_a_subcritical_point_say_that_they_are_unstable))
