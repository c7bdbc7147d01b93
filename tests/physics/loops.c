/* `reduced` and `multipliers` compute the same discrete motion, of the models of the catalogue and
 * of random models, with loops and redundant rows. Conserved quantities are constant in both. Two
 * runs of one model give the same bits. */
#include "scene.h"

static const char *const treatments[] = {"reduced", "multipliers"};

/* Largest relative distance of `reduced` and another treatment over a run. The velocities of
 * directors without mass are compared as well: they follow from the same increments. */
static double distance_to(const char *other, const char *model, double h, int steps)
{
    scene a = scene_open(model, "reduced"), b = scene_open(model, other);
    int n = olo_system_coordinate_count(a.system);
    double worst = 0, speed = 0,
           gap = 0; /* the largest values of the run: near an equilibrium all are small */
    for (int i = 0; i < steps; i++) {
        scene_run(&a, h, 1);
        scene_run(&b, h, 1);
        double q =
            scene_distance(n, olo_state_configuration(a.state), olo_state_configuration(b.state));
        check_true(isfinite(q));
        worst = larger(worst, q);
        for (int j = 0; j < n; j++) {
            /* sections of beams have almost no rotary inertia: their rates are dominated by
             * rounding (beam sheet, 15) */
            const olo_coordinate *c = &a.system->coordinates[j];
            if (c->slot > 0 && a.system->nodes[c->node].section)
                continue;
            speed = larger(speed, fabs(olo_state_velocity(b.state)[j]));
            gap =
                larger(gap, fabs(olo_state_velocity(a.state)[j] - olo_state_velocity(b.state)[j]));
        }
        check_true(isfinite(gap));
    }
    /* a model that hangs at rest has the velocities of rounding errors only */
    if (speed > 1e-14)
        worst = larger(worst, gap / speed);
    check_equal(a.halvings, b.halvings);
    scene_close(&a);
    scene_close(&b);
    return worst;
}

static double distance(const char *model, double h, int steps)
{
    return distance_to("multipliers", model, h, steps);
}

TEST(catalogue_models_move_alike)
{
    olo_catalogue *catalogue = NULL;
    olo_error error = {0};
    check_ok(olo_catalogue_open(&catalogue, &error), &error);
    check_true(olo_catalogue_count(catalogue) >= 7);
    for (int i = 0; i < olo_catalogue_count(catalogue); i++) {
        const char *name = olo_catalogue_name(catalogue, i);
        scene s = scene_open(name, NULL);
        double h = s.run.step;
        bool beams = s.system->beam_count > 0, events = s.system->event_count > 0;
        scene_close(&s);
        if (events) /* physics/events.c */
            continue;
        double apart = distance(name, h, 100);
        print_message("%-28s %.1e\n", name, apart);
        /* beams: the rounding of an elongation, 1e-16, times EA h over the mass of a node, relative
         * to the speed: 3e-9 for the cantilever */
        check_below(apart, beams ? 1e-8 : 1e-10);
    }
    olo_catalogue_free(catalogue);
}

/* --- random models --- */

typedef struct writer {
    char at[8192];
    size_t used;
} writer;

__attribute__((format(printf, 2, 3))) static void add(writer *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, arguments);
    va_end(arguments);
    check_true(t->used < sizeof t->at);
}

static unsigned long long seed = 51;

static double any(void)
{
    return scene_random(&seed);
}

static int pick(int n)
{
    return (int)((any() * 0.5 + 0.5) * n) % n;
}

/* A random vector as text, valid until the sixteenth call after this one. */
static const char *vector(double size)
{
    static char texts[16][96];
    static int next = 0;
    next = (next + 1) % 16;
    snprintf(texts[next], sizeof texts[next], "[%.6f, %.6f, %.6f]", size * any(), size * any(),
             size * any());
    return texts[next];
}

/* A point on a body (with an arm), or a point mass. */
static const char *random_point(int bodies, int points)
{
    static char texts[4][128];
    static int next = 0;
    next = (next + 1) % 4;
    int k = pick(bodies + points);
    if (k < bodies)
        snprintf(texts[next], sizeof texts[next], "{on: b%d, at: %s}", k, vector(0.5));
    else
        snprintf(texts[next], sizeof texts[next], "p%d", k - bodies);
    return texts[next];
}

