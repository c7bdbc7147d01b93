/* Discs and balls that roll on a plane: laws of the discrete motion (energy, contact, momenta,
 * symmetry, reversal), steady motions and their stability, an independent integration, and bodies
 * that are attached to rolling ones.
 *
 * A thin disc of mass m, radius r, axial moment of inertia C and transverse one A, whose axis e
 * rises by the angle alpha above the plane, precesses with Omega about the normal; w3 is the
 * component of its angular velocity along e. The Newton-Euler equations give for steady motion
 *
 *     A Omega^2 sin alpha cos alpha - (C + m r^2) Omega w3 cos alpha = m g r sin alpha,
 *
 * with the speed r w3 of the centre on a circle, and for small deviations from straight rolling
 *
 *     A (A + m r^2) alpha'' + (C (C + m r^2) w3^2 - m g r A) alpha = 0. */
#include "joined.h"

#include "stepping/step.h"
#include "system/directors.h"
#include "system/rolling.h"

static const double pi = 3.14159265358979323846;
static const char *const treatments[] = {"reduced", "multipliers", "projected"};

/* --- scenes --- */

/* A coin whose axis is d3; its mass, radius and moments of inertia. */
enum { TEXT_SIZE = 1024 };
static const double mass = 0.3, radius = 0.1, axial = 0.0013, across = 0.0007, gravity = 9.81;

/* The axis is in the y-z plane, alpha above the horizontal; the angular velocity is `w3` along the
 * axis plus `rest`. */
static void write_coin(double alpha, double w3, const double rest[3], char text[TEXT_SIZE])
{
    double y = cos(alpha), z = sin(alpha);
    snprintf(text, TEXT_SIZE,
             "gravity: [0, 0, -%.17g]\n"
             "bodies: {name: coin, mass: %.17g, inertia: [%.17g, %.17g, %.17g], rotation: {axis: "
             "[1, 0, 0], angle: %.17g}, angular_velocity: [%.17g, %.17g, %.17g]}\n"
             "joints: {name: contact, type: rolling-disc, between: [ground, coin], axis: [0, "
             "%.17g, %.17g], radius: %.17g}\n",
             gravity, mass, across, across, axial, alpha - pi / 2, rest[0], w3 * y + rest[1],
             w3 * z + rest[2], y, z, radius);
}

static scene open_coin(double alpha, double w3, const double rest[3], const char *constraints)
{
    char text[TEXT_SIZE];
    write_coin(alpha, w3, rest, text);
    return scene_open(text, constraints);
}

/* tests/physics/rolling_reference.py */
static const char *const unbalanced =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 0.3, center: [0.01, -0.02, 0.015], inertia: [8e-4, 1.2e-3, 1.5e-3, "
    "5e-5, -4e-5, 3e-5], rotation: {axis: [1, 2, -1], angle: 0.7}, position: [0.357095659811149, "
    "0.093969832544504, -0.094363654619], angular_velocity: [2, 9, -1]}\n"
    "joints: {name: contact, type: rolling-disc, between: [[0.3, 0.1, -0.2], {on: b, at: "
    "[0.005, 0.01, -0.01]}], axis: [0.2, 0.9, 0.3], normal: [0.1, -0.2, 1], radius: 0.1}\n";

static const char *const chaplygin =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 0.5, inertia: [8e-4, 1.2e-3, 1.5e-3, 5e-5, -4e-5, 3e-5], position: "
    "[0.1, 0.2, 0.1], angular_velocity: [3, -9, 5]}\n"
    "joints: {name: contact, type: rolling-ball, between: [ground, b], radius: 0.1}\n";

/* a wheel with a pendulum on its axis, at a distance from its centre */
static const char *const wheel_with_pendulum =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: wheel, mass: 1, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.5], angular_velocity: "
    "[0.1, 4, 0.3]}\n"
    "  - {name: bob, mass: 0.7, inertia: [0.01, 0.02, 0.015], position: [0.3, 0.1, 0.4]}\n"
    "joints:\n"
    "  - {name: contact, type: rolling-disc, between: [ground, wheel], axis: [0, 1, 0], radius: "
    "0.5}\n"
    "  - {name: axle, type: revolute, between: [wheel, {on: bob, at: [-0.3, -0.05, 0.1]}], axis: "
    "[0, 1, 0], rate: -2}\n";

/* Two wheels of radius 0.2 on an axle of length 1: one of the sideways rows is redundant. */
static const char *const two_wheels =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: left, mass: 1, inertia: [0.01, 0.02, 0.01], position: [0, 0.5, 0.2], "
    "angular_velocity: [0, 6, 0.4]}\n"
    "  - {name: right, mass: 1, inertia: [0.01, 0.02, 0.01], position: [0, -0.5, 0.2], "
    "angular_velocity: [0, 8, 0.4]}\n"
    "  - {name: axle, mass: 2, inertia: [0.1, 0.02, 0.1], position: [0, 0, 0.2], velocity: [1.4, "
    "0, "
    "0], angular_velocity: [0, 0, 0.4]}\n"
    "joints:\n"
    "  - {name: on_left, type: rolling-disc, between: [ground, left], axis: [0, 1, 0], radius: "
    "0.2}\n"
    "  - {name: on_right, type: rolling-disc, between: [right, ground], axis: [0, 1, 0], radius: "
    "0.2}\n"
    "  - {type: revolute, between: [axle, left], at: [0, 0.5, 0.2], axis: [0, 1, 0]}\n"
    "  - {type: revolute, between: [axle, right], at: [0, -0.5, 0.2], axis: [0, 1, 0]}\n";

