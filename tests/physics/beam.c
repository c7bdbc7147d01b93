/* The beam with concentrated masses of the beam sheet (17, 18; thesis-methods 3.3): published and
 * independently computed numbers, conservation, convergence. The treatments are in
 * beam_treatments_slow.c. */
#include "scene.h"

#include "linalg/vec3.h"
#include "stepping/registry.h"

static scene open_set(const char *constraints, int count, const olo_setting *settings)
{
    return scene_open_set("beam-with-masses", constraints, settings, count);
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
        scene_run_to(&s, rows[i].t);
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
    check_equal(22, olo_system_beam_point_count(s.system, 0));
    check_close(10.5 / 11, olo_system_beam_station(s.system, 0, 10), 1e-14);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double strain[6], stress[6];
        static const double D[6] = {1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769};
        scene_run_to(&s, expected[i].t);
        olo_system_beam_stress(s.system, s.state, 0, expected[i].element - 1, strain, stress);
        for (int k = 0; k < 6; k++) {
            check_close(expected[i].stress[k], stress[k], k < 3 ? 1e-5 : 1e-7);
            check_close(D[k] * strain[k], stress[k], 1e-12);
        }
    }
    scene_close(&s);
}

/* Colour measure |n| + 10 |m| of the snapshots, the largest over the elements, and the largest of
 * the whole run (thesis-methods 3.3). */
TEST(snapshots_have_the_colours_of_the_sheet)
{
    static const double t[6] = {2.5, 7.5, 12.5, 17.5, 22.5, 25};
    static const struct {
        const char *f1, *f2;
        double colour[6], most;
    } expected[] = {{"12", "23", {1.48, 1.66, 1.53, 1.51, 1.51, 0.89}, 2.19},
                    {"12", "1", {1.48, 1.52, 1.51, 1.47, 1.12, 1.08}, 1.88},
                    {"1", "23", {0.14, 0.08, 0.11, 0.06, 0.14, 0.11}, 1.25},
                    {"23", "1", {0.13, 0.07, 0.13, 0.03, 0.12, 0.10}, 1.28},
                    {"1", "12", {2.06, 2.19, 1.73, 1.46, 1.91, 1.91}, 5.62}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const olo_setting set[2] = {{"f1", expected[k].f1}, {"f2", expected[k].f2}};
        scene s = open_set("reduced", 2, set);
        double all = 0, component[6] = {0};
        int next = 0;
        for (int i = 1; i <= 2500; i++) {
            double now = 0, stress[6];
            scene_run(&s, 0.01, 1);
            for (int p = 0; p < 22; p++) {
                olo_system_beam_stress(s.system, s.state, 0, p, NULL, stress);
                now = larger(now, vec3_norm(stress) + 10 * vec3_norm(stress + 3));
                for (int c = 0; c < 6; c++)
                    component[c] = larger(component[c], fabs(stress[c]));
            }
            all = larger(all, now);
            if (next < 6 && i == lround(t[next] / 0.01))
                /* under the largest loads, late times agree in two digits (thesis-methods 3.3) */
                check_close(expected[k].colour[next++], now, k == 4 && i > 2000 ? 0.01 : 0.0051);
        }
        check_close(expected[k].most, all, 0.0051);
        if (k == 0) { /* beam sheet, 18.3: maxima of the components */
            static const double most[6] = {0.2206, 0.1434, 1.6883, 0.08084, 0.12214, 4.6e-5};
            for (int c = 0; c < 6; c++)
                check_relative(most[c], component[c], c < 5 ? 3e-4 : 1e-2);
        }
        scene_close(&s);
    }
}

/* --- conservation --- */

