/* Quantities that are conserved by the symmetries of a model: the system finds and names them, and
 * they are constant over a run. Energy (or its balance) is always the first. */
#include "scene.h"

#include "linalg/vec3.h"

#define SPIN "velocity: [0.3, -0.2, 0.4], angular_velocity: [1, 2, -3]"

/* The number of momentum maps; all of them must be constant over the run. */
static int momenta(const char *text, bool run)
{
    scene s = scene_open(text, "reduced");
    int count = olo_system_invariant_count(s.system) - 1;
    check_true(olo_system_invariant(s.system, 0)->energy);
    for (int i = 1; i <= count; i++) {
        const olo_invariant *x = olo_system_invariant(s.system, i);
        check_true(!x->energy);
        check_true(strlen(x->name) > 0 && strlen(x->why) > 0);
    }
    if (run)
        check_below(scene_drift(&s, 0.02, 100), 1e-12);
    scene_close(&s);
    return count;
}

/* Whether rotation.L + translation.P is in the span of the conserved quantities. */
static bool conserves(const char *text, double wx, double wy, double wz, double tx, double ty,
                      double tz)
{
    scene s = scene_open(text, "reduced");
    double basis[OLO_INVARIANTS_MAX][6], x[6] = {wx, wy, wz, tx, ty, tz}, left = 0;
    int count = 0;
    for (int i = 1; i < olo_system_invariant_count(s.system); i++) {
        const olo_invariant *v = olo_system_invariant(s.system, i);
        double y[6], norm = 0;
        vec3_copy(v->rotation, y);
        vec3_copy(v->translation, y + 3);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < count; k++) {
                double dot = 0;
                for (int j = 0; j < 6; j++)
                    dot += y[j] * basis[k][j];
                for (int j = 0; j < 6; j++)
                    y[j] -= dot * basis[k][j];
            }
        for (int j = 0; j < 6; j++)
            norm += y[j] * y[j];
        check_true(norm > 1e-20); /* independent */
        for (int j = 0; j < 6; j++)
            basis[count][j] = y[j] / sqrt(norm);
        count++;
    }
    for (int k = 0; k < count; k++) {
        double dot = 0;
        for (int j = 0; j < 6; j++)
            dot += x[j] * basis[k][j];
        for (int j = 0; j < 6; j++)
            x[j] -= dot * basis[k][j];
    }
    for (int j = 0; j < 6; j++)
        left += x[j] * x[j];
    scene_close(&s);
    return sqrt(left) < 1e-9;
}

static bool has_name(const char *text, const char *name)
{
    scene s = scene_open(text, "reduced");
    bool found = false;
    for (int i = 0; i < olo_system_invariant_count(s.system); i++)
        found = found || strcmp(olo_system_invariant(s.system, i)->name, name) == 0;
    scene_close(&s);
    return found;
}

#define FREE "bodies: {name: b, mass: 2, center: [0.1, 0, 0.2], inertia: [1, 2, 2.5], " SPIN "}\n"

