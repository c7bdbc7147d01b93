/* Derivatives of runs: adjoint gradients compared with extrapolated differences of whole runs, and
 * forward with adjoint derivatives. The symplectic form is tested in symplectic.c. */
#include "joined.h"
#include "probe.h"

#include "base/initialised.h"
#include "base/memory.h"

TEST(random_trees_of_all_pairs)
{
    for (int scheme = 0; scheme < 3; scheme++)
        for (unsigned seed = 1; seed <= 6; seed++) {
            joined x = joined_tree(seed, 7);
            scene s = joined_open_scheme(&x, schemes[scheme], "reduced");
            probe_open(&s, schemes[scheme], 0.01, 12);
            check_gradient(2e-3);
            probe_close();
            scene_close(&s);
            joined_free(&x);
        }
}

/* A model of the catalogue, after some steps. */
static void check_model(const char *model, int scheme, double h, long before, long steps, double s)
{
    olo_setting setting = {"run.scheme", schemes[scheme]};
    scene x = scene_open_set(model, "reduced", &setting, 1);
    scene_run(&x, h, before);
    probe_open(&x, schemes[scheme], h, steps);
    check_gradient(s);
    probe_close();
    scene_close(&x);
}

typedef struct example {
    const char *model;
    double h, s; /* step, and size of the differences */
} example;

static void check_examples(const example *all, size_t count, int scheme_count)
{
    for (size_t i = 0; i < count; i++)
        for (int scheme = 0; scheme < scheme_count; scheme++) {
            print_message("%s, %s\n", all[i].model, schemes[scheme]);
            check_model(all[i].model, scheme, all[i].h, 5, 6, all[i].s);
        }
}

#define CHECK_EXAMPLES(all, schemes) check_examples(all, sizeof(all) / sizeof *(all), schemes)

TEST(trees_with_loads_springs_and_dampers)
{
    static const example all[] = {{"double-spherical-pendulum", 0.01, 1e-2},
                                  {"planar-pendulum", 0.01, 1e-2},
                                  {"spring-chain", 0.01, 1e-2},
                                  {"humanoid-tree", 0.005, 1e-2},
                                  {"robot-6r", 0.01, 1e-2}};
    CHECK_EXAMPLES(all, 3);
}

TEST(loops_and_relations)
{
    static const example all[] = {
        {"four-bar", 0.005, 1e-2},        {"four-bar-spatial", 0.005, 1e-2},
        {"six-body-linkage", 0.01, 1e-2}, {"bricard", 0.01, 1e-2},
        {"andrews-squeezer", 1e-5, 1e-1}, {"gear-train", 0.01, 1e-2},
        {"screw-press", 0.01, 1e-2}};
    CHECK_EXAMPLES(all, 3);
}

TEST(beams)
{
    static const example all[] = {{"slider-crank", 0.002, 1e-2}, {"three-bar-swing", 0.002, 1e-2}};
    CHECK_EXAMPLES(all, 3);
}

/* With `variational`, modes that a step does not resolve amplify the rounding errors of strains
 * (docs/limits.md). */
TEST(stiff_beams)
{
    static const example all[] = {{"rotating-arm", 0.005, 1e-3}, {"cantilever", 0.001, 1e-3}};
    CHECK_EXAMPLES(all, 1);
}

/* A swing with a drive, a controller, body-fixed loads, dampers and a spring. */
static const char loaded[] =
    "name: loaded\n"
    "parameters: {g: 9.81}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.5, 0, 0], angular_velocity: "
    "[0, 1, 0]}\n"
    "  - {name: b, mass: 2, inertia: [0.2, 0.1, 0.15], position: [1.5, 0, 0]}\n"
    "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2.5, 0, 0]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, between: [ground, {on: a, at: [-0.5, 0, 0]}], axis: [0, 1, "
    "0],\n"
    "     torque: 3, time: cos(2*t), damping: 0.3}\n"
    "  - {name: elbow, type: revolute, between: [{on: a, at: [0.5, 0, 0]}, {on: b, at: [-0.5, 0, "
    "0]}], axis: [0, 1, 0],\n"
    "     controller: {target: sin(3*t), kp: 20, kd: 2}}\n"
    "  - {name: ball, type: spherical, between: [{on: b, at: [0.5, 0, 0]}, {on: c, at: [-0.5, 0, "
    "0]}]}\n"
    "loads:\n"
    "  - {name: wind, on: c, force: [1, 2, 0], time: sin(t)}\n"
    "  - {name: jet, on: {on: c, at: [0, 0.1, 0.3]}, force: [0, 3, 1], frame: body}\n"
    "  - {name: twist, on: b, moment: [1, 0, 2]}\n"
    "  - {name: screw, on: c, moment: [0, 1, 2], frame: body}\n"
    "springs:\n"
    "  - {name: coil, between: [[0, 1, 0], c], stiffness: 30, length: 1, damping: 0.5}\n"
    "dampers:\n"
    "  - {name: oil, type: linear, between: [[3, 0, 1], b], damping: 0.4}\n"
    "run: {step: 0.01, end: 1}\n";

