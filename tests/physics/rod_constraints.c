/* Rods without shear and elongation, by constraint rows: the elastica, whose closed forms are those
 * of such rods, in statics and in motion; their multipliers are the internal forces. */
#include "scene.h"

#include "linalg/vec3.h"

static const double pi = 3.14159265358979323846;

/* `k` is the stiffness of shear and elongation, which has no effect. */
#define ROD(kind)                                                                                  \
    "parameters: {n: 20, P: 0, M: 0, k: 100}\n"                                                    \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind ", elements: n, to: [1, 0, 0],\n"                        \
    "     unshearable: true, inextensible: true,\n"                                                \
    "     stiffness: [k, k, k, 1, 1, 1], inertia: [1, 1e-2, 1e-2]}\n"                              \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, P, 0], moment: [0, 0, M]}\n"

static const char *const rod[] = {ROD("vertices"), ROD("edges"), ROD("elements")};
enum { VERTICES, EDGES, ELEMENTS, KINDS };

static olo_equilibrium_summary settle(scene *s, const olo_equilibrium_options *options)
{
    olo_equilibrium_summary summary;
    olo_error error = {0};
    check_ok(olo_find_equilibrium(s->system, options, s->state, NULL, 0, &summary, &error), &error);
    check_below(scene_ledger(s).constraint_error, 1e-13);
    check_below(summary.residual, 1e-12);
    return summary;
}

static scene open_rod(int kind, int n, double P, double M, double k)
{
    char text[4][32];
    const double value[4] = {n, P, M, k};
    static const char *const name[4] = {"n", "P", "M", "k"};
    olo_setting settings[4];
    for (int i = 0; i < 4; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", value[i]);
        settings[i] = (olo_setting){name[i], text[i]};
    }
    return scene_open_set(rod[kind], NULL, settings, 4);
}

static const double *position_of(const scene *s, int node)
{
    return s->state->q + s->system->nodes[s->system->beams[0].nodes[node]].q;
}

/* Deflection, shortening and angle at the tip of the elastica, by elliptic integrals. */
static const struct {
    double P, v, u, angle;
} elastica[] = {{1, 0.301720773800, 0.0564332362834, 0.461351949712},
                {2, 0.493457480397, 0.160641720825, 0.781749831557},
                {5, 0.713791523612, 0.387628360724, 1.21536811761},
                {10, 0.810609024880, 0.554995597754, 1.43028553880}};

static double elastica_error(int kind, int n, int row)
{
    scene s = open_rod(kind, n, elastica[row].P, 0, 100);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_equal(0, sum.unstable + sum.neutral);
    const double *q = scene_q(&s, "b.end");
    double error = larger(fabs(q[1] - elastica[row].v), fabs(1 - q[0] - elastica[row].u));
    error = larger(error, fabs(atan2(q[10], q[9]) - elastica[row].angle));
    scene_close(&s);
    return error;
}

TEST(the_elastica_without_elongation_converges_with_order_two)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int row = 0; row < 4; row++) {
            const double coarse = elastica_error(kind, 40, row),
                         fine = elastica_error(kind, 80, row);
            check_close(2.0, log2(coarse / fine), 0.1);
            check_below(fine, 3e-3);
        }
}

/* Rows of a rod with directors at edges say that each edge is h d3. */
TEST(edges_have_constant_length_and_direction)
{
    scene s = open_rod(EDGES, 20, 5, 0, 100);
    settle(&s, NULL);
    for (int e = 0; e < 20; e++) {
        const double *d3 = s.state->q + s.system->nodes[s.system->beams[0].edges[e]].q + 6;
        for (int i = 0; i < 3; i++)
            check_close(d3[i] / 20, position_of(&s, e + 1)[i] - position_of(&s, e)[i], 1e-14);
    }
    scene_close(&s);
}

/* The stiffness of strains that vanish has no effect, and stores no energy. */
TEST(the_stiffness_of_constrained_strains_has_no_effect)
{
    for (int kind = 0; kind < KINDS; kind++) {
        double tip[2][3], strain[2];
        for (int i = 0; i < 2; i++) {
            scene s = open_rod(kind, 20, 5, 0, i == 0 ? 1 : 1e4);
            settle(&s, NULL);
            vec3_copy(scene_q(&s, "b.end"), tip[i]);
            strain[i] = scene_ledger(&s).strain;
            scene_close(&s);
        }
        for (int k = 0; k < 3; k++)
            check_close(tip[0][k], tip[1][k], 1e-11);
        check_relative(strain[0], strain[1], 1e-11);
    }
}

