/* All coefficients of a system; see the header. */
#include "system/coefficients.h"

#include <math.h>

typedef struct walk {
    olo_coefficient_visitor *visit;
    void *context;
    olo_coefficient at;
} walk;

static void tell(walk *x, double value)
{
    x->at.value = value;
    x->visit(x->context, &x->at);
    x->at.p++;
}

static void begin(walk *x, olo_coefficient_kind kind, int index)
{
    x->at = (olo_coefficient){.kind = kind, .index = index};
}

/* In the order of olo_form_value_by_coefficient. */
static void tell_form(walk *x, const olo_form *form)
{
    tell(x, form->c);
    for (int i = 0; i < form->size; i++)
        tell(x, form->b[i]);
    for (int i = 0; i < form->products; i++)
        tell(x, form->product[i].a);
}

/* In the order of olo_term_discrete_by_coefficient. */
static void tell_term(walk *x, const olo_term *term)
{
    for (int i = 0; i < term->law->coefficients; i++)
        tell(x, term->coefficient[i]);
    for (int k = 0; !term->invariants && k < term->forms; k++)
        tell_form(x, &term->form[k]);
    if (!term->invariants)
        return;
    const olo_strain *strain = term->data; /* the one kind of invariants there is */
    for (int i = 0; i < OLO_STRAINS; i++)
        tell(x, strain->reference[i]);
    for (int a = 0; a < strain->nodes; a++)
        tell(x, strain->N[a]);
    for (int a = 0; a < strain->nodes; a++)
        tell(x, strain->dN[a]);
}

static void tell_corners(walk *x, const olo_term *term)
{
    const olo_strain *strain = term->data;
    for (int a = 0; term->invariants && a < strain->nodes; a++)
        for (int i = 0; strain->turn[a] && i < 9; i++)
            tell(x, strain->turn[a][i]);
}

static void tell_other(void *context, double value)
{
    tell(context, value);
}

static void tell_geometry(walk *x, const olo_system *s)
{
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        begin(x, OLO_COEFFICIENT_ROW, c);
        if (row->form) {
            tell_form(x, row->form);
            continue;
        }
        for (int i = 0; i < row->type->numbers; i++)
            tell(x, row->type->number(row, i));
        if (row->type->numbers == 0)
            tell(x, row->constant);
        for (int i = 0; i < row->share_count; i++)
            tell(x, row->shares[i].factor);
        begin(x, OLO_COEFFICIENT_CONTACT, c);
        if (row->type->others)
            row->type->others(row, x, tell_other);
    }
    for (int i = 0; i < s->joint_coordinate_count; i++) {
        begin(x, OLO_COEFFICIENT_COORDINATE, i);
        tell_term(x, s->joint_coordinates[i].term);
    }
    for (int k = 0; k < s->term_count; k++) {
        begin(x, OLO_COEFFICIENT_CORNER, k);
        tell_corners(x, &s->terms[k]);
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

/* Values that tell whether a function of time is another one, unless it says so itself. */
static void tell_function(walk *x, const olo_time_function *time)
{
    const int samples = 12;
    for (int i = 0; time->value && !time->by_parameters && i < samples; i++)
        tell(x, time->value(time->context, 0.01 * pow(2.3, i)));
}

static void tell_functions(walk *x, const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++) {
        begin(x, OLO_COEFFICIENT_FUNCTION, i);
        tell_function(x, &s->actions[i].time);
    }
    for (int c = 0; c < s->m; c++) {
        begin(x, OLO_COEFFICIENT_FUNCTION, -1);
        tell_function(x, &s->constraints[c].time);
    }
    for (int k = 0; k < s->term_count; k++) {
        begin(x, OLO_COEFFICIENT_FUNCTION, -1);
        if (s->terms[k].law->samples)
            s->terms[k].law->samples(s->terms[k].context, x, tell_other);
    }
}

void olo_system_visit_coefficients(const olo_system *s, olo_coefficient_visitor *visit,
                                   void *context)
{
    walk x = {.visit = visit, .context = context};
    for (int e = 0; e < s->mass_count; e++) {
        begin(&x, OLO_COEFFICIENT_MASS, e);
        tell(&x, s->mass[e].m);
    }
    for (int k = 0; k < s->term_count; k++) {
        begin(&x, OLO_COEFFICIENT_TERM, k);
        tell_term(&x, &s->terms[k]);
    }
    for (int i = 0; i < s->action_count; i++) {
        olo_action action = s->actions[i];
        begin(&x, OLO_COEFFICIENT_ACTION, i);
        for (int p = 0; p < olo_action_coefficients(&action); p++)
            tell(&x, *olo_action_coefficient(&action, p));
    }
    tell_geometry(&x, s);
    for (int i = 0; i < s->output_count; i++) {
        const olo_position *place = &s->outputs[i].position;
        begin(&x, OLO_COEFFICIENT_OUTPUT, i);
        for (int k = 0; k < 3; k++)
            tell(&x, place->x0[k]);
        for (int k = 0; k < place->count; k++)
            tell(&x, place->weight[k]);
    }
    tell_functions(&x, s);
}
