/* Expressions: values, precedence, errors with their columns, exact derivatives, limits; no text
 * causes a leak or a crash. */
#include "test.h"

#include <locale.h>
#include <stdlib.h>

#include "base/expression.h"
#include "base/memory.h"

static const char *const names[] = {"x", "y", "z", "length"};
static const double point[] = {0.7, 1.3, -0.4, 2.5};
enum { COUNT = 4 };

static olo_expression *compiled(const char *text)
{
    olo_error error = {0};
    olo_expression *expression = NULL;
    size_t column = 99;
    check_ok(olo_expression_compile(text, names, COUNT, &expression, &column, &error), &error);
    check_equal(0, column);
    return expression;
}

static double value(const char *text)
{
    olo_expression *expression = compiled(text);
    const double result = olo_expression_value(expression, point);
    olo_expression_free(expression);
    return result;
}

static void same(const char *text, double expected)
{
    const double got = value(text);
    if (!(fabs(got - expected) <= 1e-15 * fabs(expected)))
        print_error("in '%s'\n", text);
    check_relative(expected, got, 1e-15);
}

/* The column and the whole text of the error. */
static void refused(const char *text, size_t column, const char *message)
{
    olo_error error = {0};
    olo_expression *expression = NULL;
    size_t got = 0;
    check_status(OLO_BAD_INPUT,
                 olo_expression_compile(text, names, COUNT, &expression, &got, &error));
    check_text(message, error.text);
    check_equal(column, got);
    check_true(expression == NULL);
}

/* Values. */

TEST(numbers_are_read_as_c_reads_them)
{
    same("1", 1);
    same(".5", .5);
    same("1.", 1.);
    same("1e-3", 1e-3);
    same("1E+3", 1e3);
    same("0.1e1", 1);
    same("123456789.123456789", 123456789.123456789);
    same("1.7976931348623157e308", 1.7976931348623157e308);
    same("0.00000000000000000000000000000000000000001e41", 1);
    same("5e-324", 5e-324);
    same("1e-999999999999999999999", 0);
    same("0e999999999999999999999", 0);
    same("0.30000000000000004440892098500626161694526672363281250001", 0.1 * 3);
}

TEST(numbers_do_not_depend_on_the_locale)
{
    char *before = strdup(setlocale(LC_ALL, NULL));
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < 4 && setlocale(LC_ALL, with_comma[i]) == NULL; i++) {
    }
    same("1.5", 3. / 2);
    setlocale(LC_ALL, before);
    free(before);
}

TEST(values_agree_with_the_c_library)
{
    const double x = point[0], y = point[1], z = point[2], pi = 3.14159265358979323846;
    same("sin(x)", sin(x));
    same("cos(x)", cos(x));
    same("tan(x)", tan(x));
    same("asin(x)", asin(x));
    same("acos(x)", acos(x));
    same("atan(x)", atan(x));
    same("atan2(z, x)", atan2(z, x));
    same("sinh(x)", sinh(x));
    same("cosh(x)", cosh(x));
    same("tanh(x)", tanh(x));
    same("exp(x)", exp(x));
    same("log(x)", log(x));
    same("log10(x)", log10(x));
    same("sqrt(x)", sqrt(x));
    same("abs(z)", fabs(z));
    same("sign(z)", -1);
    same("sign(x)", 1);
    same("sign(0)", 0);
    same("floor(z)", -1);
    same("ceil(y)", 2);
    same("min(z)", z);
    same("min(x,y,z)", z);
    same("max(x,y,z,2,1)", 2);
    same("pow(x,y)", pow(x, y));
    same("x^y", pow(x, y));
    same("hypot(x,y)", hypot(x, y));
    same("mod(7.5, 2)", 1.5);
    same("mod(-7.5, 2)", 0.5);
    same("mod(7.5, -2)", -0.5);
    same("mod(-7.5, -2)", -1.5);
    same("step(z)", 0);
    same("step(0)", 1);
    same("clamp(5, 0, 1)", 1);
    same("clamp(-5, 0, 1)", 0);
    same("clamp(x, 0, 1)", x);
    same("pi", pi);
    same("e", exp(1));
    same("180*deg", pi);
    same("tan(0.16*pi)*length", tan(0.16 * pi) * 2.5);
    same("if(x < 0.5, 1, (1-cos(2*pi*x/y))/2)", (1 - cos(2 * pi * x / y)) / 2);
    same("if(x > 0.5, if(y < 0, 1, 2), 3) * 2 + 1", 5);
    same("1 + if(0, 2, 3)*4 - 5", 8);
    same("if(1,2,3) ^ if(0,2,3)", 8);
}

