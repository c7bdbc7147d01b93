/* The beam with concentrated masses of the beam sheet (17, 18; thesis-methods 3.3): published and independently computed
 * numbers, conservation, agreement of the treatments, penalty and augmented Lagrange, condition numbers. */
#include "scene.h"

#include "linalg/vec3.h"
#include "stepping/registry.h"

static scene open_set(const char *constraints, int count, const olo_setting *settings)
{
    return scene_open_set("beam-with-masses", constraints, settings, count);
}

static void run_to(scene *s, double t)
{
    scene_run(s, s->run.step, lround((t - olo_state_time(s->state)) / s->run.step));
}

static void check_vector(const double expected[3], const double *got, double tolerance)
{
    for (int i = 0; i < 3; i++)
        check_close(expected[i], got[i], tolerance);
}

/* --- counts (thesis, table 5.2) --- */

TEST(table_5_2_unknowns)
{
    scene s = scene_open("beam-with-masses", NULL);
    olo_counts counts;
    olo_error error = {0};
    check_ok(olo_system_counts(s.system, &counts, &error), &error);
    check_equal(276, counts.coordinates);
    check_equal(138, counts.constraints);
    check_equal(138, counts.rank);
    check_equal(138, counts.unknowns_reduced);
    check_equal(414, counts.unknowns_multipliers);
    check_equal(276, olo_treatment_unknowns("penalty", &counts));
    check_equal(276, olo_treatment_unknowns("augmented", &counts));
    check_equal(0, counts.bodies);
    check_equal(1, counts.beams);
    check_equal(23, counts.sections);
    scene_close(&s);
}

/* --- 18.3: h = 0.01 --- */

typedef struct row {
    double t, kinetic, strain;
    double left[3], middle[3], right[3];
} row;

static const row rows[] = {
    {0.10,
     1.325304640e-4,
     3.2891789e-6,
     {2.012769e-6, 1.342e-8, 1.075e-8},
     {1.000001895921, 2.85093949e-4, 2.28105461e-4},
     {2.000000843741, -5.0036056e-5, 3.1291490e-5}},
    {0.25,
     0.0132926686705,
     0.0005969330673,
     {0.000136839926, -3.221168e-6, -2.571665e-6},
     {1.000050576954, 0.008017261548, 0.006408566114},
     {1.999948535657, -0.001484587870, 0.000924569951}},
    {0.50,
     0.0517531635440,
     0.0020458555268,
     {0.002823144531, -0.000101305445, -0.000080640373},
     {1.000404238146, 0.048755329055, 0.038596626746},
     {1.997742938574, -0.010078299972, 0.006091178107}},
    {1.0,
     0.0398020057174,
     0.0139970133533,
     {0.017930532492, 0.000990245644, 0.000714145414},
     {1.002039852528, 0.127043405372, 0.103055320043},
     {1.983657146437, -0.028883122376, 0.019070851058}},
    {2.0,
     0.0165353648193,
     0.0372636542514,
     {0.048664111898, 0.008755185387, 0.005877818191},
     {1.006589427177, 0.197260630145, 0.175133155383},
     {1.954791637182, -0.061027513460, 0.048767386932}},
    {5.0,
     0.0533662639582,
     0.0004327551124,
     {0.012553857903, 0.067204119822, 0.037210136938},
     {1.005900398303, -0.027257066085, 0.102783168693},
     {1.998430753540, -0.134003379067, 0.160839953577}},
    {15,
     0.0477774023535,
     0.0060216167171,
     {0.091394070153, 0.206122769017, 0.125424931171},
     {1.002163634742, -0.182567426832, 0.252939464542},
     {1.944846429613, -0.400838672197, 0.498294266155}},
    {25,
     0.0364101370610,
     0.0173888820099,
     {0.233005532610, 0.318233398369, 0.227943681517},
     {0.983428956250, -0.309696586284, 0.415933101257},
     {1.830440805281, -0.644747304429, 0.819586517250}},
};

static void check_row(scene *s, const row *x, double length, double energy)
{
    olo_ledger ledger = scene_ledger(s);
    check_close(x->kinetic, ledger.kinetic, energy);
    check_close(x->strain, ledger.strain, energy);
    check_vector(x->left, scene_q(s, "beam.start"), length);
    check_vector(x->middle, scene_q(s, "beam.12"), length);
    check_vector(x->right, scene_q(s, "beam.end"), length);
}

