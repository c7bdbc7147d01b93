/* Absolute charts and the null space as a function of the configuration: for every joint type of
 * the registry, then composed on chains, trees and planar models. Derivatives are compared with
 * differences, the null space with the right pair that a step uses. */
#include "joined.h"
#include "walk.h"

#include "elements/element.h"
#include "elements/joint_pair.h"
#include "kinematics/chart.h"
#include "kinematics/null_space_form.h"
#include "rank.h"

/* d2(y.Q)/du2 w */
static void second_along(olo_chart *chart, const double *y, const double *w, double *product)
{
    double dq[1024];
    olo_chart_move(chart, w, dq);
    olo_chart_load(chart, y);
    olo_chart_second(chart, 1, w, dq, product);
}

/* --- a system with its chart and null space at a random configuration --- */

typedef struct bench {
    walk w;
    const olo_system *s;
    const olo_topology *tree;
    int n, r; /* coordinates, unknowns */
    unsigned long long seed;
    olo_chart *chart; /* NULL: something rolls */
    olo_null_form *form;
    double *q; /* [n] */
    double *u; /* [r] */
} bench;

static double *numbers(int count)
{
    return olo_alloc((size_t)count + 1, sizeof(double));
}

static double *random_numbers(bench *b, int count, double size)
{
    double *x = numbers(count);
    for (int i = 0; i < count; i++)
        x[i] = size * scene_random(&b->seed);
    return x;
}

static bench bench_open(scene s)
{
    bench b = {.w = walk_open(s), .seed = 5};
    olo_error error = {0};
    b.s = b.w.s.system;
    b.tree = b.s->topology;
    b.n = b.s->n;
    b.r = b.tree->unknowns;
    b.q = numbers(b.n);
    memcpy(b.q, b.w.q0, (size_t)b.n * sizeof *b.q);
    b.u = numbers(b.r);
    bool rolls = false;
    for (int i = 0; i < b.s->joint_count; i++)
        rolls = rolls || !b.s->joints[i].type->chart;
    if (!rolls)
        check_ok(olo_chart_create(b.tree, b.q, &b.chart, &error), &error);
    check_ok(olo_null_form_create(b.tree, b.q, &b.form, &error), &error);
    return b;
}

/* Moves the chart to random coordinates up to `size`. */
static void bench_move(bench *b, double size)
{
    for (int i = 0; i < b->r; i++)
        b->u[i] = size * scene_random(&b->seed);
    memcpy(b->q, olo_chart_at(b->chart, b->u), (size_t)b->n * sizeof *b->q);
}

static void bench_close(bench *b)
{
    olo_chart_free(b->chart);
    olo_null_form_free(b->form);
    olo_free(b->q);
    olo_free(b->u);
    walk_close(&b->w);
}

static bool is_closure(const olo_topology *tree, int row)
{
    for (int i = 0; i < tree->closure_count; i++)
        if (tree->closures[i] == row)
            return true;
    return false;
}

/* Largest difference of two vectors. */
static double apart(int count, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = larger(largest, fabs(a[i] - b[i]));
    return largest;
}

static double product(int count, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Central difference of fourth order: sum of weight[i] f(offset[i] step)/step. */
static const double offset[4] = {-2, -1, 1, 2}, weight[4] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};
static const double step = 2e-3;

/* difference[count] += the share of the i-th sample */
static void add_sample(int i, int count, const double *sample, double *difference)
{
    for (int k = 0; k < count; k++)
        difference[k] += weight[i] / step * sample[k];
}

/* --- the chart --- */

static void check_rows(const bench *b)
{
    const olo_at at = {.q = b->q};
    for (int c = 0; c < b->s->m; c++)
        if (!is_closure(b->tree, c))
            check_close(0, olo_constraint_value(&b->s->constraints[c], &at), 2e-14);
}

static void check_round_trip(const bench *b)
{
    olo_error error = {0};
    double *u = numbers(b->r);
    check_ok(olo_chart_coordinates(b->chart, b->q, u, &error), &error);
    check_below(apart(b->r, b->u, u), 1e-12);
    olo_free(u);
}

/* J w, J^T y and d2(y.Q) w by differences along w; J w is orthogonal to the gradients of the rows.
 */