TEST(operators_bind_as_in_mathematics)
{
    same("-2^2", -4);
    same("2^-1", 0.5);
    same("2^-1^2", 0.5);
    same("2^3^2", 512);
    same("2**3**2", 512);
    same("(2^3)^2", 64);
    same("2*3^2", 18);
    same("-2*-3", 6);
    same("1-2-3", -4);
    same("8/4/2", 1);
    same("2+3*4", 14);
    same("- -2", 2);
    same("+-+2", -2);
    same("2 - -2", 4);
    same("1 < 2", 1);
    same("2 <= 1", 0);
    same("2 > 1", 1);
    same("1 >= 2", 0);
    same("1 == 1", 1);
    same("1 != 1", 0);
    same("1 + 1 == 2", 1);
    same("not 1 == 2", 1);
    same("!1 == 0", 1);
    same("!0 + 1", 2);
    same("not 0 and 0", 0);
    same("1 or 0 and 0", 1);
    same("1 || 0 && 0", 1);
    same("(1 or 0) and 0", 0);
    same("1 < 2 and 2 < 3", 1);
    same("2 and 3", 1);
    same("  x+y ", 0.7 + 1.3);
    same("((((x))))", 0.7);
}

TEST(not_finite_results_come_back_as_they_are)
{
    check_true(value("1/0") == INFINITY);
    check_true(value("-1/0") == -INFINITY);
    static const char *const invalid[] = {"0/0",         "log(-1)",           "sqrt(-x)",
                                          "min(0/0, 1)", "min(1, 0/0)",       "max(0/0, 1)",
                                          "max(1, 0/0)", "clamp(0/0, -1, 1)", "sign(0/0)",
                                          "step(0/0)",   "abs(0/0)",          "mod(1, 0)"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        check_true(isnan(value(invalid[i])));
    same("if(x > 0, x, sqrt(-x))", 0.7);
}

TEST(a_variable_hides_a_constant)
{
    static const char *const own[] = {"e"};
    olo_expression *expression = NULL;
    check_ok(olo_expression_compile("2*e", own, 1, &expression, NULL, NULL), NULL);
    check_close(6, olo_expression_value(expression, (const double[]){3}), 0);
    olo_expression_free(expression);
}

TEST(used_variables_are_known)
{
    olo_expression *expression = compiled("if(0, z, y)*y + 1");
    const size_t *used = NULL;
    check_equal(2, olo_expression_used(expression, &used));
    check_equal(1, used[0]);
    check_equal(2, used[1]);
    check_true(!olo_expression_uses(expression, 0));
    check_true(olo_expression_uses(expression, 1));
    check_true(olo_expression_uses(expression, 2));
    check_true(!olo_expression_uses(expression, 77));
    check_true(!olo_expression_is_constant(expression));
    olo_expression_free(expression);

    expression = compiled("tan(0.16*pi) + if(1, 2, 3)");
    check_true(olo_expression_is_constant(expression));
    check_relative(tan(0.16 * 3.14159265358979323846) + 2, olo_expression_value(expression, NULL),
                   1e-15);
    olo_expression_free(expression);
    check_true(olo_expression_free(NULL) == NULL);
}

TEST(names_of_the_language_are_known)
{
    static const char *const reserved[] = {"sin", "if", "clamp", "pi", "deg", "and", "inf", "step"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        check_true(olo_expression_is_reserved(reserved[i]));
    check_true(!olo_expression_is_reserved("length"));
    check_true(!olo_expression_is_reserved("+"));
    check_true(!olo_expression_is_reserved("negative"));
    check_true(olo_expression_is_identifier("_a1"));
    check_true(!olo_expression_is_identifier("1a"));
    check_true(!olo_expression_is_identifier(""));
    check_true(!olo_expression_is_identifier("a b"));
    check_true(!olo_expression_is_identifier("\xc3\xa9"));
}

/* Errors. */

TEST(each_error_has_its_column)
{
    refused("sin(2*x", 8, "expected ')' at column 8 of 'sin(2*x'");
    refused("(1 2)", 4, "expected ')' at column 4 of '(1 2)'");
    refused("atan2(1", 8, "expected ',' at column 8 of 'atan2(1'");
    refused("max(1 2)", 7, "expected ',' or ')' at column 7 of 'max(1 2)'");
    refused("2+", 3, "expected a value at column 3 of '2+'");
    refused("2+*3", 3, "expected a value at column 3 of '2+*3'");
    refused("()", 2, "expected a value at column 2 of '()'");
    refused("max(1,)", 7, "expected a value at column 7 of 'max(1,)'");
    refused("2x", 2, "expected an operator at column 2 of '2x'");
    refused("x, y", 2, "expected an operator at column 2 of 'x, y'");
    refused("0x10", 2, "expected an operator at column 2 of '0x10'");
    refused("1e", 2, "expected an operator at column 2 of '1e'");
    refused("x)", 2, "')' without '(' at column 2 of 'x)'");
    refused("1 + 1e999", 5, "number is too large at column 5 of '1 + 1e999'");
    refused("x = 2", 3, "unexpected character '=' at column 3 of 'x = 2'; did you mean '=='?");
    refused("x & y", 3, "unexpected character '&' at column 3 of 'x & y'");
    refused("x . y", 3, "unexpected character '.' at column 3 of 'x . y'");
    refused("2\xc2\xb7x", 2, "unexpected character '\xc2\xb7' at column 2 of '2\xc2\xb7x'");
    refused("2\xff", 2, "text is not UTF-8 at column 2 of '2?'");
    refused("2\xc3", 2, "text is not UTF-8 at column 2 of '2?'");
    refused("1\t+2", 2, "control character (code 9) at column 2 of '1?+2'");
    refused("", 1, "empty expression at column 1 of ''");
    refused("   ", 1, "empty expression at column 1 of '   '");
    refused("0 < x < 1", 7, "chained comparison (join two with 'and') at column 7 of '0 < x < 1'");
    refused("x == y != z", 8,
            "chained comparison (join two with 'and') at column 8 of 'x == y != z'");
    refused("inf", 1, "unknown name 'inf' at column 1 of 'inf'");
    refused("2*lenght", 3,
            "unknown name 'lenght' at column 3 of '2*lenght'; did you mean 'length'?");
    refused("2*dge", 3, "unknown name 'dge' at column 3 of '2*dge'; did you mean 'deg'?");
    refused("1+sqr(x)", 3,
            "unknown function 'sqr' at column 3 of '1+sqr(x)'; did you mean 'sqrt'?");
    refused("x(2)", 1, "unknown function 'x' at column 1 of 'x(2)'");
    refused("1+sin", 3, "function 'sin' needs arguments in parentheses at column 3 of '1+sin'");
    refused("1+sin()", 3, "'sin' takes 1 argument, not 0, at column 3 of '1+sin()'");
    refused("sin(1,2,3)", 1, "'sin' takes 1 argument, not 3, at column 1 of 'sin(1,2,3)'");
    refused("atan2( 1 )", 1, "'atan2' takes 2 arguments, not 1, at column 1 of 'atan2( 1 )'");
    refused("if(1,2)", 1, "'if' takes 3 arguments, not 2, at column 1 of 'if(1,2)'");
    refused("if(1,2,3,4)", 1, "'if' takes 3 arguments, not 4, at column 1 of 'if(1,2,3,4)'");
    refused("clamp(1,2)", 1, "'clamp' takes 3 arguments, not 2, at column 1 of 'clamp(1,2)'");
    refused("min( )", 1, "'min' takes at least 1 argument, not 0, at column 1 of 'min( )'");
}

/* `count` copies of one text and then another. The caller frees the result. */
static char *copies_of(const char *head, size_t count, const char *tail)
{
    char *text = calloc(count * strlen(head) + strlen(tail) + 1, 1);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * strlen(head), head, strlen(head));
    return strcat(text, tail);
}

static void limit(const char *head, size_t count, const char *tail, const char *message)
{
    olo_error error = {0};
    olo_expression *expression = NULL;
    char *text = copies_of(head, count, tail);
    const olo_status status = olo_expression_compile(text, names, COUNT, &expression, NULL, &error);
    free(text);
    olo_expression_free(expression);
    if (message == NULL) {
        check_ok(status, &error);
    } else {
        check_status(OLO_BAD_INPUT, status);
        check_contains(message, error.text);
        check_true(strlen(error.text) < 200);
    }
}

TEST(limits_are_enforced)
{
    char *closing = copies_of(")", 64, "");
    char *sums = copies_of("x+(", 64, "x");
    limit("(", 64, "x)", "expected ')'");
    limit("-", 64, "x", NULL);
    limit("-", 65, "x", "nested deeper than 64 levels at column 65 of '--");
    limit("(", 65, "x", "nested deeper than 64 levels at column 65");
    limit("sin(", 65, "x", "nested deeper than 64 levels at column 260");
    limit("x^", 64, "x", NULL);
    limit("x^", 65, "x", "nested deeper than 64 levels at column 130");
    limit("(", 9000, "", "nested deeper than 64 levels at column 65");
    limit("x+(", 64, "x))", "expected ')'");
    limit(sums, 1, closing, NULL);
    limit("x or x and x < x+x*x^(", 60, "x", "more than 128 intermediate values");
    limit("x+", 2047, "x", NULL);
    limit("x+", 2048, "x", "more than 4096 operations at column 409");
    limit("x+", 2048, "if(x,x,x)", "more than 4096 operations at column 4101");
    limit("1+", 4096, "1", "more than 4096 operations at column 8193");
    limit(" ", 9999, "x", NULL);
    limit(" ", 10000, "x", "longer than 10000 characters at column 10001 of '...");
    limit("1", 300, "", NULL);
    limit("1", 9000, "", "number is too large");
    limit("0", 9999, "1", NULL);
    limit("a", 161, "", "name is longer than 160 characters");
    limit("\xc3\xa9", 4000, "", "unexpected character '\xc3\xa9'");
    limit("\xc3\xa9x", 3334, "", "longer than 10000 characters at column 10001 of '...\xc3\xa9x");
    limit("\x80", 4000, "", "text is not UTF-8 at column 1 of '??");
    limit("x+", 1000, "\x80", "text is not UTF-8 at column 2001 of '...");
    free(closing);
    free(sums);
}

/* Derivatives. */

/* f and its derivatives along (1, -1/2, 2) at the point, computed with 150 digits. */
static const struct {
    const char *text;
    double derivatives[4];
} jets[] = {
    {"sin(x*y)", {0.7895037396899504, 0.583058462014371, -1.326272874558992, 1.723875396148389}},
    {"cos(x+y*z)", {0.9838436927881214, -0.6803123790181316, -13.84864377700883, 32.255346948591}},
    {"tan(x*z)", {-0.2875543257419768, 1.082687490252923, 3.708087018513787, -4.76943206168551}},
    {"asin(x*z)", {-0.2837941092083278, 1.041666666666667, 3.850188078703704, -2.37900533793885}},
    {"acos(x*z)", {1.854590436003224, -1.041666666666667, -3.850188078703704, 2.37900533793885}},
    {"atan(x*y/z)", {-1.156657776318685, -2.226495293998583, 0.6954942747958883, 15.7869926117613}},
    {"sinh(x*y)", {1.04089915467559, 1.371252209773765, -0.5040118916145059, -1.729007471504609}},
    {"cosh(y-z)", {2.828315457889967, -6.614079834593082, 17.6769716118123, -41.33799896620676}},
    {"tanh(3*x*y)",
     {0.9915289207183132, 0.04808063823065466, -0.3223492551315767, 2.380729229182559}},
    {"exp(x*y*z)", {0.6948911947429106, 1.000643320429791, 4.359469399339124, 10.51369265820112}},
    {"log(x*x+y)", {0.5822156198526636, 0.5027932960893854, 0.8645173371617615, -1.43112726205025}},
    {"log10(x+y*y)",
     {0.3783979009481377, -0.05451395170333706, 0.08401383072829489, 0.03249593066470522}},
    {"sqrt(x+y*y)",
     {1.545962483374031, -0.09702693410297265, 0.1556220003046284, 0.02930121344647814}},
    {"abs(z*x)", {0.28, -0.9999999999999999, -4.0, 0}},
    {"x*y*z+x", {0.3359999999999999, 2.44, 4.2, -6.0}},
    {"(x+2*y)/(z-x*y)",
     {-2.519083969465649, -2.019113105296894, -5.159711061518417, -17.03086195394938}},
    {"x^3", {0.3429999999999999, 1.47, 4.2, 6.0}},
    {"z^3", {-0.06400000000000001, 0.9600000000000001, -9.600000000000001, 48.0}},
    {"z^-2", {6.249999999999999, 62.49999999999999, 937.4999999999998, 18749.99999999999}},
    {"x^2.5", {0.409963413001697, 1.464155046434632, 3.137475099502783, 2.241053642501988}},
    {"x^y", {0.6289664092534478, 1.280248753707741, 0.03871132085500515, -3.679131321549217}},
    {"(x+y)^(z*x)", {0.8235910172675731, 0.5132184203447854, 3.029498129299313, 7.574034806092641}},
    {"2^(x*y)", {1.879045498428024, 1.23733233491028, -0.487684340988463, -2.036442013378847}},
    {"x^y^x", {0.6514328002264627, 1.120149103269615, 0.556943352652748, -1.940466062912873}},
    {"hypot(x,y*z)",
     {0.8720091742636656, -0.8669633557908094, 10.46820929083004, 11.95705489738685}},
    {"hypot(z,x)", {0.8062257748298549, -0.1240347345892086, 6.182654462600545, 2.853532828892562}},
    {"atan2(x*y,z)", {1.984934877271108, -2.226495293998583, 0.6954942747958883, 15.7869926117613}},
    {"atan2(z,x-y)",
     {-2.553590050042226, -1.153846153846154, -7.544378698224851, -70.92057350933089}},
    {"atan2(-x,-y)",
     {-2.647651284670212, 0.7568807339449541, -0.03471929972224555, -0.8647972362008881}},
    {"mod(7*x,y)", {0.9999999999999996, 8.5, 0, 0}},
    {"mod(-5*x,y*y)", {1.570000000000001, -8.9, 1.5, 0}},
    {"min(x,y,z*z)", {0.16, -1.6, 8.0, 0}},
    {"max(x*y,y*y,z)", {1.69, -1.3, 0.5, 0}},
    {"clamp(x*y,0.5,2)", {0.91, 0.9500000000000001, -1.0, 0}},
    {"clamp(x*y,x,z+1)", {0.6, 2.0, 0, 0}},
    {"if(x<y,sin(x)*y,log(0-1))",
     {0.8374829934089984, 0.6721859998509895, -1.602325180693487, -0.0279683126132985}},
    {"if(x>y,log(0-1),exp(z)/x)",
     {0.957600065765199, 0.5472000375801137, 2.266971584260471, -2.054791977851857}},
    {"floor(9*x)*y*z", {-3.12, 16.8, -12.0, 0}},
    {"ceil(x)*x^2", {0.4899999999999999, 1.4, 2.0, 0}},
    {"step(x)*x*y", {0.91, 0.9500000000000001, -1.0, 0}},
    {"sign(z)*y^2*x", {-1.183, -0.7800000000000001, 2.25, -1.5}},
    {"(1-cos(2*pi*x/y))/2",
     {0.9854709087130261, -0.7340374847007931, -18.83375571708835, -15.18789817486175}},
    {"tan(0.16*pi)*x*z", {-0.1539313026139756, 0.54975465219277, 2.19901860877108, 0}},
    {"exp(-(x-y)^2/(2*z^2))",
     {0.3246524673583497, -1.826170128890717, -12.55491963612368, -83.46168167195848}},
    {"sqrt(x^2+y^2+z^2)",
     {1.529705854077835, -0.4902903378454601, 3.274888025865188, 3.148930794101143}},
    {"-x^2", {-0.4899999999999999, -1.4, -2.0, 0}},
    {"not x + y*z", {0, 0, 0, 0}},
    {"(x<y)*x^3+(x>y)*y^3", {0.3429999999999999, 1.47, 4.2, 6.0}},
};
static const double direction[] = {1, -0.5, 2, 0};

TEST(derivatives_up_to_third_order_are_exact)
{
    for (size_t i = 0; i < sizeof jets / sizeof *jets; i++) {
        olo_expression *expression = compiled(jets[i].text);
        for (int order = 0; order <= 3; order++) {
            double got[4] = {9, 9, 9, 9};
            olo_expression_taylor(expression, point, direction, order, got);
            check_true(got[0] == olo_expression_value(expression, point));
            for (int k = 0; k <= order; k++) {
                const double expected = jets[i].derivatives[k];
                if (!(fabs(got[k] - expected) <= 1e-13 * larger(1, fabs(expected))))
                    print_error("derivative %d of '%s'\n", k, jets[i].text);
                check_close(expected, got[k], 1e-13 * larger(1, fabs(expected)));
            }
            for (int k = order + 1; k <= 3; k++)
                check_close(9, got[k], 0);
        }
        /* D2f[d,d] by the other function */
        const double second = olo_expression_second(expression, point, direction, direction);
        const double expected = jets[i].derivatives[2];
        check_close(expected, second, 1e-13 * larger(1, fabs(expected)));
        olo_expression_free(expression);
    }
}

/* The gradient and the Hessian along the axes. */
static void derivatives_along_axes(const olo_expression *expression, const double *x,
                                   double gradient[COUNT], double hessian[COUNT * COUNT])
{
    for (size_t a = 0; a < COUNT; a++) {
        double u[COUNT] = {0}, series[2];
        u[a] = 1;
        olo_expression_taylor(expression, x, u, 1, series);
        gradient[a] = series[1];
        for (size_t b = 0; b < COUNT; b++) {
            double v[COUNT] = {0};
            v[b] = 1;
            hessian[a * COUNT + b] = olo_expression_second(expression, x, u, v);
        }
    }
}

/* Gradient and Hessian contracted with directions must give the directional derivatives. */
/* A power has one value, with derivatives and without, to the last bit. */
TEST(powers_have_the_same_bits_by_all_evaluations)
{
    const double x[] = {9.869604401089358, 4, 0, 0}, along[] = {1, 0, 0, 0};
    static const char *const powers[] = {"x^0", "x^1", "x^2", "x^3", "x^4", "x^5", "x^y"};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        olo_expression *expression = NULL;
        double series[4];
        check_ok(olo_expression_compile(powers[i], names, 4, &expression, NULL, NULL), NULL);
        olo_expression_taylor(expression, x, along, 3, series);
        check_true(olo_expression_value(expression, x) == series[0]);
        olo_expression_free(expression);
    }
}

