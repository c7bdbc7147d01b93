/* K3: the Newton tangents are exact also far from the solution. One iteration solves J d = -r;
 * along d the differences of the residual must be -r again. The residuals are formed here from the
 * balance, the discrete null space and the constraints, not by the treatments. */
#include "scene.h"

#include "base/memory.h"
#include "kinematics/null_space.h"
#include "stepping/step.h"

static const char *const models[] = {
    /* a free body under gravity, forces and moments of all kinds */
    "gravity: [0, 1, -9.81]\n"
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, "
    "-0.03], velocity: [1, 2, 3], angular_velocity: [1, -2, 3]}\n"
    "loads: [{on: {on: b, at: [0.3, 0.2, 0.1]}, force: [1, 2, 3]}, {on: {on: b, at: [0.3, -0.2, "
    "0.1]}, force: [30, -20, 10], frame: body}, {on: b, moment: [5, 6, -7], frame: body}, {on: b, "
    "moment: [-4, 5, 3]}]\n",
    /* supports, with arms */
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [0.3, 0.4, 0.5], "
    "angular_velocity: [1, -2, 3]}\n"
    "supports: {on: {on: b, at: [0.5, 0.4, 0.3]}, type: point}\n"
    "loads: {on: b, force: [30, -20, 10], moment: [1, 2, 3], frame: body}\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [0.3, 0.4, 0.5], "
    "angular_velocity: [1, -2, 3]}\n"
    "supports: {on: {on: b, at: [0.5, 0.4, 0.3]}, type: slide, axis: [1, 2, 0]}\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [0.3, 0.4, 0.5], "
    "angular_velocity: [1, -2, 3]}\n"
    "supports: {on: {on: b, at: [0.5, 0.4, 0.3]}, type: plane, axis: [1, 2, 0]}\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [0.3, 0.4, 0.5], "
    "angular_velocity: [1, -2, 3]}\n"
    "supports: {on: {on: b, at: [0.5, 0.4, 0.3]}, type: hinge, axis: [1, 2, -1]}\n"
    "loads: {on: {on: b, at: [1, 0, 1]}, force: [30, -20, 10], frame: body}\n",
    /* springs and dampers of all kinds between bodies, one of them supported */
    "parameters: {k: 50}\n"
    "bodies: [{name: a, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1, 0, 2], points: {p: "
    "[0.3, 0.2, 0.4]}}, {name: b, mass: 2, inertia: [1, 1.5, 2], position: [2, 1, 0], velocity: "
    "[1, 0, 0], points: {p: [-0.3, 0.2, 0.1]}}, {name: c, mass: 1, inertia: [2, 2, 2], position: "
    "[0, 2, 1]}]\n"
    "springs: [{between: [a.p, b.p], stiffness: k, length: 1, damping: 3}, {between: [b, c], "
    "type: linear, stiffness: 20, offset: [1, 0, 0], damping: 2}, {between: [a, c], energy: "
    "k*(l-1)^4 + sin(l)}, {between: [[5, 0, 0], c], stiffness: 7, length: 2}]\n"
    "dampers: [{between: [a, b], damping: 5}, {between: [c, [0, 0, 1]], type: linear, damping: "
    "2}]\n"
    "supports: {on: c, type: point}\n",
    /* rods on the ground, on points and on bodies, with springs across */
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 2, center: [0.1, 0, 0], inertia: [0.3, 0.4, 0.5], angular_velocity: "
    "[1, 2, 3], points: {p: [0.3, 0.2, -0.4]}}\n"
    "points: [{name: a, mass: 1, position: [1, 1, -1]}, {name: c, mass: 2, position: [2, 1, -1]}, "
    "{name: d, mass: 1, position: [2, 2, -3]}]\n"
    "rods: [{between: [b.p, a]}, {between: [c, a]}, {between: [c, d]}]\n"
    "springs: {between: [d, {on: b, at: [1, 0, 0]}], stiffness: 30, length: 1}\n"
    "supports: {on: b, type: slide, axis: [0, 1, 0]}\n",
    /* relative coordinates */
    "gravity: [0, 0, -9.81]\n"
    "points: [{name: a, mass: 1, position: [1, 0.5, 0.2]}, {name: b, mass: 2, position: [0.5, 0, "
    "0.4], relative_to: a}, {name: c, mass: 1, position: [0.1, 0.2, 1], relative_to: b}]\n"
    "rods: [{between: [[0, 0, 0], a]}, {between: [b, a]}, {between: [b, c]}]\n",
    /* closures: a square with a diagonal, a rod between two bodies, a point with two supports */
    "gravity: [0, 0, -9.81]\n"
    "points: [{name: a, mass: 1, position: [0, 0, 0]}, {name: b, mass: 2, position: [1, 0, 0]}, "
    "{name: c, mass: 3, position: [1, 1, 0]}, {name: d, mass: 1, position: [0, 1, 0.2]}]\n"
    "rods: [{between: [a, b]}, {between: [b, c]}, {between: [c, d]}, {between: [d, a]}, {between: "
    "[a, c]}]\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: a, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1, 0, 2], points: {p: "
    "[0.3, 0.2, 0.4]}}, {name: b, mass: 2, inertia: [1, 1.5, 2], position: [2, 1, 0], points: {p: "
    "[-0.3, 0.2, 0.1]}}]\n"
    "rods: [{between: [a.p, b.p]}, {between: [b, [3, 0, 0]]}]\n"
    "supports: [{on: a, type: hinge, axis: [0, 1, 1]}, {on: {on: b, at: [0, 0, 1]}, type: plane, "
    "axis: [0, 0, 1]}]\n",
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: a, mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1, 0, 0], points: {p: "
    "[0.3, 0.2, 0.4], q: [1, 0, 0]}}\n"
    "supports: [{on: a.p, type: point}, {on: a.q, type: slide, axis: [0, 1, 0.5]}]\n",
    /* plane */
    "plane: xz\ngravity: [0, 0, -9.81]\n"
    "bodies: {name: w, mass: 1, center: [0.1, 0, 0.1], inertia: [1, 1, 1], angular_velocity: [0, "
    "2, 0], points: {p: [0.2, 0, 0.3]}}\npoints: {name: a, mass: 1, position: [1, 0, 1]}\n"
    "rods: {between: [w.p, a]}\nsprings: {between: [a, [3, 0, 0]], stiffness: 20, length: 1}\n"
    "loads: {on: w.p, force: [3, 0, 4], moment: [0, 2, 0], frame: body}\n",
/* pairs of all kinds, with the axes in the body that comes first in the tree, then in the other */
#define BODY(name, x, axis)                                                                        \
    "  - {name: " name ", mass: 1, center: [0.1, 0, 0.05], inertia: [1, 2, 2.5], position: [" x    \
    ", 0.3, 0.2], rotation: {axis: " axis ", angle: 1}, angular_velocity: [0.5, 1, -1]}\n"
#define BODIES                                                                                     \
    "gravity: [1, 0, -9.81]\nbodies:\n" BODY("a", "0", "[1, 0, 1]") BODY("b", "1", "[1, 1, 0]")    \
        BODY("c", "2", "[1, -1, 0]") BODY("d", "3", "[0, 1, 2]") BODY("e", "4", "[1, 0, 0]")
#define PAIR(type, one, two)                                                                       \
    "  - {type: " type ", between: [{on: " one ", at: [0.5, 0, 0.1]}, {on: " two                   \
    ", at: [-0.2, 0.3, 0.4]}], axis: [1, 2, -0.5]}\n"
    BODIES "joints:\n" PAIR("cylindrical", "a", "b") PAIR("point-on-line", "b", "c")
        PAIR("planar", "c", "d") PAIR("prismatic", "b", "e"),
    BODIES "joints:\n" PAIR("revolute", "a", "b") PAIR("spherical", "b", "c")
        PAIR("point-on-plane", "c", "d") PAIR("rigid", "b", "e"),
    BODIES "joints:\n" PAIR("cylindrical", "b", "a") PAIR("point-on-line", "c", "b")
        PAIR("planar", "d", "c") PAIR("prismatic", "e", "b"),
    BODIES "joints:\n" PAIR("revolute", "b", "a") PAIR("spherical", "c", "b")
        PAIR("point-on-plane", "d", "c") PAIR("rigid", "e", "b"),
/* universal joints from both sides and on the ground; a line and a plane that are fixed in a body
 */
#define CROSS(one, two)                                                                            \
    "  - {type: universal, between: [{on: " one ", at: [0.5, 0, 0.1]}, {on: " two                  \
    ", at: [-0.2, 0.3, 0.4]}], axis: [1, 2, -0.5], axis2: [1, 0, 2]}\n"
    BODIES "joints:\n" CROSS("a", "b") CROSS("c", "b") CROSS("ground", "d") CROSS("e", "ground"),
    BODIES "joints:\n" PAIR("point-on-line", "a", "ground") PAIR("point-on-plane", "b", "ground"),
    /* relations: a screw, gears over bodies far apart, a differential; a motion of an angle and of
     * a position */
    BODIES "joints:\n"
           "  - {name: s, type: screw, between: [a, b], axis: [1, 2, 0], pitch: 2}\n"
           "  - {name: u, type: revolute, between: [b, c], axis: [1, 0, 1]}\n"
           "  - {name: v, type: cylindrical, between: [ground, d], axis: [0, 1, 1]}\n"
           "  - {name: w, type: prismatic, between: [d, e], axis: [1, 1, 1]}\n"
           "relations:\n"
           "  - {coordinate: u, follows: v.angle, ratio: -3, also: s.angle, also_ratio: 0.5}\n"
           "  - {coordinate: w.position, follows: v.position, ratio: 0.3, offset: 0.1}\n",
    BODIES "joints:\n"
           "  - {type: revolute, between: [a, b], axis: [1, 2, 0], motion: 2*sin(3*t)}\n"
           "  - {type: prismatic, between: [c, d], axis: [1, 0, 1], motion: t^2 - 0.2}\n"
           "  - {type: cylindrical, between: [ground, e], axis: [1, 0, 1], coordinate: angle,\n"
           "     motion: {time: [0, 1, 2], value: [0, 0.5, 0.2]}}\n",
/* rolling bodies with others on them, and rolling that closes a loop */
#define ROLLING(type, axis)                                                                        \
    "  - {type: rolling-" type ", between: [[0, 0, -0.8], {on: a, at: [0.1, 0.2, -0.1]}], " axis   \
    "normal: [0.1, -0.2, 1], radius: 0.9}\n"
    BODIES "joints:\n" ROLLING("disc", "axis: [0.5, 1, 0.6], ") PAIR("revolute", "a", "b")
        PAIR("spherical", "b", "c") PAIR("prismatic", "d", "a") PAIR("planar", "b", "e"),
    BODIES "joints:\n" ROLLING("ball", "") PAIR("revolute", "a", "b") PAIR("spherical", "b", "c")
        PAIR("prismatic", "d", "a") PAIR("planar", "b", "e"),
    BODIES "joints:\n" PAIR("point-on-plane", "ground", "a")
        ROLLING("disc", "axis: [0.5, 1, 0.6], ") PAIR("revolute", "a", "b"),
    "plane: xz\ngravity: [1, 0, -9.81]\n"
    "bodies: [{name: a, mass: 1, center: [0.1, 0, 0.05], inertia: [1, 2, 2.5]}, {name: b, mass: 1, "
    "center: [0.3, 0, 0], inertia: [1, 2, 2.5]}]\n"
    "joints: [{type: rolling-disc, between: [[0, 0, -0.8], {on: a, at: [0.1, 0, -0.2]}], normal: "
    "[0.1, "
    "0, 1], radius: 0.9}, {type: revolute, between: [a, {on: b, at: [0.4, 0, 0.2]}]}]\n",
};
enum { MODELS = sizeof models / sizeof *models };

