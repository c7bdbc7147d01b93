/* Conserved momenta from the symmetries of a model (Noether).
 *
 * A rigid motion of the whole system, translation tau and rotation omega, moves a 3-vector x of q
 * by
 *
 *     xi(x) = omega x x (+ tau for positions).
 *
 * The momentum map omega.L + tau.P is conserved if the derivative grad e . xi of every form, a
 * polynomial in q, vanishes. For linear rows of a constraint group it may also be a linear
 * combination of rows of the group, which are zero at the midpoint, too. These are linear
 * conditions on (tau, omega). Their Gram matrix is 6 x 6, and its null space consists of the
 * conserved momentum maps. For energy-momentum with quadratic invariants the discrete counterpart
 * is exact (thesis, 3.2).
 *
 * Forms are written in normalised coordinates y: positions are x = c + l y with the centre c and a
 * length l of the model, directors are unchanged. The coefficients then depend neither on the
 * position of the model nor on its units.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "system/form_builder.h"
#include "system/system.h"

enum { TX, TY, TZ, RX, RY, RZ, MOTIONS };

/* Relative size below which a condition is regarded as absent; conditions are squared. */
static const double condition_floor = 1e-20;

/* The normalisation: the centre of the initial positions, and a length. */
typedef struct normalisation {
    const olo_system *system;
    double center[3], length;
} normalisation;

/* Derivatives of forms along the six generators: polynomials over `size` coordinates, stored as
 * constant, linear and quadratic coefficients. */
typedef struct unit {
    int size;
    int index[OLO_FORM_SIZE_MAX];
    double *polynomial[MOTIONS];
} unit;

static int terms_of(int size)
{
    return 1 + size + size * size;
}

static int local_of(const unit *u, int coordinate)
{
    for (int i = 0; i < u->size; i++)
        if (u->index[i] == coordinate)
            return i;
    return -1;
}

static normalisation normalisation_of(const olo_system *system)
{
    normalisation map = {.system = system, .length = system->length_scale};
    for (int k = 0; k < system->node_count; k++) {
        const double *position = olo_node_position(&system->nodes[k], system->q0);
        if (position && system->nodes[k].base < 0)
            vec3_add(1.0 / system->node_count, position, map.center);
    }
    return map;
}

/* q_i = shift + stretch y_i */
static double stretch_of(const normalisation *map, int i, double *shift)
{
    const olo_coordinate *c = &map->system->coordinates[i];
    *shift = c->slot == 0 && map->system->nodes[c->node].base < 0 ? map->center[c->axis] : 0.0;
    return c->slot == 0 ? map->length : 1.0;
}

/* coordinate i of xi for motion k is  constant + factor * y[other] */
static void generator(const olo_system *system, int i, int k, double *constant, int *other,
                      double *factor)
{
    const olo_coordinate *c = &system->coordinates[i];
    *constant = *factor = 0;
    *other = i;
    if (c->slot == OLO_SLOT_SCALAR)
        return;
    if (k < RX) {
        *constant = c->slot == 0 && c->axis == k && system->nodes[c->node].base < 0;
        return;
    }
    int axis = k - RX, next = (axis + 1) % 3, last = (axis + 2) % 3;
    if (c->axis == next) { /* (e_k x x)_next = -x_last */
        *other = i + last - next;
        *factor = -1;
    } else if (c->axis == last) {
        *other = i + next - last;
        *factor = 1;
    }
}

/* The form in y, with the indices of the original form; `b` and `product` are memory for it. */
static olo_form normalised(const normalisation *map, const olo_form *form, double *b,
                           olo_product *product)
{
    double shift;
    olo_form y = *form;
    for (int a = 0; a < form->size; a++) {
        b[a] = form->b[a];
        (void)stretch_of(map, form->index[a], &shift);
        y.c += form->b[a] * shift;
    }
    for (int t = 0; t < form->products; t++) {
        const olo_product *x = &form->product[t];
        double shift_i, shift_j;
        const double stretch_i = stretch_of(map, form->index[x->i], &shift_i);
        const double stretch_j = stretch_of(map, form->index[x->j], &shift_j);
        y.c += x->a * shift_i * shift_j;
        b[x->i] += x->a * shift_j;
        b[x->j] += x->a * shift_i;
        product[t] = (olo_product){x->i, x->j, x->a * stretch_i * stretch_j};
    }
    for (int a = 0; a < form->size; a++)
        b[a] *= stretch_of(map, form->index[a], &shift);
    y.b = b;
    y.product = product;
    return y;
}