TEST(gradient_and_hessian_agree_with_directional_derivatives)
{
    static const double other[] = {-0.3, 0.8, 0.6, 1.5};
    for (size_t i = 0; i < sizeof jets / sizeof *jets; i++) {
        olo_expression *expression = compiled(jets[i].text);
        double gradient[COUNT], hessian[COUNT * COUNT];
        derivatives_along_axes(expression, point, gradient, hessian);
        check_true(gradient[3] == 0);
        double first = 0, second = 0, mixed = 0, scale = 1;
        for (size_t a = 0; a < COUNT; a++) {
            first += gradient[a] * direction[a];
            for (size_t b = 0; b < COUNT; b++) {
                second += direction[a] * hessian[a * COUNT + b] * direction[b];
                mixed += direction[a] * hessian[a * COUNT + b] * other[b];
                scale += fabs(hessian[a * COUNT + b]);
                check_close(hessian[b * COUNT + a], hessian[a * COUNT + b],
                            1e-13 * (1 + fabs(hessian[a * COUNT + b])));
            }
        }
        check_close(jets[i].derivatives[1], first, 1e-13 * scale);
        check_close(jets[i].derivatives[2], second, 1e-13 * scale);
        check_close(mixed, olo_expression_second(expression, point, direction, other),
                    1e-13 * scale);
        olo_expression_free(expression);
    }
}