TEST(motion_and_energies_are_those_of_the_sheet)
{
    scene s = scene_open("beam-with-masses", "reduced");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_to(&s, rows[i].t);
        check_row(&s, &rows[i], 1e-8, 1e-9);
    }
    check_true((double)s.iterations / 2500 < 5);
    check_equal(0, s.halvings);
    scene_close(&s);
}

TEST(stress_resultants_are_those_of_the_sheet)
{
    static const struct {
        double t;
        int element;
        double stress[6];
    } expected[] = {
        {0.5, 11, {0.0454810, 0.0175191, 1.0696554, 0.0161123436, -0.0249956927, -3.794e-6}},
        {1, 6, {0.0672177, 0.0413512, 0.3830401, 0.0227731708, -0.0300394916, -3.724e-6}},
        {1, 11, {0.1157495, 0.0609692, 0.3631377, 0.0452005998, -0.0716205397, -1.1191e-5}},
        {1, 17, {-0.0678211, -0.0420127, 0.3803497, 0.0206932600, -0.0307838816, 1.416e-6}},
        {2, 11, {-0.0040511, -0.0195551, -0.4346486, 0.0547736230, -0.0839265318, -1.8376e-5}},
    };
    scene s = scene_open("beam-with-masses", "reduced");
    check_equal(22, olo_system_beam_points(s.system, 0));
    check_close(10.5 / 11, olo_system_beam_station(s.system, 0, 10), 1e-14);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double strain[6], stress[6];
        static const double D[6] = {1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769};
        run_to(&s, expected[i].t);
        olo_system_beam_stress(s.system, s.state, 0, expected[i].element - 1, strain, stress);
        for (int k = 0; k < 6; k++) {
            check_close(expected[i].stress[k], stress[k], k < 3 ? 1e-5 : 1e-7);
            check_close(D[k] * strain[k], stress[k], 1e-12);
        }
    }
    scene_close(&s);
}

/* Colour measure |n| + 10 |m| of the snapshots, the largest over the elements (thesis-methods 3.3, placement 12, 23). */
TEST(snapshots_have_the_colours_of_the_sheet)
{
    static const double t[6] = {2.5, 7.5, 12.5, 17.5, 22.5, 25},
                        colour[6] = {1.48, 1.66, 1.53, 1.51, 1.51, 0.89};
    scene s = scene_open("beam-with-masses", "reduced");
    for (int i = 0; i < 6; i++) {
        double most = 0, stress[6];
        run_to(&s, t[i]);
        for (int p = 0; p < 22; p++) {
            olo_system_beam_stress(s.system, s.state, 0, p, NULL, stress);
            most = fmax(most, vec3_norm(stress) + 10 * vec3_norm(stress + 3));
        }
        check_close(colour[i], most, 0.0051);
    }
    scene_close(&s);
}

/* --- conservation --- */

TEST(energy_and_momenta_stay_after_the_load)
{
    static const double L[3] = {1.5972e-7, -0.6975477292, -0.5540574901},
                        P[3] = {0.025, -0.15, 0.45};
    scene s = scene_open("beam-with-masses", "reduced");
    run_to(&s, 0.5);
    olo_ledger first = scene_ledger(&s);
    check_close(0.0537990190708, first.total, 1e-11);
    check_close(first.work, first.total, 1e-14);
    check_vector(P, first.linear_momentum, 1e-13);
    check_vector(L, first.angular_momentum, 1e-9);
    double energy = 0, angular = 0, linear = 0, constraint = 0, velocity = 0;
    for (int i = 0; i < 2450; i++) {
        scene_run(&s, 0.01, 1);
        olo_ledger now = scene_ledger(&s);
        double dL[3], dP[3];
        vec3_subtract(now.angular_momentum, first.angular_momentum, dL);
        vec3_subtract(now.linear_momentum, first.linear_momentum, dP);
        energy = fmax(energy, fabs(now.total / first.total - 1));
        angular = fmax(angular, vec3_norm(dL) / vec3_norm(first.angular_momentum));
        linear = fmax(linear, vec3_norm(dP) / vec3_norm(first.linear_momentum));
        constraint = fmax(constraint, now.constraint_error);
        if (i == 749)
            check_close(1.6e-4, fmax(velocity, now.velocity_error), 1.6e-4); /* to t = 8 */
        velocity = fmax(velocity, now.velocity_error);
    }
    check_below(energy, 1e-12);
    check_below(angular, 1e-12);
    check_below(linear, 1e-12);
    check_below(constraint, 1e-14);
    check_below(velocity, 4e-3); /* 3.5e-3 at the end: velocities are not projected */
    scene_close(&s);
}

