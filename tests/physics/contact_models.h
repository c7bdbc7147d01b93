/* Models with contacts that several tests run. `r` is the restitution. */
#ifndef OLO_TEST_CONTACT_MODELS_H
#define OLO_TEST_CONTACT_MODELS_H

#include "scene.h"

/* The model with a scheme and a restitution. */
static inline scene open_with(const char *text, const char *scheme, const char *restitution)
{
    const olo_setting settings[] = {{"run.scheme", scheme}, {"r", restitution}};
    return scene_open_set(text, NULL, settings, 2);
}

static inline double gap_of(const scene *s, int contact)
{
    const olo_at at = {.q = olo_state_configuration(s->state)};
    return olo_constraint_value(&s->system->contacts[contact].gap, &at);
}

/* The unilateral double pendulum at a wall; y points down. */
static const char *const pendulum =
    "parameters: {r: 1}\n"
    "gravity: [0, 9.81, 0]\n"
    "points:\n"
    "  - {name: p1, mass: 0.2, position: [0, 0.5, 0], velocity: [2.5, 0, 0]}\n"
    "  - {name: p2, mass: 0.2, position: [0, 1, 0], velocity: [5, 0, 0]}\n"
    "rods:\n"
    "  - {between: [ground, p1]}\n"
    "  - {between: [p1, p2]}\n"
    "contacts:\n"
    "  - {point: p1, normal: [1, 0, 0], restitution: r}\n"
    "  - {point: p2, normal: [1, 0, 0], restitution: r}\n"
    "run: {step: 0.01}\n";

static const char *const rod =
    "parameters: {r: 0.5, a: 0.5, b: 0.02, c: 0.03}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: rod, mass: 1, inertia: [(b^2+c^2)/3, (a^2+c^2)/3, (a^2+b^2)/3], position: [0, "
    "0, 0.5], rotation: {axis: [0, 1, 0], angle: 0.6}, velocity: [0.8, 0.3, -1], "
    "angular_velocity: [0, 0.5, 0.4], angular_velocity_in_body: true}\n"
    "contacts:\n"
    "  - {point: {on: rod, at: [-a, 0, 0]}, friction: 0.3, restitution: r}\n"
    "  - {point: {on: rod, at: [a, 0, 0]}, friction: 0.3, restitution: r}\n"
    "run: {step: 0.01}\n";

static const char *const sphere =
    "parameters: {r: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: ball, mass: 0.5, inertia: [0.002, 0.0022, 0.0025], position: [0, 0, 0.1], "
    "rotation: {axis: [1, 2, 3], angle: 0.4}, velocity: [1, 0, 0], angular_velocity: [5, -20, "
    "8]}\n"
    "contacts: {point: ball, radius: 0.1, friction: 0.2, restitution: r}\n"
    "run: {step: 0.01}\n";

/* Two boxes on a hinge. */
static const char *const hinge =
    "parameters: {r: 0.5, mu: 0.4, a: 0.15, b: 0.05, c: 0.02, m: 0.8}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: b1, mass: m, inertia: [m/3*(b^2+c^2), m/3*(a^2+c^2), m/3*(a^2+b^2)], position: "
    "[0, 0, 0.35], rotation: [{axis: [1, 0.3, 0.2], angle: 0.2}, {axis: [0, 1, 0], angle: -0.5}], "
    "velocity: [0.5, 0.2, 0], angular_velocity: [0.3, 0.5, -0.2], angular_velocity_in_body: "
    "true}\n"
    "  - {name: b2, mass: m, inertia: [m/3*(b^2+c^2), m/3*(a^2+c^2), m/3*(a^2+b^2)], position: "
    "[0.2699824361000871, 0.0090034034650583235, 0.34906646066625313], rotation: "
    "[{axis: [1, 0.3, 0.2], angle: 0.2}, {axis: [0, 1, 0], angle: 0.4}]}\n"
    "joints: {name: h, type: revolute, between: [{on: b1, at: [a, 0, 0]}, {on: b2, at: [-a, 0, "
    "0]}], axis: [-0.032086418097142286, 0.98165419553530198, 0.18795079718275839], "
    "rate: -1}\n"
    "contacts:\n"
    "  - {point: {on: b1, at: [-a, -b, 0]}, friction: mu, restitution: r}\n"
    "  - {point: {on: b1, at: [-a, b, 0]}, friction: mu, restitution: r}\n"
    "  - {point: {on: b1, at: [a, 0, 0]}, friction: mu, restitution: r}\n"
    "  - {point: {on: b2, at: [a, 0, 0]}, friction: mu, restitution: r}\n"
    "run: {step: 0.01}\n";

/* Without gravity, an inner stop at 0.6 m: the contact force points to the origin. */
static const char *const inner_stop =
    "parameters: {r: 1}\n"
    "points:\n"
    "  - {name: p1, mass: 0.2, position: [0, 0.5, 0], velocity: [1.5, 0, 0]}\n"
    "  - {name: p2, mass: 0.2, position: [0.5*sin(0.5), 0.5+0.5*cos(0.5), 0], velocity: "
    "[1.5-2*cos(0.5), 2*sin(0.5), 0]}\n"
    "rods:\n"
    "  - {between: [ground, p1]}\n"
    "  - {between: [p1, p2]}\n"
    "contacts: {type: distance, between: [ground, p2], length: 0.6, restitution: r}\n"
    "run: {step: 0.01}\n";

/* A bead that slides in a ring without friction. */
static const char *const bead =
    "parameters: {r: 0}\n"
    "gravity: [0, -9.81, 0]\n"
    "points: {name: bead, mass: 1, position: [0, -1, 0], velocity: [9, 0, 0]}\n"
    "contacts: {type: rope, between: [ground, bead], length: 1, restitution: r}\n"
    "run: {step: 0.02}\n";

/* A block that slides and sticks on an incline of 15 degrees. */
static const char *const incline =
    "parameters: {r: 0}\n"
    "gravity: [9.81*sin(15*deg), 0, -9.81*cos(15*deg)]\n"
    "points: {name: block, mass: 1, position: [0, 0, 0], velocity: [0.3, 0.1, 0]}\n"
    "contacts: {point: block, friction: 0.5, restitution: r}\n"
    "run: {step: 0.01}\n";

#endif
