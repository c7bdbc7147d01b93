/* Visits all numbers of a system, piece by piece. */
#include "system/coefficients.h"

#include "system/rolling.h"

typedef struct walk {
    olo_number_visitor *visit;
    void *context;
    olo_numbers at;
} walk;

/* Begins the numbers of another piece. */
static void begin(walk *x, olo_coefficient_kind kind, int index)
{
    x->at = (olo_numbers){.kind = kind, .index = index};
}

/* Visits the next numbers of the piece. */
static void visit(walk *x, const double *values, int count)
{
    if (count == 0)
        return;
    x->at.values = (double *)values;
    x->at.count = count;
    x->visit(x->context, &x->at);
    x->at.p += count;
}

/* In the order of olo_form_value_by_coefficient. */
static void visit_forms(walk *x, int count, const olo_form *forms)
{
    for (int k = 0; k < count; k++) {
        visit(x, &forms[k].c, 1);
        visit(x, forms[k].b, forms[k].size);
        for (int p = 0; p < forms[k].products; p++)
            visit(x, &forms[k].product[p].a, 1);
    }
}

/* Terms in the order of olo_term_discrete_by_coefficient. */

bool olo_term_shares_forms(const olo_system *s, const olo_term *term)
{
    return term->coordinate < s->joint_coordinate_count &&
           term->form == s->joint_coordinates[term->coordinate].term->form;
}

static void visit_strain(walk *x, const olo_strain *strain, int term)
{
    visit(x, strain->reference, strain->count);
    visit(x, strain->N, strain->nodes);
    visit(x, strain->dN, strain->nodes);
    begin(x, OLO_COEFFICIENT_CORNER, term);
    for (int a = 0; a < strain->nodes; a++)
        visit(x, strain->turn[a], strain->turn[a] ? 9 : 0);
    begin(x, OLO_COEFFICIENT_OTHER, term);
    visit(x, &strain->weight, 1);
}

static void visit_terms(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->term_count; i++) {
        const olo_term *term = &s->terms[i];
        begin(x, OLO_COEFFICIENT_TERM, i);
        visit(x, term->coefficient, term->law->coefficients);
        x->at.shared = !term->invariants && olo_term_shares_forms(s, term);
        if (term->invariants)
            visit_strain(x, term->data, i); /* the only kind of invariants */
        else
            visit_forms(x, term->forms, term->form);
    }
    for (int i = 0; i < s->joint_coordinate_count; i++) {
        begin(x, OLO_COEFFICIENT_COORDINATE, i);
        visit_forms(x, s->joint_coordinates[i].term->forms, s->joint_coordinates[i].term->form);
    }
    for (int i = 0; i < s->measure_count; i++) {
        begin(x, OLO_COEFFICIENT_MEASURE, i);
        visit_forms(x, s->measures[i].term->forms, s->measures[i].term->form);
    }
}

/* Actions. */

int olo_action_coefficients(const olo_action *action)
{
    return 5 + action->position.count;
}

double *olo_action_coefficient(olo_action *action, int p)
{
    if (p < 3)
        return &action->vector[p];
    return p == 3 ? &action->kp : p == 4 ? &action->kd : &action->position.weight[p - 5];
}

static void visit_actions(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++) {
        begin(x, OLO_COEFFICIENT_ACTION, i);
        for (int p = 0; p < olo_action_coefficients(&s->actions[i]); p++)
            visit(x, olo_action_coefficient(&s->actions[i], p), 1);
        begin(x, OLO_COEFFICIENT_OTHER, i);
        visit(x, s->actions[i].position.x0, 3);
    }
}

/* Constraint rows. */

int olo_group_own_rows(const olo_group *group)
{
    return group->frame < 0 ? group->count : 0;
}

static void visit_row(walk *x, const olo_system *s, int c)
{
    const olo_constraint *row = &s->constraints[c];
    const int affine = row->type->affine;
    const double *data = row->data;
    begin(x, OLO_COEFFICIENT_ROW, c);
    if (row->form) {
        visit_forms(x, 1, row->form);
        return;
    }
    visit(x, affine > 0 ? data : &row->constant, affine > 0 ? affine : 1);
    for (int i = 0; i < row->share_count; i++)
        visit(x, &row->shares[i].factor, 1);
    begin(x, OLO_COEFFICIENT_CONTACT, c);
    if (row->type->numbers > affine)
        visit(x, data + affine, row->type->numbers - affine);
}

static void visit_rows(walk *x, const olo_system *s)
{
    for (int g = 0; g < s->group_count; g++)
        for (int i = 0; i < olo_group_own_rows(&s->groups[g]); i++)
            visit_row(x, s, s->groups[g].first + i);
}

/* Everything else. */

static void visit_joints(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        visit(x, joint->parent_point, 3);
        visit(x, joint->child_point, 3);
        visit(x, joint->parent_axes, 9);
        visit(x, joint->child_axes, 9);
        visit(x, &joint->length, 1);
        visit(x, (const double *)joint->rolling, joint->rolling ? OLO_ROLLING_NUMBERS : 0);
    }
}

static void visit_position(walk *x, const olo_position *position)
{
    visit(x, position->x0, 3);
    visit(x, position->weight, position->count);
}

static void visit_points(walk *x, const olo_system *s)
{
    for (int k = 0; k < s->node_count; k++)
        visit(x, s->nodes[k].center, 3);
    for (int i = 0; i < s->body_point_count; i++)
        visit(x, s->body_points[i].at, 3);
    for (int i = 0; i < s->exact_count; i++)
        visit_position(x, &s->exacts[i].position);
}

static void visit_drawables(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->drawable_count; i++) {
        visit(x, s->drawables[i].position, 3);
        visit(x, s->drawables[i].rotation, 9);
        visit(x, s->drawables[i].end, 3);
        visit(x, s->drawables[i].size, OLO_DRAWABLE_SIZES);
    }
    for (int i = 0; i < s->beam_count; i++) {
        const olo_beam_line *beam = &s->beams[i];
        visit(x, beam->lengths, beam->node_count);
        visit(x, beam->stations, beam->elements * beam->points);
        visit(x, beam->section.size, 2);
        visit(x, &beam->section.radius, 1);
        visit(x, &beam->section.inner_radius, 1);
    }
}

static void visit_initial_state(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->implied_count; i++) {
        visit(x, s->implied[i].point, 3);
        visit(x, s->implied[i].omega, 3);
        visit(x, s->implied[i].sliding, 3);
    }
    visit(x, s->q0, s->n);
    visit(x, s->v0, s->n);
}

void olo_system_visit_numbers(olo_system *s, olo_number_visitor *visitor, void *context)
{
    walk x = {.visit = visitor, .context = context};
    for (int e = 0; e < s->mass_count; e++) {
        begin(&x, OLO_COEFFICIENT_MASS, e);
        visit(&x, &s->mass[e].m, 1);
    }
    visit_terms(&x, s);
    visit_actions(&x, s);
    visit_rows(&x, s);
    for (int i = 0; i < s->output_count; i++) {
        begin(&x, OLO_COEFFICIENT_OUTPUT, i);
        visit_position(&x, &s->outputs[i].position);
    }
    begin(&x, OLO_COEFFICIENT_OTHER, 0);
    visit_joints(&x, s);
    visit_points(&x, s);
    visit_drawables(&x, s);
    visit_initial_state(&x, s);
    visit(&x, s->gravity, 3);
    visit(&x, s->plane, 3);
}
