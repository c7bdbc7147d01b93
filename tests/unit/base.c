/* Statuses, error texts, memory, remarks, suggestions, sums, progress, version. */
#include "test.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/suggest.h"
#include "base/sum.h"
#include "oloid/version.h"

/* Statuses and error texts. */

TEST(every_status_has_a_name_a_text_and_an_exit_code)
{
    for (int i = 0; i < OLO_STATUS_COUNT; i++) {
        const olo_status status = (olo_status)i;
        check_true(strlen(olo_status_name(status)) > 0);
        check_true(strlen(olo_status_text(status)) > 0);
        check_true((olo_status_exit_code(status) == 0) == (status == OLO_OK));
    }
    check_text("BAD_INPUT", olo_status_name(OLO_BAD_INPUT));
    check_text("out of memory", olo_status_text(OLO_NO_MEMORY));
    check_equal(130, olo_status_exit_code(OLO_INTERRUPTED));
}

TEST(a_number_that_is_no_status_is_an_internal_error)
{
    check_text("INTERNAL", olo_status_name(OLO_STATUS_COUNT));
    check_text("INTERNAL", olo_status_name((olo_status)10000));
}

TEST(a_failure_sets_status_and_text)
{
    olo_error error = {0};
    const olo_status status = olo_fail(&error, OLO_BAD_INPUT, "joint '%s': axis %d", "elbow", 2);
    check_status(OLO_BAD_INPUT, status);
    check_status(OLO_BAD_INPUT, error.status);
    check_text("joint 'elbow': axis 2", error.text);
}

TEST(an_error_may_be_null)
{
    check_status(OLO_IO, olo_fail(NULL, OLO_IO, "lost"));
    check_status(OLO_IO, olo_fail_context(NULL, OLO_IO, "lost"));
}

TEST(context_goes_before_the_text)
{
    olo_error error = {0};
    olo_fail(&error, OLO_SINGULAR, "pivot %d is zero", 3);
    check_status(OLO_SINGULAR, olo_fail_context(&error, OLO_SINGULAR, "step %d", 17));
    check_status(OLO_NOT_CONVERGED, olo_fail_context(&error, OLO_NOT_CONVERGED, "model 'top'"));
    check_text("model 'top': step 17: pivot 3 is zero", error.text);
    check_status(OLO_NOT_CONVERGED, error.status);
}

TEST(context_for_a_cause_without_words_uses_the_status)
{
    olo_error error = {0};
    olo_fail_context(&error, OLO_NO_MEMORY, "body 'rod'");
    check_text("body 'rod': out of memory", error.text);
}

TEST(success_leaves_the_error_alone)
{
    olo_error error = {0};
    check_status(OLO_OK, olo_fail_context(&error, OLO_OK, "step 1"));
    check_text("", error.text);
}

TEST(an_error_text_may_be_its_own_argument)
{
    olo_error error = {0};
    olo_fail(&error, OLO_IO, "disk full");
    olo_fail(&error, OLO_IO, "write: %s", error.text);
    check_text("write: disk full", error.text);
}

TEST(long_texts_are_truncated_to_the_buffer)
{
    char longer[2 * OLO_ERROR_TEXT_SIZE];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';

    olo_error error = {0};
    olo_fail(&error, OLO_BAD_INPUT, "%s", longer);
    check_equal(OLO_ERROR_TEXT_SIZE - 1, strlen(error.text));

    olo_fail_context(&error, OLO_BAD_INPUT, "model 'top'");
    check_equal(OLO_ERROR_TEXT_SIZE - 1, strlen(error.text));
    check_contains("model 'top': xxx", error.text);

    olo_fail_context(&error, OLO_BAD_INPUT, "%s", longer);
    check_equal(OLO_ERROR_TEXT_SIZE - 1, strlen(error.text));
    check_true(strchr(error.text, ':') == NULL);
}