TEST(energy_and_momenta_stay_after_the_load)
{
    static const double L[3] = {1.5972e-7, -0.6975477292, -0.5540574901},
                        P[3] = {0.025, -0.15, 0.45};
    scene s = scene_open("beam-with-masses", "reduced");
    scene_run_to(&s, 0.5);
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
        energy = larger(energy, fabs(now.total / first.total - 1));
        angular = larger(angular, vec3_norm(dL) / vec3_norm(first.angular_momentum));
        linear = larger(linear, vec3_norm(dP) / vec3_norm(first.linear_momentum));
        constraint = larger(constraint, now.constraint_error);
        if (i == 749)
            check_close(1.6e-4, larger(velocity, now.velocity_error), 1.6e-4); /* to t = 8 */
        velocity = larger(velocity, now.velocity_error);
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
    scene_run_to(&s, 0.5);
    double *q = malloc((size_t)s.system->n * sizeof *q), position = 0, director = 0;
    memcpy(q, olo_state_configuration(s.state), (size_t)s.system->n * sizeof *q);
    scene_run(&s, 0.01, 100);
    olo_state_reverse(s.state);
    olo_state_set_time(s.state, 1); /* after the load has ended */
    scene_run(&s, 0.01, 100);
    for (int i = 0; i < s.system->n; i++) {
        double apart = fabs(q[i] - olo_state_configuration(s.state)[i]);
        if (s.system->coordinates[i].slot == 0)
            position = larger(position, apart);
        else
            director = larger(director, apart);
    }
    check_below(position, 1e-12);
    check_below(director, 1e-9); /* rotation about the axis has almost no inertia */
    free(q);
    scene_close(&s);
}

TEST(under_planar_loads_the_beam_stays_in_its_plane)
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
            const double *q = olo_state_configuration(s.state) + s.system->nodes[k].q;
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
        scene_run_to(&s, 1);
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
    scene_run_to(&s, 0.5);
    olo_ledger ledger = scene_ledger(&s);
    check_close(0.096946571401, ledger.total, 1e-11);
    check_close(0.0928301511, ledger.kinetic, 1e-10);
    check_close(0.0041164203, ledger.strain, 1e-10);
    check_vector(L, ledger.angular_momentum, 1e-9);
    scene_run_to(&s, 1);
    check_close(0.0259872618, scene_ledger(&s).strain, 1e-10);
    scene_run_to(&s, 25);
    check_relative(ledger.total, scene_ledger(&s).total, 1e-12);
    check_relative(0.0647567, scene_ledger(&s).strain, 1e-3);
    check_vector(end[0], scene_q(&s, "beam.1"), 2e-3);
    check_vector(end[1], scene_q(&s, "beam.12"), 2e-3);
    check_vector(end[2], scene_q(&s, "beam.23"), 2e-3);
    scene_close(&s);
}

/* Controls (18.6): full quadrature locks; a rotary inertia that is a hundred times larger changes
 * little. */
TEST(full_quadrature_locks_and_rotary_inertia_matters_little)
{
    static const struct {
        const char *quadrature, *inertia;
        double energy, strain, tolerance;
    } controls[] = {{"reduced", "9e-8", 0.0537990191, 0.0139970134, 1e-9},
                    {"full", "9e-8", 0.0107630914, 5.4e-9, 5e-11},
                    {"reduced", "9e-6", 0.0537986245, 0.0139980462, 1e-9}};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "name: control\n"
                 "beams:\n"
                 "  - {name: beam, elements: 22, to: [2, 0, 0], inertia: [0.27, %s, %s],\n"
                 "     stiffness: [1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769],\n"
                 "     quadrature: %s}\n"
                 "masses: [{on: beam.start, mass: 10}, {on: beam.middle, mass: 1},\n"
                 "         {on: beam.end, mass: 10}]\n"
                 "loads:\n"
                 "  - {on: beam.12, force: [1.3, 1, 0.8],\n"
                 "     time: 'if(t <= 0.5, 0.5*(1 - cos(4*pi*t)), 0)'}\n"
                 "  - {on: beam.23, force: [-1.2, -1.6, 1],\n"
                 "     time: 'if(t <= 0.5, 0.5*(1 - cos(4*pi*t)), 0)'}\n",
                 controls[i].inertia, controls[i].inertia, controls[i].quadrature);
        scene s = scene_open(text, "reduced");
        scene_run_to(&s, 1);
        check_close(controls[i].energy, scene_ledger(&s).total, 1e-10);
        check_close(controls[i].strain, scene_ledger(&s).strain, controls[i].tolerance);
        scene_close(&s);
    }
}

/* --- convergence in time (18.4) --- */