TEST(chain_with_loads_drives_and_controllers)
{
    for (int scheme = 0; scheme < 3; scheme++)
        check_model(loaded, scheme, 0.01, 7, 20, 1e-2);
}

enum { CONTROLS = 4, CONTROL_STEPS = 25 };
static double control[CONTROL_STEPS * CONTROLS], control_now[CONTROL_STEPS * CONTROLS],
    control_change[CONTROL_STEPS * CONTROLS];

/* 1/2 |u|^2 + t u_0 */
static double effort(void *context, double t, const double *u, double *gu)
{
    double sum = t * u[0];
    (void)context;
    for (int i = 0; i < CONTROLS; i++) {
        sum += 0.5 * u[i] * u[i];
        if (gu)
            gu[i] += u[i] + (i == 0 ? t : 0);
    }
    return sum;
}

/* J with controls that are changed by s in a random direction. */
static double value_with_controls(double s)
{
    for (int i = 0; i < CONTROL_STEPS * CONTROLS; i++)
        control_now[i] = control[i] + s * control_change[i];
    return value_at(0);
}

TEST(controls_of_every_step)
{
    static const char *const names[CONTROLS] = {"hinge", "elbow", "wind", "screw"};
    for (int scheme = 0; scheme < 3; scheme++) {
        olo_error error = {0};
        olo_setting setting = {"run.scheme", schemes[scheme]};
        scene x = scene_open_set(loaded, "reduced", &setting, 1);
        double gu[CONTROL_STEPS * CONTROLS], dq[NUMBERS_MAX] = {0}, dv[NUMBERS_MAX] = {0}, forward;
        unsigned long long seed = 9;
        probe_open(&x, schemes[scheme], 0.01, CONTROL_STEPS);
        p.J.effort = effort;
        for (int i = 0; i < CONTROL_STEPS * CONTROLS; i++) {
            control[i] = control_now[i] = scene_random(&seed);
            control_change[i] = scene_random(&seed);
        }
        check_ok(
            olo_derivatives_set_controls(p.d, names, CONTROLS, control_now, CONTROL_STEPS, &error),
            &error);
        olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .controls = gu};
        olo_direction along = {
            .initialised = OLO_INITIALISED_DIRECTION, .q = dq, .v = dv, .controls = control_change};
        olo_derivatives_set_memory(p.d, (size_t)scheme << 20);
        check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
        check_ok(
            olo_derivatives_compute_forward(p.d, x.state, &p.J, &along, NULL, &forward, &error),
            &error);
        double adjoint = dot(CONTROL_STEPS * CONTROLS, gu, control_change);
        check_relative(forward, adjoint, 1e-12);
        check_relative(difference_of(value_with_controls, 0.1), adjoint, 1e-9);
        check_status(OLO_NOT_FOUND,
                     olo_derivatives_set_controls(p.d, (const char *const[]){"nobody"}, 1, control,
                                                  CONTROL_STEPS, &error));
        check_contains("'nobody'", error.text);
        check_ok(olo_derivatives_set_controls(p.d, names, 1, control, 3, &error), &error);
        check_status(OLO_BAD_INPUT,
                     olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
        check_contains("for 3 steps", error.text);
        probe_close();
        scene_close(&x);
    }
}

