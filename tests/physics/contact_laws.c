/* The laws of impacts and friction, each against its closed form in one step: restitution along the
 * normal and along the plane, sliding and sticking through an impact; force and torque of a patch
 * that slides and spins. */
#include "angular_velocity.h"
#include "scene.h"

static const char *const schemes[] = {"contact", "contact-captured", "contact-two-step", "moreau"};
static const char *const forms[] = {"reduced", "multipliers"};

/* A solid ball, J = 2/5 m R^2, touches the floor and falls with 3 m/s. Its touching point slides
 * with (v_x - R omega_y, v_y + R omega_x). Along the plane 2/7 of the mass act. If friction holds,
 * the sliding velocity is multiplied by -e_T (a superball), else the impulse is mu times the normal
 * one against it. No gravity: the step after the impact changes nothing. */
TEST(a_ball_bounces_with_restitution_along_the_plane)
{
    static const char *const text =
        "parameters: {r: 0.8, rt: 0.6, mu: 5}\n"
        "bodies: {name: ball, mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0, 0, 0.1], "
        "rotation: {axis: [1, -2, 1], angle: 0.5}, velocity: [1, -0.4, -3], "
        "angular_velocity: [2, 30, 4]}\n"
        "contacts: {name: floor, point: ball, radius: 0.1, friction: mu, restitution: r, "
        "tangential_restitution: rt}\n"
        "run: {step: 1e-9}\n";
    static const struct {
        const char *e, *t, *mu;
        bool holds;
    } row[] = {{"0.8", "0.6", "5", true},     {"0.3", "0.3", "5", true}, {"1", "1", "5", true},
               {"0.8", "0.6", "0.05", false}, {"0", "0", "5", true},     {"0", "1", "0.05", false}};
    const double m = 0.5, R = 0.1, J = 0.002, v[3] = {1, -0.4, -3}, omega[3] = {2, 30, 4};
    const double slip[2] = {v[0] - R * omega[1], v[1] + R * omega[0]};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int k = 0; k < 8; k++) {
            const olo_setting settings[] = {{"run.scheme", schemes[k / 2]},
                                            {"r", row[i].e},
                                            {"rt", row[i].t},
                                            {"mu", row[i].mu}};
            const double e = atof(row[i].e), t = atof(row[i].t), mu = atof(row[i].mu);
            const double normal = (1 + e) * m * 3, size = hypot(slip[0], slip[1]);
            const double share = row[i].holds ? (1 + t) * m * 2 / 7 : mu * normal / size;
            double got[3];
            scene s = scene_open_set(text, forms[k % 2], settings, 4);
            check_equal(row[i].holds, (1 + t) * m * 2 / 7 * size <= mu * normal);
            scene_run(&s, 1e-9, 1);
            angular_velocity(&s, "ball", got);
            for (int j = 0; j < 2; j++)
                check_close(v[j] - share * slip[j] / m, scene_v(&s, "ball")[j], 1e-6);
            check_close(3 * e, scene_v(&s, "ball")[2], 1e-6);
            /* the moment of (-share slip) at -R e_z */
            check_close(omega[0] - R * share * slip[1] / J, got[0], 1e-5);
            check_close(omega[1] + R * share * slip[0] / J, got[1], 1e-5);
            check_close(omega[2], got[2], 1e-5);
            scene_close(&s);
        }
}

/* A ball that slides with v and spins about the normal with omega on a patch of the mean radius r
 * = 3 pi R/16: force mu N b_T(u), torque mu N r b_tau(u) of a Hertz pressure, u = v/(R omega) (the
 * published table of both), or with the ellipsoid mu N (v, r (r omega))/|(v, r omega)|. */
TEST(a_patch_has_the_force_and_torque_of_its_sliding_and_spin)
{
    static const double table[][3] = {
        {0.25, 0.289922369, 0.938964844}, {0.5, 0.552233084, 0.773437500},
        {1, 0.883572934, 0.375},          {2, 0.974278579, 0.173006657},
        {5, 0.995982664, 0.068102097},    {100, 0.999990000, 0.003395330}};
    const double r = 0.02, R = 16 * r / (3 * acos(-1)), N = 0.5 * 9.81, mu = 0.3, omega = 8;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int k = 0; k < 16; k++) {
            const bool exact = k < 8;
            const double v = table[i][0] * R * omega, size = hypot(v, r * omega);
            const double force = exact ? table[i][1] : v / size,
                         torque = exact ? table[i][2] : r * omega / size;
            char text[600];
            olo_contact_state contact;
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {name: ball, mass: 0.5, inertia: [0.002, 0.002, 0.002], position: "
                     "[0, 0, 0.1], velocity: [%.17g, %.17g, 0], angular_velocity: [0, 0, %g]}\n"
                     "contacts: {point: ball, radius: 0.1, friction: 0.3, law: %s, patch: 0.02}\n"
                     "run: {step: 1e-6, scheme: %s}\n",
                     0.6 * v, -0.8 * v, omega, exact ? "contensou-exact" : "contensou",
                     schemes[k / 2 % 4]);
            scene s = scene_open(text, forms[k % 2]);
            scene_run(&s, 1e-6, 1);
            olo_system_contact(s.system, s.state, 0, &contact);
            check_close(N, contact.normal, 1e-6);
            check_close(-0.6 * mu * N * force, contact.force[0], 3e-5);
            check_close(0.8 * mu * N * force, contact.force[1], 3e-5);
            check_close(mu * N * force, contact.friction, 3e-5);
            check_close(-mu * N * r * torque, contact.torque, 1e-6);
            check_true(!contact.sticking);
            scene_close(&s);
        }
}

TEST_MAIN(cmocka_unit_test(a_ball_bounces_with_restitution_along_the_plane),
          cmocka_unit_test(a_patch_has_the_force_and_torque_of_its_sliding_and_spin))