/* p += s * (derivative of the form along motion k) */
static void differentiate(const olo_system *system, const unit *u, const olo_form *form, int k,
                          double *p)
{
    double constant, factor;
    int other, size = u->size;
    for (int a = 0; a < form->size; a++) {
        generator(system, form->index[a], k, &constant, &other, &factor);
        p[0] += form->b[a] * constant;
        if (factor != 0)
            p[1 + local_of(u, other)] += form->b[a] * factor;
    }
    for (int t = 0; t < form->products; t++)
        for (int side = 0; side < 2; side++) {
            int i = form->index[side ? form->product[t].j : form->product[t].i];
            int j = form->index[side ? form->product[t].i : form->product[t].j];
            generator(system, i, k, &constant, &other, &factor);
            int l = local_of(u, j);
            p[1 + l] += form->product[t].a * constant;
            if (factor == 0)
                continue;
            int o = local_of(u, other);
            p[1 + size + o * size + l] += 0.5 * form->product[t].a * factor;
            p[1 + size + l * size + o] += 0.5 * form->product[t].a * factor;
        }
}

/* all axes of every vector the form touches */
static void add_coordinates(const olo_system *system, const olo_form *form, unit *u)
{
    for (int a = 0; a < form->size; a++) {
        int first = form->index[a] - system->coordinates[form->index[a]].axis;
        for (int axis = 0; axis < system->coordinates[first].width; axis++)
            if (local_of(u, first + axis) < 0 && u->size < OLO_FORM_SIZE_MAX)
                u->index[u->size++] = first + axis;
    }
}

/* polynomial of the form itself, constant and linear part */
static void write_linear(const unit *u, const olo_form *form, double *p)
{
    memset(p, 0, (size_t)(1 + u->size) * sizeof *p);
    p[0] = form->c;
    for (int a = 0; a < form->size; a++)
        p[1 + local_of(u, form->index[a])] += form->b[a];
}

/* Adds the conditions of one form; `rows` are orthonormal polynomials that are regarded as zero. */
static void add_conditions(const olo_system *system, unit *u, const olo_form *form, int row_count,
                           const double *rows, double gram[MOTIONS][MOTIONS])
{
    int count = terms_of(u->size);
    double scale = 0;
    for (int a = 0; a < form->size; a++)
        scale += form->b[a] * form->b[a];
    for (int t = 0; t < form->products; t++)
        scale += form->product[t].a * form->product[t].a;
    if (scale == 0)
        return;
    bool varies[MOTIONS];
    for (int k = 0; k < MOTIONS; k++) {
        double *p = u->polynomial[k];
        memset(p, 0, (size_t)count * sizeof *p);
        differentiate(system, u, form, k, p);
        for (int r = 0; r < row_count; r++) {
            const double *row = rows + r * (1 + u->size);
            small_add_row(1 + u->size, -small_dot(1 + u->size, row, p), row, p);
        }
        /* most forms are invariant under all rigid motions */
        varies[k] = false;
        for (int i = 0; i < count && !varies[k]; i++)
            varies[k] = p[i] != 0;
    }
    for (int k = 0; k < MOTIONS; k++)
        for (int l = 0; varies[k] && l < MOTIONS; l++)
            if (varies[l])
                gram[k][l] += small_dot(count, u->polynomial[k], u->polynomial[l]) / scale;
}

/* Memory for forms in y. */
typedef struct forms_in_y {
    olo_pool pool;
    olo_form *form;
    double *b;
    olo_product *product;
} forms_in_y;

