/* Copies of a system, and the data that follow from their numbers; see the header. */
#include "system/copy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/vec3.h"
#include "system/coefficients.h"
#include "system/diagnostics.h"
#include "system/rolling.h"

/* --- copies --- */

/* A copy in progress. Forms and their numbers are taken from arrays that are allocated once. */
typedef struct copying {
    const olo_system *from;
    olo_system *to;
    olo_form *form;
    double *b, *coefficient;
    olo_product *product;
    bool numbers, ok;
} copying;

#define COPY_LIST(x, list, count)                                                                  \
    copy_list((x), (void **)&(x)->to->list, (x)->from->list, (x)->from->count,                     \
              sizeof *(x)->to->list)
/* A list that consists of numbers: copied, or only allocated. */
#define COPY_NUMBERS(x, list, count)                                                               \
    copy_list((x), (void **)&(x)->to->list, (x)->numbers ? (x)->from->list : NULL,                 \
              (x)->from->count, sizeof *(x)->to->list)

static void copy_list(copying *x, void **list, const void *items, int count, size_t size)
{
    *list = olo_copy(items, (size_t)count, size);
    x->ok = x->ok && *list != NULL;
}

static const void *pool_copy(copying *x, const void *items, size_t count, size_t size)
{
    const void *copy = items ? olo_pool_copy(&x->to->pool, items, count, size) : NULL;
    x->ok = x->ok && (copy || !items);
    return copy;
}

static void copy_lists(copying *x)
{
    COPY_LIST(x, nodes, node_count);
    COPY_LIST(x, terms, term_count);
    COPY_LIST(x, constraints, m);
    COPY_LIST(x, groups, group_count);
    COPY_LIST(x, beams, beam_count);
    COPY_LIST(x, joint_coordinates, joint_coordinate_count);
    COPY_LIST(x, measures, measure_count);
    COPY_LIST(x, drives, drive_count);
    COPY_LIST(x, actions, action_count);
    COPY_LIST(x, body_points, body_point_count);
    COPY_LIST(x, outputs, output_count);
    COPY_LIST(x, contacts, contact_count);
    COPY_LIST(x, events, event_count);
    COPY_LIST(x, mass_functions, mass_function_count);
    COPY_LIST(x, exacts, exact_count);
    COPY_LIST(x, v0_given, n);
    COPY_NUMBERS(x, mass, mass_count);
    COPY_NUMBERS(x, joints, joint_count);
    COPY_NUMBERS(x, drawables, drawable_count);
    COPY_NUMBERS(x, q0, n);
    COPY_NUMBERS(x, v0, n);
    COPY_NUMBERS(x, implied, implied_count);
    /* functions of time belong to the first system */
    for (int i = 0; x->to->actions && i < x->to->action_count; i++)
        x->to->actions[i].time.free = NULL;
    for (int c = 0; x->to->constraints && c < x->to->m; c++)
        x->to->constraints[c].time.free = NULL;
}

/* Allocates the forms of all pieces. */
static void reserve_forms(copying *x)
{
    const olo_system *s = x->from;
    size_t forms = 0, sizes = 0, products = 0, coefficients = 0;
    /* count forms and coefficients of terms, joint coordinates and measures */
    const int coordinates = s->term_count + s->joint_coordinate_count;
    for (int i = 0; i < coordinates + s->measure_count; i++) {
        const olo_term *term = i < s->term_count ? &s->terms[i]
                               : i < coordinates ? s->joint_coordinates[i - s->term_count].term
                                                 : s->measures[i - coordinates].term;
        coefficients += (size_t)term->law->coefficients;
        if (term->invariants || (i < s->term_count && olo_term_shares_forms(s, term)))
            continue;
        forms += (size_t)term->forms;
        for (int k = 0; k < term->forms; k++) {
            sizes += (size_t)term->form[k].size;
            products += (size_t)term->form[k].products;
        }
    }
    /* count forms of constraint rows */
    for (int g = 0; g < s->group_count; g++)
        for (int i = 0; i < olo_group_own_rows(&s->groups[g]); i++) {
            const olo_form *form = s->constraints[s->groups[g].first + i].form;
            forms += form != NULL;
            sizes += form ? (size_t)form->size : 0;
            products += form ? (size_t)form->products : 0;
        }
    x->form = olo_pool_copy(&x->to->pool, NULL, forms, sizeof *x->form);
    x->b = olo_pool_copy(&x->to->pool, NULL, sizes, sizeof *x->b);
    x->product = olo_pool_copy(&x->to->pool, NULL, products, sizeof *x->product);
    x->coefficient = olo_pool_copy(&x->to->pool, NULL, coefficients, sizeof *x->coefficient);
    x->ok = x->ok && x->form && x->b && x->product && x->coefficient;
}

