/* The form s = y^T P(q) nu and its derivatives; see the header.
 *
 * Every vector is a dual number: its value, and its changes along two directions w. Velocities are
 * computed from root to leaf. Forces f and moments m about the origin of each node, which are
 * equivalent to y, are computed from leaf to root,
 *
 *     f_c = y_phi + sum f                                        over the children,
 *     m_c = sum d_I x y_I + sum (m + (phi - phi_c) x f)          over the children.
 *
 * Then s is a sum of triple products over joints and directors, with the gradients
 *
 *     y_I.(omega x d_I)                  by d_I      y_I x omega
 *     f.(omega_p x (phi_c - phi_p))      by phi_c    f x omega_p, by phi_p the opposite
 *     nu (n.m + f.(n x arm))             by n        nu (m + arm x f),  by arm  nu f x n
 *     nu n.f                             by n        nu f
 */
#include "kinematics/null_space_form.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/chart.h"
#include "linalg/vec3.h"

/* --- dual vectors: values with their changes --- */

/* Numbers of two directions, which are added and multiplied together. */
enum { WIDTH = 2 };
typedef double pair __attribute__((vector_size(16)));

typedef struct dual {
    double value[3];
    pair change[3];
} dual;

static inline void add(double scale, const dual *a, dual *out)
{
    vec3_add(scale, a->value, out->value);
    for (int i = 0; i < 3; i++)
        out->change[i] += scale * a->change[i];
}

/* The change of component i of a x b, j = i + 1, k = i + 2. */
static inline pair cross_change(const dual *a, const dual *b, int j, int k)
{
    return a->change[j] * b->value[k] - a->change[k] * b->value[j] + a->value[j] * b->change[k] -
           a->value[k] * b->change[j];
}

static inline void add_cross(const dual *a, const dual *b, dual *out)
{
    vec3_add_cross(a->value, b->value, out->value);
    out->change[0] += cross_change(a, b, 1, 2);
    out->change[1] += cross_change(a, b, 2, 0);
    out->change[2] += cross_change(a, b, 0, 1);
}

static inline dual cross(const dual *a, const dual *b)
{
    dual out = {0};
    add_cross(a, b, &out);
    return out;
}

/* out += a x b, where one of both does not change */
static inline void add_cross_fixed(const dual *a, const double b[3], dual *out)
{
    vec3_add_cross(a->value, b, out->value);
    out->change[0] += a->change[1] * b[2] - a->change[2] * b[1];
    out->change[1] += a->change[2] * b[0] - a->change[0] * b[2];
    out->change[2] += a->change[0] * b[1] - a->change[1] * b[0];
}

static inline void add_fixed_cross(const double a[3], const dual *b, dual *out)
{
    vec3_add_cross(a, b->value, out->value);
    out->change[0] += a[1] * b->change[2] - a[2] * b->change[1];
    out->change[1] += a[2] * b->change[0] - a[0] * b->change[2];
    out->change[2] += a[0] * b->change[1] - a[1] * b->change[0];
}

/* --- the form --- */

typedef struct node_numbers {
    dual velocity, spin;
    dual force, moment;
} node_numbers;

/* Axis and arm of a screw. */
typedef struct located {
    dual axis, arm;
} located;

struct olo_null_form {
    const olo_topology *topology;
    olo_screw *screws;   /* [unknowns] */
    located *located;    /* [unknowns] */
    node_numbers *nodes; /* [nodes] */
    double *none;        /* [n + unknowns] zeros */
    dual *vectors;       /* [n/3] of q, with their changes */
    dual *gradient;      /* [n/3] */
    olo_pool pool;
};

/* The arguments, with the directions that are taken together: columns `first` to first + width - 1
 * of w. */
typedef struct arguments {
    const double *q, *y, *nu, *w;
    int directions, first, width;
} arguments;

/* A scalar: P = 1, so that y.P nu is y nu. */
static bool is_scalar(const olo_node *node)
{
    return node->type->width == 1;
}

