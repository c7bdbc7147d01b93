/* Flexible mechanisms: the spatial slider-crank (multibody-null-space 10.6), corners, curved beams,
 * frequencies, damping, loads and joints of beams. */
#include "scene.h"

#include "linalg/vec3.h"
#include "stepping/step.h"

/* --- slider-crank --- */

TEST(slider_crank_has_the_counts_of_the_thesis)
{
    scene s = scene_open("slider-crank", NULL);
    scene_check_counts(&s, 468, 234, 254, 214);
    scene_close(&s);
}

TEST(slider_crank_moves_as_in_the_sheet)
{
    static const double rows[][7] = {
        /* t, x, z of the connection, x of the end, T, V, E */
        {0.5, 0.3173, 1.3740, 4.07770, 272.300, 44.790, 317.091},
        {1.0, 1.5556, 1.0456, 5.41677, 915.341, 181.162, 1096.503},
        {1.5, 1.7589, -0.2007, 5.75160, 1077.405, 89.182, 1166.586},
        {2.0, 0.0760, -1.5533, 3.76217, 2393.064, 13.093, 2406.157},
        {2.5, -1.7604, -1.6421, 1.88305, 973.031, 1433.126, 2406.157},
        {3.0, -1.4879, 0.6984, 2.45080, 1994.905, 411.252, 2406.157},
        {4.0, 1.1413, 0.9690, 5.02245, 2227.864, 178.294, 2406.157},
    };
    scene s = scene_open("slider-crank", "reduced");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double *x = rows[i];
        scene_run_to(&s, x[0]);
        olo_ledger ledger = scene_ledger(&s);
        check_close(x[1], scene_q(&s, "crank.11")[0], 6e-5);
        check_close(0, scene_q(&s, "crank.11")[1], 1e-10);
        check_close(x[2], scene_q(&s, "crank.11")[2], 6e-5);
        check_close(x[3], scene_q(&s, "slider.end")[0], 6e-6);
        check_close(x[4], ledger.kinetic, 6e-4);
        check_close(x[5], ledger.strain, 6e-4);
        check_close(x[6], ledger.total, 6e-4);
    }
    scene_close(&s);
}

TEST(slider_crank_conserves_its_energy_after_the_push)
{
    static const char *const steps[2] = {"0.01", "0.005"};
    static const double energy[2] = {2406.15748, 2406.43840};
    for (int i = 0; i < 2; i++) {
        const olo_setting set[1] = {{"run.step", steps[i]}};
        scene s = scene_open_set("slider-crank", "reduced", set, 1);
        scene_run_to(&s, 2);
        double start = scene_ledger(&s).total, drift = 0;
        check_close(energy[i], start, 6e-6);
        while (olo_state_time(s.state) < 10 - 1e-9) {
            scene_run(&s, s.run.step, 1);
            drift = larger(drift, fabs(scene_ledger(&s).total / start - 1));
        }
        check_below(drift, 1e-12);
        check_below(scene_ledger(&s).constraint_error, 1e-14);
        check_true((double)s.iterations / (10 / s.run.step) < 4);
        scene_close(&s);
    }
}

/* The figures do not determine the side of the slider and the orientation of the pyramids: the
 * other choices give the same motion. */
TEST(slider_crank_in_other_positions)
{
    static const olo_setting set[2] = {{"x", "-sqrt(L2^2 - H^2)"}, {"center", "0.75"}};
    static const double energy[2] = {2222.04, 2379.89};
    for (int i = 0; i < 2; i++) {
        scene s = scene_open_set("slider-crank", "reduced", &set[i], 1);
        scene_run_to(&s, 2);
        check_close(energy[i], scene_ledger(&s).total, 6e-3);
        scene_close(&s);
    }
}

/* `multipliers`, and the scheme of d'Alembert type without new coordinates, which has dense
 * matrices. */
TEST(slider_crank_moves_alike_in_all_treatments)
{
    static const char *const treatments[2] = {"multipliers", "projected"};
    static const double end[2] = {1, 0.03};
    for (int i = 0; i < 2; i++) {
        scene a = scene_open("slider-crank", "reduced"),
              b = scene_open("slider-crank", treatments[i]);
        scene_run_to(&a, end[i]);
        scene_run_to(&b, end[i]);
        check_below(scene_apart(&a, &b), 1e-12);
        check_relative(scene_ledger(&a).total, scene_ledger(&b).total, 1e-12);
        scene_close(&a);
        scene_close(&b);
    }
}

/* The distance to the rigid mechanism is inversely proportional to the stiffness: beams that are a
 * thousand and a hundred thousand times as stiff. */