/* --- what is looked at --- */

static const olo_rolling *rolling_of(const scene *s)
{
    for (int j = 0; j < s->system->joint_count; j++)
        if (s->system->joints[j].rolling)
            return s->system->joints[j].rolling;
    return NULL;
}

/* n . e of the first joint that rolls */
static double lean_of(const scene *s, const char *node)
{
    const olo_rolling *rolling = rolling_of(s);
    double e[3];
    olo_rolling_vector(rolling->axis, scene_q(s, node), e);
    return vec3_dot(rolling->normal, e);
}

/* omega = 1/2 sum d_I x d_I' */
static void spin_of(const scene *s, const char *node, double omega[3])
{
    const double *q = scene_q(s, node), *v = scene_v(s, node);
    vec3_set(0, 0, 0, omega);
    for (int I = 3; I < 12; I += 3)
        vec3_add_cross(q + I, v + I, omega);
    for (int i = 0; i < 3; i++)
        omega[i] *= 0.5;
}

/* The slip in the last step, computed from its own numbers: |dx + a x s| with the arm s of the
 * header and the centre at x. */
static double slip_of(const scene *s, int node, const olo_rolling *rolling)
{
    const olo_motion *x = &s->stepper->step.x;
    int q = s->system->nodes[node].q;
    double e0[3], e1[3], e_m[3], dx[3], a[3], arm[3], hub[3];
    olo_rolling_vector(rolling->axis, x->q0 + q, e0);
    olo_rolling_vector(rolling->axis, x->q1 + q, e1);
    olo_rolling_vector(rolling->center, x->dq + q, hub);
    directors_cayley(x->qm + q + 3, x->dq + q + 3, a);
    const double *n = rolling->normal;
    bool ball = vec3_norm(rolling->axis) == 0;
    double sigma0 = ball ? 1 : sqrt(1 - vec3_dot(n, e0) * vec3_dot(n, e0));
    double sigma1 = ball ? 1 : sqrt(1 - vec3_dot(n, e1) * vec3_dot(n, e1));
    for (int i = 0; i < 3; i++) {
        e_m[i] = 0.5 * (e0[i] + e1[i]);
        dx[i] = x->dq[q + i] + hub[i];
    }
    for (int i = 0; i < 3; i++)
        arm[i] = rolling->radius * (vec3_dot(n, e_m) * e_m[i] - n[i]) / (0.5 * (sigma0 + sigma1));
    vec3_add_cross(a, arm, dx);
    return vec3_norm(dx) / rolling->radius;
}

/* --- laws that hold at any step --- */

TEST(energy_and_contact_are_conserved_for_any_step)
{
    const double steps[] = {0.05, 0.01, 0.001};
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 3; k++)
            for (int ball = 0; ball < 2; ball++) {
                scene s = scene_open(ball ? chaplygin : unbalanced, treatments[t]);
                double slip = 0, open = 0;
                olo_ledger start = scene_ledger(&s);
                double size = start.kinetic + fabs(start.potential), drift = 0;
                for (int i = 0; i * steps[k] < 1; i++) {
                    scene_run(&s, steps[k], 1);
                    olo_ledger now = scene_ledger(&s);
                    size = larger(size, now.kinetic + fabs(now.potential));
                    drift = larger(drift, fabs(now.total - start.total) / size);
                    open = larger(open, now.constraint_relative);
                    slip = larger(slip, slip_of(&s, 0, rolling_of(&s)));
                }
                check_below(drift, 1e-12);
                check_below(open, 1e-14);
                check_below(slip, 1e-13);
                scene_close(&s);
            }
}

TEST(a_coin_conserves_its_energy_over_many_steps)
{
    scene s = scene_open("rolling-disc", "reduced");
    check_below(scene_drift(&s, 0.005, 100000), 1e-12);
    check_below(scene_ledger(&s).constraint_relative, 1e-14);
    scene_close(&s);
}

/* d.dq = g(q1) - g(q0) of the height for any two configurations, rigid or not; the disc lies flat
 * in none of them. */
TEST(the_height_has_an_exact_discrete_gradient)
{
    scene s = scene_open(unbalanced, "reduced");
    const olo_constraint *row = &s.system->constraints[6];
    unsigned long long seed = 5;
    double q0[12], q1[12], qm[12], dq[12], d[12], K[144];
    check_text("height", row->type->name);
    for (int trial = 0; trial < 200; trial++) {
        double size = pow(10, -6 * (trial % 4) / 3.0);
        for (int i = 0; i < 12; i++) {
            q0[i] = scene_q(&s, "b")[i] + 0.3 * scene_random(&seed);
            dq[i] = size * scene_random(&seed);
            qm[i] = q0[i] + 0.5 * dq[i];
            q1[i] = q0[i] + dq[i];
        }
        olo_interval x = {.q0 = q0, .q1 = q1, .qm = qm, .dq = dq};
        olo_at start = {.q = q0}, end = {.q = q1};
        row->type->discrete(row, &x, d, K);
        double change = 0;
        for (int i = 0; i < 12; i++)
            change += d[i] * dq[i];
        check_close(olo_constraint_value(row, &end) - olo_constraint_value(row, &start), change,
                    1e-14);
    }
    scene_close(&s);
}