olo_status olo_null_form_create(const olo_topology *topology, const double *reference,
                                olo_null_form **created, olo_error *error)
{
    const olo_system *s = topology->system;
    const size_t n = (size_t)s->n, unknowns = (size_t)topology->unknowns;
    *created = NULL;
    olo_null_form *form = *created = olo_alloc(1, sizeof *form);
    if (form) {
        form->topology = topology;
        form->screws = olo_pool_alloc(&form->pool, unknowns + 1, sizeof *form->screws);
        form->located = olo_pool_alloc(&form->pool, unknowns + 1, sizeof *form->located);
        form->nodes = olo_pool_alloc(&form->pool, (size_t)s->node_count + 1, sizeof *form->nodes);
        form->none = olo_pool_alloc(&form->pool, n + unknowns + 1, sizeof *form->none);
        form->vectors = olo_pool_alloc(&form->pool, n / 3 + 1, sizeof *form->vectors);
        form->gradient = olo_pool_alloc(&form->pool, n / 3 + 1, sizeof *form->gradient);
    }
    if (!form || !form->screws || !form->located || !form->nodes || !form->none || !form->vectors ||
        !form->gradient) {
        olo_null_form_free(form);
        *created = NULL;
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a null space");
    }
    olo_null_form_refer(form, reference);
    return OLO_OK;
}

bool olo_null_form_depends_on_reference(const olo_topology *topology)
{
    for (int k = 0; k < topology->system->node_count; k++)
        if (!is_scalar(&topology->system->nodes[k]) &&
            olo_chart_joint(topology, k)->type->screws_at_reference)
            return true;
    return false;
}

void olo_null_form_refer(olo_null_form *form, const double *reference)
{
    const olo_topology *topology = form->topology;
    for (int k = 0; k < topology->system->node_count; k++) {
        if (is_scalar(&topology->system->nodes[k]))
            continue;
        const olo_chart_view x = olo_chart_view_at(topology, k, reference);
        x.joint->type->screws(&x, form->screws + topology->nodes[k].u);
    }
}

void olo_null_form_use(olo_null_form *form, const olo_topology *topology, const double *reference)
{
    form->topology = topology;
    olo_null_form_refer(form, reference);
}

void olo_null_form_free(olo_null_form *form)
{
    if (!form)
        return;
    olo_pool_free(&form->pool);
    olo_free(form);
}

/* --- axes and pivots of screws --- */

static bool has_directors(const olo_node *node)
{
    return node && node->type->directors >= 0;
}

static bool has_position(const olo_node *node)
{
    return node->type->position >= 0;
}

static int director_count(const olo_node *node)
{
    return has_directors(node) ? 3 : 0;
}

/* The first coordinate of 3-vector I of a node: 0 its position, 1 to 3 its directors. */
static int vector_of(const olo_node *node, int I)
{
    return node->q + (I == 0 ? node->type->position : node->type->directors + 3 * (I - 1));
}

/* The changes of coordinate i of q. */
static inline pair change_at(const arguments *x, int i)
{
    const double *w = x->w + (size_t)i * (size_t)x->directions + x->first;
    if (x->width == WIDTH)
        return (pair){w[0], w[1]};
    return x->width > 0 ? (pair){w[0], 0} : (pair){0, 0};
}

/* All vectors of q with their changes. */
static void gather_vectors(olo_null_form *form, const arguments *x)
{
    const int count = form->topology->system->n / 3; /* scalars follow them */
    for (int i = 0; i < count; i++) {
        dual *to = &form->vectors[i];
        vec3_copy(x->q + 3 * i, to->value);
        if (x->directions == WIDTH)
            memcpy(to->change, x->w + (size_t)(3 * WIDTH * i), sizeof to->change);
        else
            for (int j = 0; j < 3; j++)
                to->change[j] = change_at(x, 3 * i + j);
    }
}

/* 3-vector I of a node; zero for the ground, NULL, and for the position of a triad. */
static inline const dual *vector_at(const olo_null_form *form, const olo_node *node, int I)
{
    static const dual zero = {0};
    return node && (I > 0 || has_position(node)) ? &form->vectors[vector_of(node, I) / 3] : &zero;
}

/* X_I d_I; the directors of the ground and of points are the axes of space. */
static dual carried(const olo_null_form *form, const olo_node *node, const double X[3])
{
    dual out = {0};
    if (!has_directors(node))
        vec3_copy(X, out.value);
    for (int I = 0; has_directors(node) && I < 3; I++)
        if (X[I] != 0) /* most axes are those of the body */
            add(X[I], vector_at(form, node, I + 1), &out);
    return out;
}

