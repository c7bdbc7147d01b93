/* Discrete Cosserat rods, compared with the rod sheet (7.4, 7.5, 8): the clamped rod and the hinged
 * frame, their momentum maps, order in space, limit loads; closed forms of buckling, elastica and
 * roll-up; and rods that are released. */
#include "scene.h"

#include "linalg/vec3.h"

static const double pi = 3.14159265358979323846;

static olo_equilibrium_summary settle(scene *s, const olo_equilibrium_options *options)
{
    olo_equilibrium_summary summary;
    olo_error error = {0};
    check_ok(olo_find_equilibrium(s->system, options, s->state, NULL, 0, &summary, &error), &error);
    check_below(scene_ledger(s).constraint_error, 1e-13);
    return summary;
}

static const char *text_of(int number)
{
    static char text[16];
    snprintf(text, sizeof text, "%d", number);
    return text;
}

/* --- clamped rod: the second frame is the first one rotated by a quarter turn about d3 --- */

#define CLAMPED(kind)                                                                              \
    "parameters: {n: 10}\n"                                                                        \
    "beams:\n"                                                                                     \
    "  - name: rod\n"                                                                              \
    "    discretisation: " kind "\n"                                                               \
    "    elements: n\n"                                                                            \
    "    points: [[0, -0.4, 0], [0, 0.4, 0]]\n"                                                    \
    "    curve: spline\n"                                                                          \
    "    tangents: [[-0.18070, 0.89768, 0.40187], [-0.18070, 0.89768, 0.40187]]\n"                 \
    "    d1: [0.21093, -0.36372, 0.90731]\n"                                                       \
    "    d1_end: [0.9606534807233341, 0.2487202774874836, -0.12362489045775461]\n"                 \
    "    rest_length: 1\n"                                                                         \
    "    stiffness: [200, 200, 200, 1, 1, 1]\n"                                                    \
    "    inertia: [1, 1, 1]\n"                                                                     \
    "supports:\n"                                                                                  \
    "  - {name: start, on: rod.start, type: fixed}\n"                                              \
    "  - {name: end, on: rod.end, type: fixed}\n"

static const char *const clamped[2] = {CLAMPED("vertices"), CLAMPED("edges")};
enum { VERTICES, EDGES };

static scene open_clamped(int kind, int n)
{
    const olo_setting settings[] = {{"n", text_of(n)}};
    scene s = scene_open_set(clamped[kind], NULL, settings, 1);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_equal(0, sum.unstable);
    check_equal(0, sum.neutral);
    return s;
}

static const double *position_of(const scene *s, int node)
{
    const olo_node *x = &s->system->nodes[s->system->beams[0].nodes[node]];
    return s->state->q + x->q;
}

TEST(the_clamped_rod_has_the_energies_of_the_sheet)
{
    static const struct {
        int n;
        double energy[2];
    } sheet[] = {{4, {6.335376477, 5.020779741}},
                 {10, {5.266096642, 5.032757251}},
                 {40, {5.047119533, 5.032529887}},
                 {80, {5.036108054, 5.032464357}},
                 {320, {5.032666949, 5.032439404}}};
    for (size_t i = 0; i < sizeof sheet / sizeof *sheet; i++)
        for (int kind = 0; kind < 2; kind++) {
            scene s = open_clamped(kind, sheet[i].n);
            check_close(sheet[i].energy[kind], scene_ledger(&s).strain, 1e-8);
            scene_close(&s);
        }
}