static void check_derivatives(bench *b)
{
    double *w = random_numbers(b, b->r, 1), *y = random_numbers(b, b->n, 1);
    double *dq = numbers(b->n), *dq_near = numbers(b->n), *u = numbers(b->r);
    double *reduced = numbers(b->r), *second = numbers(b->r), *second_near = numbers(b->r);
    double *v = random_numbers(b, b->r, 1), *other = numbers(b->r);
    olo_chart_at(b->chart, b->u);
    olo_chart_move(b->chart, w, dq);
    olo_chart_reduce(b->chart, y, reduced);
    check_close(product(b->n, y, dq), product(b->r, w, reduced), 1e-12);
    second_along(b->chart, y, w, second);
    second_along(b->chart, y, v, other);
    check_close(product(b->r, v, second), product(b->r, w, other), 1e-11);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < b->r; k++)
            u[k] = b->u[k] + offset[i] * step * w[k];
        add_sample(i, b->n, olo_chart_at(b->chart, u), dq_near);
        olo_chart_reduce(b->chart, y, reduced);
        add_sample(i, b->r, reduced, second_near);
    }
    olo_chart_at(b->chart, b->u);
    check_below(apart(b->n, dq_near, dq), 1e-9);
    check_below(apart(b->r, second_near, second), 1e-8);
    double *const all[] = {w, y, dq, dq_near, u, reduced, second, second_near, v, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        olo_free(all[i]);
}

/* --- the null space --- */

/* P^T from the form, unknowns x n. */
static double *null_matrix(bench *b)
{
    double *P = numbers(b->r * b->n), *nu = numbers(b->r);
    for (int j = 0; j < b->r; j++) {
        nu[j] = 1;
        olo_null_form_at(b->form, &(olo_null_point){.q = b->q, .nu = nu},
                         &(olo_null_derivatives){.by_y = P + j * b->n}, &(olo_null_derivatives){0});
        nu[j] = 0;
    }
    olo_free(nu);
    return P;
}

/* P^T of the right pair of a step without motion at q. */
static double *step_matrix(bench *b)
{
    double *P = numbers(b->r * b->n);
    memcpy(b->w.q0, b->q, (size_t)b->n * sizeof *b->q);
    memset(b->w.x.u, 0, (size_t)b->r * sizeof(double));
    olo_motion_begin(b->tree, &b->w.x);
    olo_motion_move(b->tree, &b->w.x);
    olo_null_space_at(b->w.space, &b->w.x, false);
    olo_null_space_matrix(b->w.space, P);
    return P;
}

/* J^T, unknowns x n. */
static double *chart_matrix(bench *b)
{
    double *J = numbers(b->r * b->n), *w = numbers(b->r);
    for (int j = 0; j < b->r; j++) {
        w[j] = 1;
        olo_chart_move(b->chart, w, J + j * b->n);
        w[j] = 0;
    }
    olo_free(w);
    return J;
}

/* The rows of both matrices, r x n each, are independent and span the same space. */
static void check_span(const bench *b, const double *P, const double *Q)
{
    const size_t count = (size_t)b->r * (size_t)b->n;
    double *both = numbers(2 * b->r * b->n);
    const double *const parts[3][2] = {{P, NULL}, {Q, NULL}, {P, Q}};
    for (int k = 0; b->r && k < 3; k++) {
        int rows = parts[k][1] ? 2 * b->r : b->r;
        memcpy(both, parts[k][0], count * sizeof *both);
        if (parts[k][1])
            memcpy(both + count, parts[k][1], count * sizeof *both);
        check_equal(b->r, matrix_rank(rows, b->n, both, 1e-8));
    }
    olo_free(both);
}

static bool has_rods(const bench *b)
{
    for (int k = 0; k < b->s->node_count; k++)
        if (b->tree->nodes[k].type == &olo_joint_rod)
            return true;
    return false;
}

static void check_spaces(bench *b)
{
    double *P = null_matrix(b), *of_step = step_matrix(b);
    double *J = b->chart ? chart_matrix(b) : NULL;
    /* axes of rods are fixed in the parent here, and in space over a step */
    if (!has_rods(b))
        check_below(apart(b->r * b->n, of_step, P), 1e-13);
    check_span(b, P, of_step);
    if (J)
        check_span(b, P, J);
    olo_free(P);
    olo_free(of_step);
    olo_free(J);
}

