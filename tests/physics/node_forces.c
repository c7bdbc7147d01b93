/* Loads and drives act at the nodes of the variational scheme, f^- = h/2 B(q0)^T tau and
 * f^+ = h/2 B(q1)^T tau: balance of momentum per step, consistent actuation of joints (Leyendecker
 * 2011, 5.23 and table of input matrices; K4 and K7 of the checklist), closed forms of driven
 * steps.
 */
#include "scene.h"

#include "linalg/vec3.h"
#include "oloid/interval.h"

#define VARIATIONAL "run: {scheme: variational, step: 0.05, end: 1}\n"

static void angular_momentum(const scene *s, double L[3])
{
    const olo_ledger ledger = scene_ledger(s);
    vec3_copy(ledger.angular_momentum, L);
}

/* L_{n+1} - L_n = (phi + rho)_{n+1} x tau_phi^+ + tau_theta^+ + the same at n with ^- */
TEST(k7_angular_momentum_of_a_driven_body_changes_by_the_applied_impulse)
{
    const double F[3] = {3, -2, 5}, m[3] = {0.4, 0.7, -0.6}, h = 0.05;
    const double at[3] = {0.3, -0.2, 0.5};
    scene s = scene_open(
        "bodies: {name: b, mass: 2, inertia: [0.4, 0.3, 0.5], position: [0.2, 0.1, 0],\n"
        "         angular_velocity: [1, 2, 3], velocity: [0.3, 0, 1]}\n"
        "loads:\n"
        "  - {name: push, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5], time: cos(3*t)}\n"
        "  - {name: twist, on: b, moment: [0.4, 0.7, -0.6], time: cos(3*t)}\n" VARIATIONAL,
        NULL);
    for (int n = 0; n < 20; n++) {
        double L0[3], L1[3], sum[3] = {0, 0, 0}, lever[3];
        const double factor = 0.5 * h * cos(3 * (olo_state_time(s.state) + 0.5 * h));
        angular_momentum(&s, L0);
        for (int end = 0; end < 2; end++) {
            const double *q = scene_q(&s, "b");
            vec3_copy(q, lever);
            for (int I = 0; I < 3; I++)
                vec3_add(at[I], q + 3 + 3 * I, lever);
            vec3_add_cross(lever, F, sum);
            vec3_add(1.0, m, sum);
            if (end == 0)
                scene_run(&s, h, 1);
        }
        angular_momentum(&s, L1);
        for (int i = 0; i < 3; i++)
            check_close(factor * sum[i], L1[i] - L0[i], 1e-14);
    }
    scene_close(&s);
}

/* Torques and forces in joints between bodies act equal and opposite. */
TEST(k4_drives_of_joints_leave_the_momenta_of_a_free_system)
{
    scene s = scene_open(
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.4, 0.3, 0.5], angular_velocity: [0.3, 0.2, 0.5]}\n"
        "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.15], position: [1, 0.2, 0]}\n"
        "  - {name: c, mass: 1, inertia: [0.1, 0.2, 0.15], position: [-1, 0.2, 0.4]}\n"
        "joints:\n"
        "  - {name: hinge, between: [a, b], at: [0.4, 0.1, 0], axis: [1, 2, 3], torque: 2,\n"
        "     time: cos(3*t)}\n"
        "  - {name: slide, type: prismatic, between: [a, c], at: [-0.3, 0, 0.1],\n"
        "     axis: [1, 0, 1], force: 1.5, time: sin(3*t)}\n" VARIATIONAL,
        NULL);
    const olo_ledger before = scene_ledger(&s);
    for (int n = 0; n < 20; n++) {
        scene_run(&s, 0.05, 1);
        const olo_ledger now = scene_ledger(&s);
        for (int i = 0; i < 3; i++) {
            check_close(before.angular_momentum[i], now.angular_momentum[i], 2e-14);
            check_close(before.linear_momentum[i], now.linear_momentum[i], 2e-14);
        }
    }
    scene_close(&s);
}

// -- K4: the reduced forces of the table ----------------------------------------------------------

/* One column of the null space of a pair, as a twist (v, omega) of both bodies. */
typedef struct column {
    double twist[2][6];
    double expected; /* reduced force */
} column;

/* P^T f of a column: sum over bodies of v.f_phi + omega.(sum_I d_I x f_I) */
static double reduced_force(const double *q, const double *f, const column *c)
{
    double sum = 0;
    for (int b = 0; b < 2; b++) {
        double moment[3] = {0, 0, 0};
        for (int I = 1; I < 4; I++)
            vec3_add_cross(q + 12 * b + 3 * I, f + 12 * b + 3 * I, moment);
        sum += vec3_dot(c->twist[b], f + 12 * b) + vec3_dot(c->twist[b] + 3, moment);
    }
    return sum;
}

/* The forces f[24] of all actions of a pair at the end of an interval, per unit of h/2. */
static void node_forces(const scene *s, const double *q0, const double *q1, double *f)
{
    olo_kernel *kernel = NULL;
    olo_error error = {0};
    olo_interval x;
    double work[48], r[24];
    check_ok(olo_kernel_create(s->system, "variational", &kernel, &error), &error);
    olo_interval_set(&x, 24, q0, q1, 0.1, 0, work);
    x.acting = OLO_ACT_AT_END;
    memset(f, 0, 24 * sizeof *f);
    for (int p = 0; p < olo_kernel_pieces(kernel); p++)
        if (olo_kernel_piece_kind(kernel, p) == OLO_PIECE_ACTION) {
            olo_kernel_value(kernel, p, &x, r);
            for (int i = 0; i < olo_kernel_piece_size(kernel, p); i++)
                f[olo_kernel_piece_coordinates(kernel, p)[i]] += r[i];
        }
    olo_kernel_free(kernel);
}