TEST(time_can_be_turned_around)
{
    scene s = scene_open("beam-with-masses", "reduced");
    run_to(&s, 0.5);
    double *q = malloc((size_t)s.system->n * sizeof *q), position = 0, director = 0;
    memcpy(q, olo_state_q(s.state), (size_t)s.system->n * sizeof *q);
    scene_run(&s, 0.01, 100);
    olo_state_reverse(s.state);
    olo_state_set_time(s.state, 1); /* the load is over */
    scene_run(&s, 0.01, 100);
    for (int i = 0; i < s.system->n; i++) {
        double apart = fabs(q[i] - olo_state_q(s.state)[i]);
        if (s.system->coordinates[i].slot == 0)
            position = fmax(position, apart);
        else
            director = fmax(director, apart);
    }
    check_below(position, 1e-12);
    check_below(director, 1e-9); /* rotation about the axis has almost no inertia */
    free(q);
    scene_close(&s);
}

TEST(planar_loads_keep_the_beam_in_its_plane)
{
    static const double left[2] = {0.035552699397, 0.008322776041},
                        middle[2] = {1.009890841666, 0.204354006779},
                        right[2] = {1.967464368162, -0.061477229194};
    static const char *const text =
        "name: planar\n"
        "beams:\n"
        "  - {name: beam, elements: 22, to: [2, 0, 0], inertia: [0.27, 9e-8, 9e-8],\n"
        "     stiffness: [1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769]}\n"
        "masses:\n"
        "  - {on: beam.start, mass: 10}\n"
        "  - {on: beam.middle, mass: 1}\n"
        "  - {on: beam.end, mass: 10}\n"
        "loads:\n"
        "  - {on: beam.12, force: [1.3, 1, 0], time: 'if(t <= 0.5, 0.5*(1 - cos(4*pi*t)), 0)'}\n"
        "  - {on: beam.23, force: [-1.2, -1.6, 0], time: 'if(t <= 0.5, 0.5*(1 - cos(4*pi*t)), "
        "0)'}\n";
    for (int plane = 0; plane < 2; plane++) {
        char whole[2048];
        snprintf(whole, sizeof whole, "%s%s", text, plane ? "plane: xy\n" : "");
        scene s = scene_open(whole, "reduced");
        scene_run(&s, 0.01, 200);
        olo_ledger ledger = scene_ledger(&s);
        check_close(0.0343521134317, ledger.total, 1e-10);
        check_close(0.0268173023458, ledger.strain, 1e-10);
        check_close(-0.554092944917, ledger.angular_momentum[2], 1e-9);
        for (int i = 0; i < 2; i++) {
            check_close(left[i], scene_q(&s, "beam.1")[i], 1e-9);
            check_close(middle[i], scene_q(&s, "beam.12")[i], 1e-9);
            check_close(right[i], scene_q(&s, "beam.23")[i], 1e-9);
        }
        for (int k = 0; k < s.system->node_count; k++) {
            const double *q = olo_state_q(s.state) + s.system->nodes[k].q;
            check_close(0, q[2], 1e-15);
            check_close(1, q[8], 1e-15); /* d2 = e3 */
        }
        scene_close(&s);
    }
}

/* --- 18.6: placements of the loads --- */

