/* The assertions of test.h themselves: what each of them must accept and what it must reject. A
 * rejected assertion ends the test, so that each one runs as a test of its own in another process,
 * whose exit status is the number of failed tests. */
#include "test.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does `assertion` fail? Its messages are discarded. */
static bool rejects(void (*assertion)(void **))
{
    (void)fflush(NULL);
    const pid_t child = fork();
    check_true(child >= 0);
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(100);
        const struct CMUnitTest tests[] = {{"assertion", assertion, NULL, NULL, NULL}};
        _exit(cmocka_run_group_tests(tests, NULL, NULL));
    }
    int how = 0;
    check_true(waitpid(child, &how, 0) == child && WIFEXITED(how));
    check_true(WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == 1);
    return WEXITSTATUS(how) == 1;
}

static double expected, value, bound;

TEST(close_of_these)
{
    check_close(expected, value, bound);
}

TEST(relative_of_these)
{
    check_relative(expected, value, bound);
}

TEST(below_of_these)
{
    check_below(value, bound);
}

static bool rejects_numbers(void (*assertion)(void **), double e, double v, double b)
{
    expected = e;
    value = v;
    bound = b;
    return rejects(assertion);
}

TEST(below_takes_magnitudes_only)
{
    check_true(!rejects_numbers(below_of_these, 0, 0.0, 1e-12));
    check_true(!rejects_numbers(below_of_these, 0, -0.0, 0));
    check_true(!rejects_numbers(below_of_these, 0, 1e-12, 1e-12));
    check_true(rejects_numbers(below_of_these, 0, 1.1e-12, 1e-12));
    check_true(rejects_numbers(below_of_these, 0, -1e-300, 1e-12));
    check_true(rejects_numbers(below_of_these, 0, -1, 1e-12));
    check_true(rejects_numbers(below_of_these, 0, -INFINITY, 1e-12));
}

TEST(close_counts_both_signs)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        check_true(!rejects_numbers(close_of_these, 3, 3 + sign * 0.25, 0.25));
        check_true(rejects_numbers(close_of_these, 3, 3 + sign * 0.26, 0.25));
        check_true(!rejects_numbers(relative_of_these, sign * 4, sign * 5, 0.25));
        check_true(rejects_numbers(relative_of_these, sign * 4, sign * 5.1, 0.25));
        check_true(rejects_numbers(relative_of_these, sign * 4, sign * 2.9, 0.25));
        check_true(rejects_numbers(relative_of_these, sign * 4, sign * -4, 0.25));
    }
    check_true(!rejects_numbers(close_of_these, INFINITY, INFINITY, 0));
    check_true(rejects_numbers(close_of_these, INFINITY, -INFINITY, 0));
}

TEST(nothing_passes_with_a_nan)
{
    static void (*const assertions[])(void **) = {close_of_these, relative_of_these,
                                                  below_of_these};
    for (int i = 0; i < 3; i++)
        for (int where = i == 2 ? 1 : 0; where < 3; where++) {
            const double of[3] = {where == 0 ? NAN : 1, where == 1 ? NAN : 1, where == 2 ? NAN : 2};
            // equal numbers are close whatever the tolerance says
            const bool equal = where == 2 && i < 2;
            check_true(rejects_numbers(assertions[i], equal ? 3 : of[0], of[1], of[2]));
        }
}

TEST(the_largest_of_many_numbers_is_nan_if_one_is)
{
    check_close(2.0, larger(larger(1, 2), -3), 0);
    check_close(-3.0, smaller(smaller(1, 2), -3), 0);
    check_true(isnan(larger(NAN, 1)) && isnan(larger(1, NAN)));
    check_true(isnan(smaller(NAN, 1)) && isnan(smaller(1, NAN)));
}

TEST(another_status)
{
    check_status(OLO_IO, OLO_NO_MEMORY);
}

TEST(not_ok)
{
    check_ok(OLO_IO, NULL);
}

TEST(not_true)
{
    check_true(1 > 2);
}

TEST(not_equal)
{
    check_equal(1, 2);
}

TEST(other_text)
{
    check_text("energy", "momentum");
}

TEST(no_text)
{
    check_text("energy", NULL);
}

TEST(not_contained)
{
    check_contains("energy", "linear momentum");
}

TEST(contained_in_nothing)
{
    check_contains("energy", NULL);
}

TEST(what_differs_fails)
{
    static void (*const assertions[])(void **) = {
        another_status, not_ok,     not_true,      not_equal,
        no_text,        other_text, not_contained, contained_in_nothing};
    for (size_t i = 0; i < sizeof assertions / sizeof assertions[0]; i++)
        check_true(rejects(assertions[i]));
}

TEST_MAIN(cmocka_unit_test(below_takes_magnitudes_only), cmocka_unit_test(close_counts_both_signs),
          cmocka_unit_test(nothing_passes_with_a_nan),
          cmocka_unit_test(the_largest_of_many_numbers_is_nan_if_one_is),
          cmocka_unit_test(what_differs_fails))
