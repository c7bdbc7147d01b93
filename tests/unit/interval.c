/* The interval kernel, for every kind of piece, every law, action type and kind of row in the
 * registries, and for both evaluations: first derivatives are compared with differences of values,
 * contracted second ones with differences of first ones, for all slots and pairs; derivatives that
 * are declared zero are zero. A kind that is added to a registry without an entry here fails. */
#include "scene.h"

#include "system/coefficients.h"
#include "system/condition.h"
#include "system/interval.h"

enum { SIZE = OLO_FORM_SIZE_MAX, N_MAX = 600 };

/* Tolerance for differences of fourth order, in units of the largest number of the block and of the
 * differentiated values. */
static const double tolerance = 1e-8;

static const olo_evaluation evaluations[] = {
    {0}, {.midpoint = true, .at_start = true, .at_nodes = true}};

/* An interval that is formed from its arguments at each evaluation. */
typedef struct sample {
    const olo_system *system;
    const olo_evaluation *how;
    int piece;
    const olo_constraint *condition; /* instead of a piece: the condition of a row */
    int size, index[SIZE];
    double q0[N_MAX], q1[N_MAX], qm[N_MAX], dq[N_MAX], angles[16], inputs[16];
    double h, t;
    olo_acting acting;
} sample;

static olo_interval interval_of(sample *x)
{
    for (int i = 0; i < x->system->n; i++) {
        x->qm[i] = 0.5 * (x->q0[i] + x->q1[i]);
        x->dq[i] = x->q1[i] - x->q0[i];
    }
    return (olo_interval){.q0 = x->q0,
                          .q1 = x->q1,
                          .qm = x->qm,
                          .dq = x->dq,
                          .h = x->h,
                          .t = x->t,
                          .angles = x->angles,
                          .inputs = x->inputs,
                          .acting = x->acting};
}

static double *argument(sample *x, olo_slot a, int i)
{
    if (a == OLO_SLOT_Q0 || a == OLO_SLOT_Q1)
        return (a == OLO_SLOT_Q0 ? x->q0 : x->q1) + x->index[i];
    return a == OLO_SLOT_H ? &x->h : a == OLO_SLOT_T ? &x->t : &x->inputs[0];
}

static int rows_of(const sample *x)
{
    return x->condition ? 1 : x->size;
}

static void value(sample *x, double *r)
{
    const olo_interval over = interval_of(x);
    if (x->condition)
        r[0] = olo_condition_value(x->condition, &over);
    else
        olo_piece_value(x->system, x->how, x->piece, &over, r);
}

static void first(sample *x, olo_slot a, double *matrix)
{
    const olo_interval over = interval_of(x);
    if (x->condition)
        olo_condition_first(x->condition, &over, a, matrix);
    else
        olo_piece_first(x->system, x->how, x->piece, &over, a, matrix);
}

static void second(sample *x, const double *y, olo_slot a, olo_slot b, double *matrix)
{
    const olo_interval over = interval_of(x);
    if (x->condition)
        olo_condition_second(x->condition, &over, a, b, matrix);
    else
        olo_piece_second(x->system, x->how, x->piece, &over, y, a, b, matrix);
}

/* y.first, over the width of the slot */
static void contracted(sample *x, const double *y, olo_slot a, double *by)
{
    static double matrix[SIZE * SIZE];
    const int width = olo_slot_width(a, x->size);
    first(x, a, matrix);
    for (int j = 0; j < width; j++) {
        by[j] = 0;
        for (int i = 0; i < rows_of(x); i++)
            by[j] += (x->condition ? 1.0 : y[i]) * matrix[i * width + j];
    }
}

/* Derivatives of `count` numbers with respect to one argument, by central differences of fourth
 * order: of the values if y is NULL, else of y.first in slot a. */
static void difference(sample *x, const double *y, olo_slot a, double *arg, double step, int count,
                       double *out)
{
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double at[4] = {-2, -1, 1, 2};
    const double old = *arg;
    double f[SIZE];
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < 4; k++) {
        *arg = old + at[k] * step;
        if (y)
            contracted(x, y, a, f);
        else
            value(x, f);
        for (int i = 0; i < count; i++)
            out[i] += weight[k] * f[i] / step;
    }
    *arg = old;
}

static double largest(int count, const double *x)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = larger(most, fabs(x[i]));
    return most;
}

static double step_of(const sample *x, olo_slot a)
{
    return a == OLO_SLOT_H ? 2e-3 * x->h : 4e-4;
}