/* First and second derivatives of y^T P(q) nu along any w, also off the constraints. */
static void check_null_derivatives(bench *b)
{
    double *y = random_numbers(b, b->n, 1), *nu = random_numbers(b, b->r, 1);
    double *w = random_numbers(b, b->n, 1), *q = numbers(b->n);
    olo_null_derivatives first = {numbers(b->n), numbers(b->r), numbers(b->n)};
    olo_null_derivatives change = {numbers(b->n), numbers(b->r), numbers(b->n)};
    olo_null_derivatives near = {numbers(b->n), numbers(b->r), numbers(b->n)};
    olo_null_point at = {.q = b->q, .y = y, .nu = nu, .w = w, .directions = 1};
    olo_null_form_at(b->form, &at, &first, &change);
    double value = product(b->n, y, first.by_y), derivative = product(b->n, w, first.by_q),
           difference = 0;
    check_close(value, product(b->r, nu, first.by_nu), 1e-12);
    check_close(derivative, product(b->n, y, change.by_y), 1e-11);
    check_close(derivative, product(b->r, nu, change.by_nu), 1e-11);
    at = (olo_null_point){.q = q, .y = y, .nu = nu};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < b->n; k++)
            q[k] = b->q[k] + offset[i] * step * w[k];
        olo_null_form_at(b->form, &at, &first, &(olo_null_derivatives){0});
        difference += weight[i] / step * product(b->n, y, first.by_y);
        add_sample(i, b->n, first.by_y, near.by_y);
        add_sample(i, b->r, first.by_nu, near.by_nu);
        add_sample(i, b->n, first.by_q, near.by_q);
    }
    check_close(difference, derivative, 1e-8);
    check_below(apart(b->n, near.by_y, change.by_y), 1e-8);
    check_below(apart(b->r, near.by_nu, change.by_nu), 1e-8);
    check_below(apart(b->n, near.by_q, change.by_q), 1e-8);
    double *const all[] = {
        y,           nu,           w,           q,         first.by_y, first.by_nu, first.by_q,
        change.by_y, change.by_nu, change.by_q, near.by_y, near.by_nu, near.by_q};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        olo_free(all[i]);
}

/* All checks, at the reference and at random coordinates around it. */
static void check_model(scene s)
{
    bench b = bench_open(s);
    check_spaces(&b);
    check_null_derivatives(&b);
    for (int i = 0; b.chart && i < 4; i++) {
        bench_move(&b, 0.8);
        check_rows(&b);
        check_round_trip(&b);
        check_derivatives(&b);
        check_spaces(&b);
        check_null_derivatives(&b);
    }
    bench_close(&b);
}

/* --- every type of the registry --- */

/* The values that a model may have for `key` in a section. */
static const char *const *choices_of(const char *section, const char *key)
{
    for (int i = 0; i < olo_element_type_count; i++)
        for (int k = 0; k < olo_element_types[i]->field_count; k++)
            if (strcmp(olo_element_types[i]->section, section) == 0 &&
                strcmp(olo_element_types[i]->fields[k].key, key) == 0)
                return olo_element_types[i]->fields[k].choices;
    check_true(false);
    return NULL;
}

#define BODIES                                                                                     \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.5], position: [0.3, 0.5, 0.2],\n"                \
    "     rotation: {axis: [1, 2, 3], angle: 0.7}, points: {p: [0.4, 0.3, -0.5]}}\n"               \
    "  - {name: b, mass: 1, inertia: [0.2, 0.4, 0.3], position: [-0.6, 0.1, 0.4],\n"               \
    "     rotation: {axis: [2, -1, 1], angle: 1.1}, points: {p: [0.1, -0.3, 0.2]}}\n"
#define POINT "points: {name: m, mass: 1, position: [1, 1.2, 0.4]}\n"

