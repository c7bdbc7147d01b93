/* Steps with contacts, friction and impacts: independent check values of the symmetric scheme (a
 * second program, double precision), exact solutions, and the guarantees of the scheme: energy
 * never rises, gaps of closed contacts do not decrease, constraints and untouched momenta hold. */
#include "contact_models.h"

#include "stepping/step.h"

static void check_numbers(int count, const double *expected, const double *got)
{
    for (int i = 0; i < count; i++)
        check_close(expected[i], got[i], 1e-10);
}

static const olo_contact_report *report_of(const scene *s)
{
    return &s->stepper->contact->report;
}

/* --- (a) ball --- */

static const char *const ball = "parameters: {r: 0.5}\n"
                                "gravity: [0, 0, -9.81]\n"
                                "points: {name: ball, mass: 1, position: [0, 0, 1]}\n"
                                "contacts: {name: floor, point: ball, restitution: r}\n"
                                "run: {step: 0.01}\n";

TEST(a_captured_ball_has_the_check_values)
{
    static const struct {
        const char *e;
        long steps;
        double z, v, tolerance;
    } row[] = {{"0", 47, -0.037898, 0, 5e-7},
               {"0", 100, -0.037898, 0, 5e-7},
               {"0.5", 400, -0.00062, 0, 5e-6},
               {"1", 300, 0.717472, -2.3544, 5e-7}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        scene s = open_with(ball, "contact-captured", row[i].e);
        scene_run(&s, 0.01, row[i].steps);
        check_close(row[i].z, scene_q(&s, "ball")[2], row[i].tolerance);
        check_close(row[i].v, scene_v(&s, "ball")[2], 5e-7);
        scene_close(&s);
    }
}

TEST(a_located_ball_follows_the_exact_solution)
{
    static const struct {
        const char *e;
        long steps;
        double z, v, energy;
    } row[] = {{"0.5", 50, 0.0958351885525, 1.7391703771050, 2.4525},
               {"1", 300, 0.5850445252604, -2.8533184915799, 9.81}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        scene s = open_with(ball, "contact", row[i].e);
        scene_run(&s, 0.01, row[i].steps);
        check_close(row[i].z, scene_q(&s, "ball")[2], 1e-10);
        check_close(row[i].v, scene_v(&s, "ball")[2], 1e-10);
        check_close(row[i].energy, scene_ledger(&s).total, 1e-12);
        scene_close(&s);
    }
}

/* A gap that is almost closed: the time of the impact is a small fraction of the step. */
TEST(a_ball_that_almost_touches_is_located)
{
    static const char *const text = "parameters: {height: 1}\n"
                                    "gravity: [0, 0, -9.81]\n"
                                    "points: {name: ball, mass: 1, position: [0, 0, height]}\n"
                                    "contacts: {name: floor, point: ball}\n"
                                    "run: {step: 1}\n";
    static const char *const height[] = {"1.5e-10", "1e-8", "1e-5"};
    for (int i = 0; i < 3; i++) {
        const olo_setting setting = {"height", height[i]};
        scene s = scene_open_set(text, NULL, &setting, 1);
        scene_run(&s, 1, 1);
        check_close(0, scene_q(&s, "ball")[2], 1e-13);
        check_close(0, scene_v(&s, "ball")[2], 1e-14);
        check_relative(9.81 * atof(height[i]), scene_ledger(&s).impact, 1e-4);
        scene_close(&s);
    }
}

/* Points fall one after the other; at the end 180 rows of contacts act, for which the memory of a
 * step has grown. Each contact carries its weight. */
