/* Coefficients of composed steps satisfy the conditions of their orders (Hairer, Lubich, Wanner,
 * Geometric Numerical Integration, V.3.2), and the weights of error estimates vanish for the terms
 * of lower order. */
#include "test.h"

#include "stepping/composition.h"

static const double round_off = 4e-16;

/* sum of c_i^power */
static double power_sum(const olo_composition *c, int power)
{
    long double sum = 0;
    for (int i = 0; i < c->parts; i++)
        sum += powl((long double)c->part[i], power);
    return (double)sum;
}

/* sum of c_i^3 (c_1 + ... + c_{i-1} + c_i/2)^2 */
static double nested_sum(const olo_composition *c)
{
    long double sum = 0, node = 0;
    for (int i = 0; i < c->parts; i++) {
        const long double part = (long double)c->part[i], middle = node + part / 2;
        sum += part * part * part * middle * middle;
        node += part;
    }
    return (double)sum;
}

TEST(compositions_satisfy_the_conditions_of_their_order)
{
    for (int order = 2; order <= 6; order += 2) {
        const olo_composition *c = olo_composition_find(order, false);
        check_true(c != NULL);
        check_close(1.0, power_sum(c, 1), round_off);
        if (order >= 4)
            check_close(0.0, power_sum(c, 3), round_off);
        if (order >= 6) {
            check_close(0.0, power_sum(c, 5), round_off);
            check_close(0.0, nested_sum(c), round_off);
        }
        /* but not those of the next order */
        if (order == 2)
            check_true(fabs(power_sum(c, 3)) > 0.1);
        if (order == 4)
            check_true(fabs(power_sum(c, 5)) > 0.01);
    }
    check_true(olo_composition_find(3, false) == NULL);
    check_true(olo_composition_find(8, false) == NULL);
}

TEST(compositions_are_symmetric_and_stay_within_the_step)
{
    for (int order = 2; order <= 6; order += 2) {
        const olo_composition *c = olo_composition_find(order, false);
        double node = 0;
        for (int i = 0; i < c->parts; i++) {
            check_true(c->part[i] == c->part[c->parts - 1 - i]);
            node += c->part[i];
            check_true(node > -round_off && node < 1 + 2 * round_off);
        }
    }
}

/* sum of weight_i node_i^power, and of weight_i (c_1^3 + ... + c_i^3), the error at a node */
static double weighted(const olo_composition *c, int power, double *errors)
{
    long double sum = power == 0 ? (long double)c->weight[0] : 0, node = 0, cubes = 0, seen = 0;
    for (int i = 0; i < c->parts; i++) {
        const long double part = (long double)c->part[i];
        node += part;
        cubes += part * part * part;
        sum += (long double)c->weight[i + 1] * powl(node, power);
        seen += (long double)c->weight[i + 1] * cubes;
    }
    *errors = (double)seen;
    return (double)sum;
}

TEST(estimates_see_only_what_is_of_their_order)
{
    for (int order = 2; order <= 6; order += 2) {
        const olo_composition *c = olo_composition_find(order, true);
        double errors, largest = 1;
        for (int i = 0; i <= c->parts; i++)
            largest = fmax(largest, fabs(c->weight[i]));
        for (int power = 0; power < c->estimate; power++)
            check_close(0.0, weighted(c, power, &errors), 4 * round_off * largest);
        check_true(fabs(weighted(c, c->estimate, &errors)) > 0.01);
        check_close(0.0, errors, round_off * largest);
    }
    /* three steps of h/3, each with the error (h/3)^3 q'''/12: q = t^3 has q''' = 6 */
    double errors;
    check_close(3.0 * 6.0 / 12.0 / 27.0, weighted(olo_composition_find(2, true), 3, &errors),
                round_off);
    check_true(olo_composition_find(3, true) == NULL);
}

TEST_MAIN(cmocka_unit_test(compositions_satisfy_the_conditions_of_their_order),
          cmocka_unit_test(compositions_are_symmetric_and_stay_within_the_step),
          cmocka_unit_test(estimates_see_only_what_is_of_their_order))