TEST(gradient_and_hessian_in_closed_form)
{
    olo_expression *expression = compiled("x^2*y + sin(z)*length");
    double gradient[COUNT], hessian[COUNT * COUNT];
    derivatives_along_axes(expression, point, gradient, hessian);
    const double x = point[0], y = point[1], z = point[2], l = point[3];
    const double expected[] = {2 * x * y, x * x, cos(z) * l, sin(z)};
    const double second[] = {2 * y, 2 * x, 0, 0, 2 * x, 0, 0, 0, 0, 0, 0, cos(z), 0, 0, cos(z), 0};
    for (size_t i = 0; i < COUNT; i++)
        check_relative(expected[i], gradient[i], 1e-15);
    for (size_t i = 0; i < COUNT * COUNT; i++)
        check_close(i == 10 ? -sin(z) * l : second[i], hessian[i], 1e-15);
    olo_expression_free(expression);
}

static void derivatives_at(const char *text, double x, double y, const double *expected)
{
    const double at[COUNT] = {x, y, 0, 0}, along[COUNT] = {1, 0, 0, 0};
    double got[4];
    olo_expression *expression = compiled(text);
    olo_expression_taylor(expression, at, along, 3, got);
    for (int k = 0; k < 4; k++) {
        if (isnan(expected[k]) ? !isnan(got[k])
                               : !(fabs(expected[k] - got[k]) <= 1e-14 || expected[k] == got[k]))
            print_error("derivative %d of '%s' is %g\n", k, text, got[k]);
        if (isnan(expected[k]))
            check_true(isnan(got[k]));
        else
            check_close(expected[k], got[k], 1e-14);
    }
    olo_expression_free(expression);
}