static void check_first(sample *x, olo_slot a, bool zero, const char *name)
{
    static double matrix[SIZE * SIZE];
    const int width = olo_slot_width(a, x->size), rows = rows_of(x);
    double expected[SIZE], r[SIZE];
    value(x, r);
    first(x, a, matrix);
    const double most = largest(rows * width, matrix),
                 scale = most + largest(rows, r) + (a == OLO_SLOT_H ? largest(rows, r) / x->h : 0);
    if (zero)
        check_close(0, most, 0);
    for (int j = 0; j < width; j++) {
        difference(x, NULL, a, argument(x, a, j), step_of(x, a), rows, expected);
        for (int i = 0; i < rows; i++)
            if (!(fabs(expected[i] - matrix[i * width + j]) <= tolerance * scale)) {
                print_error("%s: first derivative by slot %d, entry %d %d\n", name, (int)a, i, j);
                check_close(expected[i], matrix[i * width + j], tolerance * scale);
            }
    }
}

static void check_second(sample *x, const double *y, olo_slot a, olo_slot b, bool zero,
                         const char *name)
{
    static double matrix[SIZE * SIZE], other[SIZE * SIZE];
    const int rows = olo_slot_width(a, x->size), columns = olo_slot_width(b, x->size);
    double expected[SIZE], by[SIZE];
    second(x, y, a, b, matrix);
    second(x, y, b, a, other);
    contracted(x, y, a, by);
    const double most = largest(rows * columns, matrix);
    const double scale =
        most + largest(rows, by) + (b == OLO_SLOT_H ? largest(rows, by) / x->h : 0);
    if (zero)
        check_close(0, most, 0);
    for (int j = 0; j < columns; j++) {
        difference(x, y, a, argument(x, b, j), step_of(x, b), rows, expected);
        for (int i = 0; i < rows; i++) {
            check_close(matrix[i * columns + j], other[j * rows + i], 1e-12 * scale);
            if (!(fabs(expected[i] - matrix[i * columns + j]) <= tolerance * scale)) {
                print_error("%s: second derivative by slots %d and %d, entry %d %d\n", name, (int)a,
                            (int)b, i, j);
                check_close(expected[i], matrix[i * columns + j], tolerance * scale);
            }
        }
    }
}

/* All slots and pairs that are known. */
static void check_all(sample *x, olo_structure structure, const char *name,
                      unsigned long long *seed)
{
    double y[SIZE];
    for (int i = 0; i < SIZE; i++)
        y[i] = scene_random(seed);
    for (int a = 0; a < OLO_SLOTS; a++) {
        const unsigned bit = olo_slot_bit((olo_slot)a);
        if (structure.unknown_first & bit)
            continue;
        check_first(x, (olo_slot)a, !(structure.first & bit), name);
        for (int b = 0; b < OLO_SLOTS; b++) {
            const unsigned pair = olo_pair_bit((olo_slot)a, (olo_slot)b);
            if (structure.unknown_second & pair)
                continue;
            check_second(x, y, (olo_slot)a, (olo_slot)b, !(structure.second & pair), name);
        }
    }
}

/* A system with another value of a coefficient of one piece; changed parts are copied here. */
typedef struct changed {
    olo_system system;
    olo_term term;
    double coefficient[OLO_LAW_COEFFICIENTS_MAX];
    olo_form form[OLO_LAW_INVARIANTS_MAX];
    double b[OLO_LAW_INVARIANTS_MAX][SIZE];
    olo_product product[OLO_LAW_INVARIANTS_MAX][64];
    olo_action action;
    olo_constraint row;
    olo_share shares[8];
    double room[OLO_CONSTRAINT_NUMBERS];
    olo_mass_entry mass;
} changed;

/* Coefficient p of a form that is copied to position k. */
static double *copy_form(changed *y, const olo_form *form, int k, int p)
{
    olo_form *copy = &y->form[k];
    check_true(form->products <= 64);
    *copy = *form;
    memcpy(y->b[k], form->b, (size_t)form->size * sizeof *form->b);
    for (int i = 0; i < form->products; i++)
        y->product[k][i] = form->product[i];
    copy->b = y->b[k];
    copy->product = y->product[k];
    copy->pure = false;
    if (p == 0)
        return &copy->c;
    return p <= form->size ? &y->b[k][p - 1] : &y->product[k][p - 1 - form->size].a;
}

static double *copy_term(changed *y, const olo_term *term, int p)
{
    double *found = p < term->law->coefficients ? &y->coefficient[p] : NULL;
    y->term = *term;
    memcpy(y->coefficient, term->coefficient,
           (size_t)term->law->coefficients * sizeof *term->coefficient);
    y->term.coefficient = y->coefficient;
    y->term.form = y->form;
    p -= term->law->coefficients;
    for (int k = 0; k < term->forms; k++) {
        const int count = olo_form_coefficients(&term->form[k]);
        double *own = copy_form(y, &term->form[k], k, p >= 0 && p < count ? p : 0);
        found = p >= 0 && p < count ? own : found;
        p -= count;
    }
    y->system.term_count = 1;
    y->system.terms = &y->term;
    return found;
}

