/* The constrained scheme: Lagrange multipliers beside all redundant coordinates (thesis 3.2.7).
 *
 *     (h/2) T(q1) + G(q_m)^T lambda' = 0,   g(q1) = 0,   lambda' = h^2/2 lambda
 *
 * Unknowns are the increment dq and lambda'; with this scaling no block of the matrix depends on h. All rows
 * are kept and slightly regularised, so that redundant ones do no harm.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/sparse.h"
#include "linalg/vec3.h"
#include "stepping/step.h"

/* Dual regularisation relative to the masses; the residual is exact, so it only slows redundant rows. */
static const double row_regularisation = 1e-13;

typedef struct multipliers {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_sparse *matrix;
    int *piece_entry; /* first entry of each piece in the matrix */
    int mass_entry, gradient_entry, diagonal_entry;
    double *lambda; /* [m] scaled */
    double *right;  /* [n + m] */
    double softness;
    double h;
} multipliers;

/* --- pattern: entries in the order in which values are added --- */

typedef struct pattern {
    int *row, *column;
    int count;
} pattern;

static void put(pattern *p, int row, int column)
{
    if (p->row) {
        p->row[p->count] = row;
        p->column[p->count] = column;
    }
    p->count++;
}

static void write_pattern(multipliers *x, pattern *p)
{
    const olo_system *s = x->system;
    p->count = 0;
    x->mass_entry = 0;
    for (int e = 0; e < s->mass_count; e++)
        for (int i = 0; i < 3; i++) {
            put(p, s->mass[e].i + i, s->mass[e].j + i);
            if (s->mass[e].i != s->mass[e].j)
                put(p, s->mass[e].j + i, s->mass[e].i + i);
        }
    for (int piece = 0; piece < olo_pieces(s); piece++) {
        x->piece_entry[piece] = p->count;
        if (!olo_piece_has_tangent(s, piece))
            continue;
        const int *index = olo_piece_index(s, piece);
        int size = olo_piece_size(s, piece);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                put(p, index[i], index[j]);
    }
    x->gradient_entry = p->count;
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < s->constraints[c].size; i++) {
            put(p, s->constraints[c].index[i], s->n + c);
            put(p, s->n + c, s->constraints[c].index[i]);
        }
    x->diagonal_entry = p->count;
    for (int c = 0; c < s->m; c++)
        put(p, s->n + c, s->n + c);
}

static olo_status create_matrix(multipliers *x, olo_error *error)
{
    pattern p = {0};
    write_pattern(x, &p);
    size_t count = (size_t)p.count;
    p.row = olo_alloc(count, sizeof *p.row);
    p.column = olo_alloc(count, sizeof *p.column);
    olo_status status = OLO_NO_MEMORY;
    if (p.row && p.column) {
        write_pattern(x, &p);
        status = olo_sparse_create(x->system->n + x->system->m, p.count, p.row, p.column,
                                   &x->matrix, error);
    } else {
        olo_fail(error, status, "out of memory for the multipliers");
    }
    olo_free(p.row);
    olo_free(p.column);
    return status;
}

static void destroy(void *data)
{
    multipliers *x = data;
    if (!x)
        return;
    olo_sparse_free(x->matrix);
    olo_free(x->piece_entry);
    olo_free(x->lambda);
    olo_free(x->right);
    olo_free(x);
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, olo_step *step,
                         void **data, olo_error *error)
{
    (void)step;
    multipliers *x = olo_alloc(1, sizeof *x);
    *data = NULL;
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the multipliers");
    x->system = system;
    x->scheme = scheme;
    x->piece_entry = olo_alloc((size_t)olo_pieces(system), sizeof *x->piece_entry);
    x->lambda = olo_alloc((size_t)system->m, sizeof *x->lambda);
    x->right = olo_alloc((size_t)(system->n + system->m), sizeof *x->right);
    olo_status status = OLO_NO_MEMORY;
    if (x->piece_entry && x->lambda && x->right)
        status = create_matrix(x, error);
    else
        olo_fail(error, status, "out of memory for the multipliers");
    double heaviest = 0;
    for (int e = 0; e < system->mass_count; e++)
        heaviest = fmax(heaviest, fabs(system->mass[e].m));
    x->softness = row_regularisation / heaviest;
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *data = x;
    return OLO_OK;
}

static int unknowns(const void *data)
{
    const multipliers *x = data;
    return x->system->n + x->system->m;
}

static void move_nodes(const olo_step *step, const double *motion, double scale)
{
    const olo_system *s = step->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double guess[6];
        for (int i = 0; i < node->twist; i++)
            guess[i] = scale * motion[node->motion + i];
        olo_node_move(node, guess, step->x.q0 + node->q, step->x.dq + node->q, step->x.qm + node->q,
                      step->x.q1 + node->q);
    }
}

static void predict(void *data, olo_step *step, double scale)
{
    multipliers *x = data;
    move_nodes(step, step->state->motion, scale);
    for (int c = 0; c < x->system->m; c++)
        x->lambda[c] = scale != 0 ? 0.5 * step->h * step->h * step->state->lambda[c] : 0.0;
}