TEST(all_placements_have_the_energies_of_the_sheet)
{
    static const struct {
        const char *f1, *f2;
        double energy, strain, L2, L3, middle[3], right[3];
    } variants[] = {
        {"1",
         "23",
         0.0162866110,
         0.0001890322,
         -0.5000778832,
         -0.8010388155,
         {1.001013838, 4.98992e-5, -1.599840e-4},
         {2.000363716, -0.029744011, 0.018579197}},
        {"23",
         "1",
         0.0160917419,
         0.0001354024,
         -0.4000787054,
         0.4989536325,
         {1.000725015, -2.676233e-4, 8.040537e-4},
         {2.000422728, 0.018566830, 0.014794895}},
        {"1",
         "12",
         0.0969465714,
         0.0259872618,
         -0.2530145163,
         -0.4054852475,
         {1.000048169, -0.192010219, 0.121614072},
         {1.969402231, -0.002307978, 0.001376399}},
        {"12",
         "23",
         0.0537990191,
         0.0139970134,
         -0.6975477292,
         -0.5540574901,
         {1.002039853, 0.127043405, 0.103055320},
         {1.983657146, -0.028883122, 0.019070851}},
        {"12",
         "1",
         0.0509691010,
         0.0132690994,
         -0.1976898683,
         0.2458096841,
         {0.999670022, 0.123502932, 0.101353991},
         {1.984480769, 0.000938907, 0.000660562}},
        {"23",
         "12",
         0.0910006058,
         0.0245735102,
         -0.6527955684,
         0.0943565772,
         {1.002025416, -0.187067070, 0.119199478},
         {1.970514128, 0.015838942, 0.016294099}},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const olo_setting set[2] = {{"f1", variants[i].f1}, {"f2", variants[i].f2}};
        scene s = open_set("reduced", 2, set);
        run_to(&s, 1);
        olo_ledger ledger = scene_ledger(&s);
        check_close(variants[i].energy, ledger.total, 1e-10);
        check_close(variants[i].strain, ledger.strain, 1e-9);
        check_close(variants[i].L2, ledger.angular_momentum[1], 1e-8);
        check_close(variants[i].L3, ledger.angular_momentum[2], 1e-8);
        check_vector(variants[i].middle, scene_q(&s, "beam.12"), 2e-9);
        check_vector(variants[i].right, scene_q(&s, "beam.23"), 2e-9);
        scene_close(&s);
    }
}

/* thesis-methods 3.3: loads at the end and in the middle, origin in the middle */
TEST(the_placement_of_the_thesis_sheet)
{
    static const olo_setting set[3] = {{"f1", "1"}, {"f2", "12"}, {"start", "-1"}};
    static const double L[3] = {-3.196e-7, 0.1969854837, -0.2554852475};
    static const double end[3][3] = {
        {-0.7978, 0.1634, 0.7520}, {-0.0296, -0.4539, 0.6825}, {0.8629, -0.4709, 0.2603}};
    scene s = open_set("reduced", 3, set);
    run_to(&s, 0.5);
    olo_ledger ledger = scene_ledger(&s);
    check_close(0.096946571401, ledger.total, 1e-11);
    check_close(0.0928301511, ledger.kinetic, 1e-10);
    check_close(0.0041164203, ledger.strain, 1e-10);
    check_vector(L, ledger.angular_momentum, 1e-9);
    run_to(&s, 1);
    check_close(0.0259872618, scene_ledger(&s).strain, 1e-10);
    run_to(&s, 25);
    check_relative(ledger.total, scene_ledger(&s).total, 1e-12);
    check_relative(0.0647567, scene_ledger(&s).strain, 1e-3);
    check_vector(end[0], scene_q(&s, "beam.1"), 2e-3);
    check_vector(end[1], scene_q(&s, "beam.12"), 2e-3);
    check_vector(end[2], scene_q(&s, "beam.23"), 2e-3);
    scene_close(&s);
}

/* Full quadrature locks (18.6, control). */
TEST(full_quadrature_locks)
{
    char text[2048];
    for (int full = 0; full < 2; full++) {
        snprintf(text, sizeof text,
                 "name: locks\n"
                 "beams:\n"
                 "  - {name: beam, elements: 22, to: [2, 0, 0], inertia: [0.27, 9e-8, 9e-8],\n"
                 "     stiffness: [1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769],\n"
                 "     quadrature: %s}\n"
                 "masses: [{on: beam.start, mass: 10}, {on: beam.middle, mass: 1},\n"
                 "         {on: beam.end, mass: 10}]\n"
                 "loads:\n"
                 "  - {on: beam.12, force: [1.3, 1, 0.8],\n"
                 "     time: 'if(t <= 0.5, 0.5*(1 - cos(4*pi*t)), 0)'}\n"
                 "  - {on: beam.23, force: [-1.2, -1.6, 1],\n"
                 "     time: 'if(t <= 0.5, 0.5*(1 - cos(4*pi*t)), 0)'}\n",
                 full ? "full" : "reduced");
        scene s = scene_open(text, "reduced");
        run_to(&s, 1);
        check_close(full ? 0.0107630914 : 0.0537990191, scene_ledger(&s).total, 1e-10);
        check_close(full ? 5.4e-9 : 0.0139970134, scene_ledger(&s).strain, full ? 5e-11 : 1e-9);
        scene_close(&s);
    }
}

/* --- convergence in time (18.4) --- */