static void write_nodes(writer *t, int bodies, int points)
{
    add(t, "gravity: %s\nbodies:\n", vector(9.81));
    for (int i = 0; i < bodies; i++)
        add(t,
            "  - {name: b%d, mass: %.3f, center: %s, inertia: [%.3f, %.3f, %.3f, 0.02, -0.01, "
            "0.03], position: %s, rotation: {axis: [1, %.3f, %.3f], angle: %.3f}, "
            "angular_velocity: %s}\n",
            i, 1 + 0.5 * any(), vector(0.2), 1.2 + 0.1 * any(), 1.3 + 0.1 * any(),
            1.4 + 0.1 * any(), vector(3), any(), any(), 3 * any(), vector(1));
    add(t, "points:\n");
    for (int i = 0; i < points; i++)
        add(t, "  - {name: p%d, mass: %.3f, position: %s, velocity: %s}\n", i, 1 + 0.5 * any(),
            vector(3), vector(1));
}

static void write_model(writer *t)
{
    static const char *const supports[] = {"point", "center", "slide", "plane", "hinge", "fixed"};
    int bodies = 1 + pick(3), points = 1 + pick(3);
    t->used = 0;
    write_nodes(t, bodies, points);
    add(t, "rods:\n");
    for (int i = 0; i < points; i++)
        add(t, "  - {between: [%s, p%d]}\n",
            i == 0 || pick(2) ? (pick(2) ? "[0, 0, 5]" : random_point(bodies, 0)) : "p0", i);
    if (pick(3) == 0)
        add(t, "  - {between: [%s, [6, 0, 0]]}\n", random_point(bodies, 0)); /* a closure */
    add(t, "springs:\n");
    add(t, "  - {between: [%s, [0, 6, 0]], stiffness: 20, length: 1}\n",
        random_point(bodies, points));
    add(t, "  - {between: [%s, %s], type: linear, stiffness: 5, offset: %s, damping: 0.5}\n",
        random_point(bodies, 0), random_point(0, points), vector(1));
    add(t, "dampers:\n  - {between: [%s, [0, 0, 7]], damping: 0.3}\n",
        random_point(bodies, points));
    add(t, "loads:\n  - {on: %s, force: %s, moment: %s, frame: body, time: cos(3*t)}\n",
        random_point(bodies, 0), vector(3), vector(2));
    add(t, "  - {on: %s, force: %s}\n", random_point(bodies, points), vector(3));
    if (pick(3) > 0)
        add(t, "supports:\n  - {on: %s, type: %s, axis: %s}\n", random_point(1, 0),
            supports[pick(6)], vector(1));
}

TEST(random_models_move_alike_and_satisfy_their_balance)
{
    double worst = 0, drift = 0;
    for (int k = 0; k < 60; k++) {
        writer t;
        write_model(&t);
        double apart = distance(t.at, 0.02, 25);
        if (!(apart <= 1e-10))
            print_message("%s", t.at);
        check_below(apart, 1e-10);
        worst = larger(worst, apart);
        scene s = scene_open(t.at, treatments[k % 2]);
        drift = larger(drift, scene_drift(&s, 0.02, 50));
        check_below(drift, 1e-11);
        check_below(scene_ledger(&s).constraint_error, 1e-12);
        scene_close(&s);
    }
    print_message("60 models: apart by at most %.1e, balance satisfied to %.1e\n", worst, drift);
}

/* --- loops --- */

#define TRIANGLE                                                                                   \
    "points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [0, 0, 1]}, {name: b, mass: 2, "   \
    "position: [1, 0, 0], velocity: [0, 1, -1]}, {name: c, mass: 3, position: [0.3, 0.9, 0], "     \
    "velocity: [0.2, 0, 2]}]\n"                                                                    \
    "rods: [{name: ab, between: [a, b]}, {name: bc, between: [b, c]}, {name: ca, between: [c, "    \
    "a]}]\n"

