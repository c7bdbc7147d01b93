/* Functions of time and curves: numbers, expressions, tables and C functions with one interface. */
#include <string.h>

#include "base/expression.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "elements/build.h"
#include "elements/builder_state.h"

olo_signal olo_signal_default(void)
{
    return (olo_signal){.initialised = OLO_INITIALISED_SIGNAL};
}

/* The variables are copied to the stack, so that threads can share a curve. */
enum { VARIABLES_ON_STACK = 256 };

/* An expression whose first variables are free and whose others are the model's parameters. */
struct olo_curve {
    olo_expression *expression;
    size_t count, free;
    double values[];
};

olo_status olo_build_curve(olo_builder *builder, const char *key, const char *variable,
                           const char *text, olo_curve **curve)
{
    return olo_build_function(builder, key, 1, &variable, text, curve);
}

olo_status olo_build_function(olo_builder *builder, const char *key, int free_count,
                              const char *const *variables, const char *text, olo_curve **curve)
{
    *curve = NULL;
    const olo_builder_setup *setup = &builder->setup;
    size_t free_variables = (size_t)free_count;
    size_t count = (size_t)setup->variable_count + free_variables;
    if (count > VARIABLES_ON_STACK)
        return olo_builder_fail(builder, key, "expressions can use at most %d parameters",
                                VARIABLES_ON_STACK - free_count);
    const char **names = olo_alloc(count, sizeof *names);
    olo_curve *c = olo_alloc(1, sizeof *c + count * sizeof *c->values);
    olo_status status = OLO_NO_MEMORY;
    if (names && c) {
        for (size_t i = 0; i < free_variables; i++)
            names[i] = variables[i];
        for (size_t i = free_variables; i < count; i++) {
            names[i] = setup->variable_names[i - free_variables];
            c->values[i] = setup->variable_values[i - free_variables];
        }
        olo_error cause = {0};
        c->count = count;
        c->free = free_variables;
        status = olo_expression_compile(text, names, count, &c->expression, NULL, &cause);
        if (status != OLO_OK)
            olo_builder_pass(builder, key, &cause);
    } else {
        olo_build_out_of_memory(builder);
    }
    olo_free(names);
    if (status != OLO_OK) {
        olo_curve_free(c);
        return status;
    }
    *curve = c;
    return OLO_OK;
}

void olo_curve_derivatives(const olo_curve *curve, double x, int order, double *derivatives)
{
    double values[VARIABLES_ON_STACK], direction[VARIABLES_ON_STACK];
    memcpy(values, curve->values, curve->count * sizeof *values);
    values[0] = x;
    if (order == 0) {
        derivatives[0] = olo_expression_value(curve->expression, values);
        return;
    }
    memset(direction, 0, curve->count * sizeof *direction);
    direction[0] = 1;
    olo_expression_taylor(curve->expression, values, direction, order, derivatives);
}

bool olo_curve_uses(const olo_curve *curve, int i)
{
    return olo_expression_uses(curve->expression, (size_t)i);
}

int olo_curve_degree(const olo_curve *curve)
{
    return olo_expression_degree(curve->expression, curve->free, curve->values);
}

double olo_curve_value(const olo_curve *curve, const double *x)
{
    double values[VARIABLES_ON_STACK];
    memcpy(values, curve->values, curve->count * sizeof *values);
    memcpy(values, x, curve->free * sizeof *values);
    return olo_expression_value(curve->expression, values);
}

void olo_curve_partials(const olo_curve *curve, const double *x, double *first, double *second)
{
    double values[VARIABLES_ON_STACK], u[VARIABLES_ON_STACK] = {0}, v[VARIABLES_ON_STACK] = {0};
    const size_t n = curve->free;
    memcpy(values, curve->values, curve->count * sizeof *values);
    memcpy(values, x, n * sizeof *values);
    memset(first, 0, n * sizeof *first);
    if (second)
        memset(second, 0, n * n * sizeof *second);
    for (size_t i = 0; i < n; i++) {
        if (!olo_expression_uses(curve->expression, i))
            continue;
        double along[2];
        u[i] = 1;
        olo_expression_taylor(curve->expression, values, u, 1, along);
        first[i] = along[1];
        for (size_t j = 0; second && j <= i; j++) {
            if (!olo_expression_uses(curve->expression, j))
                continue;
            v[j] = 1;
            second[i * n + j] = second[j * n + i] =
                olo_expression_second(curve->expression, values, u, v);
            v[j] = 0;
        }
        u[i] = 0;
    }
}

/* Whether the curve depends on a parameter that changes along the direction. */
static bool depends_on(const olo_curve *curve, const double *direction)
{
    const size_t *used, count = olo_expression_used(curve->expression, &used);
    for (size_t i = 0; i < count; i++)
        if (used[i] >= curve->free && direction[used[i] - curve->free] != 0)
            return true;
    return false;
}

bool olo_curve_by_parameters(const olo_curve *curve, const double *x, const double *direction,
                             double *by)
{
    double values[VARIABLES_ON_STACK], along[VARIABLES_ON_STACK] = {0}, derivatives[2];
    if (!depends_on(curve, direction))
        return false;
    memcpy(values, curve->values, curve->count * sizeof *values);
    memcpy(values, x, curve->free * sizeof *values);
    memcpy(along + curve->free, direction, (curve->count - curve->free) * sizeof *along);
    olo_expression_taylor(curve->expression, values, along, 1, derivatives);
    *by = derivatives[1];
    return true;
}

