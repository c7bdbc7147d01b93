/* Rows of contacts; see the header. With the 3-vectors q_s of the contact and x = x0 + sum w_s q_s:
 *
 *     plane      W_s = w_s n
 *     distance   W_s = s w_s 2 x_m/(l0 + l1), l = |x|, since l1^2 - l0^2 = 2 x_m.(x1 - x0)
 *     sliding    W_s = w_s t - R (n.q_s) t + 1/2 k (n x q_s), the last two for directors of the
 *                sphere: sum (n.d_i) d_i' is omega x n, 1/2 sum d_i x d_i' is omega
 */
#include "system/contact.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

static void set_zero(const olo_constraint *row, double *matrix)
{
    memset(matrix, 0, (size_t)(row->size * row->size) * sizeof *matrix);
}

/* --- plane --- */

static double plane_value(const olo_constraint *row, const olo_at *at)
{
    const olo_contact_geometry *c = row->data;
    double x[3];
    olo_position_value(&c->x, at->q, x);
    return vec3_dot(c->normal, x) - c->offset;
}

static double plane_magnitude(const olo_constraint *row, const olo_at *at)
{
    const olo_contact_geometry *c = row->data;
    double sum = fabs(c->offset) + fabs(vec3_dot(c->normal, c->x.x0));
    for (int s = 0; s < c->slots; s++)
        sum += fabs(c->weight[s]) * fabs(vec3_dot(c->normal, at->q + c->slot[s]));
    return sum;
}

static void plane_gradient(const olo_constraint *row, const olo_at *at, double *gradient)
{
    const olo_contact_geometry *c = row->data;
    (void)at;
    for (int k = 0; k < row->size; k++)
        gradient[k] = c->weight[k / 3] * c->normal[k % 3];
}

static void plane_discrete(const olo_constraint *row, const olo_interval *x, double *d,
                           double *tangent)
{
    (void)x;
    plane_gradient(row, NULL, d);
    if (tangent)
        set_zero(row, tangent);
}

static void no_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    (void)x;
    set_zero(row, tangent);
}

static void no_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    (void)at;
    set_zero(row, hessian);
}

const olo_constraint_type olo_constraint_gap_plane = {.name = "gap to a plane",
                                                      .value = plane_value,
                                                      .magnitude = plane_magnitude,
                                                      .gradient = plane_gradient,
                                                      .discrete = plane_discrete,
                                                      .start_tangent = no_tangent,
                                                      .hessian = no_hessian};

/* --- distance --- */

static double distance_value(const olo_constraint *row, const olo_at *at)
{
    const olo_contact_geometry *c = row->data;
    double x[3];
    olo_position_value(&c->x, at->q, x);
    return c->sign * (vec3_norm(x) - c->offset);
}

static double distance_magnitude(const olo_constraint *row, const olo_at *at)
{
    const olo_contact_geometry *c = row->data;
    double sum = fabs(c->offset) + vec3_norm(c->x.x0);
    for (int s = 0; s < c->slots; s++)
        sum += fabs(c->weight[s]) * vec3_norm(at->q + c->slot[s]);
    return sum;
}

/* The vector d = 2 x_m/(l0 + l1) s in space, and its derivative with respect to x1: with L = l0 +
 * l1 and the unit vector e1 at the end, (I - 2 x_m e1^T/L) s/L. */
static void distance_vector(const olo_contact_geometry *c, const double *q0, const double *qm,
                            const double *q1, double d[3], double *by_x1)
{
    double x0[3], xm[3], x1[3];
    olo_position_value(&c->x, q0, x0);
    olo_position_value(&c->x, qm, xm);
    olo_position_value(&c->x, q1, x1);
    const double l1 = vec3_norm(x1), L = vec3_norm(x0) + l1;
    for (int i = 0; i < 3; i++)
        d[i] = 2 * c->sign * xm[i] / L;
    for (int i = 0; by_x1 && i < 3; i++)
        for (int j = 0; j < 3; j++)
            by_x1[3 * i + j] = c->sign / L * ((i == j) - 2 * xm[i] * x1[j] / (l1 * L));
}