TEST(many_contacts_act_at_the_same_time)
{
    static const char *const text =
        "parameters: {r: 0}\n"
        "gravity: [0, 0, -9.81]\n"
        "points: {name: 'p{i}', repeat: {i: [1, 60]}, mass: 0.1*i, position: [i, 0, 0.001*i]}\n"
        "contacts: {name: 'c{i}', repeat: {i: [1, 60]}, point: 'p{i}', friction: 0.5}\n"
        "run: {step: 0.05}\n";
    static const char *const schemes[] = {"contact", "contact-captured", "moreau"};
    for (int k = 0; k < 3; k++) {
        scene s = open_with(text, schemes[k], "0");
        scene_run(&s, 0.05, 5);
        for (int i = 0; i < 60; i++) {
            olo_contact_state contact;
            olo_system_contact(s.system, s.state, i, &contact);
            check_close(0.1 * (i + 1) * 9.81, contact.normal, 1e-10);
        }
        scene_close(&s);
    }
}

/* Below its threshold the restitution is zero: the ball is at rest after a few bounces,
 * v_k = 0.5^k 4.43 m/s, and the balance is closed (Moreau's rule has none). Elastic contacts have
 * no threshold. */
TEST(a_slow_ball_comes_to_rest)
{
    static const char *const text =
        "parameters: {r: 0.5}\n"
        "gravity: [0, 0, -9.81]\n"
        "points: {name: ball, mass: 1, position: [0, 0, 1]}\n"
        "contacts: {name: floor, point: ball, restitution: r, restitution_threshold: 0.5}\n"
        "run: {step: 0.01}\n";
    static const char *const schemes[] = {"contact", "contact-captured", "moreau"};
    for (int i = 0; i < 3; i++) {
        scene s = open_with(text, schemes[i], "0.5");
        scene_run(&s, 0.01, 150);
        check_close(0, scene_v(&s, "ball")[2], i < 2 ? 1e-16 : 1e-14);
        if (i < 2)
            check_close(9.81, scene_ledger(&s).balance, 1e-11);
        scene_close(&s);
    }
    scene s = open_with(text, "contact", "0.5");
    scene_run(&s, 0.01, 150);
    check_close(0, scene_q(&s, "ball")[2], 1e-12);
    /* falls of 4.43, 2.21, 1.11 and 0.554 m/s bounce, the next one does not */
    const double v = sqrt(2 * 9.81);
    check_close(v * v / 2, scene_ledger(&s).impact, 1e-11);
    scene_close(&s);
    s = open_with(text, "contact", "1");
    scene_run(&s, 0.01, 300);
    check_close(9.81, scene_ledger(&s).total, 1e-11);
    scene_close(&s);
}

/* --- (b) double pendulum at a wall; y points down --- */

TEST(the_double_pendulum_has_the_check_values)
{
    static const struct {
        const char *scheme;
        double q[4], v[4];
    } row[] = {{"contact-captured",
                {0.1762778209668, 0.4678954261747, 0.5439452500049, 0.8067474021531},
                {3.5058160620007, -1.3208028579641, -0.9014886170244, 3.4612922608441}},
               {"contact",
                {0.1781945755945, 0.4671688059243, 0.5458230628933, 0.8060630303165},
                {3.5105856975734, -1.3390605719693, -0.9002268432502, 3.4457372364017}}};
    for (int i = 0; i < 2; i++) {
        scene s = open_with(pendulum, row[i].scheme, "1");
        scene_run(&s, 0.01, 100);
        check_numbers(2, row[i].q, scene_q(&s, "p1"));
        check_numbers(2, row[i].q + 2, scene_q(&s, "p2"));
        check_numbers(2, row[i].v, scene_v(&s, "p1"));
        check_numbers(2, row[i].v + 2, scene_v(&s, "p2"));
        scene_close(&s);
    }
}

/* P1 for the symmetric schemes: ten seconds with many impacts. */
TEST(the_double_pendulum_conserves_its_energy_and_rows_for_ten_seconds)
{
    static const char *const schemes[] = {"contact", "contact-captured"};
    for (int k = 0; k < 2; k++) {
        scene s = open_with(pendulum, schemes[k], "1");
        const double start = scene_ledger(&s).total;
        long impacts = 0;
        for (int i = 0; i < 1000; i++) {
            scene_run(&s, 0.01, 1);
            const olo_ledger now = scene_ledger(&s);
            impacts += report_of(&s)->impacts;
            check_close(start, now.total, 1e-12 * 3.125);
            check_below(now.constraint_error, 1e-12);
            check_below(now.velocity_error, 1e-12);
        }
        check_true(impacts > 10);
        scene_close(&s);
    }
}