/* The same without changes. */
static void carried_value(const olo_node *node, const double X[3], const double *q, double out[3])
{
    if (!has_directors(node)) {
        vec3_copy(X, out);
        return;
    }
    vec3_set(0, 0, 0, out);
    for (int I = 0; I < 3; I++)
        if (X[I] != 0)
            vec3_add(X[I], q + vector_of(node, I + 1), out);
}

static const olo_node *node_of(const olo_null_form *form, int k)
{
    return k < 0 ? NULL : &form->topology->system->nodes[k];
}

static const olo_node *carrier_of(const olo_null_form *form, int k, olo_carrier in)
{
    if (in == OLO_IN_SPACE)
        return NULL;
    return node_of(form, in == OLO_IN_CHILD ? k : form->topology->nodes[k].parent);
}

/* Direction l of the coordinates of a body. */
static void gather_direction(const olo_node *node, int l, const arguments *x, double w[12])
{
    for (int i = 0; i < 12; i++)
        w[i] = change_at(x, node->q + i)[l];
}

/* phi_c - z */
static dual arm_of(const olo_null_form *form, int k, const olo_screw *screw, const arguments *x)
{
    const olo_node *node = node_of(form, k);
    dual out = {0};
    for (int l = 0; screw->moving && l < WIDTH; l++) {
        double w[12], change[3];
        double value[3];
        gather_direction(node, l, x, w);
        screw->moving->arm(olo_chart_joint(form->topology, k), x->q + node->q, w, value, change);
        for (int i = 0; i < 3; i++) {
            out.value[i] = -value[i];
            out.change[i][l] = -change[i];
        }
    }
    if (screw->moving)
        return out;
    const olo_node *carrier = carrier_of(form, k, screw->pivot_in);
    const dual rho = carried(form, carrier, screw->pivot);
    if (carrier != node) {
        out = *vector_at(form, node, 0);
        add(-1.0, vector_at(form, carrier, 0), &out);
    }
    add(-1.0, &rho, &out);
    return out;
}

static void locate(olo_null_form *form, int k, int j, const arguments *x)
{
    const olo_screw *screw = &form->screws[j];
    form->located[j].axis = carried(form, carrier_of(form, k, screw->axis_in), screw->axis);
    if (screw->turns)
        form->located[j].arm = arm_of(form, k, screw, x);
}

/* --- velocities, root to leaf --- */

/* From the origin of the parent to that of the child. */
static dual transport(const olo_null_form *form, int k)
{
    dual span = *vector_at(form, node_of(form, k), 0);
    add(-1.0, vector_at(form, node_of(form, form->topology->nodes[k].parent), 0), &span);
    return span;
}

/* Velocity and spin of node k from those of its parent and the rates of its screws. */
static void move(olo_null_form *form, int k, const arguments *x)
{
    const olo_topology_node *t = &form->topology->nodes[k];
    dual velocity = {0}, spin = {0};
    if (t->parent >= 0) {
        const node_numbers *parent = &form->nodes[t->parent];
        dual span = transport(form, k);
        velocity = parent->velocity;
        spin = parent->spin;
        add_cross(&parent->spin, &span, &velocity);
    }
    for (int j = t->u; j < t->u + t->dof; j++) {
        const located *at = &form->located[j];
        dual along = at->axis;
        if (form->screws[j].turns) {
            along = cross(&at->axis, &at->arm);
            add(x->nu[j], &at->axis, &spin);
        }
        add(x->nu[j], &along, &velocity);
    }
    form->nodes[k].velocity = velocity;
    form->nodes[k].spin = has_directors(node_of(form, k)) ? spin : (dual){0};
}

/* --- forces and derivatives, leaf to root --- */

/* Force and moment of y at node k. */
static void load(olo_null_form *form, int k, const arguments *x)
{
    const olo_node *node = node_of(form, k);
    node_numbers *numbers = &form->nodes[k];
    for (int i = 0; i < 3; i++) {
        numbers->force.value[i] = has_position(node) ? x->y[vector_of(node, 0) + i] : 0;
        numbers->moment.value[i] = 0;
        numbers->force.change[i] = numbers->moment.change[i] = (pair){0};
    }
    for (int I = 1; I <= director_count(node); I++)
        add_cross_fixed(vector_at(form, node, I), x->y + vector_of(node, I), &numbers->moment);
}

