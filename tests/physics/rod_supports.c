/* Boundary conditions of discrete rods, with frames at vertices and with directors at edges:
 * supports, loads, corners, networks, joints. Small deflections are those of the theory of beams
 * (EI = L = 1), which the models approach with second order. */
#include "scene.h"

static const char *const kinds[2] = {"vertices", "edges"};

/* EA = 100: small deflections do not stretch the rod noticeably. */
#define MATERIAL "stiffness: [1e7, 1e7, 100, 1, 1, 1], inertia: [1, 1e-2, 1e-2]"
#define STRAIGHT                                                                                   \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: KIND, elements: n, to: [1, 0, 0], d1: [0, 0, 1],\n"             \
    "     " MATERIAL "}\n"

/* Opens a model in which KIND stands for the discretisation. */
static scene open_kind(const char *model, const char *kind, const char *n, const char *treatment)
{
    char text[2048] = "parameters: {n: 40}\n";
    size_t length = strlen(text);
    const olo_setting setting = {"n", n};
    for (const char *from = model; *from && length + 16 < sizeof text;) {
        const bool here = strncmp(from, "KIND", 4) == 0;
        length += (size_t)snprintf(text + length, sizeof text - length, "%.*s",
                                   here ? (int)strlen(kind) : 1, here ? kind : from);
        from += here ? 4 : 1;
    }
    return scene_open_set(text, treatment, &setting, 1);
}

static olo_equilibrium_summary settle(scene *s)
{
    olo_equilibrium_summary sum;
    olo_error error = {0};
    check_ok(olo_find_equilibrium(s->system, NULL, s->state, NULL, 0, &sum, &error), &error);
    check_below(sum.residual, 1e-12);
    return sum;
}

typedef struct small_deflection {
    const char *model, *node;
    int axis;
    double expected;
} small_deflection;

static double deflection(const small_deflection *x, const char *kind, const char *n)
{
    scene s = open_kind(x->model, kind, n, NULL);
    const double before = scene_q(&s, x->node)[x->axis];
    settle(&s);
    const double after = scene_q(&s, x->node)[x->axis];
    scene_close(&s);
    return after - before;
}

/* Extrapolated from two numbers of elements. */
static void check_deflections(int count, const small_deflection *cases)
{
    for (int i = 0; i < count; i++)
        for (int kind = 0; kind < 2; kind++) {
            const double coarse = deflection(&cases[i], kinds[kind], "20"),
                         fine = deflection(&cases[i], kinds[kind], "40");
            check_relative(cases[i].expected, fine + (fine - coarse) / 3, 1e-4);
        }
}

TEST(ends_are_clamped_hinged_sliding_and_free)
{
    static const small_deflection cases[] = {
        /* clamped and free */
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "loads: {on: b.end, force: [0, 1e-3, 0]}\n",
         "b.end", 1, 1e-3 / 3},
        /* hinged, and a point that slides along the rod: both without moment */
        {STRAIGHT "supports:\n  - {on: b.start, type: hinge, axis: [0, 0, 1]}\n"
                  "  - {on: b.end, type: slide, axis: [1, 0, 0]}\n"
                  "loads: {on: b.middle, force: [0, 1e-3, 0]}\n",
         "b.middle", 1, 1e-3 / 48},
        /* clamped, and a clamp that slides across the rod */
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "joints: {name: guide, type: prismatic, between: [ground, b.end],\n"
                  "         at: [1, 0, 0], axis: [0, 1, 0]}\n"
                  "loads: {on: b.end, force: [0, 1e-3, 0]}\n",
         "b.end", 1, 1e-3 / 12},
        /* both ends clamped, the second one free along the rod */
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "joints: {name: guide, type: prismatic, between: [ground, b.end],\n"
                  "         at: [1, 0, 0], axis: [1, 0, 0]}\n"
                  "loads: {on: b.middle, force: [0, 1e-3, 0]}\n",
         "b.middle", 1, 1e-3 / 192},
    };
    check_deflections(sizeof cases / sizeof *cases, cases);
}