static const olo_form *copy_forms(copying *x, int count, const olo_form *from)
{
    olo_form *forms = x->form;
    for (int k = 0; k < count; k++) {
        forms[k] = from[k];
        forms[k].b = memcpy(x->b, from[k].b, (size_t)from[k].size * sizeof *x->b);
        forms[k].product =
            memcpy(x->product, from[k].product, (size_t)from[k].products * sizeof *x->product);
        x->b += from[k].size;
        x->product += from[k].products;
    }
    x->form += count;
    return forms;
}

static const void *copy_strain(copying *x, const olo_strain *from)
{
    olo_strain *strain = (olo_strain *)pool_copy(x, from, 1, sizeof *from);
    for (int a = 0; strain && a < from->nodes; a++)
        strain->turn[a] = pool_copy(x, from->turn[a], 9, sizeof *from->turn[a]);
    return strain;
}

static void copy_coefficients(copying *x, olo_term *term)
{
    const size_t count = (size_t)term->law->coefficients;
    if (count > 0)
        memcpy(x->coefficient, term->coefficient, count * sizeof *x->coefficient);
    term->coefficient = x->coefficient;
    x->coefficient += count;
}

static const olo_term *copy_coordinate(copying *x, const olo_term *from, olo_term *term)
{
    *term = *from;
    term->form = copy_forms(x, from->forms, from->form);
    copy_coefficients(x, term);
    return term;
}

static void copy_terms(copying *x)
{
    olo_system *to = x->to;
    olo_term *coordinates =
        olo_pool_alloc(&to->pool, (size_t)to->joint_coordinate_count, sizeof *coordinates);
    olo_term *measures = olo_pool_alloc(&to->pool, (size_t)to->measure_count, sizeof *measures);
    x->ok = x->ok && coordinates && measures;
    for (int i = 0; x->ok && i < to->joint_coordinate_count; i++)
        to->joint_coordinates[i].term =
            copy_coordinate(x, to->joint_coordinates[i].term, &coordinates[i]);
    for (int i = 0; x->ok && i < to->measure_count; i++)
        to->measures[i].term = copy_coordinate(x, to->measures[i].term, &measures[i]);
    for (int i = 0; x->ok && i < to->term_count; i++) {
        olo_term *term = &to->terms[i];
        if (term->invariants)
            term->data = copy_strain(x, term->data);
        else if (olo_term_shares_forms(x->from, term))
            term->form = coordinates[term->coordinate].form;
        else
            term->form = copy_forms(x, term->forms, term->form);
        copy_coefficients(x, term);
    }
}

/* The joint coordinate or measure of the copy that corresponds to `from`. A function of
 * coordinates, which has no number, belongs to both systems. */
static const olo_term *coordinate_of(const copying *x, const olo_term *from)
{
    if (!from || from->coordinate < 0)
        return from;
    const int i = from->coordinate;
    const bool measure = i < x->from->measure_count && x->from->measures[i].term == from;
    return measure ? x->to->measures[i].term : x->to->joint_coordinates[i].term;
}

static void copy_action(copying *x, olo_action *action)
{
    action->coordinate = coordinate_of(x, action->coordinate);
    if (!action->law)
        return;
    const size_t count = (size_t)action->law->measures;
    olo_action_measure *measures =
        (olo_action_measure *)pool_copy(x, action->measures, count, sizeof *measures);
    for (int i = 0; measures && i < action->law->measures; i++)
        measures[i].term = coordinate_of(x, measures[i].term);
    action->measures = measures;
}

static void copy_row(copying *x, olo_constraint *row)
{
    if (row->form) {
        row->form = copy_forms(x, 1, row->form);
        return;
    }
    olo_share *shares =
        (olo_share *)pool_copy(x, row->shares, (size_t)row->share_count, sizeof *row->shares);
    for (int i = 0; shares && i < row->share_count; i++)
        shares[i].coordinate = coordinate_of(x, shares[i].coordinate);
    row->shares = shares;
    if (row->type->numbers > 0)
        row->data = pool_copy(x, row->data, (size_t)row->type->numbers, sizeof(double));
}