TEST(a_stiff_slider_crank_is_the_rigid_one)
{
    static const char *const factors[2] = {"1e3", "1e5"};
    scene rigid = scene_open("slider-crank-rigid", "reduced");
    double gap[2];
    scene_run_to(&rigid, 1);
    check_close(0, scene_q(&rigid, "arms")[1], 1e-12);
    for (int i = 0; i < 2; i++) {
        const olo_setting set[1] = {{"stiff", factors[i]}};
        scene s = scene_open_set("slider-crank", "reduced", set, 1);
        scene_run_to(&s, 1);
        gap[i] = scene_distance(3, scene_q(&s, "crank.11"), scene_q(&rigid, "arms"));
        scene_close(&s);
    }
    print_message("distance to the rigid one: %.2e %.2e\n", gap[0], gap[1]);
    check_below(gap[0], 1e-3);
    check_below(gap[1], 1e-5);
    scene_close(&rigid);
}

/* --- names --- */

TEST(nodes_of_beams_have_names)
{
    scene s = scene_open("slider-crank", NULL);
    check_equal(2, olo_system_beam_count(s.system));
    check_text("slider", olo_system_beam_name(s.system, 1));
    check_equal(16, olo_system_beam_node_count(s.system, 1));
    check_equal(olo_system_find_node(s.system, "slider.16"), olo_system_beam_node(s.system, 1, 15));
    check_equal(olo_system_find_node(s.system, "slider.end"),
                olo_system_beam_node(s.system, 1, 15));
    check_equal(olo_system_find_node(s.system, "crank.middle"),
                olo_system_find_node(s.system, "crank.11"));
    check_text("crank.11",
               olo_system_node_name(s.system, olo_system_find_node(s.system, "crank.middle")));
    /* sixteen nodes have no middle, and there is no node after the last one */
    static const char *const wrong[] = {"slider.middle", "slider.17", "slider.0", "slider.1x",
                                        "slider"};
    for (int i = 0; i < 5; i++)
        check_equal(-1, olo_system_find_node(s.system, wrong[i]));
    scene_close(&s);
}

/* --- Simo and Vu-Quoc --- */

TEST(flying_beam_has_the_momentum_of_its_loads)
{
    scene s = scene_open("flying-beam", "reduced");
    scene_run_to(&s, 5);
    olo_ledger first = scene_ledger(&s);
    check_close(50, first.linear_momentum[0], 1e-11); /* 20 times 2.5 */
    check_close(0, first.linear_momentum[1], 1e-11);
    double drift = 0;
    for (int i = 0; i < 200; i++) {
        scene_run(&s, s.run.step, 1);
        olo_ledger now = scene_ledger(&s);
        drift = larger(drift, fabs(now.total / first.total - 1));
        for (int k = 0; k < 3; k++)
            drift = larger(drift, fabs(now.angular_momentum[k] - first.angular_momentum[k]) /
                                      vec3_norm(first.angular_momentum));
    }
    check_below(drift, 1e-12);
    scene_close(&s);
}

/* Positions of start, middle and end at four times. */
typedef double course[4][3][3];

static void follow_rod(const char *model, const char *rod, const double *t, const char *n,
                       const char *step, course at)
{
    static const char *const points[3] = {"start", "middle", "end"};
    const olo_setting set[2] = {{"n", n}, {"run.step", step}};
    scene s = scene_open_set(model, "reduced", set, 2);
    for (int i = 0; i < 4; i++) {
        scene_run_to(&s, t[i]);
        for (int k = 0; k < 3; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s.%s", rod, points[k]);
            vec3_copy(scene_q(&s, name), at[i][k]);
        }
    }
    scene_close(&s);
}

/* Compared with finite differences of the strong form in space and Runge-Kutta steps in time
 * (rods_reference.py). Both are extrapolated from two grids, here also from two steps, since all
 * errors are of second order. */
static void check_rod(const char *model, const char *rod, const double *t, const char *const *n,
                      const char *const *step, const course expected, double tolerance)
{
    static course coarse, fine, slow;
    double apart = 0;
    follow_rod(model, rod, t, n[0], step[0], coarse);
    follow_rod(model, rod, t, n[1], step[0], fine);
    follow_rod(model, rod, t, n[0], step[1], slow);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) {
                double at = coarse[i][k][c] + (fine[i][k][c] - coarse[i][k][c]) * 4 / 3 -
                            (slow[i][k][c] - coarse[i][k][c]) / 3;
                apart = larger(apart, fabs(at - expected[i][k][c]));
            }
    print_message("%s: %.1e from the reference\n", rod, apart);
    check_below(apart, tolerance);
}

/* The flying beam as a discrete rod. */
#define FLYING(kind)                                                                               \
    "parameters: {n: 10}\n"                                                                        \
    "beams:\n"                                                                                     \
    "  - {name: " kind ", discretisation: " kind                                                   \
    ", elements: n, from: [6, 0, 0], to: [0, 8, 0],\n"                                             \
    "     stiffness: [1e4, 1e4, 1e4, 500, 500, 500], inertia: [1, 10, 10]}\n"                      \
    "loads:\n"                                                                                     \
    "  - {on: " kind ".start, force: [20, 0, 0], moment: [0, -100, -200],\n"                       \
    "     time: {time: [0, 2.5, 5], value: [0, 1, 0]}}\n"