TEST(forces_moments_gravity_and_line_loads_bend_rods)
{
    static const small_deflection cases[] = {
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "loads: {on: b.end, moment: [0, 0, 1e-3]}\n",
         "b.end", 1, 1e-3 / 2},
        {"gravity: [0, 1e-3, 0]\n" STRAIGHT "supports: {on: b.start, type: fixed}\n", "b.end", 1,
         1e-3 / 8},
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "loads: {along: b, force: [0, 1e-3, 0]}\n",
         "b.end", 1, 1e-3 / 8},
        /* clamped and propped: q x^2 (3 - 5 x + 2 x^2)/48 */
        {STRAIGHT "supports:\n  - {on: b.start, type: fixed}\n"
                  "  - {on: b.end, type: plane, axis: [0, 1, 0]}\n"
                  "loads: {along: b, force: [0, 1e-3, 0]}\n",
         "b.middle", 1, 1e-3 / 192},
        /* axial and torsional: F/EA, M/GJ as the rotation of d1 */
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "loads: {on: b.end, force: [1e-2, 0, 0]}\n",
         "b.end", 0, 1e-4},
        {STRAIGHT "supports: {on: b.start, type: fixed}\n"
                  "loads: {on: b.end, moment: [1e-3, 0, 0]}\n",
         "b.end", 4, -1e-3},
    };
    check_deflections(sizeof cases / sizeof *cases, cases);
}

/* Moments per length act on frames: mu (1 - x) bends the rod by mu/3 at its end. */
TEST(line_moments_bend_rods_with_frames_at_vertices)
{
    scene s = open_kind(STRAIGHT "supports: {on: b.start, type: fixed}\n"
                                 "loads: {along: b, moment: [0, 0, 1e-3]}\n",
                        "vertices", "40", NULL);
    settle(&s);
    check_relative(1e-3 / 3, scene_q(&s, "b.end")[1], 1e-3);
    scene_close(&s);
}

/* A force that rotates with the end: its problem is an initial value problem along the rod from
 * that end, theta'' = -F cos(theta), solved by Runge-Kutta steps (F = 3). */
TEST(a_follower_force_bends_rods_far)
{
    static const char model[] =
        "beams:\n"
        "  - {name: b, discretisation: KIND, elements: n, to: [1, 0, 0], d1: [0, 0, 1],\n"
        "     stiffness: [1e7, 1e7, 1e7, 1, 1, 1], inertia: [1, 1e-2, 1e-2]}\n"
        "supports: {on: b.start, type: fixed}\n"
        "loads: {on: b.end, force: [0, -3, 0], frame: body}\n"; /* d2 = -y */
    static const double expected[3] = {0.551664738974, 0.726684950036, 1.398655812587};
    static const char *const n[2] = {"40", "80"};
    for (int kind = 0; kind < 2; kind++) {
        double at[2][3];
        for (int i = 0; i < 2; i++) {
            scene s = open_kind(model, kinds[kind], n[i], NULL);
            settle(&s);
            const double *end = scene_q(&s, "b.end");
            at[i][0] = end[0];
            at[i][1] = end[1];
            at[i][2] = atan2(end[10], end[9]);
            scene_close(&s);
        }
        for (int k = 0; k < 3; k++) {
            check_close(expected[k], at[1][k], 2e-3);
            check_close(expected[k], at[1][k] + (at[1][k] - at[0][k]) / 3, 1e-5);
        }
    }
}

/* A right angle with legs 1 and b = 1/2, and a force P across the second leg: P (b^3/3 + b^2 +
 * 1/EA). Rods on common nodes: a rod in two parts, with a third rod that carries nothing; a moment
 * M at the common node, which rods with directors at edges have there, deflects the end by 3/8 M.
 */
TEST(corners_and_networks_transfer_moments)
{
    static const small_deflection cases[] = {
        {"beams:\n"
         "  - {name: b, discretisation: KIND, elements: 3*n/2, d1: [0, 0, 1], " MATERIAL ",\n"
         "     points: [[0, 0, 0], [1, 0, 0], [1, 0.5, 0]]}\n"
         "supports: {on: b.start, type: fixed}\n"
         "loads: {on: b.end, force: [1e-4, 0, 0]}\n",
         "b.end", 0, 1e-4 * (0.125 / 3 + 0.25 + 0.01)},
#define NETWORK                                                                                    \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: KIND, elements: n/2, to: [0.5, 0, 0], " MATERIAL "}\n"          \
    "  - {name: c, discretisation: KIND, elements: n/2, from: [0.5, 0, 0], to: [1, 0, 0],\n"       \
    "     start_on: b.end, " MATERIAL "}\n"                                                        \
    "  - {name: d, discretisation: edges, elements: 5, from: [0.5, 0, 0], to: [0.5, 0.5, 0.2],\n"  \
    "     start_on: b.end, " MATERIAL "}\n"                                                        \
    "supports: {on: b.start, type: fixed}\n"
        {NETWORK "loads: {on: c.end, force: [0, 1e-3, 0]}\n", "c.end", 1, 1e-3 / 3},
        {NETWORK "loads: {on: b.end, moment: [0, 0, 1e-3]}\n", "c.end", 1, 0.375e-3},
    };
    check_deflections(sizeof cases / sizeof *cases, cases);
}