TEST(a_motion_runs_back_to_its_start)
{
    for (int t = 0; t < 3; t++) {
        scene s = scene_open(unbalanced, treatments[t]);
        double q[12], v[12];
        memcpy(q, scene_q(&s, "b"), sizeof q);
        memcpy(v, scene_v(&s, "b"), sizeof v);
        scene_run(&s, 0.01, 50);
        check_true(scene_distance(12, scene_q(&s, "b"), q) > 0.1);
        scene_run(&s, -0.01, 50);
        check_below(scene_distance(12, scene_q(&s, "b"), q), 1e-11);
        check_below(scene_distance(12, scene_v(&s, "b"), v), 1e-11);
        scene_close(&s);
    }
}

/* If the initial state is shifted along the plane and rotated about the normal, the motion is
 * shifted and rotated, too. */
TEST(a_motion_has_the_symmetry_of_its_plane)
{
    const char *const text =
        "gravity: [0, 0, -9.81]\nparameters: {a: 0, x: 0, y: 0}\n"
        "bodies: {name: b, mass: 0.3, center: [0.01, -0.02, 0.015], inertia: [8e-4, 1.2e-3, "
        "1.5e-3], position: ['x', 'y', 0], rotation: {axis: [0, 0, 1], angle: a}, "
        "angular_velocity: ['2*cos(a) - 9*sin(a)', '2*sin(a) + 9*cos(a)', -1]}\n"
        "joints: {type: rolling-disc, between: [ground, b], axis: ['0.2*cos(a) - 0.9*sin(a)', "
        "'0.2*sin(a) + 0.9*cos(a)', 0.3], radius: 0.1}\n";
    const olo_setting moved[] = {{"a", "1.1"}, {"x", "0.7"}, {"y", "-0.4"}};
    scene one = scene_open(text, "reduced"), two = scene_open_set(text, "reduced", moved, 3);
    scene_run(&one, 0.02, 50);
    scene_run(&two, 0.02, 50);
    const double *q = scene_q(&one, "b"), *p = scene_q(&two, "b");
    for (int I = 0; I < 12; I += 3) {
        double shift[3] = {I == 0 ? 0.7 : 0, I == 0 ? -0.4 : 0, 0};
        check_close(cos(1.1) * q[I] - sin(1.1) * q[I + 1] + shift[0], p[I], 1e-11);
        check_close(sin(1.1) * q[I] + cos(1.1) * q[I + 1] + shift[1], p[I + 1], 1e-11);
        check_close(q[I + 2], p[I + 2], 1e-11);
    }
    scene_close(&one);
    scene_close(&two);
}

/* Chaplygin's ball, of any inertia about its centre: L + r n x m v, its angular momentum about the
 * contact, is constant on a horizontal plane. */
TEST(a_ball_conserves_its_angular_momentum_about_the_contact)
{
    for (int t = 0; t < 3; t++) {
        scene s = scene_open(chaplygin, treatments[t]);
        double start[3] = {0}, worst = 0;
        for (int i = 0; i <= 500; i++) {
            olo_ledger ledger = scene_ledger(&s);
            const double *x = scene_q(&s, "b"), *P = ledger.linear_momentum;
            double L[3], n[3] = {0, 0, 0.1};
            vec3_copy(ledger.angular_momentum, L);
            vec3_add_cross(P, x, L); /* about the centre */
            vec3_add_cross(n, P, L);
            if (i == 0)
                vec3_copy(L, start);
            vec3_subtract(L, start, L);
            worst = larger(worst, vec3_norm(L) / vec3_norm(start));
            scene_run(&s, 0.02, 1);
        }
        check_below(worst, 1e-12);
        scene_close(&s);
    }
}

TEST(uniform_rolling_is_exact_at_any_step)
{
    const double rest[3] = {0, 0, 0};
    scene s = open_coin(0, 9, rest, "reduced");
    scene_run(&s, 0.05, 200);
    check_close(9 * radius * 10, scene_q(&s, "coin")[0], 1e-11);
    check_close(radius, scene_q(&s, "coin")[2], 1e-15);
    check_close(9 * radius, scene_v(&s, "coin")[0], 1e-12);
    scene_close(&s);
    /* a ball with spin rolls straight ahead */
    s = scene_open("gravity: [0, 0, -9.81]\nbodies: {name: b, mass: 1, inertia: [4e-3, 4e-3, "
                   "4e-3], angular_velocity: [3, 4, 5]}\njoints: {type: rolling-ball, between: "
                   "[ground, b], radius: 0.1}\n",
                   "reduced");
    scene_run(&s, 0.05, 200);
    const double *x = scene_q(&s, "b"), expected[3] = {4, -3, 0.1};
    for (int i = 0; i < 3; i++)
        check_close(expected[i], x[i], 1e-11);
    scene_close(&s);
    /* a coin that stands upright and spins */
    const double spin[3] = {0, 0, 12};
    s = open_coin(0, 0, spin, "reduced");
    scene_run(&s, 0.05, 200);
    check_below(hypot(scene_q(&s, "coin")[0], scene_q(&s, "coin")[1]), 1e-12);
    check_below(fabs(lean_of(&s, "coin")), 1e-12);
    scene_close(&s);
}