TEST(rods_of_simo_and_vu_quoc_move_as_by_finite_differences)
{
    static const double t_flying[4] = {2.5, 5, 7.5, 10}, t_elbow[4] = {1, 2, 4, 6};
    static const char *const n_flying[2] = {"40", "80"}, *const step_flying[2] = {"0.0125",
                                                                                  "0.025"};
    static const char *const n_elbow[2] = {"20", "40"}, *const step_elbow[2] = {"0.0125", "0.025"};
    static const course flying = {{{3.606834, 0.044699, -0.427257},
                                   {5.792633, 3.964331, 0.206673},
                                   {3.981757, 8.531717, -0.540469}},
                                  {{19.213592, 1.625567, -2.127228},
                                   {15.156629, 3.880440, -0.298689},
                                   {12.953015, 6.809414, 3.028756}},
                                  {{30.905768, 2.203668, -3.582277},
                                   {28.154497, 4.161664, 0.071279},
                                   {24.650272, 5.269889, 3.473618}},
                                  {{42.832244, 3.692727, -4.386323},
                                   {40.447511, 3.726773, 0.020457},
                                   {38.312074, 5.198177, 4.251546}}};
    static const course elbow = {
        {{0}, {9.945804, 0.022881, 0.951313}, {9.996983, 9.976612, 0.054032}},
        {{0}, {8.988890, 0.267389, 4.115248}, {10.106259, 9.307852, 0.069266}},
        {{0}, {8.435613, -0.427663, 4.642060}, {10.441978, 9.293757, 3.508932}},
        {{0}, {9.421079, -0.778315, 2.540630}, {8.776359, 8.181654, 6.913354}}};
    check_rod("flying-beam", "rod", t_flying, n_flying, step_flying, flying, 4e-4);
    check_rod(FLYING("vertices"), "vertices", t_flying, n_flying, step_flying, flying, 4e-4);
    check_rod(FLYING("edges"), "edges", t_flying, n_flying, step_flying, flying, 4e-4);
    check_rod("right-angle-elbow", "elbow", t_elbow, n_elbow, step_elbow, elbow, 2e-4);
}

/* The length of the rotating arm is that of a rod under its own centrifugal force. */
TEST(rotating_arm_is_stretched_as_in_theory)
{
    scene s = scene_open("rotating-arm", "reduced");
    double sum = 0, lag = 0;
    int count = 0;
    for (int i = 1; i <= 2000; i++) {
        scene_run(&s, 0.01, 1);
        double t = olo_state_time(s.state),
               angle =
                   t < 15 ? 6. / 15 *
                                (t * t / 2 + pow(15 / (2 * M_PI), 2) * (cos(2 * M_PI * t / 15) - 1))
                          : 6 * t - 45;
        const double *tip = scene_q(&s, "arm.end");
        lag = smaller(lag, cos(angle) * tip[1] - sin(angle) * tip[0]);
        if (t > 15) {
            sum += vec3_norm(tip) - 10;
            count++;
        }
    }
    double a = 60 * sqrt(1.2 / 2.8e7), stretch = 10 * (tan(a) / a - 1);
    print_message("stretch %.4e of %.4e, lag %.3f\n", sum / count, stretch, lag);
    check_close(5.14e-4, stretch, 1e-6);
    check_relative(stretch, sum / count, 0.03);
    check_close(-0.57, lag, 0.02);
    scene_close(&s);
}

/* --- corners and shared nodes --- */

/* The elbow as one beam with a corner, as two beams on one node, and as two beams with a rigid
 * joint. */
TEST(three_ways_to_build_a_corner_agree)
{
    static const char *const head =
        "name: corner\n"
        "supports: [{name: clamp, type: fixed, on: a.start}]\n"
        "loads: [{on: a.%d, force: [3, 0, 50], time: {time: [0, 1, 2], value: [0, 1, 0]}}]\n";
    static const char *const section =
        "stiffness: [1e6, 2e6, 3e6, 1e3, 3e3, 2e3], inertia: [1, 10, 7]";
    static const char *const ways[3] = {
        "beams: [{name: a, elements: 8, points: [[0, 0, 0], [10, 0, 0], [10, 10, 0]], %s}]\n",
        "beams:\n"
        "  - {name: a, elements: 4, to: [10, 0, 0], %s}\n"
        "  - {name: b, elements: 4, from: [10, 0, 0], to: [10, 10, 0], d1: [-1, 0, 0],\n"
        "     start_on: a.end, %s}\n",
        "beams:\n"
        "  - {name: a, elements: 4, to: [10, 0, 0], %s}\n"
        "  - {name: b, elements: 4, from: [10, 0, 0], to: [10, 10, 0], d1: [-1, 0, 0], %s}\n"
        "joints: [{type: rigid, between: [a.end, b.start]}]\n"};
    double tip[3][3], energy[3];
    for (int i = 0; i < 3; i++) {
        char start[512], end[1024], text[2048];
        snprintf(start, sizeof start, head, 5);
        snprintf(end, sizeof end, ways[i], section, section);
        snprintf(text, sizeof text, "%s%s", start, end);
        scene s = scene_open(text, "reduced");
        check_below(s.projection.position, 1e-14);
        scene_run(&s, 0.05, 100);
        vec3_copy(scene_q(&s, i == 0 ? "a.9" : "b.end"), tip[i]);
        energy[i] = scene_ledger(&s).total;
        scene_close(&s);
    }
    for (int i = 1; i < 3; i++) {
        check_relative(energy[0], energy[i], 1e-10);
        check_below(scene_distance(3, tip[i], tip[0]), 1e-10);
    }
}

