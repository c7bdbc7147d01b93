/* The one set of assertions of all tests, over cmocka. Each prints the expression, what was
 * expected, what was got and the tolerance, with file and line, and ends the test when it fails.
 * Nothing passes with a NaN.
 *
 *     #include "test.h"
 *
 *     TEST(energy_is_constant_for_any_step)
 *     {
 *         olo_error error = {0};
 *         check_ok(olo_simulate(system, state, &error), &error);
 *         check_close(energy_before, energy_after, 1e-12);
 *     }
 *
 *     TEST_MAIN(cmocka_unit_test(energy_is_constant_for_any_step))
 */
#ifndef OLO_TEST_H
#define OLO_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oloid/status.h"

/* |got - expected| <= tolerance. */
#define check_close(expected, got, tolerance)                                                      \
    test_close(#got, (expected), (got), (tolerance), __FILE__, __LINE__)

/* |got - expected| <= tolerance |expected|. */
#define check_relative(expected, got, tolerance)                                                   \
    test_relative(#got, (expected), (got), (tolerance), __FILE__, __LINE__)

/* `got` is a published number of so many decimal digits: half a unit of the last one, and a tenth
 * of that for the rounding of the source. */
#define check_digits(published, got, digits)                                                       \
    check_close((published), (got), 0.55 * pow(10, floor(log10(fabs(published))) + 1 - (digits)))

/* 0 <= value <= bound: the value is a magnitude. A negative one is a mistake of the test, which
 * would pass with any error of that sign: write fabs() in the test. */
#define check_below(value, bound) test_below(#value, (value), (bound), __FILE__, __LINE__)

/* The status is OLO_OK; prints the text of `error` (may be NULL) otherwise. */
#define check_ok(status, error) test_ok(#status, (status), (error), __FILE__, __LINE__)

/* The status is the expected one. */
#define check_status(expected, status)                                                             \
    test_status(#status, (expected), (status), __FILE__, __LINE__)

/* The condition holds. */
#define check_true(condition) test_true(#condition, (condition) ? 1 : 0, __FILE__, __LINE__)

/* Equal integers. */
#define check_equal(expected, got)                                                                 \
    test_equal(#got, (long long)(expected), (long long)(got), __FILE__, __LINE__)

/* Equal strings. */
#define check_text(expected, got) test_text(#got, (expected), (got), __FILE__, __LINE__)

/* `text` contains `part`. */
#define check_contains(part, text) test_contains(#text, (part), (text), __FILE__, __LINE__)

/* Under the address sanitizer everything takes ten to thirty times as long. Tests take fewer
 * samples there, which reach the same code; the numbers are those of the optimised build. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Head of a test function; its argument is cmocka's state. */
#define TEST(name) static void name(__attribute__((unused)) void **state)

/* Entry of a long test whose code is also reached by others: skipped under the sanitizer. */
#define long_unit_test(name)                                                                       \
    {                                                                                              \
#name, SANITIZED ? test_skipped : (name), NULL, NULL, NULL                                 \
    }

/* The larger and the smaller of two numbers, for the largest error of many. A NaN in either gives
 * NaN, which no check passes; fmax() and fmin() would drop it. */
static inline double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

/* The main program: runs the listed tests as one group. */
#define TEST_MAIN(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        (void)setvbuf(stdout, NULL, _IOLBF, 0);                                                    \
        return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;                             \
    }

static inline void test_skipped(__attribute__((unused)) void **state)
{
    skip();
}

static inline void test_close(const char *what, double expected, double got, double tolerance,
                              const char *file, int line)
{
    // equal infinities are close: their difference is not
    if (!(fabs(got - expected) <= tolerance) && !(got == expected)) {
        print_error("%s\n  expected  %.17g\n  got       %.17g\n  error     %.3g\n"
                    "  tolerance %.3g\n",
                    what, expected, got, fabs(got - expected), tolerance);
        _fail(file, line);
    }
}

static inline void test_relative(const char *what, double expected, double got, double tolerance,
                                 const char *file, int line)
{
    if (!(fabs(got - expected) <= tolerance * fabs(expected)) && !(got == expected)) {
        print_error("%s\n  expected  %.17g\n  got       %.17g\n  error     %.3g relative\n"
                    "  tolerance %.3g relative\n",
                    what, expected, got, fabs(got - expected) / fabs(expected), tolerance);
        _fail(file, line);
    }
}

static inline void test_below(const char *what, double value, double bound, const char *file,
                              int line)
{
    if (!(value >= 0 && value <= bound)) {
        print_error("%s\n  expected  a magnitude of at most %.17g\n  got       %.17g\n", what,
                    bound, value);
        _fail(file, line);
    }
}

static inline void test_ok(const char *what, olo_status status, const olo_error *error,
                           const char *file, int line)
{
    if (status != OLO_OK) {
        print_error("%s\n  expected  OK\n  got       %s\n  text      %s\n", what,
                    olo_status_name(status), error != NULL ? error->text : "(none)");
        _fail(file, line);
    }
}

static inline void test_status(const char *what, olo_status expected, olo_status status,
                               const char *file, int line)
{
    if (status != expected) {
        print_error("%s\n  expected  %s\n  got       %s\n", what, olo_status_name(expected),
                    olo_status_name(status));
        _fail(file, line);
    }
}

static inline void test_true(const char *what, int holds, const char *file, int line)
{
    if (!holds) {
        print_error("%s\n  expected  true\n  got       false\n", what);
        _fail(file, line);
    }
}

static inline void test_equal(const char *what, long long expected, long long got, const char *file,
                              int line)
{
    if (got != expected) {
        print_error("%s\n  expected  %lld\n  got       %lld\n", what, expected, got);
        _fail(file, line);
    }
}

static inline void test_text(const char *what, const char *expected, const char *got,
                             const char *file, int line)
{
    const int same = expected == NULL || got == NULL ? expected == got : strcmp(expected, got) == 0;
    if (!same) {
        print_error("%s\n  expected  \"%s\"\n  got       \"%s\"\n", what,
                    expected != NULL ? expected : "(NULL)", got != NULL ? got : "(NULL)");
        _fail(file, line);
    }
}

static inline void test_contains(const char *what, const char *part, const char *text,
                                 const char *file, int line)
{
    if (text == NULL || strstr(text, part) == NULL) {
        print_error("%s\n  expected  something with \"%s\"\n  got       \"%s\"\n", what, part,
                    text != NULL ? text : "(NULL)");
        _fail(file, line);
    }
}

#endif