/* --- steady motions --- */

/* The largest deviations over a second from the steady circle with lean alpha and precession Omega:
 * of the lean, and of the distance from the centre of the circle. */
static void steady_departure(double alpha, double Omega, double h, double *lean, double *path)
{
    double s = sin(alpha), c = cos(alpha);
    double w3 = (across * Omega * Omega * s * c - mass * gravity * radius * s) /
                ((axial + mass * radius * radius) * Omega * c);
    /* the part of Omega normal to the axis: Omega cos alpha (-sin alpha, cos alpha) */
    const double rest[3] = {0, -Omega * c * s, Omega * c * c};
    scene x = open_coin(alpha, w3, rest, "reduced");
    /* the centre moves along x with r w3; for positive Omega the centre of the circle is to the
     * left */
    double start[2] = {scene_q(&x, "coin")[0], scene_q(&x, "coin")[1]}, R = radius * w3 / Omega;
    *lean = *path = 0;
    for (int i = 0; i < (int)(1 / h + 0.5); i++) {
        scene_run(&x, h, 1);
        const double *q = scene_q(&x, "coin");
        *lean = larger(*lean, fabs(asin(lean_of(&x, "coin")) - alpha));
        *path = larger(*path, fabs(hypot(q[0] - start[0], q[1] - start[1] - R) - fabs(R)));
    }
    check_close(radius * w3,
                scene_v(&x, "coin")[0] * cos(Omega) + scene_v(&x, "coin")[1] * sin(Omega),
                100 * h * h);
    scene_close(&x);
}

TEST(steady_circles_of_a_leaning_disc)
{
    const double motions[][2] = {{0.3, 2.5}, {-0.6, 3}, {0.9, 9}, {0.1, -1.5}};
    for (int k = 0; k < 4; k++) {
        double lean[2], path[2];
        steady_departure(motions[k][0], motions[k][1], 0.002, &lean[0], &path[0]);
        steady_departure(motions[k][0], motions[k][1], 0.001, &lean[1], &path[1]);
        print_message("lean %4.1f: %.2e %.2e, path %.2e %.2e\n", motions[k][0], lean[0], lean[1],
                      path[0], path[1]);
        check_below(lean[1], 1e-3);
        check_below(path[1], 1e-3);
        check_close(4, lean[0] / lean[1], 0.1);
        check_close(4, path[0] / path[1], 0.1);
    }
}

/* Near straight rolling
 *
 *     alpha'' = -k alpha,   k = (C (C + m r^2) w^2 - m g r A)/(A (A + m r^2)),
 *
 * if initially A Omega = -C w alpha, which then remains true: alpha = alpha0 cos(sqrt(k) t), or
 * cosh below the threshold. */
TEST(straight_rolling_is_stable_above_its_threshold)
{
    const double start = 1e-6, rim = mass * radius * radius;
    double threshold = sqrt(mass * gravity * radius * across / (axial * (axial + rim)));
    const double speeds[] = {0.5, 0.9, 1.1, 2};
    for (int i = 0; i < 4; i++) {
        double w = speeds[i] * threshold, h = 1e-3;
        double k = (axial * (axial + rim) * w * w - mass * gravity * radius * across) /
                   (across * (across + rim));
        const double yaw[3] = {0, 0, -axial * w * start / across};
        scene s = open_coin(start, w, yaw, "reduced");
        double most = 0;
        for (int n = 1; n <= 1000; n++) {
            scene_run(&s, h, 1);
            double t = n * h, expected = k > 0 ? cos(sqrt(k) * t) : cosh(sqrt(-k) * t);
            most = larger(most, fabs(lean_of(&s, "coin") / start - expected) / larger(1, expected));
        }
        check_below(most, 1e-3);
        scene_close(&s);
    }
}

/* --- against other solutions --- */

static double error_at(double h)
{
    const double position[3] = {0.6296434277935, -0.4594540737341, -0.2581554122922};
    const double d1[3] = {-0.844830320008, 0.04722236471, -0.532946318747};
    const double d3[3] = {0.156098739602, -0.931005707507, -0.3299417465};
    scene s = scene_open(unbalanced, "reduced");
    scene_run(&s, h, (long)(0.5 / h + 0.5));
    const double *q = scene_q(&s, "b");
    double error = 0;
    for (int i = 0; i < 3; i++) {
        error = larger(error, fabs(q[i] - position[i]) / 0.1);
        error = larger(error, fabs(q[3 + i] - d1[i]));
        error = larger(error, fabs(q[9 + i] - d3[i]));
    }
    scene_close(&s);
    return error;
}