/* Joint types that are not among the pairs of joined.h: a model or more of each. */
static const struct {
    const char *type, *text;
} others[] = {
    {"screw", BODIES "joints: {type: screw, between: [a, b], at: [0, 0.3, 0.1], axis: [1, 2, -1], "
                     "pitch: 0.3}\n"},
    {"screw", BODIES "joints: {type: screw, between: [b, ground], at: [0, 0.3, 0.1], axis: [1, 2, "
                     "-1], pitch: 0.3}\n"},
    {"distance", BODIES POINT "joints: {type: distance, between: [a.p, m]}\n"},
    {"distance", BODIES POINT "joints: {type: distance, between: [m, b.p]}\n"},
    {"distance", POINT "joints: {type: distance, between: [m, [0.2, 0.3, -0.1]]}\n"},
    {"rolling-disc", BODIES "joints: {type: rolling-disc, between: [ground, b], axis: [1, 0.4, "
                            "0.2], radius: 0.4}\n"},
    {"rolling-ball", BODIES "joints: {type: rolling-ball, between: [b.p, ground], radius: 0.6}\n"},
};

static const pair_kind *pair_of(const char *type)
{
    for (int k = 0; k < PAIRS; k++)
        if (strcmp(pairs[k].type, type) == 0)
            return &pairs[k];
    return NULL;
}

/* A pair between a free body and another, in both orders, or with the ground. */
static void check_pair(const pair_kind *kind)
{
    for (int k = 0; k < 4; k++) {
        joined x = joined_create(40 + (unsigned)k);
        int a = joined_body(&x, NULL, NULL), b = joined_body(&x, NULL, NULL);
        const int ends[4][2] = {{a, b}, {b, a}, {GROUND, b}, {b, GROUND}};
        joined_pair(&x, kind, ends[k][0], ends[k][1], NULL, 0.5);
        check_model(joined_open(&x, "reduced"));
        joined_free(&x);
    }
}

TEST(every_joint_type_has_its_chart_and_null_space)
{
    const char *const *types = choices_of("joints", "type");
    for (int i = 0; types[i]; i++) {
        const pair_kind *kind = pair_of(types[i]);
        bool tested = kind != NULL;
        if (kind)
            check_pair(kind);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (strcmp(others[k].type, types[i]) == 0) {
                check_model(scene_open(others[k].text, "reduced"));
                tested = true;
            }
        if (!tested)
            print_message("joint type '%s' has no model in this test\n", types[i]);
        check_true(tested);
    }
}

TEST(every_support_has_its_chart_and_null_space)
{
    const char *const *types = choices_of("supports", "type");
    for (int i = 0; types[i]; i++)
        for (int planar = 0; planar < 2; planar++) {
            char text[2048];
            const char *axis = strcmp(types[i], "hinge") == 0 ? "[1, 2, -0.5]" : "[2, -1, 0]";
            snprintf(text, sizeof text, "%s%ssupports: {on: b.p, type: %s, axis: %s}\n",
                     planar ? "plane: [1, 2, -0.5]\n" : "", BODIES, types[i], axis);
            check_model(scene_open(text, "reduced"));
        }
}

/* A type without a chart is refused by name, but has a null space. */
TEST(what_rolls_has_no_chart)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\n"
                         "bodies: {name: wheel, mass: 1, inertia: [1, 1, 1]}\n"
                         "joints: {name: road, type: rolling-disc, between: [ground, wheel], axis: "
                         "[1, 0, 0.2], radius: 0.5}\n",
                         "reduced");
    olo_error error = {0};
    olo_chart *chart;
    check_status(OLO_UNSUPPORTED,
                 olo_chart_create(s.system->topology, s.system->q0, &chart, &error));
    check_true(chart == NULL);
    check_contains("'road'", error.text);
    check_contains("velocities", error.text);
    scene_close(&s);
    for (int planar = 0; planar < 2; planar++)
        check_model(scene_open(planar ? "plane: xz\ngravity: [0, 0, -9.81]\n"
                                        "bodies: {name: wheel, mass: 1, inertia: [1, 1, 1]}\n"
                                        "joints: {type: rolling-disc, between: [ground, wheel], "
                                        "radius: 0.5}\n"
                                      : "gravity: [0, 0, -9.81]\n"
                                        "bodies: {name: wheel, mass: 1, inertia: [1, 1, 1]}\n"
                                        "joints: {type: rolling-ball, between: [ground, wheel], "
                                        "radius: 0.5}\n",
                               "reduced"));
}