/* A model in which every force depends on some parameter. */
static const char parametric[] =
    "name: parametric\nparameters: {m: 2, J: 0.1*m, g: 9.81, k: 30, c: 0.5, rest: 1, F: 2, M: 1, "
    "drive: 3, kp: 20, kd: 2, w: 1, x: 1, u: m*k,\n             lever: 0.5, soft: 1, table: 2, n: "
    "2}\ngravity: [0, 0.1*g, -g]\nbodies:\n  - {name: a, mass: m/2, inertia: [J, 2*J, 1.5*J], "
    "position: [0.5, 0, 0], angular_velocity: [0, w, 0]}\n  - {name: b, mass: m, inertia: [0.2, "
    "0.1, 0.15], center: [0.1*m, 0, 0.1], position: [1.5, 0, 0]}\n  - {name: c, mass: 1, inertia: "
    "[0.1, 0.1, 0.1], position: [2.5, 0, 0], angular_velocity: [0, 0, w*w]}\npoints: {name: d, "
    "mass: m, position: [2.5, x, 0]}\njoints:\n  - {name: hinge, type: revolute, between: [ground, "
    "{on: a, at: [-lever, 0, 0]}], axis: [0, 1, 0],\n     torque: drive, time: cos(2*t), damping: "
    "0.3*c}\n  - {name: elbow, type: revolute, between: [{on: a, at: [0.5, 0, 0]}, {on: b, at: "
    "[-0.5, 0, 0]}], axis: [0, 1, 0],\n     controller: {target: sin(3*t), kp: kp, kd: kd}, "
    "stiffness: sqrt(k)}\n  - {name: ball, type: spherical, between: [{on: b, at: [0.5, 0, 0]}, "
    "{on: c, at: [-0.5, 0, 0]}]}\nloads:\n  - {name: wind, on: c, force: [F, 2, 0], time: "
    "sin(soft*t)}\n  - {name: gust, on: c, force: [0, 1, 0], time: {time: [0, 1], value: [0, "
    "table]}}\n  - {name: jet, on: {on: c, at: [0, 0.1, 0.3]}, force: [0, F*F, 1], frame: "
    "body}\n  - {name: twist, on: b, moment: [M, 0, 2]}\n  - {name: screw, on: c, moment: [0, M, "
    "2*M], frame: body}\nsprings:\n  - {name: coil, between: [[0, x, 0], c], stiffness: k, length: "
    "rest, damping: c}\n  - {name: string, type: linear, between: [c, d], stiffness: "
    "u}\ndampers:\n  - {name: oil, type: linear, between: [[3, 0, x], b], damping: c}\nrun: {step: "
    "0.01, end: 0.2}\n";

/* Forces as expressions of lengths, rates, time and the motion of other bodies. */
static const char laws[] =
    "name: laws\n"
    "run: {step: 0.01, end: 0.2}\n"
    "parameters: {k: 20, c: 0.4, w: 3, F: 2, reach: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0.3, 0, 0],\n"
    "     angular_velocity: [0, 1.5, 0]}\n"
    "  - {name: b, mass: 2, inertia: [0.02, 0.05, 0.03], position: [1.2, 0.3, 0.1],\n"
    "     angular_velocity: [1, 0, 2]}\n"
    "joints: {name: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "outputs: {name: tip, on: {on: a, at: [reach, 0, 0]}}\n"
    "springs:\n"
    "  - {name: pull, between: [{on: a, at: [0.3, 0, 0.1]}, b], force: k*l^2 + c*v*l + sin(w*t)}\n"
    "dampers:\n"
    "  - {name: brake, along: hinge, force: c*v*abs(v) + 0.3*w*l}\n"
    "loads:\n"
    "  - {name: push, on: {on: b, at: [0.1, 0, 0]}, force: [F, 1, 0], time: a.vz*w + hinge.angle}\n"
    "  - {name: turn, on: b, moment: [0, F, 1], frame: body, time: 1 + c*b.x*a.z}\n";

static const char flexible[] =
    "name: flexible\n"
    "parameters: {E: 2e6, rho: 1000, damp: 1e-3, tip: 0.3, v: 0.2}\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  - {name: arm, elements: 5, from: [0, 0, 0], to: [1, 0, 0], d1: [0, 1, 0],\n"
    "     section: {type: rectangle, width: 0.05, height: 0.04, young: E, poisson: 0.3, density: "
    "rho}, damping: damp}\n"
    "masses: {name: load, on: arm.end, mass: tip}\n"
    "supports: {name: clamp, type: fixed, on: arm.start}\n"
    "loads: {name: push, on: arm.end, force: [0, 3*v, 1]}\n"
    "run: {step: 0.002, end: 0.05}\n";

TEST(parameters_of_bodies_springs_loads_and_the_start)
{
    static const char *const names[] = {"m",     "J",  "g",  "k", "c", "rest",  "F",   "M",
                                        "drive", "kp", "kd", "w", "x", "lever", "soft"};
    static const double values[] = {2, 0.2, 9.81, 30, 0.5, 1, 2, 1, 3, 20, 2, 1, 1, 0.5, 1};
    for (int scheme = 0; scheme < 3; scheme++)
        check_parameters(parametric, schemes[scheme], names, values, 15, NULL);
}

TEST(parameters_of_forces_as_expressions)
{
    static const char *const names[] = {"k", "c", "w", "F"};
    static const double values[] = {20, 0.4, 3, 2};
    for (int scheme = 0; scheme < 2; scheme++)
        check_parameters(laws, schemes[scheme], names, values, 4, NULL);
}

/* Parameters are the lengths of a four-bar linkage that starts at an angle, with closures; of a rod
 * and a hinge; and the ratio of gears. */
