/* Bodies of random shape, position and motion, joined by lower pairs that are closed at the start:
 *
 *     joined x = joined_create(7);
 *     int a = joined_body(&x, NULL, NULL), b = joined_body(&x, NULL, NULL);
 *     joined_pair(&x, pair_letter('R'), a, b, NULL, 0);
 *     scene s = joined_open(&x, "reduced");
 *     ...
 *     joined_free(&x);
 *
 * The model belongs to x, so that several scenes can be opened.
 */
#ifndef OLO_TEST_JOINED_H
#define OLO_TEST_JOINED_H

#include "scene.h"

#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "stepping/predictor.h"

/* Lower pairs (multibody-null-space, table of 5.0): m_ext rows, r degrees of freedom, and which
 * these are: translations along or normal to the axis n, rotations about n or about all axes. */
typedef struct pair_kind {
    const char *type;
    int rows, dofs;
    bool along, across;
    int rotations;
} pair_kind;

enum { PAIRS = 9 };

static const pair_kind pairs[PAIRS] = {
    {"spherical", 3, 3, false, false, 3},    {"cylindrical", 4, 2, true, false, 1},
    {"revolute", 5, 1, false, false, 1},     {"prismatic", 5, 1, true, false, 0},
    {"planar", 3, 3, false, true, 1},        {"rigid", 6, 0, false, false, 0},
    {"point-on-line", 2, 4, true, false, 3}, {"point-on-plane", 1, 5, false, true, 3},
    {"universal", 4, 2, false, false, 2}};

/* A pair by its letter: S C R P E F as in the table, L for a point on a line, T for a point on a
 * plane (a table top), U for universal. */
static inline const pair_kind *pair_letter(char letter)
{
    const char *at = strchr("SCRPEFLTU", letter);
    check_true(at != NULL);
    return &pairs[at - "SCRPEFLTU"];
}

enum { JOINED_MAX = 64, GROUND = -1 };

/* What is in a tree of bodies: hinges alone, some with springs, dampers, stops and torques, some
 * ball joints among them, pairs of all kinds, pairs that rotate and slide reversed, too, or all
 * these with such forces. */
typedef enum joined_kind {
    JOINED_HINGES,
    JOINED_FORCED,
    JOINED_BALLS,
    JOINED_PAIRS,
    JOINED_REVERSED_PAIRS,
    JOINED_FORCED_PAIRS
} joined_kind;

typedef struct joined {
    joined_kind kind;
    olo_model *model;
    unsigned long long seed;
    int bodies, joints;
    int dofs;                 /* six per body, less the rows of the joints */
    const olo_signal *motion; /* of the first coordinate of the next pairs; NULL: none */
    double position[JOINED_MAX][3];
    double rotation[JOINED_MAX][9]; /* columns are the directors */
    olo_joint joint[JOINED_MAX];    /* as given to the model, without its names */
} joined;

static inline double joined_number(joined *x, double size)
{
    return size * scene_random(&x->seed);
}

static inline int joined_pick(joined *x, int count)
{
    return (int)((joined_number(x, 0.5) + 0.5) * count) % count;
}

static inline void joined_vector(joined *x, double size, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = joined_number(x, size);
}

static inline void joined_unit(joined *x, double out[3])
{
    do
        joined_vector(x, 1, out);
    while (vec3_norm(out) > 1 || vec3_norm(out) < 0.1);
    vec3_normalise(out);
}

static inline joined joined_create(unsigned long long seed)
{
    joined x = {.seed = seed};
    olo_error error = {0};
    check_ok(olo_model_create("joined", &x.model, &error), &error);
    return x;
}

/* J = tr(E) I - E with E = sum of three random dyads: an inertia that a body can have */
static inline void joined_inertia(joined *x, double mass, double J[9])
{
    double E[9] = {0};
    for (int k = 0; k < 3; k++) {
        double r[3];
        joined_vector(x, 0.4, r);
        r[k] += 0.3;
        for (int i = 0; i < 9; i++)
            E[i] += mass * r[i / 3] * r[i % 3];
    }
    for (int i = 0; i < 9; i++)
        J[i] = (i % 4 == 0 ? E[0] + E[4] + E[8] : 0.0) - E[i];
}