/* --- curves --- */

static const char *const curves[] = {
    "from: [1, 0, 0], arc: {axis: [0, 0, 1], angle: 2}, twist: 1",
    "from: [1, 0, 0], arc: {axis: [0, 1, 1], angle: 9, rise: 2}",
    "points: [[0, 0, 0], [1, 0, 0], [1, 1, 1], [3, 1, 0]], d1: [0, 1, 2]",
    "points: [[0, 0, 0], [1, 0, 0], [1, 1, 1], [3, 1, 0]], curve: spline, twist: -2",
    "to: [1, 2, 3], twist: 7",
};

TEST(beams_of_any_shape_are_without_stress_at_the_start)
{
    static const char *const interpolations[2] = {"linear", "quadratic"};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        for (int k = 0; k < 2; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "name: curve\n"
                     "beams: [{name: a, elements: 9, interpolation: %s, %s, stiffness: [1e5, 2e5, "
                     "3e5, 1, 2, 3],\n"
                     "         inertia: [1, 1e-3, 2e-3]}]\n",
                     interpolations[k], curves[i]);
            scene s = scene_open(text, "reduced");
            check_below(scene_ledger(&s).strain, 1e-24);
            check_below(s.projection.constraint_error, 1e-14);
            scene_run(&s, 0.1, 20);
            check_below(fabs(scene_ledger(&s).total), 1e-20);
            scene_close(&s);
        }
}

/* A curved beam moves as a rigid body does: without strain, with constant momenta. */
TEST(a_curved_beam_flies_without_strain)
{
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "name: curve\n"
            "beams: [{name: a, elements: 8, interpolation: quadratic, %s, velocity: [1, 2, 3],\n"
            "         stiffness: [1e7, 1e7, 1e7, 1e7, 1e7, 1e7], inertia: [1, 1e-2, 1e-2]}]\n",
            curves[i]);
        scene s = scene_open(text, "reduced");
        double e[6];
        scene_run(&s, 0.05, 40);
        for (int p = 0; p < 16; p++) {
            olo_system_beam_stress(s.system, s.state, 0, p, e, NULL);
            for (int k = 0; k < 6; k++)
                check_below(fabs(e[k]), 1e-13);
        }
        scene_close(&s);
    }
}

/* The nodes of an arc lie on it at equal distances, and the tangent is the third director. */
TEST(nodes_are_on_the_curve)
{
    scene s = scene_open("name: arc\n"
                         "beams: [{name: a, elements: 10, from: [2, 0, 0],\n"
                         "  arc: {axis: [0, 0, 2], angle: pi, rise: 3},\n"
                         "  stiffness: [1, 1, 1, 1, 1, 1], inertia: [1, 1, 1]}]\n",
                         NULL);
    double climb = 3 / M_PI; /* rise per angle */
    for (int k = 0; k <= 10; k++) {
        const double *q = olo_state_configuration(s.state) + s.system->nodes[k].q;
        double angle = M_PI * k / 10, tangent = sqrt(4 + climb * climb);
        const double expected[3] = {2 * cos(angle), 2 * sin(angle), 0.3 * k};
        const double d3[3] = {-2 * sin(angle) / tangent, 2 * cos(angle) / tangent, climb / tangent};
        for (int i = 0; i < 3; i++) {
            check_close(expected[i], q[i], 1e-14);
            check_close(d3[i], q[9 + i], 1e-14);
        }
    }
    scene_close(&s);
    /* a spline through points on a straight line is this line */
    s = scene_open("name: line\n"
                   "beams: [{name: a, elements: 6, curve: spline,\n"
                   "  points: [[0, 0, 0], [1, 2, 2], [1.5, 3, 3], [3, 6, 6]],\n"
                   "  stiffness: [1, 1, 1, 1, 1, 1], inertia: [1, 1, 1]}]\n",
                   NULL);
    for (int k = 0; k <= 6; k++)
        check_close(0.5 * k, olo_state_configuration(s.state)[s.system->nodes[k].q], 1e-12);
    scene_close(&s);
}

/* --- vibration --- */

/* Lowest frequency of a hinged Timoshenko beam:
 * EI k^4 - w^2 (A + M k^2 + EI A/GA k^2) + w^4 A M/GA = 0. */
