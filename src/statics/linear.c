/* Linearisation of a system about a state, x' = A x + B u, y = C x + D u. From M y'' + D y' + K y =
 * F u in independent joint increments y, each with a basis vector that is one there:
 *
 *     A = [0, I; -M^-1 K, -M^-1 D],   B = [0; M^-1 F],   C = [dy/dq P N, 0],   D = dy/dq P S
 *
 * with the columns of F the forces of a unit of each input, N^T the increments that the closures
 * allow, and S those of prescribed motions (motion_inputs.h). */
#include "statics/linear.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "statics/modes.h"
#include "statics/motion_inputs.h"
#include "statics/pencil.h"
#include "system/mass_function.h"

/* Forces whose relative work is below this in every motion count as zero; a row counts as a unit
 * row where it differs by less. */
static const double rounding = 1e-9;

typedef struct builder {
    olo_pool pool; /* of temporary data */
    olo_linear *out;
    const olo_system *system;
    olo_static_balance *balance;
    olo_null_space *space;
    olo_pencil pencil;
    int n;       /* independent joint increments */
    int *chosen; /* [n] their numbers */
    double *LU;  /* [n x n] factors of a matrix */
    int *pivot;
    double *row;     /* [n of the system] */
    double *reduced; /* [unknowns] */
    double *columns; /* [inputs x n] F, one row per input */
    size_t column_capacity;
    olo_motion_input *motions; /* three inputs each, after those of actions */
    int motion_count;
} builder;

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for a linear system");
}

/* ---- independent coordinates ----------------------------------------------------------------- */

/* N^T has one row per joint increment: `size` of them are independent. With these the basis becomes
 * N_I^-1 N, and matrices N_I^-1 A N_I^-T. */
static bool choose(builder *b)
{
    olo_pencil *p = &b->pencil;
    size_t n = (size_t)p->size, u = (size_t)p->unknowns;
    for (int i = 0; !p->basis && i < p->size; i++)
        b->chosen[i] = i;
    if (!p->basis)
        return true;
    double *rows, *Q, *work;
    const olo_array arrays[] = {
        {&rows, u * n}, {&Q, n * n}, {&work, olo_row_space_work(p->unknowns, p->size)}};
    int rank = 0, *order = olo_pool_alloc(&b->pool, u + 1, sizeof *order);
    bool ok = olo_pool_arrays(&b->pool, arrays, sizeof arrays / sizeof *arrays);
    for (size_t a = 0; ok && a < u; a++)
        for (size_t i = 0; i < n; i++)
            rows[a * n + i] = p->basis[i * u + a];
    ok = ok && olo_row_space(p->unknowns, p->size, rows, rounding, order, Q, &rank, work) &&
         rank == p->size;
    /* in the order of the joints */
    for (int i = 0; ok && i < p->size; i++) {
        int at = i;
        for (; at > 0 && b->chosen[at - 1] > order[i]; at--)
            b->chosen[at] = b->chosen[at - 1];
        b->chosen[at] = order[i];
    }
    return ok;
}

/* The basis and the matrices in these coordinates. */
static bool change_basis(builder *b)
{
    olo_pencil *p = &b->pencil;
    size_t n = (size_t)p->size, u = (size_t)p->unknowns;
    if (!p->basis)
        return true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            b->LU[i * n + j] = p->basis[i * u + (size_t)b->chosen[j]];
    if (!olo_lu_factor(p->size, b->LU, b->pivot))
        return false;
    double *all[3] = {p->M, p->D, p->K};
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            /* the solver works on rows: first on those of A^T, then on those of the transposed
             * result */
            olo_dense_transpose(p->size, all[k]);
            olo_lu_solve(p->size, b->LU, b->pivot, false, p->size, all[k]);
        }
    double *by_column = olo_pool_alloc(&b->pool, u * n + 1, sizeof *by_column);
    if (!by_column)
        return false;
    for (size_t a = 0; a < u; a++)
        for (size_t i = 0; i < n; i++)
            by_column[a * n + i] = p->basis[i * u + a];
    olo_lu_solve(p->size, b->LU, b->pivot, false, p->unknowns, by_column);
    for (size_t a = 0; a < u; a++)
        for (size_t i = 0; i < n; i++)
            p->basis[i * u + a] = by_column[a * n + i];
    return true;
}