TEST(an_unbalanced_disc_on_a_slope_converges_at_order_two)
{
    double coarse = error_at(0.0005), fine = error_at(0.00025), finest = error_at(0.000125);
    print_message("errors %.3e %.3e %.3e\n", coarse, fine, finest);
    check_close(2, log2(coarse / fine), 0.05);
    check_close(2, log2(fine / finest), 0.05);
    check_below(finest, 1e-4);
}

/* The acceleration of a solid ball on a slope is 5/7 g sin(slope), independent of its radius. */
static double ball_error(double h)
{
    const double slope = 0.4;
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: {name: b, shapes: {type: sphere, radius: 0.2, density: 100}}\n"
             "joints: {type: rolling-ball, between: [ground, b], normal: [%.17g, 0, %.17g], "
             "radius: 0.2}\n",
             sin(slope), cos(slope));
    scene s = scene_open(text, "reduced");
    double start[3], way[3];
    vec3_copy(scene_q(&s, "b"), start);
    scene_run(&s, h, (long)(1 / h + 0.5));
    vec3_subtract(scene_q(&s, "b"), start, way);
    check_below(fabs(way[1]), 1e-13);
    check_close(0, way[0] * sin(slope) + way[2] * cos(slope), 1e-14);
    double error = vec3_norm(way) - 0.5 * 5.0 / 7 * 9.81 * sin(slope);
    scene_close(&s);
    return error;
}

TEST(a_solid_ball_rolls_down_a_slope_with_five_sevenths)
{
    double coarse = ball_error(0.02), fine = ball_error(0.005);
    check_below(fabs(coarse), 1e-6);
    check_below(fabs(fine), 4e-9);
}

/* The reaction acts at the contact: F = m (v1 - v0)/h - m g on a single body, without moment about
 * the contact. */
TEST(the_reaction_acts_at_the_contact)
{
    for (int t = 0; t < 2; t++) {
        const double rest[3] = {1, 0.5, -2};
        scene s = open_coin(0.4, 7, rest, treatments[t]);
        double before[3], force[3], moment[3], h = 0.01;
        scene_run(&s, h, 20);
        vec3_copy(scene_v(&s, "coin"), before);
        scene_run(&s, h, 1);
        scene_reaction(&s, "contact", force, moment);
        const double *after = scene_v(&s, "coin"), *n = rolling_of(&s)->normal;
        for (int i = 0; i < 3; i++)
            check_close(mass * ((after[i] - before[i]) / h + (i == 2 ? gravity : 0)), force[i],
                        1e-9);
        /* moment = s x F with the arm of the step; normal to the plane it is n.(s x F) from the
         * geometry in the middle of the step */
        const olo_motion *x = &s.stepper->step.x;
        double e0[3], e_m[3], e1[3], expected[3];
        olo_rolling_arm arm;
        olo_rolling_vector(rolling_of(&s)->axis, x->q0, e0);
        olo_rolling_vector(rolling_of(&s)->axis, x->qm, e_m);
        olo_rolling_vector(rolling_of(&s)->axis, x->q1, e1);
        olo_rolling_over(rolling_of(&s), e0, e_m, e1, &arm);
        vec3_cross(arm.s, force, expected);
        for (int i = 0; i < 3; i++)
            check_close(expected[i], moment[i], 1e-10);
        check_close(-radius * olo_rolling_sine(rolling_of(&s), e_m), vec3_dot(n, arm.s), 1e-3);
        scene_close(&s);
    }
}

/* --- systems --- */

static double treatments_apart(scene *one, scene *two, double h, int steps)
{
    double apart = 0;
    for (int i = 0; i < steps; i++) {
        scene_run(one, h, 1);
        scene_run(two, h, 1);
        apart = larger(apart, scene_distance(one->system->n, olo_state_configuration(one->state),
                                             olo_state_configuration(two->state)));
    }
    return apart;
}

TEST(treatments_agree)
{
    const char *const texts[] = {unbalanced, chaplygin, wheel_with_pendulum, two_wheels};
    for (int k = 0; k < 4; k++)
        for (int t = 1; t < 3; t++) {
            scene one = scene_open(texts[k], "reduced"), two = scene_open(texts[k], treatments[t]);
            check_below(treatments_apart(&one, &two, 0.01, 50), 1e-10);
            scene_close(&one);
            scene_close(&two);
        }
}

TEST(a_penalty_cannot_roll)
{
    olo_error error = {0};
    scene s = scene_open(chaplygin, "reduced");
    olo_stepper *stepper;
    s.run.constraints = "penalty";
    check_status(OLO_UNSUPPORTED, olo_stepper_create(s.system, &s.run, &stepper, &error));
    check_contains("'contact' rolls", error.text);
    scene_close(&s);
}

TEST(a_pendulum_in_a_wheel_conserves_the_energy)
{
    scene s = scene_open(wheel_with_pendulum, "reduced");
    olo_counts counts;
    olo_error error = {0};
    check_ok(olo_system_counts(s.system, &counts, &error), &error);
    check_equal(4, counts.degrees_of_freedom);
    check_equal(4, counts.unknowns_reduced);
    check_equal(2, counts.velocity_rows);
    check_below(scene_drift(&s, 0.01, 1000), 1e-12);
    check_below(slip_of(&s, 0, rolling_of(&s)), 1e-13);
    scene_close(&s);
}