TEST(free_body_conserves_all_six_momenta)
{
    check_equal(6, momenta(FREE, true));
    static const char *const names[] = {"energy",
                                        "linear momentum x",
                                        "linear momentum y",
                                        "linear momentum z",
                                        "angular momentum x",
                                        "angular momentum y",
                                        "angular momentum z"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_true(has_name(FREE, names[i]));
    check_equal(6, momenta("spring-chain", true));
}

TEST(gravity_leaves_what_is_across_it_and_about_it)
{
    const char *vertical = "gravity: [0, 0, -9.81]\n" FREE;
    const char *oblique = "gravity: [3, 0, -4]\n" FREE;
    check_equal(3, momenta(vertical, true));
    check_true(conserves(vertical, 0, 0, 1, 0, 0, 0));
    check_true(conserves(vertical, 0, 0, 0, 1, 0, 0));
    check_true(conserves(vertical, 0, 0, 0, 0, 1, 0));
    check_equal(3, momenta(oblique, true));
    check_true(conserves(oblique, 3, 0, -4, 0, 0, 0));
    check_true(conserves(oblique, 0, 0, 0, 4, 0, 3));
    check_true(conserves(oblique, 0, 0, 0, 0, 1, 0));
    check_true(!conserves(oblique, 0, 0, 1, 0, 0, 0));
}

TEST(heavy_top_conserves_the_angular_momentum_about_the_vertical_through_its_support)
{
    check_equal(1, momenta("heavy-top", true));
    check_true(has_name("heavy-top", "angular momentum z"));
    const char *aside = "gravity: [0, 0, -9.81]\n"
                        "bodies: {name: b, mass: 2, center: [0.1, 0, 0.2], inertia: [1, 2, 2.5], "
                        "angular_velocity: [1, 2, -3], position: [3, -5, 7]}\n"
                        "supports: {on: b, type: point}\n";
    check_equal(1, momenta(aside, true));
    /* L_z about (3, -5): L_z - 3 P_y - 5 P_x, rotation about a line through c: translation = c x w
     */
    check_true(conserves(aside, 0, 0, 1, -5, -3, 0));
    check_true(!conserves(aside, 0, 0, 1, 0, 0, 0));
    check_true(has_name(aside, "angular momentum z about (3, -5, 0)"));
    /* without gravity the angular momentum about the point */
    const char *weightless = "bodies: {name: b, mass: 2, center: [0.1, 0, 0.2], inertia: [1, 2, "
                             "2.5], angular_velocity: [1, 2, -3], position: [3, -5, 7]}\n"
                             "supports: {on: b, type: point}\n";
    check_equal(3, momenta(weightless, true));
    check_true(conserves(weightless, 1, 0, 0, 0, 7, 5));
    check_true(conserves(weightless, 0, 1, 0, -7, 0, 3));
    /* oblique gravity through a point that is not the origin */
    const char *oblique = "gravity: [1, 2, -2]\n"
                          "bodies: {name: b, mass: 2, center: [0.1, 0, 0.2], inertia: [1, 2, 2.5], "
                          "angular_velocity: [1, 2, -3], position: [3, -5, 7]}\n"
                          "supports: {on: b, type: point}\n";
    check_equal(1, momenta(oblique, true));
    /* c x w with c = (3, -5, 7), w = (1, 2, -2) */
    check_true(conserves(oblique, 1, 2, -2, -5 * -2 - 7 * 2, 7 * 1 - 3 * -2, 3 * 2 + 5 * 1));
}

TEST(supports_conserve_what_they_let_free)
{
    const char *slide = FREE "supports: {on: b, type: slide, axis: [0, 1, 0]}\n";
    check_equal(2, momenta(slide, true)); /* along the rail, and about it */
    check_true(conserves(slide, 0, 0, 0, 0, 1, 0));
    check_true(conserves(slide, 0, 1, 0, 0, 0, 0));
    const char *plane = FREE "supports: {on: b, type: plane, axis: [0, 1, 0]}\n";
    check_equal(3, momenta(plane, true));
    check_true(conserves(plane, 0, 1, 0, 0, 0, 0));
    check_true(conserves(plane, 0, 0, 0, 1, 0, 0));
    check_true(conserves(plane, 0, 0, 0, 0, 0, 1));
    const char *hinge = "bodies: {name: b, mass: 2, center: [0.1, 0, 0.2], inertia: [1, 2, 2.5], "
                        "angular_velocity: [2, 2, -2], position: [1, 0, 0]}\n"
                        "supports: {on: b, type: hinge, axis: [1, 1, -1]}\n";
    check_equal(1, momenta(hinge, true));
    check_true(conserves(hinge, 1, 1, -1, 0, 1, 1));
    const char *center = FREE "supports: {on: b, type: center}\n";
    check_equal(3, momenta(center, true));
    const char *fixed = FREE "supports: {on: b, type: fixed}\n";
    check_equal(0, momenta(fixed, true));
}

TEST(planar_models_conserve_what_is_in_the_plane)
{
    const char *text = "plane: xy\nbodies: {name: b, mass: 2, center: [0.1, 0.2, 0], inertia: [1, "
                       "2, 2.5], velocity: [1, 2, 0], angular_velocity: [0, 0, 3]}\n";
    check_equal(3, momenta(text, true));
    check_true(conserves(text, 0, 0, 1, 0, 0, 0));
    check_true(conserves(text, 0, 0, 0, 1, 0, 0));
    check_true(conserves(text, 0, 0, 0, 0, 1, 0));
    check_equal(0, momenta("planar-pendulum", true));
}

TEST(springs_to_ground_leave_the_axis_through_their_feet)
{
    const char *one = FREE "springs: {between: [[1, 0, 0], b], stiffness: 10, length: 0.5}\n";
    check_equal(3, momenta(one, true));
    check_true(conserves(one, 0, 0, 1, 0, -1, 0)); /* about the foot */
    const char *two = FREE "springs: [{between: [[1, 0, 0], b], stiffness: 10, length: 0.5}, "
                           "{between: [[3, 0, 0], b], stiffness: 5, length: 1}]\n";
    check_equal(1, momenta(two, true));
    check_true(conserves(two, 1, 0, 0, 0, 0, 0));
    const char *three = FREE "springs: [{between: [[1, 0, 0], b], stiffness: 10, length: 0.5}, "
                             "{between: [[3, 0, 0], b], stiffness: 5, length: 1}, {between: [[3, "
                             "1, 0], b], stiffness: 5, length: 1}]\n";
    check_equal(0, momenta(three, true));
    /* a linear spring without offset is isotropic about its foot; with an offset along x the
     * rotation about x remains, through the displaced foot */
    const char *linear = FREE "springs: {between: [[1, 0, 0], b], type: linear, stiffness: 10}\n";
    check_equal(3, momenta(linear, true));
    const char *moved = FREE "springs: {between: [[1, 0, 0], b], type: linear, stiffness: 10, "
                             "offset: [0, 2, 0]}\n";
    check_equal(3, momenta(moved, true));
    check_true(conserves(moved, 0, 0, 1, 2, -1, 0)); /* c = (1, 2, 0): c x e_z = (2, -1, 0) */
}

TEST(damper_to_ground_conserves_angular_momentum_about_its_foot_only_along_its_line)
{
    /* between parts a damper conserves all momenta */
    const char *inner = "points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [0, 1, 0]}, "
                        "{name: b, mass: 1, position: [1, 0, 0]}]\n"
                        "dampers: {between: [a, b], damping: 0.5}\n";
    check_equal(6, momenta(inner, true));
    check_true(has_name(inner, "energy balance"));
    /* along the line to a foot: no moment about the foot */
    const char *foot = "points: {name: a, mass: 1, position: [1, 0, 0], velocity: [0.1, 1, 0]}\n"
                       "dampers: {between: [ground, a], damping: 0.5}\n";
    check_true(momenta(foot, true) <= 3);
    /* isotropic: opposite to every velocity; conserved quantities must be constant */
    const char *linear = "points: {name: a, mass: 1, position: [1, 0, 0], velocity: [0.1, 1, "
                         "0.5]}\ndampers: {between: [ground, a], type: linear, damping: 0.5}\n";
    check_equal(0, momenta(linear, true));
    const char *pair = "points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [0, 1, 0]}, "
                       "{name: b, mass: 1, position: [1, 0, 0], velocity: [0, 0, 2]}]\n"
                       "dampers: {between: [a, b], type: linear, damping: 0.5}\n";
    momenta(pair, true);
    check_true(conserves(pair, 0, 0, 0, 1, 0, 0));
}

TEST(dead_force_leaves_what_is_across_it)
{
    const char *through = FREE "loads: {on: {on: b, at: [0.1, 0, 0.2]}, force: [0, 0, 3]}\n";
    check_equal(3, momenta(through, true));
    check_true(conserves(through, 0, 0, 0, 1, 0, 0));
    check_true(conserves(through, 0, 0, 0, 0, 1, 0));
    check_true(conserves(through, 0, 0, 1, 0, 0, 0));
    check_true(has_name(through, "energy balance"));
    const char *timed = FREE "loads: {on: b, force: [0, 0, 3], time: sin(5*t)}\n";
    check_equal(3, momenta(timed, true));
}

TEST(moments_and_forces_that_turn_with_the_body)
{
    const char *dead = FREE "loads: {on: b, moment: [0, 0, 3]}\n";
    check_equal(5, momenta(dead, true));
    check_true(conserves(dead, 1, 0, 0, 0, 0, 0));
    check_true(!conserves(dead, 0, 0, 1, 0, 0, 0));
    const char *turning = FREE "loads: {on: b, moment: [0, 0, 3], frame: body}\n";
    check_equal(3, momenta(turning, true));
    check_true(conserves(turning, 0, 0, 0, 1, 0, 0));
    const char *thrust = FREE "loads: {on: b, force: [0, 0, 3], frame: body}\n";
    check_equal(0, momenta(thrust, true));
}

TEST(nothing_is_conserved_where_nothing_is_symmetric)
{
    const char *text = "gravity: [0, 0, -9.81]\n" FREE
                       "springs: [{between: [[1, 0, 0], b], stiffness: 10, length: 0.5}, {between: "
                       "[[0, 1, 2], b], stiffness: 10, length: 0.5}]\n";
    check_equal(0, momenta(text, true));
    scene s = scene_open(text, "reduced");
    check_equal(1, olo_system_invariant_count(s.system));
    check_text("energy", olo_system_invariant(s.system, 0)->name);
    scene_close(&s);
}

TEST(size_of_the_model_does_not_change_what_is_found)
{
    static const char *const sizes[] = {"1e-6", "1", "1e6"};
    for (int i = 0; i < 3; i++) {
        olo_setting setting = {.name = "s", .value = sizes[i]};
        const char *text = "parameters: {s: 1}\ngravity: [0, 0, -9.81*s]\n"
                           "points: [{name: a, mass: 1, position: [s, 0, 0], velocity: [0, s, "
                           "0]}, {name: b, mass: 1, position: [2*s, 0, 0]}]\n"
                           "rods: [{between: [[0, 0, 0], a]}, {between: [a, b]}]\n"
                           "springs: {between: [[0, 0, 3*s], b], stiffness: 10, length: s}\n";
        scene s = scene_open_set(text, "reduced", &setting, 1);
        check_equal(2, olo_system_invariant_count(s.system));
        check_text("angular momentum z", olo_system_invariant(s.system, 1)->name);
        check_below(scene_drift(&s, 0.01, 100), 1e-12);
        scene_close(&s);
        text = "parameters: {s: 1}\n"
               "points: [{name: a, mass: 1, position: [s, 0, 0], velocity: [0, s, 0]}, {name: b, "
               "mass: 1, position: [2*s, 0, 0]}]\n"
               "springs: [{between: [[0, 0, 3*s], b], stiffness: 10, length: s}, {between: [[0, s, "
               "3*s], a], stiffness: 10, length: s}, {between: [[s, s, 3*s], a], stiffness: 10, "
               "length: s}]\n";
        s = scene_open_set(text, "reduced", &setting, 1);
        check_equal(1, olo_system_invariant_count(s.system));
        scene_close(&s);
    }
}

/* A hinge conserves the angular momentum about its axis if this is vertical, and nothing otherwise,
 * at any position. */
TEST(where_the_model_is_does_not_change_what_is_found)
{
    static const char *const positions[] = {"0", "3", "1e6", "1e12"};
    const char *text = "parameters: {x: 0, vertical: 1}\ngravity: [0, 0, -9.81]\n"
                       "bodies: {name: b, mass: 1, inertia: [1, 2, 2], center: [0.5, 0, 0], "
                       "position: [x, 0, 0]}\n"
                       "joints: {name: h, between: [ground, b], at: [x, 0, 0], axis: [0, 1 - "
                       "vertical, vertical]}\n";
    for (int i = 0; i < 4; i++) {
        const olo_setting settings[2] = {{.name = "x", .value = positions[i]},
                                         {.name = "vertical", .value = "1"}};
        scene s = scene_open_set(text, "reduced", settings, 2);
        check_equal(2, olo_system_invariant_count(s.system));
        const olo_invariant *turn = olo_system_invariant(s.system, 1);
        check_close(1.0, turn->rotation[2], 1e-12);
        /* L_z about the axis is L_z - (x P_y - y P_x), and the axis goes through (x, 0) */
        const double x = strtod(positions[i], NULL);
        check_close(-x, turn->translation[1], 1e-9 * (1 + x));
        scene_close(&s);
        const olo_setting across[2] = {settings[0], {.name = "vertical", .value = "0"}};
        s = scene_open_set(text, "reduced", across, 2);
        check_equal(1, olo_system_invariant_count(s.system));
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(free_body_conserves_all_six_momenta),
          cmocka_unit_test(gravity_leaves_what_is_across_it_and_about_it),
          cmocka_unit_test(
              heavy_top_conserves_the_angular_momentum_about_the_vertical_through_its_support),
          cmocka_unit_test(supports_conserve_what_they_let_free),
          cmocka_unit_test(planar_models_conserve_what_is_in_the_plane),
          cmocka_unit_test(springs_to_ground_leave_the_axis_through_their_feet),
          cmocka_unit_test(
              damper_to_ground_conserves_angular_momentum_about_its_foot_only_along_its_line),
          cmocka_unit_test(dead_force_leaves_what_is_across_it),
          cmocka_unit_test(moments_and_forces_that_turn_with_the_body),
          cmocka_unit_test(nothing_is_conserved_where_nothing_is_symmetric),
          cmocka_unit_test(size_of_the_model_does_not_change_what_is_found),
          cmocka_unit_test(where_the_model_is_does_not_change_what_is_found))
