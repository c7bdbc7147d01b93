/* Parameters: definitions in any order, cycles, replacements, derivatives with respect to a
 * parameter. */
#include "test.h"

#include "base/memory.h"
#include "model/parameters.h"

static olo_parameters *created(void)
{
    olo_error error = {0};
    olo_parameters *parameters = NULL;
    check_ok(olo_parameters_create(&parameters, &error), &error);
    return parameters;
}

static void add(olo_parameters *parameters, const char *name, const char *expression)
{
    olo_error error = {0};
    check_ok(olo_parameters_add(parameters, name, expression, &error), &error);
}

static void resolve(olo_parameters *parameters)
{
    olo_error error = {0};
    olo_parameters_location location;
    check_ok(olo_parameters_resolve(parameters, &location, &error), &error);
    check_true(location.parameter == OLO_PARAMETER_NONE && location.column == 0);
}

static void refused(olo_parameters *parameters, size_t parameter, size_t column, const char *text)
{
    olo_error error = {0};
    olo_parameters_location location = {77, 77};
    check_status(OLO_BAD_INPUT, olo_parameters_resolve(parameters, &location, &error));
    check_text(text, error.text);
    check_equal(parameter, location.parameter);
    check_equal(column, location.column);
    check_status(OLO_BAD_INPUT, olo_parameters_resolve(parameters, NULL, NULL));
    for (size_t i = 0; i < olo_parameters_count(parameters); i++)
        check_true(isnan(olo_parameters_value(parameters, i)));
}

static double value(const olo_parameters *parameters, const char *name)
{
    const size_t i = olo_parameters_find(parameters, name);
    check_true(i != OLO_PARAMETER_NONE);
    return olo_parameters_value(parameters, i);
}

/* area = width*height, width = 2*height, height = 3, mass = density*area, density = 7. */
static olo_parameters *example(void)
{
    olo_parameters *parameters = created();
    add(parameters, "mass", "density*area");
    add(parameters, "area", "width*height");
    add(parameters, "width", "2*height");
    check_ok(olo_parameters_add_number(parameters, "height", 3, NULL), NULL);
    add(parameters, "density", "7");
    return parameters;
}

TEST(parameters_may_come_in_any_order)
{
    olo_parameters *parameters = example();
    check_true(isnan(value(parameters, "mass")));
    resolve(parameters);
    check_equal(5, olo_parameters_count(parameters));
    check_close(3, value(parameters, "height"), 0);
    check_close(6, value(parameters, "width"), 0);
    check_close(18, value(parameters, "area"), 0);
    check_close(126, value(parameters, "mass"), 0);
    check_close(126, olo_parameters_values(parameters)[0], 0);
    check_text("width", olo_parameters_names(parameters)[2]);
    check_true(olo_parameters_find(parameters, "depth") == OLO_PARAMETER_NONE);
    olo_parameters_free(parameters);
}

TEST(an_empty_set_is_resolved)
{
    olo_parameters *parameters = created();
    resolve(parameters);
    check_equal(0, olo_parameters_count(parameters));
    check_true(olo_parameters_free(parameters) == NULL);
    check_true(olo_parameters_free(NULL) == NULL);
}

TEST(a_replacement_reaches_all_that_depend_on_it)
{
    olo_error error = {0};
    olo_parameters *parameters = example();
    resolve(parameters);
    check_ok(olo_parameters_set(parameters, "height", "density - 2", &error), &error);
    check_true(isnan(value(parameters, "mass")));
    resolve(parameters);
    check_close(5, value(parameters, "height"), 0);
    check_close(350, value(parameters, "mass"), 0);
    check_ok(olo_parameters_set_number(parameters, "area", 1, &error), &error);
    resolve(parameters);
    check_close(7, value(parameters, "mass"), 0);
    check_ok(olo_parameters_set(parameters, "density", "sqrt(16)", &error), &error);
    resolve(parameters);
    check_close(4, value(parameters, "mass"), 0);
    add(parameters, "cost", "mass/4 + 1");
    check_true(isnan(value(parameters, "mass")));
    resolve(parameters);
    check_close(2, value(parameters, "cost"), 0);
    olo_parameters_free(parameters);
}

static void no_parameter(olo_parameters *parameters, const char *name, const char *text)
{
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, olo_parameters_set(parameters, name, "2", &error));
    check_text(text, error.text);
}

