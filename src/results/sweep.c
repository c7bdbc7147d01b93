/* Swept sections. Between frames a and b at a distance L
 *
 *     x(X1, X2, s) = c(s) + X1 e1(s) + X2 e2(s),
 *     c(s) = H0(s) phi_a + H1(s) L d3_a + H2(s) phi_b + H3(s) L d3_b,     cubic polynomials of
 *         Hermite
 *     e_i(s) along (1 - s) d_i^a + s d_i^b, of unit length:
 *
 * Sections are normal to the line at the nodes, so that adjacent sweeps join smoothly wherever
 * shear is small. */
#include "results/sweep.h"

#include <string.h>

#include "linalg/vec3.h"

olo_sweep_frame olo_sweep_turn(const olo_sweep_frame *node, const double rotation[9])
{
    olo_sweep_frame turned = {.d = {0}};
    vec3_copy(node->position, turned.position);
    for (int i = 0; i < 3; i++)
        for (int J = 0; J < 3; J++)
            vec3_add(rotation[3 * J + i], node->d + 3 * J, turned.d + 3 * i);
    return turned;
}

void olo_sweep_point(const olo_sweep_frame *first, const olo_sweep_frame *second, const double X[3],
                     double x[3])
{
    const double s = X[2], r = 1.0 - s;
    double span[3];
    vec3_subtract(second->position, first->position, span);
    const double length = vec3_norm(span);
    vec3_set(0.0, 0.0, 0.0, x);
    vec3_add(r * r * (1.0 + 2.0 * s), first->position, x);
    vec3_add(s * r * r * length, first->d + 6, x);
    vec3_add(s * s * (3.0 - 2.0 * s), second->position, x);
    vec3_add(-s * s * r * length, second->d + 6, x);
    for (int i = 0; i < 2; i++) {
        double e[3] = {0.0, 0.0, 0.0};
        vec3_add(r, first->d + 3 * i, e);
        vec3_add(s, second->d + 3 * i, e);
        const double size = vec3_norm(e);
        vec3_add(size > 0.0 ? X[i] / size : 0.0, e, x);
    }
}

olo_sweep_stress olo_sweep_find_stress(const olo_result *result)
{
    olo_sweep_stress found = {0, 0};
    for (size_t i = 0; i < result->csv_columns; i++) {
        const olo_result_source *source = &result->sources[result->columns[i].source];
        if (strcmp(source->path, "/frames/stress") == 0) {
            found.column = found.width == 0 ? i : found.column;
            found.width++;
        }
    }
    return found.width >= 6 ? found : (olo_sweep_stress){0, 0};
}

bool olo_sweep_resultants(const olo_drawable *sweep, const double *row, size_t width,
                          double resultants[6])
{
    memset(resultants, 0, 6 * sizeof *resultants);
    for (int k = 0; k < 2; k++) {
        // the file may be inconsistent
        if (sweep->point[k] < 1 || 6 * (size_t)sweep->point[k] > width)
            return false;
    }
    for (size_t k = 0; k < 12; k++) {
        const size_t point = (size_t)sweep->point[k / 6] - 1;
        resultants[k % 6] += 0.5 * row[6 * point + k % 6];
    }
    return true;
}