TEST(derivatives_hold_at_special_points)
{
    derivatives_at("x^2", 0, 0, (const double[]){0, 0, 2, 0});
    derivatives_at("x^3", 0, 0, (const double[]){0, 0, 0, 6});
    derivatives_at("x^0", 0, 0, (const double[]){1, 0, 0, 0});
    derivatives_at("x^1", 0, 0, (const double[]){0, 1, 0, 0});
    derivatives_at("(-x)^3", 0.5, 0, (const double[]){-0.125, -0.75, -3, -6});
    derivatives_at("sqrt(y)*x", 2, 0, (const double[]){0, 0, 0, 0});
    derivatives_at("hypot(y,0)+x", 2, 0, (const double[]){2, 1, 0, 0});
    derivatives_at("hypot(x,y)", -3, 0, (const double[]){3, -1, 0, 0});
    derivatives_at("0^x", 2, 0, (const double[]){0, 0, 0, 0});
    derivatives_at("0^x", 0.5, 0, (const double[]){0, 0, 0, 0});
    derivatives_at("(-0)^x", -3, 0, (const double[]){-INFINITY, NAN, NAN, NAN});
    derivatives_at("x^(x+2.5)", 0, 0, (const double[]){0, 0, 0, INFINITY});
    derivatives_at("x^(x+2)", 0, 0, (const double[]){0, 0, 2, NAN});
    derivatives_at("x^(x+4)", 0, 0, (const double[]){0, 0, 0, 0});
    derivatives_at("x^(x+1)", 0, 0, (const double[]){0, 1, NAN, NAN});
    derivatives_at("abs(x)", 0, 0, (const double[]){0, 1, 0, 0});
    derivatives_at("min(x, 2*x)", 0, 0, (const double[]){0, 1, 0, 0});
    derivatives_at("max(2*x, x)", 0, 0, (const double[]){0, 2, 0, 0});
    derivatives_at("tanh(x)", 400, 0, (const double[]){1, 0, 0, 0});
    derivatives_at("atan(x)", 1e200, 0, (const double[]){atan(1e200), 0, 0, 0});
    derivatives_at("if(x < 1, x^2, 0)", 1, 0, (const double[]){0, 0, 0, 0});

    /* d2/dxdy x^y vanishes at x = 0, y = 2 */
    olo_expression *expression = compiled("x^y");
    double gradient[COUNT], hessian[COUNT * COUNT];
    derivatives_along_axes(expression, (const double[]){0, 2, 0, 0}, gradient, hessian);
    check_close(2, hessian[0], 0);
    check_close(0, hessian[1], 0);
    check_close(0, hessian[COUNT + 1], 0);
    olo_expression_free(expression);
}

