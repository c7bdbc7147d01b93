/* Rotations of a model file, as matrices whose columns are the directors.
 *
 *   axis n, angle a      R = I + sin(a) hat(n) + (1 - cos(a)) hat(n)^2        (Rodrigues)
 *   quaternion (w, x)    R = I + 2 w hat(x) + 2 hat(x)^2, both divided by the norm
 *   euler ijk, angles    R = R_i(a1) R_j(a2) R_k(a3)
 *   a list               R = R_1 R_2 ..., each about the axes that the earlier ones have turned
 *
 * A matrix must be orthonormal to MATRIX_TOLERANCE, enough for numbers copied with seven digits,
 * and is then replaced by the nearest rotation. */
#include <math.h>
#include <string.h>

#include "linalg/rotation.h"
#include "model/reader.h"

#define MATRIX_TOLERANCE 1e-6

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Length of a list of numbers, without overflow. */
static double length(const double *x, int count)
{
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < count && largest > 0.0; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

/* R = I + s hat(n) + c hat(n)^2, with hat(n)^2 = n n^T - |n|^2 I */
static void hat_series(const double n[3], double s, double c, double r[9])
{
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const double hat[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int i = 0; i < 9; i++) {
        const double outer = n[i / 3] * n[i % 3] - square * identity[i];
        r[i] = identity[i] + s * hat[i] + c * outer;
    }
}

static void axis_rotation(const double axis[3], double angle, double r[9])
{
    const double half = sin(0.5 * angle); // 1 - cos(a) without cancellation
    hat_series(axis, sin(angle), 2.0 * half * half, r);
}

/* Largest error of R^T R = I. */
static double orthonormality_error(const double r[9])
{
    double transposed[9], square[9], error = 0.0;
    for (int i = 0; i < 9; i++)
        transposed[i] = r[3 * (i % 3) + i / 3];
    mat3_product(transposed, r, square);
    for (int i = 0; i < 9; i++)
        error = fmax(error, fabs(square[i] - identity[i]));
    return error;
}

/* An angle beyond a whole turn is probably in degrees. */
static void check_angle(olo_reader *reader, const olo_yaml_node *node, double angle)
{
    const double whole_turn = 6.283185307179586 * (1 + 1e-9);
    if (fabs(angle) > whole_turn && !reader->numbers_only)
        olo_read_warn(reader, node,
                      "an angle of %.6g radians is more than a whole turn: write %.6g*deg for "
                      "degrees",
                      angle, angle);
}

/* The four notations of a rotation ------------------------------------------------------------ */

static olo_status read_axis(olo_reader *reader, const olo_yaml_node *node, double r[9])
{
    const olo_yaml_node *axis_node = olo_yaml_find(node, "axis");
    double axis[3] = {0}, angle = 0.0;
    // an axis of a planar model has three numbers too
    olo_status status = olo_read_numbers(reader, axis_node, 3, axis);
    if (status == OLO_OK)
        status = olo_read_number(reader, olo_yaml_find(node, "angle"), &angle);
    if (status != OLO_OK)
        return status;
    const double norm = length(axis, 3);
    if (norm == 0.0)
        return olo_read_fail(reader, axis_node, "the axis has zero length");
    check_angle(reader, olo_yaml_find(node, "angle"), angle);
    for (int i = 0; i < 3; i++)
        axis[i] /= norm;
    axis_rotation(axis, angle, r);
    return OLO_OK;
}

static olo_status read_matrix(olo_reader *reader, const olo_yaml_node *node, double r[9])
{
    const olo_yaml_node *matrix = olo_yaml_find(node, "matrix");
    if (matrix->kind != OLO_YAML_LIST || matrix->count != 3)
        return olo_read_fail_expected(reader, matrix, "3 rows of 3 numbers");
    for (const olo_yaml_node *row = matrix->first; row; row = row->next) {
        const olo_status status = olo_read_numbers(reader, row, 3, r + 3 * row->index);
        if (status != OLO_OK)
            return status;
    }
    const double error = orthonormality_error(r);
    if (!(error <= MATRIX_TOLERANCE)) {
        return olo_read_fail(reader, matrix,
                             "the matrix is not orthonormal: R^T R differs from the identity by "
                             "%.3g, more than %g",
                             error, MATRIX_TOLERANCE);
    }
    if (mat3_det(r) < 0.0)
        return olo_read_fail(reader, matrix, "the matrix is a reflection: its determinant is -1");
    rotation_orthonormalise(r);
    return OLO_OK;
}

static olo_status read_quaternion(olo_reader *reader, const olo_yaml_node *node, double r[9])
{
    const olo_yaml_node *quaternion = olo_yaml_find(node, "quaternion");
    double p[4] = {0};
    const olo_status status = olo_read_numbers(reader, quaternion, 4, p);
    if (status != OLO_OK)
        return status;
    const double norm = length(p, 4);
    if (norm == 0.0)
        return olo_read_fail(reader, quaternion, "the quaternion is zero");
    for (int i = 0; i < 4; i++)
        p[i] /= norm;
    hat_series(p + 1, 2.0 * p[0], 2.0, r);
    return OLO_OK;
}

static olo_status read_euler(olo_reader *reader, const olo_yaml_node *node, double r[9])
{
    const olo_yaml_node *axes = olo_yaml_find(node, "euler");
    double angles[3] = {0};
    if (axes->kind != OLO_YAML_SCALAR || strlen(axes->text) != 3 ||
        strspn(axes->text, "xyz") != 3 || axes->text[0] == axes->text[1] ||
        axes->text[1] == axes->text[2]) {
        return olo_read_fail_expected(reader, axes,
                                      "three axes such as zxz or xyz, neighbours different");
    }
    const olo_status status = olo_read_numbers(reader, olo_yaml_find(node, "angles"), 3, angles);
    if (status != OLO_OK)
        return status;
    for (const olo_yaml_node *a = olo_yaml_find(node, "angles")->first; a; a = a->next)
        check_angle(reader, a, angles[a->index]);
    memcpy(r, identity, sizeof identity);
    for (int i = 0; i < 3; i++) {
        double one[9], product[9];
        axis_rotation(&identity[3 * (axes->text[i] - 'x')], angles[i], one);
        mat3_product(r, one, product);
        memcpy(r, product, sizeof product);
    }
    return OLO_OK;
}

/* A notation is identified by its first key; `second` NULL: it has one key only. */
typedef struct way {
    const char *first, *second;
    olo_status (*read)(olo_reader *reader, const olo_yaml_node *node, double r[9]);
} way;

static const way ways[] = {
    {"axis", "angle", read_axis},
    {"matrix", NULL, read_matrix},
    {"quaternion", NULL, read_quaternion},
    {"euler", "angles", read_euler},
};
enum { WAY_COUNT = sizeof ways / sizeof ways[0] };

static const char *const keys[] = {"axis", "angle", "matrix", "quaternion", "euler", "angles"};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

#define EXPECTED                                                                                   \
    "{axis: [x, y, z], angle: a}, {matrix: [3 rows]}, {quaternion: [w, x, y, z]}, "                \
    "{euler: zxz, angles: [a, b, c]} or a list of such"

static bool is_key(const char *key)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

static olo_status read_one(olo_reader *reader, const olo_yaml_node *node, double r[9])
{
    if (node->kind != OLO_YAML_MAP)
        return olo_read_fail_expected(reader, node, EXPECTED);
    for (const olo_yaml_node *child = node->first; child; child = child->next)
        if (!is_key(child->key))
            return olo_read_fail_unknown_key(reader, child, "rotation", keys, KEY_COUNT);
    for (int i = 0; i < WAY_COUNT; i++) {
        const bool first = olo_yaml_find(node, ways[i].first) != NULL;
        const bool second =
            !ways[i].second ? node->count == 1 : olo_yaml_find(node, ways[i].second) != NULL;
        if (first && second && node->count == (!ways[i].second ? 1 : 2))
            return ways[i].read(reader, node, r);
    }
    return olo_read_fail(reader, node, "expected " EXPECTED ", got other keys together");
}

olo_status olo_read_rotation(olo_reader *reader, const olo_yaml_node *node, double rotation[9])
{
    if (node->kind != OLO_YAML_LIST)
        return read_one(reader, node, rotation);
    memcpy(rotation, identity, sizeof identity);
    for (const olo_yaml_node *item = node->first; item; item = item->next) {
        double one[9], product[9];
        const olo_status status = read_one(reader, item, one);
        if (status != OLO_OK)
            return status;
        mat3_product(rotation, one, product);
        memcpy(rotation, product, sizeof product);
    }
    rotation_orthonormalise(rotation); // many factors add their round-off
    return OLO_OK;
}