static bool normalise(const normalisation *map, int count, const olo_form *const *forms,
                      forms_in_y *y)
{
    size_t sizes = 0, products = 0;
    for (int i = 0; i < count; i++) {
        sizes += (size_t)forms[i]->size;
        products += (size_t)forms[i]->products;
    }
    y->form = olo_pool_alloc(&y->pool, (size_t)count + 1, sizeof *y->form);
    y->b = olo_pool_alloc(&y->pool, sizes + 1, sizeof *y->b);
    y->product = olo_pool_alloc(&y->pool, products + 1, sizeof *y->product);
    if (y->pool.failed)
        return false;
    double *b = y->b;
    olo_product *product = y->product;
    for (int i = 0; i < count; i++) {
        y->form[i] = normalised(map, forms[i], b, product);
        b += forms[i]->size;
        product += forms[i]->products;
    }
    return true;
}

/* Orthonormal polynomials of the linear forms; returns how many there are. */
static int orthonormal_rows(const unit *u, int form_count, const olo_form *forms, double *rows)
{
    const int linear = 1 + u->size; /* their quadratic coefficients are zero */
    int row_count = 0;
    for (int i = 0; i < form_count; i++) {
        if (forms[i].products)
            continue;
        double *row = rows + row_count * linear;
        write_linear(u, &forms[i], row);
        const double size = sqrt(small_dot(linear, row, row));
        for (int r = 0; r < row_count; r++)
            small_add_row(linear, -small_dot(linear, rows + r * linear, row), rows + r * linear,
                          row);
        const double norm = sqrt(small_dot(linear, row, row));
        if (!(norm > 1e-9 * size))
            continue;
        for (int j = 0; j < linear; j++)
            row[j] /= norm;
        row_count++;
    }
    return row_count;
}

/* One constraint group, or one form (count 1, no group rows). */
static bool add_forms(const normalisation *map, int form_count, const olo_form *const *forms,
                      bool group, double gram[MOTIONS][MOTIONS])
{
    unit u = {0};
    forms_in_y y = {0};
    for (int i = 0; i < form_count; i++)
        add_coordinates(map->system, forms[i], &u);
    const size_t count = (size_t)terms_of(u.size);
    double *memory = olo_pool_alloc(&y.pool, count * MOTIONS + (size_t)((1 + u.size) * form_count),
                                    sizeof *memory);
    const bool ok = memory && normalise(map, form_count, forms, &y);
    if (ok) {
        for (int k = 0; k < MOTIONS; k++)
            u.polynomial[k] = memory + (size_t)k * count;
        double *rows = memory + MOTIONS * count;
        const int row_count = group ? orthonormal_rows(&u, form_count, y.form, rows) : 0;
        for (int i = 0; i < form_count; i++)
            add_conditions(map->system, &u, &y.form[i], row_count, rows, gram);
    }
    olo_pool_free(&y.pool);
    return ok;
}

static bool add_form(const normalisation *map, const olo_form *form, double gram[MOTIONS][MOTIONS])
{
    return add_forms(map, 1, &form, false, gram);
}

/* Adds all forms of a term. Invariants that are not forms are invariant under rigid motions. */
static bool add_term(const normalisation *map, const olo_term *term, double gram[MOTIONS][MOTIONS])
{
    bool ok = true;
    for (int k = 0; ok && !term->invariants && k < term->forms; k++)
        ok = add_form(map, &term->form[k], gram);
    return ok;
}

/* Adds the rows of a group. Forms are added together. A relation has the symmetries of its
 * coordinates. A row of another kind refers to a fixed plane and has no symmetry. */
static bool add_group(const normalisation *map, const olo_group *group,
                      double gram[MOTIONS][MOTIONS])
{
    const olo_form **forms = olo_alloc((size_t)group->count + 1, sizeof *forms);
    int count = 0;
    bool ok = forms != NULL;
    for (int i = 0; ok && i < group->count; i++) {
        const olo_constraint *row = &map->system->constraints[group->first + i];
        if (row->form)
            forms[count++] = row->form;
        for (int k = 0; ok && k < row->share_count; k++)
            ok = add_term(map, row->shares[k].coordinate, gram);
        for (int k = 0; !row->form && row->share_count == 0 && k < MOTIONS; k++)
            gram[k][k] += 1;
    }
    ok = ok && add_forms(map, count, forms, true, gram);
    olo_free(forms);
    return ok;
}