static const char linkage[] =
    "name: linkage\n"
    "parameters: {a: 1, b: 2.2, c: 1.7, d: 2, w: 2, phi: 0.9, rod: 0.8, ratio: 2, reach: 0.3, \n"
    "             f: sqrt((d - a*cos(phi))^2 + (a*sin(phi))^2),\n"
    "             psi: \"acos((f^2 + b^2 - c^2)/(2*f*b)) - atan2(a*sin(phi), d - a*cos(phi))\"}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, -w, 0],\n"
    "     rotation: {axis: [0, 1, 0], angle: -phi}}\n"
    "  - {name: coupler, mass: 2, inertia: [0.2, 0.3, 0.2], position: [a*cos(phi), 0, "
    "a*sin(phi)],\n"
    "     rotation: {axis: [0, 1, 0], angle: -psi}, center: [b/2, 0, 0.1]}\n"
    "  - {name: rocker, mass: 1, inertia: [0.1, 0.1, 0.1], position: [d, 0, 0],\n"
    "     rotation: {axis: [0, 1, 0], angle: \"-atan2(a*sin(phi) + b*sin(psi), a*cos(phi) + "
    "b*cos(psi) - d)\"}}\n"
    "  - {name: wheel, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0], angular_velocity: "
    "[0, w*ratio, 0]}\n"
    "points: {name: bob, mass: 0.5, position: [d, 0.2, -rod]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, crank], axis: [0, 1, 0], at: [0, 0, 0]}\n"
    "  - {name: B, type: revolute, between: [{on: crank, at: [a, 0, 0]}, {on: coupler, at: [0, 0, "
    "0]}], axis: [0, 1, "
    "0]}\n"
    "  - {name: C, type: spherical, between: [{on: coupler, at: [b, 0, 0]}, {on: rocker, at: [c, "
    "0, 0]}]}\n"
    "  - {name: D, type: revolute, between: [ground, rocker], axis: [0, 1, 0], at: [d, 0, 0]}\n"
    "  - {name: W, type: revolute, between: [ground, wheel], axis: [0, 1, 0], at: [0, 1, 0]}\n"
    "relations: {name: gears, coordinate: W, follows: A, ratio: -ratio}\n"
    "rods: {between: [[d, 0.2, 0], bob]}\n"
    "springs: {name: s, between: [bob, {on: coupler, at: [b/2, 0, reach]}], stiffness: 5}\n"
    "outputs: {name: pen, on: {on: coupler, at: [b/2, reach, 0]}}\n"
    "run: {step: 0.01, end: 0.2}\n";

TEST(parameters_of_points_lengths_and_gears)
{
    static const char *const names[] = {"a", "b", "c", "d", "w", "rod", "ratio", "reach"};
    static const double values[] = {1, 2.2, 1.7, 2, 2, 0.8, 2, 0.3};
    for (int scheme = 0; scheme < 3; scheme++)
        check_parameters(linkage, schemes[scheme], names, values, 8, NULL);
}

/* Points on bodies that goals measure move with parameters, too. */
TEST(parameters_of_goals)
{
    static const char *const names[] = {"b", "reach", "w"};
    static const double values[] = {2.2, 0.3, 2};
    const olo_goal goals[] = {{.initialised = OLO_INITIALISED_GOAL,
                               .quantity = "pen.position",
                               .direction = {1, 2, 3},
                               .end = 1,
                               .running = 2},
                              {.initialised = OLO_INITIALISED_GOAL,
                               .quantity = "pen.velocity",
                               .direction = {1, 2, 3},
                               .end = 1,
                               .running = 2,
                               .squared = true,
                               .target = 0.2}};
    for (int i = 0; i < 2; i++)
        check_parameters(linkage, schemes[i], names, values, 3, &goals[i]);
}

/* Bodies with hinges only, whose steps and adjoint steps are computed four at once: parameters
 * are masses, points and axes of hinges, goals depend on velocities or not, at the end or over
 * the run. */
static const char hinged[] =
    "name: hinged\n"
    "parameters: {m: 1, L: 0.6, g: 9.81, w: 1.5, J: 0.02, tilt: 0.3}\n"
    "gravity: [0, 0.2*g, -g]\n"
    "bodies:\n"
    "  - {name: 'link{i}', repeat: {i: [1, 6]}, position: [(i - 1)*L, 0, 0], mass: m*i, center: "
    "[L/2, 0.05, 0],\n"
    "     inertia: [J, 2*J, 2*J + 0.001*i]}\n"
    "  - {name: branch, position: [2*L, 0, 0], mass: m, inertia: [J, J, 1.5*J], center: [0.1, 0.2, "
    "0], \n"
    "     velocity: [0, 2*L*w, 0], angular_velocity: [0, 0, w]}\n"
    "  - {name: free, mass: 2*m, inertia: [J, 2*J, 2*J], position: [5, 0, 0], angular_velocity: "
    "[w, 1, w]}\n"
    "joints:\n"
    "  - {name: h1, type: revolute, between: [ground, link1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {name: 'h{i}', repeat: {i: [2, 6]}, type: revolute, between: ['link{i - 1}', 'link{i}'], "
    "at: [(i - 1)*L, 0, 0],\n"
    "     axis: [0, 'mod(i, 2)', '1 - mod(i, 2)']}\n"
    "  - {name: fork, type: revolute, between: [{on: branch, at: [0, 0, 0]}, {on: link2, at: [L, "
    "0, 0]}], axis: [0, 'sin(tilt)', cos(tilt)]}\n"
    "outputs: {name: tip, on: {on: link6, at: [L, 0, 0]}}\n"
    "run: {step: 0.01, end: 0.15}\n";