static double *copy_row(changed *y, const olo_constraint *row, int p)
{
    y->row = *row;
    y->system.m = 1;
    y->system.constraints = &y->row;
    if (row->form) {
        double *found = copy_form(y, row->form, 0, p);
        y->row.form = y->form;
        return found;
    }
    memcpy(y->shares, row->shares, (size_t)row->share_count * sizeof *row->shares);
    y->row.shares = y->shares;
    return p == 0 ? &y->row.constant : &y->shares[p - 1].factor;
}

/* The piece alone, with a coefficient that is changed by d. */
static bool change(const sample *x, int p, double d, changed *y)
{
    int i;
    double *number = NULL;
    *y = (changed){.system = *x->system};
    y->system.term_count = y->system.action_count = y->system.m = y->system.mass_count = 0;
    switch (olo_piece_kind_of(x->system, x->piece, &i)) {
    case OLO_PIECE_TERM:
        if (x->system->terms[i].invariants)
            return false; /* tested in unit.strain */
        number = copy_term(y, &x->system->terms[i], p);
        break;
    case OLO_PIECE_ACTION:
        y->action = x->system->actions[i];
        y->system.action_count = 1;
        y->system.actions = &y->action;
        if (y->action.type->motion_tangent && p >= 5)
            return false; /* the function depends on the point at which it acts, and has no
                             derivatives */
        number = olo_action_coefficient(&y->action, p);
        break;
    case OLO_PIECE_ROW: {
        const olo_constraint *row = &x->system->constraints[i];
        if (row->type->affine > 0) {
            y->row = olo_constraint_with(row, p, ((const double *)row->data)[p] + d, y->room);
            y->system.m = 1;
            y->system.constraints = &y->row;
            return true;
        }
        number = copy_row(y, row, p);
        break;
    }
    default:
        y->mass = x->system->mass[i];
        y->system.mass_count = 1;
        y->system.mass = &y->mass;
        number = &y->mass.m;
    }
    *number += d;
    return true;
}

static void check_coefficients(sample *x, const char *name)
{
    const double d = 1e-4, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static changed y;
    for (int p = 0; p < olo_piece_coefficients(x->system, x->piece); p++) {
        double by[SIZE], r[SIZE], expected[SIZE] = {0};
        const olo_interval over = interval_of(x);
        bool known = true;
        double condition = 0, difference = 0;
        int row;
        olo_piece_by_coefficient(x->system, x->how, x->piece, &over, p, by);
        const bool is_row = olo_piece_kind_of(x->system, x->piece, &row) == OLO_PIECE_ROW;
        if (is_row)
            condition = olo_condition_by_coefficient(&x->system->constraints[row], &over, p);
        for (int k = 0; k < 4; k++) {
            known = change(x, p, (k < 2 ? k - 2 : k - 1) * d, &y);
            if (!known)
                break;
            olo_piece_value(&y.system, x->how, 0, &over, r);
            for (int i = 0; i < x->size; i++)
                expected[i] += weight[k] / d * r[i];
            if (is_row)
                difference += weight[k] / d * olo_condition_value(y.system.constraints, &over);
        }
        check_close(difference, condition, 10 * tolerance * (1 + fabs(condition)));
        const double scale = largest(x->size, by) + (known ? largest(x->size, r) : 0);
        for (int i = 0; known && i < x->size; i++) {
            if (!(fabs(expected[i] - by[i]) <= 10 * tolerance * scale))
                print_error("%s: coefficient %d, entry %d\n", name, p, i);
            check_close(expected[i], by[i], 10 * tolerance * scale);
        }
    }
}

static void check_piece(sample *x, const char *name, unsigned long long *seed)
{
    int number;
    const bool action = olo_piece_kind_of(x->system, x->piece, &number) == OLO_PIECE_ACTION;
    x->condition = NULL;
    x->size = olo_piece_coordinates(x->system, x->piece, x->index);
    /* actions: between both configurations, at the start, at the end */
    for (int k = 0; k < (action ? 3 : 2); k++) {
        x->how = &evaluations[k > 0];
        x->acting = action ? (olo_acting)k : OLO_ACT_BETWEEN;
        check_all(x, olo_piece_structure(x->system, x->how, x->piece), name, seed);
        check_coefficients(x, name);
    }
}