TEST(second_order_in_time)
{
    static const char *const steps[3] = {"0.01", "0.005", "0.0025"};
    static const double energy[3] = {0.05379901907, 0.05379949802, 0.05379961705};
    static const double strain[3] = {0.0139970134, 0.0139887348, 0.0139867178};
    double V[3];
    for (int i = 0; i < 3; i++) {
        const olo_setting set[1] = {{"run.step", steps[i]}};
        scene s = open_set("reduced", 1, set);
        run_to(&s, 1);
        V[i] = scene_ledger(&s).strain;
        check_close(energy[i], scene_ledger(&s).total, 2e-11);
        check_close(strain[i], V[i], 1e-10);
        scene_close(&s);
    }
    check_close(4.1, (V[0] - V[1]) / (V[1] - V[2]), 0.2);
}

TEST(refined_meshes_have_the_energies_of_the_sheet)
{
    static const char *const elements[2] = {"44", "88"};
    static const double energy[2] = {0.0538446947, 0.0538561451},
                        strain[2] = {0.0140594279, 0.0140764793};
    for (int i = 0; i < 2; i++) {
        const olo_setting set[1] = {{"n", elements[i]}};
        scene s = open_set("reduced", 1, set);
        run_to(&s, 1);
        check_close(energy[i], scene_ledger(&s).total, 1e-10);
        check_close(strain[i], scene_ledger(&s).strain, 1e-9);
        scene_close(&s);
    }
}

/* --- treatments --- */

TEST(multipliers_move_as_the_null_space)
{
    scene a = scene_open("beam-with-masses", "reduced");
    scene b = scene_open("beam-with-masses", "multipliers");
    /* multipliers of node 2 over the step to t = 1 (18.3) */
    static const double lambda[6] = {-1.5630e-5, -1.0563e-5,  -0.0388934,
                                     -1.2849e-5, -0.00258317, -0.00210923};
    double apart = 0;
    for (int i = 0; i < 200; i++) {
        scene_run(&a, 0.01, 1);
        scene_run(&b, 0.01, 1);
        apart = fmax(apart, scene_apart(&a, &b));
        if (i == 99)
            for (int k = 0; k < 6; k++)
                check_close(lambda[k], olo_state_multipliers(b.state)[6 + k],
                            2e-3 * fabs(lambda[k]) + 1e-7);
    }
    check_below(apart, 1e-10);
    check_below(scene_ledger(&b).constraint_error, 1e-13);
    scene_close(&a);
    scene_close(&b);
}

/* ||g|| over all nodes and of one. */
static double constraint_norm(const scene *s, int first, int count)
{
    double sum = 0;
    olo_at at = {.q = olo_state_q(s->state), .t = olo_state_time(s->state)};
    for (int i = first; i < first + count; i++)
        sum += pow(olo_constraint_value(&s->system->constraints[i], &at), 2);
    return sqrt(sum);
}

TEST(penalty_errors_fall_with_the_parameter)
{
    static const struct {
        const char *mu;
        double all, second, middle, right;
    } expected[] = {
        {"1e3", 1.53e-4, 3.25e-5, 1.5e-4, 3.8e-5},  {"1e4", 8.69e-6, 1.85e-6, 1.24e-5, 3.2e-6},
        {"1e5", 8.40e-7, 1.79e-7, 1.21e-6, 3.1e-7}, {"1e6", 8.34e-8, 1.78e-8, 1.20e-7, 3.1e-8},
        {"1e7", 8.34e-9, 1.78e-9, 1.20e-8, 3.1e-9},
    };
    scene exact = scene_open("beam-with-masses", "reduced");
    run_to(&exact, 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const olo_setting set[1] = {{"run.penalty", expected[i].mu}};
        scene s = open_set("penalty", 1, set);
        run_to(&s, 0.5);
        olo_ledger first = scene_ledger(&s);
        double total = 0, plain = 0;
        while (olo_state_time(s.state) < 0.995) {
            scene_run(&s, 0.01, 1);
            olo_ledger now = scene_ledger(&s);
            total = fmax(total, fabs(now.total - first.total));
            plain = fmax(plain, fabs(now.kinetic + now.strain - first.kinetic - first.strain));
        }
        check_relative(expected[i].all, constraint_norm(&s, 0, s.system->m), 0.05);
        check_relative(expected[i].second, constraint_norm(&s, 6, 6), 0.05);
        check_relative(expected[i].middle,
                       scene_distance(3, scene_q(&s, "beam.12"), scene_q(&exact, "beam.12")), 0.08);
        check_relative(expected[i].right,
                       scene_distance(3, scene_q(&s, "beam.23"), scene_q(&exact, "beam.23")), 0.08);
        check_below(total, 1e-11);
        check_true(plain > 10 * total);
        scene_close(&s);
    }
    scene_close(&exact);
}