/* --- composition --- */

static const char *const models[] = {
    /* free bodies and points, in space and in a plane */
    BODIES POINT,
    "plane: [1, 2, -0.5]\n" BODIES POINT,
    /* rods on points that are connected to bodies, in space and in a plane; relative coordinates */
    BODIES "points: [{name: m, mass: 1, position: [1, 1, 1]}, {name: n, mass: 1, position: [0, 1, "
           "1]}]\nrods: [{between: [m, a.p]}, {between: [n, m]}]\nsupports: {on: a, type: slide, "
           "axis: [0, 1, 1]}\n",
    "plane: xy\npoints: [{name: m, mass: 1, position: [1, 0.5]}, {name: n, mass: 2, position: [2, "
    "0]}]\nrods: [{between: [[0, 0, 0], m]}, {between: [m, n]}]\n",
    "plane: xz\nbodies: {name: w, mass: 1, inertia: [1, 1, 1], points: {p: [0.2, 0.1, 0.3]}}\n"
    "points: {name: m, mass: 1, position: [1, 0, 1]}\nrods: {between: [w.p, m]}\n",
    "points: [{name: a, mass: 1, position: [1, 0.5, 0.2]}, {name: b, mass: 2, position: [0.5, 0, "
    "0.4], relative_to: a}]\nrods: [{between: [[0, 0, 0], a]}, {between: [b, a]}]\n",
    /* points on supports */
    POINT "supports: {on: m, type: slide, axis: [1, 1, 0]}\n",
    POINT "supports: {on: m, type: plane, axis: [1, 1, 0]}\n",
    /* a slide that carries a universal joint */
    BODIES "joints:\n"
           "  - {type: prismatic, between: [ground, a], axis: [1, 0.2, 0]}\n"
           "  - {type: universal, between: [a.p, b], at: [0, 0.2, 0.1], axis: [0, 1, 0], axis2: "
           "[0, 0, 1]}\n",
    /* a beam, and a rod with directors at its edges */
    "beams: {name: bar, discretisation: edges, elements: 3, to: [1, 0, 0.2], stiffness: [9, 9, 9, "
    "9, 9, 9], inertia: [1, 1, 1]}\n",
    "beams: {name: bow, elements: 3, points: [[0, 0, 0], [1, 0, 0.2]], stiffness: [9, 9, 9, 9, 9, "
    "9], inertia: [1, 1, 1]}\n",
};

TEST(charts_compose_over_models)
{
    for (size_t k = 0; k < sizeof models / sizeof *models; k++)
        check_model(scene_open(models[k], "reduced"));
}

TEST(charts_compose_over_chains_and_trees)
{
    for (unsigned seed = 1; seed <= 12; seed++) {
        joined x = joined_tree(seed, 9);
        check_model(joined_open(&x, "reduced"));
        joined_free(&x);
    }
    joined chain = joined_create(3);
    const char letters[] = "RUPSCELT";
    for (int k = 0; letters[k]; k++) {
        const double position[3] = {0.7 * k, 0, 0};
        joined_body(&chain, position, NULL);
        joined_pair(&chain, pair_letter(letters[k]), k - 1, k, NULL, 0.3);
    }
    check_model(joined_open(&chain, "reduced"));
    joined_free(&chain);
}

/* The Hessian of y^T P(Q(u)) nu on a chart, from its parts, as in a Lagrangian of reduced
 * equations. */