/* Adds an action. A force fixed in space is like a potential with the form F . x(q). A moment m
 * breaks rotations with m . omega != 0. An action that depends on the motion has no symmetry. */
static bool add_action(const normalisation *map, const olo_action *action,
                       double gram[MOTIONS][MOTIONS])
{
    double scale = vec3_dot(action->vector, action->vector);
    if (action->type->dead && !action->type->moment) {
        double b[OLO_ACTION_SIZE_MAX];
        int index[OLO_ACTION_SIZE_MAX];
        olo_form form = {.size = 3 * action->position.count, .index = index, .b = b};
        for (int k = 0; k < action->position.count; k++)
            for (int i = 0; i < 3; i++) {
                index[3 * k + i] = action->position.slot[k] + i;
                b[3 * k + i] = action->position.weight[k] * action->vector[i];
            }
        return add_form(map, &form, gram);
    }
    if (action->type->dead && scale > 0) {
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                gram[RX + k][RX + l] += action->vector[k] * action->vector[l] / scale;
        return true;
    }
    if (action->coordinate) /* it has the symmetries of the coordinate */
        return add_term(map, action->coordinate, gram);
    for (int k = action->type->moment ? RX : TX; k < MOTIONS; k++)
        gram[k][k] += 1;
    return true;
}

/* Adds a contact whose rows are functions: it has the symmetries of their arguments. */
static bool add_function_contact(const normalisation *map, const olo_contact_point *contact,
                                 double gram[MOTIONS][MOTIONS])
{
    bool ok = true;
    for (int i = olo_contact_first_row(contact); ok && i <= contact->sliding_count; i++) {
        const olo_constraint *row = olo_contact_row(contact, i);
        for (int k = 0; ok && k < row->share_count; k++)
            ok = add_term(map, row->shares[k].coordinate, gram);
    }
    return ok;
}

/* Adds a contact: its gap is a function of n.x or of |x|. Friction on the ground has no symmetry,
 * that between two bodies is invariant. */
static bool add_contact(const normalisation *map, const olo_contact_point *contact,
                        double gram[MOTIONS][MOTIONS])
{
    const olo_contact_geometry *g = contact->geometry;
    olo_form_builder builder;
    if (!g)
        return add_function_contact(map, contact, gram);
    olo_pool pool = {0};
    olo_form form;
    olo_form_begin(&builder);
    if (g->direction.count > 0)
        olo_form_add_dot(&builder, 1, &g->direction, &g->x);
    else if (vec3_norm(g->normal) > 0)
        olo_form_add_component(&builder, g->normal, &g->x);
    else
        olo_form_add_dot(&builder, 0.5, &g->x, &g->x);
    const bool ok = olo_forms_finish(1, &builder, &pool, &form) && add_form(map, &form, gram);
    const bool held = contact->sliding_count > 0 && !olo_contact_sliding_is_invariant(contact);
    for (int k = 0; held && k < MOTIONS; k++)
        gram[k][k] += 1;
    olo_pool_free(&pool);
    return ok;
}

/* Null space of the Gram matrix by elimination. Translations come first, so that the other vectors
 * are rotations about a line. Returns the number of vectors. */