static void copy_rows(copying *x)
{
    for (int g = 0; x->ok && g < x->from->group_count; g++)
        for (int i = 0; x->ok && i < olo_group_own_rows(&x->from->groups[g]); i++)
            copy_row(x, &x->to->constraints[x->from->groups[g].first + i]);
}

static void copy_others(copying *x)
{
    olo_system *to = x->to;
    for (int i = 0; x->ok && i < to->action_count; i++)
        copy_action(x, &to->actions[i]);
    for (int i = 0; x->ok && x->numbers && i < to->joint_count; i++)
        to->joints[i].rolling = pool_copy(x, to->joints[i].rolling, 1, sizeof(olo_rolling));
    for (int i = 0; x->ok && i < to->contact_count; i++) {
        olo_contact_point *contact = &to->contacts[i];
        if (!contact->geometry) {
            if (olo_contact_has_gap(contact))
                copy_row(x, &contact->gap);
            for (int k = 0; x->ok && k < contact->sliding_count; k++)
                copy_row(x, &contact->sliding[k]);
            continue;
        }
        olo_contact_geometry *geometry =
            (olo_contact_geometry *)pool_copy(x, contact->geometry, 1, sizeof *contact->geometry);
        int *index = (int *)pool_copy(x, contact->gap.index, (size_t)contact->gap.size,
                                      sizeof *contact->gap.index);
        if (x->ok)
            olo_contact_set_rows(contact, contact->gap.type, geometry, index,
                                 contact->sliding_count);
    }
    for (int i = 0; x->ok && i < to->beam_count; i++) {
        olo_beam_line *beam = &to->beams[i];
        const size_t points = (size_t)(beam->elements * beam->points);
        beam->lengths = pool_copy(x, beam->lengths, (size_t)beam->node_count, sizeof(double));
        beam->stations = pool_copy(x, beam->stations, points, sizeof(double));
    }
}

olo_system *olo_system_copy(const olo_system *base, bool numbers)
{
    olo_system *to = olo_alloc(1, sizeof *to);
    copying x = {.from = base, .to = to, .numbers = numbers, .ok = true};
    if (!to)
        return NULL;
    *to = *base;
    to->pool = (olo_pool){0};
    to->base = base;
    to->frames = NULL;
    to->contexts = NULL;
    to->context_count = 0;
    to->topology = NULL;
    to->redundancy = NULL;
    to->free_analysis = NULL;
    atomic_init(&to->users, 1);
    atomic_fetch_add(&((olo_system *)base)->users, 1);
    copy_lists(&x);
    reserve_forms(&x);
    copy_terms(&x);
    copy_rows(&x);
    copy_others(&x);
    if (olo_system_reserve_diagnostics(to) && x.ok)
        return to;
    to->action_count = to->actions ? to->action_count : 0;
    to->m = to->constraints ? to->m : 0;
    olo_system_free(to);
    return NULL;
}

/* --- data that follow from the numbers --- */

/* A length of the model: the largest of radii of gyration, rods and the diagonal of the box around
 * all nodes. */
static double length_scale(const olo_system *s)
{
    double largest = 0, lowest[3] = {0, 0, 0}, highest[3] = {0, 0, 0};
    for (int i = 0; i < s->joint_count; i++)
        largest = fmax(largest, s->joints[i].length);
    /* radii of gyration; the first entry of a body is its mass */
    double mass = 0;
    for (int e = 0; e < s->mass_count; e++) {
        const olo_coordinate *c = &s->coordinates[s->mass[e].i];
        if (s->mass[e].i != s->mass[e].j || s->nodes[c->node].type->position < 0)
            continue;
        if (c->slot == 0)
            mass = s->mass[e].m;
        else if (mass > 0)
            largest = fmax(largest, sqrt(fabs(s->mass[e].m) / mass));
    }
    /* the box around all nodes */
    for (int k = 0, positions = 0; k < s->node_count; k++) {
        const double *x = olo_node_position(&s->nodes[k], s->q0);
        if (!x)
            continue;
        for (int i = 0; i < 3; i++) {
            lowest[i] = positions == 0 || x[i] < lowest[i] ? x[i] : lowest[i];
            highest[i] = positions == 0 || x[i] > highest[i] ? x[i] : highest[i];
        }
        positions++;
    }
    double box[3];
    vec3_subtract(highest, lowest, box);
    largest = fmax(largest, vec3_norm(box));
    return largest > 0 ? largest : 1.0;
}

bool olo_system_finish_numbers(olo_system *system)
{
    system->length_scale = length_scale(system);
    return olo_system_gather_frames(system);
}
