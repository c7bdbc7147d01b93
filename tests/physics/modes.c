/* Natural frequencies compared with closed forms: pendulums, chains of springs, Timoshenko
 * beams. */
#include "scene.h"

#include "base/memory.h"

static const double pi = 3.14159265358979323846;

static olo_modes *modes_of(scene *s, bool equilibrium, int count)
{
    olo_modes *modes = NULL;
    olo_error error = {0};
    if (equilibrium)
        check_ok(olo_find_equilibrium(s->system, NULL, s->state, NULL, 0, NULL, &error), &error);
    olo_vibration_options options = olo_vibration_options_default();
    options.count = count;
    check_ok(olo_modes_create(s->system, s->state, &options, &modes, &error), &error);
    return modes;
}

TEST(pendulum_swings_with_sqrt_g_over_l)
{
    scene s = scene_open("planar-pendulum", NULL);
    olo_modes *modes = modes_of(&s, true, 10);
    check_equal(1, olo_modes_count(modes));
    check_relative(9.81, olo_modes_omega_squared(modes, 0), 1e-10);
    olo_modes_free(modes);
    scene_close(&s);
}

/* A body on a hinge, J about its centre, at distance l: omega^2 = m g l/(J + m l^2). */
TEST(compound_pendulum_has_its_inertia)
{
    scene s =
        scene_open("gravity: [0, 0, -9.81]\n"
                   "bodies:\n"
                   "  - {name: b, mass: 2, center: [0.7, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"
                   "joints: {name: j, type: revolute, between: [ground, b], axis: [0, 1, 0]}\n",
                   NULL);
    olo_modes *modes = modes_of(&s, true, 10);
    check_equal(1, olo_modes_count(modes));
    check_relative(2 * 9.81 * 0.7 / (0.2 + 2 * 0.49), olo_modes_omega_squared(modes, 0), 1e-10);
    olo_modes_free(modes);
    scene_close(&s);
}

/* Two equal masses on equal rods: omega^2 = (2 -+ sqrt 2) g/l. */
TEST(double_pendulum_has_two_frequencies)
{
    scene s = scene_open("gravity: [0, -10, 0]\nplane: xy\n"
                         "points:\n"
                         "  - {name: a, mass: 3, position: [0.6, -0.8]}\n"
                         "  - {name: b, mass: 3, position: [1.6, -0.8]}\n"
                         "rods:\n"
                         "  - {between: [[0, 0, 0], a]}\n"
                         "  - {between: [a, b]}\n",
                         NULL);
    olo_modes *modes = modes_of(&s, true, 10);
    check_equal(2, olo_modes_count(modes));
    check_relative(10 * (2 - sqrt(2)), olo_modes_omega_squared(modes, 0), 1e-9);
    check_relative(10 * (2 + sqrt(2)), olo_modes_omega_squared(modes, 1), 1e-9);
    olo_modes_free(modes);
    scene_close(&s);
}

/* n masses and n + 1 springs between two walls: omega_k = 2 sqrt(k/m) sin(k pi/(2 (n + 1))); there
 * is no stiffness normal to the chain. */
TEST(chain_of_springs_has_the_frequencies_of_lagrange)
{
    enum { N = 5 };
    scene s =
        scene_open("points:\n"
                   "  - {name: \"p{i}\", repeat: {i: [1, 5]}, mass: 2, position: [i, 0, 0]}\n"
                   "springs:\n"
                   "  - {between: [[0, 0, 0], p1], stiffness: 300}\n"
                   "  - {repeat: {i: [2, 5]}, between: [\"p{i - 1}\", \"p{i}\"], stiffness: 300}\n"
                   "  - {between: [p5, [6, 0, 0]], stiffness: 300}\n",
                   NULL);
    olo_modes *modes = modes_of(&s, false, 100);
    check_equal(3 * N, olo_modes_count(modes));
    for (int i = 0; i < 2 * N; i++)
        check_below(fabs(olo_modes_omega_squared(modes, i)), olo_modes_rounding(modes));
    for (int k = 1; k <= N; k++) {
        double root = 2 * sqrt(300.0 / 2) * sin(k * pi / (2 * (N + 1)));
        check_relative(root * root, olo_modes_omega_squared(modes, 2 * N + k - 1), 1e-11);
    }
    olo_modes_free(modes);
    scene_close(&s);
}