/* The null space of chapter 5: omega_2 = (I - n n^T) omega_1 + theta' n where the pair rotates. */
static int pair_columns(const double *q, const double n[3], const double rho[2][3], bool slides,
                        bool turns, double force, double torque, column *c)
{
    double w[3], u[3], lever[3];
    int count = 0;
    for (int i = 0; i < 3; i++)
        w[i] = q[12 + i] + rho[1][i] - q[i] - rho[0][i];
    for (int i = 0; i < 3; i++)
        u[i] = vec3_dot(n, w) * n[i];
    memset(c, 0, 8 * sizeof *c);
    for (int k = 0; k < 3; k++, count++) { /* v of body 1 */
        c[count].twist[0][k] = 1;
        c[count].twist[1][k] = 1;
        if (slides)
            vec3_add(-n[k], n, c[count].twist[1]);
        c[count].expected = slides ? -force * n[k] : 0;
    }
    for (int k = 0; k < 3; k++, count++) { /* omega of body 1 */
        double *omega = c[count].twist[0] + 3, *second = c[count].twist[1];
        omega[k] = 1;
        vec3_copy(omega, second + 3);
        if (turns)
            vec3_add(-n[k], n, second + 3);
        /* v_2 = omega_1 x (rho_1 + u) - omega_2 x rho_2 */
        for (int i = 0; i < 3; i++)
            lever[i] = rho[0][i] + u[i];
        vec3_add_cross(omega, lever, second);
        vec3_add_cross(rho[1], second + 3, second);
        c[count].expected = turns ? -torque * n[k] : 0;
    }
    if (slides) {
        vec3_copy(n, c[count].twist[1]);
        c[count++].expected = force;
    }
    if (turns) {
        vec3_add_cross(rho[1], n, c[count].twist[1]);
        vec3_copy(n, c[count].twist[1] + 3);
        c[count++].expected = torque;
    }
    return count;
}

static void check_pair(const char *type, const char *drives, bool slides, bool turns)
{
    const double at[3] = {0.4, 0.1, -0.2}, axis[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0};
    char text[1024];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - {name: a, mass: 2, inertia: [0.4, 0.3, 0.5], angular_velocity: [0.3, 1.2, 0.5]}\n"
             "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.15], position: [1, 0.2, 0]}\n"
             "joints: {name: j, type: %s, between: [a, b], at: [0.4, 0.1, -0.2], axis: [1, 2, 2],\n"
             "         %s}\n" VARIATIONAL,
             type, drives);
    scene s = scene_open(text, NULL);
    double q0[24], f[24], n[3] = {0, 0, 0}, rho[2][3] = {{0}};
    column c[8];
    memcpy(q0, olo_state_configuration(s.state), sizeof q0);
    scene_run(&s, 0.05, 10);
    const double *q = olo_state_configuration(s.state);
    /* bodies were at (0, 0, 0) and (1, 0.2, 0) with directors along the axes */
    const double local[2][3] = {{at[0], at[1], at[2]}, {at[0] - 1, at[1] - 0.2, at[2]}};
    for (int I = 0; I < 3; I++) {
        vec3_add(axis[I], q + 3 + 3 * I, n);
        for (int b = 0; b < 2; b++)
            vec3_add(local[b][I], q + 12 * b + 3 + 3 * I, rho[b]);
    }
    node_forces(&s, q0, q, f);
    const int count = pair_columns(q, n, rho, slides, turns, 3.0, 1.7, c);
    check_equal(6 + slides + turns, count);
    for (int k = 0; k < count; k++)
        check_close(c[k].expected, reduced_force(q, f, &c[k]), 1e-14);
    scene_close(&s);
}

TEST(k4_reduced_forces_of_joint_drives_are_those_of_the_table)
{
    check_pair("revolute", "torque: 1.7", false, true);
    check_pair("prismatic", "force: 3", true, false);
}

// -- closed forms ---------------------------------------------------------------------------------

/* A body on an axis has L_d = J/h (1 - cos dtheta): J/h sin(dtheta) of step n is its momentum
 * tau h (n + 1/2). */
TEST(steps_of_a_driven_hinge_are_those_of_the_discrete_lagrangian)
{
    const double J = 0.68, tau = 0.9, h = 0.05;
    scene s = scene_open(
        "bodies: {name: a, mass: 2, inertia: [0.4, 0.3, 0.5], center: [0.3, 0, 0]}\n"
        "joints: {name: hinge, between: [ground, a], axis: [0, 0, 1], torque: 0.9}\n" VARIATIONAL,
        NULL);
    for (int n = 0; n < 20; n++) {
        const double before = olo_system_joint_coordinate_value(s.system, s.state, 0);
        scene_run(&s, h, 1);
        const double step = olo_system_joint_coordinate_value(s.system, s.state, 0) - before;
        check_close(tau * h * (n + 0.5), J / h * sin(step), 1e-13);
    }
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(k7_angular_momentum_of_a_driven_body_changes_by_the_applied_impulse),
          cmocka_unit_test(k4_drives_of_joints_leave_the_momenta_of_a_free_system),
          cmocka_unit_test(k4_reduced_forces_of_joint_drives_are_those_of_the_table),
          cmocka_unit_test(steps_of_a_driven_hinge_are_those_of_the_discrete_lagrangian))
