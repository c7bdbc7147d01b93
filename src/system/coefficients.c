/* Visits all coefficients of a system in the order of the header. */
#include "system/coefficients.h"

#include <math.h>

typedef struct walk {
    olo_coefficient_visitor *visit;
    void *context;
    olo_coefficient at;
} walk;

/* Visits the next coefficient. */
static void visit_value(walk *x, double value)
{
    x->at.value = value;
    x->visit(x->context, &x->at);
    x->at.p++;
}

/* Begins the coefficients of another piece. */
static void begin(walk *x, olo_coefficient_kind kind, int index)
{
    x->at = (olo_coefficient){.kind = kind, .index = index};
}

/* In the order of olo_form_value_by_coefficient. */
static void visit_form(walk *x, const olo_form *form)
{
    visit_value(x, form->c);
    for (int i = 0; i < form->size; i++)
        visit_value(x, form->b[i]);
    for (int i = 0; i < form->products; i++)
        visit_value(x, form->product[i].a);
}

/* In the order of olo_term_discrete_by_coefficient. */
static void visit_term(walk *x, const olo_term *term)
{
    for (int i = 0; i < term->law->coefficients; i++)
        visit_value(x, term->coefficient[i]);
    for (int k = 0; !term->invariants && k < term->forms; k++)
        visit_form(x, &term->form[k]);
    if (!term->invariants)
        return;
    const olo_strain *strain = term->data; /* the only kind of invariants */
    for (int i = 0; i < OLO_STRAINS; i++)
        visit_value(x, strain->reference[i]);
    for (int a = 0; a < strain->nodes; a++)
        visit_value(x, strain->N[a]);
    for (int a = 0; a < strain->nodes; a++)
        visit_value(x, strain->dN[a]);
}

static void visit_corners(walk *x, const olo_term *term)
{
    const olo_strain *strain = term->data;
    for (int a = 0; term->invariants && a < strain->nodes; a++)
        for (int i = 0; strain->turn[a] && i < 9; i++)
            visit_value(x, strain->turn[a][i]);
}

static void visit_other(void *context, double value)
{
    visit_value(context, value);
}

static void visit_geometry(walk *x, const olo_system *s)
{
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        begin(x, OLO_COEFFICIENT_ROW, c);
        if (row->form) {
            visit_form(x, row->form);
            continue;
        }
        for (int i = 0; i < row->type->numbers; i++)
            visit_value(x, row->type->number(row, i));
        if (row->type->numbers == 0)
            visit_value(x, row->constant);
        for (int i = 0; i < row->share_count; i++)
            visit_value(x, row->shares[i].factor);
        begin(x, OLO_COEFFICIENT_CONTACT, c);
        if (row->type->others)
            row->type->others(row, x, visit_other);
    }
    for (int i = 0; i < s->joint_coordinate_count; i++) {
        begin(x, OLO_COEFFICIENT_COORDINATE, i);
        visit_term(x, s->joint_coordinates[i].term);
    }
    for (int k = 0; k < s->term_count; k++) {
        begin(x, OLO_COEFFICIENT_CORNER, k);
        visit_corners(x, &s->terms[k]);
    }
}

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

/* Samples that distinguish functions of time, unless a function knows its own derivatives. */
static void visit_function(walk *x, const olo_time_function *time)
{
    const int samples = 12;
    for (int i = 0; time->value && !time->by_parameters && i < samples; i++)
        visit_value(x, time->value(time->context, 0.01 * pow(2.3, i)));
}

static void visit_functions(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++) {
        begin(x, OLO_COEFFICIENT_FUNCTION, i);
        visit_function(x, &s->actions[i].time);
    }
    for (int c = 0; c < s->m; c++) {
        begin(x, OLO_COEFFICIENT_FUNCTION, -1);
        visit_function(x, &s->constraints[c].time);
    }
    for (int k = 0; k < s->term_count; k++) {
        begin(x, OLO_COEFFICIENT_FUNCTION, -1);
        if (s->terms[k].law->samples)
            s->terms[k].law->samples(s->terms[k].context, x, visit_other);
    }
}

void olo_system_visit_coefficients(const olo_system *s, olo_coefficient_visitor *visit,
                                   void *context)
{
    walk x = {.visit = visit, .context = context};
    for (int e = 0; e < s->mass_count; e++) {
        begin(&x, OLO_COEFFICIENT_MASS, e);
        visit_value(&x, s->mass[e].m);
    }
    for (int k = 0; k < s->term_count; k++) {
        begin(&x, OLO_COEFFICIENT_TERM, k);
        visit_term(&x, &s->terms[k]);
    }
    for (int i = 0; i < s->action_count; i++) {
        olo_action action = s->actions[i];
        begin(&x, OLO_COEFFICIENT_ACTION, i);
        for (int p = 0; p < olo_action_coefficients(&action); p++)
            visit_value(&x, *olo_action_coefficient(&action, p));
    }
    visit_geometry(&x, s);
    for (int i = 0; i < s->output_count; i++) {
        const olo_position *point = &s->outputs[i].position;
        begin(&x, OLO_COEFFICIENT_OUTPUT, i);
        for (int k = 0; k < 3; k++)
            visit_value(&x, point->x0[k]);
        for (int k = 0; k < point->count; k++)
            visit_value(&x, point->weight[k]);
    }
    visit_functions(&x, s);
}