/* --- (c) rod and sphere --- */

TEST(the_rod_has_the_check_values)
{
    static const struct {
        const char *e, *scheme;
        long steps;
        int count; /* numbers that are known */
        double q[6], v[6];
    } row[] = {{"0.5",
                "contact-captured",
                20,
                3,
                {0.1284919169086, 0.0540141033203, 0.2107054753381},
                {0.3498845272662, 0.2144871902895, -1.4347789237421}},
               {"0.5",
                "contact",
                20,
                6,
                {0.1259826393116, 0.0535280096232, 0.2192251795965, 0.9591851225147,
                 0.0655262025970, -0.2750822013865},
                {0.3676294130187, 0.2177391125725, -1.4949122646592, 1.3249415650187,
                 0.1607871335681, 4.6582439765204}},
               {"0",
                "contact",
                20,
                6,
                {0.1352897355405, 0.0540942194511, 0.1884926388544, 0.9240415308099,
                 0.0634771591155, -0.3769852777088},
                {0.4594794947558, 0.2186219266409, -1.7949679758459, 1.4546100926952,
                 0.1454517664084, 3.5899359516918}},
               {"0",
                "contact",
                40,
                6,
                {0.1734658139628, 0.0727439443838, 0, 0.9975795411362, 0.0695345892811, 0},
                {0, 0, 0, 0, 0, 0}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        scene s = open_with(rod, row[i].scheme, row[i].e);
        scene_run(&s, 0.01, row[i].steps);
        check_numbers(row[i].count, row[i].q, scene_q(&s, "rod"));
        check_numbers(row[i].count, row[i].v, scene_v(&s, "rod"));
        scene_close(&s);
    }
}

TEST(the_sphere_slips_and_rolls_with_the_check_values)
{
    static const double q[2][2] = {{0.2133075904521, -0.0165564057616},
                                   {0.3008485380429, -0.1267186127245}},
                        v[2][2] = {{0.4206598576409, -0.1025321146381},
                                   {0.0666581448348, -0.1562726580070}};
    scene s = open_with(sphere, "contact", "0");
    scene_run(&s, 0.01, 30);
    check_numbers(2, q[0], scene_q(&s, "ball"));
    check_numbers(2, v[0], scene_v(&s, "ball"));
    scene_run(&s, 0.01, 70);
    check_numbers(2, q[1], scene_q(&s, "ball"));
    check_numbers(2, v[1], scene_v(&s, "ball"));
    check_close(0.5905144610710, scene_ledger(&s).total, 1e-10);
    scene_close(&s);
}

/* --- (d) two boxes on a hinge --- */

TEST(hinged_boxes_have_the_check_values)
{
    static const struct {
        const char *scheme;
        double q[6], v[6];
    } row[] = {{"contact-captured",
                {0.1334659994258, 0.0670887765657, 0.0154282180341, 0.4332466655350,
                 0.0724847801378, 0.0143465856028},
                {0.0569202487342, 0.2724387134013, 0.1555076470204, -0.0522927072441,
                 0.2626901028206, 0.0888122500357}},
               {"contact",
                {0.1299725219434, 0.0686709645765, 0.0253039344591, 0.4286673866831,
                 0.0712637612489, 0.0237940551964},
                {0.0328389078805, 0.1587057291687, 0.5901385892817, -0.1159363029263,
                 0.2773536768532, -0.0761729452595}}};
    static const char *const forms[] = {"reduced", "multipliers"};
    for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        const olo_setting settings[] = {{"run.scheme", row[i / 2].scheme}, {"r", "0.5"}};
        scene s = scene_open_set(hinge, forms[i % 2], settings, 2);
        scene_run(&s, 0.01, 30);
        check_numbers(3, row[i / 2].q, scene_q(&s, "b1"));
        check_numbers(3, row[i / 2].q + 3, scene_q(&s, "b2"));
        check_numbers(3, row[i / 2].v, scene_v(&s, "b1"));
        check_numbers(3, row[i / 2].v + 3, scene_v(&s, "b2"));
        scene_close(&s);
    }
}