/* Robustness. */

static uint64_t random_state = 20240607;

/* splitmix64 */
static size_t random_below(size_t bound)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (size_t)((z ^ (z >> 31)) % bound);
}

/* Operands and operators alternate, except for one piece in 20; parentheses are mostly closed. */
static void scribble(char *text, size_t count)
{
    static const char *const operands[] = {"x",      "y",      "z",    "1",    "2.5",  "1e3",
                                           ".5",     "pi",     "e",    "-",    "not ", "!",
                                           "(",      "sin(",   "if(",  "min(", "max(", "clamp(",
                                           "atan2(", "hypot(", "mod(", "pow(", "foo",  "floor("};
    static const char *const operators[] = {
        "+", "-", "*", "/", "^", "**", "<", "<=", "==", " and ", " or ", "&&",
        ",", ",", ")", ")", ")", " ",  "=", ".",  "\t", "\xc3",  "\xa9", "e9"};
    bool operand = true;
    int open = 0;
    for (size_t k = 0; k < count; k++) {
        const bool out_of_turn = random_below(20) == 0;
        const char *piece =
            operand != out_of_turn ? operands[random_below(24)] : operators[random_below(24)];
        const char last = piece[strlen(piece) - 1];
        strcat(text, piece);
        open += (last == '(') - (last == ')');
        operand = last == '(' || last == ' ' || strchr("+-*/^<=&,!", last) != NULL;
    }
    strcat(text, operand ? "x" : "");
    for (; open > 0 && random_below(20) > 0; open--)
        strcat(text, ")");
}