/* out[n] = N u */
static void restrict_to_basis(const olo_pencil *p, const double *u, double *out)
{
    for (int i = 0; i < p->size; i++) {
        out[i] = p->basis ? 0 : u[i];
        for (int a = 0; p->basis && a < p->unknowns; a++)
            out[i] += p->basis[(size_t)i * (size_t)p->unknowns + (size_t)a] * u[a];
    }
}

/* out[n] = N P^T row of the coordinates in b->row, which becomes zero */
static void reduce(builder *b, double *out)
{
    olo_null_space_apply(b->space, b->row, b->reduced);
    memset(b->row, 0, (size_t)b->system->n * sizeof *b->row);
    restrict_to_basis(&b->pencil, b->reduced, out);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *name(builder *b, const char *first, const char *last)
{
    char text[256];
    int length = snprintf(text, sizeof text, "%s%s%s", first, *last ? "." : "", last);
    return olo_pool_text(&b->out->pool, text, (size_t)(length < 255 ? length : 255));
}

/* Names of joint increments without a joint coordinate: small translations and rotations of a free
 * body, else numbers. */
static const char *name_increment(builder *b, int index)
{
    static const char *const free_body[] = {"x", "y", "z", "rx", "ry", "rz"};
    const olo_topology *topology = b->balance->topology;
    int k = 0;
    while (index < topology->nodes[k].u || index >= topology->nodes[k].u + topology->nodes[k].dof)
        k++;
    const olo_topology_node *node = &topology->nodes[k];
    if (!node->type)
        return name(b, b->system->nodes[k].name, free_body[index - node->u]);
    char number[16];
    snprintf(number, sizeof number, "u%d", index - node->u + 1);
    bool joint = node->joint.group >= 0;
    return name(b, joint ? b->system->groups[node->joint.group].name : b->system->nodes[k].name,
                number);
}

/* The gradient of joint coordinate c, in b->row. */
static void put_gradient(builder *b, int c)
{
    const olo_term *term = b->system->joint_coordinates[c].term;
    double gradient[OLO_FORM_SIZE_MAX];
    olo_term_gradient(term, b->balance->step.x.q1, b->balance->state->angles, gradient);
    for (int i = 0; i < term->size; i++)
        b->row[term->index[i]] += gradient[i];
}

/* States are named after the joint coordinates that they change. */
static olo_status name_states(builder *b, olo_error *error)
{
    olo_linear *out = b->out;
    int unknowns = b->pencil.unknowns;
    const char **known = olo_pool_alloc(&b->pool, (size_t)unknowns + 1, sizeof *known);
    bool ok = known != NULL;
    for (int c = 0; ok && c < b->system->joint_coordinate_count; c++) {
        int at = -1, others = 0;
        put_gradient(b, c);
        olo_null_space_apply(b->space, b->row, b->reduced);
        memset(b->row, 0, (size_t)b->system->n * sizeof *b->row);
        for (int a = 0; a < unknowns; a++)
            if (fabs(b->reduced[a] - 1) <= rounding)
                at = a;
            else
                others += fabs(b->reduced[a]) > rounding;
        if (at >= 0 && others == 0 && !known[at])
            known[at] = b->system->joint_coordinates[c].name;
    }
    for (int i = 0; ok && i < b->n; i++) {
        const char *it = known[b->chosen[i]];
        out->state_names[i] = it ? name(b, it, "") : name_increment(b, b->chosen[i]);
        out->state_names[b->n + i] =
            out->state_names[i] ? name(b, out->state_names[i], "rate") : NULL;
        ok = out->state_names[i] && out->state_names[b->n + i];
    }
    return ok ? OLO_OK : no_memory(error);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The forces of an input are added to b->row; returns their magnitude. */
static void put_force(builder *b, const olo_action *action, const double *f, double *size)
{
    for (int i = 0; i < action->size; i++) {
        b->row[action->index[i]] += f[i];
        bool turns = b->system->coordinates[action->index[i]].slot > 0;
        olo_raise(size, fabs(f[i]) * (turns ? 1.0 : b->system->length_scale));
    }
}

/* The column of the next input, or NULL. */
static double *next_column(builder *b)
{
    const size_t n = (size_t)b->n, end = ((size_t)b->out->inputs + 1) * n;
    if (end > b->column_capacity) {
        double *columns = olo_realloc(b->columns, b->column_capacity, 2 * end, sizeof *columns);
        if (!columns)
            return NULL;
        b->columns = columns;
        b->column_capacity = 2 * end;
    }
    return b->columns + end - n;
}

/* Three columns per prescribed motion: its value, rate and acceleration. */
static olo_status add_motions(builder *b, olo_error *error)
{
    static const char *const keys[] = {"", "rate", "acceleration"};
    olo_linear *out = b->out;
    for (int i = 0; i < 3 * b->motion_count; i++) {
        const olo_motion_input *motion = &b->motions[i / 3];
        double *column = next_column(b);
        if (!column)
            return no_memory(error);
        restrict_to_basis(&b->pencil, motion->force[i % 3], column);
        out->input_names[out->inputs] = name(b, motion->name, keys[i % 3]);
        if (!out->input_names[out->inputs++])
            return no_memory(error);
    }
    return OLO_OK;
}

/* Adds one column: an input of action `first`, and of all following actions that belong to the same
 * load. */
static olo_status add_input(builder *b, int first, int index, int *last, olo_error *error)
{
    const olo_system *s = b->system;
    olo_linear *out = b->out;
    olo_interval x = olo_step_interval(&b->balance->step);
    double f[OLO_ACTION_SIZE_MAX], size = 0, most = 0;
    const char *key = s->actions[first].type->input(&s->actions[first], &x, index, f);
    put_force(b, &s->actions[first], f, &size);
    for (*last = first + 1; *key == 0 && *last < s->action_count; (*last)++) {
        const olo_action *next = &s->actions[*last];
        if (!next->type->input || strcmp(next->owner, s->actions[first].owner) != 0 ||
            *next->type->input(next, &x, 0, f) != 0)
            break;
        put_force(b, next, f, &size);
    }
    double *column = next_column(b);
    if (!column)
        return no_memory(error);
    reduce(b, column);
    for (int i = 0; i < b->n; i++)
        olo_raise(&most, fabs(column[i]));
    if (!(most > rounding * size))
        return OLO_OK; /* it does no work in any motion */
    out->input_names[out->inputs] = name(b, s->actions[first].owner, key);
    return out->input_names[out->inputs++] ? OLO_OK : no_memory(error);
}

static olo_status add_inputs(builder *b, olo_error *error)
{
    const olo_system *s = b->system;
    olo_interval x = olo_step_interval(&b->balance->step);
    double f[OLO_ACTION_SIZE_MAX];
    /* a controller has two inputs, a motion three */
    b->out->input_names =
        olo_pool_alloc(&b->out->pool, (size_t)(2 * s->action_count + 3 * b->motion_count) + 1,
                       sizeof(const char *));
    if (!b->out->input_names)
        return no_memory(error);
    for (int a = 0, last; a < s->action_count; a = last) {
        last = a + 1;
        if (!s->actions[a].type->input)
            continue;
        for (int i = 0; s->actions[a].type->input(&s->actions[a], &x, i, f); i++) {
            olo_status status = add_input(b, a, i, &last, error);
            if (status != OLO_OK)
                return status;
        }
    }
    return add_motions(b, error);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void fill_state_matrix(builder *b)
{
    const olo_pencil *p = &b->pencil;
    size_t n = (size_t)b->n, m = 2 * n;
    double *A = b->out->A;
    /* the rows of the right-hand sides are columns of K and D */
    for (int part = 0; part < 2; part++) {
        double *X = part ? p->D : p->K;
        olo_dense_transpose((int)n, X);
        olo_lu_solve(b->n, b->LU, b->pivot, false, b->n, X);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                A[(n + i) * m + (size_t)part * n + j] = 0 - X[j * n + i]; /* no -0 */
    }
    for (size_t i = 0; i < n; i++)
        A[i * m + n + i] = 1;
}

static bool fill_input_matrix(builder *b)
{
    olo_linear *out = b->out;
    size_t n = (size_t)b->n, m = (size_t)out->inputs;
    out->B = olo_pool_alloc(&out->pool, 2 * n * m + 1, sizeof *out->B);
    if (!out->B)
        return false;
    olo_lu_solve(b->n, b->LU, b->pivot, false, out->inputs, b->columns);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < n; i++)
            out->B[(n + i) * m + j] = b->columns[j * n + i];
    return true;
}

/* Row `at` of C and D, from the gradient of an output in b->row. */
static void fill_output(builder *b, int at)
{
    const int motions = 3 * b->motion_count, first = b->out->inputs - motions;
    reduce(b, b->out->C + (size_t)at * 2 * (size_t)b->n);
    for (int i = 0; i < b->motion_count; i++) {
        double *feedthrough = b->out->D + at * b->out->inputs + first + 3 * i;
        for (int a = 0; a < b->pencil.unknowns; a++)
            *feedthrough += b->reduced[a] * b->motions[i].shift[a];
    }
}

static bool fill_outputs(builder *b)
{
    const olo_system *s = b->system;
    olo_linear *out = b->out;
    size_t width = 2 * (size_t)b->n;
    int at = 0;
    out->C = olo_pool_alloc(&out->pool, (size_t)out->outputs * width + 1, sizeof *out->C);
    out->D =
        olo_pool_alloc(&out->pool, (size_t)out->outputs * (size_t)out->inputs + 1, sizeof *out->D);
    bool ok = out->C && out->D;
    for (int c = 0; ok && c < s->joint_coordinate_count; c++, at++) {
        put_gradient(b, c);
        fill_output(b, at);
        ok = (out->output_names[at] = name(b, s->joint_coordinates[c].name, "")) != NULL;
    }
    for (int k = 0; ok && k < s->output_count; k++)
        for (int axis = 0; ok && axis < 3; axis++, at++) {
            static const char *const keys[] = {"position.x", "position.y", "position.z"};
            const olo_position *x = &s->outputs[k].position;
            for (int i = 0; i < x->count; i++)
                b->row[x->slot[i] + axis] += x->weight[i];
            fill_output(b, at);
            ok = (out->output_names[at] = name(b, s->outputs[k].name, keys[axis])) != NULL;
        }
    return ok;
}

/* Factors M; fails for a coordinate without inertia, which has no acceleration. */
static olo_status factor_mass(builder *b, olo_error *error)
{
    const olo_pencil *p = &b->pencil;
    double largest = 0;
    for (int i = 0; i < b->n; i++)
        olo_raise(&largest, p->M[i * b->n + i]);
    for (int i = 0; i < b->n; i++)
        if (!(p->M[i * b->n + i] > DBL_EPSILON * DBL_EPSILON * largest))
            return olo_fail(error, OLO_UNSUPPORTED, "'%s' has no inertia: it cannot be a state",
                            b->out->state_names[i]);
    memcpy(b->LU, p->M, (size_t)b->n * (size_t)b->n * sizeof *b->LU);
    if (!olo_lu_factor(b->n, b->LU, b->pivot))
        return olo_fail(error, OLO_UNSUPPORTED, "a motion of the model has no inertia");
    return OLO_OK;
}

static olo_status allocate(builder *b, olo_error *error)
{
    olo_linear *out = b->out;
    size_t n = (size_t)b->n, u = (size_t)b->pencil.unknowns;
    out->states = 2 * b->n;
    out->outputs = b->system->joint_coordinate_count + 3 * b->system->output_count;
    out->A = olo_pool_alloc(&out->pool, 4 * n * n + 1, sizeof *out->A);
    out->state_names = olo_pool_alloc(&out->pool, 2 * n + 1, sizeof *out->state_names);
    out->output_names =
        olo_pool_alloc(&out->pool, (size_t)out->outputs + 1, sizeof *out->output_names);
    const olo_array arrays[] = {{&b->LU, n * n}, {&b->row, (size_t)b->system->n}, {&b->reduced, u}};
    b->chosen = olo_pool_alloc(&b->pool, n + 1, sizeof *b->chosen);
    b->pivot = olo_pool_alloc(&b->pool, n + 1, sizeof *b->pivot);
    bool ok = out->A && out->state_names && out->output_names && b->chosen && b->pivot &&
              olo_pool_arrays(&b->pool, arrays, sizeof arrays / sizeof *arrays);
    return ok ? OLO_OK : no_memory(error);
}

static olo_status build(builder *b, double load, olo_error *error)
{
    const int most = 3000; /* dense matrices of this size take some hundred megabytes */
    if (b->balance->topology->unknowns > most)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "a linear system of %d joint coordinates is too large, at most %d; modes "
                        "have no such limit",
                        b->balance->topology->unknowns, most);
    olo_status status = olo_pencil_create(b->balance, load, &b->pencil, error);
    b->n = b->pencil.size;
    if (status == OLO_OK)
        status = allocate(b, error);
    if (status == OLO_OK)
        status = olo_null_space_create(b->balance->topology, &b->space, error);
    if (status == OLO_OK && !(choose(b) && change_basis(b)))
        status = no_memory(error);
    if (status != OLO_OK)
        return status;
    olo_static_set_configuration(b->balance);
    olo_null_space_at(b->space, &b->balance->step.x, false);
    status = olo_motion_inputs_create(b->balance, &b->pencil, b->space, load, &b->pool, &b->motions,
                                      &b->motion_count, error);
    olo_static_set_configuration(b->balance);
    if (status == OLO_OK)
        status = name_states(b, error);
    if (status == OLO_OK)
        status = add_inputs(b, error);
    if (status == OLO_OK)
        status = factor_mass(b, error);
    if (status == OLO_OK) {
        fill_state_matrix(b);
        if (!fill_input_matrix(b) || !fill_outputs(b))
            status = no_memory(error);
    }
    return status;
}

olo_status olo_linear_create(const olo_system *system, const olo_state *state,
                             const olo_vibration_options *options, olo_linear **linear,
                             olo_error *error)
{
    olo_vibration_options o = options ? *options : olo_vibration_options_default();
    builder b = {.system = system};
    olo_state *copy = NULL;
    *linear = NULL;
    if (olo_check_initialised(o.initialised, OLO_INITIALISED_VIBRATION_OPTIONS, error) != OLO_OK)
        return OLO_BAD_INPUT;
    b.out = *linear = olo_alloc(1, sizeof **linear);
    olo_status status = b.out ? olo_system_need_constant_mass(system, "linear systems need", error)
                              : no_memory(error);
    if (status == OLO_OK)
        status = olo_static_create_at(system, state, &o, &copy, &b.balance, error);
    if (status == OLO_OK)
        status = build(&b, o.load, error);
    olo_pencil_free(&b.pencil);
    olo_null_space_free(b.space);
    olo_pool_free(&b.pool);
    olo_free(b.columns);
    olo_static_free(b.balance);
    olo_state_free(copy);
    if (status != OLO_OK) {
        olo_linear_free(b.out);
        *linear = NULL;
    }
    return status;
}