/* d and its derivative over the coordinates of the row. */
static void distance_over(const olo_constraint *row, const double *q0, const double *qm,
                          const double *q1, double *d, double *tangent)
{
    const olo_contact_geometry *c = row->data;
    double vector[3], by_x1[9];
    distance_vector(c, q0, qm, q1, vector, tangent ? by_x1 : NULL);
    for (int k = 0; k < row->size; k++) {
        d[k] = c->weight[k / 3] * vector[k % 3];
        for (int l = 0; tangent && l < row->size; l++)
            tangent[k * row->size + l] =
                c->weight[k / 3] * c->weight[l / 3] * by_x1[3 * (k % 3) + l % 3];
    }
}

static void distance_gradient(const olo_constraint *row, const olo_at *at, double *gradient)
{
    distance_over(row, at->q, at->q, at->q, gradient, NULL);
}

static void distance_discrete(const olo_constraint *row, const olo_interval *x, double *d,
                              double *tangent)
{
    distance_over(row, x->q0, x->qm, x->q1, d, tangent);
}

static void distance_start_tangent(const olo_constraint *row, const olo_interval *x,
                                   double *tangent)
{
    double d[3 * OLO_CONTACT_SLOTS_MAX];
    distance_over(row, x->q1, x->qm, x->q0, d, tangent);
}

/* Twice the derivative with respect to one end. */
static void distance_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    double d[3 * OLO_CONTACT_SLOTS_MAX];
    distance_over(row, at->q, at->q, at->q, d, hessian);
    for (int i = 0; i < row->size * row->size; i++)
        hessian[i] *= 2;
}

/* Second derivative of y.d in space, Y = sum w_s y_s: with e_a the unit vectors at the ends,
 *
 *     y.d = 2 s (Y.x_m)/L,
 *     s [-(Y e_b^T + e_a Y^T)/L^2 + 4 (Y.x_m) e_a e_b^T/L^3 - [a = b] 2 (Y.x_m)(I - e_a e_a^T)/(l_a
 * L^2)]
 */
static void distance_second(const olo_constraint *row, const olo_interval *x, const double *y,
                            int a, int b, double *matrix)
{
    const olo_contact_geometry *c = row->data;
    const double *const q[2] = {x->q0, x->q1};
    double e[2][3], l[2], Y[3] = {0, 0, 0}, xm[3], second[9];
    for (int end = 0; end < 2; end++) {
        olo_position_value(&c->x, q[end], e[end]);
        l[end] = vec3_normalise(e[end]);
    }
    olo_position_value(&c->x, x->qm, xm);
    for (int k = 0; k < row->size; k++)
        Y[k % 3] += c->weight[k / 3] * y[k];
    const double L = l[0] + l[1], P = vec3_dot(Y, xm);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = -(Y[i] * e[b][j] + e[a][i] * Y[j]) / (L * L) +
                         4 * P * e[a][i] * e[b][j] / (L * L * L);
            if (a == b)
                sum -= 2 * P * ((i == j) - e[a][i] * e[a][j]) / (l[a] * L * L);
            second[3 * i + j] = c->sign * sum;
        }
    for (int k = 0; k < row->size; k++)
        for (int m = 0; m < row->size; m++)
            matrix[k * row->size + m] =
                c->weight[k / 3] * c->weight[m / 3] * second[3 * (k % 3) + m % 3];
}

/* At a single configuration: the sum over both ends. */
static void distance_third(const olo_constraint *row, const olo_at *at, const double *y,
                           double *matrix)
{
    const olo_interval rest = {.q0 = at->q, .qm = at->q, .q1 = at->q};
    double part[9 * OLO_CONTACT_SLOTS_MAX * OLO_CONTACT_SLOTS_MAX];
    set_zero(row, matrix);
    for (int ab = 0; ab < 4; ab++) {
        distance_second(row, &rest, y, ab / 2, ab % 2, part);
        for (int i = 0; i < row->size * row->size; i++)
            matrix[i] += part[i];
    }
}

const olo_constraint_type olo_constraint_gap_distance = {.name = "gap of a distance",
                                                         .value = distance_value,
                                                         .magnitude = distance_magnitude,
                                                         .gradient = distance_gradient,
                                                         .discrete = distance_discrete,
                                                         .start_tangent = distance_start_tangent,
                                                         .hessian = distance_hessian,
                                                         .second = distance_second,
                                                         .third = distance_third};

/* --- sliding --- */