/* A sample with q0 near that of the system and a large motion. */
static void sample_at(sample *x, const olo_system *s, double motion, unsigned long long *seed)
{
    check_true(s->n <= N_MAX && s->joint_coordinate_count <= 16 && s->action_count <= 16);
    *x = (sample){.system = s, .h = 0.2, .t = 0.3};
    for (int i = 0; i < s->n; i++) {
        x->q0[i] = s->q0[i] + 0.3 * motion * scene_random(seed);
        x->q1[i] = x->q0[i] + motion * scene_random(seed);
    }
    for (int i = 0; i < 16; i++)
        x->inputs[i] = NAN;
    for (int i = 0; i < s->joint_coordinate_count; i++) {
        const olo_term *term = s->joint_coordinates[i].term;
        if (term->law->angle)
            x->angles[i] = olo_angle_near(olo_form_value(&term->form[0], x->q0),
                                          olo_form_value(&term->form[1], x->q0), 0);
    }
}

// -- laws -----------------------------------------------------------------------------------------

/* f = exp(a.e) */
static const double exponent[6] = {0.3, -0.4, 0.2, 0.5, -0.1, 0.25};
enum { GENERAL = 6 };

static double general_value(void *context, const double *e)
{
    (void)context;
    double sum = 0;
    for (int k = 0; k < GENERAL; k++)
        sum += exponent[k] * e[k];
    return exp(sum);
}

static void general_gradient(void *context, const double *e, double *g)
{
    for (int k = 0; k < GENERAL; k++)
        g[k] = exponent[k] * general_value(context, e);
}

static void general_hessian(void *context, const double *e, double *gg)
{
    for (int k = 0; k < GENERAL * GENERAL; k++)
        gg[k] = exponent[k / GENERAL] * exponent[k % GENERAL] * general_value(context, e);
}

static void general_third(void *context, const double *e, double *ggg)
{
    for (int k = 0; k < GENERAL * GENERAL * GENERAL; k++)
        ggg[k] = exponent[k / (GENERAL * GENERAL)] * exponent[k / GENERAL % GENERAL] *
                 exponent[k % GENERAL] * general_value(context, e);
}

static const olo_general_law general = {.value = general_value,
                                        .gradient = general_gradient,
                                        .hessian = general_hessian,
                                        .third = general_third};

enum { Q = 7, PRODUCTS = 4, COORDINATES = 5, FORMS = OLO_LAW_INVARIANTS_MAX };

/* Forms over some coordinates: half of the square of a distance first, which laws of lengths need;
 * the last one is far from zero, as a divisor of laws of rods. */
typedef struct forms {
    double b[FORMS][COORDINATES];
    olo_product product[FORMS][PRODUCTS];
    olo_form form[FORMS];
} forms;

static const int coordinates[COORDINATES] = {0, 2, 3, 5, 6};

static void make_forms(forms *x, unsigned long long *seed)
{
    static const olo_product distance[PRODUCTS] = {
        {0, 0, 0.5}, {1, 1, 0.5}, {0, 1, -0.6}, {2, 2, 0.5}};
    for (int k = 0; k < FORMS; k++) {
        for (int p = 0; p < PRODUCTS; p++) {
            const int i = (k + p) % COORDINATES, j = (2 * k + p + 1) % COORDINATES;
            x->product[k][p] = (olo_product){
                .i = i < j ? i : j, .j = i < j ? j : i, .a = 0.4 * scene_random(seed)};
            if (k == 0)
                x->product[k][p] = distance[p];
        }
        for (int i = 0; i < COORDINATES; i++)
            x->b[k][i] = k == 0 ? 0 : scene_random(seed);
        x->form[k] = (olo_form){.c = k == 0           ? 0.5
                                     : k == FORMS - 1 ? 5.0
                                                      : 0.1 * k,
                                .size = COORDINATES,
                                .products = PRODUCTS,
                                .index = coordinates,
                                .b = x->b[k],
                                .product = x->product[k]};
    }
}

TEST(every_law_has_all_derivatives_over_an_interval)
{
    unsigned long long seed = 5;
    for (int l = 0; olo_law_number(l); l++) {
        const olo_law *law = olo_law_number(l);
        for (int round = 0; round < 4; round++) {
            forms f;
            double c[OLO_LAW_COEFFICIENTS_MAX], q[Q];
            make_forms(&f, &seed);
            for (int i = 0; i < OLO_LAW_COEFFICIENTS_MAX; i++)
                c[i] = 0.8 + 0.3 * scene_random(&seed);
            if (strstr(law->name, "stop")) { /* bounds on either side of the motion, or beyond it */
                c[1] = round % 2 ? 5.1 : -5.1;
                c[2] = round % 2 ? 9.1 : -4.3;
            }
            for (int i = 0; i < Q; i++)
                q[i] = scene_random(&seed);
            olo_term term = {.law = law,
                             .context = &general,
                             .coefficient = c,
                             .forms = law->invariants > 0 ? law->invariants : GENERAL,
                             .form = f.form,
                             .size = COORDINATES,
                             .index = coordinates};
            const olo_system s = {.n = Q, .term_count = 1, .terms = &term, .q0 = q};
            sample x;
            sample_at(&x, &s, 0.4, &seed);
            if (law->angle)
                x.angles[0] =
                    6.283185307179586 * round + olo_angle_near(olo_form_value(&f.form[0], x.q0),
                                                               olo_form_value(&f.form[1], x.q0), 0);
            check_piece(&x, law->name, &seed);
        }
    }
}