TEST(the_clamped_rod_has_the_positions_of_the_sheet)
{
    static const double sheet[5][3] = {{-0.00721236, -0.32244113, 0.03848574},
                                       {0.00566295, -0.24184357, 0.06756196},
                                       {0.03258050, -0.16010918, 0.07793320},
                                       {0.06279801, -0.07936393, 0.06667779},
                                       {0.08508587, 0, 0.03825868}};
    scene s = open_clamped(VERTICES, 10);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 3; i++)
            check_close(sheet[k][i], position_of(&s, k + 1)[i], 1e-8);
    /* half a turn about the line through the origin and the middle maps the rod to itself */
    double axis[3];
    vec3_copy(position_of(&s, 5), axis);
    vec3_normalise(axis);
    for (int k = 0; k <= 10; k++) {
        const double *r = position_of(&s, k), along = 2 * vec3_dot(axis, r);
        for (int i = 0; i < 3; i++)
            check_close(along * axis[i] - r[i], position_of(&s, 10 - k)[i], 1e-12);
    }
    scene_close(&s);
    s = open_clamped(EDGES, 10);
    static const double middle[3] = {0.09374375, 0, 0.04215168};
    for (int i = 0; i < 3; i++)
        check_close(middle[i], position_of(&s, 5)[i], 1e-8);
    scene_close(&s);
}

/* n, m + r x n and m . d3 are those of the sheet, and constant along the rod. */
TEST(momentum_maps_are_constant_along_the_clamped_rod)
{
    static const double force[2][3] = {{0.733637, -29.155046, -1.631581},
                                       {0.620397, -26.309069, -1.379740}};
    static const double moment[2][3] = {{0.553469, 1.994008, -1.230893},
                                        {0.546824, 1.984439, -1.216116}};
    const double constant = 1e-12;
    for (int kind = 0; kind < 2; kind++) {
        scene s = open_clamped(kind, 10);
        double n[2][3], m[2][3], torsion[2];
        for (int e = 0; e < 10; e++) {
            const int k = e > 0;
            olo_system_beam_momentum(s.system, s.state, 0, e, n[k], m[k], &torsion[k]);
            for (int i = 0; i < 3; i++) {
                check_close(force[kind][i], n[k][i], 1e-6);
                check_close(moment[kind][i], m[k][i], 1e-6);
                check_close(n[0][i], n[k][i], constant * vec3_norm(n[0]));
                check_close(m[0][i], m[k][i], constant * vec3_norm(n[0]));
            }
            check_close(torsion[0], torsion[k], constant * vec3_norm(n[0]));
        }
        if (kind == VERTICES)
            check_close(1.195321, torsion[0], 1e-6);
        scene_close(&s);
    }
}

/* The strain energy with every frame turned about its own d3, and with the whole rod rotated about
 * an axis through the origin. */
static double turned_energy(scene *s, double turn, const double rotation[9])
{
    double *q = s->state->q;
    for (int k = 0; k < s->system->node_count; k++) {
        const olo_node *node = &s->system->nodes[k];
        for (int at = node->q; at < node->q + node->size; at += 3) {
            double x[3];
            vec3_copy(q + at, x);
            for (int i = 0; i < 3; i++)
                q[at + i] = vec3_dot(rotation + 3 * i, x);
        }
        if (node->type->directors < 0)
            continue;
        double *d = q + node->q + node->type->directors, d1[3], d2[3];
        vec3_copy(d, d1);
        vec3_copy(d + 3, d2);
        for (int i = 0; i < 3; i++) {
            d[i] = cos(turn) * d1[i] + sin(turn) * d2[i];
            d[3 + i] = cos(turn) * d2[i] - sin(turn) * d1[i];
        }
    }
    return scene_ledger(s).strain;
}

/* The symmetries behind the momentum maps: rigid motions, and turns of isotropic sections. */
TEST(rigid_motions_and_turns_of_the_sections_leave_the_energy)
{
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                        about[9] = {0.6, -0.8, 0, 0.48, 0.36, -0.8, 0.64, 0.48, 0.6};
    for (int kind = 0; kind < 2; kind++) {
        scene s = open_clamped(kind, 10);
        const double energy = scene_ledger(&s).strain;
        check_relative(energy, turned_energy(&s, 0, about), 1e-13);
        check_relative(energy, turned_energy(&s, 0.7, none), 1e-13);
        scene_close(&s);
        /* sections that are not isotropic */
        char text[2000], *at;
        snprintf(text, sizeof text, "%s", clamped[kind]);
        at = strstr(text, "200, 1, 1, 1]");
        at[5] = '2';
        s = scene_open(text, "reduced");
        settle(&s, NULL);
        const double other = scene_ledger(&s).strain;
        check_relative(other, turned_energy(&s, 0, about), 1e-13);
        check_true(fabs(turned_energy(&s, 0.7, none) / other - 1) > 1e-3);
        scene_close(&s);
    }
}

