/* Latched constraint groups; see the header. */
#include "kinematics/latch.h"

#include "linalg/vec3.h"
#include "system/form_builder.h"

/* The frame to which the vector x of a row a.x is fixed, from a point of another body to one of
 * this frame, and a; NULL: the row has no such vector. */
static const olo_node *body_of(const olo_system *s, const olo_constraint *row, double a[3])
{
    const olo_node *body = NULL;
    bool other = false;
    if (!row->form || row->form->products > 0)
        return NULL;
    vec3_set(0, 0, 0, a);
    for (int i = 0; i < row->form->size; i++) {
        const int k = row->form->index[i];
        const olo_node *node = &s->nodes[s->coordinates[k].node];
        if (s->coordinates[k].slot > 0 || s->coordinates[k].width != 3 || row->form->b[i] == 0)
            continue;
        if (!body && node->type->spatial)
            body = node;
        if (node == body)
            a[k - node->q] += row->form->b[i];
        else
            other = true;
    }
    return other ? body : NULL;
}

/* The components of v along the directors of a frame. */
static void along_directors(const double *directors, const double v[3], double X[3])
{
    for (int i = 0; i < 3; i++)
        X[i] = vec3_dot(directors + 3 * i, v);
}

void olo_latch_constants(const olo_system *s, const olo_group *group, const olo_at *at,
                         double *constants)
{
    double span[3] = {0, 0, 0}, a[3], y[3], A[3];
    for (int r = 0; r < group->count; r++) {
        const olo_constraint *row = &s->constraints[group->first + r];
        constants[r] = olo_constraint_value(row, at);
        if (body_of(s, row, a))
            vec3_add(constants[r] / vec3_dot(a, a), a, span);
    }
    /* the vector in the axes of the body, as components along the directions at q0 */
    for (int r = 0; r < group->count; r++) {
        const olo_constraint *row = &s->constraints[group->first + r];
        const olo_node *body = body_of(s, row, a);
        if (!body)
            continue;
        const int directors = body->q + body->type->directors;
        along_directors(at->q + directors, span, y);
        along_directors(s->q0 + directors, a, A);
        constants[r] = vec3_dot(A, y);
    }
}

/* The form with another constant, or minus a.(y_i d_i). */
static bool change(const olo_form *form, double constant, const double a[3], const double y[3],
                   const olo_node *body, olo_pool *pool, olo_form *changed)
{
    olo_form_builder builder;
    olo_form_begin(&builder);
    olo_form_add_constant(&builder, form->c - constant);
    for (int i = 0; i < form->size; i++)
        olo_form_add_linear(&builder, form->index[i], form->b[i]);
    for (int p = 0; p < form->products; p++)
        olo_form_add_product(&builder, form->index[form->product[p].i],
                             form->index[form->product[p].j], form->product[p].a);
    if (body) {
        const double minus[3] = {-y[0], -y[1], -y[2]};
        const olo_position shift = olo_position_along_frame(body->q, minus);
        olo_form_add_component(&builder, a, &shift);
    }
    return olo_forms_finish(1, &builder, pool, changed);
}

bool olo_latch(const olo_system *s, olo_group *group, const double *constants, olo_system *mode)
{
    double y[3] = {0, 0, 0}, a[3], A[3];
    bool ok = true;
    for (int r = 0; r < group->count; r++) {
        const olo_node *body = body_of(s, &s->constraints[group->first + r], a);
        if (!body)
            continue;
        along_directors(s->q0 + body->q + body->type->directors, a, A);
        vec3_add(constants[r] / vec3_dot(a, a), A, y);
    }
    for (int r = 0; ok && r < group->count; r++) {
        olo_constraint *row = &mode->constraints[group->first + r];
        const olo_node *body = body_of(s, &s->constraints[group->first + r], a);
        if (row->share_count > 0) {
            row->constant -= constants[r];
            continue;
        }
        olo_form *changed = olo_pool_alloc(&mode->pool, 1, sizeof *changed);
        ok =
            changed && change(row->form, body ? 0 : constants[r], a, y, body, &mode->pool, changed);
        if (!ok)
            break;
        row->form = changed;
        row->size = changed->size;
        row->index = changed->index;
    }
    group->latched = true;
    group->joint = -1;
    group->hinge[0] = group->hinge[1] = -1;
    return ok;
}
