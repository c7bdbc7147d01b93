/* The form s = y^T P(q) nu and its derivatives; see the header.
 *
 * Every vector is a dual number: its value, and its change along w. Velocities are computed from
 * root to leaf. Forces f and moments m about the origin of each node, which are equivalent to y,
 * are computed from leaf to root,
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

typedef struct dual {
    double value[3], change[3];
} dual;

static inline void add(double scale, const dual *a, dual *out)
{
    vec3_add(scale, a->value, out->value);
    vec3_add(scale, a->change, out->change);
}

static inline void add_cross(const dual *a, const dual *b, dual *out)
{
    vec3_add_cross(a->value, b->value, out->value);
    vec3_add_cross(a->change, b->value, out->change);
    vec3_add_cross(a->value, b->change, out->change);
}

static inline dual cross(const dual *a, const dual *b)
{
    dual out = {0};
    add_cross(a, b, &out);
    return out;
}

/* --- the form --- */

typedef struct node_numbers {
    dual velocity, spin;
    dual force, moment;
} node_numbers;

struct olo_null_form {
    const olo_topology *topology;
    olo_screw *screws;   /* [unknowns] */
    node_numbers *nodes; /* [nodes] */
    double *none;        /* [n + unknowns] zeros */
    dual *gradient;      /* [n/3] */
    olo_pool pool;
};

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
    olo_null_form *form = *created = olo_alloc(1, sizeof *form);
    if (form) {
        form->topology = topology;
        form->screws = olo_pool_alloc(&form->pool, unknowns + 1, sizeof *form->screws);
        form->nodes = olo_pool_alloc(&form->pool, (size_t)s->node_count + 1, sizeof *form->nodes);
        form->none = olo_pool_alloc(&form->pool, n + unknowns + 1, sizeof *form->none);
        form->gradient = olo_pool_alloc(&form->pool, n / 3 + 1, sizeof *form->gradient);
    }
    if (!form || !form->screws || !form->nodes || !form->none || !form->gradient) {
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
    return node && node->size > 3;
}

/* 3-vector I of a node at x; zero for the ground, NULL. */
static inline dual vector_at(const olo_node *node, int I, const olo_null_point *x)
{
    dual out = {0};
    if (node) {
        vec3_copy(x->q + node->q + 3 * I, out.value);
        vec3_copy(x->w + node->q + 3 * I, out.change);
    }
    return out;
}