/* The torque GJ u3 about the material axis is not a momentum map: it is nearly constant. */
TEST(the_material_torque_is_nearly_constant)
{
    static const double sheet[5] = {1.2212, 1.2160, 1.2167, 1.2227, 1.2284};
    scene s = open_clamped(VERTICES, 10);
    for (int e = 0; e < 5; e++) {
        double strain[6], stress[6], mirrored[6];
        olo_system_beam_stress(s.system, s.state, 0, e, strain, stress);
        olo_system_beam_stress(s.system, s.state, 0, 9 - e, NULL, mirrored);
        check_close(sheet[e], stress[5], 6e-5);
        check_close(sheet[e], strain[5], 6e-5);
        check_close(stress[5], mirrored[5], 1e-10);
    }
    scene_close(&s);
}

/* Directors of vertex k, or of the middle of edge k: on the fine grid that is a vertex between two
 * edges, where the frame is half way between theirs. */
static void frame_at(const scene *s, int kind, int k, bool between, double d[9])
{
    const olo_beam_line *line = &s->system->beams[0];
    if (kind == VERTICES) {
        memcpy(d, position_of(s, k) + 3, 9 * sizeof *d);
        return;
    }
    const double *a = s->state->q + s->system->nodes[line->edges[k]].q;
    memcpy(d, a, 9 * sizeof *d);
    if (!between)
        return;
    const double *b = s->state->q + s->system->nodes[line->edges[k - 1]].q;
    double mean[9], correction[9];
    for (int i = 0; i < 9; i++)
        d[i] = mean[i] = 0.5 * (a[i] + b[i]);
    for (int i = 0; i < 9; i++) /* D + 1/2 D (I - D^T D): the nearest rotation */
        correction[i] = 0.5 * ((i % 4 == 0) - vec3_dot(mean + 3 * (i / 3), mean + 3 * (i % 3)));
    for (int I = 0; I < 3; I++)
        for (int J = 0; J < 3; J++)
            vec3_add(correction[3 * I + J], mean + 3 * J, d + 3 * I);
}

static void errors_of(int kind, int n, const scene *fine, double *position, double *frame)
{
    const int ratio = 320 / n;
    scene s = open_clamped(kind, n);
    *position = *frame = 0;
    for (int k = 0; k <= n; k++) {
        double off[3];
        vec3_subtract(position_of(&s, k), position_of(fine, ratio * k), off);
        *position = larger(*position, vec3_norm(off));
    }
    for (int k = 0; k < n; k++) {
        double own[9], other[9], square = 0;
        frame_at(&s, kind, k, false, own);
        frame_at(fine, kind, kind == VERTICES ? ratio * k : ratio * k + ratio / 2, true, other);
        for (int i = 0; i < 9; i++)
            square += (own[i] - other[i]) * (own[i] - other[i]);
        *frame = larger(*frame, sqrt(square));
    }
    scene_close(&s);
}

/* Errors of positions and frames against 320 edges: the table of the sheet. */
TEST(both_models_converge_with_order_two)
{
    static const int edges[4] = {4, 10, 40, 80};
    static const double position[2][4] = {{4.439e-2, 7.151e-3, 3.679e-4, 8.666e-5},
                                          {2.315e-2, 2.412e-3, 1.380e-4, 3.261e-5}};
    static const double frame[2][4] = {{2.257e-1, 3.274e-2, 1.746e-3, 4.112e-4},
                                       {6.626e-2, 1.399e-2, 1.087e-3, 2.812e-4}};
    for (int kind = 0; kind < 2; kind++) {
        scene fine = open_clamped(kind, 320);
        double e[4][2];
        for (int i = 0; i < 4; i++) {
            errors_of(kind, edges[i], &fine, &e[i][0], &e[i][1]);
            check_relative(position[kind][i], e[i][0], 0.01);
            check_relative(frame[kind][i], e[i][1], 0.01);
        }
        for (int k = 0; k < 2; k++)
            check_close(2.0, log2(e[2][k] / e[3][k]), 0.2);
        scene_close(&fine);
    }
}