typedef struct probe {
    scene s;
    const olo_topology *tree;
    olo_null_space *space;
    olo_step *step;
    int unknowns;   /* of the tree, or n */
    int rows;       /* multipliers: closures, or m */
    const int *row; /* their constraints, NULL: all */
    bool reduced;
} probe;

static probe probe_open(const char *text, const char *constraints)
{
    probe p = {.s = scene_open(text, constraints), .reduced = strcmp(constraints, "reduced") == 0};
    olo_error error = {0};
    p.tree = p.s.system->topology;
    check_ok(olo_null_space_create(p.tree, &p.space, &error), &error);
    p.step = &p.s.stepper->step;
    p.unknowns = p.reduced ? p.tree->unknowns : p.s.system->n;
    p.rows = p.reduced ? p.tree->closure_count : p.s.system->m;
    p.row = p.reduced ? p.tree->closures : NULL;
    return p;
}

static void probe_close(probe *p)
{
    olo_null_space_free(p->space);
    scene_close(&p->s);
}

/* Unknowns z = (u or dq, lambda). */
static void read_unknowns(const probe *p, const double *lambda, double *z)
{
    memcpy(z, p->reduced ? p->step->x.u : p->step->x.dq, (size_t)p->unknowns * sizeof *z);
    for (int i = 0; i < p->rows; i++)
        z[p->unknowns + i] = lambda[p->row ? p->row[i] : i];
}