// -- systems with everything ----------------------------------------------------------------------

static const char machine[] =
    "name: machine\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.2, 0.3, 0.4], center: [0.1, 0.2, 0], position: [0.2, 0, "
    "0]}\n"
    "  - {name: b, mass: 2, inertia: [0.1, 0.3, 0.2], position: [1, 0, 0]}\n"
    "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "points:\n"
    "  - {name: p, mass: 1, position: [3, 0, 0]}\n"
    "  - {name: r, mass: 2, position: [1, 0, 1], relative_to: p}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "     motion: 0.4*sin(5*t)}\n"
    "  - {name: B, type: revolute, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0],\n"
    "     torque: 2, time: exp(-0.5*t), stiffness: 3, damping: 0.2}\n"
    "  - {name: C, type: revolute, between: [b, c], at: [1.5, 0, 0], axis: [0, 1, 0],\n"
    "     controller: {target: 0.3*cos(4*t), kp: 5, kd: 0.3}}\n"
    "rods: {name: stick, between: [{on: c, at: [0.2, 0, 0]}, p]}\n"
    "springs:\n"
    "  - {name: coil, between: [[1, 0, 0.5], {on: b, at: [0.1, 0, 0.1]}], energy: (l - 0.2)^4}\n"
    "  - {name: tendon, along: C.angle, force: 0.3*sin(l)*v + t*B.angle.rate}\n"
    "dampers: {name: pull, between: [p, {on: a, at: [0.1, 0.2, 0.3]}],\n"
    "  force: 2*(l - 0.3)^2 + 0.3*v*l*t + sin(t)*B.angle - 0.2*c.vz*v*elbow.x}\n"
    "outputs: {name: elbow, on: {on: b, at: [0.2, 0, 0.1]}}\n"
    "loads:\n"
    "  - {name: one, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5], time: sin(3*t)}\n"
    "  - {name: two, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5], frame: body, time: "
    "exp(t)}\n"
    "  - {name: three, on: b, moment: [3, -2, 5], time: 1 + t^2}\n"
    "  - {name: four, on: b, moment: [3, -2, 5], frame: body, time: {time: [0, 1], value: [1, "
    "3]}}\n"
    "  - {name: five, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5], time: t + p.x*c.vy}\n"
    "  - {name: six, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5], frame: body,\n"
    "     time: exp(-C.angle^2) - B.angle.rate*elbow.vz*t}\n"
    "  - {name: seven, on: b, moment: [3, -2, 5], time: 1 + 2*a.x^2*C.angle.rate}\n"
    "  - {name: eight, on: b, moment: [3, -2, 5], frame: body, time: b.vx*b.y + r.vz*t^2}\n"
    "run: {step: 0.01, end: 0.2}\n";

static const char mechanism[] =
    "name: mechanism\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.2, 0.3, 0.4]}\n"
    "  - {name: b, mass: 2, inertia: [0.1, 0.3, 0.2], position: [1, 0, 0]}\n"
    "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {name: B, type: prismatic, between: [a, b], at: [0.5, 0, 0], axis: [1, 0, 0], force: 2,\n"
    "     time: cos(t)}\n"
    "  - {name: C, type: prismatic, between: [ground, c], axis: [1, 0, 0],\n"
    "     controller: {target: t^3, kp: 5, kd: 0.3}}\n"
    "relations: {name: screw, coordinate: B, follows: A, ratio: 0.2}\n"
    "run: {step: 0.01, end: 0.2}\n";

static const char *const systems[] = {machine, mechanism, "rolling-disc", "rolling-ball"};

TEST(every_piece_of_a_system_has_all_derivatives)
{
    unsigned long long seed = 11;
    bool met[16] = {false};
    for (int k = 0; k < 4; k++) {
        scene s = scene_open(systems[k], NULL);
        sample x;
        for (int round = 0; round < 3; round++) {
            sample_at(&x, s.system, 0.3, &seed);
            for (x.piece = 0; x.piece < olo_interval_pieces(s.system); x.piece++) {
                char name[64];
                snprintf(name, sizeof name, "system %d, piece %d", k, x.piece);
                check_piece(&x, name, &seed);
            }
        }
        for (int c = 0; c < s.system->m; c++)
            for (int i = 0; olo_constraint_type_number(i); i++)
                met[i] = met[i] || s.system->constraints[c].type == olo_constraint_type_number(i);
        scene_close(&s);
    }
    for (int i = 0; olo_constraint_type_number(i); i++)
        check_true(met[i]);
}

