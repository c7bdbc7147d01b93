/* Each support alone: it constrains the directions that it should, leaves the others free, and
 * conserves the quantities of its symmetry. Planar models stay in their plane and move as the
 * spatial ones do. */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

#define BODY                                                                                       \
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [1, 2, 2.5, 0.1, 0.2, -0.1], "  \
    "position: [1, 2, 3], rotation: {axis: [1, 2, 3], angle: 0.7}, velocity: [0.5, 1, -0.3], "     \
    "angular_velocity: [1, -2, 3], points: {p: [0.4, 0.3, -0.5]}}\n"

static void position_of_point(const scene *s, double x[3])
{
    olo_error error = {0};
    const olo_point_on_body p = {.on = "b.p"};
    double v[3];
    check_ok(olo_system_point_on_body(s->system, s->state, &p, x, v, &error), &error);
}

/* Runs 300 steps. The point may move along the `allowed` directions, the body may rotate about
 * `axis` (NULL: about any). */
static void check_support(const char *type, int unknowns, int allowed, const double *directions,
                          const double *axis, bool turns)
{
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n" BODY "supports: {name: s, on: b.p, type: %s}\n", type);
        scene s = scene_open(text, treatments[k]);
        double start[3], x[3], moved = 0, director[9];
        if (k == 0)
            check_equal(unknowns, olo_stepper_unknown_count(s.stepper));
        position_of_point(&s, start);
        memcpy(director, scene_q(&s, "b") + 3, sizeof director);
        for (int n = 0; n < 300; n++) {
            check_below(scene_drift(&s, 0.01, 1), 1e-12);
            check_below(scene_ledger(&s).constraint_error, 1e-13);
            position_of_point(&s, x);
            double off[3];
            vec3_subtract(x, start, off);
            moved = larger(moved, vec3_norm(off));
            for (int i = 0; i < allowed; i++)
                vec3_add(-vec3_dot(off, directions + 3 * i), directions + 3 * i, off);
            check_below(vec3_norm(off), 1e-12);
            for (int I = 0; I < 9; I += 3) {
                const double *d = scene_q(&s, "b") + 3 + I;
                if (axis)
                    check_close(vec3_dot(axis, director + I), vec3_dot(axis, d), 1e-13);
                for (int i = 0; !turns && i < 3; i++)
                    check_close(director[I + i], d[i], 1e-13);
            }
        }
        check_true(allowed == 0 || moved > 0.1);
        check_equal(0, s.halvings);
        scene_close(&s);
    }
}

TEST(point_support_fixes_the_point)
{
    check_support("point", 3, 0, NULL, NULL, true);
}

TEST(slide_support_holds_the_point_on_its_line)
{
    double axis[3] = {1, -2, 0.5};
    vec3_normalise(axis);
    check_support("slide, axis: [1, -2, 0.5]", 4, 1, axis, NULL, true);
}

TEST(plane_support_holds_the_point_in_its_plane)
{
    double axis[3] = {1, -2, 0.5}, rows[6];
    vec3_normalise(axis);
    vec3_transversals(axis, rows, rows + 3);
    check_support("plane, axis: [1, -2, 0.5]", 5, 2, rows, NULL, true);
}

TEST(hinge_turns_about_its_axis_only)
{
    double axis[3] = {1, -2, 0.5};
    vec3_normalise(axis);
    check_support("hinge, axis: [1, -2, 0.5]", 1, 0, NULL, axis, true);
}

TEST(fixed_body_does_not_move)
{
    check_support("fixed", 0, 0, NULL, NULL, false);
}

TEST(center_support_turns_freely_under_gravity)
{
    for (int k = 0; k < 2; k++) {
        scene s =
            scene_open("gravity: [0, 0, -9.81]\n" BODY "supports: {name: s, on: b, type: center}\n",
                       treatments[k]);
        double start[3], x[3], v[3], L[3];
        olo_error error = {0};
        const olo_point_on_body center = {.on = "b", .at = {0.1, -0.2, 0.3}};
        check_ok(olo_system_point_on_body(s.system, s.state, &center, start, v, &error), &error);
        check_below(vec3_norm(v), 1e-14); /* the start was projected */
        vec3_copy(scene_ledger(&s).angular_momentum, L);
        for (int n = 0; n < 300; n++) {
            scene_run(&s, 0.01, 1);
            check_ok(olo_system_point_on_body(s.system, s.state, &center, x, v, &error), &error);
            for (int i = 0; i < 3; i++) {
                check_close(start[i], x[i], 1e-13);
                /* gravity has no moment about the centre: L (P = 0) is constant in all components
                 */
                check_close(L[i], scene_ledger(&s).angular_momentum[i], 1e-11 * vec3_norm(L));
            }
        }
        scene_close(&s);
    }
}

TEST(resting_systems_rest)
{
    static const char *const types[] = {"point",
                                        "slide, axis: [1, 0, 0]",
                                        "plane, axis: [0, 0, 1]",
                                        "hinge, axis: [0, 1, 0]",
                                        "fixed",
                                        "center"};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            char text[512];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {name: b, mass: 2, inertia: [1, 2, 2.5], points: {p: [0, 0, 0.5]}}\n"
                     "supports: {on: b.p, type: %s}\n",
                     types[i]);
            scene s = scene_open(text, treatments[k]);
            scene_run(&s, 0.01, 100);
            for (int j = 0; j < 12; j++) {
                check_close(j == 3 || j == 7 || j == 11, scene_q(&s, "b")[j], 1e-14);
                check_close(0, scene_v(&s, "b")[j], 1e-12);
            }
            check_below((double)s.iterations, 300);
            scene_close(&s);
        }
}

