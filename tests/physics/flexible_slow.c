/* The condition numbers of the spatial slider-crank (multibody-null-space 10.6, table 6.7), in
 * quadruple precision. */
#include "scene.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "stepping/step.h"

/* The matrix of the sources for the 214 unknowns. The unknown of their spherical pair is the
 * angular velocity of the child (sheet, 5.1), here it is that relative to the parent. With w =
 * w_abs - w_parent, K becomes B^T K B. */
static void take_absolute_spins(const scene *s, olo_square *K)
{
    static const char *const pairs[2][2] = {{"left", "crank.start"}, {"right", "crank.end"}};
    const olo_topology *tree = s->system->topology;
    for (int k = 0; k < 2; k++) {
        int parent = tree->nodes[olo_system_find_node(s->system, pairs[k][0])].u;
        int child = tree->nodes[olo_system_find_node(s->system, pairs[k][1])].u;
        for (int i = 0; i < K->size; i++)
            for (int c = 0; c < 3; c++)
                K->entry[i * K->size + parent + c] -= K->entry[i * K->size + child + c];
        for (int i = 0; i < K->size; i++)
            for (int c = 0; c < 3; c++)
                K->entry[(parent + c) * K->size + i] -= K->entry[(child + c) * K->size + i];
    }
}

/* The rows of the sources for the rigid connection are d1.d2', d2.d3', d3.d1' (sheet, 8.3), with
 * d1' of the slider in the plane of the mechanism: it is our d2, and their d2' is our -d1. None of
 * our three rows is one of these. */
static void take_rows_of_the_sheet(const scene *s, double h, olo_square *K)
{
    static const int pair[3][2] = {{3, 3}, {6, 9}, {9, 6}};
    int n = s->system->n,
        row = n + 3 + olo_system_group_first(s->system, scene_group(s, "corner", false));
    int a = olo_system_node_offset(s->system, olo_system_find_node(s->system, "crank.middle"));
    int b = olo_system_node_offset(s->system, olo_system_find_node(s->system, "slider.start"));
    const olo_motion *x = &s->stepper->step.x;
    for (int r = 0; r < 3; r++) {
        int i = a + pair[r][0], j = b + pair[r][1];
        for (int k = 0; k < n; k++)
            K->entry[(row + r) * K->size + k] = K->entry[k * K->size + row + r] = 0;
        for (int c = 0; c < 3; c++) {
            K->entry[(row + r) * K->size + i + c] = x->q1[j + c];
            K->entry[(row + r) * K->size + j + c] = x->q1[i + c];
            K->entry[(i + c) * K->size + row + r] = h * x->qm[j + c];
            K->entry[(j + c) * K->size + row + r] = h * x->qm[i + c];
        }
    }
}

/* Table 6.7, whose numbers are powers of ten, and the two digits of the sheet, at the third
 * step. */
TEST(table_6_7_condition_numbers)
{
    static const char *const steps[3] = {"1e-2", "1e-3", "1e-4"};
    static const double printed[2][3] = {{1e10, 1e11, 1e14}, {1e4, 1e3, 1e3}};
    static const double digits[2][3] = {{9.7e10, 4.0e11, 3.6e14}, {9.3e4, 1.9e3, 1.7e3}};
    for (int i = 0; i < 3; i++)
        for (int reduced = 0; reduced < 2; reduced++) {
            const olo_setting set[1] = {{"run.step", steps[i]}};
            scene s = scene_open_set("slider-crank", reduced ? "reduced" : "multipliers", set, 1);
            olo_error error = {0};
            olo_square K;
            scene_run(&s, s.run.step, 3);
            check_ok(olo_stepper_matrix(s.stepper, OLO_MATRIX_REPORTED, &K, &error), &error);
            if (reduced)
                take_absolute_spins(&s, &K);
            else
                take_rows_of_the_sheet(&s, s.run.step, &K);
            double condition = olo_condition(K.size, K.entry);
            double unit = pow(10, floor(log10(digits[reduced][i])) - 1);
            print_message("%s h %s: %.3e\n", s.run.constraints, steps[i], condition);
            /* one per cent, or half a digit */
            check_close(digits[reduced][i] / unit, condition / unit,
                        larger(0.5, 0.01 * digits[reduced][i] / unit));
            check_true(condition >= printed[reduced][i] && condition < 10 * printed[reduced][i]);
            olo_free(K.entry);
            scene_close(&s);
        }
}

TEST_MAIN(cmocka_unit_test(table_6_7_condition_numbers))