static void sliding_row(const olo_constraint *row, const double *q, double *d)
{
    const olo_sliding *sliding = row->data;
    const olo_contact_geometry *c = sliding->of;
    for (int s = 0; s < c->slots; s++) {
        const double *director = q + c->slot[s];
        const double lever = c->director[s] * c->radius * vec3_dot(c->normal, director);
        double turn[3];
        vec3_cross(c->normal, director, turn);
        for (int i = 0; i < 3; i++)
            d[3 * s + i] = (c->weight[s] - lever) * sliding->along[i] +
                           0.5 * c->director[s] * sliding->spin * turn[i];
    }
}

/* matrix = factor dW/dq */
static void sliding_matrix(const olo_constraint *row, double factor, const double *q,
                           double *matrix)
{
    const olo_sliding *sliding = row->data;
    const olo_contact_geometry *c = sliding->of;
    const double *n = c->normal, *t = sliding->along;
    const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    (void)q;
    set_zero(row, matrix);
    for (int s = 0; s < c->slots; s++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                matrix[(3 * s + i) * row->size + 3 * s + j] =
                    factor * c->director[s] *
                    (0.5 * sliding->spin * cross[3 * i + j] - c->radius * t[i] * n[j]);
}

static const olo_sliding_form on_the_ground = {sliding_row, sliding_matrix};

/* Rows of all forms, at the mean of a step. */
static const olo_sliding_form *form_of(const olo_constraint *row)
{
    return ((const olo_sliding *)row->data)->of->sliding_form;
}

static void sliding_gradient(const olo_constraint *row, const olo_at *at, double *gradient)
{
    form_of(row)->row(row, at->q, gradient);
}

static void sliding_discrete(const olo_constraint *row, const olo_interval *x, double *d,
                             double *tangent)
{
    form_of(row)->row(row, x->qm, d);
    if (tangent)
        form_of(row)->matrix(row, 0.5, x->qm, tangent);
}

static void sliding_start_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    form_of(row)->matrix(row, 0.5, x->qm, tangent);
}

/* The transpose of dW/dq. */
static void sliding_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    form_of(row)->matrix(row, 1, at->q, hessian);
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < i; j++) {
            const double swap = hessian[i * row->size + j];
            hessian[i * row->size + j] = hessian[j * row->size + i];
            hessian[j * row->size + i] = swap;
        }
}

static const olo_constraint_type sliding_type = {.name = "sliding",
                                                 .velocity = true,
                                                 .gradient = sliding_gradient,
                                                 .discrete = sliding_discrete,
                                                 .start_tangent = sliding_start_tangent,
                                                 .hessian = sliding_hessian};

/* --- the rows of a contact --- */

double olo_contact_unit(const olo_contact_point *contact, double length_scale)
{
    const olo_constraint *row = olo_contact_row(contact, olo_contact_first_row(contact));
    bool angle = row->share_count > 0;
    for (int i = 0; i < row->share_count; i++)
        angle = angle && row->shares[i].coordinate->law->angle;
    return angle ? 1 : length_scale;
}

/* The index of a slot in the ascending list, which it extends. -1: no room. */
static int find_slot(olo_contact_geometry *c, int slot)
{
    int at = 0;
    while (at < c->slots && c->slot[at] < slot)
        at++;
    if (at < c->slots && c->slot[at] == slot)
        return at;
    if (c->slots == OLO_CONTACT_SLOTS_MAX)
        return -1;
    for (int i = c->slots++; i > at; i--) {
        c->slot[i] = c->slot[i - 1];
        c->weight[i] = c->weight[i - 1];
        c->turning[i] = c->turning[i - 1];
        c->director[i] = c->director[i - 1];
        c->tangent[0][i] = c->tangent[0][i - 1];
        c->tangent[1][i] = c->tangent[1][i - 1];
    }
    c->slot[at] = slot;
    c->weight[at] = c->turning[at] = c->director[at] = c->tangent[0][at] = c->tangent[1][at] = 0;
    return at;
}

/* Enters the weights of a direction at its slots; false if there is no room. */
static bool add_direction(olo_contact_geometry *c, const olo_position *direction, double *weights)
{
    bool room = true;
    for (int k = 0; k < direction->count; k++) {
        const int at = find_slot(c, direction->slot[k]);
        room = room && at >= 0;
        if (at >= 0)
            weights[at] = direction->weight[k];
    }
    return room;
}