/* With e = 0 they come to rest. In step 35 three contacts stick at different heights: forces along
 * the lines between them cancel, and so do parts of their normal forces, on which the largest
 * friction depends. The equations leave a family of solutions with one parameter, and the solver
 * takes forces of least norm. The same boxes with their last contact twice, each with half of the
 * force, have another solution of the family. The check value is on the line between both; at rest
 * all velocities are zero. */
TEST(hinged_boxes_come_to_rest_in_the_family_of_the_check_value)
{
    static const double expected[6] = {0.1336261568456, 0.0608054579401, -0.0049166500442,
                                       0.4335505096687, 0.0652437982085, -0.0050045343091};
    static const char *const forms[] = {"reduced", "multipliers"};
    static const char *const again =
        "  - {point: {on: b2, at: [a, 0, 0]}, friction: mu, restitution: r}\n";
    const char *run = strstr(hinge, "run:");
    const olo_setting settings[] = {{"run.scheme", "contact-captured"}, {"r", "0"}};
    for (int f = 0; f < 2; f++) {
        double q[2][6], along = 0, square = 0;
        for (int k = 0; k < 2; k++) {
            char text[2000];
            snprintf(text, sizeof text, "%.*s%s%s", (int)(run - hinge), hinge, k ? again : "", run);
            scene s = scene_open_set(text, forms[f], settings, 2);
            scene_run(&s, 0.01, 40);
            memcpy(q[k], scene_q(&s, "b1"), 3 * sizeof(double));
            memcpy(q[k] + 3, scene_q(&s, "b2"), 3 * sizeof(double));
            for (int i = 0; i < s.system->n; i++)
                check_close(0, s.state->v[i], 1e-10);
            scene_close(&s);
        }
        for (int i = 0; i < 6; i++) {
            along += (expected[i] - q[0][i]) * (q[1][i] - q[0][i]);
            square += (q[1][i] - q[0][i]) * (q[1][i] - q[0][i]);
        }
        const double share = along / square;
        check_true(share > 0 && share < 1);
        for (int i = 0; i < 6; i++)
            check_close(expected[i], q[0][i] + share * (q[1][i] - q[0][i]), 1e-11);
    }
}

/* --- oscillator: a mass of 10 kg above one of 1 g on a stiff spring --- */

/* The upper mass is drawn one metre higher: the gap is the distance minus one. */
static const char *const oscillator =
    "parameters: {r: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "points:\n"
    "  - {name: m1, mass: 10, position: [0, 0, 1.11]}\n"
    "  - {name: m2, mass: 0.001, position: [0, 0, 0.1]}\n"
    "springs: {between: [[0, 0, 0.1], m2], type: linear, stiffness: 4e5, offset: [0, 0, 0]}\n"
    "contacts: {type: distance, between: [m2, m1], length: 1, restitution: r}\n"
    "run: {step: 0.001}\n";