static int null_space(double gram[MOTIONS][MOTIONS], double basis[MOTIONS][MOTIONS])
{
    double largest = 0;
    int pivot_row[MOTIONS], rank = 0, found = 0;
    for (int k = 0; k < MOTIONS; k++)
        largest = fmax(largest, gram[k][k]);
    for (int column = 0; column < MOTIONS; column++) {
        int best = rank;
        for (int row = rank; row < MOTIONS; row++)
            if (fabs(gram[row][column]) > fabs(gram[best][column]))
                best = row;
        pivot_row[column] = -1;
        if (rank == MOTIONS || fabs(gram[best][column]) <= condition_floor * (1 + largest))
            continue;
        for (int j = 0; j < MOTIONS; j++) {
            double swap = gram[best][j];
            gram[best][j] = gram[rank][j];
            gram[rank][j] = swap;
        }
        double pivot = gram[rank][column];
        for (int j = 0; j < MOTIONS; j++)
            gram[rank][j] /= pivot;
        for (int row = 0; row < MOTIONS; row++) {
            if (row == rank)
                continue;
            double factor = gram[row][column];
            for (int j = 0; j < MOTIONS; j++)
                gram[row][j] -= factor * gram[rank][j];
            /* set entries to zero that have cancelled up to rounding */
            for (int j = 0; j < MOTIONS; j++)
                if (fabs(gram[row][j]) < 1e-13 * fabs(factor))
                    gram[row][j] = 0;
        }
        pivot_row[column] = rank++;
    }
    for (int column = 0; column < MOTIONS; column++) {
        if (pivot_row[column] >= 0)
            continue;
        for (int k = 0; k < MOTIONS; k++)
            basis[found][k] = k == column        ? 1.0
                              : pivot_row[k] < 0 ? 0.0
                                                 : -gram[pivot_row[k]][column];
        found++;
    }
    return found;
}

/* Transforms a motion of y, omega x y + tau, into one of positions, omega x (x - c) + l tau. The
 * magnitude of a pure translation is arbitrary and not changed. */
static void map_to_positions(const normalisation *map, double motion[MOTIONS])
{
    double *tau = motion, *omega = motion + RX, moved[3];
    if (vec3_norm(omega) == 0)
        return;
    vec3_cross(map->center, omega, moved);
    for (int i = 0; i < 3; i++)
        tau[i] = map->length * tau[i] + moved[i];
}

/* Subtracts the component along an earlier translation from a rotation: both are conserved, hence
 * also their difference. */
static void remove_translation(const double earlier[MOTIONS], double motion[MOTIONS])
{
    if (vec3_norm(earlier + RX) == 0)
        vec3_add(-vec3_dot(earlier, motion) / vec3_dot(earlier, earlier), earlier, motion);
}

/* Sets components to zero that have cancelled up to rounding. */
static void clean(const normalisation *map, double motion[MOTIONS])
{
    const double rounding = 1e-12;
    const double size = vec3_norm(map->center) + map->length;
    const bool turns = vec3_norm(motion + RX) > 0;
    for (int k = 0; k < MOTIONS; k++)
        if (fabs(motion[k]) < rounding * (turns && k < RX ? size : 1.0))
            motion[k] = 0;
}

/* --- names and reasons --- */

static int only_axis(const double v[3])
{
    for (int i = 0; i < 3; i++)
        if (fabs(v[i] - 1) < 1e-12 && fabs(v[(i + 1) % 3]) < 1e-12 && fabs(v[(i + 2) % 3]) < 1e-12)
            return i;
    return -1;
}

static void describe_translation(olo_invariant *x)
{
    int axis = only_axis(x->translation);
    const double *t = x->translation;
    if (axis >= 0)
        snprintf(x->name, sizeof x->name, "linear momentum %c", "xyz"[axis]);
    else
        snprintf(x->name, sizeof x->name, "linear momentum along (%.3g, %.3g, %.3g)", t[0], t[1],
                 t[2]);
    snprintf(x->why, sizeof x->why,
             "the model is invariant under translation along this direction");
}

static void describe_rotation(olo_invariant *x)
{
    int axis = only_axis(x->rotation);
    const double *w = x->rotation;
    double through[3], along = vec3_dot(w, x->translation);
    vec3_cross(w, x->translation, through);
    char direction[48];
    if (axis >= 0)
        snprintf(direction, sizeof direction, "%c", "xyz"[axis]);
    else
        snprintf(direction, sizeof direction, "(%.3g, %.3g, %.3g)", w[0], w[1], w[2]);
    if (vec3_norm(x->translation) < 1e-12)
        snprintf(x->name, sizeof x->name, "angular momentum %s", direction);
    else
        snprintf(x->name, sizeof x->name, "angular momentum %s about (%.3g, %.3g, %.3g)%s",
                 direction, through[0], through[1], through[2],
                 fabs(along) > 1e-12 ? " with shift" : "");
    snprintf(x->why, sizeof x->why, "the model is invariant under rotation about this axis");
}