/* A cart of two wheels and a pendulum in a planar model moves as the same cart in space. */
TEST(a_planar_cart_moves_as_in_space)
{
#define CART(plane, axis)                                                                          \
    plane                                                                                          \
        "gravity: [0, 0, -9.81]\n"                                                                 \
        "bodies:\n"                                                                                \
        "  - {name: front, mass: 1, inertia: [0.01, 0.02, 0.01], position: [1, 0, 0.2], "          \
        "angular_velocity: [0, 3, 0]}\n"                                                           \
        "  - {name: back, mass: 1, inertia: [0.01, 0.02, 0.01], center: [0.05, 0, 0], position: "  \
        "[0, 0, 0.2], angular_velocity: [0, 3, 0]}\n"                                              \
        "  - {name: chassis, mass: 4, inertia: [0.1, 0.3, 0.3], position: [0.5, 0, 0.3], "         \
        "velocity: [0.6, 0, 0], angular_velocity: [0, 0, 0]}\n"                                    \
        "  - {name: bob, mass: 2, inertia: [0.01, 0.02, 0.02], position: [0.7, 0, 0.1]}\n"         \
        "joints:\n"                                                                                \
        "  - {type: rolling-disc, between: [ground, front], radius: 0.2" axis "}\n"                \
        "  - {type: rolling-disc, between: [ground, back], radius: 0.2" axis "}\n"                 \
        "  - {type: revolute, between: [chassis, front], at: [1, 0, 0.2], axis: [0, 1, 0]}\n"      \
        "  - {type: revolute, between: [chassis, back], at: [0, 0, 0.2], axis: [0, 1, 0]}\n"       \
        "  - {type: revolute, between: [chassis, bob], at: [0.5, 0, 0.3], axis: [0, 1, 0]}\n"
    scene space = scene_open(CART("", ", axis: [0, 1, 0]"), "reduced");
    for (int t = 0; t < 3; t++) {
        scene plane = scene_open(CART("plane: xz\n", ""), treatments[t]);
        olo_counts counts;
        olo_error error = {0};
        check_ok(olo_system_counts(plane.system, &counts, &error), &error);
        check_equal(2, counts.degrees_of_freedom);
        check_equal(2, counts.velocity_rows);
        double energy = scene_ledger(&plane).total;
        scene_run(&plane, 0.01, 200);
        if (t == 0)
            scene_run(&space, 0.01, 200);
        check_below(scene_distance(plane.system->n, olo_state_configuration(plane.state),
                                   olo_state_configuration(space.state)),
                    1e-10);
        check_relative(energy, scene_ledger(&plane).total, 1e-12);
        scene_close(&plane);
    }
    scene_close(&space);
}

/* Wheels with the rates w1 and w2 move the axle along a circle: yaw rate r (w2 - w1)/width, speed r
 * (w1 + w2)/2. */
TEST(two_wheels_on_an_axle_run_in_a_circle)
{
    olo_counts counts;
    olo_error error = {0};
    for (int t = 0; t < 2; t++) {
        scene s = scene_open(two_wheels, treatments[t]);
        check_ok(olo_system_counts(s.system, &counts, &error), &error);
        check_equal(3, counts.degrees_of_freedom);
        check_equal(1, counts.constraints - counts.rank);
        double h = 0.01, yaw = 0.2 * (8 - 6) / 1.0, speed = 0.2 * (6 + 8) / 2;
        scene_run(&s, h, 200);
        const double *q = scene_q(&s, "axle");
        double angle = yaw * 2, R = speed / yaw;
        check_close(R * sin(angle), q[0], 2e-3);
        check_close(R * (1 - cos(angle)), q[1], 2e-3);
        check_close(0.2, q[2], 1e-13);
        scene_close(&s);
    }
}

/* A cone that rolls about its tip, which is fixed. The rolling joint closes a loop, two of its rows
 * are independent of the tip, and one degree of freedom remains. The motion is steady: with half
 * the opening angle delta and the angular velocity w, a revolution takes the time 2 pi / (w tan
 * delta). */
TEST(a_cone_rolls_round_its_tip)
{
    const double delta = 0.5, L = 0.4, r = L * tan(delta), w = 5;
    char text[TEXT_SIZE];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: cone, mass: 2, center: [0, 0, 0.3], inertia: [0.04, 0.04, 0.02], rotation: "
        "{axis: [0, 1, 0], angle: %.17g}, position: [0, 0, 0], angular_velocity: [%.17g, 0, 0]}\n"
        "joints:\n  - {name: tip, type: spherical, between: [ground, cone]}\n"
        "  - {name: rim, type: rolling-disc, between: [ground, {on: cone, at: [0, 0, %.17g]}], "
        "axis: [%.17g, 0, %.17g], radius: %.17g}\n",
        pi / 2 - delta, w, L, cos(delta), sin(delta), r);
    for (int t = 0; t < 2; t++) {
        scene s = scene_open(text, treatments[t]);
        olo_counts counts;
        olo_error error = {0};
        check_ok(olo_system_counts(s.system, &counts, &error), &error);
        check_equal(1, counts.degrees_of_freedom);
        check_equal(3, counts.closures);
        double h = 0.002, rate = -w * tan(delta);
        olo_ledger start = scene_ledger(&s);
        scene_run(&s, h, 500);
        check_relative(start.total, scene_ledger(&s).total, 1e-12);
        double e[3];
        olo_rolling_vector(rolling_of(&s)->axis, scene_q(&s, "cone"), e);
        check_close(sin(delta), e[2], 1e-12);
        check_close(cos(delta) * cos(rate), e[0], 1e-3);
        check_close(cos(delta) * sin(rate), e[1], 1e-3);
        scene_close(&s);
    }
}