TEST(hessian_of_the_reduced_form_on_a_chart)
{
    joined x = joined_tree(7, 8);
    bench b = bench_open(joined_open(&x, "reduced"));
    bench_move(&b, 0.5);
    double *y = random_numbers(&b, b.n, 1), *nu = random_numbers(&b, b.r, 1);
    double *w = random_numbers(&b, b.r, 1), *dq = numbers(b.n), *u = numbers(b.r);
    double *g = numbers(b.n), *Hw = numbers(b.n), *near = numbers(b.r), *out = numbers(b.r);
    double *curved = numbers(b.r);
    olo_chart_move(b.chart, w, dq);
    olo_null_form_at(b.form,
                     &(olo_null_point){.q = b.q, .y = y, .nu = nu, .w = dq, .directions = 1},
                     &(olo_null_derivatives){.by_q = g}, &(olo_null_derivatives){.by_q = Hw});
    olo_chart_reduce(b.chart, Hw, out);
    second_along(b.chart, g, w, curved);
    for (int k = 0; k < b.r; k++)
        curved[k] += out[k];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < b.r; k++)
            u[k] = b.u[k] + offset[i] * step * w[k];
        const double *q = olo_chart_at(b.chart, u);
        olo_null_form_at(b.form, &(olo_null_point){.q = q, .y = y, .nu = nu},
                         &(olo_null_derivatives){.by_q = g}, &(olo_null_derivatives){0});
        olo_chart_reduce(b.chart, g, out);
        add_sample(i, b.r, out, near);
    }
    check_below(apart(b.r, near, curved), 1e-7);
    double *const all[] = {y, nu, w, dq, u, g, Hw, near, out, curved};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        olo_free(all[i]);
    bench_close(&b);
    joined_free(&x);
}

/* Links of length one in a plane: the tip is at sum (cos a_k, sin a_k), a_k = u_1 + .. + u_k, for
 * any number of turns. */
TEST(tip_of_a_planar_chain)
{
    scene s =
        scene_open("plane: xy\nbodies:\n"
                   "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                   "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
                   "  - {name: c, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
                   "joints:\n"
                   "  - {between: [ground, a], at: [0, 0, 0]}\n"
                   "  - {between: [a, b], at: [1, 0, 0]}\n  - {between: [b, c], at: [2, 0, 0]}\n",
                   "reduced");
    const olo_topology *tree = s.system->topology;
    const olo_topology_node *t = tree->nodes;
    olo_chart *chart;
    olo_error error = {0};
    check_ok(olo_chart_create(tree, s.system->q0, &chart, &error), &error);
    const double angle[3] = {20.4, -0.7, 2.9}, direction[3] = {0.3, -1.1, 0.6};
    double u[3], w[3], reduced[3], second[3], dq[36], y[36] = {0};
    for (int k = 0; k < 3; k++) {
        u[t[k].u] = angle[k];
        w[t[k].u] = direction[k];
    }
    const double pull[2] = {0.8, -0.5}; /* y: a force at the tip */
    int tip = s.system->nodes[2].q;
    y[tip] = pull[0];
    y[tip + 1] = pull[1];
    const double *q = olo_chart_at(chart, u);
    olo_chart_move(chart, w, dq);
    olo_chart_reduce(chart, y, reduced);
    second_along(chart, y, w, second);
    double x[2] = {0}, dx[2] = {0}, by[3] = {0}, by2[3] = {0}, a = 0, da = 0;
    for (int k = 0; k < 3; k++) {
        a += angle[k];
        da += direction[k];
        x[0] += cos(a);
        x[1] += sin(a);
        dx[0] -= sin(a) * da;
        dx[1] += cos(a) * da;
        for (int j = 0; j <= k; j++) {
            by[j] += -pull[0] * sin(a) + pull[1] * cos(a);
            by2[j] += (-pull[0] * cos(a) - pull[1] * sin(a)) * da;
        }
    }
    for (int i = 0; i < 2; i++) {
        check_close(x[i], q[tip + i], 1e-14);
        check_close(dx[i], dq[tip + i], 1e-14);
    }
    for (int k = 0; k < 3; k++) {
        check_close(by[k], reduced[t[k].u], 1e-14);
        check_close(by2[k], second[t[k].u], 1e-14);
    }
    olo_chart_free(chart);
    scene_close(&s);
}

/* A configuration has coordinates around any reference, and both charts lead to it. */
TEST(reference_of_a_chart_may_change)
{
    joined x = joined_tree(5, 8);
    bench b = bench_open(joined_open(&x, "reduced"));
    olo_error error = {0};
    double *q = numbers(b.n);
    bench_move(&b, 0.5);
    memcpy(q, b.q, (size_t)b.n * sizeof *q);
    bench_move(&b, 0.5);
    olo_chart_refer(b.chart, b.q);
    memset(b.u, 0, (size_t)b.r * sizeof *b.u);
    check_below(apart(b.n, b.q, olo_chart_at(b.chart, b.u)), 1e-14);
    check_ok(olo_chart_coordinates(b.chart, q, b.u, &error), &error);
    check_below(apart(b.n, q, olo_chart_at(b.chart, b.u)), 1e-13);
    olo_free(q);
    bench_close(&b);
    joined_free(&x);
}