/* A body at the distance 0.2 from the end: (1/3 + 0.2/2) + 0.2 (1/2 + 0.2); a rod continued by a
 * beam of finite elements: 1/3. */
TEST(bodies_and_beams_bend_rods)
{
    static const small_deflection cases[] = {
        {STRAIGHT "bodies: {name: box, mass: 1, inertia: [1, 1, 1], position: [1.2, 0, 0]}\n"
                  "supports: {on: b.start, type: fixed}\n"
                  "joints: {name: weld, type: rigid, between: [b.end, box]}\n"
                  "loads: {on: box, force: [0, 1e-3, 0]}\n",
         "box", 1, 1e-3 * (1.0 / 3 + 0.1 + 0.14)},
        {"beams:\n"
         "  - {name: b, discretisation: KIND, elements: n/2, to: [0.5, 0, 0], " MATERIAL "}\n"
         "  - {name: c, elements: n/2, from: [0.5, 0, 0], to: [1, 0, 0], start_on: b.end,\n"
         "     " MATERIAL "}\n"
         "supports: {on: b.start, type: fixed}\n"
         "loads: {on: c.end, force: [0, 1e-3, 0]}\n",
         "c.end", 1, 1e-3 / 3},
    };
    check_deflections(sizeof cases / sizeof *cases, cases);
}

/* A body between the ends of two rods, by every joint: both treatments compute the same motion, and
 * the energy is conserved. */
TEST(every_joint_holds_at_the_ends_of_rods)
{
    static const char *const types[] = {"spherical",     "revolute",       "cylindrical",
                                        "prismatic",     "planar",         "rigid",
                                        "point-on-line", "point-on-plane", "universal"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int kind = 0; kind < 2; kind++) {
            char text[2048];
            const bool axis = strcmp(types[i], "spherical") != 0 && strcmp(types[i], "rigid") != 0,
                       two = strcmp(types[i], "universal") == 0;
            snprintf(
                text, sizeof text,
                "name: joined\ngravity: [0, 0, -3]\n"
                "bodies: [{name: b, mass: 1, inertia: [0.1, 0.2, 0.2], position: [1.5, 0.1, 0],\n"
                "          angular_velocity: [0.1, 0.2, 0.3], velocity: [0, 0, 0]}]\n"
                "beams:\n"
                "  - {name: a, discretisation: KIND, elements: 4, to: [1, 0, 0],\n"
                "     stiffness: [1e4, 1e4, 1e4, 10, 10, 10], inertia: [1, 1e-2, 1e-2]}\n"
                "  - {name: c, discretisation: KIND, elements: 3, from: [1.5, 0.1, 0],\n"
                "     to: [1.5, 1, 0.3], stiffness: [1e4, 1e4, 1e4, 10, 10, 10],\n"
                "     inertia: [1, 1e-2, 1e-2]}\n"
                "supports: [{type: fixed, on: a.start}]\n"
                "joints:\n"
                "  - {name: j, type: %s, between: [a.end, b], at: [1, 0, 0]%s%s}\n"
                "  - {name: k, type: %s, between: [b, c.start], at: [1.5, 0.1, 0]%s%s}\n",
                types[i], axis ? ", axis: [1, 2, 2]" : "", two ? ", axis2: [2, -2, 1]" : "",
                types[i], axis ? ", axis: [2, 1, 0]" : "", two ? ", axis2: [0, 0, 1]" : "");
            scene a = open_kind(text, kinds[kind], "40", "reduced"),
                  b = open_kind(text, kinds[kind], "40", "multipliers");
            const double energy = scene_ledger(&a).total;
            scene_run(&a, 0.01, 20);
            scene_run(&b, 0.01, 20);
            check_below(scene_apart(&a, &b), 1e-10);
            check_close(energy, scene_ledger(&a).total, 1e-11);
            check_below(scene_ledger(&a).constraint_error, 1e-13);
            scene_close(&a);
            scene_close(&b);
        }
}

TEST_MAIN(cmocka_unit_test(ends_are_clamped_hinged_sliding_and_free),
          cmocka_unit_test(forces_moments_gravity_and_line_loads_bend_rods),
          cmocka_unit_test(line_moments_bend_rods_with_frames_at_vertices),
          cmocka_unit_test(a_follower_force_bends_rods_far),
          cmocka_unit_test(corners_and_networks_transfer_moments),
          cmocka_unit_test(bodies_and_beams_bend_rods),
          cmocka_unit_test(every_joint_holds_at_the_ends_of_rods))