TEST(beams_have_all_derivatives)
{
    unsigned long long seed = 12;
    scene s = scene_open("cantilever", NULL);
    sample x;
    sample_at(&x, s.system, 0.02, &seed);
    check_true(s.system->terms[0].invariants != NULL);
    for (x.piece = 0; x.piece < 2; x.piece++)
        check_piece(&x, "beam", &seed);
    scene_close(&s);
}

TEST(conditions_of_rows_have_all_derivatives)
{
    unsigned long long seed = 13;
    for (int k = 0; k < 4; k++) {
        scene s = scene_open(systems[k], NULL);
        sample x;
        sample_at(&x, s.system, 0.3, &seed);
        for (int c = 0; c < s.system->m; c++) {
            const olo_constraint *row = &s.system->constraints[c];
            x.condition = row;
            x.size = row->size;
            memcpy(x.index, row->index, (size_t)row->size * sizeof *row->index);
            check_all(&x, olo_condition_structure(row), row->type->name, &seed);
        }
        scene_close(&s);
    }
}

static double rate_of(const olo_constraint *row, const olo_at *at, const double *v)
{
    double gradient[SIZE];
    olo_constraint_gradient(row, at, gradient);
    return olo_rate_value(row, at, gradient, v);
}

/* f(q, v) = d/ds g(q + s v, t + s), or d(q, q).v */
TEST(rates_of_rows_have_derivatives)
{
    unsigned long long seed = 14;
    const double step = 1e-3, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    for (int k = 0; k < 4; k++) {
        scene s = scene_open(systems[k], NULL);
        sample x;
        double v[N_MAX];
        sample_at(&x, s.system, 0.3, &seed);
        for (int i = 0; i < s.system->n; i++)
            v[i] = scene_random(&seed);
        for (int c = 0; c < s.system->m; c++) {
            static double H[SIZE * SIZE], B[SIZE * SIZE];
            const olo_constraint *row = &s.system->constraints[c];
            olo_at at = {.q = x.q0, .angles = x.angles, .t = 0.3};
            double by[SIZE], sum = 0;
            olo_rate_by_configuration(row, &at, v, by);
            olo_rate_second(row, &at, v, false, H);
            olo_rate_second(row, &at, v, true, B);
            const double scale = 1 + largest(row->size, by);
            for (int j = 0; j < row->size; j++) {
                double *q = &x.q0[row->index[j]], *u = &v[row->index[j]], old = *q, moved = *u;
                double expected = 0, second_by[SIZE] = {0}, mixed[SIZE] = {0}, other[SIZE];
                for (int i = 0; i < 4; i++) {
                    const double to = (i < 2 ? i - 2 : i - 1) * step;
                    *q = old + to;
                    expected += weight[i] / step * rate_of(row, &at, v);
                    olo_rate_by_configuration(row, &at, v, other);
                    for (int l = 0; l < row->size; l++)
                        second_by[l] += weight[i] / step * other[l];
                    *q = old;
                    *u = moved + to;
                    olo_rate_by_configuration(row, &at, v, other);
                    for (int l = 0; l < row->size; l++)
                        mixed[l] += weight[i] / step * other[l];
                    *u = moved;
                }
                check_close(expected, by[j], tolerance * scale);
                for (int l = 0; l < row->size; l++) {
                    check_close(second_by[l], H[l * row->size + j], 10 * tolerance * scale);
                    check_close(mixed[l], B[l * row->size + j], tolerance * scale);
                }
            }
            for (int i = 0; i < 4; i++) {
                at.t = 0.3 + (i < 2 ? i - 2 : i - 1) * step;
                sum += weight[i] / step * rate_of(row, &at, v);
            }
            at.t = 0.3;
            check_close(sum, olo_rate_by_time(row, &at), tolerance * (1 + fabs(sum)));
        }
        scene_close(&s);
    }
}

// -- action types ---------------------------------------------------------------------------------

static void wind(void *context, double t, const double position[3], const double velocity[3],
                 double force[3])
{
    (void)context;
    for (int i = 0; i < 3; i++)
        force[i] = sin(position[(i + 1) % 3] + t) - velocity[i] * velocity[(i + 2) % 3];
}

static void wind_derivatives(void *context, double t, const double position[3],
                             const double velocity[3], double by_position[9], double by_velocity[9])
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        by_position[3 * i + (i + 1) % 3] = cos(position[(i + 1) % 3] + t);
        by_velocity[3 * i + i] = -velocity[(i + 2) % 3];
        by_velocity[3 * i + (i + 2) % 3] = -velocity[i];
    }
}