bool olo_contact_find_slots(olo_contact_geometry *c, const olo_position tangent[2])
{
    bool room = true;
    c->slots = 0;
    for (int k = 0; k < c->x.count; k++) {
        const int at = find_slot(c, c->x.slot[k]);
        room = room && at >= 0;
        if (at >= 0)
            c->weight[at] = c->x.weight[k];
    }
    room = add_direction(c, &c->direction, c->turning) && room;
    for (int k = 0; k < 2 && tangent; k++)
        room = add_direction(c, &tangent[k], c->tangent[k]) && room;
    return room;
}

bool olo_contact_add_directors(olo_contact_geometry *c, int frame, double share)
{
    bool room = true;
    for (int i = 1; i <= 3; i++) {
        const int at = find_slot(c, frame + 3 * i);
        room = room && at >= 0;
        if (at >= 0)
            c->director[at] = share;
    }
    return room;
}

/* Without a plane: the gap is a distance. */
static bool is_distance(const olo_contact_geometry *c)
{
    return c->direction.count == 0 && !(vec3_norm(c->normal) > 0);
}

void olo_contact_set_rows(olo_contact_point *contact, const olo_constraint_type *gap,
                          olo_contact_geometry *geometry, int *index, int sliding_count)
{
    for (int k = 0; k < 3 * geometry->slots; k++)
        index[k] = geometry->slot[k / 3] + k % 3;
    contact->geometry = geometry;
    contact->gap = (olo_constraint){
        .type = gap, .size = 3 * geometry->slots, .index = index, .curved = true, .data = geometry};
    contact->sliding_count = sliding_count;
    geometry->sliding_form = is_distance(geometry)           ? &olo_sliding_spheres
                             : geometry->direction.count > 0 ? &olo_sliding_moving
                                                             : &on_the_ground;
    for (int k = 0; k < sliding_count; k++) {
        geometry->sliding[k].of = geometry;
        contact->sliding[k] = contact->gap;
        contact->sliding[k].type = &sliding_type;
        contact->sliding[k].data = &geometry->sliding[k];
    }
}

void olo_contact_normal(const olo_contact_point *contact, const double *q, double normal[3])
{
    const olo_contact_geometry *c = contact->geometry;
    if (c->direction.count > 0)
        olo_position_value(&c->direction, q, normal);
    else if (vec3_norm(c->normal) > 0)
        vec3_copy(c->normal, normal);
    else
        olo_position_value(&c->x, q, normal);
    vec3_normalise(normal);
    for (int i = 0; i < 3; i++)
        normal[i] *= c->sign;
}

void olo_contact_tangent(const olo_contact_point *contact, int k, const double *q,
                         double tangent[3])
{
    const olo_contact_geometry *c = contact->geometry;
    const olo_sliding *sliding = &c->sliding[k];
    vec3_copy(sliding->along, tangent);
    for (int s = 0; c->direction.count > 0 && sliding->spin == 0 && s < c->slots; s++)
        vec3_add(c->tangent[sliding->tangent][s], q + c->slot[s], tangent);
}

bool olo_contact_sliding_is_linear(const olo_contact_point *contact)
{
    const olo_contact_geometry *c = contact->geometry;
    bool linear = !c || !is_distance(c);
    for (int s = 0; c && c->direction.count > 0 && s < c->slots; s++)
        linear = linear && c->director[s] == 0;
    return linear;
}

bool olo_contact_sliding_is_invariant(const olo_contact_point *contact)
{
    const olo_contact_geometry *c = contact->geometry;
    double shares = 0; /* three directors of each sphere */
    for (int s = 0; s < c->slots; s++)
        shares += c->director[s] / 3;
    return is_distance(c) ? fabs(shares - 1) < 1e-12 : c->direction.count > 0;
}

void olo_contact_touching_point(const olo_contact_point *contact, const double *q, double x[3])
{
    double normal[3];
    if (!contact->geometry) {
        x[0] = x[1] = x[2] = (double)NAN;
        return;
    }
    olo_position_value(&contact->touching, q, x);
    olo_contact_normal(contact, q, normal);
    vec3_add(-contact->geometry->radius, normal, x);
}