TEST(the_oscillator_has_the_check_values)
{
    static const struct {
        const char *scheme;
        double z[2], v[2], energy;
    } row[] = {{"contact-captured",
                {0.0983697401497, 0.0987486718944},
                {0.4068394618493, 0.4068394618493},
                10.791879136496},
               {"contact",
                {0.0991128893377, 0.0991128893377},
                {0.4267205638889, 0.4267205638889},
                10.7918830503518}};
    for (int i = 0; i < 2; i++) {
        scene s = open_with(oscillator, row[i].scheme, "0");
        scene_run(&s, 0.001, 60);
        check_close(row[i].z[0], scene_q(&s, "m1")[2] - 1, 1e-10);
        check_close(row[i].z[1], scene_q(&s, "m2")[2], 1e-10);
        check_close(row[i].v[0], scene_v(&s, "m1")[2], 1e-10);
        check_close(row[i].v[1], scene_v(&s, "m2")[2], 1e-10);
        check_close(row[i].energy, scene_ledger(&s).total - 98.1, 1e-10);
        scene_close(&s);
    }
}

/* --- guarantees --- */

/* The largest rise of energy per step, the largest decrease of a closed gap, the largest change of
 * the balance and of constraints. */
typedef struct worst {
    double rise, sinking, balance, rows, rates;
} worst;

static worst run_and_watch(scene *s, double h, long steps)
{
    worst w = {0};
    const double start = scene_ledger(s).balance, closed = 1e-10 * s->system->length_scale;
    double energy = scene_ledger(s).total, gap[8];
    for (long i = 0; i < steps; i++) {
        for (int c = 0; c < s->system->contact_count; c++)
            gap[c] = gap_of(s, c);
        scene_run(s, h, 1);
        const olo_ledger ledger = scene_ledger(s);
        w.rise = larger(w.rise, larger(ledger.total - energy, 0));
        energy = ledger.total;
        w.balance = larger(w.balance, fabs(ledger.balance - start));
        w.rows = larger(w.rows, ledger.constraint_error);
        w.rates = larger(w.rates, ledger.velocity_error);
        for (int c = 0; c < s->system->contact_count; c++)
            if (gap[c] <= closed)
                w.sinking = larger(w.sinking, larger(gap[c] - gap_of(s, c), 0));
    }
    return w;
}

TEST(energy_never_rises_at_any_step_and_gaps_do_not_sink)
{
    static const char *const texts[] = {rod, hinge, sphere};
    static const char *const schemes[] = {"contact", "contact-captured"};
    static const char *const restitution[] = {"0", "0.5", "1"};
    static const double steps[] = {0.1, 0.03, 0.01, 0.005};
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 2; k++)
            for (int e = 0; e < 3; e++)
                for (int i = 0; i < 4; i++) {
                    scene s = open_with(texts[m], schemes[k], restitution[e]);
                    const worst w = run_and_watch(&s, steps[i], lround(0.6 / steps[i]));
                    check_below(w.rise, 1e-13);
                    check_below(w.sinking, 1e-13);
                    check_below(w.balance, 1e-12);
                    check_below(w.rows, 1e-13);
                    check_below(w.rates, 1e-12);
                    scene_close(&s);
                }
}

TEST(energy_is_constant_without_losses)
{
    for (int k = 0; k < 2; k++) {
        const olo_setting settings[] = {
            {"run.scheme", k == 0 ? "contact" : "contact-captured"}, {"r", "1"}, {"mu", "0"}};
        scene s = scene_open_set(hinge, NULL, settings, 3);
        const double start = scene_ledger(&s).total;
        double drift = 0;
        for (int i = 0; i < 150; i++) {
            scene_run(&s, 0.01, 1);
            drift = larger(drift, fabs(scene_ledger(&s).total - start));
        }
        check_below(drift, 1e-12);
        scene_close(&s);
    }
}

TEST(angular_momentum_that_contacts_do_not_change_is_conserved)
{
    static const char *const restitution[] = {"1", "0.3"};
    for (int k = 0; k < 4; k++) {
        scene s = open_with(inner_stop, k < 2 ? "contact" : "contact-captured", restitution[k % 2]);
        const olo_ledger start = scene_ledger(&s);
        long impacts = 0;
        for (int i = 0; i < 100; i++) {
            scene_run(&s, 0.01, 1);
            const olo_ledger now = scene_ledger(&s);
            impacts += report_of(&s)->impacts;
            check_close(start.angular_momentum[2], now.angular_momentum[2],
                        1e-13 * fabs(start.angular_momentum[2]));
            if (k % 2 == 0)
                check_close(start.total, now.total, 1e-13);
        }
        check_true(impacts > 0);
        scene_close(&s);
    }
}