static double timoshenko(double EI, double GA, double A, double M, double k)
{
    double a = A * M / GA, b = A + M * k * k + EI * A / GA * k * k, c = EI * pow(k, 4);
    return sqrt(2 * c / (b + sqrt(b * b - 4 * a * c)));
}

/* Frequency of a hinged beam of length 1 that starts in its lowest mode, from the time at which the
 * deflection of its middle is zero again. */
static double frequency(const char *interpolation, int elements, double thickness, double *theory)
{
    double EA = 1e3, GA = 0.4 * EA, EI = EA * thickness * thickness / 12;
    double A = 1, M = A * thickness * thickness / 12, k = M_PI;
    double omega = timoshenko(EI, GA, A, M, k), amplitude = 1e-6 * thickness;
    char text[1024];
    snprintf(
        text, sizeof text,
        "name: hinged\nplane: xy\n"
        "beams: [{name: a, elements: %d, interpolation: %s, to: [1, 0], inertia: [%.17g, %.17g, "
        "%.17g],\n"
        "         stiffness: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}]\n"
        "supports: [{on: a.start}, {type: slide, on: a.end, axis: [1, 0]}]\n",
        elements, interpolation, A, M, M, GA, GA, EA, EI, EI, EI);
    scene s = scene_open(text, "reduced");
    double *v = s.state->v, *q = s.state->q;
    for (int i = 0; i < s.system->node_count; i++) {
        int at = s.system->nodes[i].q;
        double x = q[at], rotation = k - A * omega * omega / (GA * k);
        double spin[3] = {0, 0, amplitude * omega * rotation * cos(k * x)};
        v[at + 1] = amplitude * omega * sin(k * x);
        for (int I = 3; I < 12; I += 3)
            vec3_cross(spin, q + at + I, v + at + I);
    }
    olo_state_reset_history(s.state);
    /* the midpoint rule advances the phase by 2 atan(w h/2) per step */
    double h = M_PI / omega / 50, before = 0, now = 0;
    int step = 0;
    const char *middle = "a.middle";
    while (step < 100 && !(before > 0 && now <= 0)) {
        scene_run(&s, h, 1);
        before = now;
        now = scene_q(&s, middle)[1];
        step++;
    }
    double turn = M_PI / (step - 1 + before / (before - now)); /* a step */
    scene_close(&s);
    *theory = omega;
    return 2 / h * tan(turn / 2);
}

TEST(frequencies_are_those_of_timoshenko_at_any_slenderness)
{
    static const double thickness[5] = {1e-1, 3e-2, 1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 5; i++) {
        double theory, omega = frequency("linear", 32, thickness[i], &theory);
        double other = frequency("quadratic", 8, thickness[i], &theory);
        print_message("thickness %g: linear %.6f, quadratic %.6f of theory\n", thickness[i],
                      omega / theory, other / theory);
        check_close(1, omega / theory, 2.5e-3);
        check_close(1, other / theory, 3e-4);
    }
}

TEST(linear_elements_are_of_second_order_quadratic_ones_of_fourth)
{
    double theory, error[2][2];
    for (int k = 0; k < 2; k++) {
        error[0][k] = frequency("linear", k ? 16 : 8, 0.1, &theory) / theory - 1;
        error[1][k] = frequency("quadratic", k ? 8 : 4, 0.1, &theory) / theory - 1;
    }
    print_message("errors %.3e %.3e, %.3e %.3e\n", error[0][0], error[0][1], error[1][0],
                  error[1][1]);
    check_close(4, error[0][0] / error[0][1], 0.4);
    check_close(16, error[1][0] / error[1][1], 3);
}

/* --- damping --- */

static const char *const whip =
    "name: whip\n"
    "beams: [{name: a, elements: 10, to: [1, 0, 0], inertia: [1, 1e-4, 1e-4],\n"
    "         stiffness: [1e5, 1e5, 1e5, 5, 5, 4], angular_velocity: [0, 3, 5], %s}]\n"
    "loads: [{on: a.end, force: [0, 20, 5], time: 'if(t < 0.05, 1, 0)'}]\n";

/* The dissipation of a damped beam never decreases and is in the ledger; momenta are conserved. */
TEST(damping_only_dissipates)
{
    static const char *const kinds[2] = {"damping: 1e-3", "dissipation: 0.5"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, whip, kinds[i]);
        scene s = scene_open(text, "reduced");
        scene_run(&s, 0.01, 5);
        olo_ledger before = scene_ledger(&s), first = before;
        for (int k = 0; k < 300; k++) {
            scene_run(&s, 0.01, 1);
            olo_ledger now = scene_ledger(&s);
            check_true(now.total < before.total);
            check_true(now.dissipation > before.dissipation);
            check_relative(first.balance, now.balance, 1e-12);
            for (int c = 0; c < 3; c++) {
                check_close(first.linear_momentum[c], now.linear_momentum[c], 1e-12);
                check_close(first.angular_momentum[c], now.angular_momentum[c], 1e-11);
            }
            before = now;
        }
        scene_close(&s);
    }
}