TEST(replacements_that_are_wrong_are_refused)
{
    olo_error error = {0};
    olo_parameters *parameters = example();
    resolve(parameters);
    no_parameter(parameters, "hieght", "there is no parameter 'hieght'; did you mean 'height'?");
    no_parameter(parameters, "colour", "there is no parameter 'colour'");
    no_parameter(parameters, "", "there is no parameter ''");
    check_status(OLO_BAD_INPUT, olo_parameters_set(parameters, "hieght", "2", NULL));
    check_status(OLO_BAD_INPUT, olo_parameters_set_number(parameters, "height", NAN, &error));
    check_contains("parameter 'height': nan is not a finite number", error.text);
    check_close(126, value(parameters, "mass"), 0);

    /* the expression is compiled when all names are known */
    check_ok(olo_parameters_set(parameters, "height", "=2", &error), &error);
    refused(parameters, 3, 1,
            "parameter 'height': unexpected character '=' at column 1 of '=2'; did you mean '=='?");
    check_ok(olo_parameters_set(parameters, "height", "", &error), &error);
    refused(parameters, 3, 1, "parameter 'height': empty expression at column 1 of ''");
    olo_parameters_free(parameters);
}

static void bad_name(olo_parameters *parameters, const char *name, const char *text)
{
    olo_error error = {0};
    const size_t count = olo_parameters_count(parameters);
    check_status(OLO_BAD_INPUT, olo_parameters_add(parameters, name, "1", &error));
    check_text(text, error.text);
    check_equal(count, olo_parameters_count(parameters));
}

TEST(names_are_checked)
{
    olo_error error = {0};
    olo_parameters *parameters = created();
    add(parameters, "a", "1");
    bad_name(parameters, "a", "parameter 'a' is defined twice");
    bad_name(parameters, "pi", "parameter 'pi': this name is reserved in expressions");
    bad_name(parameters, "sin", "parameter 'sin': this name is reserved in expressions");
    bad_name(parameters, "if", "parameter 'if': this name is reserved in expressions");
    bad_name(parameters, "not", "parameter 'not': this name is reserved in expressions");
    bad_name(parameters, "2a", "parameter '2a': a name has letters, digits and _, no digit first");
    bad_name(parameters, "", "parameter '': a name has letters, digits and _, no digit first");
    char name[66];
    memset(name, 'n', sizeof name);
    name[65] = '\0';
    bad_name(parameters, name,
             "parameter 'nnnnnnnnnnnnnnnnnnnn...': name is longer than 64 characters");
    name[64] = '\0';
    add(parameters, name, "a+1");
    check_status(OLO_BAD_INPUT, olo_parameters_add_number(parameters, "b", INFINITY, &error));
    resolve(parameters);
    check_close(2, value(parameters, name), 0);
    olo_parameters_free(parameters);
}

TEST(an_error_names_the_parameter_and_the_column)
{
    olo_parameters *parameters = created();
    add(parameters, "length", "2");
    add(parameters, "twice", "2*lenght");
    refused(parameters, 1, 3,
            "parameter 'twice': unknown name 'lenght' at column 3 of '2*lenght'; did you mean "
            "'length'?");
    check_ok(olo_parameters_set(parameters, "twice", "1/(length-2)", NULL), NULL);
    refused(parameters, 1, 0, "parameter 'twice': '1/(length-2)' is not finite");
    olo_parameters_free(parameters);
}

TEST(a_cycle_is_named)
{
    olo_parameters *parameters = created();
    add(parameters, "start", "b+1");
    add(parameters, "a", "2*b");
    add(parameters, "c", "5");
    add(parameters, "b", "c+a");
    refused(parameters, 3, 0, "parameters 'b' -> 'a' -> 'b' form a cycle");
    check_ok(olo_parameters_set(parameters, "b", "c*b", NULL), NULL);
    refused(parameters, 3, 0, "parameters 'b' -> 'b' form a cycle");
    check_ok(olo_parameters_set(parameters, "b", "c", NULL), NULL);
    resolve(parameters);
    check_close(10, value(parameters, "a"), 0);
    olo_parameters_free(parameters);
}

/* p0 = p1, p1 = p2, ..., and the last is `last`. */
static olo_parameters *chain(int length, const char *last)
{
    olo_parameters *parameters = created();
    for (int i = 0; i < length; i++) {
        char name[16], next[16];
        snprintf(name, sizeof name, "p%d", i);
        snprintf(next, sizeof next, "p%d", i + 1);
        add(parameters, name, i + 1 < length ? next : last);
    }
    return parameters;
}

TEST(long_chains_and_long_cycles_are_no_burden)
{
    olo_parameters *parameters = chain(2000, "42");
    resolve(parameters);
    check_close(42, value(parameters, "p0"), 0);
    olo_parameters_free(parameters);
    parameters = chain(2000, "p5");
    refused(parameters, 5, 0,
            "parameters 'p5' -> 'p6' -> 'p7' -> 'p8' -> 'p9' -> 'p10' -> 'p11' -> 'p12' -> 'p13' "
            "-> 'p14' -> ... -> 'p5' form a cycle");
    olo_parameters_free(parameters);
}