/* The position above the pivot is an equilibrium, too: omega^2 = -g/l. */
TEST(upright_pendulum_is_unstable)
{
    scene s = scene_open("gravity: [0, -10, 0]\nplane: xy\n"
                         "points: {name: a, mass: 3, position: [0, 2]}\n"
                         "rods: {between: [[0, 0, 0], a]}\n",
                         NULL);
    olo_equilibrium_summary summary;
    olo_error error = {0};
    check_ok(olo_find_equilibrium(s.system, NULL, s.state, NULL, 0, &summary, &error), &error);
    check_equal(1, summary.unstable);
    olo_modes *modes = modes_of(&s, false, 1);
    check_relative(-5, olo_modes_omega_squared(modes, 0), 1e-10);
    olo_modes_free(modes);
    scene_close(&s);
}

/* --- Timoshenko beams --- */

#define BEAM(supports)                                                                             \
    "parameters: {n: 8}\nplane: xy\n"                                                              \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: n, interpolation: quadratic, to: [1, 0, 0],\n"                        \
    "     stiffness: [2000, 2000, 1e5, 10, 10, 10], inertia: [1, 1e-3, 1e-3]}\n" supports

/* Waves w = W e^(kx), psi = Psi e^(kx) with EI = 10, GA = 2000, rho A = 1, rho I = 1e-3, L = 1 in
 *
 *     GA (w' - psi)' + A omega^2 w = 0,
 *     EI psi'' + GA (w' - psi) + I omega^2 psi = 0. */
typedef struct wave {
    double a, b;   /* wave numbers: cosh/sinh a, cos/sin b */
    double pa, pb; /* psi over w of each */
} wave;

static wave wave_of(double omega)
{
    const double EI = 10, GA = 2000, A = 1, I = 1e-3, o2 = omega * omega;
    double p = o2 * (I / EI + A / GA) / 2, q = o2 * A / EI * (1 - o2 * I / GA);
    double root = sqrt(p * p + q);
    wave x = {.a = sqrt(root - p), .b = sqrt(root + p)};
    x.pa = x.a + A * o2 / (GA * x.a); /* psi = (w'' + A o2 w/GA)/w' ... of sinh against cosh */
    x.pb = x.b - A * o2 / (GA * x.b);
    return x;
}

static double det(double m[2][2])
{
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

/* Clamped at 0, free at 1: w = C1 (cosh ax - cos bx) + C2 (sinh ax - (pa/pb) sin bx). */
static double clamped_free(double omega)
{
    wave x = wave_of(omega);
    double r = x.pa / x.pb;
    /* psi = C1 (pa sinh ax + pb sin bx) + C2 (pa cosh ax - r pb cos bx) */
    double m[2][2] = {{x.pa * x.a * cosh(x.a) + x.pb * x.b * cos(x.b),
                       x.pa * x.a * sinh(x.a) + r * x.pb * x.b * sin(x.b)},
                      {(x.a - x.pa) * sinh(x.a) + (x.b - x.pb) * sin(x.b),
                       (x.a - x.pa) * cosh(x.a) - r * (x.b - x.pb) * cos(x.b)}};
    return det(m);
}

/* Free at both ends: psi'(0) = 0 and w'(0) = psi(0), then the same at 1. */
static double free_free(double omega)
{
    wave x = wave_of(omega);
    /* w = C1 (cosh ax + r1 cos bx) + C2 (sinh ax + r2 sin bx) */
    double r1 = x.pa * x.a / (x.pb * x.b), r2 = -(x.a - x.pa) / (x.b - x.pb);
    double m[2][2] = {{x.pa * x.a * cosh(x.a) - r1 * x.pb * x.b * cos(x.b),
                       x.pa * x.a * sinh(x.a) - r2 * x.pb * x.b * sin(x.b)},
                      {(x.a - x.pa) * sinh(x.a) - r1 * (x.b - x.pb) * sin(x.b),
                       (x.a - x.pa) * cosh(x.a) + r2 * (x.b - x.pb) * cos(x.b)}};
    return det(m);
}

/* Hinged at both ends: sin b = 0. */
static double hinged_hinged(double omega)
{
    return sin(wave_of(omega).b);
}

/* The root of a characteristic function with the number `index`, counted from 1. */
static double root_of(double (*f)(double), int index)
{
    double step = 0.01, low = 1.0, high;
    for (;; low += step)
        if (f(low) * f(low + step) <= 0 && --index == 0)
            break;
    high = low + step;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        *(f(low) * f(middle) <= 0 ? &high : &low) = middle;
    }
    return low;
}