/* Algorithmic dissipation vanishes with the step size, material damping does not. */
TEST(algorithmic_dissipation_vanishes_with_the_step)
{
    static const char *const kinds[2] = {"damping: 1e-3", "dissipation: 0.2"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        double lost[2];
        snprintf(text, sizeof text, whip, kinds[i]);
        for (int k = 0; k < 2; k++) {
            scene s = scene_open(text, "reduced");
            scene_run(&s, k ? 2e-5 : 4e-5, k ? 5000 : 2500);
            lost[k] = scene_ledger(&s).dissipation;
            scene_close(&s);
        }
        print_message("%s: %.4g %.4g\n", kinds[i], lost[0], lost[1]);
        check_close(i ? 2 : 1, lost[0] / lost[1], i ? 0.2 : 0.1);
    }
}

/* --- sections and energies --- */

/* A square section rotated by 30 degrees, given as a full matrix and by rotated directors: the
 * motion is the same. */
TEST(a_coupled_section_is_a_turned_one)
{
    double c = cos(M_PI / 6), s30 = 0.5, D[6] = {2e4, 1e4, 3e4, 2, 5, 3}, M[2] = {1e-3, 2e-3};
    /* the stiffness in axes rotated by 30 degrees about d3 */
    double shear[3] = {c * c * D[0] + s30 * s30 * D[1], s30 * s30 * D[0] + c * c * D[1],
                       c * s30 * (D[0] - D[1])};
    double bending[3] = {c * c * D[3] + s30 * s30 * D[4], s30 * s30 * D[3] + c * c * D[4],
                         c * s30 * (D[3] - D[4])};
    double inertia[3] = {c * c * M[0] + s30 * s30 * M[1], s30 * s30 * M[0] + c * c * M[1],
                         c * s30 * (M[0] - M[1])};
    char plain[1024], turned[2048];
    static const char *const rest =
        "masses: [{on: a.end, mass: 1}]\n"
        "loads: [{on: a.end, force: [3, 5, 2], time: 'if(t < 0.2, 1, 0)'}]\n";
    snprintf(plain, sizeof plain,
             "name: plain\nbeams: [{name: a, elements: 6, to: [1, 0, 0], d1: [0, %.17g, %.17g],\n"
             "  stiffness: [%g, %g, %g, %g, %g, %g], inertia: [1, %g, %g]}]\n%s",
             c, s30, D[0], D[1], D[2], D[3], D[4], D[5], M[0], M[1], rest);
    snprintf(
        turned, sizeof turned,
        "name: turned\nbeams: [{name: a, elements: 6, to: [1, 0, 0], d1: [0, 1, 0],\n"
        "  stiffness: [[%.17g, %.17g, 0, 0, 0, 0], [%.17g, %.17g, 0, 0, 0, 0], [0, 0, %g, 0, 0, "
        "0],\n"
        "    [0, 0, 0, %.17g, %.17g, 0], [0, 0, 0, %.17g, %.17g, 0], [0, 0, 0, 0, 0, %g]],\n"
        "  inertia: [1, 0, 0, %.17g, %.17g, %.17g]}]\n%s",
        shear[0], shear[2], shear[2], shear[1], D[2], bending[0], bending[2], bending[2],
        bending[1], D[5], inertia[0], inertia[1], inertia[2], rest);
    scene a = scene_open(plain, "reduced"), b = scene_open(turned, "reduced");
    scene_run(&a, 0.01, 100);
    scene_run(&b, 0.01, 100);
    check_below(scene_apart(&a, &b), 1e-9);
    check_relative(scene_ledger(&a).strain, scene_ledger(&b).strain, 1e-8);
    scene_close(&a);
    scene_close(&b);
}