/* The published scheme has forces at the start of the step: the angular momentum of (e) changes by
 * 2.7e-6 of it with restitution 1, by 1.0e-7 with 0.3. */
TEST(the_published_scheme_does_not_conserve_angular_momentum)
{
    static const double expected[] = {2.7e-6, 1.0e-7};
    static const char *const restitution[] = {"1", "0.3"};
    for (int k = 0; k < 2; k++) {
        scene s = open_with(inner_stop, "contact-two-step", restitution[k]);
        const double start = scene_ledger(&s).angular_momentum[2];
        double drift = 0;
        for (int i = 0; i < 100; i++) {
            scene_run(&s, 0.01, 1);
            drift = larger(drift, fabs(scene_ledger(&s).angular_momentum[2] / start - 1));
        }
        check_relative(expected[k], drift, 0.05);
        scene_close(&s);
    }
}

/* A frictionless bead that slides in a ring: the contact stays closed, nothing is lost, and its
 * velocity stays on the ring. */
TEST(the_energy_of_a_bead_in_a_ring_is_constant)
{
    scene s = open_with(bead, "contact", "0");
    const double start = scene_ledger(&s).total;
    for (int i = 0; i < 250; i++) {
        scene_run(&s, 0.02, 1);
        check_close(start, scene_ledger(&s).total, 1e-12);
        check_close(0, gap_of(&s, 0), 1e-13);
    }
    scene_close(&s);
}

/* A block that sticks on an incline of 15 degrees comes to rest: no alternating velocity. */
TEST(a_sticking_block_is_at_rest)
{
    scene s = open_with(incline, "contact", "0");
    scene_run(&s, 0.01, 100);
    const double x = scene_q(&s, "block")[0];
    scene_run(&s, 0.01, 20);
    check_close(x, scene_q(&s, "block")[0], 0);
    check_below(norm3(scene_v(&s, "block")), 1e-15);
    scene_close(&s);
}

/* Benchmark: it stops after v/(mu g) at v^2/(2 mu g); the step in which it stops is of first
 * order. */
TEST(a_sliding_block_stops_where_friction_has_used_its_energy)
{
    static const char *const text =
        "parameters: {r: 0}\n"
        "gravity: [0, 0, -9.81]\n"
        "points: {name: block, mass: 1, position: [0, 0, 0], velocity: [2, 0, 0]}\n"
        "contacts: {point: block, friction: 0.3, restitution: r}\n"
        "run: {step: 0.001}\n";
    const double stop = 2 / (0.3 * 9.81), path = 4 / (2 * 0.3 * 9.81);
    scene s = open_with(text, "contact", "0");
    scene_run(&s, 0.001, lround(floor(stop / 0.001)));
    const double t = olo_state_time(s.state);
    check_close(2 * t - 0.5 * 0.3 * 9.81 * t * t, scene_q(&s, "block")[0], 1e-12);
    check_close(2 - 0.3 * 9.81 * t, scene_v(&s, "block")[0], 1e-12);
    scene_run(&s, 0.001, 10);
    check_close(path, scene_q(&s, "block")[0], 2e-6);
    check_close(0, scene_v(&s, "block")[0], 1e-20);
    scene_close(&s);
}