TEST(random_texts_give_a_program_or_an_error)
{
    const size_t alive = olo_memory_alive();
    size_t programs = 0;
    for (int i = 0; i < 10000; i++) {
        char text[400] = "";
        scribble(text, 1 + random_below(i % 2 == 0 ? 6 : 40));
        olo_error error = {0};
        olo_expression *expression = NULL;
        size_t column = 0;
        const olo_status status =
            olo_expression_compile(text, names, COUNT, &expression, &column, &error);
        if (status == OLO_OK) {
            double jet[4], gradient[COUNT], hessian[COUNT * COUNT];
            const double f = olo_expression_value(expression, point);
            olo_expression_taylor(expression, point, direction, 3, jet);
            check_true(jet[0] == f || (isnan(jet[0]) && isnan(f)));
            derivatives_along_axes(expression, point, gradient, hessian);
            programs++;
        } else {
            check_status(OLO_BAD_INPUT, status);
            check_true(column >= 1 && column <= strlen(text) + 1);
            check_true(strlen(error.text) > 0);
        }
        olo_expression_free(expression);
    }
    check_true(programs > 1000);
    check_equal(alive, olo_memory_alive());
}

/* A random expression twice: with variables, and with their values instead. */
static void append(char *text, char *numbers, const char *piece)
{
    strcat(text, piece);
    strcat(numbers, piece);
}