/* --- hinged frame --- */

#define FRAME(kind, curvature)                                                                     \
    "parameters: {n: 20}\n"                                                                        \
    "beams:\n"                                                                                     \
    "  - {name: frame, discretisation: " kind ", curvature: " curvature ", elements: n,\n"         \
    "     points: [[0, 0, 0], [0, 120, 0], [120, 120, 0]], d1: [0, 0, 1],\n"                       \
    "     stiffness: [16.62e6, 16.62e6, 43.2e6, 14.4e6, 14.4e9, 11.08e9], inertia: [1, 1, 1]}\n"   \
    "supports:\n"                                                                                  \
    "  - {name: left, on: frame.start, type: hinge, axis: [0, 0, 1]}\n"                            \
    "  - {name: right, on: frame.end, type: hinge, axis: [0, 0, 1]}\n"                             \
    "loads: {on: frame.13, force: [0, -1000, 0]}\n"

typedef struct recorded {
    double load, q[600];
} recorded;

/* The equilibria of the whole path, up to the far stable branch. */
typedef struct path {
    int count;
    recorded at[2000];
} path;

static olo_status record(void *context, const olo_system *system, const olo_state *state, long step,
                         const olo_step_report *report, olo_error *error)
{
    (void)step, (void)report, (void)error;
    path *p = context;
    check_true(p->count < 2000 && system->n <= 600);
    recorded *r = &p->at[p->count++];
    r->load = state->t;
    memcpy(r->q, state->q, (size_t)system->n * sizeof *r->q);
    return OLO_OK;
}

static olo_equilibrium_summary follow_frame(scene *s, path *p)
{
    olo_equilibrium_options options = olo_equilibrium_options_default();
    olo_observer observer = olo_observer_default();
    olo_equilibrium_summary summary;
    olo_error error = {0};
    options.end = 21.014;
    options.arc = true;
    observer.context = p;
    observer.step = record;
    check_ok(olo_find_equilibrium(s->system, &options, s->state, &observer, 1, &summary, &error),
             &error);
    return summary;
}

/* Displacement (right, down) of the loaded node. */
static void displacement(const scene *s, double *u, double *v)
{
    *u = position_of(s, 12)[0] - 24;
    *v = 120 - position_of(s, 12)[1];
}

TEST(the_frame_has_the_limit_loads_and_equilibria_of_the_sheet)
{
    /* equilibria with their number of unstable directions; `pass`: how often the path has crossed
     * this load before */
    static const struct {
        double load;
        int pass, unstable;
        double u, v, energy;
    } sheet[] = {
        {15, 0, 0, 7.8752, 26.0049, 257258.86}, {18.495, 0, 0, 20.4901, 43.6054, 555003.08},
        {18.495, 1, 1, 35.9905, 54.9372, 0},    {-9.233, 0, 1, 84.8341, 53.5523, 0},
        {-9.233, 1, 0, 92.8208, 64.8492, 0},    {0, 1, 1, 79.3295, 53.2798, 847256.46},
        {0, 2, 0, 90.0222, 85.2277, 603493.21}, {21.014, 0, 0, 86.1022, 92.8678, 654135.96},
    };
    static path p;
    p.count = 0;
    scene s = scene_open_set(FRAME("edges", "tangent"), NULL, NULL, 0);
    olo_equilibrium_summary sum = follow_frame(&s, &p);
    check_equal(2, sum.critical_count);
    check_close(18.946, sum.critical[0].load, 1e-3);
    check_close(-10.243, sum.critical[1].load, 1e-3);
    check_equal(0, sum.unstable);
    for (size_t i = 0; i < sizeof sheet / sizeof *sheet; i++) {
        olo_equilibrium_options options = olo_equilibrium_options_default();
        int crossed = 0, at = 0;
        double u, v;
        for (int k = 1; k < p.count && crossed <= sheet[i].pass; k++)
            if ((p.at[k].load - sheet[i].load) * (p.at[k - 1].load - sheet[i].load) <= 0) {
                crossed += p.at[k - 1].load != sheet[i].load || k == 1;
                at = k;
            }
        memcpy(s.state->q, p.at[at].q, (size_t)s.system->n * sizeof *s.state->q);
        options.end = sheet[i].load;
        options.method = "newton";
        sum = settle(&s, &options);
        displacement(&s, &u, &v);
        check_equal(sheet[i].unstable, sum.unstable);
        check_close(sheet[i].u, u, 1e-3);
        check_close(sheet[i].v, v, 1e-3);
        if (sheet[i].energy > 0)
            check_close(sheet[i].energy, scene_ledger(&s).strain, 0.01);
    }
    scene_close(&s);
}

