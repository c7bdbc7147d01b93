/* The rules of the verdict (docs/verdict.md), each with a suitable ledger. */
#include "test.h"

#include <math.h>

#include "results/verdict.h"

static const olo_invariant ENERGY = {.name = "energy", .why = "no time in it", .energy = true};
static const olo_invariant TURN = {.name = "angular momentum z", .rotation = {0.0, 0.0, 1.0}};
static const olo_invariant SHIFT = {.name = "linear momentum x", .translation = {1.0, 0.0, 0.0}};

static olo_verdict_record record_of(const olo_invariant *invariant)
{
    return (olo_verdict_record){.invariants = 1, .invariant = {invariant}};
}

static olo_verdict verdict_of(const olo_verdict_record *record)
{
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    check_equal(1, olo_verdict_list(record, NULL, verdicts));
    return verdicts[0];
}

/* Adds a ledger with the given energy `balance` and kinetic energy. */
static void add_energy(olo_verdict_record *record, double balance, double kinetic)
{
    const olo_ledger ledger = {.balance = balance, .kinetic = kinetic};
    olo_verdict_add(record, &ledger, 0);
}

static void add_shift(olo_verdict_record *record, double momentum)
{
    const olo_ledger ledger = {.linear_momentum = {momentum, 0.0, 0.0}};
    olo_verdict_add(record, &ledger, 0);
}

/* ---- what is exact ----------------------------------------------------------------------------
 */

TEST(there_is_no_verdict_before_the_first_state)
{
    const olo_verdict_record record = record_of(&ENERGY);
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    check_equal(0, olo_verdict_list(&record, NULL, verdicts));
}

TEST(the_drift_of_energy_is_the_largest_and_relative_to_the_energy_of_the_motion)
{
    olo_verdict_record record = record_of(&ENERGY);
    const double energies[4] = {2.0, 2.0 + 4e-10, 2.0 - 8e-10, 2.0};
    for (int i = 0; i < 4; i++)
        add_energy(&record, energies[i], 20.0);
    const olo_verdict verdict = verdict_of(&record);
    check_text("energy", verdict.quantity);
    check_text("no time in it", verdict.why);
    check_text("constant to 4.0e-11", verdict.text);
    check_close(2.0, verdict.start, 0.0);
    check_relative(8e-10, verdict.drift, 1e-6);
    check_relative(4e-11, verdict.relative_drift, 1e-6);
    check_equal(OLO_VERDICT_OK, verdict.level);
}

/* The zero of a potential is arbitrary: a large constant in it does not hide a drift. */
TEST(where_the_potential_is_zero_does_not_matter)
{
    for (int far = 0; far < 2; far++) {
        const double zero = far ? 1e9 : 0.0;
        olo_verdict_record record = record_of(&ENERGY);
        for (int i = 0; i < 2; i++) {
            const olo_ledger ledger = {
                .balance = zero + i * 1e-3, .potential = zero, .kinetic = 1.0};
            olo_verdict_add(&record, &ledger, 0);
        }
        check_relative(1e-3, verdict_of(&record).relative_drift, 1e-4);
        check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
    }
}

TEST(a_scheme_that_loses_energy_is_broken)
{
    olo_verdict_record record = record_of(&ENERGY);
    add_energy(&record, 1.0, 1.0);
    add_energy(&record, 1.0 - 1e-6, 1.0);
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
}

/* A body at rest has no kinetic energy: its drift is compared with the rounding of its
 * coordinates. */
/* Losses grow from step to step; a decrease means that contacts added energy. */
TEST(contacts_that_add_energy_are_broken)
{
    for (int gain = 0; gain < 2; gain++) {
        olo_verdict_record record = {.contacts = true};
        const double impact[3] = {0, 0.5, gain ? 0.5 - 1e-6 : 0.5}, friction[3] = {0, 0.1, 0.1};
        for (int i = 0; i < 3; i++) {
            const olo_ledger ledger = {.kinetic = 2,
                                       .impact = impact[i],
                                       .friction = friction[i],
                                       .penetration = i == 1 ? 1e-3 : 0};
            olo_verdict_add(&record, &ledger, 0);
        }
        const olo_verdict verdict = verdict_of(&record);
        check_text("contacts", verdict.quantity);
        check_text(gain ? "added 5.0e-07 of the energy in a step, tolerance 1.0e-10"
                        : "lost 5.0e-01 in impacts, 1.0e-01 in friction, depth at most 1.0e-03",
                   verdict.text);
        check_equal(gain ? OLO_VERDICT_BROKEN : OLO_VERDICT_OK, verdict.level);
    }
}