TEST(sections_have_the_constants_of_their_shapes)
{
    static const struct {
        const char *section;
        double stiffness[6], inertia[3];
    } expected[] = {
        /* three-bar swing: 50 mm x 15 mm, E = 7.3e8, nu = 0.3, torsion factor 0.29 (to two digits),
         * density 1e7 */
        {"{type: rectangle, width: 0.015, height: 0.05, young: 7.3e8, poisson: 0.3, density: 1e7}",
         {175480.7692, 175480.7692, 547500, 114.0625, 10.2656, 12.83},
         {7500, 0.140625, 1.5625}},
        {"{type: circle, radius: 0.1, young: 2, density: 3}",
         {0.9 * M_PI * 1e-2, 0.9 * M_PI * 1e-2, 2 * M_PI * 1e-2, M_PI / 2 * 1e-4, M_PI / 2 * 1e-4,
          M_PI / 2 * 1e-4},
         {3 * M_PI * 1e-2, 0.75 * M_PI * 1e-4, 0.75 * M_PI * 1e-4}},
        {"{type: tube, radius: 0.2, inner_radius: 0.1, young: 4, density: 1, shear_factor: 0.6}",
         {0.6 * 2 * 0.03 * M_PI, 0.6 * 2 * 0.03 * M_PI, 4 * 0.03 * M_PI, M_PI * 15e-4, M_PI * 15e-4,
          M_PI * 15e-4},
         {0.03 * M_PI, M_PI / 4 * 15e-4, M_PI / 4 * 15e-4}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "name: section\nbeams: [{name: a, elements: 1, to: [1, 0, 0], section: %s}]\n",
                 expected[i].section);
        scene s = scene_open(text, NULL);
        const olo_term *term = &s.system->terms[s.system->beams[0].first_term];
        for (int k = 0; k < 6; k++)
            check_relative(expected[i].stiffness[k], term->coefficient[k],
                           i == 0 && k == 5 ? 0.05 : 1e-5);
        double mass[4] = {0, 0, 0, 0}; /* the third director has none */
        for (int e = 0; e < s.system->mass_count; e++) {
            int slot = s.system->coordinates[s.system->mass[e].i].slot;
            mass[slot] +=
                s.system->mass[e].m * (s.system->mass[e].i == s.system->mass[e].j ? 1 : 2);
        }
        for (int k = 0; k < 3; k++)
            check_relative(expected[i].inertia[k], mass[k], 1e-12);
        check_close(0, mass[3], 0);
        scene_close(&s);
    }
}

/* An energy that is given as an expression gives the same motion as the stiffness that it stands
 * for. An energy that is not quadratic conserves energy and momenta, too. */
TEST(hyperelastic_beams_conserve_their_energy)
{
    static const char *const energies[3] = {
        "stiffness: [1e4, 1e4, 2e4, 3, 5, 4]",
        "energy: '0.5*(1e4*(g1^2 + g2^2) + 2e4*g3^2 + 3*k1^2 + 5*k2^2 + 4*k3^2)'",
        "energy: '0.5*(1e4*(g1^2 + g2^2) + 2e4*g3^2 + 3*k1^2 + 5*k2^2 + 4*k3^2) + 2*(k1^4 + "
        "k1*k2^3 + "
        "k2^4)'"};
    double strain[3];
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "name: energy\nbeams: [{name: a, elements: 6, to: [1, 0, 0], inertia: [1, 1e-3, "
                 "1e-3],\n  %s}]\n"
                 "loads: [{on: a.middle, force: [0, 30, 20], time: 'if(t < 0.2, 1, 0)'}]\n",
                 energies[i]);
        scene s = scene_open(text, "reduced");
        scene_run(&s, 0.01, 20);
        olo_ledger first = scene_ledger(&s);
        double drift = 0;
        for (int k = 0; k < 100; k++) {
            scene_run(&s, 0.01, 1);
            olo_ledger now = scene_ledger(&s);
            drift = larger(drift, fabs(now.total / first.total - 1));
            for (int c = 0; c < 3; c++) {
                check_close(first.linear_momentum[c], now.linear_momentum[c], 1e-12);
                check_close(first.angular_momentum[c], now.angular_momentum[c], 1e-11);
            }
        }
        strain[i] = scene_ledger(&s).strain;
        check_below(drift, 1e-11);
        check_equal(0, s.halvings);
        scene_close(&s);
    }
    check_relative(strain[0], strain[1], 1e-8);
    check_true(fabs(strain[2] / strain[0] - 1) > 1e-3);
}

/* --- loads --- */

/* The resultant of a load along a beam is its integral; a follower load rotates with the
 * sections. */
TEST(loads_along_a_beam_add_up)
{
    static const char *const interpolations[2] = {"linear", "quadratic"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "name: along\nbeams: [{name: a, elements: 5, interpolation: %s, to: [2, 0, 0],\n"
                 "  stiffness: [1e4, 1e4, 1e4, 10, 10, 10], inertia: [1, 1e-2, 1e-2]}]\n"
                 "loads:\n"
                 "  - {along: a, force: [1, 2, 3], moment: [0.1, 0, 0]}\n"
                 "  - {along: a, force: [0, 0, 1], frame: body}\n",
                 interpolations[i]);
        scene s = scene_open(text, "reduced");
        scene_run(&s, 1e-4, 10);
        olo_ledger ledger = scene_ledger(&s);
        /* the follower load acts along d3 = x as long as nothing has rotated */
        check_close(4e-3, ledger.linear_momentum[0], 1e-8);
        check_close(4e-3, ledger.linear_momentum[1], 1e-8);
        check_close(6e-3, ledger.linear_momentum[2], 1e-8);
        check_close(0.2e-3, ledger.angular_momentum[0], 1e-8);
        check_close(-6e-3, ledger.angular_momentum[1], 1e-7); /* about the origin, at an end */
        scene_close(&s);
    }
}