/* Adds force and moment of node k to those of its parent. */
static void pass_up(olo_null_form *form, int k)
{
    const int p = form->topology->nodes[k].parent;
    const node_numbers *child = &form->nodes[k];
    if (p < 0)
        return;
    add(1.0, &child->force, &form->nodes[p].force);
    if (has_directors(node_of(form, p))) {
        dual span = transport(form, k);
        add(1.0, &child->moment, &form->nodes[p].moment);
        add_cross(&span, &child->force, &form->nodes[p].moment);
    }
}

/* Adds a derivative with respect to X_I d_I to the gradient in the directors of a node. */
static void scatter(olo_null_form *form, const olo_node *node, double scale, const double X[3],
                    const dual *by)
{
    for (int I = 0; has_directors(node) && I < 3; I++)
        if (X[I] != 0)
            add(scale * X[I], by, &form->gradient[vector_of(node, I + 1) / 3]);
}

/* Adds a derivative with respect to the position of a node; the ground, NULL, and triads have none.
 */
static void scatter_position(olo_null_form *form, const olo_node *node, double scale,
                             const dual *by)
{
    if (node && has_position(node))
        add(scale, by, &form->gradient[vector_of(node, 0) / 3]);
}

/* Adds a derivative with respect to the arm of a screw to the gradient. */
static void scatter_arm(olo_null_form *form, int k, const olo_screw *screw, const dual *by,
                        const arguments *x)
{
    const olo_node *node = node_of(form, k);
    for (int l = 0; screw->moving && l < WIDTH; l++) {
        const double by_change[3] = {by->change[0][l], by->change[1][l], by->change[2][l]};
        double w[12], by_child[12] = {0}, change[12] = {0};
        gather_direction(node, l, x, w);
        screw->moving->pull(olo_chart_joint(form->topology, k), x->q + node->q, w, by->value,
                            by_change, by_child, change);
        for (int i = 0; i < 12; i++) {
            dual *gradient = &form->gradient[(node->q + i) / 3];
            gradient->value[i % 3] -= l == 0 ? by_child[i] : 0;
            gradient->change[i % 3][l] -= change[i];
        }
    }
    if (screw->moving)
        return;
    const olo_node *carrier = carrier_of(form, k, screw->pivot_in);
    if (carrier != node) {
        scatter_position(form, node, 1.0, by);
        scatter_position(form, carrier, -1.0, by);
    }
    scatter(form, carrier, -1.0, screw->pivot, by);
}

static pair dot_change(const dual *a, const dual *b)
{
    pair sum = {0};
    for (int i = 0; i < 3; i++)
        sum += a->change[i] * b->value[i] + a->value[i] * b->change[i];
    return sum;
}

/* Changes of number i of a derivative. */
static inline void put_change(const arguments *x, pair change, int i, double *to)
{
    double *own = to + (size_t)i * (size_t)x->directions + x->first;
    if (x->width == WIDTH)
        memcpy(own, &change, sizeof change);
    else if (x->width > 0)
        own[0] = change[0];
}

/* Screw j of node k: its reduced force, and its contribution to the gradient if that is needed. */
static void derive_screw(olo_null_form *form, int k, int j, const arguments *x, bool gradient,
                         const olo_null_derivatives *first, const olo_null_derivatives *change)
{
    const olo_screw *screw = &form->screws[j];
    const node_numbers *numbers = &form->nodes[k];
    const located *at = &form->located[j];
    dual by_axis = numbers->force;
    if (screw->turns) {
        by_axis = numbers->moment;
        add_cross(&at->arm, &numbers->force, &by_axis);
    }
    if (gradient && screw->turns) {
        dual pull = cross(&numbers->force, &at->axis), by_arm = {0};
        add(x->nu[j], &pull, &by_arm);
        scatter_arm(form, k, screw, &by_arm, x);
    }
    if (gradient)
        scatter(form, carrier_of(form, k, screw->axis_in), x->nu[j], screw->axis, &by_axis);
    if (first->by_nu)
        first->by_nu[j] = vec3_dot(at->axis.value, by_axis.value);
    if (change->by_nu)
        put_change(x, dot_change(&at->axis, &by_axis), j, change->by_nu);
}

