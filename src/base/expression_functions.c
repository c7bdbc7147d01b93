/* The functions and operators of expressions with their derivatives. A new function is its
 * derivatives and one line in the table at the end. */
#include <math.h>
#include <string.h>

#include "base/expression_program.h"
#include "base/suggest.h"

/* Functions of one argument: g = f, f', f'', f''' -------------------------------------------- */

static void set(double *g, double g0, double g1, double g2, double g3)
{
    g[0] = g0;
    g[1] = g1;
    g[2] = g2;
    g[3] = g3;
}

/* clang-format off */
static double negative(double x) { return -x; }
static double logical_not(double x) { return x == 0; }
static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
static double step(double x) { return x < 0 ? 0 : x >= 0 ? 1 : x; }
/* clang-format on */

static void negative_derivatives(double x, double *g)
{
    set(g, -x, -1, 0, 0);
}

static void sin_derivatives(double x, double *g)
{
    double s = sin(x), c = cos(x);
    set(g, s, c, -s, -c);
}

static void cos_derivatives(double x, double *g)
{
    double s = sin(x), c = cos(x);
    set(g, c, -s, -c, s);
}

static void tan_derivatives(double x, double *g)
{
    double t = tan(x), d = 1 + t * t;
    set(g, t, d, 2 * t * d, 2 * d * (1 + 3 * t * t));
}

static void asin_derivatives(double x, double *g)
{
    double d = 1 / sqrt((1 - x) * (1 + x)), d3 = d * d * d;
    set(g, asin(x), d, x * d3, (1 + 2 * x * x) * d3 * d * d);
}

static void acos_derivatives(double x, double *g)
{
    asin_derivatives(x, g);
    set(g, acos(x), -g[1], -g[2], -g[3]);
}

static void atan_derivatives(double x, double *g)
{
    double d = 1 / (1 + x * x);
    /* x d, which must not become infinity times zero where x^2 overflows */
    double xd = fabs(x) > 1 ? 1 / (x + 1 / x) : x * d;
    set(g, atan(x), d, -2 * xd * d, (6 * xd * xd - 2 * d * d) * d);
}

static void sinh_derivatives(double x, double *g)
{
    double s = sinh(x), c = cosh(x);
    set(g, s, c, s, c);
}

static void cosh_derivatives(double x, double *g)
{
    double s = sinh(x), c = cosh(x);
    set(g, c, s, c, s);
}

static void tanh_derivatives(double x, double *g)
{
    /* 1 - tanh^2 would lose all digits for large x */
    double t = tanh(x), c = 1 / cosh(x), d = c * c;
    set(g, t, d, -2 * t * d, d * (4 * t * t - 2 * d));
}

static void exp_derivatives(double x, double *g)
{
    double e = exp(x);
    set(g, e, e, e, e);
}

static void log_derivatives(double x, double *g)
{
    double d = 1 / x;
    set(g, log(x), d, -d * d, 2 * d * d * d);
}

static void log10_derivatives(double x, double *g)
{
    static const double log10_of_e = 0.43429448190325182765;
    double d = 1 / x;
    set(g, log10(x), log10_of_e * d, -log10_of_e * d * d, 2 * log10_of_e * d * d * d);
}

static void sqrt_derivatives(double x, double *g)
{
    double r = sqrt(x), d = 0.5 / r;
    set(g, r, d, -0.5 * d / x, 0.75 * d / x / x);
}

static void abs_derivatives(double x, double *g)
{
    set(g, fabs(x), x < 0 ? -1 : 1, 0, 0);
}

/* Functions of two arguments ----------------------------------------------------------------- */

/* clang-format off */
static double add(double x, double y) { return x + y; }
static double subtract(double x, double y) { return x - y; }
static double multiply(double x, double y) { return x * y; }
static double divide(double x, double y) { return x / y; }
static double less(double x, double y) { return x < y; }
static double less_equal(double x, double y) { return x <= y; }
static double greater(double x, double y) { return x > y; }
static double greater_equal(double x, double y) { return x >= y; }
static double equal(double x, double y) { return x == y; }
static double not_equal(double x, double y) { return x != y; }
static double logical_and(double x, double y) { return x != 0 && y != 0; }
static double logical_or(double x, double y) { return x != 0 || y != 0; }

/* For equal arguments the first one is the branch taken; a NaN of either is propagated. */
static bool first_is_min(double x, double y) { return x <= y || isnan(x); }
static bool first_is_max(double x, double y) { return x >= y || isnan(x); }
static double min(double x, double y) { return first_is_min(x, y) ? x : y; }
static double max(double x, double y) { return first_is_max(x, y) ? x : y; }
/* clang-format on */

static void jet_min(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    (void)kind;
    *r = first_is_min(x->c[0], y->c[0]) ? *x : *y;
}