/* r = (P(q0, q1)^T (T + h G(q0, q1)^T lambda), g(q1)); P = I with multipliers. `size` is that of
 * its terms. */
static void residual(probe *p, const double *z, double *r)
{
    const olo_system *s = p->s.system;
    olo_motion *x = &p->step->x;
    double gradient[OLO_FORM_SIZE_MAX];
    if (p->reduced) {
        memcpy(x->u, z, (size_t)p->unknowns * sizeof *z);
        olo_motion_move(p->tree, x);
    } else {
        for (int i = 0; i < s->n; i++) {
            x->dq[i] = z[i];
            x->qm[i] = x->q0[i] + 0.5 * z[i];
            x->q1[i] = x->q0[i] + z[i];
        }
    }
    olo_interval interval = olo_step_interval(p->step);
    p->s.stepper->scheme->balance(p->step, NULL);
    for (int i = 0; i < p->rows; i++) {
        const olo_constraint *c = &s->constraints[p->row ? p->row[i] : i];
        c->type->discrete(c, &interval, gradient, NULL);
        for (int k = 0; k < c->size; k++)
            p->step->T[c->index[k]] += p->step->h * z[p->unknowns + i] * gradient[k];
        r[p->unknowns + i] = olo_condition_value(c, &interval);
    }
    if (p->reduced) {
        olo_null_space_at(p->space, x, true);
        olo_null_space_apply(p->space, p->step->T, r);
    } else {
        memcpy(r, p->step->T, (size_t)s->n * sizeof *r);
    }
}