/* Touching balls share an impact; with gaps the impacts follow each other (the cradle). */
TEST(balls_that_touch_are_no_cradle_and_balls_with_gaps_are)
{
    static const char *const text =
        "parameters: {r: 1, gap: 0}\n"
        "points:\n"
        "  - {name: b1, mass: 1, position: [-0.1, 0, 0], velocity: [1, 0, 0]}\n"
        "  - {name: b2, mass: 1, position: [1, 0, 0]}\n"
        "  - {name: b3, mass: 1, position: [2+gap, 0, 0]}\n"
        "contacts:\n"
        "  - {type: distance, between: [b1, b2], length: 1, restitution: r}\n"
        "  - {type: distance, between: [b2, b3], length: 1, restitution: r}\n"
        "run: {step: 0.01}\n";
    static const char *const gaps[] = {"0", "0.001"};
    static const double expected[2][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0, 1}};
    for (int k = 0; k < 2; k++) {
        const olo_setting settings[] = {{"run.scheme", "contact"}, {"gap", gaps[k]}};
        scene s = scene_open_set(text, NULL, settings, 2);
        scene_run(&s, 0.01, 20);
        for (int i = 0; i < 3; i++) {
            const char name[3] = {'b', (char)('1' + i), 0};
            check_close(expected[k][i], scene_v(&s, name)[0], 1e-13);
        }
        scene_close(&s);
    }
}

/* A rod with e = 1 and no tangential restitution would gain 0.5 J: the guard reports its factor. */
TEST(the_guard_is_reported)
{
    scene s = open_with(rod, "contact", "1");
    double least = 1;
    for (int i = 0; i < 60; i++) {
        scene_run(&s, 0.01, 1);
        least = report_of(&s)->guard < least ? report_of(&s)->guard : least;
    }
    check_true(least < 1 && least >= 0);
    scene_close(&s);
}

/* Located impacts have second order: against the exact angles (an integration with events) at t =
 * 1, after one impact. */
TEST(located_impacts_have_second_order)
{
    const double exact[2] = {0.365494869, 0.823454407};
    double error[2];
    for (int k = 0; k < 2; k++) {
        scene s = open_with(pendulum, "contact", "1");
        const double h = k == 0 ? 0.005 : 0.0025;
        scene_run(&s, h, lround(1 / h));
        const double *p1 = scene_q(&s, "p1"), *p2 = scene_q(&s, "p2");
        error[k] =
            hypot(atan2(p1[0], p1[1]) - exact[0], atan2(p2[0] - p1[0], p2[1] - p1[1]) - exact[1]);
        scene_close(&s);
    }
    check_close(2, log2(error[0] / error[1]), 0.05);
}

/* Extrapolated from two steps, the located pendulum has the exact angles of an event-driven
 * integration, over five impacts. */
TEST(the_located_pendulum_converges_to_the_exact_angles)
{
    static const double exact[][3] = {
        {0.25, 1.054505175, 1.200755014}, {0.5, 1.381728132, 2.024965002},
        {0.75, 0.800955753, 2.324595871}, {1, 0.365494869, 0.823454407},
        {1.5, 1.188786804, 1.170639154},  {2, 1.181916995, 2.187289205},
        {2.5, 0.136271796, 0.428547764},  {3, 0.852969804, 2.411941863}};
    scene s[2] = {open_with(pendulum, "contact", "1"), open_with(pendulum, "contact", "1")};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        double angle[2][2];
        for (int k = 0; k < 2; k++) {
            const double h = k == 0 ? 1e-3 : 5e-4;
            scene_run(&s[k], h, lround((exact[i][0] - olo_state_time(s[k].state)) / h));
            const double *p1 = scene_q(&s[k], "p1"), *p2 = scene_q(&s[k], "p2");
            angle[k][0] = atan2(p1[0], p1[1]);
            angle[k][1] = atan2(p2[0] - p1[0], p2[1] - p1[1]);
        }
        for (int j = 0; j < 2; j++)
            check_close(exact[i][1 + j], (4 * angle[1][j] - angle[0][j]) / 3, 1e-7);
    }
    scene_close(&s[0]);
    scene_close(&s[1]);
}