TEST(truncation_never_cuts_a_character)
{
    // "é" is two bytes; with an odd number of bytes before it, one of them would be cut in half
    for (int lead = 0; lead < 2; lead++) {
        char text[OLO_ERROR_TEXT_SIZE + 64];
        size_t length = 0;
        if (lead == 1)
            text[length++] = 'a';
        while (length + 2 < sizeof text) {
            text[length++] = (char)0xC3;
            text[length++] = (char)0xA9;
        }
        text[length] = '\0';

        olo_error error = {0};
        olo_fail(&error, OLO_BAD_INPUT, "%s", text);
        const size_t stored = strlen(error.text);
        check_true(stored >= OLO_ERROR_TEXT_SIZE - 2);
        check_equal(lead, stored % 2);
        check_equal(0xA9, (unsigned char)error.text[stored - 1]);
    }
}

/* Memory. */

TEST(blocks_are_zeroed_and_aligned)
{
    const size_t alive = olo_memory_alive();
    const size_t count = olo_memory_count();
    for (size_t n = 1; n < 200; n += 7) {
        double *x = olo_alloc(n, sizeof *x);
        check_true(x != NULL);
        check_equal(0, (uintptr_t)x % 64);
        for (size_t i = 0; i < n; i++) {
            check_true(x[i] == 0.0);
            x[i] = 1.0;
        }
        check_equal(alive + 1, olo_memory_alive());
        x = olo_free(x);
        check_true(x == NULL);
    }
    check_equal(alive, olo_memory_alive());
    check_equal(count + 29, olo_memory_count());
}

TEST(nothing_is_a_valid_block)
{
    void *none = olo_alloc(0, 8);
    check_true(none != NULL);
    none = olo_realloc(none, 0, 4, 8);
    check_true(none != NULL);
    none = olo_realloc(none, 4, 0, 8);
    check_true(none != NULL);
    olo_free(none);
    olo_free(NULL);
}

TEST(a_product_that_overflows_is_out_of_memory)
{
    const size_t alive = olo_memory_alive();
    // hidden from the compiler, which would warn of the size
    volatile size_t huge = SIZE_MAX / 2 + 2;
    check_true(olo_alloc(huge, 2) == NULL);
    check_true(olo_alloc(huge, 1) == NULL);
    check_true(olo_realloc(NULL, 0, huge, 4) == NULL);
    size_t capacity = huge;
    check_true(olo_grow(NULL, huge, &capacity, 1) == NULL);
    check_equal(huge, capacity);
    check_equal(alive, olo_memory_alive());
}

TEST(realloc_copies_old_items_and_zeroes_new_ones)
{
    int *x = olo_realloc(NULL, 0, 3, sizeof *x);
    check_true(x != NULL);
    for (int i = 0; i < 3; i++)
        x[i] = i + 1;
    x = olo_realloc(x, 3, 6, sizeof *x);
    check_true(x != NULL);
    for (int i = 0; i < 6; i++)
        check_equal(i < 3 ? i + 1 : 0, x[i]);
    x = olo_realloc(x, 6, 2, sizeof *x);
    check_true(x != NULL);
    check_equal(1, x[0]);
    check_equal(2, x[1]);
    olo_free(x);
}