/* An iterate far from the solution: random motion of a third of a unit, random velocities and
 * multipliers. */
static void scatter(probe *p, unsigned long long *seed)
{
    const olo_system *s = p->s.system;
    olo_state *state = p->s.state;
    for (int i = 0; i < s->twists; i++)
        olo_last_motion(state)[i] = 0.3 * scene_random(seed);
    for (int i = 0; i < s->n; i++)
        state->v[i] = 2 * scene_random(seed);
    for (int i = 0; i < s->m; i++)
        state->lambda[i] = 20 * scene_random(seed);
}

/* z plus s times the change of an iteration: joint increments along the twists of the nodes. */
static void along(probe *p, const double *z, const double *after, const double *motion, double s,
                  double *at)
{
    olo_motion *x = &p->step->x;
    for (int i = 0; i < p->unknowns + p->rows; i++)
        at[i] = z[i] + s * (after[i] - z[i]);
    if (!p->reduced)
        return;
    memcpy(x->motion, motion, (size_t)p->s.system->twists * sizeof *motion);
    for (int k = 0; k < p->s.system->node_count; k++) {
        const double *dt = olo_reduced_twist(p->s.stepper->data, k);
        double twist[6] = {0};
        for (int i = 0; i < p->s.system->nodes[k].twist; i++)
            twist[i] = s * dt[i];
        olo_motion_update(p->tree, k, x, twist);
    }
    olo_motion_predict(p->tree, x, x->motion, 1.0);
    memcpy(at, x->u, (size_t)p->unknowns * sizeof *at);
}