/* A tree whose first body rolls, with random pairs on it. */
static joined rolling_tree(unsigned long long seed, int bodies)
{
    joined x = joined_create(seed);
    const double weight[3] = {0, 0, -9.81};
    olo_error error = {0};
    olo_model_set_gravity(x.model, weight);
    joined_body(&x, NULL, NULL);
    char name[16];
    double center[3], from[3];
    olo_joint joint = olo_joint_default();
    bool ball = joined_pick(&x, 2) == 0;
    joint.type = ball ? "rolling-ball" : "rolling-disc";
    joint.radius = 0.6 + joined_number(&x, 0.3);
    joined_vector(&x, 0.2, center);
    vec3_add(1.0, x.position[0], center);
    joint.between[1] = joined_point(&x, 0, center, name);
    vec3_set(joined_number(&x, 0.3), joined_number(&x, 0.3), 1, joint.normal);
    double n[3], e[3] = {0, 0, 0}, tilt[3];
    vec3_copy(joint.normal, n);
    vec3_normalise(n);
    double height = joint.radius;
    if (!ball) {
        vec3_transversals(n, e, tilt);
        vec3_add(joined_number(&x, 0.7), n, e);
        vec3_normalise(e);
        vec3_copy(e, joint.axis);
        height *= sqrt(1 - vec3_dot(n, e) * vec3_dot(n, e));
    }
    vec3_copy(center, from);
    vec3_add(-height, n, from);
    vec3_copy(from, joint.between[0].at);
    check_ok(olo_model_add_joint(x.model, &joint, &error), &error);
    x.dofs -= 3;
    for (int k = 1; k < bodies; k++) {
        int parent = joined_pick(&x, k);
        double position[3];
        joined_vector(&x, 0.8, position);
        vec3_add(1.0, x.position[parent], position);
        joined_body(&x, position, NULL);
        bool turned = joined_pick(&x, 3) == 0;
        joined_pair(&x, &pairs[joined_pick(&x, PAIRS)], turned ? k : parent, turned ? parent : k,
                    NULL, 0.4);
    }
    return x;
}

TEST(random_trees_with_a_rolling_root)
{
    double apart = 0, drift = 0, slip = 0;
    for (unsigned long long seed = 1; seed <= 40; seed++) {
        joined x = rolling_tree(seed, 1 + (int)(seed % 10));
        scene one = joined_open(&x, "reduced"), two = joined_open(&x, "multipliers");
        olo_counts counts;
        olo_error error = {0};
        check_ok(olo_system_counts(one.system, &counts, &error), &error);
        check_equal(x.dofs, counts.degrees_of_freedom);
        check_equal(x.dofs, counts.unknowns_reduced);
        apart = larger(apart, treatments_apart(&one, &two, 0.002, 20));
        slip = larger(slip, slip_of(&one, 0, rolling_of(&one)));
        drift = larger(drift, scene_drift(&one, 0.002, 20));
        scene_close(&one);
        scene_close(&two);
        joined_free(&x);
    }
    print_message("apart %.1e, drift %.1e, slip %.1e\n", apart, drift, slip);
    check_below(apart, 1e-10);
    check_below(drift, 1e-12);
    check_below(slip, 1e-12);
}

/* --- what is refused --- */

TEST(a_disc_that_falls_flat_says_so)
{
    for (int t = 0; t < 2; t++) {
        const double rest[3] = {0, 0, 0};
        scene s = open_coin(0.5, 0, rest, treatments[t]);
        olo_error error = {0};
        olo_status status = OLO_OK;
        for (int i = 0; i < 200 && status == OLO_OK; i++)
            status = olo_stepper_step(s.stepper, s.state, 0.005, &error);
        check_status(OLO_NOT_CONVERGED, status);
        check_contains("'contact': the disc falls flat", error.text);
        check_true(fabs(lean_of(&s, "coin")) > 0.9);
        scene_close(&s);
    }
}

TEST(positions_are_assembled_and_velocities_made_to_roll)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\nbodies: {name: b, mass: 1, inertia: [4e-3, 4e-3, "
                         "4e-3], position: [1, 2, 0.13], velocity: [1, 0, 0.2], angular_velocity: "
                         "[0, 0, 3]}\njoints: {name: j, type: rolling-ball, between: [ground, b], "
                         "radius: 0.1}\n",
                         "reduced");
    const double *q = scene_q(&s, "b"), *v = scene_v(&s, "b");
    double omega[3];
    spin_of(&s, "b", omega);
    check_text("j", s.projection.worst);
    check_close(1, q[0], 1e-15);
    check_close(2, q[1], 1e-15);
    check_close(0.1, q[2], 1e-15);
    /* least change of kinetic energy: m v + I omega/r shared as m : I/r^2 = 1 : 0.4 */
    check_close(1 / 1.4, v[0], 1e-5);
    check_close(v[0] / 0.1, omega[1], 1e-12);
    check_close(0, v[2], 1e-14);
    check_close(3, omega[2], 1e-12);
    scene_close(&s);
}