/* Impulses that were not found exactly make the result doubtful, even if they add no energy. */
TEST(inaccurate_impacts_are_doubtful)
{
    static const double residual[] = {1e-9, 1e-4};
    for (int i = 0; i < 2; i++) {
        olo_verdict_record record = {.contacts = true};
        const olo_ledger ledger = {.kinetic = 2, .inclusion_residual = residual[i]};
        olo_verdict_add(&record, &ledger, 0);
        check_equal(i == 0 ? OLO_VERDICT_OK : OLO_VERDICT_WARN, verdict_of(&record).level);
        if (i == 1)
            check_contains("impacts are inaccurate by 1.0e-04", verdict_of(&record).text);
    }
}

TEST(energy_at_rest_is_judged_by_rounding_of_the_coordinates)
{
    olo_verdict_record record = record_of(&ENERGY);
    const olo_sizes sizes = {.virial = 10.0};
    add_energy(&record, 0.0, 0.0);
    add_energy(&record, 1e-15, 1e-31);
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level); // no size is known
    olo_verdict_raise(&record.whole, &sizes, 0.0);
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level);
    add_energy(&record, 1e-12, 1e-31); // beyond 4 epsilon sqrt(3) 10 = 1.5e-14
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
}

TEST(a_momentum_is_judged_by_the_size_of_the_whole_momentum)
{
    olo_verdict_record record = record_of(&TURN);
    for (int i = 0; i < 2; i++) {
        const olo_ledger ledger = {.angular_momentum = {3.0, 4.0, i * 1e-13},
                                   .linear_momentum = {100, 0, 0}};
        olo_verdict_add(&record, &ledger, 0);
    }
    check_relative(1e-13 / 5.0, verdict_of(&record).relative_drift, 1e-12);
}

TEST(a_total_momentum_of_zero_is_judged_by_the_sum_of_magnitudes)
{
    olo_verdict_record record = record_of(&SHIFT);
    const olo_sizes sizes = {.linear = 2.0};
    add_shift(&record, 0.0);
    add_shift(&record, 1e-16);
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level); // no size is known
    olo_verdict_raise(&record.whole, &sizes, 0.0);
    check_relative(5e-17, verdict_of(&record).relative_drift, 1e-12);
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level);
}

TEST(what_is_not_a_number_is_broken)
{
    for (int bad = 0; bad < 3; bad++) {
        olo_verdict_record record = record_of(&ENERGY);
        for (int i = 0; i < 3; i++) {
            const double energy = i == bad ? (double)NAN : 1.0;
            add_energy(&record, energy, energy);
        }
        check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
        check_true(isnan(verdict_of(&record).relative_drift));
    }
    olo_verdict_record record = record_of(&ENERGY);
    add_energy(&record, 1.0, 1.0);
    add_energy(&record, (double)INFINITY, (double)INFINITY);
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
}

TEST(the_tolerance_grows_like_a_random_walk_in_long_runs)
{
    olo_verdict_record record = record_of(&ENERGY);
    add_energy(&record, 1.0, 1.0);
    const double early = verdict_of(&record).tolerance;
    record.states = 100000000;
    const double late = verdict_of(&record).tolerance;
    record.states *= 4;
    check_true(early < late && late < 1e-8);
    check_relative(2.0 * late, verdict_of(&record).tolerance, 1e-12);
}

/* ---- energy that is bounded only --------------------------------------------------------------
 */

static olo_verdict_record bounded_record(void)
{
    olo_verdict_record record = record_of(&ENERGY);
    record.energy_bounded = true;
    return record;
}

/* 1000 states with the energy 1 + amplitude sin(t) + growth t/T, of which one joule is kinetic at
 * the start. */
static olo_verdict wave(double amplitude, double growth, long halvings)
{
    olo_verdict_record record = bounded_record();
    for (int i = 0; i < 1000; i++) {
        const double energy = 1.0 + amplitude * sin(0.37 * i) + growth * i / 1000.0;
        const olo_ledger ledger = {.balance = energy, .kinetic = energy};
        olo_verdict_add(&record, &ledger, halvings);
    }
    return verdict_of(&record);
}

TEST(a_bounded_energy_may_oscillate)
{
    check_equal(OLO_VERDICT_OK, wave(0.05, 0.0, 0).level);
    check_equal(OLO_VERDICT_WARN, wave(0.3, 0.0, 0).level);
    check_equal(OLO_VERDICT_BROKEN, wave(2.0, 0.0, 0).level);
}

TEST(a_bounded_energy_must_not_grow)
{
    check_equal(OLO_VERDICT_OK, wave(0.05, 0.0, 0).level);
    check_equal(OLO_VERDICT_WARN, wave(0.01, 0.05, 0).level);
    check_equal(OLO_VERDICT_BROKEN, wave(0.01, 0.3, 0).level);
    check_equal(OLO_VERDICT_BROKEN, wave(0.01, -0.3, 0).level);
    check_contains("grows", wave(0.01, 0.3, 0).text);
    check_contains("decays", wave(0.01, -0.3, 0).text);
}