/* A body at a position (NULL: random), rotated by R (NULL: random), named b0, b1, ... */
static inline int joined_body(joined *x, const double *position, const double *R)
{
    char name[16];
    olo_error error = {0};
    olo_body body = olo_body_default();
    int k = x->bodies++;
    check_true(k < JOINED_MAX);
    snprintf(name, sizeof name, "b%d", k);
    body.name = name;
    body.mass = 1.25 + joined_number(x, 0.75);
    joined_inertia(x, body.mass, body.inertia);
    joined_vector(x, 0.2, body.center);
    joined_vector(x, 1, x->position[k]);
    if (position)
        vec3_copy(position, x->position[k]);
    double axis[3];
    joined_unit(x, axis);
    for (int i = 0; i < 3; i++)
        axis[i] *= 3;
    rotation_exponential(axis, x->rotation[k]);
    if (R)
        memcpy(x->rotation[k], R, sizeof x->rotation[k]);
    vec3_copy(x->position[k], body.position);
    memcpy(body.rotation, x->rotation[k], sizeof body.rotation);
    joined_vector(x, 1, body.velocity);
    joined_vector(x, 2, body.angular_velocity);
    check_ok(olo_model_add_body(x->model, &body, &error), &error);
    x->dofs += 6;
    return k;
}

/* The point on body k, or on the ground, that is at `at` in space; the name of the body is written
 * to `name`. */
static inline olo_point_on_body joined_point(const joined *x, int k, const double at[3],
                                             char name[16])
{
    olo_point_on_body point = {0};
    vec3_copy(at, point.at);
    if (k == GROUND)
        return point;
    double arm[3];
    vec3_subtract(at, x->position[k], arm);
    mat3_transposed_times(x->rotation[k], arm, point.at);
    snprintf(name, 16, "b%d", k);
    point.on = name;
    return point;
}

/* Random forces along a coordinate of a pair, if it has one: any of them, some pairs have none. */
static inline void joined_force(joined *x, const pair_kind *kind, olo_joint *joint)
{
    static const char *const positions[] = {"position1", "position2"};
    const bool slides = kind->along || kind->across;
    if (kind->rotations != 1 && !slides)
        return;
    const bool angle = !slides || (kind->rotations == 1 && joined_pick(x, 2));
    joint->coordinate = angle ? "angle" : kind->across ? positions[joined_pick(x, 2)] : "position";
    if (joined_pick(x, 2))
        joint->stiffness = 5 + joined_number(x, 5);
    if (joined_pick(x, 2))
        joint->damping = 0.3 + joined_number(x, 0.2);
    if (joined_pick(x, 2))
        *(angle ? &joint->torque : &joint->force) = joined_number(x, 3);
    if (joined_pick(x, 3) == 0) {
        joint->upper = 0.02;
        joint->stop_stiffness = 50;
    }
}

/* A pair between two bodies, or a body and the ground, that is closed at the start. Its axes are
 * fixed in the first body. The two points of the pair are apart by up to `reach` along the
 * translations that it allows. If no axis is given, it is random. */
static inline void joined_pair(joined *x, const pair_kind *kind, int first, int second,
                               const double *axis, double reach)
{
    char names[2][16], name[16];
    double at[3], m1[3], m2[3];
    olo_error error = {0};
    olo_joint joint = olo_joint_default();
    check_true(x->joints < JOINED_MAX);
    snprintf(name, sizeof name, "j%d", x->joints);
    joint.name = name;
    joint.type = kind->type;
    joined_unit(x, joint.axis);
    if (axis)
        vec3_copy(axis, joint.axis);
    vec3_transversals(joint.axis, m1, m2);
    if (kind->rotations == 2)
        vec3_copy(m1, joint.axis2);
    const double *a = x->position[first == GROUND ? second : first];
    const double *b = x->position[second == GROUND ? first : second];
    for (int i = 0; i < 3; i++)
        at[i] = 0.5 * (a[i] + b[i]) + joined_number(x, 0.3);
    joint.between[0] = joined_point(x, first, at, names[0]);
    if (kind->along)
        vec3_add(joined_number(x, reach), joint.axis, at);
    if (kind->across) {
        vec3_add(joined_number(x, reach), m1, at);
        vec3_add(joined_number(x, reach), m2, at);
    }
    joint.between[1] = joined_point(x, second, at, names[1]);
    if (x->kind == JOINED_FORCED || x->kind == JOINED_FORCED_PAIRS)
        joined_force(x, kind, &joint);
    joint.motion = x->motion;
    if (x->motion && kind->dofs > 1)
        joint.coordinate = kind->across ? "position1" : "position";
    check_ok(olo_model_add_joint(x->model, &joint, &error), &error);
    x->dofs -= kind->rows;
    joint.motion = NULL;
    joint.name = joint.between[0].on = joint.between[1].on = NULL;
    x->joint[x->joints++] = joint;
}