TEST(support_moves_a_body_that_was_not_placed)
{
    scene s = scene_open("bodies: {name: b, mass: 1, inertia: [1, 1, 1], rotation: {axis: [0, 0, "
                         "1], angle: pi/2}, angular_velocity: [0, 0, 2], points: {p: [1, 0, 0]}}\n"
                         "supports: {on: b.p, type: point, at: [5, 5, 5]}\n",
                         "reduced");
    const double q[3] = {5, 4, 5},
                 v[3] = {2, 0, 0}; /* the origin is at -e_y from the point: v = omega x (-e_y) */
    for (int i = 0; i < 3; i++) {
        check_close(q[i], scene_q(&s, "b")[i], 1e-15);
        check_close(v[i], scene_v(&s, "b")[i], 1e-15);
    }
    check_below(s.projection.position, 1e-14);
    check_below(s.projection.velocity, 1e-14);
    scene_close(&s);
}

/* --- planes --- */

#define PLANAR                                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {name: b, mass: 2, center: [0.1, 0, 0.3], inertia: [1, 2, 2.5], angular_velocity: "   \
    "[0, 3, 0], velocity: [1, 0, 2], points: {p: [0.4, 0, -0.5]}}\n"                               \
    "points: [{name: a, mass: 1, position: [1, 0, -1], velocity: [0, 0, 1]}, {name: c, mass: 1, "  \
    "position: [2, 0, -1]}]\n"                                                                     \
    "rods: [{between: [b.p, a]}, {between: [a, c]}]\n"                                             \
    "springs: {between: [c, [3, 0, 0]], stiffness: 20, length: 0.5, damping: 0.1}\n"               \
    "loads: {on: b.p, force: [3, 0, 4], moment: [0, 2, 0], frame: body, time: cos(t)}\n"

TEST(planar_models_equal_the_spatial_ones_and_stay_in_the_plane)
{
    static const char *const supports[] = {
        "", "supports: {on: b, type: point}\n", "supports: {on: b, type: hinge, axis: [0, 1, 0]}\n",
        "supports: {on: b, type: slide, axis: [1, 0, 1]}\n", "supports: {on: b, type: center}\n"};
    for (size_t i = 0; i < sizeof supports / sizeof *supports; i++)
        for (int k = 0; k < 2; k++) {
            char planar[2048], spatial[2048];
            snprintf(planar, sizeof planar, "plane: xz\n" PLANAR "%s", supports[i]);
            snprintf(spatial, sizeof spatial, PLANAR "%s", supports[i]);
            scene a = scene_open(planar, treatments[k]), b = scene_open(spatial, treatments[k]);
            if (k == 0)
                check_true(olo_stepper_unknown_count(a.stepper) <= 5);
            for (int n = 0; n < 100; n++) {
                scene_run(&a, 0.01, 1);
                scene_run(&b, 0.01, 1);
                check_below(scene_distance(18, olo_state_configuration(a.state),
                                           olo_state_configuration(b.state)),
                            1e-11);
                check_close(0, scene_q(&a, "a")[1], 1e-14);
                check_close(0, scene_q(&a, "c")[1], 1e-14);
                check_close(0, scene_q(&a, "b")[1], 1e-14);
                check_close(1, scene_q(&a, "b")[7], 1e-14);
            }
            check_below(scene_ledger(&a).constraint_error, 1e-13);
            scene_close(&a);
            scene_close(&b);
        }
}

TEST(oblique_planes_hold)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("plane: [1, 2, 2]\ngravity: [3, 1, -5]\n" BODY
                             "points: {name: a, mass: 1, position: [3, 1, -1]}\n"
                             "rods: {between: [b.p, a]}\n",
                             treatments[k]);
        const double n[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
        double body = vec3_dot(n, scene_q(&s, "b")), point = vec3_dot(n, scene_q(&s, "a"));
        check_below(scene_drift(&s, 0.01, 200), 1e-12);
        check_close(body, vec3_dot(n, scene_q(&s, "b")), 1e-13);
        check_close(point, vec3_dot(n, scene_q(&s, "a")), 1e-13);
        check_close(0, vec3_dot(n, scene_v(&s, "a")),
                    1e-11); /* round-off times 2/h, over 200 steps */
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(point_support_fixes_the_point),
          cmocka_unit_test(slide_support_holds_the_point_on_its_line),
          cmocka_unit_test(plane_support_holds_the_point_in_its_plane),
          cmocka_unit_test(hinge_turns_about_its_axis_only),
          cmocka_unit_test(fixed_body_does_not_move),
          cmocka_unit_test(center_support_turns_freely_under_gravity),
          cmocka_unit_test(resting_systems_rest),
          cmocka_unit_test(support_moves_a_body_that_was_not_placed),
          cmocka_unit_test(planar_models_equal_the_spatial_ones_and_stay_in_the_plane),
          cmocka_unit_test(oblique_planes_hold))