TEST(augmented_lagrange_needs_few_solutions)
{
    static const olo_setting set[2] = {{"run.penalty", "1e4"}, {"run.augmented_tolerance", "1e-7"}};
    scene s = open_set("augmented", 2, set);
    olo_error error = {0};
    int most = 0;
    long all = 0;
    for (int i = 0; i < 200; i++) {
        check_ok(olo_stepper_step(s.stepper, s.state, 0.01, &error), &error);
        int passes = olo_stepper_report(s.stepper)->passes;
        most = passes > most ? passes : most;
        all += passes;
    }
    check_true(most <= 5);
    check_true((double)all / 200 < 3.0); /* 2.2 on average over 5 s */
    scene_close(&s);
}

TEST(augmented_lagrange_reaches_its_tolerance)
{
    static const olo_setting set[2] = {{"run.penalty", "1e5"},
                                       {"run.augmented_tolerance", "1e-10"}};
    scene s = open_set("augmented", 2, set), exact = scene_open("beam-with-masses", "reduced");
    run_to(&s, 1);
    run_to(&exact, 1);
    check_below(scene_ledger(&s).constraint_error, 1e-10);
    check_below(scene_distance(3, scene_q(&s, "beam.12"), scene_q(&exact, "beam.12")), 1e-8);
    scene_close(&s);
    scene_close(&exact);
}

/* Thesis, table 5.2, with the numbers of 18.5 at the state of rest. */
TEST(table_5_2_condition_numbers)
{
    static const char *const steps[4] = {"1e-2", "1e-5", "1e-6", "1e-7"};
    static const struct {
        const char *constraints, *mu;
        double condition[4];
    } expected[] = {
        {"multipliers", NULL, {6.7e10, 2.0e11, 2.0e13, 2.1e15}},
        {"penalty", "1e5", {6.7e10, 7.2e9, 9.1e9, 2.6e10}},
        {"penalty", "1e10", {1.3e14, 7.2e9, 9.0e9, 9.8e9}},
        {"augmented", "1e5", {6.7e10, 7.2e9, 9.1e9, 2.6e10}},
        {"reduced", NULL, {3.4e10, 3.6e9, 4.5e9, 4.9e9}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (int k = 0; k < 4; k++) {
            const olo_setting set[2] = {{"run.step", steps[k]}, {"run.penalty", expected[i].mu}};
            scene s = open_set(expected[i].constraints, expected[i].mu ? 2 : 1, set);
            olo_error error = {0};
            double condition;
            scene_run(&s, s.run.step, 1);
            check_ok(olo_stepper_condition(s.stepper, &condition, &error), &error);
            print_message("%-12s %-5s h %-5s %.2e\n", expected[i].constraints,
                          expected[i].mu ? expected[i].mu : "", steps[k], condition);
            check_relative(expected[i].condition[k], condition, 0.06);
            scene_close(&s);
        }
}

TEST_MAIN(cmocka_unit_test(table_5_2_unknowns),
          cmocka_unit_test(motion_and_energies_are_those_of_the_sheet),
          cmocka_unit_test(stress_resultants_are_those_of_the_sheet),
          cmocka_unit_test(snapshots_have_the_colours_of_the_sheet),
          cmocka_unit_test(energy_and_momenta_stay_after_the_load),
          cmocka_unit_test(time_can_be_turned_around),
          cmocka_unit_test(planar_loads_keep_the_beam_in_its_plane),
          cmocka_unit_test(all_placements_have_the_energies_of_the_sheet),
          cmocka_unit_test(the_placement_of_the_thesis_sheet),
          cmocka_unit_test(full_quadrature_locks), cmocka_unit_test(second_order_in_time),
          cmocka_unit_test(refined_meshes_have_the_energies_of_the_sheet),
          cmocka_unit_test(multipliers_move_as_the_null_space),
          cmocka_unit_test(penalty_errors_fall_with_the_parameter),
          cmocka_unit_test(augmented_lagrange_needs_few_solutions),
          cmocka_unit_test(augmented_lagrange_reaches_its_tolerance),
          cmocka_unit_test(table_5_2_condition_numbers))