/* A tree of random pairs. Its first body is free or joined to the ground, and other bodies may be
 * joined to the ground, too. Half of the bodies continue a chain, and a third of the pairs name the
 * child before the parent. */
static inline joined joined_tree(unsigned long long seed, int bodies)
{
    joined x = joined_create(seed);
    const double gravity[3] = {1, 2, -9.81};
    olo_model_set_gravity(x.model, gravity);
    bool floating = joined_pick(&x, 2) == 0;
    for (int k = 0; k < bodies; k++) {
        int parent = k == 0 || joined_pick(&x, 12) == 0 ? GROUND : joined_pick(&x, k);
        if (k > 0 && joined_pick(&x, 2) == 0)
            parent = k - 1;
        double position[3];
        joined_vector(&x, 0.8, position);
        if (parent != GROUND)
            vec3_add(1.0, x.position[parent], position);
        joined_body(&x, position, NULL);
        if (k == 0 && floating)
            continue;
        bool turned = joined_pick(&x, 3) == 0;
        joined_pair(&x, &pairs[joined_pick(&x, PAIRS)], turned ? k : parent, turned ? parent : k,
                    NULL, 0.4);
    }
    return x;
}

/* The pair of a tree, and whether it names the child first. */
static inline const pair_kind *joined_kind_of_pair(joined *x, bool *turned)
{
    if (x->kind < JOINED_PAIRS)
        return pair_letter(x->kind == JOINED_BALLS && joined_pick(x, 2) ? 'S' : 'R');
    const pair_kind *kind = &pairs[joined_pick(x, PAIRS)];
    if (x->kind == JOINED_PAIRS && (kind->along || kind->across) && kind->rotations)
        *turned = false;
    return kind;
}

/* Trees of joints at random points of bodies. The first body of each is joined to the ground or
 * free. */
static inline joined joined_hinges(unsigned long long seed, int bodies, joined_kind kind)
{
    joined x = joined_create(seed);
    x.kind = kind;
    const double gravity[3] = {1, 2, -9.81};
    olo_model_set_gravity(x.model, gravity);
    for (int k = 0; k < bodies; k++) {
        int parent = k == 0 || joined_pick(&x, 8) == 0 ? GROUND : joined_pick(&x, k);
        if (k > 0 && joined_pick(&x, 2) == 0)
            parent = k - 1;
        bool floating = joined_pick(&x, 2) == 0, turned = joined_pick(&x, 3) == 0;
        double position[3];
        joined_vector(&x, 0.8, position);
        if (parent != GROUND)
            vec3_add(1.0, x.position[parent], position);
        joined_body(&x, position, NULL);
        if (parent == GROUND && floating)
            continue;
        const pair_kind *pair = joined_kind_of_pair(&x, &turned);
        joined_pair(&x, pair, turned ? k : parent, turned ? parent : k, NULL,
                    kind >= JOINED_PAIRS ? 0.4 : 0);
    }
    return x;
}

/* Adds a force that is too small to move anything but rotates with a body. Such systems are solved
 * by the elimination for any tree. */
static inline void joined_push(joined *x)
{
    olo_error error = {0};
    olo_load load = olo_load_default();
    load.on.on = "b0";
    load.frame = "body";
    load.force[0] = 1e-100;
    check_ok(olo_model_add_load(x->model, &load, &error), &error);
}

/* The same, pushed or not. */
static inline joined joined_hinges_pushed(unsigned long long seed, int bodies, bool pushed,
                                          joined_kind kind)
{
    joined x = joined_hinges(seed, bodies, kind);
    if (pushed)
        joined_push(&x);
    return x;
}

static inline scene joined_open_scheme(const joined *x, const char *scheme, const char *constraints)
{
    scene s = {0};
    olo_error error = {0};
    check_ok(olo_model_compile(x->model, &s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run = olo_run_default();
    s.run.scheme = scheme;
    s.run.constraints = constraints;
    check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    return s;
}

static inline scene joined_open(const joined *x, const char *constraints)
{
    return joined_open_scheme(x, "energy-momentum-2006", constraints);
}

/* The last motion of a state and its first differences after steps of order 2, times factors. */
static inline olo_motion_mix joined_mix(const olo_state *state, int rows, const double *factor)
{
    olo_motion_mix mix = olo_predictor_last(state, factor[0]);
    mix.rows = rows;
    for (int k = 1; k < rows; k++) {
        mix.even = mix.even && factor[k] == 1;
        mix.factor[k] = factor[k];
    }
    mix.others = olo_predictor_of(state)->before + 2 * state->twists;
    return mix;
}

static inline void joined_free(joined *x)
{
    olo_model_free(x->model);
}

#endif