static void check_loop(const char *model, int closures, int redundant)
{
    olo_counts counts;
    olo_error error = {0};
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(model, treatments[k]);
        check_ok(olo_system_counts(s.system, &counts, &error), &error);
        check_equal(closures, counts.closures);
        check_equal(redundant, counts.constraints - counts.rank);
        check_below(scene_drift(&s, 0.01, 200), 1e-12);
        check_below(scene_ledger(&s).constraint_error, 1e-12);
        check_equal(0, s.halvings);
        scene_close(&s);
    }
    check_below(distance(model, 0.01, 200), 1e-10);
}

TEST(triangle_of_rods_flies_as_a_rigid_body)
{
    check_loop(TRIANGLE, 1, 0);
}

TEST(square_of_rods_on_the_ground_turns_as_a_linkage)
{
    check_loop("plane: xy\ngravity: [0, -9.81]\n"
               "points: [{name: a, mass: 1, position: [1, 0], velocity: [0, 1]}, {name: b, mass: "
               "2, position: [1, 1], velocity: [-1, 1]}, {name: c, mass: 3, position: [0, 1], "
               "velocity: [-1, 0]}]\n"
               "rods: [{name: g, between: [[0, 0, 0], a]}, {name: ab, between: [a, b]}, {name: bc, "
               "between: [b, c]}, {name: d, between: [[0, 0, 0], c]}]\n",
               1, 0);
}

TEST(square_with_a_redundant_diagonal_is_a_rigid_body)
{
    /* both diagonals: the second is redundant (in the plane) */
    check_loop("plane: xy\ngravity: [0, -9.81]\n"
               "points: [{name: o, mass: 1, position: [0, 0], velocity: [1, 2]}, {name: a, mass: "
               "1, position: [1, 0], velocity: [1, 3]}, {name: b, mass: 2, position: [1, 1], "
               "velocity: [0, 3]}, {name: c, mass: 3, position: [0, 1], velocity: [0, 2]}]\n"
               "rods: [{between: [o, a]}, {between: [a, b]}, {between: [b, c]}, {between: [c, o]}, "
               "{between: [o, b]}, {between: [a, c]}]\n",
               3, 1);
}

TEST(two_tetrahedra_with_a_redundant_strut_are_a_rigid_body)
{
    check_loop("gravity: [0, 0, -9.81]\n"
               "points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [0, 0, 1]}, {name: b, "
               "mass: 2, position: [1, 0, 0]}, {name: c, mass: 1, position: [0, 1, 0]}, {name: d, "
               "mass: 1, position: [0, 0, 1]}, {name: e, mass: 1, position: [1, 1, 1]}]\n"
               "rods: [{between: [a, b]}, {between: [a, c]}, {between: [a, d]}, {between: [b, c]}, "
               "{between: [b, d]}, {between: [c, d]}, {between: [a, e]}, {between: [b, e]}, "
               "{between: [c, e]}, {between: [d, e]}]\n",
               6, 1);
}

/* --- the semi-explicit null space --- */

TEST(loops_have_as_many_unknowns_as_degrees_of_freedom_and_move_alike)
{
    static const char *const models[] = {
        "six-body-linkage", "six-body-linkage-reverse", "six-body-linkage-principal", "bricard",
        "four-bar",         "four-bar-spatial",         "andrews-squeezer",           "robot-6r",
        "cylindrical-pair", "double-spherical-pendulum"};
    const int steps = SANITIZED ? 10 : 100;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        scene s = scene_open(models[i], "minimal");
        olo_counts counts;
        olo_error error = {0};
        check_ok(olo_system_counts(s.system, &counts, &error), &error);
        check_equal(counts.degrees_of_freedom, olo_stepper_unknown_count(s.stepper));
        check_below(scene_drift(&s, s.run.step, steps), 1e-12);
        check_below(scene_ledger(&s).constraint_error, 1e-12);
        double apart = distance_to("minimal", models[i], s.run.step, steps);
        print_message("%-28s %.1e\n", models[i], apart);
        check_below(apart, 1e-10);
        scene_close(&s);
    }
}

/* Thesis, table 6.5: one unknown, condition number 1. Both numberings of the bodies, also at
 * positions where rows of four bars become dependent. */