static void gust(void *context, const olo_body_motion *x, double force[3], double moment[3])
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        force[i] = sin(x->position[i] + x->t) * x->rotation[3 * i + 1] - x->velocity[(i + 1) % 3];
        moment[i] = x->angular_velocity[i] * x->angular_velocity[(i + 1) % 3] - x->rotation[i];
    }
}

static double motor(void *context, double t, double coordinate, double rate)
{
    (void)context;
    return sin(coordinate) * rate + t;
}

static void motor_derivatives(void *context, double t, double coordinate, double rate, double by[2])
{
    (void)context, (void)t;
    by[0] = cos(coordinate) * rate;
    by[1] = sin(coordinate);
}

/* An action of the machine whose coordinates an action of this type can use. */
typedef struct kind {
    const olo_action_type *type;
    const char *like;
    unsigned unknown_first; /* beside time */
    bool unknown_second;
} kind;

static const unsigned ends = 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1;

static const kind kinds[] = {
    {&olo_action_dead_force, "one", 0, false},
    {&olo_action_body_force, "two", 0, false},
    {&olo_action_dead_moment, "three", 0, false},
    {&olo_action_body_moment, "four", 0, false},
    {&olo_action_callback, "one", 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1, true},
    {&olo_action_function, "one", 0, true},
    {&olo_action_body_callback, "two", 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1, true},
    {&olo_action_body_function, "two", 0, true},
    {&olo_action_drive, "B", 0, false},
    {&olo_action_controller, "C", 0, false},
    {&olo_action_drive_callback, "B", 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1, true},
    {&olo_action_drive_function, "B", 0, true},
    {&olo_action_law_force, "five", 0, false},
    {&olo_action_law_body_force, "six", 0, false},
    {&olo_action_law_moment, "seven", 0, false},
    {&olo_action_law_body_moment, "eight", 0, false},
    {&olo_action_law_along, "pull", 0, false},
    {&olo_action_wrench, "two", 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1, true},
    {&olo_action_body_wrench, "two", 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1, true},
};

static const kind *kind_of(const olo_action_type *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return NULL;
}

/* The loads of the machine have names, its drives those of their joints. */
static const olo_action *find(const olo_system *s, const char *like)
{
    for (int i = 0; i < s->action_count; i++)
        if (strstr(s->actions[i].owner, like))
            return &s->actions[i];
    fail_msg("no action like %s", like);
    return NULL;
}

TEST(every_action_type_has_all_derivatives_that_it_declares)
{
    unsigned long long seed = 15;
    scene s = scene_open(machine, NULL);
    for (int i = 0; olo_action_type_number(i); i++) {
        const kind *k = kind_of(olo_action_type_number(i));
        check_true(k != NULL);
        for (int round = 0; round < 4; round++) {
            olo_action action = *find(s.system, k->like);
            action.type = k->type;
            action.number = 0;
            action.function = wind;
            action.derivatives = wind_derivatives;
            action.drive = motor;
            action.drive_derivatives = motor_derivatives;
            action.wrench = gust;
            olo_system one = *s.system;
            one.term_count = one.m = one.mass_count = 0;
            one.action_count = 1;
            one.actions = &action;
            sample x;
            sample_at(&x, &one, 0.3, &seed);
            if (round % 2)
                x.inputs[0] = 0.7;
            const olo_structure structure = olo_piece_structure(&one, &evaluations[0], 0);
            check_equal(k->unknown_first, structure.unknown_first & ends);
            check_equal(k->unknown_second, structure.unknown_second != 0);
            check_piece(&x, k->type->name, &seed);
        }
    }
    scene_close(&s);
}

/* A function of time without a second derivative, or without a first one. */
TEST(derivatives_in_time_that_a_function_does_not_give_are_declared)
{
    scene s = scene_open(machine, NULL);
    const unsigned time = olo_slot_bit(OLO_SLOT_T) | olo_slot_bit(OLO_SLOT_H);
    olo_action action = *find(s.system, "one");
    olo_system one = *s.system;
    one.term_count = one.m = one.mass_count = 0;
    one.action_count = 1;
    one.actions = &action;
    check_equal(0, olo_piece_structure(&one, &evaluations[0], 0).unknown_second);
    action.time.curvature = NULL;
    check_equal(0, olo_piece_structure(&one, &evaluations[0], 0).unknown_first);
    check_equal(olo_piece_structure(&one, &evaluations[0], 0).second,
                olo_piece_structure(&one, &evaluations[0], 0).unknown_second);
    action.time.rate = NULL;
    check_equal(time, olo_piece_structure(&one, &evaluations[0], 0).unknown_first);
    scene_close(&s);
}

// -- the public kernel ----------------------------------------------------------------------------

/* The balance of a step is the sum in the header of the public kernel, with the multipliers of all
 * rows. The terms are of the size of M dq. */