/* Multipliers are internal forces: n is the load everywhere, and m + r x n its moment. */
TEST(multipliers_are_the_internal_forces)
{
    for (int kind = 0; kind < 2; kind++) {
        scene s = open_rod(kind, 20, 5, 0, 100);
        settle(&s, NULL);
        const double tip = scene_q(&s, "b.end")[0];
        for (int e = 0; e < 20; e++) {
            double n[3], m[3], torsion, stress[6];
            olo_system_beam_momentum(s.system, s.state, 0, e, n, m, &torsion);
            check_close(0, n[0], 1e-11);
            check_close(5, n[1], 1e-11);
            check_close(0, n[2], 1e-11);
            check_close(5 * tip, m[2], 1e-11);
            /* the resultants along the directors have the same size; mean directors are shorter */
            olo_system_beam_stress(s.system, s.state, 0, e, NULL, stress);
            check_close(5, vec3_norm(stress), kind == EDGES ? 1e-11 : 0.02);
        }
        scene_close(&s);
    }
}

/* Under the moment 2 pi EI/L the rod is a closed circle, up to terms of second order. */
TEST(a_rod_without_elongation_rolls_up)
{
    for (int kind = 0; kind < 2; kind++) {
        double gap[2];
        for (int fine = 0; fine < 2; fine++) {
            scene s = open_rod(kind, fine ? 80 : 40, 0, 2 * pi, 100);
            settle(&s, NULL);
            gap[fine] = hypot(scene_q(&s, "b.end")[0], scene_q(&s, "b.end")[1]);
            scene_close(&s);
        }
        check_close(2.0, log2(gap[0] / gap[1]), 0.1);
        check_below(gap[1], 3e-3);
    }
}

/* Shear alone: a short cantilever without shear has the deflection P/(3 EI), with it P/GA more. */
TEST(without_shear_a_rod_may_still_be_extensible)
{
    static const char *const model =
        "parameters: {P: 1e-4, N: 0}\n"
        "beams:\n"
        "  - {name: b, discretisation: vertices, elements: 40, to: [1, 0, 0], unshearable: true,\n"
        "     stiffness: [2, 2, 5, 1, 1, 1], inertia: [1, 1e-2, 1e-2]}\n"
        "supports: {on: b.start, type: fixed}\n"
        "loads: {on: b.end, force: [N, P, 0]}\n";
    scene s = scene_open(model, NULL);
    settle(&s, NULL);
    check_relative(1e-4 / 3, scene_q(&s, "b.end")[1], 1e-3);
    scene_close(&s);
    const olo_setting settings[] = {{"P", "0"}, {"N", "0.5"}};
    s = scene_open_set(model, NULL, settings, 2);
    settle(&s, NULL);
    check_close(1 + 0.5 / 5, scene_q(&s, "b.end")[0], 1e-12);
    scene_close(&s);
}

/* A curved rod that is released conserves energy and momenta, and its edges have constant lengths.
 */
TEST(a_released_rod_without_elongation_conserves_energy_and_momenta)
{
    static const char *const model =
        "beams:\n"
        "  - {name: b, discretisation: edges, elements: 12, from: [1, 0, 0],\n"
        "     arc: {axis: [0, 0, 1], angle: pi/2}, rest_curvature: [0, 0, 0], angular_velocity: "
        "[1, 2, 0],\n"
        "     unshearable: true, inextensible: true,\n"
        "     stiffness: [10, 10, 10, 1, 1, 1], inertia: [1, 1e-2, 1e-2]}\n";
    scene s = scene_open(model, NULL);
    const olo_ledger before = scene_ledger(&s);
    scene_run(&s, 0.01, 100);
    const olo_ledger after = scene_ledger(&s);
    check_relative(before.total, after.total, 1e-12);
    check_true(after.kinetic > before.kinetic * 1.01 || after.kinetic < before.kinetic * 0.99);
    check_below(after.constraint_error, 1e-12);
    for (int i = 0; i < 3; i++) {
        check_close(before.linear_momentum[i], after.linear_momentum[i], 1e-11);
        check_close(before.angular_momentum[i], after.angular_momentum[i], 1e-11);
    }
    scene_close(&s);
}

/* --- buckling: the branch behind the bifurcation is the elastica of a hinged column --- */