TEST(halved_steps_break_the_symplectic_structure)
{
    check_equal(OLO_VERDICT_WARN, wave(0.001, 0.0, 7).level);
    check_contains("7 halved steps broke the symplectic structure", wave(0.001, 0.0, 7).text);
}

/* If a run is unstable, its kinetic energy grows with the error and must not be the scale. */
TEST(growth_is_not_measured_by_the_energy_that_it_makes)
{
    olo_verdict_record record = bounded_record();
    for (int i = 0; i < 100; i++) {
        const double energy = exp(0.1 * i);
        add_energy(&record, energy, energy);
    }
    check_relative(exp(9.9) - 1.0, verdict_of(&record).relative_drift, 1e-12);
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
}

/* A body falls from rest: its error is compared with the released potential energy. */
TEST(released_energy_is_a_measure)
{
    olo_verdict_record record = bounded_record();
    for (int i = 0; i < 100; i++) {
        const olo_ledger ledger = {
            .balance = 0.01 * sin(i), .potential = -i / 10.0, .kinetic = i / 10.0};
        olo_verdict_add(&record, &ledger, 0);
    }
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level);
    check_below(verdict_of(&record).relative_drift, 0.01 / 9.8);
}

/* ---- constraints and velocities ---------------------------------------------------------------
 */

static olo_verdict constraint_verdict(double error, double relative, double bound)
{
    olo_verdict_record record = {.constraints = true, .constraint_bound = bound};
    const olo_ledger ledger = {.constraint_error = error, .constraint_relative = relative};
    olo_verdict_add(&record, &ledger, 0);
    return verdict_of(&record);
}

TEST(exact_constraints_hold_to_rounding_of_their_size)
{
    check_equal(OLO_VERDICT_OK, constraint_verdict(3e-15, 3e-15, 0.0).level);
    check_equal(OLO_VERDICT_BROKEN, constraint_verdict(1e-9, 1e-9, 0.0).level);
}

/* A joint at a distance of 1e9 is open by a unit in the last place of 1e9, which is the error in
 * the text. */
TEST(the_text_names_the_absolute_error)
{
    check_text("satisfied to 1.2e-07", constraint_verdict(1.2e-7, 1e-13, 0.0).text);
}

TEST(a_penalty_is_judged_by_the_size_of_what_gives_way)
{
    const double soft = (double)INFINITY;
    check_equal(OLO_VERDICT_OK, constraint_verdict(1e-3, 1e-3, soft).level);
    check_equal(OLO_VERDICT_WARN, constraint_verdict(5e-2, 5e-2, soft).level);
    check_equal(OLO_VERDICT_BROKEN, constraint_verdict(51.0, 51.0, soft).level);
    check_contains("larger penalty", constraint_verdict(51.0, 51.0, soft).text);
}

TEST(augmented_constraints_hold_to_their_own_tolerance)
{
    check_equal(OLO_VERDICT_OK, constraint_verdict(1e-9, 1e-6, 1e-8).level);
    check_equal(OLO_VERDICT_BROKEN, constraint_verdict(1e-7, 1e-9, 1e-8).level);
}

/* Rounding of positions is proportional to the distance from the origin. */
TEST(a_model_far_from_the_origin_is_a_warning)
{
    olo_verdict_record record = {.constraints = true};
    const olo_ledger ledger = {.constraint_error = 1e-7, .constraint_relative = 1e-13};
    olo_verdict_add(&record, &ledger, 0);
    record.remote = 1e4;
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level);
    record.remote = 1e9;
    check_equal(OLO_VERDICT_WARN, verdict_of(&record).level);
    check_contains("move the model nearer", verdict_of(&record).text);
}

TEST(rows_that_have_grown_are_judged_by_their_size_now)
{
    olo_verdict_record record = {.constraints = true};
    const olo_ledger ledger = {.constraint_error = 4e-12, .constraint_relative = 4e-12};
    olo_verdict_add(&record, &ledger, 0);
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
    record.row_growth = 60.0;
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level);
}

TEST(velocities_off_the_constraints_are_a_warning)
{
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    olo_verdict_record record = {.constraints = true, .velocities = true};
    const olo_ledger ledger = {.kinetic = 1.0};
    olo_verdict_add(&record, &ledger, 0);
    const olo_sizes fine = {.kinetic = 1.0, .normal = 0.9e-3};
    olo_verdict_raise(&record.whole, &fine, 0.0);
    check_equal(2, olo_verdict_list(&record, NULL, verdicts));
    check_equal(OLO_VERDICT_OK, verdicts[1].level);
    const olo_sizes coarse = {.kinetic = 1.0, .normal = 1.2e-3};
    olo_verdict_raise(&record.whole, &coarse, 0.0);
    check_equal(2, olo_verdict_list(&record, NULL, verdicts));
    check_equal(OLO_VERDICT_WARN, verdicts[1].level);
    check_contains("0.12 % of the kinetic energy is not motion", verdicts[1].text);
}