/* X_I d_I; the directors of the ground and of points are the axes of space. */
static dual carried(const olo_node *node, const double X[3], const olo_null_point *x)
{
    dual out = {0};
    if (!has_directors(node))
        vec3_copy(X, out.value);
    for (int I = 0; has_directors(node) && I < 3; I++) {
        dual d = vector_at(node, I + 1, x);
        add(X[I], &d, &out);
    }
    return out;
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

/* phi_c - z */
static dual arm_of(const olo_null_form *form, int k, const olo_screw *screw,
                   const olo_null_point *x)
{
    const olo_node *node = node_of(form, k);
    dual out = {0};
    if (screw->moving) {
        dual arm;
        screw->moving->arm(olo_chart_joint(form->topology, k), x->q + node->q, x->w + node->q,
                           arm.value, arm.change);
        add(-1.0, &arm, &out);
        return out;
    }
    const olo_node *carrier = carrier_of(form, k, screw->pivot_in);
    dual rho = carried(carrier, screw->pivot, x), from = vector_at(carrier, 0, x);
    out = vector_at(node, 0, x);
    add(-1.0, &from, &out);
    add(-1.0, &rho, &out);
    return out;
}

static dual axis_of(const olo_null_form *form, int k, const olo_screw *screw,
                    const olo_null_point *x)
{
    return carried(carrier_of(form, k, screw->axis_in), screw->axis, x);
}

/* --- velocities, root to leaf --- */

/* From the origin of the parent to that of the child. */
static dual transport(const olo_null_form *form, int k, const olo_null_point *x)
{
    dual span = vector_at(node_of(form, k), 0, x);
    dual from = vector_at(node_of(form, form->topology->nodes[k].parent), 0, x);
    add(-1.0, &from, &span);
    return span;
}

/* Velocity and spin of node k from those of its parent and the rates of its screws. */
static void move(olo_null_form *form, int k, const olo_null_point *x)
{
    const olo_topology_node *t = &form->topology->nodes[k];
    dual velocity = {0}, spin = {0};
    if (t->parent >= 0) {
        const node_numbers *parent = &form->nodes[t->parent];
        dual span = transport(form, k, x);
        velocity = parent->velocity;
        spin = parent->spin;
        add_cross(&parent->spin, &span, &velocity);
    }
    for (int j = t->u; j < t->u + t->dof; j++) {
        dual axis = axis_of(form, k, &form->screws[j], x), along = axis;
        if (form->screws[j].turns) {
            dual arm = arm_of(form, k, &form->screws[j], x);
            along = cross(&axis, &arm);
            add(x->nu[j], &axis, &spin);
        }
        add(x->nu[j], &along, &velocity);
    }
    form->nodes[k].velocity = velocity;
    form->nodes[k].spin = has_directors(node_of(form, k)) ? spin : (dual){0};
}

static dual y_at(const olo_node *node, int I, const olo_null_point *x)
{
    dual out = {0};
    vec3_copy(x->y + node->q + 3 * I, out.value);
    return out;
}

/* --- forces and derivatives, leaf to root --- */

/* Force and moment of y at node k. */
static void load(olo_null_form *form, int k, const olo_null_point *x)
{
    const olo_node *node = node_of(form, k);
    node_numbers *numbers = &form->nodes[k];
    numbers->force = y_at(node, 0, x);
    numbers->moment = (dual){0};
    for (int I = 1; I < node->size / 3; I++) {
        dual d = vector_at(node, I, x), y = y_at(node, I, x);
        add_cross(&d, &y, &numbers->moment);
    }
}

/* Adds force and moment of node k to those of its parent. */
static void pass_up(olo_null_form *form, int k, const olo_null_point *x)
{
    const int p = form->topology->nodes[k].parent;
    const node_numbers *child = &form->nodes[k];
    if (p < 0)
        return;
    add(1.0, &child->force, &form->nodes[p].force);
    if (has_directors(node_of(form, p))) {
        dual span = transport(form, k, x);
        add(1.0, &child->moment, &form->nodes[p].moment);
        add_cross(&span, &child->force, &form->nodes[p].moment);
    }
}

/* Adds a derivative with respect to X_I d_I to the gradient in the directors of a node. */
static void scatter(olo_null_form *form, const olo_node *node, double scale, const double X[3],
                    const dual *by)
{
    for (int I = 0; has_directors(node) && I < 3; I++)
        add(scale * X[I], by, &form->gradient[node->q / 3 + I + 1]);
}

/* Adds a derivative with respect to the arm of a screw to the gradient. */
static void scatter_arm(olo_null_form *form, int k, const olo_screw *screw, const dual *by,
                        const olo_null_point *x)
{
    const olo_node *node = node_of(form, k);
    if (screw->moving) {
        double by_child[12] = {0}, change[12] = {0};
        screw->moving->pull(olo_chart_joint(form->topology, k), x->q + node->q, x->w + node->q,
                            by->value, by->change, by_child, change);
        for (int i = 0; i < 12; i++) {
            form->gradient[(node->q + i) / 3].value[i % 3] -= by_child[i];
            form->gradient[(node->q + i) / 3].change[i % 3] -= change[i];
        }
        return;
    }
    const olo_node *carrier = carrier_of(form, k, screw->pivot_in);
    add(1.0, by, &form->gradient[node->q / 3]);
    if (carrier)
        add(-1.0, by, &form->gradient[carrier->q / 3]);
    scatter(form, carrier, -1.0, screw->pivot, by);
}

static double dot_change(const dual *a, const dual *b)
{
    return vec3_dot(a->change, b->value) + vec3_dot(a->value, b->change);
}

/* Screw j of node k: its reduced force, and its contribution to the gradient if that is needed. */
static void derive_screw(olo_null_form *form, int k, int j, const olo_null_point *x, bool gradient,
                         const olo_null_derivatives *first, const olo_null_derivatives *change)
{
    const olo_screw *screw = &form->screws[j];
    const node_numbers *numbers = &form->nodes[k];
    dual axis = axis_of(form, k, screw, x), by_axis = numbers->force;
    if (screw->turns) {
        dual arm = arm_of(form, k, screw, x);
        by_axis = numbers->moment;
        add_cross(&arm, &numbers->force, &by_axis);
    }
    if (gradient && screw->turns) {
        dual pull = cross(&numbers->force, &axis), by_arm = {0};
        add(x->nu[j], &pull, &by_arm);
        scatter_arm(form, k, screw, &by_arm, x);
    }
    if (gradient)
        scatter(form, carrier_of(form, k, screw->axis_in), x->nu[j], screw->axis, &by_axis);
    if (first->by_nu)
        first->by_nu[j] = vec3_dot(axis.value, by_axis.value);
    if (change->by_nu)
        change->by_nu[j] = dot_change(&axis, &by_axis);
}

/* The gradient of the terms of the directors of the node and of the spin of its parent. */
static void derive_node(olo_null_form *form, int k, const olo_null_point *x)
{
    const olo_node *node = node_of(form, k);
    const node_numbers *numbers = &form->nodes[k];
    const int p = form->topology->nodes[k].parent;
    for (int I = 1; I < node->size / 3; I++) {
        dual y = y_at(node, I, x);
        add_cross(&y, &numbers->spin, &form->gradient[node->q / 3 + I]);
    }
    if (p < 0)
        return;
    dual by_span = cross(&numbers->force, &form->nodes[p].spin);
    add(1.0, &by_span, &form->gradient[node->q / 3]);
    add(-1.0, &by_span, &form->gradient[node_of(form, p)->q / 3]);
}

/* --- the result --- */

static void write(int count, const dual *duals, double *value, double *change)
{
    for (int i = 0; i < count; i++) {
        if (value)
            vec3_copy(duals[i].value, value + 3 * i);
        if (change)
            vec3_copy(duals[i].change, change + 3 * i);
    }
}

/* (v, omega x d_I) of a node */
static void write_velocity(const olo_null_form *form, int k, const olo_null_point *x, double *value,
                           double *change)
{
    const olo_node *node = node_of(form, k);
    dual out[4] = {form->nodes[k].velocity};
    for (int I = 1; I < node->size / 3; I++) {
        dual d = vector_at(node, I, x);
        out[I] = cross(&form->nodes[k].spin, &d);
    }
    write(node->size / 3, out, value ? value + node->q : NULL, change ? change + node->q : NULL);
}

/* The derivatives of y nu of a scalar. */
static void derive_scalar(int q, int u, const olo_null_point *x, const olo_null_derivatives *first,
                          const olo_null_derivatives *change)
{
    const olo_null_derivatives *const both[2] = {first, change};
    for (int i = 0; i < 2; i++) {
        if (both[i]->by_q)
            both[i]->by_q[q] = 0;
        if (both[i]->by_y)
            both[i]->by_y[q] = i == 0 ? x->nu[u] : 0;
        if (both[i]->by_nu)
            both[i]->by_nu[u] = i == 0 ? x->y[q] : 0;
    }
}

void olo_null_form_at(olo_null_form *form, const olo_null_point *at,
                      const olo_null_derivatives *first, const olo_null_derivatives *change)
{
    const olo_topology *topology = form->topology;
    const olo_system *s = topology->system;
    const olo_null_point x = {.q = at->q,
                              .y = at->y ? at->y : form->none,
                              .nu = at->nu ? at->nu : form->none,
                              .w = at->w ? at->w : form->none};
    const bool gradient = first->by_q || change->by_q, velocities = first->by_y || change->by_y,
               forces = gradient || first->by_nu || change->by_nu;
    /* velocities, root to leaf */
    for (int i = 0; (velocities || gradient) && i < s->node_count; i++) {
        const int k = topology->order[i];
        if (is_scalar(&s->nodes[k]))
            continue;
        move(form, k, &x);
        if (velocities)
            write_velocity(form, k, &x, first->by_y, change->by_y);
    }
    /* forces and derivatives, leaf to root */
    for (int k = 0; forces && k < s->node_count; k++)
        if (!is_scalar(&s->nodes[k]))
            load(form, k, &x);
    if (gradient)
        memset(form->gradient, 0, (size_t)(s->n / 3) * sizeof *form->gradient);
    for (int i = s->node_count - 1; forces && i >= 0; i--) {
        const int k = topology->order[i];
        const olo_topology_node *t = &topology->nodes[k];
        if (is_scalar(&s->nodes[k]))
            continue;
        for (int j = t->u; j < t->u + t->dof; j++)
            derive_screw(form, k, j, &x, gradient, first, change);
        if (gradient)
            derive_node(form, k, &x);
        pass_up(form, k, &x);
    }
    if (gradient)
        write(s->n / 3, form->gradient, first->by_q, change->by_q);
    for (int k = 0; k < s->node_count; k++)
        if (is_scalar(&s->nodes[k]))
            derive_scalar(s->nodes[k].q, topology->nodes[k].u, &x, first, change);
}

/* Axis and pivot of screw j of node k in space; the pivot of a translation is zero. */
static void locate_screw(const olo_null_form *form, int k, int j, const olo_null_point *x,
                         double axis[3], double pivot[3])
{
    const olo_screw *screw = &form->screws[j];
    const dual n = axis_of(form, k, screw, x);
    vec3_copy(n.value, axis);
    vec3_set(0, 0, 0, pivot);
    if (!screw->turns)
        return;
    const dual arm = arm_of(form, k, screw, x);
    vec3_subtract(x->q + node_of(form, k)->q, arm.value, pivot);
}

/* The velocities of all nodes of the subtree of node k with a unit rate of its screw j. A point
 * transmits its velocity alone. */
static void write_column(const olo_null_form *form, int k, int j, const olo_null_point *x,
                         double *column)
{
    const olo_topology *topology = form->topology;
    double axis[3], pivot[3];
    locate_screw(form, k, j, x, axis, pivot);
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
        double arm[3], *to = column + node->q;
        vec3_copy(axis, to);
        if (!form->screws[j].turns)
            continue;
        vec3_subtract(x->q + node_of(form, at)->q, pivot, arm);
        vec3_cross(axis, arm, to);
        for (int I = 3; spins && I < node->size; I += 3)
            vec3_cross(axis, x->q + node->q + I, to + I);
    }
}

void olo_null_form_matrix(olo_null_form *form, const double *q, double *P)
{
    const olo_topology *topology = form->topology;
    const olo_null_point x = {.q = q, .y = form->none, .nu = form->none, .w = form->none};
    for (int k = 0; k < topology->system->node_count; k++) {
        const olo_topology_node *t = &topology->nodes[k];
        for (int j = t->u; j < t->u + t->dof; j++) {
            double *column = P + (size_t)j * (size_t)topology->system->n;
            if (is_scalar(node_of(form, k)))
                column[node_of(form, k)->q] = 1;
            else
                write_column(form, k, j, &x, column);
        }
    }
}