/* Checks the bending frequencies of a beam after `skipped` modes without frequency, with two
 * meshes. */
static void check_beam(const char *text, int skipped, double (*f)(double))
{
    const char *n[] = {"16", "32"};
    double error[2][3];
    for (int mesh = 0; mesh < 2; mesh++) {
        olo_setting setting = {"n", n[mesh]};
        scene s = scene_open_set(text, NULL, &setting, 1);
        olo_modes *modes = modes_of(&s, false, 12);
        for (int i = 0; i < skipped; i++)
            check_below(fabs(olo_modes_omega_squared(modes, i)), 1e-3);
        for (int i = 0; i < 3; i++) {
            double root = root_of(f, i + 1);
            error[mesh][i] = fabs(sqrt(olo_modes_omega_squared(modes, skipped + i)) / root - 1);
        }
        olo_modes_free(modes);
        scene_close(&s);
    }
    for (int i = 0; i < 3; i++) {
        check_below(error[1][i], 1e-4);
        check_true(error[0][i] / error[1][i] > 12);
    }
}

TEST(clamped_beam_converges_to_timoshenko)
{
    check_beam(BEAM("supports: {on: b.start, type: fixed}\n"), 0, clamped_free);
}

TEST(free_beam_converges_to_timoshenko)
{
    check_beam(BEAM(""), 3, free_free);
}

TEST(hinged_beam_converges_to_timoshenko)
{
    check_beam(BEAM("supports:\n  - {on: b.start, type: point}\n"
                    "joints:\n"
                    "  - {name: end, type: point-on-line, between: [ground, b.end], at: [1, 0, 0], "
                    "axis: [1, 0, 0]}\n"),
               0, hinged_hinged);
}

TEST(shapes_are_states_along_a_mode)
{
    scene s = scene_open("planar-pendulum", NULL);
    olo_modes *modes = modes_of(&s, true, 1);
    olo_error error = {0};
    check_ok(olo_modes_displace(modes, 0, 0.1, 0.0, s.state, &error), &error);
    check_close(1, norm3(scene_q(&s, "bob")), 1e-12);
    check_close(0.1, fabs(scene_q(&s, "bob")[0]), 1e-3);
    check_status(OLO_BAD_INPUT, olo_modes_displace(modes, 1, 0.1, 0.0, s.state, &error));
    check_contains("no mode 2", error.text);
    olo_modes_free(modes);
    scene_close(&s);
}

/* Every allocation of equilibrium and modes fails in turn: the status reports it, and no memory
 * leaks. */
TEST(without_memory_nothing_is_lost)
{
    scene s = scene_open("double-spherical-pendulum", NULL);
    size_t before = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n++) {
        olo_error error = {0};
        olo_modes *modes = NULL;
        olo_memory_fail_at(n);
        status = olo_find_equilibrium(s.system, NULL, s.state, NULL, 0, NULL, &error);
        if (status == OLO_OK)
            status = olo_modes_create(s.system, s.state, NULL, &modes, &error);
        olo_memory_fail_at(0);
        if (status != OLO_OK)
            check_status(OLO_NO_MEMORY, status);
        olo_modes_free(modes);
        check_equal(before, olo_memory_alive());
        check_true(n < 1000);
    }
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(pendulum_swings_with_sqrt_g_over_l),
          cmocka_unit_test(compound_pendulum_has_its_inertia),
          cmocka_unit_test(double_pendulum_has_two_frequencies),
          cmocka_unit_test(chain_of_springs_has_the_frequencies_of_lagrange),
          cmocka_unit_test(upright_pendulum_is_unstable),
          cmocka_unit_test(clamped_beam_converges_to_timoshenko),
          cmocka_unit_test(free_beam_converges_to_timoshenko),
          cmocka_unit_test(hinged_beam_converges_to_timoshenko),
          cmocka_unit_test(shapes_are_states_along_a_mode),
          cmocka_unit_test(without_memory_nothing_is_lost))