static void grow(char *text, char *numbers, int depth)
{
    static const char *const leaves[] = {"x", "y", "z", "length", "2", "0.5"};
    static const char *const leaf_values[] = {"0.7", "1.3", "(-0.4)", "2.5", "2", "0.5"};
    static const char *const calls[] = {"sin(", "exp(",   "-(",     "abs(", "floor(", "min(",
                                        "max(", "atan2(", "hypot(", "mod(", "if(",    "if("};
    static const char *const joints[] = {"+", "-", "*", "/", "<", " and ", " or ", "^"};
    const size_t kind = depth == 0 ? 0 : random_below(3);
    if (kind == 0) {
        const size_t leaf = random_below(6);
        strcat(text, leaves[leaf]);
        strcat(numbers, leaf_values[leaf]);
    } else if (kind == 1) {
        append(text, numbers, "(");
        grow(text, numbers, depth - 1);
        append(text, numbers, ")");
        append(text, numbers, joints[random_below(8)]);
        append(text, numbers, "(");
        grow(text, numbers, depth - 1);
        append(text, numbers, ")");
    } else {
        const size_t call = random_below(12);
        append(text, numbers, calls[call]);
        for (size_t i = 0; i < (call < 5 ? 1u : call < 10 ? 2u : 3u); i++) {
            append(text, numbers, i > 0 ? "," : "");
            grow(text, numbers, depth - 1);
        }
        append(text, numbers, ")");
    }
}

TEST(constants_are_folded_without_changing_a_bit)
{
    static char text[10000], numbers[10000]; /* at most 3^5 leaves */
    for (int i = 0; i < 3000; i++) {
        text[0] = numbers[0] = '\0';
        grow(text, numbers, 5);
        olo_expression *folded = compiled(numbers), *plain = compiled(text);
        const double a = olo_expression_value(folded, NULL);
        const double b = olo_expression_value(plain, point);
        check_true(a == b || (isnan(a) && isnan(b)));
        olo_expression_free(folded);
        olo_expression_free(plain);
    }
}

TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    const size_t alive = olo_memory_alive();
    for (size_t n = 1;; n++) {
        olo_error error = {0};
        olo_expression *expression = NULL;
        size_t column = 99;
        olo_memory_fail_at(n);
        const olo_status status = olo_expression_compile(
            "if(x<y, x+y*z-length, x*y*z*sin(x/y^z))", names, COUNT, &expression, &column, &error);
        olo_memory_fail_at(0);
        if (status == OLO_OK) {
            check_true(n > 4);
            olo_expression_free(expression);
            break;
        }
        check_status(OLO_NO_MEMORY, status);
        check_true(expression == NULL);
        check_equal(0, column);
        check_equal(alive, olo_memory_alive());
    }
    check_equal(alive, olo_memory_alive());
}

TEST_MAIN(cmocka_unit_test(numbers_are_read_as_c_reads_them),
          cmocka_unit_test(numbers_do_not_depend_on_the_locale),
          cmocka_unit_test(values_agree_with_the_c_library),
          cmocka_unit_test(operators_bind_as_in_mathematics),
          cmocka_unit_test(not_finite_results_come_back_as_they_are),
          cmocka_unit_test(a_variable_hides_a_constant), cmocka_unit_test(used_variables_are_known),
          cmocka_unit_test(names_of_the_language_are_known),
          cmocka_unit_test(each_error_has_its_column), cmocka_unit_test(limits_are_enforced),
          cmocka_unit_test(derivatives_up_to_third_order_are_exact),
          cmocka_unit_test(powers_have_the_same_bits_by_all_evaluations),
          cmocka_unit_test(gradient_and_hessian_agree_with_directional_derivatives),
          cmocka_unit_test(gradient_and_hessian_in_closed_form),
          cmocka_unit_test(derivatives_hold_at_special_points),
          cmocka_unit_test(random_texts_give_a_program_or_an_error),
          cmocka_unit_test(constants_are_folded_without_changing_a_bit),
          cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing))