TEST(parameters_of_bodies_on_hinges)
{
    static const char *const names[] = {"m", "J", "g", "w", "L", "tilt"};
    static const double values[] = {1, 0.02, 9.81, 1.5, 0.6, 0.3};
    const olo_goal goals[] = {
        {.initialised = OLO_INITIALISED_GOAL,
         .quantity = "tip.position",
         .direction = {1, 2, 3},
         .end = 1},
        {.initialised = OLO_INITIALISED_GOAL,
         .quantity = "tip.position",
         .direction = {1, 2, 3},
         .end = 1,
         .running = 3},
        {.initialised = OLO_INITIALISED_GOAL, .quantity = "kinetic", .end = 1},
        {.initialised = OLO_INITIALISED_GOAL,
         .quantity = "tip.velocity",
         .direction = {1, 2, 3},
         .end = 1,
         .running = 3}};
    for (int scheme = 0; scheme < 3; scheme++)
        for (int i = 0; i < 4; i += SANITIZED ? 3 : 1)
            for (int count = 4; count <= 6; count++)
                check_parameters(hinged, schemes[scheme], names, values, count, &goals[i]);
}

/* Points of joints of all kinds depend on parameters: rows that fix a point have multipliers
 * without factors, alone, or with all rows (s, which moves the points of sliding joints). */
static const char jointed[] =
    "name: jointed\n"
    "parameters: {L: 0.6, r: 0.23, s: 0.31, m: 1, J: 0.02}\n"
    "gravity: [0, 2, -9.81]\n"
    "bodies:\n"
    "  - {name: 'link{i}', repeat: {i: [1, 7]}, position: [(i - 1)*L, 0.1*i, 0], mass: m + 0.1*i, "
    "center: [L/2, 0.05, 0],\n"
    "     inertia: [J, 2*J, 2*J + 0.001*i]}\n"
    "  - {name: branch, position: [2*L, 0.2, 0], mass: m, inertia: [J, J, 1.5*J], center: [0.1, "
    "0.2, 0]}\n"
    "joints:\n"
    "  - {name: ball, type: spherical, between: [ground, link1], at: [0, r, 0]}\n"
    "  - {name: hinge, type: revolute, between: [link1, link2], at: [L, r, r], axis: [1, 0, 2]}\n"
    "  - {name: cross, type: universal, between: [link2, link3], at: [2*L, r, 0], axis: [1, 0, 0], "
    "axis2: [0, 1, 0]}\n"
    "  - {name: weld, type: rigid, between: [link3, link4], at: [3*L, 0, r]}\n"
    "  - {name: slide, type: cylindrical, between: [link4, link5], at: [4*L, s, 0], axis: [1, 2, "
    "0]}\n"
    "  - {name: knee, type: spherical, between: [link5, link6], at: [5*L, r, r]}\n"
    "  - {name: rail, type: prismatic, between: [link6, link7], at: [6*L, 0, s], axis: [0, 1, 1]}\n"
    "  - {name: fork, type: universal, between: [branch, link2], at: [2*L, 2*r, 0], axis: [1, 1, "
    "0], axis2: [0, 0, 1]}\n"
    "run: {step: 0.01, end: 0.15}\n";

TEST(parameters_of_points_of_joints)
{
    static const char *const names[] = {"r", "m", "s"};
    static const double values[] = {0.23, 1, 0.31};
    for (int scheme = 0; scheme < 3; scheme++)
        for (int count = 1; count <= 3; count++)
            check_parameters(jointed, schemes[scheme], names, values, count, NULL);
}

/* Energies depend on masses and stiffnesses directly, not only by the motion. */
TEST(parameters_in_energies)
{
    static const char *const names[] = {"m", "k", "x", "lever"};
    static const double values[] = {2, 30, 1, 0.5};
    const olo_goal goals[] = {
        {.initialised = OLO_INITIALISED_GOAL, .quantity = "kinetic", .end = 1, .running = 2},
        {.initialised = OLO_INITIALISED_GOAL,
         .quantity = "potential",
         .end = 1,
         .squared = true,
         .target = 3},
        {.initialised = OLO_INITIALISED_GOAL, .quantity = "energy", .running = 1},
        {.initialised = OLO_INITIALISED_GOAL, .quantity = "elbow.angle", .end = 1, .running = 1}};
    for (int i = 0; i < 4; i++)
        check_parameters(parametric, schemes[i % 3], names, values, 4, &goals[i]);
}