TEST(a_growing_list_copies_its_items_and_doubles)
{
    const size_t before = olo_memory_count();
    size_t capacity = 0;
    int *list = NULL;
    for (int i = 0; i < 1000; i++) {
        list = olo_grow(list, (size_t)i, &capacity, sizeof *list);
        check_true(list != NULL);
        check_true(capacity > (size_t)i);
        list[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        check_equal(i, list[i]);
    check_true(olo_memory_count() - before < 12);
    olo_free(list);
}

TEST(strings_are_copied)
{
    const char *text = "Schatz";
    char *copy = olo_strdup(text);
    check_text(text, copy);
    check_true(copy != text);
    olo_free(copy);
    check_true(olo_strdup(NULL) == NULL);
}

TEST(the_chosen_allocation_fails_once)
{
    const size_t alive = olo_memory_alive();
    olo_memory_fail_at(3);
    void *a = olo_alloc(1, 1);
    void *b = olo_alloc(1, 1);
    void *c = olo_alloc(1, 1);
    void *d = olo_alloc(1, 1);
    check_true(a != NULL && b != NULL && c == NULL && d != NULL);
    olo_free(a);
    olo_free(b);
    olo_free(d);
    check_equal(alive, olo_memory_alive());
}

TEST(injection_can_be_called_off)
{
    olo_memory_fail_at(1);
    olo_memory_fail_at(0);
    void *a = olo_alloc(1, 1);
    check_true(a != NULL);
    olo_free(a);
}

TEST(a_failed_realloc_leaves_the_old_block)
{
    size_t capacity = 0;
    int *list = olo_grow(NULL, 0, &capacity, sizeof *list);
    check_true(list != NULL);
    list[0] = 42;

    olo_memory_fail_at(1);
    check_true(olo_realloc(list, capacity, 2 * capacity, sizeof *list) == NULL);
    check_equal(42, list[0]);

    const size_t full = capacity;
    olo_memory_fail_at(1);
    check_true(olo_grow(list, full, &capacity, sizeof *list) == NULL);
    check_equal(full, capacity);
    check_equal(42, list[0]);
    olo_free(list);

    olo_memory_fail_at(1);
    check_true(olo_strdup("text") == NULL);
}

/* Suggestions. */

static const char *const joints[] = {"revolute",    "prismatic", "spherical",
                                     "cylindrical", "fixed",     NULL};

static const char *suggest_joint(const char *word)
{
    return olo_suggest(word, joints, sizeof joints / sizeof joints[0]);
}

TEST(one_slip_of_each_kind_is_understood)
{
    check_text("revolute", suggest_joint("revolut"));   // missing
    check_text("revolute", suggest_joint("revollute")); // extra
    check_text("revolute", suggest_joint("revolite"));  // wrong
    check_text("revolute", suggest_joint("reovlute"));  // swapped
    check_text("fixed", suggest_joint("fxied")); // swapped: the only slip a short word may have
    check_text("spherical", suggest_joint("SPHERICAL"));
    check_text("cylindrical", suggest_joint("cilyndricl"));
}

TEST(a_word_far_from_every_name_gets_no_suggestion)
{
    check_true(suggest_joint("hinge") == NULL);
    check_true(suggest_joint("fxd") == NULL);
    check_true(suggest_joint("") == NULL);
    check_true(suggest_joint(NULL) == NULL);
    check_true(olo_suggest("fixed", NULL, 0) == NULL);

    char longer[200];
    memset(longer, 'f', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    check_true(suggest_joint(longer) == NULL);
}

TEST(the_nearest_name_wins_and_the_first_of_equals)
{
    const char *const names[] = {"masses", "mass", "mast"};
    check_text("mass", olo_suggest("mas", names, 3));
    check_text("masses", olo_suggest("massess", names, 3));
}

TEST(a_suggestion_shares_letters_with_the_word)
{
    const char *const names[] = {"y", "xz"};
    check_text("xz", olo_suggest("x", names, 2));
    check_true(olo_suggest("x", names, 1) == NULL);
}

/* Sums. */

TEST(small_terms_survive_large_ones)
{
    // the plain sum is 0; the example of Neumaier
    olo_sum sum = {0};
    const double terms[] = {1.0, 1e100, 1.0, -1e100};
    for (int i = 0; i < 4; i++)
        olo_sum_add(&sum, terms[i]);
    check_close(2.0, olo_sum_value(&sum), 0.0);
}

TEST(a_million_tenths_are_exact_to_the_last_bit)
{
    olo_sum sum = {0};
    double plain = 0.0;
    for (int i = 0; i < 1000000; i++) {
        olo_sum_add(&sum, 0.1);
        plain += 0.1;
    }
    // 0.1 is not a double: a million times its nearest one, rounded once
    check_close(1000000 * 0.1, olo_sum_value(&sum), 0.0);
    check_true(fabs(plain - 1e5) > 1e-8);
}

/* Clocks and progress. */

TEST(clocks_never_run_backwards)
{
    const double wall = olo_clock_seconds();
    const double cpu = olo_cpu_seconds();
    volatile double x = 0.0;
    for (int i = 0; i < 1000000; i++)
        x = x + 1.0;
    check_true(olo_clock_seconds() >= wall);
    check_true(olo_cpu_seconds() > cpu);
}

TEST(a_steady_job_ends_when_the_rule_of_three_says)
{
    olo_progress progress;
    olo_progress_start(&progress, 100.0);
    check_true(isinf(olo_progress_remaining_seconds(&progress)));
    for (int i = 1; i <= 30; i++) {
        olo_progress_update(&progress, 100.0 + i, 0.01 * i);
        check_relative(0.01, olo_progress_rate(&progress), 1e-12);
        check_relative(100.0 - i, olo_progress_remaining_seconds(&progress), 1e-12);
    }
    olo_progress_update(&progress, 150.0, 1.0);
    check_close(0.0, olo_progress_remaining_seconds(&progress), 0.0);
}

TEST(the_estimate_follows_a_change_of_pace)
{
    olo_progress progress;
    olo_progress_start(&progress, 0.0);
    olo_progress_update(&progress, 10.0, 0.5);
    for (int i = 1; i <= 100; i++)
        olo_progress_update(&progress, 10.0 + i, 0.5 + 0.001 * i);
    check_relative(0.001, olo_progress_rate(&progress), 0.01);
}

TEST(progress_that_goes_back_is_ignored)
{
    olo_progress progress;
    olo_progress_start(&progress, 0.0);
    olo_progress_update(&progress, 1.0, 0.1);
    const olo_progress before = progress;
    olo_progress_update(&progress, 0.5, 0.2);
    olo_progress_update(&progress, 2.0, 0.05);
    olo_progress_update(&progress, 2.0, (double)NAN);
    check_close(before.last, progress.last, 0.0);
    check_close(before.fraction, progress.fraction, 0.0);
    check_close(9.0, olo_progress_remaining_seconds(&progress), 1e-12);
}

/* Version. */

TEST(library_and_headers_are_of_one_version)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%d.%d.%d", OLO_VERSION_MAJOR, OLO_VERSION_MINOR,
                   OLO_VERSION_PATCH);
    check_text(text, OLO_VERSION);
    check_text(OLO_VERSION, olo_version());
}

TEST_MAIN(cmocka_unit_test(every_status_has_a_name_a_text_and_an_exit_code),
          cmocka_unit_test(a_number_that_is_no_status_is_an_internal_error),
          cmocka_unit_test(a_failure_sets_status_and_text), cmocka_unit_test(an_error_may_be_null),
          cmocka_unit_test(context_goes_before_the_text),
          cmocka_unit_test(context_for_a_cause_without_words_uses_the_status),
          cmocka_unit_test(success_leaves_the_error_alone),
          cmocka_unit_test(an_error_text_may_be_its_own_argument),
          cmocka_unit_test(long_texts_are_truncated_to_the_buffer),
          cmocka_unit_test(truncation_never_cuts_a_character),
          cmocka_unit_test(blocks_are_zeroed_and_aligned),
          cmocka_unit_test(nothing_is_a_valid_block),
          cmocka_unit_test(a_product_that_overflows_is_out_of_memory),
          cmocka_unit_test(realloc_copies_old_items_and_zeroes_new_ones),
          cmocka_unit_test(a_growing_list_copies_its_items_and_doubles),
          cmocka_unit_test(strings_are_copied), cmocka_unit_test(the_chosen_allocation_fails_once),
          cmocka_unit_test(injection_can_be_called_off),
          cmocka_unit_test(a_failed_realloc_leaves_the_old_block),
          cmocka_unit_test(one_slip_of_each_kind_is_understood),
          cmocka_unit_test(a_word_far_from_every_name_gets_no_suggestion),
          cmocka_unit_test(the_nearest_name_wins_and_the_first_of_equals),
          cmocka_unit_test(a_suggestion_shares_letters_with_the_word),
          cmocka_unit_test(small_terms_survive_large_ones),
          cmocka_unit_test(a_million_tenths_are_exact_to_the_last_bit),
          cmocka_unit_test(clocks_never_run_backwards),
          cmocka_unit_test(a_steady_job_ends_when_the_rule_of_three_says),
          cmocka_unit_test(the_estimate_follows_a_change_of_pace),
          cmocka_unit_test(progress_that_goes_back_is_ignored),
          cmocka_unit_test(library_and_headers_are_of_one_version))