/* The largest change of the iteration: of the twist of a node or of a coordinate; multipliers with
 * the factor 1/100. */
static double change_of(const probe *p, const double *z, const double *after)
{
    double size = 0;
    for (int i = p->reduced ? p->unknowns : 0; i < p->unknowns + p->rows; i++)
        size = larger(size, fabs(after[i] - z[i]) / (i < p->unknowns ? 1 : 100));
    for (int k = 0; p->reduced && k < p->s.system->node_count; k++)
        for (int i = 0; i < p->s.system->nodes[k].twist; i++)
            size = larger(size, fabs(olo_reduced_twist(p->s.stepper->data, k)[i]));
    return size;
}

static double difference(probe *p, unsigned long long *seed)
{
    olo_stepper *stepper = p->s.stepper;
    const olo_treatment *treatment = stepper->treatment;
    int n = p->unknowns + p->rows;
    double *z = olo_alloc(6 * (size_t)n, sizeof *z), *after = z + n, *r = z + 2 * n;
    double *up = z + 3 * n, *down = z + 4 * n, *at = z + 5 * n, worst = 0, size = 0;
    double *motion = olo_alloc((size_t)p->s.system->twists, sizeof *motion);
    const double eps = 1e-5;
    olo_error error = {0};
    olo_newton newton = {0};
    scatter(p, seed);
    p->step->h = 0.1;
    p->step->state = p->s.state;
    p->step->x.q0 = p->s.state->q;
    stepper->scheme->begin(p->step);
    olo_motion_begin(p->tree, &p->step->x);
    p->step->closed = true; /* the tangent of the joint increments alone */
    treatment->predict(stepper->data, p->step, 1.0);
    memcpy(motion, p->step->x.motion, (size_t)p->s.system->twists * sizeof *motion);
    read_unknowns(p, p->s.state->lambda, z);
    check_ok(treatment->iterate(stepper->data, p->step, &newton, &error), &error);
    treatment->finish(stepper->data, p->step, stepper->backup);
    read_unknowns(p, stepper->backup->lambda, after);
    /* the direction, of size one */
    size = change_of(p, z, after);
    residual(p, z, r);
    for (int side = -2; side <= 2; side++) {
        double *out = side < 0 ? down : up;
        along(p, z, after, motion, side * eps / size, at);
        residual(p, at, at);
        /* five points: (8 (f1 - f-1) - (f2 - f-2))/12 */
        for (int i = 0; side != 0 && i < n; i++)
            out[i] = (abs(side) == 2 && side < 0 ? 0 : out[i]) + (abs(side) == 1 ? 8 : -1) * at[i];
    }
    double largest = 0;
    for (int i = 0; i < p->unknowns; i++)
        largest = larger(largest, fabs(r[i]));
    for (int i = 0; i < n; i++) {
        double derivative = (up[i] - down[i]) / (12 * eps) * size;
        double scale = i < p->unknowns ? largest : larger(1.0, fabs(derivative));
        check_true(isfinite(derivative));
        worst = larger(worst, fabs(derivative + r[i]) / scale);
    }
    olo_free(z);
    olo_free(motion);
    return worst;
}

static void check_tangents(const char *constraints)
{
    unsigned long long seed = 21;
    for (int k = 0; k < MODELS; k++) {
        probe p = probe_open(models[k], constraints);
        double worst = 0;
        for (int i = 0; i < 25; i++)
            worst = larger(worst, difference(&p, &seed));
        print_message("model %2d: %.1e\n", k, worst);
        if (!(worst <= 1e-7))
            print_message("%s", models[k]);
        check_below(worst, 1e-7);
        probe_close(&p);
    }
}

TEST(k3_reduced_tangent_is_exact)
{
    check_tangents("reduced");
}

TEST(k3_multipliers_tangent_is_exact)
{
    check_tangents("multipliers");
}

TEST_MAIN(cmocka_unit_test(k3_reduced_tangent_is_exact),
          cmocka_unit_test(k3_multipliers_tangent_is_exact))