/* Complete elliptic integrals K(k) and E(k) by the arithmetic-geometric mean. */
static void elliptic(double k, double *K, double *E)
{
    double a = 1, b = sqrt(1 - k * k), c = k, sum = 0.5 * k * k, power = 1;
    for (int i = 0; i < 12; i++) { /* it converges quadratically */
        const double mean = 0.5 * (a + b);
        c = 0.5 * (a - b);
        b = sqrt(a * b);
        a = mean;
        sum += power * c * c;
        power *= 2;
    }
    *K = 0.5 * pi / a;
    *E = *K * (1 - sum);
}

/* The modulus k of the elastica with a load P/P_cr: (2 K(k)/pi)^2. */
static double modulus(double ratio)
{
    double low = 0, high = 1 - 1e-12;
    for (int i = 0; i < 100; i++) {
        double K, E, k = 0.5 * (low + high);
        elliptic(k, &K, &E);
        *(4 * K * K / (pi * pi) < ratio ? &low : &high) = k;
    }
    return 0.5 * (low + high);
}

#define COLUMN                                                                                     \
    "parameters: {n: 40}\n"                                                                        \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: edges, elements: n, to: [1, 0, 0], d1: [0, 0, 1],\n"            \
    "     unshearable: true, inextensible: true,\n"                                                \
    "     stiffness: [100, 100, 100, 1, 50, 50], inertia: [1, 1e-2, 1e-2]}\n"                      \
    "supports:\n"                                                                                  \
    "  - {name: root, on: b.start, type: hinge, axis: [0, 0, 1]}\n"                                \
    "  - {name: tip, on: b.end, type: slide, axis: [1, 0, 0]}\n"                                   \
    "loads: {on: b.end, force: [-1, 0, 0]}\n"

/* Largest error of deflection and shortening at 1.5 times the load of Euler, on one side. */
static double column_error(int n, int branch)
{
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    const olo_setting settings[] = {{"n", text}};
    const double ratio = 1.5, k = modulus(ratio);
    double K, E;
    elliptic(k, &K, &E);
    scene s = scene_open_set(COLUMN, NULL, settings, 1);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.end = ratio * pi * pi;
    options.branch = branch;
    olo_equilibrium_summary sum = settle(&s, &options);
    check_equal(1, sum.critical_count);
    check_true(!sum.critical[0].limit);
    check_relative(pi * pi, sum.critical[0].load, 4.0 / (n * n));
    check_equal(0, sum.unstable + sum.neutral);
    const double *middle = scene_q(&s, "b.middle"), *tip = scene_q(&s, "b.end");
    double error = larger(fabs(fabs(middle[1]) - k / K), fabs(1 - tip[0] - 2 * (1 - E / K)));
    error = middle[1] < 0 ? -error : error;
    scene_close(&s);
    return error;
}

TEST(a_column_follows_the_branch_of_the_elastica)
{
    const double coarse = column_error(40, 1), fine = column_error(80, 1);
    check_close(2.0, log2(coarse / fine), 0.1);
    check_below(fabs(fine), 2e-3);
    /* the opposite direction is the mirror image */
    check_close(-fine, column_error(80, -1), 1e-9);
}

TEST(without_a_branch_the_column_stays_straight)
{
    scene s = scene_open(COLUMN, NULL);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.end = 12;
    olo_equilibrium_summary sum = settle(&s, &options);
    check_equal(1, sum.critical_count);
    check_equal(1, sum.unstable);
    check_close(0, scene_q(&s, "b.middle")[1], 1e-12);
    scene_close(&s);
    /* a second bifurcation is not on this part of the path */
    s = scene_open(COLUMN, NULL);
    olo_error error = {0};
    options.branch = 2;
    check_status(OLO_NOT_CONVERGED,
                 olo_find_equilibrium(s.system, &options, s.state, NULL, 0, &sum, &error));
    check_contains("1 bifurcation up to", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(the_elastica_without_elongation_converges_with_order_two),
          cmocka_unit_test(edges_have_constant_length_and_direction),
          cmocka_unit_test(the_stiffness_of_constrained_strains_has_no_effect),
          cmocka_unit_test(multipliers_are_the_internal_forces),
          cmocka_unit_test(a_rod_without_elongation_rolls_up),
          cmocka_unit_test(without_shear_a_rod_may_still_be_extensible),
          cmocka_unit_test(a_released_rod_without_elongation_conserves_energy_and_momenta),
          cmocka_unit_test(a_column_follows_the_branch_of_the_elastica),
          cmocka_unit_test(without_a_branch_the_column_stays_straight))
