/* Energy-momentum with velocities that satisfy their constraints, and the published scheme beside
 * it: states after 1 and 100 steps of four mechanisms, computed by an independent program
 * (residuals in long double), in every treatment. The mechanisms: a chain of three point masses on
 * rods, a heavy top whose centre of mass is off its axes, a plate whose inertia has no extent along
 * one director, and a chain of three bodies on hinges. */
#include "consistent_laws.h"

#include "oloid/interval.h"
#include "stepping/registry.h"
#include "stepping/segments.h"
#include "stepping/step.h"
#include "system/condition.h"
#include "system/rate_interval.h"

static const char POINTS[] = "gravity: [0, -9.81, 0]\n"
                             "points:\n"
                             "  - {name: a, mass: 1, position: [1, 0, 0]}\n"
                             "  - {name: b, mass: 1, position: [2, 0, 0]}\n"
                             "  - {name: c, mass: 1, position: [3, 0, 0]}\n"
                             "rods:\n"
                             "  - {name: first, between: [ground, a]}\n"
                             "  - {name: second, between: [a, b]}\n"
                             "  - {name: third, between: [b, c]}\n";

#define ROTATION "rotation: {axis: [1, 2, 0.5], angle: 0.7}"
#define SPIN     "angular_velocity: [7.9282093083507466, -4.4942685535279372, 8.1206555974102539]"