/* A reference whose joints are open is closed. */
TEST(open_reference_is_closed)
{
    for (unsigned seed = 1; seed <= 6; seed++) {
        joined x = joined_tree(seed, 8);
        bench b = bench_open(joined_open(&x, "reduced"));
        for (int i = 0; i < b.n; i++)
            b.q[i] += 1e-3 * scene_random(&b.seed);
        olo_chart_refer(b.chart, b.q);
        bench_move(&b, 0.5);
        check_rows(&b);
        check_round_trip(&b);
        bench_close(&b);
        joined_free(&x);
    }
}

TEST(half_a_turn_of_a_free_body_has_no_coordinates)
{
    bench b = bench_open(scene_open(BODIES, "reduced"));
    olo_error error = {0};
    for (int i = 3; i < 9; i++) /* d_1 and d_2 of b */
        b.q[12 + i] = -b.q[12 + i];
    check_status(OLO_BAD_INPUT, olo_chart_coordinates(b.chart, b.q, b.u, &error));
    check_contains("'b'", error.text);
    check_contains("half a turn", error.text);
    bench_close(&b);
}

TEST(nothing_is_allocated_after_creation_and_failures_leave_nothing)
{
    joined x = joined_tree(4, 6);
    bench b = bench_open(joined_open(&x, "reduced"));
    olo_error error = {0};
    double *y = random_numbers(&b, b.n, 1), *w = random_numbers(&b, b.r, 1), *out = numbers(b.n);
    size_t before = olo_memory_count();
    bench_move(&b, 0.5);
    olo_chart_refer(b.chart, b.q);
    olo_chart_move(b.chart, w, out);
    olo_chart_reduce(b.chart, y, out);
    second_along(b.chart, y, w, out);
    check_ok(olo_chart_coordinates(b.chart, b.q, b.u, &error), &error);
    olo_null_form_at(b.form, &(olo_null_point){.q = b.q, .y = y, .nu = w},
                     &(olo_null_derivatives){.by_q = out}, &(olo_null_derivatives){0});
    check_equal(before, olo_memory_count());
    for (int kind = 0; kind < 2; kind++) {
        olo_status status = OLO_NO_MEMORY;
        for (size_t n = 1; status != OLO_OK; n++) {
            olo_chart *chart = NULL;
            olo_null_form *form = NULL;
            size_t alive = olo_memory_alive();
            olo_memory_fail_at(n);
            status = kind == 0 ? olo_chart_create(b.tree, b.q, &chart, &error)
                               : olo_null_form_create(b.tree, b.q, &form, &error);
            olo_memory_fail_at(0);
            if (status != OLO_OK) {
                check_status(OLO_NO_MEMORY, status);
                check_equal(alive, olo_memory_alive());
            }
            olo_chart_free(chart);
            olo_null_form_free(form);
        }
    }
    olo_free(y);
    olo_free(w);
    olo_free(out);
    bench_close(&b);
    joined_free(&x);
}

TEST_MAIN(cmocka_unit_test(every_joint_type_has_its_chart_and_null_space),
          cmocka_unit_test(every_support_has_its_chart_and_null_space),
          cmocka_unit_test(what_rolls_has_no_chart), cmocka_unit_test(charts_compose_over_models),
          cmocka_unit_test(charts_compose_over_chains_and_trees),
          cmocka_unit_test(hessian_of_the_reduced_form_on_a_chart),
          cmocka_unit_test(tip_of_a_planar_chain),
          cmocka_unit_test(reference_of_a_chart_may_change),
          cmocka_unit_test(open_reference_is_closed),
          cmocka_unit_test(half_a_turn_of_a_free_body_has_no_coordinates),
          cmocka_unit_test(nothing_is_allocated_after_creation_and_failures_leave_nothing))