/* A free beam falls without strain. */
TEST(a_beam_falls_without_strain)
{
    scene s =
        scene_open("name: falls\ngravity: [0, 0, -10]\n"
                   "beams: [{name: a, elements: 5, to: [2, 0, 0], inertia: [1, 0.1, 0.2, 1, 1, "
                   "0.1],\n"
                   "  stiffness: [1e3, 1e3, 1e3, 1, 1, 1]}]\n"
                   "masses: [{on: {on: a.end, at: [0.1, 0.2, 0]}, mass: 3, inertia: [1, 1, 1]}]\n",
                   "reduced");
    scene_run(&s, 0.01, 100);
    check_close(-5, scene_q(&s, "a.3")[2], 1e-11);
    check_below(scene_ledger(&s).strain, 1e-20);
    check_close(-50, scene_ledger(&s).linear_momentum[2], 1e-11);
    scene_close(&s);
}

/* --- joints --- */

/* Every joint between nodes of beams and a body: the treatments compute the same motion, and the
 * energy is conserved. */
TEST(every_joint_holds_on_beam_nodes)
{
    static const char *const types[] = {"spherical", "revolute", "cylindrical",   "prismatic",
                                        "planar",    "rigid",    "point-on-line", "point-on-plane"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "name: joined\ngravity: [0, 0, -3]\n"
            "bodies: [{name: b, mass: 1, inertia: [0.1, 0.2, 0.2], position: [1.5, 0.1, 0],\n"
            "          angular_velocity: [0.1, 0.2, 0.3], velocity: [0, 0, 0]}]\n"
            "beams:\n"
            "  - {name: a, elements: 4, to: [1, 0, 0], stiffness: [1e4, 1e4, 1e4, 10, 10, 10],\n"
            "     inertia: [1, 1e-2, 1e-2]}\n"
            "  - {name: c, elements: 3, from: [1.5, 0.1, 0], to: [1.5, 1, 0.3],\n"
            "     stiffness: [1e4, 1e4, 1e4, 10, 10, 10], inertia: [1, 1e-2, 1e-2]}\n"
            "supports: [{type: fixed, on: a.start}]\n"
            "joints:\n"
            "  - {name: j, type: %s, between: [a.end, b], at: [1, 0, 0]%s}\n"
            "  - {name: k, type: %s, between: [b, c.start], at: [1.5, 0.1, 0]%s}\n",
            types[i],
            strcmp(types[i], "spherical") && strcmp(types[i], "rigid") ? ", axis: [1, 2, 2]" : "",
            types[i],
            strcmp(types[i], "spherical") && strcmp(types[i], "rigid") ? ", axis: [2, 1, 0]" : "");
        scene a = scene_open(text, "reduced"), b = scene_open(text, "multipliers");
        double energy = scene_ledger(&a).total;
        scene_run(&a, 0.01, 50);
        scene_run(&b, 0.01, 50);
        check_below(scene_apart(&a, &b), 1e-10);
        check_close(energy, scene_ledger(&a).total, 1e-11);
        check_below(scene_ledger(&a).constraint_error, 1e-13);
        scene_close(&a);
        scene_close(&b);
    }
}

TEST_MAIN(cmocka_unit_test(slider_crank_has_the_counts_of_the_thesis),
          cmocka_unit_test(slider_crank_moves_as_in_the_sheet),
          cmocka_unit_test(slider_crank_conserves_its_energy_after_the_push),
          cmocka_unit_test(slider_crank_in_other_positions),
          cmocka_unit_test(slider_crank_moves_alike_in_all_treatments),
          cmocka_unit_test(a_stiff_slider_crank_is_the_rigid_one),
          cmocka_unit_test(nodes_of_beams_have_names),
          cmocka_unit_test(flying_beam_has_the_momentum_of_its_loads),
          cmocka_unit_test(rods_of_simo_and_vu_quoc_move_as_by_finite_differences),
          cmocka_unit_test(rotating_arm_is_stretched_as_in_theory),
          cmocka_unit_test(three_ways_to_build_a_corner_agree),
          cmocka_unit_test(beams_of_any_shape_are_without_stress_at_the_start),
          cmocka_unit_test(a_curved_beam_flies_without_strain),
          cmocka_unit_test(nodes_are_on_the_curve),
          cmocka_unit_test(frequencies_are_those_of_timoshenko_at_any_slenderness),
          cmocka_unit_test(linear_elements_are_of_second_order_quadratic_ones_of_fourth),
          cmocka_unit_test(damping_only_dissipates),
          long_unit_test(algorithmic_dissipation_vanishes_with_the_step),
          cmocka_unit_test(a_coupled_section_is_a_turned_one),
          cmocka_unit_test(sections_have_the_constants_of_their_shapes),
          cmocka_unit_test(hyperelastic_beams_conserve_their_energy),
          cmocka_unit_test(loads_along_a_beam_add_up),
          cmocka_unit_test(a_beam_falls_without_strain),
          cmocka_unit_test(every_joint_holds_on_beam_nodes))