/* Random pushes find both stable equilibria without load. */
TEST(random_guesses_find_the_equilibria_of_the_frame)
{
    static const struct {
        double strain;
        int unstable;
    } sheet[] = {{0, 0}, {603493.21, 0}};
    scene s = scene_open_set(FRAME("edges", "tangent"), NULL, NULL, 0);
    olo_multistart_options options = olo_multistart_options_default();
    olo_equilibria found;
    olo_error error = {0};
    options.load = 0;
    options.starts = 40;
    options.method = "descent";
    check_ok(olo_find_equilibria(s.system, &options, s.state, NULL, 0, &found, &error), &error);
    int hits = 0;
    for (int i = 0; i < found.count; i++)
        hits += found.found[i].hits;
    check_equal(found.starts, found.failed + hits);
    for (size_t k = 0; k < sizeof sheet / sizeof *sheet; k++) {
        int seen = 0;
        for (int i = 0; i < found.count; i++)
            seen += fabs(found.found[i].strain - sheet[k].strain) < 0.01 &&
                    found.found[i].unstable == sheet[k].unstable;
        check_equal(1, seen);
    }
    scene_close(&s);
}

/* n changes by the load at the loaded vertex, and m + r x n by its moment. */
TEST(momentum_maps_of_the_frame_change_by_the_load)
{
    static const double sheet[2][2] = {{-810.958, -11826.557}, {-810.958, 3173.443}};
    scene s = scene_open_set(FRAME("edges", "tangent"), NULL, NULL, 0);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    const double exact = 1e-11 * 15000, longest = 120; /* EA times the rounding of positions */
    double first[3], about[3], n[3], m[3], torsion;
    options.end = 15;
    settle(&s, &options);
    olo_system_beam_momentum(s.system, s.state, 0, 0, first, about, &torsion);
    for (int e = 0; e < 20; e++) {
        olo_system_beam_momentum(s.system, s.state, 0, e, n, m, &torsion);
        const bool after = e >= 12; /* the loaded vertex is the end of edge 11 */
        const double f[3] = {0, -15000, 0}, *r = position_of(&s, 12);
        double moment[3];
        vec3_cross(r, f, moment);
        for (int i = 0; i < 3; i++) {
            check_close(first[i] - (after ? f[i] : 0), n[i], exact);
            check_close(about[i] - (after ? moment[i] : 0), m[i], 10 * exact * longest);
        }
        check_close(sheet[after][0], n[0], 1e-3);
        check_close(sheet[after][1], n[1], 1e-3);
    }
    scene_close(&s);
}

/* With the sine as curvature the limit loads are far lower: a sharp distinction of the measures. */
TEST(the_frame_with_the_sine_measure_has_other_limit_loads)
{
    static path p;
    p.count = 0;
    scene s = scene_open_set(FRAME("edges", "sine"), NULL, NULL, 0);
    olo_equilibrium_summary sum = follow_frame(&s, &p);
    check_equal(2, sum.critical_count);
    check_close(17.25, sum.critical[0].load, 0.01);
    check_close(-6.85, sum.critical[1].load, 0.01);
    scene_close(&s);
}

/* --- closed forms --- */