TEST(rolling_joints_that_make_no_sense_are_refused)
{
#define REFUSED(head, joint)                                                                       \
    "name: x\n" head "bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}, "      \
    "{name: c, mass: 1, inertia: [1, 1, 1]}]\njoints: {" joint "}\n"
    static const char *const cases[][2] = {
        {REFUSED("gravity: [0, 0, -1]\n", "type: rolling-disc, between: [ground, b], radius: 1"),
         "needs an axis"},
        {REFUSED("gravity: [0, 0, -1]\n",
                 "type: rolling-disc, between: [ground, b], radius: 1, axis: [0, 0, 2]"),
         "lies flat"},
        {REFUSED("gravity: [0, 0, -1]\n",
                 "type: rolling-disc, between: [ground, b], axis: [1, 0, 0]"),
         "radius: must be positive"},
        {REFUSED("", "type: rolling-ball, between: [ground, b], radius: 1"), "needs a `normal`"},
        {REFUSED("", "type: rolling-ball, between: [ground, b], radius: 1, normal: [0, 0, 0]"),
         "other than zero"},
        {REFUSED("gravity: [0, 0, -1]\n", "type: rolling-ball, between: [c, b], radius: 1"),
         "must be the ground"},
        {REFUSED("gravity: [0, 0, -1]\n",
                 "type: rolling-ball, between: [ground, b], radius: 1, axis: [1, 0, 0]"),
         "a ball has no axis"},
        {REFUSED("gravity: [0, 0, -1]\n",
                 "type: rolling-ball, between: [ground, b], radius: 1, at: [1, 0, 0]"),
         "from `between`"},
        {REFUSED("gravity: [0, 0, -1]\n",
                 "type: rolling-ball, between: [ground, b], radius: 1, sliding: [1, 0, 0]"),
         "does not slide"},
        {REFUSED("gravity: [0, 0, -1]\n",
                 "type: rolling-ball, between: [ground, b], radius: 1, torque: 2"),
         "no angle"},
        {REFUSED("plane: xz\n", "type: rolling-disc, between: [ground, b], radius: 1, normal: [0, "
                                "0, 1], axis: [0, 1, 1]"),
         "about the normal of the plane"},
        {REFUSED("plane: xz\n",
                 "type: rolling-ball, between: [ground, b], radius: 1, normal: [0, 1, 1]"),
         "does not lie in the plane"},
        {REFUSED("", "type: revolute, between: [ground, b], axis: [0, 0, 1], radius: 1"),
         "joints that roll"},
        {REFUSED("", "type: revolute, between: [ground, b], axis: [0, 0, 1], normal: [0, 0, 1]"),
         "joints that roll"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        olo_error error = {0};
        olo_model *model = NULL;
        olo_system *system = NULL;
        check_ok(
            olo_model_read_text(cases[i][0], strlen(cases[i][0]), "test", NULL, 0, &model, &error),
            &error);
        check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
        check_contains(cases[i][1], error.text);
        olo_model_free(model);
    }
}

TEST_MAIN(cmocka_unit_test(energy_and_contact_are_conserved_for_any_step),
          cmocka_unit_test(a_coin_conserves_its_energy_over_many_steps),
          cmocka_unit_test(the_height_has_an_exact_discrete_gradient),
          cmocka_unit_test(a_motion_runs_back_to_its_start),
          cmocka_unit_test(a_motion_has_the_symmetry_of_its_plane),
          cmocka_unit_test(a_ball_conserves_its_angular_momentum_about_the_contact),
          cmocka_unit_test(uniform_rolling_is_exact_at_any_step),
          cmocka_unit_test(steady_circles_of_a_leaning_disc),
          cmocka_unit_test(straight_rolling_is_stable_above_its_threshold),
          cmocka_unit_test(an_unbalanced_disc_on_a_slope_converges_at_order_two),
          cmocka_unit_test(a_solid_ball_rolls_down_a_slope_with_five_sevenths),
          cmocka_unit_test(the_reaction_acts_at_the_contact), cmocka_unit_test(treatments_agree),
          cmocka_unit_test(a_penalty_cannot_roll),
          cmocka_unit_test(a_pendulum_in_a_wheel_conserves_the_energy),
          cmocka_unit_test(a_planar_cart_moves_as_in_space),
          cmocka_unit_test(two_wheels_on_an_axle_run_in_a_circle),
          cmocka_unit_test(a_cone_rolls_round_its_tip),
          cmocka_unit_test(random_trees_with_a_rolling_root),
          cmocka_unit_test(a_disc_that_falls_flat_says_so),
          cmocka_unit_test(positions_are_assembled_and_velocities_made_to_roll),
          cmocka_unit_test(rolling_joints_that_make_no_sense_are_refused))