/* The gradient of the terms of the directors of the node and of the spin of its parent. */
static void derive_node(olo_null_form *form, int k, const arguments *x)
{
    const olo_node *node = node_of(form, k);
    const node_numbers *numbers = &form->nodes[k];
    const int p = form->topology->nodes[k].parent;
    for (int I = 1; I <= director_count(node); I++) {
        const int q = vector_of(node, I);
        add_fixed_cross(x->y + q, &numbers->spin, &form->gradient[q / 3]);
    }
    if (p < 0)
        return;
    dual by_span = cross(&numbers->force, &form->nodes[p].spin);
    scatter_position(form, node, 1.0, &by_span);
    scatter_position(form, node_of(form, p), -1.0, &by_span);
}

/* --- the result --- */

/* 3-vectors of the coordinates from q on. */
static void write(int count, const dual *duals, const arguments *x, int q, double *value,
                  double *change)
{
    for (int i = 0; i < count; i++) {
        if (value)
            vec3_copy(duals[i].value, value + q + 3 * i);
        if (change && x->directions == WIDTH)
            memcpy(change + (q + 3 * i) * WIDTH, duals[i].change, sizeof duals[i].change);
        for (int j = 0; change && x->directions != WIDTH && j < 3; j++)
            put_change(x, duals[i].change[j], q + 3 * i + j, change);
    }
}

/* (v, omega x d_I) of a node */
static void write_velocity(const olo_null_form *form, int k, const arguments *x, double *value,
                           double *change)
{
    const olo_node *node = node_of(form, k);
    if (has_position(node))
        write(1, &form->nodes[k].velocity, x, vector_of(node, 0), value, change);
    for (int I = 1; I <= director_count(node); I++) {
        const dual v = cross(&form->nodes[k].spin, vector_at(form, node, I));
        write(1, &v, x, vector_of(node, I), value, change);
    }
}

/* The derivatives of y nu of a scalar, which do not change. */
static void derive_scalar(int q, int u, const arguments *x, const olo_null_derivatives *first,
                          const olo_null_derivatives *change)
{
    const pair none = {0};
    if (first->by_q)
        first->by_q[q] = 0;
    if (first->by_y)
        first->by_y[q] = x->nu[u];
    if (first->by_nu)
        first->by_nu[u] = x->y[q];
    if (change->by_q)
        put_change(x, none, q, change->by_q);
    if (change->by_y)
        put_change(x, none, q, change->by_y);
    if (change->by_nu)
        put_change(x, none, u, change->by_nu);
}

/* Values, and changes along the directions of x. */
static void evaluate(olo_null_form *form, const arguments *x, const olo_null_derivatives *first,
                     const olo_null_derivatives *change)
{
    const olo_topology *topology = form->topology;
    const olo_system *s = topology->system;
    const bool gradient = first->by_q || change->by_q, velocities = first->by_y || change->by_y,
               forces = gradient || first->by_nu || change->by_nu;
    gather_vectors(form, x);
    for (int k = 0; k < s->node_count; k++)
        for (int j = topology->nodes[k].u;
             !is_scalar(&s->nodes[k]) && j < topology->nodes[k].u + topology->nodes[k].dof; j++)
            locate(form, k, j, x);
    /* velocities, root to leaf */
    for (int i = 0; (velocities || gradient) && i < s->node_count; i++) {
        const int k = topology->order[i];
        if (is_scalar(&s->nodes[k]))
            continue;
        move(form, k, x);
        if (velocities)
            write_velocity(form, k, x, first->by_y, change->by_y);
    }
    /* forces and derivatives, leaf to root */
    for (int k = 0; forces && k < s->node_count; k++)
        if (!is_scalar(&s->nodes[k]))
            load(form, k, x);
    if (gradient)
        memset(form->gradient, 0, (size_t)(s->n / 3) * sizeof *form->gradient);
    for (int i = s->node_count - 1; forces && i >= 0; i--) {
        const int k = topology->order[i];
        const olo_topology_node *t = &topology->nodes[k];
        if (is_scalar(&s->nodes[k]))
            continue;
        for (int j = t->u; j < t->u + t->dof; j++)
            derive_screw(form, k, j, x, gradient, first, change);
        if (gradient)
            derive_node(form, k, x);
        pass_up(form, k);
    }
    if (gradient)
        write(s->n / 3, form->gradient, x, 0, first->by_q, change->by_q);
    for (int k = 0; k < s->node_count; k++)
        if (is_scalar(&s->nodes[k]))
            derive_scalar(s->nodes[k].q, topology->nodes[k].u, x, first, change);
}