/* A common factor of all masses does not change the motion; the kinetic energy is proportional to
 * it. */
TEST(kinetic_energy_by_a_common_mass)
{
    olo_error error = {0};
    olo_parameter_derivative *change;
    double by_mass;
    scene x = scene_open("chain", "reduced");
    probe_open(&x, "energy-momentum-2006", 0.002, 20);
    const olo_goal goal = {.initialised = OLO_INITIALISED_GOAL, .quantity = "kinetic", .end = 1};
    p.J = (olo_functional){
        .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &goal, .goal_count = 1};
    check_ok(olo_parameter_derivative_create(x.model, "mass", &change, &error), &error);
    check_ok(olo_derivatives_set_parameters(p.d, (const olo_parameter_derivative *const *)&change,
                                            1, &error),
             &error);
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .parameters = &by_mass};
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    check_relative(g.value / 0.1, by_mass, 1e-11);
    olo_parameter_derivative_free(change);
    probe_close();
    scene_close(&x);
}

/* Computes a gradient and a step map, including all preparations. */
static olo_status derive(const scene *x, const olo_parameter_derivative *change, olo_error *error)
{
    const olo_goal goal = {.initialised = OLO_INITIALISED_GOAL, .quantity = "kinetic", .end = 1};
    const olo_functional J = {
        .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &goal, .goal_count = 1};
    olo_derivatives *d = NULL;
    olo_state *start = NULL;
    olo_status status = olo_derivatives_create(x->system, &x->run, &d, error);
    if (status == OLO_OK) {
        olo_derivatives_set_memory(d, 0);
        status = olo_derivatives_set_parameters(d, &change, 1, error);
    }
    if (status == OLO_OK)
        status = olo_derivatives_compute_gradient(
            d, x->state, &J, &(olo_gradient){.initialised = OLO_INITIALISED_GRADIENT}, error);
    if (status == OLO_OK)
        status = olo_state_clone(x->state, &start, error);
    if (status == OLO_OK)
        status = olo_derivatives_compute_step_map(
            d, start, 0.01, &(olo_step_map){.initialised = OLO_INITIALISED_STEP_MAP}, error);
    olo_state_free(start);
    olo_derivatives_free(d);
    return status;
}

/* If any allocation fails, the status reports it and no memory leaks. */
TEST(memory_may_run_out)
{
    olo_error error = {0};
    olo_parameter_derivative *change;
    scene x = scene_open(loaded, "reduced");
    x.run.end = 0.05;
    check_ok(olo_parameter_derivative_create(x.model, "g", &change, &error), &error);
    size_t alive = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n++) {
        olo_memory_fail_at(n);
        status = derive(&x, change, &error);
        olo_memory_fail_at(0);
        check_true(status == OLO_OK || status == OLO_NO_MEMORY);
        check_equal(alive, olo_memory_alive());
    }
    olo_parameter_derivative_free(change);
    alive = olo_memory_alive();
    status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n += 1 + n / 8) {
        olo_memory_fail_at(n);
        status = olo_parameter_derivative_create(x.model, "g", &change, &error);
        olo_memory_fail_at(0);
        check_true(status == OLO_OK || status == OLO_NO_MEMORY);
        check_true(status == OLO_OK || olo_memory_alive() == alive);
    }
    olo_parameter_derivative_free(change);
    check_equal(alive, olo_memory_alive());
    scene_close(&x);
}

TEST(parameters_of_beams)
{
    static const char *const names[] = {"E", "rho", "damp", "tip", "v"};
    static const double values[] = {2e6, 1000, 1e-3, 0.3, 0.2};
    for (int scheme = 0; scheme < 3; scheme++)
        check_parameters(flexible, schemes[scheme], names, values, 5, NULL);
}