static void add_energy(olo_system *system)
{
    bool lossy = false, driven = false;
    for (int i = 0; i < system->term_count; i++)
        lossy = lossy || system->terms[i].law->dissipative;
    for (int i = 0; i < system->contact_count; i++)
        lossy = lossy || system->contacts[i].restitution < 1 || system->contacts[i].friction > 0;
    for (int i = 0; i < system->m; i++)
        driven = driven || olo_constraint_moves(&system->constraints[i]);
    olo_invariant *x = &system->invariants[system->invariant_count++];
    x->energy = true;
    bool balance = lossy || driven || system->action_count > 0;
    snprintf(x->name, sizeof x->name, balance ? "energy balance" : "energy");
    snprintf(x->why, sizeof x->why,
             balance ? "energy minus work of loads and drives plus dissipation is constant"
                     : "there are no loads, drives or dampers");
}

bool olo_system_find_symmetries(olo_system *system)
{
    double gram[MOTIONS][MOTIONS] = {{0}}, basis[MOTIONS][MOTIONS];
    const normalisation map = normalisation_of(system);
    bool ok = true;
    for (int i = 0; ok && i < system->group_count; i++)
        ok = system->groups[i].internal || add_group(&map, &system->groups[i], gram);
    for (int i = 0; ok && i < system->term_count; i++)
        ok = add_term(&map, &system->terms[i], gram);
    for (int i = 0; ok && i < system->action_count; i++)
        ok = add_action(&map, &system->actions[i], gram);
    for (int i = 0; ok && i < system->contact_count; i++)
        ok = add_contact(&map, &system->contacts[i], gram);
    if (!ok)
        return false;
    system->invariant_count = 0;
    add_energy(system);
    bool moves = false; /* something has a momentum in space */
    for (int k = 0; k < system->node_count; k++)
        moves = moves || system->nodes[k].type->width == 3;
    int found = moves ? null_space(gram, basis) : 0;
    for (int i = 0; i < found; i++)
        map_to_positions(&map, basis[i]);
    for (int i = 0; i < found; i++) {
        olo_invariant *x = &system->invariants[system->invariant_count++];
        for (int j = 0; j < i; j++)
            remove_translation(basis[j], basis[i]);
        clean(&map, basis[i]);
        vec3_copy(basis[i], x->translation);
        vec3_copy(basis[i] + 3, x->rotation);
        if (vec3_norm(x->rotation) == 0)
            describe_translation(x);
        else
            describe_rotation(x);
    }
    return true;
}

static bool is_invariant(double gram[MOTIONS][MOTIONS])
{
    double largest = 0;
    for (int k = 0; k < MOTIONS; k++)
        largest = fmax(largest, gram[k][k]);
    memset(gram, 0, MOTIONS * sizeof gram[0]); /* for the next piece */
    return largest <= condition_floor;
}

bool olo_system_find_internal(const olo_system *system, bool *internal)
{
    double gram[MOTIONS][MOTIONS] = {{0}};
    const normalisation map = normalisation_of(system);
    bool ok = true;
    for (int i = 0; ok && i < system->term_count; i++) {
        ok = add_term(&map, &system->terms[i], gram);
        *internal++ = is_invariant(gram);
    }
    for (int i = 0; ok && i < system->action_count; i++) {
        ok = add_action(&map, &system->actions[i], gram);
        *internal++ = is_invariant(gram);
    }
    for (int i = 0; ok && i < system->group_count; i++) {
        ok = add_group(&map, &system->groups[i], gram);
        const bool invariant = is_invariant(gram);
        for (int row = 0; row < system->groups[i].count; row++)
            *internal++ = invariant;
    }
    return ok;
}