void olo_null_form_at(olo_null_form *form, const olo_null_point *at,
                      const olo_null_derivatives *first, const olo_null_derivatives *change)
{
    arguments x = {.q = at->q,
                   .y = at->y ? at->y : form->none,
                   .nu = at->nu ? at->nu : form->none,
                   .w = at->w,
                   .directions = at->directions};
    do { /* without directions once */
        const int left = x.directions - x.first;
        x.width = left < WIDTH ? left : WIDTH;
        evaluate(form, &x, first, change);
        x.first += WIDTH;
    } while (x.first < x.directions);
}

/* Axis and pivot of screw j of node k in space; the pivot of a translation is zero. */
static void locate_screw(const olo_null_form *form, int k, int j, const double *q, double axis[3],
                         double pivot[3])
{
    const olo_screw *screw = &form->screws[j];
    carried_value(carrier_of(form, k, screw->axis_in), screw->axis, q, axis);
    vec3_set(0, 0, 0, pivot);
    if (!screw->turns)
        return;
    const olo_node *node = node_of(form, k), *carrier = carrier_of(form, k, screw->pivot_in);
    if (screw->moving) {
        static const double still[12] = {0};
        double arm[3], change[3];
        screw->moving->arm(olo_chart_joint(form->topology, k), q + node->q, still, arm, change);
        vec3_copy(q + node->q, pivot);
        vec3_add(1.0, arm, pivot);
        return;
    }
    carried_value(carrier, screw->pivot, q, pivot);
    if (carrier && has_position(carrier))
        vec3_add(1.0, q + vector_of(carrier, 0), pivot);
}

/* A 3-vector of the coordinates from q on, in a column. */
static void put_vector(const double v[3], int q, int columns, double *column)
{
    for (int i = 0; i < 3; i++)
        column[(size_t)(q + i) * (size_t)columns] = v[i];
}

/* The velocities of all nodes of the subtree of node k with a unit rate of its screw j. A point
 * transmits its velocity alone. */
static void write_column(const olo_null_form *form, int k, int j, const double *q, double *column)
{
    const olo_topology *topology = form->topology;
    double axis[3], pivot[3];
    locate_screw(form, k, j, q, axis, pivot);
    for (int i = 0; i < topology->system->node_count; i++) {
        const int c = topology->order[i];
        const olo_node *node = node_of(form, c);
        int from = c, at = c;
        bool spins = true;
        for (; from >= 0 && from != k; from = topology->nodes[from].parent)
            if (!has_directors(node_of(form, topology->nodes[from].parent))) {
                at = topology->nodes[from].parent;
                spins = false;
            }
        if (from < 0)
            continue;
        double arm[3], v[3];
        if (has_position(node)) {
            const bool turns = form->screws[j].turns;
            vec3_subtract(q + vector_of(node_of(form, at), 0), pivot, arm);
            vec3_cross(axis, arm, v);
            put_vector(turns ? v : axis, vector_of(node, 0), topology->unknowns, column);
        }
        for (int I = 1; form->screws[j].turns && spins && I <= director_count(node); I++) {
            const int at_director = vector_of(node, I);
            vec3_cross(axis, q + at_director, v);
            put_vector(v, at_director, topology->unknowns, column);
        }
    }
}

void olo_null_form_matrix(olo_null_form *form, const double *q, double *P)
{
    const olo_topology *topology = form->topology;
    for (int k = 0; k < topology->system->node_count; k++) {
        const olo_topology_node *t = &topology->nodes[k];
        for (int j = t->u; j < t->u + t->dof; j++)
            if (is_scalar(node_of(form, k)))
                P[node_of(form, k)->q * topology->unknowns + j] = 1;
            else
                write_column(form, k, j, q, P + j);
    }
}