static void jet_max(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    (void)kind;
    *r = first_is_max(x->c[0], y->c[0]) ? *x : *y;
}

/* x - n y with the integer n = floor(x/y), without the rounding of x/y. */
static double mod(double x, double y)
{
    double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static void jet_mod(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    (void)kind;
    double value = mod(x->c[0], y->c[0]);
    olo_jet_combine(value, 1, x, -round((x->c[0] - value) / y->c[0]), y, r);
}

/* The table ----------------------------------------------------------------------------------- */

/* clang-format off */
static const olo_function functions[] = {
    {"sin", sin, sin_derivatives, NULL, NULL},
    {"cos", cos, cos_derivatives, NULL, NULL},
    {"tan", tan, tan_derivatives, NULL, NULL},
    {"asin", asin, asin_derivatives, NULL, NULL},
    {"acos", acos, acos_derivatives, NULL, NULL},
    {"atan", atan, atan_derivatives, NULL, NULL},
    {"sinh", sinh, sinh_derivatives, NULL, NULL},
    {"cosh", cosh, cosh_derivatives, NULL, NULL},
    {"tanh", tanh, tanh_derivatives, NULL, NULL},
    {"exp", exp, exp_derivatives, NULL, NULL},
    {"log", log, log_derivatives, NULL, NULL},
    {"log10", log10, log10_derivatives, NULL, NULL},
    {"sqrt", sqrt, sqrt_derivatives, NULL, NULL},
    {"abs", fabs, abs_derivatives, NULL, NULL},
    {"sign", sign, NULL, NULL, NULL},
    {"floor", floor, NULL, NULL, NULL},
    {"ceil", ceil, NULL, NULL, NULL},
    {"step", step, NULL, NULL, NULL},
    {"atan2", NULL, NULL, atan2, olo_jet_atan2},
    {"hypot", NULL, NULL, hypot, olo_jet_hypot},
    {"pow", NULL, NULL, olo_power, olo_jet_power},
    {"mod", NULL, NULL, mod, jet_mod},
    {"min", NULL, NULL, min, jet_min},
    {"max", NULL, NULL, max, jet_max},
    {"if", NULL, NULL, NULL, NULL},    /* the compiler translates these two into other functions */
    {"clamp", NULL, NULL, NULL, NULL},
};

static const olo_function operators[] = {
    {"negative", negative, negative_derivatives, NULL, NULL},
    {"not", logical_not, NULL, NULL, NULL},
    {"+", NULL, NULL, add, olo_jet_add},
    {"-", NULL, NULL, subtract, olo_jet_subtract},
    {"*", NULL, NULL, multiply, olo_jet_multiply},
    {"/", NULL, NULL, divide, olo_jet_divide},
    {"^", NULL, NULL, olo_power, olo_jet_power},
    {"<", NULL, NULL, less, NULL},
    {"<=", NULL, NULL, less_equal, NULL},
    {">", NULL, NULL, greater, NULL},
    {">=", NULL, NULL, greater_equal, NULL},
    {"==", NULL, NULL, equal, NULL},
    {"!=", NULL, NULL, not_equal, NULL},
    {"and", NULL, NULL, logical_and, NULL},
    {"or", NULL, NULL, logical_or, NULL},
};
/* clang-format on */

enum {
    FUNCTION_COUNT = sizeof functions / sizeof functions[0],
    OPERATOR_COUNT = sizeof operators / sizeof operators[0]
};

static const olo_function *find(const olo_function *table, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const olo_function *olo_function_find(const char *name)
{
    return find(functions, FUNCTION_COUNT, name);
}

const olo_function *olo_operator_find(const char *symbol)
{
    return find(operators, OPERATOR_COUNT, symbol);
}

const char *olo_function_suggest(const char *word)
{
    const char *names[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++)
        names[i] = functions[i].name;
    return olo_suggest(word, names, FUNCTION_COUNT);
}

void olo_function_jet(const olo_function *function, int kind, const olo_jet *x, olo_jet *result)
{
    if (function->derivatives == NULL || olo_jet_is_constant(x)) {
        olo_jet_constant(function->value(x->c[0]), result);
        return;
    }
    double g[OLO_EXPRESSION_MAX_ORDER + 1];
    function->derivatives(x->c[0], g);
    olo_jet_compose(kind, g, x, result);
}

void olo_function_jet2(const olo_function *function, int kind, const olo_jet *x, const olo_jet *y,
                       olo_jet *result)
{
    if (function->jet2 == NULL || (olo_jet_is_constant(x) && olo_jet_is_constant(y))) {
        olo_jet_constant(function->value2(x->c[0], y->c[0]), result);
        return;
    }
    function->jet2(kind, x, y, result);
}