TEST(derivatives_by_a_parameter_follow_the_definitions)
{
    olo_parameters *parameters = example();
    resolve(parameters);
    double d[5];
    olo_parameters_derivatives(parameters, olo_parameters_find(parameters, "height"), d);
    /* mass = density*2*height^2 */
    check_relative(7 * 4 * 3, d[0], 1e-15);
    check_relative(4 * 3, d[1], 1e-15);
    check_relative(2, d[2], 1e-15);
    check_close(1, d[3], 0);
    check_close(0, d[4], 0);

    olo_expression *expression = NULL;
    check_ok(olo_expression_compile("sin(mass) + height", olo_parameters_names(parameters),
                                    olo_parameters_count(parameters), &expression, NULL, NULL),
             NULL);
    check_relative(cos(126) * 84 + 1,
                   olo_parameters_expression_derivative(parameters, expression, d), 1e-14);

    /* with respect to a parameter with a definition, which is then ignored */
    olo_parameters_derivatives(parameters, olo_parameters_find(parameters, "width"), d);
    check_relative(21, d[0], 1e-15);
    check_relative(3, d[1], 1e-15);
    check_close(1, d[2], 0);
    check_close(0, d[3], 0);
    olo_expression_free(expression);
    olo_parameters_free(parameters);
}

/* Calls every function once; returns the first status that is not OK. */
static olo_status everything(olo_error *error)
{
    olo_parameters *parameters = NULL;
    olo_status status = olo_parameters_create(&parameters, error);
    for (int i = 0; i < 10 && status == OLO_OK; i++) {
        char name[16], next[16];
        snprintf(name, sizeof name, "p%d", i);
        snprintf(next, sizeof next, "2*p%d", i + 1);
        status = i < 9 ? olo_parameters_add(parameters, name, next, error)
                       : olo_parameters_add_number(parameters, name, 1, error);
    }
    if (status == OLO_OK)
        status = olo_parameters_resolve(parameters, NULL, error);
    if (status == OLO_OK)
        status = olo_parameters_set(parameters, "p9", "3", error);
    if (status == OLO_OK)
        status = olo_parameters_resolve(parameters, NULL, error);
    if (status == OLO_OK)
        check_close(1536, olo_parameters_value(parameters, 0), 0);
    olo_parameters_free(parameters);
    return status;
}

TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    const size_t alive = olo_memory_alive();
    for (size_t n = 1;; n++) {
        olo_error error = {0};
        olo_memory_fail_at(n);
        const olo_status status = everything(&error);
        olo_memory_fail_at(0);
        check_equal(alive, olo_memory_alive());
        if (status == OLO_OK) {
            check_true(n > 50);
            break;
        }
        check_status(OLO_NO_MEMORY, status);
        check_contains("out of memory", error.text);
    }
}

TEST(a_set_can_be_used_on_after_a_failed_allocation)
{
    olo_parameters *parameters = example();
    resolve(parameters);
    olo_memory_fail_at(1);
    check_status(OLO_NO_MEMORY, olo_parameters_set(parameters, "height", "4", NULL));
    olo_memory_fail_at(0);
    check_close(126, value(parameters, "mass"), 0);
    for (size_t n = 1;; n++) {
        olo_memory_fail_at(n);
        const olo_status status = olo_parameters_resolve(parameters, NULL, NULL);
        olo_memory_fail_at(0);
        if (status == OLO_OK)
            break;
        check_true(isnan(value(parameters, "mass")));
        resolve(parameters);
        check_close(126, value(parameters, "mass"), 0);
    }
    olo_parameters_free(parameters);
}

TEST_MAIN(cmocka_unit_test(parameters_may_come_in_any_order),
          cmocka_unit_test(an_empty_set_is_resolved),
          cmocka_unit_test(a_replacement_reaches_all_that_depend_on_it),
          cmocka_unit_test(replacements_that_are_wrong_are_refused),
          cmocka_unit_test(names_are_checked),
          cmocka_unit_test(an_error_names_the_parameter_and_the_column),
          cmocka_unit_test(a_cycle_is_named),
          cmocka_unit_test(long_chains_and_long_cycles_are_no_burden),
          cmocka_unit_test(derivatives_by_a_parameter_follow_the_definitions),
          cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
          cmocka_unit_test(a_set_can_be_used_on_after_a_failed_allocation))