static const char TOP[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: body, mass: 2, inertia: [0.03, 0.04, 0.02], center: [0.05, -0.02, 0.1],\n"
    "     position: [0.17541458412307778, -0.070910305439002369, 0.23281205350985384],\n"
    "     " ROTATION ", " SPIN ", points: {tip: [0, 0, -0.3]}}\n"
    "supports: {name: tip, on: body.tip, at: [0, 0, 0]}\n";

static const char PLATE[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: body, mass: 2, inertia: [0.03, 0.02, 0.05], center: [0.05, -0.02, 0],\n"
    "     position: [-0.096262183933582615, 0.26018663805593872, 0.15177781564341036],\n"
    "     " ROTATION ", " SPIN ", points: {tip: [0.1, -0.3, 0]}}\n"
    "supports: {name: tip, on: body.tip, at: [0, 0, 0]}\n";

static const char HINGES[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: first, mass: 1, inertia: [0.02, 0.01, 0.022], center: [0.02, -0.25, 0.01],\n"
    "     rotation: {axis: [0, 0, 1], angle: 0.3}}\n"
    "  - {name: second, mass: 0.8, inertia: [0.004, 0.015, 0.017], center: [0.2, 0.01, -0.03],\n"
    "     position: [0.1477601033306698, -0.47766824456280305, 0],\n"
    "     rotation: {matrix: [[0.83838664359420345, -0.2955202066613396, -0.45801271084729195],\n"
    "                         [0.25934338005223073, 0.95533648912560609, -0.14167993424703809],\n"
    "                         [0.47942553860420295, 0, 0.87758256189037254]]}}\n"
    "  - {name: third, mass: 0.6, inertia: [0.01, 0.011, 0.003], center: [0, 0.02, -0.22],\n"
    "     position: [0.48311476076835119, -0.37393089254191075, 0.19177021544168119],\n"
    "     points: {tip: [0.1, 0.2, -0.3]},\n"
    "     rotation: {matrix: [[0.83838664359420345, -0.53444911856432309, -0.10710730838119384],\n"
    "                         [0.25934338005223073, 0.56395437786761859, -0.78402581010259598],\n"
    "                         [0.47942553860420295, 0.62953919603926622, 0.61141765887509669]]}}\n"
    "joints:\n"
    "  - {name: one, between: [ground, first], at: [0, 0, 0], axis: [0, 0, 1], rate: 2}\n"
    "  - {name: two, between: [first, second],\n"
    "     at: [0.1477601033306698, -0.47766824456280305, 0],\n"
    "     axis: [-0.2955202066613396, 0.95533648912560609, 0], rate: -3}\n"
    "  - {name: three, between: [second, third],\n"
    "     at: [0.48311476076835119, -0.37393089254191075, 0.19177021544168119],\n"
    "     axis: [0.83838664359420345, 0.25934338005223073, 0.47942553860420295], rate: 5}\n";

/* A 3-vector of a node after some steps, and its rate. */
typedef struct state_value {
    bool consistent;
    int steps;
    const char *node;
    int slot; /* 0: the position, else a director */
    double q[3], v[3];
} state_value;

static const state_value POINTS_50[] = {
    {false,
     50,
     "a",
     0,
     {-0.142635412102029, -0.989775297334948, 0},
     {-1.8567509417838, 0.267684709898723, 0}},
    {false,
     50,
     "c",
     0,
     {-1.059928749069314, -2.630701774317622, 0},
     {-7.925440870012778, 3.989605505323788, 0}},
    {true,
     50,
     "a",
     0,
     {-0.142630510519951, -0.989776003684075, 0},
     {-1.856716196638543, 0.267559910557041, 0}},
    {true,
     50,
     "b",
     0,
     {-0.303375282548777, -1.976772010902646, 0},
     {-5.184270634602881, 0.809494199684956, 0}},
    {true,
     50,
     "c",
     0,
     {-1.059936435307879, -2.630694959066892, 0},
     {-7.929696843560696, 3.985836035210312, 0}},
    {false,
     50,
     "b",
     0,
     {-0.303373100406329, -1.976772458201477, 0},
     {-5.18857380034819, 0.804980408562445, 0}},
};

static const state_value POINTS_100[] = {
    {true,
     100,
     "a",
     0,
     {-0.141880513574511, -0.989883791092587, 0},
     {-1.841450627875652, 0.263935992442841, 0}},
    {true,
     100,
     "b",
     0,
     {-0.304482903059128, -1.976575466811954, 0},
     {-5.209642636724085, 0.818999020092742, 0}},
    {true,
     100,
     "c",
     0,
     {-1.06210726714705, -2.629266299396856, 0},
     {-7.922712838046011, 3.968251289903101, 0}},
};

static const state_value TOP_STATES[] = {
    {false,
     1,
     "body",
     0,
     {0.171057325257258, -0.075200941232574, 0.234700255461232},
     {-0.400970050969665, -0.436825893407625, 0.151471884660643}},
    {false,
     100,
     "body",
     1,
     {0.346828253381008, -0.426163551771582, 0.835520669880829},
     {9.129022024276968, 8.142776258611872, 0.363856398358368}},
    {true,
     1,
     "body",
     0,
     {0.171057303838573, -0.075200972666728, 0.234700260999975},
     {-0.400634487980956, -0.436976055975439, 0.151982919598668}},
    {true,
     1,
     "body",
     1,
     {0.809035100393197, 0.336684690295370, -0.481773417336905},
     {-0.678880114525451, 10.450193951134671, 6.163026778785356}},
    {true,
     100,
     "body",
     0,
     {-0.196346546447955, 0.158435519790160, 0.162315186494618},
     {-0.019630888732115, -0.376931847039549, 0.344175656704640}},
    {true,
     100,
     "body",
     1,
     {0.346850290217931, -0.426138297360765, 0.835524402814307},
     {9.123981302941709, 8.145534798820825, 0.366798104713372}},
    {false,
     1,
     "body",
     1,
     {0.809035092542921, 0.336684395946913, -0.481773636223413},
     {-0.677291623588588, 10.448743380827882, 6.166436253881573}},
    {false,
     100,
     "body",
     0,
     {-0.196345588960922, 0.158436340880070, 0.162315543261029},
     {-0.019773823534521, -0.376889844774660, 0.344163198956316}},
};

static const state_value PLATE_STATES[] = {
    {false,
     1,
     "body",
     0,
     {-0.123492318079204, 0.238743040376310, 0.166587538691525},
     {-2.651010486454704, -2.303681202361363, 1.331758590025940}},
    {true,
     1,
     "body",
     0,
     {-0.123492818249807, 0.238742602699058, 0.166587795162790},
     {-2.651964083215739, -2.301908927050855, 1.333022084059261}},
    {true,
     1,
     "body",
     3,
     {0.569745939591746, -0.251273047614211, 0.782464963983299},
     {-1.425575561491914, -1.572258310216334, 0.533122592956529}},
    {true,
     100,
     "body",
     0,
     {-0.167422489003961, 0.176836245707240, 0.201739070038223},
     {-2.709346810254465, -2.479196671973557, -0.075313892857629}},
    {true,
     100,
     "body",
     3,
     {0.525474588611150, -0.374202545584190, 0.764100066484917},
     {-1.826566285731396, -0.020685362277722, 1.246006503735647}},
    {false,
     1,
     "body",
     3,
     {0.569746226068844, -0.251272719754951, 0.782464860672516},
     {-1.425538460968798, -1.576669440633215, 0.531041442550528}},
    {false,
     100,
     "body",
     0,
     {-0.167422558526293, 0.176836252085502, 0.201739006750957},
     {-2.709981170991557, -2.478628750750184, -0.074591804537396}},
    {false,
     100,
     "body",
     3,
     {0.525474322005102, -0.374202525075500, 0.764100259874578},
     {-1.827853581235619, -0.014947029747562, 1.250889109555641}},
};

static const state_value HINGE_STATES[] = {
    {false,
     1,
     "third",
     0,
     {0.485241289707902, -0.365788962871649, 0.201839850881572},
     {0.227059255843093, 0.832172333612093, 0.960828013709750}},
    {false,
     100,
     "first",
     1,
     {-0.958406952924572, -0.285405172668327, 0},
     {1.133155030625905, -3.800933599267238, 0}},
    {true,
     1,
     "third",
     0,
     {0.485241275784940, -0.365788945536065, 0.201839915770437},
     {0.227602789047762, 0.832036461110815, 0.960699330889926}},
    {true,
     1,
     "third",
     3,
     {-0.079827317441001, -0.817608163037525, 0.570214425566890},
     {2.965790769602655, -3.143592138254235, -4.092277163890968}},
    {true,
     1,
     "first",
     1,
     {0.949108310914133, 0.314949859745519, 0},
     {-0.654821420596971, 1.973318714780052, 0}},
    {true,
     100,
     "third",
     0,
     {0.050555461210530, 0.536758381170080, -0.345448383388120},
     {-0.941527716103297, 0.554298913706643, 0.723480646295616}},
    {true,
     100,
     "third",
     3,
     {-0.859619225995413, 0.265143880845356, -0.436753372911201},
     {3.648800070180221, 15.394509911071243, 2.164107865025140}},
    {true,
     100,
     "first",
     1,
     {-0.958401044504082, -0.285425012732740, 0},
     {1.132286956104151, -3.801996857313581, 0}},
    {false,
     1,
     "third",
     3,
     {-0.079827513121132, -0.817607902700159, 0.570214771459967},
     {2.967990637842958, -3.140373194690726, -4.090824534695841}},
    {false,
     1,
     "first",
     1,
     {0.949108329918646, 0.314949802474995, 0.000000000000000},
     {-0.654591428069296, 1.975246184479896, 0.000000000000000}},
};

static const char *const TREATMENTS[] = {"multipliers", "reduced", "projected", "minimal"};

static scene open_scheme(const char *model, bool consistent, const char *treatment)
{
    const olo_setting settings[] = {
        {"run.scheme", consistent ? "energy-momentum" : "energy-momentum-2006"}};
    return scene_open_set(model, treatment, settings, 1);
}

static void check_states(const char *model, double h, int count, const state_value *values)
{
    for (size_t t = 0; t < sizeof TREATMENTS / sizeof *TREATMENTS; t++)
        for (int i = 0; i < count; i++) {
            const state_value *x = &values[i];
            scene s = open_scheme(model, x->consistent, TREATMENTS[t]);
            scene_run(&s, h, x->steps);
            const double *q = scene_q(&s, x->node) + 3 * x->slot,
                         *v = scene_v(&s, x->node) + 3 * x->slot;
            /* v1 = 2 dq/h - v0 of the published scheme accumulates the rounding of dq over h */
            const double rounded = x->steps > 1 ? 5e-12 : 1e-12;
            for (int k = 0; k < 3; k++) {
                check_close(x->q[k], q[k], 1e-12);
                check_close(x->v[k], v[k], x->consistent ? 1e-12 : rounded);
            }
            scene_close(&s);
        }
}

#define COUNT(x) (int)(sizeof(x) / sizeof *(x))

TEST(three_points_on_rods)
{
    check_states(POINTS, 0.02, COUNT(POINTS_50), POINTS_50);
    check_states(POINTS, 0.01, COUNT(POINTS_100), POINTS_100);
}

TEST(heavy_top)
{
    check_states(TOP, 0.01, COUNT(TOP_STATES), TOP_STATES);
}

TEST(plate_without_extent_along_a_director)
{
    check_states(PLATE, 0.01, COUNT(PLATE_STATES), PLATE_STATES);
}

TEST(chain_of_three_hinges)
{
    check_states(HINGES, 0.01, COUNT(HINGE_STATES), HINGE_STATES);
}

/* `multipliers` solves for dq, v1 and both multipliers; the others for the motion alone. */
TEST(unknowns_of_the_treatments)
{
    static const int expected[2][4] = {{12, 6, 9, 6}, {24, 6, 9, 6}};
    for (int i = 0; i < 2; i++)
        for (int t = 0; t < COUNT(TREATMENTS); t++) {
            olo_error error = {0};
            int unknowns = 0;
            scene s = open_scheme(POINTS, i == 1, TREATMENTS[t]);
            check_ok(olo_run_unknowns(s.system, &s.run, &unknowns, &error), &error);
            check_equal(expected[i][t], unknowns);
            scene_close(&s);
        }
}

/* Constraints by penalties have no rows: both schemes take the same steps. */
TEST(without_rows_both_schemes_are_the_same)
{
    static const char *const treatments[] = {"penalty", "augmented"};
    for (int t = 0; t < COUNT(treatments); t++) {
        scene a = open_scheme(POINTS, false, treatments[t]),
              b = open_scheme(POINTS, true, treatments[t]);
        scene_run(&a, 0.002, 20);
        scene_run(&b, 0.002, 20);
        for (int i = 0; i < a.system->n; i++) {
            check_true(a.state->q[i] == b.state->q[i]);
            check_true(a.state->v[i] == b.state->v[i]);
        }
        scene_close(&a);
        scene_close(&b);
    }
}

/* The wrench of the joint of node k from the multipliers of its rows, -h sum factor d. */
static void sum_rows(const scene *s, int k, const olo_interval *x, const double *factor, double *W)
{
    const olo_node *node = &s->system->nodes[k];
    const olo_group *group = &s->system->groups[s->system->topology->nodes[k].joint.group];
    double own[OLO_NODE_SIZE_MAX] = {0}, d[OLO_FORM_SIZE_MAX];
    for (int c = group->first; c < group->first + group->count; c++) {
        const olo_constraint *row = &s->system->constraints[c];
        row->type->discrete(row, x, d, NULL);
        for (int i = 0; i < row->size; i++)
            if (row->index[i] >= node->q && row->index[i] < node->q + node->type->size)
                own[row->index[i] - node->q] -= x->h * factor[c] * d[i];
    }
    node->type->add_wrench(x->qm + node->q, own, W);
}

/* Joint wrenches of `reduced` after a step belong to lambda = mu + 2 gamma/h, as `multipliers` has
 * it, up to h sum gamma a, a fraction of order h of the difference. */
TEST(joint_wrenches_belong_to_lambda)
{
    const double h = 0.001;
    char model[4096];
    double q0[36], work[72];
    olo_interval x;
    snprintf(model, sizeof model, "%srods: {name: tie, between: [ground, third.tip]}\n", HINGES);
    scene a = open_scheme(model, true, "multipliers"), b = open_scheme(model, true, "reduced");
    scene_run(&a, h, 2);
    scene_run(&b, h, 3);
    check_equal(36, a.system->n);
    memcpy(q0, a.state->q, sizeof q0);
    const double t = a.state->t;
    scene_run(&a, h, 1);
    olo_interval_set(&x, a.system->n, q0, a.state->q, h, t, work);
    x.angles = a.state->angles;
    for (int k = 0; k < a.system->node_count; k++) {
        double W[6] = {0}, difference[6] = {0}, error = 0, size = 0;
        const double *got = olo_last_wrenches(b.state) + a.system->nodes[k].motion;
        sum_rows(&a, k, &x, a.state->lambda, W);
        sum_rows(&a, k, &x, a.stepper->step.gamma, difference);
        for (int i = 0; i < 6; i++) {
            error = larger(error, fabs(got[i] - W[i]));
            size = larger(size, 2 / h * fabs(difference[i]));
        }
        print_message("wrench %.1e, error %.1e, 2 gamma/h %.1e\n", fabs(W[0]), error, size);
        check_below(error, 0.05 * size);
    }
    scene_close(&a);
    scene_close(&b);
}

/* --- the rate of a row over an interval --- */

static double next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* f1 - f0 = a.dq + d.(v1 - v0) - (f'(t1) - f'(t0)) for any configurations and velocities. */
static void check_rate_identity(const char *model)
{
    scene s = scene_open(model, "reduced");
    const int n = s.system->n;
    double q[2][800], v[2][800], work[1600];
    unsigned seed = 7;
    check_true(n <= 800);
    for (int i = 0; i < n; i++) {
        const double size = s.system->coordinates[i].slot == 0 ? s.system->length_scale : 1.0;
        q[0][i] = s.system->q0[i] + 0.05 * size * next_random(&seed);
        q[1][i] = q[0][i] + 0.2 * size * next_random(&seed);
        v[0][i] = size * next_random(&seed);
        v[1][i] = size * next_random(&seed);
    }
    olo_interval x;
    olo_interval_set(&x, n, q[0], q[1], 0.1, 0.3, work);
    x.angles = s.state->angles;
    const olo_at start = {.q = q[0], .angles = x.angles, .t = x.t},
                 end = {.q = q[1], .angles = x.angles, .t = x.t + x.h};
    const olo_end_velocities both = {.v0 = v[0], .v1 = v[1]};
    for (int c = 0; c < s.system->m; c++) {
        const olo_constraint *row = &s.system->constraints[c];
        double d[OLO_FORM_SIZE_MAX], a[OLO_FORM_SIZE_MAX], g[OLO_FORM_SIZE_MAX], size = 0;
        olo_constraint_gradient(row, &start, g);
        const double f0 = olo_rate_value(row, &start, g, v[0]);
        olo_constraint_gradient(row, &end, g);
        double change = olo_rate_value(row, &end, g, v[1]) - f0 + olo_rate_advance(row, &x);
        row->type->discrete(row, &x, d, NULL);
        olo_rate_gradient(row, &x, &both, a);
        for (int i = 0; i < row->size; i++) {
            const int k = row->index[i];
            change -= a[i] * x.dq[k] + d[i] * (v[1][k] - v[0][k]);
            size += fabs(a[i] * x.dq[k]) + fabs(d[i] * (v[1][k] - v[0][k]));
        }
        check_below(fabs(change), 1e-13 * (1 + size));
    }
    scene_close(&s);
}

TEST(rates_of_rows_have_an_exact_difference)
{
    static const char *const models[] = {"six-body-linkage", "gear-train",     "screw-press",
                                         "cardan-shaft",     "rolling-disc",   "rolling-ball",
                                         "slider-crank",     "robot-6r-driven"};
    for (int i = 0; i < COUNT(models); i++)
        check_rate_identity(models[i]);
}

/* --- conservation --- */

/* Every model of the catalogue without contacts and events, at half, once and twice its step. */
TEST(all_laws_hold_on_the_whole_catalogue)
{
    olo_catalogue *catalogue = NULL;
    olo_error error = {0};
    check_ok(olo_catalogue_open(&catalogue, &error), &error);
    for (int i = 0; i < olo_catalogue_count(catalogue); i++)
        for (int k = -1; k <= 1; k++) {
            const olo_setting scheme = {"run.scheme", "energy-momentum"};
            const char *name = olo_catalogue_name(catalogue, i);
            print_message("%s\n", name);
            olo_model *model = NULL;
            olo_system *system = NULL;
            check_ok(olo_model_read(name, NULL, 0, &model, &error), &error);
            check_ok(olo_model_compile(model, &system, &error), &error);
            const bool skipped = system->contact_count > 0 || system->event_count > 0;
            olo_system_free(system);
            olo_model_free(model);
            if (skipped)
                break;
            scene s = scene_open_set(name, "reduced", &scheme, 1);
            check_laws(&s, ldexp(s.run.step, k), 24);
            scene_close(&s);
        }
    olo_catalogue_free(catalogue);
}

TEST(momenta_are_exact)
{
    static const char *const models[] = {"free-body",   "revolute-pair", "cylindrical-pair",
                                         "planar-pair", "flying-beam",   "heavy-top"};
    for (int i = 0; i < COUNT(models); i++) {
        scene s = open_scheme(models[i], true, "reduced");
        check_below(scene_drift_of(&s, s.run.step, 100, true), 1e-11);
        scene_close(&s);
    }
}

/* Predicted motions of a top differ from the solution by almost round-off, in the same direction
 * for many steps: what a step that ends early leaves adds up (1.7e-13 after 3000 steps). */
TEST(errors_of_steps_do_not_add_up)
{
    scene s = open_scheme("heavy-top", true, "reduced");
    check_below(scene_drift(&s, s.run.step, 3000), 5e-14);
    scene_close(&s);
}

/* The equations of all treatments have the same solution. */
/* Updates of a system without motion are the squares of rounding errors. */
TEST(what_cannot_move_stays_at_rest)
{
    static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
    static const char RIGID[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 1.5, inertia: [0.1, 0.12, 0.19], center: [0.06, -0.22, -0.3],\n"
        "     position: [-0.98, -0.47, 0.185], rotation: {axis: [0.91, 0.06, 0.4], angle: 1.9}}\n"
        "  - {name: b, mass: 1.3, inertia: [0.17, 0.124, 0.2], center: [-0.17, -0.09, 0.18],\n"
        "     position: [-1.12, -0.87, -0.65]}\n"
        "joints:\n"
        "  - {name: foot, type: rigid, between: [ground, a], at: [-0.77, -0.16, 0.33]}\n"
        "  - {name: weld, type: rigid, between: [a, b], at: [-0.81, -0.64, -0.36]}\n";
    for (size_t i = 0; i < sizeof treatments / sizeof *treatments; i++) {
        scene s = open_scheme(RIGID, true, treatments[i]);
        scene_run(&s, 1e-3, 20);
        for (int k = 0; k < s.system->n; k++)
            check_close(s.system->q0[k], s.state->q[k], 1e-15);
        scene_close(&s);
    }
}

TEST(treatments_agree)
{
    static const char *const models[] = {"revolute-pair", "six-body-linkage", "gear-train",
                                         "cardan-shaft",  "rolling-disc",     "sliding-top"};
    for (int i = 0; i < COUNT(models); i++) {
        scene a = open_scheme(models[i], true, "multipliers");
        scene_run(&a, a.run.step, 8);
        for (int t = 1; t < COUNT(TREATMENTS); t++) {
            scene b = open_scheme(models[i], true, TREATMENTS[t]);
            scene_run(&b, b.run.step, 8);
            const int n = a.system->n;
            check_below(scene_distance(n, olo_state_configuration(a.state),
                                       olo_state_configuration(b.state)),
                        1e-11 * (1 + a.system->length_scale));
            check_below(scene_distance(n, olo_state_velocity(a.state), olo_state_velocity(b.state)),
                        1e-9 * (1 + a.system->length_scale));
            scene_close(&b);
        }
        scene_close(&a);
    }
}

/* A top turns by half a radian per step: no step is halved, and all treatments have its motion. */
TEST(treatments_agree_on_a_fast_top)
{
    scene a = open_scheme("heavy-top", true, "multipliers");
    scene_run(&a, 0.01, 50);
    for (int t = 1; t < COUNT(TREATMENTS); t++) {
        scene b = open_scheme("heavy-top", true, TREATMENTS[t]);
        scene_run(&b, 0.01, 50);
        check_equal(0, b.halvings);
        check_below(scene_distance(a.system->n, olo_state_configuration(a.state),
                                   olo_state_configuration(b.state)),
                    1e-11);
        check_below(normal_share(&b), 1e-20);
        scene_close(&b);
    }
    scene_close(&a);
}

/* Bodies turn by 0.3 to 1.6 per step. Newton's method, which lacks terms of the size (h w)^2 in its
 * tangent, took 9.0 and 9.8 iterations per step before its updates were mixed. */
TEST(fast_rotations_take_few_iterations)
{
    static const char *const models[] = {"six-body-linkage", "revolute-pair"};
    for (int i = 0; i < COUNT(models); i++) {
        scene s = open_scheme(models[i], true, "reduced");
        scene_run(&s, 0.01, 100);
        check_equal(0, s.halvings);
        check_below((double)s.iterations / 100, 8);
        scene_close(&s);
    }
}

/* Iterations per step after the first 20 steps. Velocities of prescribed motions do not follow
 * updates, which prolonged the iteration as long as this counted (3 iterations); the predictor
 * extrapolates smooth motions from up to ten of them (slider-crank-rigid and sliding-top, 3 from
 * six); a beam with stiff joints needs a new tangent in the second iteration, since that of the
 * predicted motion contracts slowly (5.8); packs close joints that turn far by themselves, without
 * another iteration (6.0). */
TEST(steps_take_no_more_iterations_than_they_need)
{
    static const struct {
        const char *model;
        double most;
    } cases[] = {{"quarter-car", 2.1},      {"slider-crank-rigid", 2.2}, {"sliding-top", 2.6},
                 {"beam-with-masses", 3.6}, {"flexible-arm", 1.2}, /* at rest */
                 {"cylindrical-pair", 5.3}};
    for (int i = 0; i < COUNT(cases); i++) {
        scene s = open_scheme(cases[i].model, true, "reduced");
        scene_run(&s, s.run.step, 20);
        const long before = s.iterations;
        scene_run(&s, s.run.step, 40);
        check_equal(0, s.halvings);
        check_below((double)(s.iterations - before) / 40, cases[i].most);
        scene_close(&s);
    }
}

/* A chain that whips: the published scheme loses a part of its kinetic energy to velocities normal
 * to the constraints. */
TEST(no_energy_leaves_the_motion_of_a_chain)
{
    const olo_setting settings[] = {{"n", "60"}, {"run.scheme", "energy-momentum"}};
    scene s = scene_open_set("chain", "reduced", settings, 2);
    check_below(scene_drift_of(&s, 0.002, 600, true), 1e-11);
    check_below(normal_share(&s), 1e-20);
    scene_close(&s);
}

/* Everything that the next step reads is in the state: another stepper continues to the same bits.
 */
TEST(a_run_continues_to_the_same_bits)
{
    static const char *const models[] = {"six-body-linkage", "chain", "rolling-disc"};
    for (int i = 0; i < COUNT(models); i++)
        for (int t = 0; t < COUNT(TREATMENTS); t++) {
            scene a = open_scheme(models[i], true, TREATMENTS[t]);
            scene b = open_scheme(models[i], true, TREATMENTS[t]);
            if (a.system->n > 100 && t > 1) { /* dense treatments take long */
                scene_close(&a);
                scene_close(&b);
                continue;
            }
            scene_run(&a, a.run.step, 5);
            olo_state_copy(a.state, b.state);
            scene_run(&a, a.run.step, 5);
            scene_run(&b, b.run.step, 5);
            const size_t size = (size_t)a.system->n * sizeof(double);
            check_true(memcmp(olo_state_configuration(a.state), olo_state_configuration(b.state),
                              size) == 0);
            check_true(memcmp(olo_state_velocity(a.state), olo_state_velocity(b.state), size) == 0);
            scene_close(&a);
            scene_close(&b);
        }
}

/* --- step sizes by a tolerance --- */

static void run_with(const char *tolerance, const char *order, double *q, double *v)
{
    const olo_setting settings[] = {{"run.scheme", "energy-momentum"},
                                    {"run.tolerance", tolerance},
                                    {"run.order", order},
                                    {"run.step", "0.0005"}};
    scene s = scene_open_set("heavy-top", "reduced", settings, 4);
    olo_error error = {0};
    while (olo_state_time(s.state) < 0.2 - 1e-12)
        if (s.run.tolerance > 0)
            check_ok(olo_stepper_step_adaptive(s.stepper, s.state, 0.2 - olo_state_time(s.state),
                                               &error),
                     &error);
        else
            scene_run(&s, 0.0005, 1);
    memcpy(q, olo_state_configuration(s.state), 12 * sizeof *q);
    memcpy(v, olo_state_velocity(s.state), 12 * sizeof *v);
    scene_close(&s);
}

TEST(a_tolerance_holds_for_velocities)
{
    static const char *const tolerances[] = {"1e-4", "1e-6", "1e-8", "1e-4", "1e-6", "1e-8"};
    double q[12], v[12], exact_q[12], exact_v[12];
    run_with("0", "6", exact_q, exact_v);
    for (int i = 0; i < COUNT(tolerances); i++) {
        run_with(tolerances[i], i < 3 ? "4" : "6", q, v);
        double speed = 0, wrong_v = 0, wrong_q = 0;
        for (int k = 0; k < 12; k++) {
            speed = larger(speed, fabs(exact_v[k]));
            wrong_v = larger(wrong_v, fabs(v[k] - exact_v[k]));
            wrong_q = larger(wrong_q, fabs(q[k] - exact_q[k]));
        }
        print_message("tolerance %s: q %.1e, v %.1e of the largest\n", tolerances[i], wrong_q,
                      wrong_v / speed);
        check_below(wrong_q, 30 * strtod(tolerances[i], NULL));
        check_below(wrong_v / speed, 30 * strtod(tolerances[i], NULL));
    }
}

TEST_MAIN(cmocka_unit_test(three_points_on_rods), cmocka_unit_test(heavy_top),
          cmocka_unit_test(plate_without_extent_along_a_director),
          cmocka_unit_test(chain_of_three_hinges), cmocka_unit_test(unknowns_of_the_treatments),
          cmocka_unit_test(without_rows_both_schemes_are_the_same),
          cmocka_unit_test(joint_wrenches_belong_to_lambda),
          cmocka_unit_test(rates_of_rows_have_an_exact_difference),
          cmocka_unit_test(all_laws_hold_on_the_whole_catalogue),
          cmocka_unit_test(momenta_are_exact), cmocka_unit_test(errors_of_steps_do_not_add_up),
          cmocka_unit_test(what_cannot_move_stays_at_rest), cmocka_unit_test(treatments_agree),
          cmocka_unit_test(treatments_agree_on_a_fast_top),
          cmocka_unit_test(fast_rotations_take_few_iterations),
          cmocka_unit_test(steps_take_no_more_iterations_than_they_need),
          cmocka_unit_test(no_energy_leaves_the_motion_of_a_chain),
          cmocka_unit_test(a_run_continues_to_the_same_bits),
          cmocka_unit_test(a_tolerance_holds_for_velocities))