#define ROD(kind)                                                                                  \
    "parameters: {n: 20, P: 0, M: 0, k: 1e8}\n"                                                    \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind ", elements: n, to: [1, 0, 0],\n"                        \
    "     stiffness: [k, k, k, 1, 1, 1], inertia: [1, 1e-2, 1e-2]}\n"                              \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, P, 0], moment: [0, 0, M]}\n"

static const char *const rod[2] = {ROD("vertices"), ROD("edges")};

/* Largest error of deflection, shortening and angle of the elastica with P L^2/EI = 5. */
static double elastica_error(int kind, int n)
{
    const olo_setting settings[] = {{"n", text_of(n)}, {"P", "5"}};
    scene s = scene_open_set(rod[kind], NULL, settings, 2);
    settle(&s, NULL);
    const double *q = scene_q(&s, "b.end");
    double error = larger(fabs(q[1] - 0.713791523612), fabs(1 - q[0] - 0.387628360724));
    error = larger(error, fabs(atan2(q[10], q[9]) - 1.21536811761));
    scene_close(&s);
    return error;
}

TEST(elastica_of_rods_converges_with_order_two)
{
    for (int kind = 0; kind < 2; kind++) {
        const double coarse = elastica_error(kind, 20), fine = elastica_error(kind, 40);
        check_close(2.0, log2(coarse / fine), 0.1);
        check_below(elastica_error(kind, 160), 2e-4);
    }
}

/* Under the moment M = 2 pi EI/L the rod is a circle. With u = 2/h tan(phi/2) the moment between
 * two frames is dW/dphi = EI u (1 + h^2 u^2/4), so that u is the root of a cubic equation. The tip
 * approaches the root of the rod with order two. */
TEST(a_rod_rolls_up_with_the_angles_of_the_cayley_curvature)
{
    for (int kind = 0; kind < 2; kind++) {
        double gap[2];
        for (int fine = 0; fine < 2; fine++) {
            const int n = fine ? 80 : 40;
            const olo_setting settings[] = {{"n", text_of(n)}, {"M", "2*pi"}};
            scene s = scene_open_set(rod[kind], NULL, settings, 2);
            settle(&s, NULL);
            double strain[6];
            olo_system_beam_stress(s.system, s.state, 0, n / 2, strain, NULL);
            const double u = hypot(strain[3], strain[4]);
            check_close(2 * pi, u * (1 + u * u / (4.0 * n * n)), 1e-8);
            const double *q = scene_q(&s, "b.end");
            if (kind == VERTICES)
                check_close(cos(2 * n * atan(0.5 * u / n)), q[9], 1e-8);
            gap[fine] = hypot(q[0], q[1]);
            scene_close(&s);
        }
        check_close(2.0, log2(gap[0] / gap[1]), 0.1);
    }
}

/* Euler: a hinged column buckles at pi^2 EI/L^2, here with 100 edges and EA L^2/EI = 1e6. */
TEST(a_hinged_column_buckles_at_the_load_of_euler)
{
#define COLUMN(kind)                                                                               \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind ", elements: 100, to: [1, 0, 0], d1: [0, 0, 1],\n"       \
    "     stiffness: [1e7, 1e7, 1e6, 1, 50, 50], inertia: [1, 1e-2, 1e-2]}\n"                      \
    "supports:\n"                                                                                  \
    "  - {name: root, on: b.start, type: hinge, axis: [0, 0, 1]}\n"                                \
    "  - {name: tip, on: b.end, type: slide, axis: [1, 0, 0]}\n"                                   \
    "loads: {on: b.end, force: [-1, 0, 0]}\n"
    static const char *const model[2] = {COLUMN("vertices"), COLUMN("edges")};
    for (int kind = 0; kind < 2; kind++) {
        olo_equilibrium_options options = olo_equilibrium_options_default();
        scene s = scene_open_set(model[kind], NULL, NULL, 0);
        options.end = 12;
        olo_equilibrium_summary sum = settle(&s, &options);
        check_equal(1, sum.critical_count);
        check_relative(pi * pi, sum.critical[0].load, 1e-3);
        scene_close(&s);
    }
}