TEST(steps_of_energy_momentum_balance_in_the_pieces_of_the_kernel)
{
    scene s = scene_open(machine, "multipliers");
    olo_error error = {0};
    olo_kernel *kernel;
    const int n = s.system->n;
    const double h = 0.01;
    double q0[N_MAX], v0[N_MAX], work[2 * N_MAX], angles[16], T[N_MAX] = {0}, Mv[N_MAX], size = 0;
    check_ok(olo_kernel_create(s.system, "energy-momentum-2006", &kernel, &error), &error);
    scene_run(&s, h, 3);
    memcpy(q0, olo_state_configuration(s.state), (size_t)n * sizeof *q0);
    memcpy(v0, olo_state_velocity(s.state), (size_t)n * sizeof *v0);
    for (int i = 0; i < olo_system_joint_coordinate_count(s.system); i++)
        angles[i] = olo_system_joint_coordinate_value(s.system, s.state, i);
    const double t = olo_state_time(s.state);
    scene_run(&s, h, 1);
    olo_interval x;
    olo_interval_set(&x, n, q0, olo_state_configuration(s.state), h, t, work);
    x.angles = angles;
    olo_system_mass_times(s.system, v0, Mv);
    for (int i = 0; i < n; i++)
        T[i] = -2 * Mv[i];
    for (int i = 0; i < olo_kernel_pieces(kernel); i++) {
        double r[SIZE];
        const int number = olo_kernel_piece_number(kernel, i);
        const double factor[] = {
            [OLO_PIECE_TERM] = h, [OLO_PIECE_ACTION] = -h, [OLO_PIECE_MASS] = 2 / h};
        olo_kernel_value(kernel, i, &x, r);
        for (int k = 0; k < olo_kernel_piece_size(kernel, i); k++) {
            const double by = olo_kernel_piece_kind(kernel, i) == OLO_PIECE_ROW
                                  ? h * olo_state_multipliers(s.state)[number]
                                  : factor[olo_kernel_piece_kind(kernel, i)];
            T[olo_kernel_piece_coordinates(kernel, i)[k]] += by * r[k];
            size = larger(size, fabs(by * r[k]));
        }
    }
    check_below(largest(n, T), 1e-11 * size);
    for (int c = 0; c < s.system->m; c++)
        check_below(fabs(olo_kernel_condition(kernel, c, &x)), 1e-12);
    olo_kernel_free(kernel);
    scene_close(&s);
}

TEST(what_a_function_of_the_user_does_not_give_is_refused_by_name)
{
    scene s = scene_open(machine, NULL);
    olo_action action = *find(s.system, "one");
    olo_system one = *s.system;
    olo_kernel *kernel;
    olo_error error = {0};
    double matrix[12 * 12], y[12] = {1};
    unsigned long long seed = 3;
    sample x;
    action.type = &olo_action_function;
    action.function = wind;
    action.derivatives = wind_derivatives;
    action.number = 0;
    one.term_count = one.m = one.mass_count = 0;
    one.action_count = 1;
    one.actions = &action;
    sample_at(&x, &one, 0.1, &seed);
    const olo_interval over = interval_of(&x);
    check_ok(olo_kernel_create(&one, "variational", &kernel, &error), &error);
    check_ok(olo_kernel_first(kernel, 0, &over, OLO_SLOT_Q0, matrix, &error), &error);
    check_status(OLO_UNSUPPORTED, olo_kernel_first(kernel, 0, &over, OLO_SLOT_T, matrix, &error));
    check_contains("action 'one' has no first derivative", error.text);
    check_status(OLO_UNSUPPORTED,
                 olo_kernel_second(kernel, 0, &over, y, OLO_SLOT_Q0, OLO_SLOT_Q1, matrix, &error));
    check_contains("action 'one' has no second derivative", error.text);
    olo_kernel_free(kernel);
    check_status(OLO_BAD_INPUT, olo_kernel_create(&one, "euler", &kernel, &error));
    check_contains("euler", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(every_law_has_all_derivatives_over_an_interval),
          cmocka_unit_test(every_piece_of_a_system_has_all_derivatives),
          cmocka_unit_test(beams_have_all_derivatives),
          cmocka_unit_test(conditions_of_rows_have_all_derivatives),
          cmocka_unit_test(rates_of_rows_have_derivatives),
          cmocka_unit_test(every_action_type_has_all_derivatives_that_it_declares),
          cmocka_unit_test(derivatives_in_time_that_a_function_does_not_give_are_declared),
          cmocka_unit_test(steps_of_energy_momentum_balance_in_the_pieces_of_the_kernel),
          cmocka_unit_test(what_a_function_of_the_user_does_not_give_is_refused_by_name))