/* The velocities of a body at rest are rounding errors, which violate the constraints. */
TEST(velocities_of_what_rests_are_not_judged)
{
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    olo_verdict_record record = {.constraints = true, .velocities = true};
    const olo_ledger moving = {.kinetic = 1.0};
    olo_verdict_add(&record, &moving, 0);
    const olo_sizes resting = {.kinetic = 1e-20, .normal = 1e-20};
    olo_verdict_raise(&record.whole, &resting, 0.0);
    check_equal(2, olo_verdict_list(&record, NULL, verdicts));
    check_equal(OLO_VERDICT_OK, verdicts[1].level);
}

/* Momenta between two measurements of their sizes: the kinetic energy of every step is a bound for
 * them. */
TEST(momenta_have_a_scale_in_every_step)
{
    olo_verdict_record record = record_of(&SHIFT);
    record.whole.mass = 2.0;
    const olo_ledger still = {0}, moving = {.kinetic = 1.0, .linear_momentum = {1e-13, 0.0, 0.0}};
    olo_verdict_add(&record, &still, 0);
    olo_verdict_add(&record, &moving, 0);
    check_relative(1e-13 / 2.0, verdict_of(&record).relative_drift, 1e-12); // sqrt(2 T m) = 2
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level);
}

/* A constant in the strain energy, as that of a spring with a preload, is no scale of the
 * motion. */
TEST(a_preload_hides_no_drift)
{
    olo_verdict_record record = record_of(&ENERGY);
    for (int i = 0; i < 2; i++) {
        const olo_ledger ledger = {.balance = 1e12 + 10.0 * i, .strain = 1e12, .kinetic = 0.5};
        olo_verdict_add(&record, &ledger, 0);
    }
    check_equal(OLO_VERDICT_BROKEN, verdict_of(&record).level);
}

TEST(a_bounded_energy_at_rest_is_rounding)
{
    olo_verdict_record record = bounded_record();
    const olo_sizes sizes = {.virial = 10.0};
    for (int i = 0; i < 100; i++)
        add_energy(&record, 1e-16 * i, 0.0);
    olo_verdict_raise(&record.whole, &sizes, 0.0);
    check_equal(OLO_VERDICT_OK, verdict_of(&record).level); // 4 epsilon sqrt(100) 10 = 9e-14
}

TEST_MAIN(
    cmocka_unit_test(there_is_no_verdict_before_the_first_state),
    cmocka_unit_test(the_drift_of_energy_is_the_largest_and_relative_to_the_energy_of_the_motion),
    cmocka_unit_test(where_the_potential_is_zero_does_not_matter),
    cmocka_unit_test(a_scheme_that_loses_energy_is_broken),
    cmocka_unit_test(contacts_that_add_energy_are_broken),
    cmocka_unit_test(inaccurate_impacts_are_doubtful),
    cmocka_unit_test(energy_at_rest_is_judged_by_rounding_of_the_coordinates),
    cmocka_unit_test(a_momentum_is_judged_by_the_size_of_the_whole_momentum),
    cmocka_unit_test(a_total_momentum_of_zero_is_judged_by_the_sum_of_magnitudes),
    cmocka_unit_test(what_is_not_a_number_is_broken),
    cmocka_unit_test(the_tolerance_grows_like_a_random_walk_in_long_runs),
    cmocka_unit_test(a_bounded_energy_may_oscillate),
    cmocka_unit_test(a_bounded_energy_must_not_grow),
    cmocka_unit_test(halved_steps_break_the_symplectic_structure),
    cmocka_unit_test(growth_is_not_measured_by_the_energy_that_it_makes),
    cmocka_unit_test(released_energy_is_a_measure),
    cmocka_unit_test(exact_constraints_hold_to_rounding_of_their_size),
    cmocka_unit_test(the_text_names_the_absolute_error),
    cmocka_unit_test(a_penalty_is_judged_by_the_size_of_what_gives_way),
    cmocka_unit_test(augmented_constraints_hold_to_their_own_tolerance),
    cmocka_unit_test(a_model_far_from_the_origin_is_a_warning),
    cmocka_unit_test(rows_that_have_grown_are_judged_by_their_size_now),
    cmocka_unit_test(velocities_off_the_constraints_are_a_warning),
    cmocka_unit_test(velocities_of_what_rests_are_not_judged),
    cmocka_unit_test(momenta_have_a_scale_in_every_step),
    cmocka_unit_test(a_preload_hides_no_drift),
    cmocka_unit_test(a_bounded_energy_at_rest_is_rounding))