/* A sphere whose slip turns: against a tenth of the step. */
TEST(sliding_has_second_order)
{
    double x[3][2];
    const double h[3] = {0.01, 0.005, 0.0005};
    for (int k = 0; k < 3; k++) {
        scene s = open_with(sphere, "contact", "0");
        scene_run(&s, h[k], lround(0.3 / h[k]));
        memcpy(x[k], scene_q(&s, "ball"), sizeof x[k]);
        scene_close(&s);
    }
    const double coarse = hypot(x[0][0] - x[2][0], x[0][1] - x[2][1]),
                 fine = hypot(x[1][0] - x[2][0], x[1][1] - x[2][1]);
    check_close(2, log2(coarse / fine), 0.05);
}

/* A driven arm that pushes a ball off a floor: the work of the drive closes the balance, also that
 * of its impulses in impacts. */
TEST(the_balance_is_closed_with_a_prescribed_motion)
{
    static const char *const text =
        "parameters: {r: 0.4}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: arm, mass: 1, inertia: [0.01, 0.05, 0.05], position: [0.4, 0, 0]}\n"
        "points: {name: ball, mass: 0.3, position: [0.8, 0, 0.2]}\n"
        "joints: {name: axle, type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, "
        "0], motion: 0.2*sin(6*t)}\n"
        "contacts:\n"
        "  - {type: distance, between: [{on: arm, at: [0.4, 0, 0]}, ball], length: 0.15, "
        "restitution: r}\n"
        "  - {point: ball, origin: [0, 0, -0.1], friction: 0.2, restitution: r}\n"
        "  - {point: {on: arm, at: [0.4, 0, 0]}, origin: [0, 0, -0.25], restitution: r}\n"
        "run: {step: 0.01}\n";
    scene s = open_with(text, "contact", "0.4");
    long impacts = 0;
    const double start = scene_ledger(&s).balance;
    for (int i = 0; i < 150; i++) {
        scene_run(&s, 0.01, 1);
        impacts += report_of(&s)->impacts;
        check_close(start, scene_ledger(&s).balance, 1e-11);
    }
    check_true(impacts > 2);
    check_true(fabs(scene_ledger(&s).work) > 0.1);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_captured_ball_has_the_check_values),
          cmocka_unit_test(a_located_ball_follows_the_exact_solution),
          cmocka_unit_test(a_ball_that_almost_touches_is_located),
          cmocka_unit_test(many_contacts_act_at_the_same_time),
          cmocka_unit_test(a_slow_ball_comes_to_rest),
          cmocka_unit_test(the_double_pendulum_has_the_check_values),
          cmocka_unit_test(the_double_pendulum_conserves_its_energy_and_rows_for_ten_seconds),
          cmocka_unit_test(the_rod_has_the_check_values),
          cmocka_unit_test(the_sphere_slips_and_rolls_with_the_check_values),
          cmocka_unit_test(hinged_boxes_have_the_check_values),
          cmocka_unit_test(hinged_boxes_come_to_rest_in_the_family_of_the_check_value),
          cmocka_unit_test(the_oscillator_has_the_check_values),
          cmocka_unit_test(energy_never_rises_at_any_step_and_gaps_do_not_sink),
          cmocka_unit_test(energy_is_constant_without_losses),
          cmocka_unit_test(angular_momentum_that_contacts_do_not_change_is_conserved),
          cmocka_unit_test(the_published_scheme_does_not_conserve_angular_momentum),
          cmocka_unit_test(the_energy_of_a_bead_in_a_ring_is_constant),
          cmocka_unit_test(a_sticking_block_is_at_rest),
          cmocka_unit_test(a_sliding_block_stops_where_friction_has_used_its_energy),
          cmocka_unit_test(balls_that_touch_are_no_cradle_and_balls_with_gaps_are),
          cmocka_unit_test(the_guard_is_reported),
          cmocka_unit_test(the_balance_is_closed_with_a_prescribed_motion),
          cmocka_unit_test(located_impacts_have_second_order),
          cmocka_unit_test(the_located_pendulum_converges_to_the_exact_angles),
          cmocka_unit_test(sliding_has_second_order))