TEST(table_6_5_the_six_body_linkage_has_one_equation)
{
    for (int k = 0; k < 6; k++) {
        double h = k % 3 == 0 ? 1e-2 : k % 3 == 1 ? 1e-3 : 1e-4, condition = NAN;
        scene s = scene_open(k < 3 ? "six-body-linkage" : "six-body-linkage-reverse", "minimal");
        olo_error error = {0};
        scene_run(&s, h, 4);
        check_equal(1, olo_stepper_unknown_count(s.stepper));
        check_ok(olo_stepper_compute_condition(s.stepper, &condition, &error), &error);
        check_relative(1.0, condition, 1e-12);
        scene_close(&s);
    }
    scene s = scene_open("four-bar-spatial", "minimal");
    check_below(scene_drift(&s, 0.01, 400), 1e-10);
    check_equal(0, s.halvings);
    scene_close(&s);
}

/* --- redundant rows, by name --- */

static int redundant_rows(const scene *s, const char *name, int *all)
{
    int groups = olo_system_group_count(s->system),
        *redundant = calloc((size_t)groups, sizeof *redundant);
    olo_error error = {0};
    check_ok(olo_system_redundant_rows(s->system, redundant, &error), &error);
    *all = 0;
    for (int i = 0; i < groups; i++)
        *all += redundant[i];
    int rows = redundant[scene_group(s, name, false)];
    free(redundant);
    return rows;
}

/* `rows` of the joint are redundant, and none of any other joint; `dofs` degrees of freedom
 * remain. */
static void check_redundant(const char *model, const char *joint, int rows, int dofs)
{
    scene s = scene_open(model, "reduced");
    olo_counts counts;
    olo_error error = {0};
    int all;
    check_equal(rows, redundant_rows(&s, joint, &all));
    check_ok(olo_system_counts(s.system, &counts, &error), &error);
    check_equal(rows, all);
    check_equal(all, counts.constraints - counts.rank);
    check_equal(dofs, counts.degrees_of_freedom);
    scene_close(&s);
}

#define LOOP_OF_HINGES                                                                             \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: left, mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"                       \
    "  - {name: top, mass: 1, inertia: [1, 1, 1], position: [1, 1.2, 0]}\n"                        \
    "  - {name: right, mass: 1, inertia: [1, 1, 1], position: [2, 0.7, 0]}\n"                      \
    "joints:\n"                                                                                    \
    "  - {name: A, type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"     \
    "  - {name: B, type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, 1]}\n"

TEST(redundant_rows_are_named)
{
    /* Bricard's linkage has one degree of freedom more than the number of its rows suggests, a
     * planar loop of hinges three more */
    check_redundant("bricard", "D", 1, 1);
    check_redundant(LOOP_OF_HINGES
                    "  - {name: C, type: revolute, between: [top, right], at: [2, 1.4, 0], axis: "
                    "[0, 0, 1]}\n"
                    "  - {name: D, type: revolute, between: [ground, right], at: [2, 0, 0], axis: "
                    "[0, 0, 1]}\n",
                    "C", 3, 1);
    /* the same with a spherical and a cylindrical joint: no row is redundant */
    check_redundant(LOOP_OF_HINGES
                    "  - {name: C, type: spherical, between: [top, right], at: [2, 1.4, 0]}\n"
                    "  - {name: D, type: cylindrical, between: [ground, right], at: [2, 0, 0], "
                    "axis: [0, 0, 1]}\n",
                    "C", 0, 1);
    /* the same joint given twice */
    check_redundant(
        LOOP_OF_HINGES
        "  - {name: B2, type: revolute, between: [left, top], at: [0, 1, 0], axis: [0, 0, "
        "1]}\n"
        "  - {name: slide, type: prismatic, between: [ground, right], axis: [1, 0, 0]}\n",
        "B2", 5, 3);
    scene s = scene_open("four-bar-spatial", "reduced");
    int all;
    check_equal(3, redundant_rows(&s, "C1", &all));
    check_equal(3, redundant_rows(&s, "C2", &all));
    check_equal(6, all);
    scene_close(&s);
}