/* Michell: a closed ring loses its stability at the twist 2 pi sqrt(3) EI/GJ; 100 edges. */
TEST(a_twisted_ring_buckles_at_the_twist_of_michell)
{
    const olo_setting settings[] = {{"turn", "12"}};
    scene s = scene_open_set("twisted-ring", NULL, settings, 1);
    olo_equilibrium_summary sum;
    /* the search ends there, or continues along the plane ring, which is not stable any more */
    (void)olo_find_equilibrium(s.system, NULL, s.state, NULL, 0, &sum, NULL);
    check_equal(1, sum.critical_count);
    check_relative(2 * pi * sqrt(3.0), 12 * sum.critical[0].load, 1e-3);
    scene_close(&s);
}

/* Forces towards the centre with constant direction: 4 EI/R^3, with order two. */
TEST(a_ring_buckles_under_forces_towards_its_centre)
{
    double off[2];
    for (int fine = 0; fine < 2; fine++) {
        const olo_setting settings[] = {{"n", fine ? "80" : "40"}};
        olo_equilibrium_options options = olo_equilibrium_options_default();
        scene s = scene_open_set("ring-buckling", NULL, settings, 1);
        options.end = 6;
        olo_equilibrium_summary sum = settle(&s, &options);
        check_equal(1, sum.critical_count);
        off[fine] = sum.critical[0].load - 4;
        scene_close(&s);
    }
    check_below(off[1], 4e-3);
    check_close(2.0, log2(off[0] / off[1]), 0.1);
}

/* From a straight line a rod with intrinsic curvature and torsion becomes a helix without stress:
 * with the rotation R = cay(h u/2) from edge to edge, the positions are those of a screw motion. */
TEST(a_rod_with_intrinsic_curvature_becomes_a_helix)
{
    scene s = scene_open_set("helix", NULL, NULL, 0);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_true(sum.descended);
    check_equal(0, sum.unstable + sum.neutral);
    check_below(scene_ledger(&s).strain, 1e-20);
    /* equal edges, equal angles between them, and equal torsion of successive triples */
    double first[3][3], product = 0;
    for (int k = 0; k + 3 <= 90; k++) {
        double edge[3][3], n[3];
        for (int i = 0; i < 3; i++)
            vec3_subtract(position_of(&s, k + i + 1), position_of(&s, k + i), edge[i]);
        vec3_cross(edge[0], edge[1], n);
        if (k == 0) {
            memcpy(first, edge, sizeof first);
            product = vec3_dot(n, edge[2]);
        }
        check_close(1. / 90, vec3_norm(edge[0]), 1e-12);
        check_close(vec3_dot(first[0], first[1]), vec3_dot(edge[0], edge[1]), 1e-13);
        check_close(product, vec3_dot(n, edge[2]), 1e-14);
    }
    scene_close(&s);
}

/* A cable net is a network of rods: it is stable, and supports carry its weight. */
TEST(a_cable_net_carries_its_weight)
{
    scene s = scene_open_set("cable-net", NULL, NULL, 0);
    olo_equilibrium_summary sum = settle(&s, NULL);
    check_equal(0, sum.unstable + sum.neutral);
    /* of each piece the vertical force changes along it by its weight, at the supports and at the
     * crossings the pieces have what is left */
    double down = 0, force[3], moment[3], torsion;
    for (int b = 0; b < s.system->beam_count; b++) {
        const olo_beam_line *line = &s.system->beams[b];
        for (int end = 0; end < 2; end++) {
            const int node = line->nodes[end ? line->node_count - 1 : 0];
            const bool held = fabs(fabs(s.state->q[s.system->nodes[node].q]) - 1) < 1e-12 ||
                              fabs(fabs(s.state->q[s.system->nodes[node].q + 1]) - 1) < 1e-12;
            if (!held)
                continue;
            olo_system_beam_momentum(s.system, s.state, b, end ? line->elements - 1 : 0, force,
                                     moment, &torsion);
            down += end ? force[2] : -force[2];
            down += 0.5 * 9.81 * line->lengths[0]; /* of the node itself */
        }
    }
    double weight = 0;
    for (int b = 0; b < s.system->beam_count; b++)
        for (int k = 0; k < s.system->beams[b].node_count; k++)
            weight += 0.5 * 9.81 * s.system->beams[b].lengths[k];
    check_relative(weight, fabs(down), 1e-10);
    scene_close(&s);
}