TEST(parameters_without_derivatives_are_refused)
{
    static const struct {
        const char *name, *says;
        olo_status status;
    } all[] = {{"table", "in a table over time", OLO_UNSUPPORTED},
               {"nothing", "no parameter 'nothing'", OLO_NOT_FOUND}};
    olo_error error = {0};
    scene x = scene_open(parametric, "reduced");
    olo_parameter_derivative *change;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check_status(all[i].status,
                     olo_parameter_derivative_create(x.model, all[i].name, &change, &error));
        check_contains(all[i].says, error.text);
    }
    scene_close(&x);
    x = scene_open(linkage, "reduced");
    check_status(OLO_UNSUPPORTED, olo_parameter_derivative_create(x.model, "phi", &change, &error));
    check_contains("the definition of the joint coordinate 'A.angle'", error.text);
    scene_close(&x);
    char text[2000];
    snprintf(text, sizeof text, "%s  - {name: feed, on: b, force: [1, 0, 0], time: tip.x}\n", laws);
    x = scene_open(text, "reduced");
    check_status(OLO_UNSUPPORTED,
                 olo_parameter_derivative_create(x.model, "reach", &change, &error));
    check_contains("changes a point on which the force of 'feed' depends", error.text);
    scene_close(&x);
    x = scene_open("chain", "reduced");
    check_status(OLO_UNSUPPORTED, olo_parameter_derivative_create(x.model, "n", &change, &error));
    check_contains("parameter 'n' changes the structure of the model", error.text);
    scene_close(&x);
}

TEST(goals_by_name)
{
    static const char *const quantities[] = {
        "tip.position", "tip.velocity", "elbow.angle", "elbow.angle.rate",
        "kinetic",      "potential",    "energy"};
    olo_error error = {0};
    char text[4000];
    snprintf(text, sizeof text, "%soutputs:\n  - {name: tip, on: {on: c, at: [0.5, 0, 0]}}\n",
             loaded);
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        olo_goal goal = {.initialised = OLO_INITIALISED_GOAL,
                         .quantity = quantities[i],
                         .direction = {1, 2, 3},
                         .squared = i % 2,
                         .target = 0.3,
                         .end = 2,
                         .running = 0.5};
        scene x = scene_open(text, "reduced");
        probe_open(&x, "energy-momentum-2006", 0.01, 10);
        p.J = (olo_functional){
            .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &goal, .goal_count = 1};
        check_gradient(1e-2);
        goal.quantity = "nobody.angle";
        check_status(OLO_NOT_FOUND,
                     olo_derivatives_compute_gradient(
                         p.d, x.state, &p.J,
                         &(olo_gradient){.initialised = OLO_INITIALISED_GRADIENT}, &error));
        check_contains("'nobody.angle'", error.text);
        goal.quantity = quantities[i];
        goal.factor_over_time = "if(t < 0.05, 2, exp(-t))";
        goal.target_over_time = "0.2 + sin(3*t)";
        goal.squared = true;
        check_gradient(1e-2);
        goal.factor_over_time = "2*x";
        check_status(OLO_BAD_INPUT,
                     olo_derivatives_compute_gradient(
                         p.d, x.state, &p.J,
                         &(olo_gradient){.initialised = OLO_INITIALISED_GRADIENT}, &error));
        check_contains("the goal '", error.text);
        probe_close();
        scene_close(&x);
    }
}

TEST(composed_steps)
{
    static const char *const models[] = {"humanoid-tree", "six-body-linkage"};
    for (int scheme = 0; scheme < 3; scheme++)
        for (int i = 0; i < 2; i++) {
            scene x = scene_open(models[i], "reduced");
            x.run.order = 4;
            probe_open(&x, schemes[scheme], 0.005, 4);
            check_gradient(1e-2);
            probe_close();
            scene_close(&x);
        }
}

/* The bits of a gradient with all steps in memory and with checkpoints, after which steps are made
 * again and, where an integral reads velocities, these are computed in the backward sweep. */
static void check_checkpoints(const char *model, const char *scheme, double h, int order,
                              const olo_goal *goal)
{
    olo_error error = {0};
    olo_setting setting = {"run.scheme", scheme};
    scene x = scene_open_set(model, "reduced", &setting, 1);
    double gq[NUMBERS_MAX], gv[NUMBERS_MAX];
    print_message("%s, %s, order %d\n", model, scheme, order);
    x.run.order = order;
    x.run.scheme = scheme;
    x.run.step = h;
    x.run.end = 49.6 * h; /* the last step is shorter */
    probe_open_run(&x);
    if (goal)
        p.J = (olo_functional){
            .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = goal, .goal_count = 1};
    olo_gradient all = {.initialised = OLO_INITIALISED_GRADIENT, .q = gq, .v = gv},
                 some = {.initialised = OLO_INITIALISED_GRADIENT, .q = p.gq, .v = p.gv};
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &all, &error), &error);
    check_equal(0, all.again);
    olo_derivatives_set_memory(p.d, 0);
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &some, &error), &error);
    check_true(some.again > 30 && some.again < 50);
    check_equal(50, some.steps);
    check_true(all.value == some.value);
    check_equal(0, memcmp(gq, p.gq, (size_t)p.w.n * sizeof *gq));
    check_equal(0, memcmp(gv, p.gv, (size_t)p.w.n * sizeof *gv));
    probe_close();
    scene_close(&x);
}

