/* Any bytes as an expression: it is compiled, or refused with one line that has a column, and never
 * causes a crash. A compiled expression has the same value by all ways of evaluation:
 *
 *     f(x) = taylor[0] = value beside the gradient,   grad_i = taylor[1] along e_i,   H = H^T
 *
 * to the last bit (a NaN equals a NaN).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIABLES = 4, POINTS = 4 };

static void require(int holds)
{
    if (!holds)
        abort();
}

/* Equal, or both not a number. */
static int same(double a, double b)
{
    return a == b || (a != a && b != b);
}

static void evaluate(const olo_expression *expression, const double x[VARIABLES])
{
    const double value = olo_expression_value(expression, x);
    double gradient[VARIABLES];
    for (size_t i = 0; i < VARIABLES; i++) {
        double direction[VARIABLES] = {0}, series[OLO_EXPRESSION_MAX_ORDER + 1];
        direction[i] = 1;
        for (int order = 1; order <= OLO_EXPRESSION_MAX_ORDER; order++) {
            olo_expression_taylor(expression, x, direction, order, series);
            require(same(value, series[0]));
        }
        gradient[i] = series[1];
    }
    (void)olo_expression_second(expression, x, gradient, x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[VARIABLES] = {"x", "t", "l", "k"};
    static const double points[POINTS][VARIABLES] = {
        {0, 0, 0, 0}, {0.5, -1.25, 2, 3}, {-1, 1, 1e-300, -1e300}, {1, 2, 1, 1e15}};
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';

    olo_expression *expression = NULL;
    olo_error error = {0};
    size_t column = 0;
    const olo_status status =
        olo_expression_compile(text, names, VARIABLES, &expression, &column, &error);
    if (status == OLO_OK) {
        require(expression != NULL && column == 0);
        for (size_t i = 0; i < POINTS; i++)
            evaluate(expression, points[i]);
    } else {
        require(expression == NULL && error.text[0] != '\0');
        require(column <= strlen(text) + 1 && strchr(error.text, '\n') == NULL);
    }
    olo_expression_free(expression);
    free(text);
    return 0;
}