TEST(second_order_in_time)
{
    static const char *const steps[5] = {"0.01", "0.005", "0.0025", "0.00125", "0.000625"};
    static const double energy[5] = {0.05379901907, 0.05379949802, 0.05379961705, 0.05379964677,
                                     0.05379965418};
    static const double strain[5] = {0.0139970134, 0.0139887348, 0.0139867178, 0.0139862150,
                                     0.0139860900};
    static const double middle[5][3] = {{1.002039853, 0.127043405, 0.103055320},
                                        {1.002038566, 0.127025320, 0.103041210},
                                        {1.002038248, 0.127020748, 0.103037656},
                                        {1.002038168, 0.127019599, 0.103036765},
                                        {1.002038148, 0.127019312, 0.103036543}};
    double V[5];
    for (int i = 0; i < 5; i++) {
        const olo_setting set[1] = {{"run.step", steps[i]}};
        scene s = open_set("reduced", 1, set);
        scene_run_to(&s, 1);
        V[i] = scene_ledger(&s).strain;
        check_close(energy[i], scene_ledger(&s).total, 2e-11);
        check_close(strain[i], V[i], 1e-10);
        check_vector(middle[i], scene_q(&s, "beam.12"), 2e-9);
        scene_close(&s);
    }
    check_close(4.1, (V[0] - V[1]) / (V[1] - V[2]), 0.2);
}

/* The table of 18.4, with half the step. */
TEST(motion_at_half_the_step_is_that_of_the_sheet)
{
    static const row half[] = {
        {0.5,
         0.051753742,
         0.002045755519,
         {0.002824465659, -0.000101445054, -0.000080758854},
         {1.000403990455, 0.048751743311, 0.038593356697},
         {1.997741658201, -0.010078299494, 0.006091128049}},
        {1,
         0.039810763,
         0.013988734839,
         {0.017934921957, 0.000990755098, 0.000714373970},
         {1.002038566478, 0.127025320010, 0.103041209522},
         {1.983652890281, -0.028882419570, 0.019071195523}},
        {2,
         0.016545291,
         0.037254207040,
         {0.048661752220, 0.008754582745, 0.005876964901},
         {1.006588449461, 0.197284315750, 0.175143754100},
         {1.954794095478, -0.061028113460, 0.048766964707}},
        {15,
         0.047814068,
         0.005985430250,
         {0.09136826544, 0.20612753843, 0.12541439343},
         {1.00216466480, -0.18253467620, 0.25299986180},
         {1.94486915027, -0.40085572106, 0.49830076762}},
        {25,
         0.036449683,
         0.017349814600,
         {0.2330477768, 0.3181974602, 0.2279425736},
         {0.9835876561, -0.3092588722, 0.4162079018},
         {1.8303940856, -0.6447333657, 0.8195637188}},
    };
    static const double L[3] = {1.583e-7, -0.6975492187, -0.5540549408};
    const olo_setting set[1] = {{"run.step", "0.005"}};
    scene s = open_set("reduced", 1, set);
    for (size_t i = 0; i < sizeof half / sizeof *half; i++) {
        scene_run_to(&s, half[i].t);
        check_row(&s, &half[i], 1e-8, 1e-9);
    }
    check_close(0.05379949801, scene_ledger(&s).total, 2e-11);
    check_vector(L, scene_ledger(&s).angular_momentum, 1e-9);
    scene_close(&s);
}

TEST(refined_meshes_have_the_energies_of_the_sheet)
{
    static const char *const elements[2] = {"44", "88"};
    static const double energy[2] = {0.0538446947, 0.0538561451},
                        strain[2] = {0.0140594279, 0.0140764793};
    for (int i = 0; i < 2; i++) {
        const olo_setting set[1] = {{"n", elements[i]}};
        scene s = open_set("reduced", 1, set);
        scene_run_to(&s, 1);
        check_close(energy[i], scene_ledger(&s).total, 1e-10);
        check_close(strain[i], scene_ledger(&s).strain, 1e-9);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(table_5_2_unknowns),
          cmocka_unit_test(motion_and_energies_are_those_of_the_sheet),
          cmocka_unit_test(stress_resultants_are_those_of_the_sheet),
          long_unit_test(snapshots_have_the_colours_of_the_sheet),
          cmocka_unit_test(energy_and_momenta_stay_after_the_load),
          cmocka_unit_test(time_can_be_turned_around),
          cmocka_unit_test(under_planar_loads_the_beam_stays_in_its_plane),
          cmocka_unit_test(all_placements_have_the_energies_of_the_sheet),
          cmocka_unit_test(the_placement_of_the_thesis_sheet),
          cmocka_unit_test(full_quadrature_locks_and_rotary_inertia_matters_little),
          cmocka_unit_test(second_order_in_time),
          cmocka_unit_test(motion_at_half_the_step_is_that_of_the_sheet),
          cmocka_unit_test(refined_meshes_have_the_energies_of_the_sheet))