TEST(checkpoints_change_no_bit)
{
    const olo_goal kinetic = {
        .initialised = OLO_INITIALISED_GOAL, .quantity = "kinetic", .end = 1, .running = 2};
    for (int scheme = 0; scheme < 3; scheme++)
        check_checkpoints("six-body-linkage", schemes[scheme], 0.01, 2, NULL);
    for (int scheme = 0; scheme < 2; scheme++) {
        check_checkpoints("six-body-linkage", schemes[scheme], 0.01, 2, &kinetic);
        check_checkpoints("six-body-linkage", schemes[scheme], 0.01, 4, &kinetic);
        check_checkpoints("double-spherical-pendulum", schemes[scheme], 0.01, 4, &kinetic);
        check_checkpoints("humanoid-tree", schemes[scheme], 0.005, 2, &kinetic);
        check_checkpoints("three-bar-swing", schemes[scheme], 0.002, 2, &kinetic);
    }
}

/* The step of a harmonic oscillator with h w = 2 tan(a/2) is a rotation by a in its phase plane,
 * with both schemes: points on springs. */
TEST(step_map_of_an_oscillator)
{
    static const char text[] =
        "name: oscillator\n"
        "points:\n  - {name: a, mass: 2, position: [1, 0, 0]}\n"
        "springs:\n"
        "  - {name: s, type: linear, between: [[0, 0, 0], a], stiffness: 8}\n"
        "run: {step: 0.5, end: 1}\n";
    const double h = 0.5, w = 2, a = 2 * atan(0.5 * h * w);
    for (int scheme = 0; scheme < 3; scheme++) {
        olo_error error = {0};
        double A[36];
        olo_step_map map = {.initialised = OLO_INITIALISED_STEP_MAP, .matrix = A};
        scene x = scene_open(text, "reduced");
        probe_open(&x, schemes[scheme], h, 2);
        check_ok(olo_derivatives_compute_step_map(p.d, x.state, h, &map, &error), &error);
        check_equal(3, map.dofs);
        check_below(map.defect, 1e-15);
        check_close(0.0, map.volume, 1e-14);
        check_close(1.0, map.largest, 1e-14);
        check_close(1.0, map.smallest, 1e-14);
        for (int i = 0; i < 3; i++) {
            check_close(cos(a), A[7 * i], 1e-15);
            check_close(sin(a) / (h * w), A[7 * i + 3], 1e-15);
            check_close(-sin(a) * h * w, A[7 * i + 18], 1e-15);
            check_close(cos(a), A[7 * i + 21], 1e-15);
        }
        probe_close();
        scene_close(&x);
    }
}

TEST(what_has_no_derivatives_is_refused)
{
    olo_error error = {0};
    olo_derivatives *d;
    scene x = scene_open("heavy-top", "multipliers");
    static const char *const others[] = {"penalty", "augmented"};
    for (int i = 0; i < 2; i++) {
        x.run.constraints = others[i];
        check_status(OLO_UNSUPPORTED, olo_derivatives_create(x.system, &x.run, &d, &error));
        check_contains(others[i], error.text);
        check_contains("permits errors", error.text);
    }
    x.run.constraints = "reduced";
    check_ok(olo_derivatives_create(x.system, &x.run, &d, &error), &error);
    double dq[12] = {0}, dv[12] = {0};
    check_status(OLO_UNSUPPORTED, olo_derivatives_apply_step(d, dq, dv, &error));
    check_contains("before a step", error.text);
    olo_derivatives_free(d);
    scene_close(&x);
}

TEST_MAIN(cmocka_unit_test(random_trees_of_all_pairs),
          cmocka_unit_test(trees_with_loads_springs_and_dampers),
          cmocka_unit_test(chain_with_loads_drives_and_controllers),
          cmocka_unit_test(controls_of_every_step), cmocka_unit_test(goals_by_name),
          cmocka_unit_test(parameters_of_bodies_springs_loads_and_the_start),
          cmocka_unit_test(parameters_of_forces_as_expressions),
          cmocka_unit_test(parameters_of_points_lengths_and_gears),
          cmocka_unit_test(parameters_of_points_of_joints),
          cmocka_unit_test(parameters_of_bodies_on_hinges), cmocka_unit_test(parameters_of_goals),
          cmocka_unit_test(parameters_in_energies),
          cmocka_unit_test(kinetic_energy_by_a_common_mass), cmocka_unit_test(memory_may_run_out),
          cmocka_unit_test(parameters_of_beams),
          cmocka_unit_test(parameters_without_derivatives_are_refused),
          cmocka_unit_test(loops_and_relations), cmocka_unit_test(beams),
          cmocka_unit_test(stiff_beams), cmocka_unit_test(checkpoints_change_no_bit),
          cmocka_unit_test(composed_steps), cmocka_unit_test(step_map_of_an_oscillator),
          cmocka_unit_test(what_has_no_derivatives_is_refused))