void olo_curve_along(const olo_curve *curve, const double *x, const double *dx, int order,
                     double *derivatives)
{
    double values[VARIABLES_ON_STACK], direction[VARIABLES_ON_STACK] = {0};
    memcpy(values, curve->values, curve->count * sizeof *values);
    memcpy(values, x, curve->free * sizeof *values);
    memcpy(direction, dx, curve->free * sizeof *direction);
    olo_expression_taylor(curve->expression, values, direction, order, derivatives);
}

void olo_curve_free(void *curve)
{
    olo_curve *c = curve;
    if (!c)
        return;
    olo_expression_free(c->expression);
    olo_free(c);
}

static double curve_value(const void *context, double t)
{
    double value;
    olo_curve_derivatives(context, t, 0, &value);
    return value;
}

static double curve_rate(const void *context, double t)
{
    double derivatives[2];
    olo_curve_derivatives(context, t, 1, derivatives);
    return derivatives[1];
}

static double curve_curvature(const void *context, double t)
{
    double derivatives[3];
    olo_curve_derivatives(context, t, 2, derivatives);
    return derivatives[2];
}

static double curve_third(const void *context, double t)
{
    double derivatives[4];
    olo_curve_derivatives(context, t, 3, derivatives);
    return derivatives[3];
}

static bool curve_by_parameters(const void *context, double t, const double *direction,
                                double by[2])
{
    const olo_curve *curve = context;
    double values[VARIABLES_ON_STACK], along[VARIABLES_ON_STACK] = {0}, in_time[VARIABLES_ON_STACK];
    if (!depends_on(curve, direction))
        return false;
    memcpy(values, curve->values, curve->count * sizeof *values);
    memcpy(along + 1, direction, (curve->count - 1) * sizeof *along);
    memset(in_time, 0, curve->count * sizeof *in_time);
    values[0] = t;
    in_time[0] = 1;
    double derivatives[2];
    olo_expression_taylor(curve->expression, values, along, 1, derivatives);
    by[0] = derivatives[1];
    by[1] = olo_expression_second(curve->expression, values, in_time, along);
    return true;
}

typedef struct table {
    int count;
    double numbers[]; /* times, then values */
} table;

/* The last entry at or before t, which lies between the first and the last. */
static int entry_before(const table *x, double t)
{
    int low = 0, high = x->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x->numbers[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Linear between the entries, constant outside. */
static double table_value(const void *context, double t)
{
    const table *x = context;
    const double *time = x->numbers, *value = time + x->count;
    if (t <= time[0])
        return value[0];
    if (t >= time[x->count - 1])
        return value[x->count - 1];
    int low = entry_before(x, t), high = low + 1;
    double s = (t - time[low]) / (time[high] - time[low]);
    return value[low] + s * (value[high] - value[low]);
}

/* At an entry, the rate of the interval that follows it. */
static double table_rate(const void *context, double t)
{
    const table *x = context;
    const double *time = x->numbers, *value = time + x->count;
    if (t < time[0] || t >= time[x->count - 1])
        return 0.0;
    int low = entry_before(x, t);
    return (value[low + 1] - value[low]) / (time[low + 1] - time[low]);
}

static double table_curvature(const void *context, double t)
{
    (void)context, (void)t;
    return 0.0;
}

static void release(void *block)
{
    olo_free(block);
}

static olo_status build_table(olo_builder *builder, const char *key, const olo_signal *signal,
                              olo_time_function *time)
{
    for (int i = 1; i < signal->count; i++)
        if (!(signal->time[i] > signal->time[i - 1]))
            return olo_builder_fail(builder, key,
                                    "the times of a table must ascend, but %g follows %g",
                                    signal->time[i], signal->time[i - 1]);
    size_t count = (size_t)signal->count;
    table *x = olo_alloc(1, sizeof *x + 2 * count * sizeof *x->numbers);
    if (!x)
        return olo_build_out_of_memory(builder);
    x->count = signal->count;
    memcpy(x->numbers, signal->time, count * sizeof *x->numbers);
    memcpy(x->numbers + count, signal->value, count * sizeof *x->numbers);
    *time = (olo_time_function){.value = table_value,
                                .rate = table_rate,
                                .curvature = table_curvature,
                                .third = table_curvature,
                                .context = x,
                                .free = release};
    return OLO_OK;
}

typedef struct user_function {
    double (*function)(void *context, double t);
    void *context;
} user_function;

static double user_value(const void *context, double t)
{
    const user_function *x = context;
    return x->function(x->context, t);
}

olo_status olo_build_signal(olo_builder *builder, const char *key, const olo_signal *signal,
                            olo_time_function *time)
{
    *time = (olo_time_function){0};
    if (!signal)
        return OLO_OK;
    if (signal->count > 0)
        return build_table(builder, key, signal, time);
    if (signal->expression) {
        olo_curve *curve;
        olo_status status = olo_build_curve(builder, key, "t", signal->expression, &curve);
        if (status == OLO_OK)
            *time = (olo_time_function){.value = curve_value,
                                        .rate = curve_rate,
                                        .curvature = curve_curvature,
                                        .third = curve_third,
                                        .by_parameters = curve_by_parameters,
                                        .context = curve,
                                        .free = olo_curve_free};
        return status;
    }
    if (signal->function) {
        user_function *x = olo_alloc(1, sizeof *x);
        if (!x)
            return olo_build_out_of_memory(builder);
        *x = (user_function){.function = signal->function, .context = signal->context};
        *time = (olo_time_function){.value = user_value, .context = x, .free = release};
    }
    return OLO_OK;
}
