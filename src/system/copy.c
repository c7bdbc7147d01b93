/* Copies of a system, and the walk over all its numbers; see the header. */
#include "system/copy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/vec3.h"
#include "system/diagnostics.h"
#include "system/rolling.h"

enum { ROLLING_NUMBERS = sizeof(olo_rolling) / sizeof(double) };

/* --- copies --- */

/* A copy under way. Forms and their numbers come from three lists of the pool. */
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
/* Of a list that consists of numbers, or room for it. */
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
    COPY_LIST(x, drives, drive_count);
    COPY_LIST(x, actions, action_count);
    COPY_LIST(x, body_points, body_point_count);
    COPY_LIST(x, outputs, output_count);
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

/* Terms of a joint coordinate share its forms. */
static bool shares_forms(const olo_system *s, const olo_term *term)
{
    return term->coordinate < s->joint_coordinate_count &&
           term->form == s->joint_coordinates[term->coordinate].term->form;
}

/* Whether a row keeps a frame rigid: it has no numbers of the model, and is shared. Rows come in
 * ascending order, and `group` follows them from 0. */
static bool is_rigid(const olo_system *s, int *group, int row)
{
    while (row >= s->groups[*group].first + s->groups[*group].count)
        ++*group;
    return s->groups[*group].frame >= 0;
}