#define DOOR                                                                                       \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {name: b, mass: 2, center: [0.5, 0.3, 0], inertia: [1, 1, 1], angular_velocity: [2, " \
    "0, 0], points: {p: [1, 0, 0]}}\n"

TEST(body_on_two_points_turns_as_on_a_hinge)
{
    /* two fixed points of one body leave one rotation; one row is redundant: the distance between
     * them */
    check_loop(DOOR "supports: [{on: b, type: point}, {on: b.p, type: point}]\n", 3, 1);
    scene a =
        scene_open(DOOR "supports: [{on: b, type: point}, {on: b.p, type: point}]\n", "reduced");
    scene b = scene_open(DOOR "supports: {on: b, type: hinge, axis: [1, 0, 0]}\n", "reduced");
    scene_run(&a, 0.01, 100);
    scene_run(&b, 0.01, 100);
    check_below(
        scene_distance(12, olo_state_configuration(a.state), olo_state_configuration(b.state)),
        1e-12);
    scene_close(&a);
    scene_close(&b);
}

TEST(body_hung_on_rods_swings_alike)
{
    check_loop("gravity: [0, 0, -9.81]\n"
               "bodies: {name: b, mass: 2, inertia: [1, 1, 1], velocity: [0, 1, 0], points: {l: "
               "[-1, 0, 0], r: [1, 0, 0]}}\n"
               "rods: [{name: left, between: [[-1, 0, 2], b.l]}, {name: right, between: [[1, 0, "
               "2], b.r]}]\n",
               2, 0);
}

TEST(two_runs_of_a_model_give_the_same_bits)
{
    for (int k = 0; k < 2; k++) {
        scene a = scene_open("heavy-top", treatments[k]),
              b = scene_open("heavy-top", treatments[k]);
        olo_state *other = NULL;
        olo_error error = {0};
        scene_run(&a, 0.01, 200);
        /* in two parts, with a copy of the state and a stepper that has made other steps before */
        scene_run(&b, 0.01, 77);
        check_ok(olo_state_clone(b.state, &other, &error), &error);
        scene_run(&b, 0.003, 20);
        for (int i = 0; i < 123; i++)
            check_ok(olo_stepper_step(b.stepper, other, 0.01, &error), &error);
        check_equal(0, memcmp(olo_state_configuration(a.state), olo_state_configuration(other),
                              12 * sizeof(double)));
        check_equal(
            0, memcmp(olo_state_velocity(a.state), olo_state_velocity(other), 12 * sizeof(double)));
        check_equal(0, memcmp(olo_state_multipliers(a.state), olo_state_multipliers(other),
                              9 * sizeof(double)));
        olo_state_free(other);
        scene_close(&a);
        scene_close(&b);
    }
    for (int k = 0; k < 2; k++) {
        scene a = scene_open(TRIANGLE, treatments[k]), b = scene_open(TRIANGLE, treatments[k]);
        scene_run(&a, 0.01, 200);
        scene_run(&b, 0.01, 200);
        check_equal(0, memcmp(olo_state_configuration(a.state), olo_state_configuration(b.state),
                              9 * sizeof(double)));
        scene_close(&a);
        scene_close(&b);
    }
}

TEST_MAIN(cmocka_unit_test(catalogue_models_move_alike),
          cmocka_unit_test(random_models_move_alike_and_satisfy_their_balance),
          cmocka_unit_test(triangle_of_rods_flies_as_a_rigid_body),
          cmocka_unit_test(square_of_rods_on_the_ground_turns_as_a_linkage),
          cmocka_unit_test(square_with_a_redundant_diagonal_is_a_rigid_body),
          cmocka_unit_test(two_tetrahedra_with_a_redundant_strut_are_a_rigid_body),
          cmocka_unit_test(loops_have_as_many_unknowns_as_degrees_of_freedom_and_move_alike),
          cmocka_unit_test(table_6_5_the_six_body_linkage_has_one_equation),
          cmocka_unit_test(redundant_rows_are_named),
          cmocka_unit_test(body_on_two_points_turns_as_on_a_hinge),
          cmocka_unit_test(body_hung_on_rods_swings_alike),
          cmocka_unit_test(two_runs_of_a_model_give_the_same_bits))
