/* The ledger of frames and hinges, computed for four bodies at once, is that of single entries,
 * rows and terms. */
#include "joined.h"

#include "system/ledger_simd.h"

/* Any configuration and velocities, far from all constraints. */
static void scatter(scene *s, unsigned long long *seed)
{
    for (int i = 0; i < s->system->n; i++) {
        s->state->q[i] += 0.3 * scene_random(seed);
        s->state->v[i] += scene_random(seed);
    }
}

/* The same ledger entry by entry. */
static olo_ledger plain_ledger(scene *s)
{
    olo_ledger_simd *ledger_simd = s->system->ledger_simd;
    s->system->ledger_simd = NULL;
    olo_ledger ledger = scene_ledger(s);
    s->system->ledger_simd = ledger_simd;
    return ledger;
}

static void check_ledgers(const olo_ledger *a, const olo_ledger *b)
{
    const double tolerance = 1e-13;
    check_relative(a->kinetic, b->kinetic, tolerance);
    check_close(a->potential, b->potential, tolerance * (fabs(a->potential) + a->kinetic));
    for (int i = 0; i < 3; i++) {
        check_close(a->linear_momentum[i], b->linear_momentum[i],
                    tolerance * (norm3(a->linear_momentum) + a->kinetic));
        check_close(a->angular_momentum[i], b->angular_momentum[i],
                    tolerance * (norm3(a->angular_momentum) + a->kinetic));
    }
    check_relative(a->constraint_error, b->constraint_error, tolerance);
    check_relative(a->constraint_relative, b->constraint_relative, tolerance);
    check_relative(a->velocity_error, b->velocity_error, tolerance);
}

/* The ledger computes trees in groups of four. */
TEST(ledger_of_fours_is_that_of_single_entries)
{
    unsigned long long seed = 3;
    for (int k = 1; k <= 40; k++) {
        bool whole = k % 4 != 0;
        joined x = whole
                       ? joined_hinges((unsigned)k, 3 + k % 9, k % 2 ? JOINED_PAIRS : JOINED_HINGES)
                       : joined_tree((unsigned)k, 3 + k % 9);
        scene s = joined_open(&x, "reduced");
        const int *left;
        check_true((s.system->ledger_simd != NULL) == (s.system->frame_count >= 4));
        if (whole && s.system->ledger_simd) {
            check_equal(0, olo_ledger_simd_groups(s.system->ledger_simd, &left));
            check_equal(0, olo_ledger_simd_terms(s.system->ledger_simd, &left));
        }
        for (int i = 0; i < 3; i++) {
            scatter(&s, &seed);
            olo_ledger fours = scene_ledger(&s), single = plain_ledger(&s);
            check_ledgers(&single, &fours);
        }
        scene_close(&s);
        joined_free(&x);
    }
}

TEST(ledger_has_the_same_bits_on_any_processor)
{
    unsigned long long seed = 5;
    for (int k = 1; k <= 10; k++) {
        joined x = joined_hinges((unsigned)k, 4 + k, k % 2 ? JOINED_PAIRS : JOINED_HINGES);
        scene s = joined_open(&x, "reduced");
        olo_ledger_simd *ledger_simd[2];
        olo_ledger_simd_sums sums[2];
        scatter(&s, &seed);
        memset(sums, 0, sizeof sums);
        for (int plain = 0; plain < 2; plain++) {
            check_true(olo_ledger_simd_create(s.system, plain, &ledger_simd[plain]));
            check_true(
                olo_ledger_simd_sum(ledger_simd[plain], s.state->q, s.state->v, &sums[plain]));
            olo_ledger_simd_free(ledger_simd[plain]);
        }
        check_true(memcmp(&sums[0], &sums[1], sizeof *sums) == 0);
        scene_close(&s);
        joined_free(&x);
    }
}

/* Values that are not finite are reported; the maximum of the others must not hide them. */
TEST(what_is_not_finite_shows_in_the_ledger)
{
    joined x = joined_hinges(1, 6, JOINED_HINGES);
    scene s = joined_open(&x, "reduced");
    s.state->q[40] = NAN;
    olo_ledger ledger = scene_ledger(&s);
    check_true(isnan(ledger.constraint_error));
    check_true(isnan(ledger.angular_momentum[0] + ledger.angular_momentum[1]));
    scene_close(&s);
    joined_free(&x);
}

TEST_MAIN(cmocka_unit_test(ledger_of_fours_is_that_of_single_entries),
          cmocka_unit_test(ledger_has_the_same_bits_on_any_processor),
          cmocka_unit_test(what_is_not_finite_shows_in_the_ledger))