/* --- released rods --- */

/* The clamped rod is a stressed initial state; without its second support it whips. */
static scene release(int kind, const char *scheme)
{
    scene s = open_clamped(kind, 10);
    static const char *const free_end[2] = {CLAMPED("vertices"), CLAMPED("edges")};
    char text[2000];
    snprintf(text, sizeof text, "%s", free_end[kind]);
    *strstr(text, "supports:") = 0; /* no supports at all */
    const olo_setting settings[] = {{"run.scheme", scheme}};
    scene loose = scene_open_set(text, NULL, settings, 1);
    check_equal(s.system->n, loose.system->n);
    memcpy(loose.state->q, s.state->q, (size_t)s.system->n * sizeof *s.state->q);
    scene_close(&s);
    return loose;
}

/* A stressed rod that is released conserves energy and momenta. */
TEST(a_released_rod_conserves_energy_and_momenta)
{
    for (int kind = 0; kind < 2; kind++) {
        scene s = release(kind, "energy-momentum-2006");
        const olo_ledger before = scene_ledger(&s);
        scene_run(&s, 0.005, 200);
        const olo_ledger after = scene_ledger(&s);
        check_relative(before.total, after.total, 1e-12);
        check_true(after.kinetic > 0.1 * after.total);
        for (int i = 0; i < 3; i++) {
            check_close(0, after.linear_momentum[i], 1e-12);
            check_close(0, after.angular_momentum[i], 1e-12);
        }
        scene_close(&s);
    }
}

TEST(a_released_rod_conserves_momenta_with_the_variational_scheme)
{
    for (int kind = 0; kind < 2; kind++) {
        scene s = release(kind, "variational");
        const olo_ledger before = scene_ledger(&s);
        scene_run(&s, 0.001, 500);
        const olo_ledger after = scene_ledger(&s);
        check_relative(before.total, after.total, 2e-2);
        for (int i = 0; i < 3; i++) {
            check_close(0, after.linear_momentum[i], 1e-12);
            check_close(0, after.angular_momentum[i], 1e-12);
        }
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(the_clamped_rod_has_the_energies_of_the_sheet),
          cmocka_unit_test(the_clamped_rod_has_the_positions_of_the_sheet),
          cmocka_unit_test(momentum_maps_are_constant_along_the_clamped_rod),
          cmocka_unit_test(rigid_motions_and_turns_of_the_sections_leave_the_energy),
          cmocka_unit_test(the_material_torque_is_nearly_constant),
          cmocka_unit_test(both_models_converge_with_order_two),
          cmocka_unit_test(the_frame_has_the_limit_loads_and_equilibria_of_the_sheet),
          cmocka_unit_test(random_guesses_find_the_equilibria_of_the_frame),
          cmocka_unit_test(momentum_maps_of_the_frame_change_by_the_load),
          cmocka_unit_test(the_frame_with_the_sine_measure_has_other_limit_loads),
          cmocka_unit_test(elastica_of_rods_converges_with_order_two),
          cmocka_unit_test(a_rod_rolls_up_with_the_angles_of_the_cayley_curvature),
          cmocka_unit_test(a_hinged_column_buckles_at_the_load_of_euler),
          cmocka_unit_test(a_twisted_ring_buckles_at_the_twist_of_michell),
          cmocka_unit_test(a_ring_buckles_under_forces_towards_its_centre),
          cmocka_unit_test(a_rod_with_intrinsic_curvature_becomes_a_helix),
          cmocka_unit_test(a_cable_net_carries_its_weight),
          cmocka_unit_test(a_released_rod_conserves_energy_and_momenta),
          cmocka_unit_test(a_released_rod_conserves_momenta_with_the_variational_scheme))