/* --- one iteration --- */

static void sink_mass(void *context, double factor)
{
    multipliers *x = context;
    const olo_system *s = x->system;
    int entry = x->mass_entry;
    double a = 0.5 * x->h * factor;
    for (int e = 0; e < s->mass_count; e++)
        for (int i = 0; i < (s->mass[e].i == s->mass[e].j ? 3 : 6); i++)
            olo_sparse_add(x->matrix, entry++, a * s->mass[e].m);
}

static void sink_local(void *context, int piece, double factor, const double *K)
{
    multipliers *x = context;
    int size = olo_piece_size(x->system, piece);
    double a = 0.5 * x->h * factor;
    for (int i = 0; i < size * size; i++)
        olo_sparse_add(x->matrix, x->piece_entry[piece] + i, a * K[i]);
}

static void add_constraints(multipliers *x, olo_step *step)
{
    const olo_system *s = x->system;
    int entry = x->gradient_entry;
    for (int c = 0; c < s->m; c++) {
        const olo_form *form = &s->constraints[c];
        double *gm = step->r, *g1 = step->r + form->size;
        olo_form_gradient(form, step->x.qm, gm);
        olo_form_gradient(form, step->x.q1, g1);
        for (int i = 0; i < form->size; i++) {
            x->right[form->index[i]] -= x->lambda[c] * gm[i];
            olo_sparse_add(x->matrix, entry++, gm[i]);
            olo_sparse_add(x->matrix, entry++, g1[i]);
        }
        if (form->products) {
            memset(step->K, 0, (size_t)(form->size * form->size) * sizeof *step->K);
            olo_form_add_hessian(form, 0.5 * x->lambda[c], step->K);
            int piece = olo_piece_of_constraint(s, c);
            for (int i = 0; i < form->size * form->size; i++)
                olo_sparse_add(x->matrix, x->piece_entry[piece] + i, step->K[i]);
        }
        x->right[s->n + c] = -olo_form_value(form, step->x.q1);
        olo_sparse_add(x->matrix, x->diagonal_entry + c, -x->softness);
    }
}

/* Size of a node's part of a vector over q: lengths over the model's length, directors as they are. */
static double node_size(const olo_system *s, const olo_node *node, const double *dq)
{
    double size = vec3_norm(dq + node->q) / s->length_scale;
    for (int I = 3; I < node->size; I += 3)
        size = fmax(size, vec3_norm(dq + node->q + I));
    return size;
}

static void measure(const olo_step *step, const double *change, olo_newton *newton)
{
    const olo_system *s = step->system;
    newton->increment = newton->size = newton->turn = 0;
    newton->worst = 0;
    for (int k = 0; k < s->node_count; k++) {
        double size = node_size(s, &s->nodes[k], step->x.dq);
        double moved = node_size(s, &s->nodes[k], change);
        if (!(moved <= newton->increment)) {
            newton->increment = moved;
            newton->worst = k;
        }
        olo_raise(&newton->size, size);
    }
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    multipliers *x = data;
    const olo_system *s = x->system;
    olo_sink sink = {.context = x, .mass = sink_mass, .local = sink_local};
    x->h = step->h;
    olo_sparse_clear(x->matrix);
    x->scheme->balance(step, &sink);
    for (int i = 0; i < s->n; i++)
        x->right[i] = -0.5 * step->h * step->T[i];
    add_constraints(x, step);
    double largest = 0;
    for (int i = 0; i < s->n; i++)
        olo_raise(&largest, fabs(x->right[i]));
    newton->residual = step->scale > 0 ? largest / (0.5 * step->h * step->scale) : largest;
    olo_status status = olo_sparse_factor(x->matrix, error);
    if (status != OLO_OK)
        return status;
    olo_sparse_solve(x->matrix, x->right);
    for (int i = 0; i < s->n; i++) {
        step->x.dq[i] += x->right[i];
        step->x.qm[i] = step->x.q0[i] + 0.5 * step->x.dq[i];
        step->x.q1[i] = step->x.q0[i] + step->x.dq[i];
    }
    for (int c = 0; c < s->m; c++)
        x->lambda[c] += x->right[s->n + c];
    measure(step, x->right, newton);
    return OLO_OK;
}

static void finish(void *data, olo_step *step, olo_state *state)
{
    multipliers *x = data;
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double *motion = state->motion + node->motion;
        vec3_copy(step->x.dq + node->q, motion);
        if (node->kind == OLO_NODE_FRAME)
            olo_node_cayley(step->x.qm + node->q, step->x.dq + node->q, motion + 3);
    }
    for (int c = 0; c < s->m; c++)
        state->lambda[c] = 2 * x->lambda[c] / (step->h * step->h);
}

const olo_treatment olo_treatment_multipliers = {.name = "multipliers",
                                                 .create = create,
                                                 .free = destroy,
                                                 .unknowns = unknowns,
                                                 .predict = predict,
                                                 .iterate = iterate,
                                                 .finish = finish};