/* Room for the forms of all pieces. */
static void reserve_forms(copying *x)
{
    const olo_system *s = x->from;
    size_t forms = 0, sizes = 0, products = 0, coefficients = 0;
    for (int i = 0; i < s->term_count + s->joint_coordinate_count; i++) {
        const olo_term *term =
            i < s->term_count ? &s->terms[i] : s->joint_coordinates[i - s->term_count].term;
        coefficients += (size_t)term->law->coefficients;
        if (term->invariants || (i < s->term_count && shares_forms(s, term)))
            continue;
        forms += (size_t)term->forms;
        for (int k = 0; k < term->forms; k++) {
            sizes += (size_t)term->form[k].size;
            products += (size_t)term->form[k].products;
        }
    }
    for (int c = 0, group = 0; c < s->m; c++)
        if (s->constraints[c].form && !is_rigid(s, &group, c)) {
            forms++;
            sizes += (size_t)s->constraints[c].form->size;
            products += (size_t)s->constraints[c].form->products;
        }
    x->form = olo_pool_alloc(&x->to->pool, forms, sizeof *x->form);
    x->b = olo_pool_alloc(&x->to->pool, sizes, sizeof *x->b);
    x->product = olo_pool_alloc(&x->to->pool, products, sizeof *x->product);
    x->coefficient = olo_pool_alloc(&x->to->pool, coefficients, sizeof *x->coefficient);
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

static void copy_terms(copying *x)
{
    olo_system *to = x->to;
    olo_term *coordinates =
        olo_pool_alloc(&to->pool, (size_t)to->joint_coordinate_count, sizeof *coordinates);
    x->ok = x->ok && coordinates;
    for (int i = 0; x->ok && i < to->joint_coordinate_count; i++) {
        coordinates[i] = *to->joint_coordinates[i].term;
        coordinates[i].form = copy_forms(x, coordinates[i].forms, coordinates[i].form);
        copy_coefficients(x, &coordinates[i]);
        to->joint_coordinates[i].term = &coordinates[i];
    }
    for (int i = 0; x->ok && i < to->term_count; i++) {
        olo_term *term = &to->terms[i];
        if (term->invariants)
            term->data = copy_strain(x, term->data);
        else if (shares_forms(x->from, term))
            term->form = coordinates[term->coordinate].form;
        else
            term->form = copy_forms(x, term->forms, term->form);
        copy_coefficients(x, term);
    }
}

/* The same joint coordinate. */
static const olo_term *coordinate_of(const copying *x, const olo_term *from)
{
    return from ? x->to->joint_coordinates[from->coordinate].term : NULL;
}

static void copy_rows(copying *x)
{
    for (int c = 0, group = 0; x->ok && c < x->to->m; c++) {
        olo_constraint *row = &x->to->constraints[c];
        if (is_rigid(x->from, &group, c))
            continue;
        if (row->form) {
            row->form = copy_forms(x, 1, row->form);
            continue;
        }
        olo_share *shares =
            (olo_share *)pool_copy(x, row->shares, (size_t)row->share_count, sizeof *row->shares);
        for (int i = 0; shares && i < row->share_count; i++)
            shares[i].coordinate = coordinate_of(x, shares[i].coordinate);
        row->shares = shares;
        row->data = pool_copy(x, row->data, 1, sizeof(olo_rolling));
    }
}

static void copy_others(copying *x)
{
    olo_system *to = x->to;
    for (int i = 0; x->ok && i < to->action_count; i++)
        to->actions[i].coordinate = coordinate_of(x, to->actions[i].coordinate);
    for (int i = 0; x->ok && x->numbers && i < to->joint_count; i++)
        to->joints[i].rolling = pool_copy(x, to->joints[i].rolling, 1, sizeof(olo_rolling));
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

/* --- what follows from the numbers --- */

/* A length of the model: radii of gyration, rods, and distances between nodes. */
static double length_scale(const olo_system *s)
{
    double largest = 0, lowest[3] = {0, 0, 0}, highest[3] = {0, 0, 0};
    for (int i = 0; i < s->joint_count; i++)
        largest = fmax(largest, s->joints[i].length);
    /* the mass at its origin is the first entry of a body */
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

/* --- all numbers --- */

typedef struct walk {
    olo_number_visitor *visit;
    void *context;
} walk;

static void run(const walk *x, const double *numbers, int count)
{
    if (count > 0)
        x->visit(x->context, (double *)numbers, count);
}

static void run_forms(const walk *x, int count, const olo_form *forms)
{
    for (int k = 0; k < count; k++) {
        run(x, &forms[k].c, 1);
        run(x, forms[k].b, forms[k].size);
        for (int p = 0; p < forms[k].products; p++)
            run(x, &forms[k].product[p].a, 1);
    }
}

static void run_position(const walk *x, const olo_position *position)
{
    run(x, position->x0, 3);
    run(x, position->weight, position->count);
}

static void run_strain(const walk *x, const olo_strain *strain)
{
    run(x, strain->reference, OLO_STRAINS);
    run(x, strain->N, strain->nodes);
    run(x, strain->dN, strain->nodes);
    run(x, &strain->weight, 1);
    for (int a = 0; a < strain->nodes; a++)
        run(x, strain->turn[a], strain->turn[a] ? 9 : 0);
}

static void run_terms(const walk *x, const olo_system *s)
{
    for (int i = 0; i < s->term_count; i++) {
        const olo_term *term = &s->terms[i];
        run(x, term->coefficient, term->law->coefficients);
        if (term->invariants)
            run_strain(x, term->data);
        else if (!shares_forms(s, term))
            run_forms(x, term->forms, term->form);
    }
    for (int i = 0; i < s->joint_coordinate_count; i++)
        run_forms(x, s->joint_coordinates[i].term->forms, s->joint_coordinates[i].term->form);
}

static void run_actions(const walk *x, const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++) {
        run(x, s->actions[i].vector, 3);
        run(x, &s->actions[i].kp, 1);
        run(x, &s->actions[i].kd, 1);
        run_position(x, &s->actions[i].position);
    }
}

static void run_rows(const walk *x, const olo_system *s)
{
    for (int c = 0, group = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        if (is_rigid(s, &group, c))
            continue;
        if (row->form) {
            run_forms(x, 1, row->form);
            continue;
        }
        run(x, &row->constant, 1);
        for (int i = 0; i < row->share_count; i++)
            run(x, &row->shares[i].factor, 1);
        run(x, row->data, row->data ? ROLLING_NUMBERS : 0);
    }
}

static void run_joints(const walk *x, const olo_system *s)
{
    for (int i = 0; i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        run(x, joint->parent_point, 3);
        run(x, joint->child_point, 3);
        run(x, joint->parent_axes, 9);
        run(x, joint->child_axes, 9);
        run(x, &joint->length, 1);
        run(x, (const double *)joint->rolling, joint->rolling ? ROLLING_NUMBERS : 0);
    }
}

static void run_points(const walk *x, const olo_system *s)
{
    for (int k = 0; k < s->node_count; k++)
        run(x, s->nodes[k].center, 3);
    for (int i = 0; i < s->body_point_count; i++)
        run(x, s->body_points[i].at, 3);
    for (int i = 0; i < s->output_count; i++)
        run_position(x, &s->outputs[i].position);
    for (int i = 0; i < s->exact_count; i++)
        run_position(x, &s->exacts[i].position);
}

static void run_pictures(const walk *x, const olo_system *s)
{
    for (int i = 0; i < s->drawable_count; i++) {
        run(x, s->drawables[i].position, 3);
        run(x, s->drawables[i].rotation, 9);
        run(x, s->drawables[i].end, 3);
        run(x, s->drawables[i].size, OLO_DRAWABLE_SIZES);
    }
    for (int i = 0; i < s->beam_count; i++) {
        const olo_beam_line *beam = &s->beams[i];
        run(x, beam->lengths, beam->node_count);
        run(x, beam->stations, beam->elements * beam->points);
        run(x, beam->section.size, 2);
        run(x, &beam->section.radius, 1);
        run(x, &beam->section.inner_radius, 1);
    }
}

void olo_system_visit_numbers(olo_system *s, olo_number_visitor *visit, void *context)
{
    const walk x = {.visit = visit, .context = context};
    for (int e = 0; e < s->mass_count; e++)
        run(&x, &s->mass[e].m, 1);
    run_terms(&x, s);
    run_actions(&x, s);
    run_rows(&x, s);
    run_joints(&x, s);
    run_points(&x, s);
    run_pictures(&x, s);
    for (int i = 0; i < s->implied_count; i++) {
        run(&x, s->implied[i].point, 3);
        run(&x, s->implied[i].omega, 3);
        run(&x, s->implied[i].sliding, 3);
    }
    run(&x, s->q0, s->n);
    run(&x, s->v0, s->n);
    run(&x, s->gravity, 3);
    run(&x, s->plane, 3);
}
