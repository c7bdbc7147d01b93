/* The reduced treatment: discrete null space with nodal reparametrisation (thesis 3.2.44; design page).
 *
 *     r(u) = P(q0, q1)^T T(q1) = 0,   q1 = F(u)
 *
 * Balance a node: w = P_int(q_m)^T T = [T_phi; sum d_I,m x T_I]; the tangent S = P_int(q_m)^T DT P_int(q1) plus
 * the variation of P_int, 1/2 sum (d_I,1 (x) T_I - (d_I,1 . T_I) I); wrenches and joints by the elimination on the
 * tree. Constraints that the tree does not carry are closures: rows 2/h g(q1) = 0 with multipliers scaled so
 * that no block depends on h, all rows kept and slightly regularised, so that redundant rows do no harm.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "stepping/projector.h"
#include "stepping/reduced_matrix.h"
#include "stepping/step.h"

/* Dual regularisation relative to G M^-1 G^T: closures are g = softness lambda', so that what redundant rows carry among
 * themselves stays small instead of growing from step to step. */
static const double closure_regularisation = 1e-13;
static const double closure_round_off = 4e-15; /* of a row's own size */

typedef struct reduced {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_tree *tree;
    olo_elimination *elimination;
    olo_projector *projector; /* pieces -> blocks of nodes */
    double *wrench;           /* [twists] w, then W = w + what hangs below */
    double *lambda;           /* [closures] scaled multipliers */
    double *gap;              /* [closures] constraint values */
    double *softness;         /* [closures] regularisation of each row */
    double *limit;            /* [closures] multiplier up to which that leaves g at round-off */
    bool exact;               /* beyond it: once converged, closures are g = 0 */
    double open;              /* largest residual of a closure */
    olo_step *step;           /* of the sink */
} reduced;

static int closure_block(const reduced *x, int i)
{
    return x->system->node_count + i;
}

/* --- creation --- */

static olo_status create_elimination(reduced *x, olo_error *error)
{
    const olo_system *s = x->system;
    const olo_tree *tree = x->tree;
    int count = s->node_count + tree->closure_count, edge_count = 0;
    olo_block *blocks = olo_alloc((size_t)count, sizeof *blocks);
    int *edges = olo_projector_edges(x->projector, tree, &edge_count);
    olo_status status = OLO_NO_MEMORY;
    if (blocks && edges) {
        for (int k = 0; k < s->node_count; k++)
            blocks[k] = (olo_block){.size = s->nodes[k].twist,
                                    .dof = tree->nodes[k].dof,
                                    .parent = tree->nodes[k].parent,
                                    .plain = !tree->nodes[k].type};
        for (int i = 0; i < tree->closure_count; i++)
            blocks[closure_block(x, i)] =
                (olo_block){.size = 1, .dof = 1, .parent = -1, .plain = true, .last = true};
        status = olo_elimination_create(count, blocks, edge_count, edges, &x->elimination, error);
    } else {
        olo_fail(error, status, "out of memory for the reduced treatment");
    }
    olo_free(blocks);
    olo_free(edges);
    return status;
}

/* A typical G M^-1 G^T of a row with a gradient of size one: one over the mean mass. */
static double typical_softness(const olo_system *s)
{
    double sum = 0;
    int count = 0;
    for (int e = 0; e < s->mass_count; e++)
        if (s->mass[e].i == s->mass[e].j && s->coordinates[s->mass[e].i].slot == 0) {
            sum += s->mass[e].m;
            count++;
        }
    return count ? closure_regularisation * count / sum : closure_regularisation;
}

static void destroy(void *data)
{
    reduced *x = data;
    if (!x)
        return;
    olo_elimination_free(x->elimination);
    olo_projector_free(x->projector);
    olo_tree_free(x->tree);
    olo_free(x->wrench);
    olo_free(x->lambda);
    olo_free(x->gap);
    olo_free(x->softness);
    olo_free(x->limit);
    olo_free(x);
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error)
{
    (void)run;
    reduced *x = olo_alloc(1, sizeof *x);
    *data = NULL;
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the reduced treatment");
    x->system = system;
    x->scheme = scheme;
    olo_status status = olo_tree_create(system, &x->tree, error);
    if (status == OLO_OK)
        status = olo_projector_create(system, x->tree, &x->projector, error);
    if (status == OLO_OK)
        status = create_elimination(x, error);
    if (status == OLO_OK) {
        olo_projector_bind(x->projector, x->elimination);
        x->wrench = olo_alloc((size_t)system->twists, sizeof *x->wrench);
        x->lambda = olo_alloc((size_t)x->tree->closure_count, sizeof *x->lambda);
        x->gap = olo_alloc((size_t)x->tree->closure_count, sizeof *x->gap);
        x->softness = olo_alloc((size_t)x->tree->closure_count, sizeof *x->softness);
        x->limit = olo_alloc((size_t)x->tree->closure_count, sizeof *x->limit);
        if (!x->wrench || !x->lambda || !x->gap || !x->softness || !x->limit)
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the reduced treatment");
        double typical = typical_softness(system);
        for (int i = 0; status == OLO_OK && i < x->tree->closure_count; i++) {
            int row = x->tree->closures[i];
            x->softness[i] = typical * olo_row_weight(system, row);
            x->limit[i] = closure_round_off * olo_row_size(system, row) / x->softness[i];
        }
    }
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *data = x;
    return OLO_OK;
}

static int unknowns(const void *data)
{
    return olo_elimination_unknowns(((const reduced *)data)->elimination);
}

static void predict(void *data, olo_step *step, double scale)
{
    reduced *x = data;
    double h = step->h;
    x->exact = false;
    olo_tree_begin(x->tree, &step->x);
    olo_tree_predict(x->tree, &step->x, step->state->motion, scale);
    for (int i = 0; i < x->tree->closure_count; i++)
        x->lambda[i] = scale != 0 ? 0.5 * h * h * step->state->lambda[x->tree->closures[i]] : 0.0;
}

/* --- one iteration --- */

static void sink_mass(void *context, double factor)
{
    reduced *x = context;
    olo_projector_add_mass(x->projector, factor, x->step->x.qm, x->step->x.q1);
}

static void sink_local(void *context, int piece, double factor, const double *K)
{
    reduced *x = context;
    olo_projector_add(x->projector, piece, factor, K, x->step->x.qm, x->step->x.q1);
}

/* lambda = 2 lambda'/h^2, so T gets h lambda grad g = (2/h) lambda' grad g; rows are (2/h) g(q1) = 0 */
static void add_closures(reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    double a = 2 / step->h;
    x->open = 0;
    for (int i = 0; i < x->tree->closure_count; i++) {
        int row = x->tree->closures[i], piece = olo_piece_of_constraint(s, row);
        const olo_form *form = &s->constraints[row];
        olo_form_gradient(form, step->x.qm, step->r);
        for (int k = 0; k < form->size; k++)
            step->T[form->index[k]] += a * x->lambda[i] * step->r[k];
        olo_projector_add_column(x->projector, piece, closure_block(x, i), a, step->r, step->x.qm);
        olo_form_gradient(form, step->x.q1, step->r);
        olo_projector_add_row(x->projector, piece, closure_block(x, i), a, step->r, step->x.q1);
        x->gap[i] = olo_form_value(form, step->x.q1);
        if (!x->exact)
            x->gap[i] -= x->softness[i] * x->lambda[i];
        olo_raise(&x->open, olo_row_residual(s, row, step->r, x->gap[i], step->x.q1));
        if (form->products) {
            memset(step->K, 0, (size_t)(form->size * form->size) * sizeof *step->K);
            olo_form_add_hessian(form, 0.5, step->K);
            olo_projector_add(x->projector, piece, a * x->lambda[i], step->K, step->x.qm,
                              step->x.q1);
        }
        olo_elimination_matrix(x->elimination, closure_block(x, i), closure_block(x, i))[0] =
            -a * x->softness[i];
        olo_elimination_rhs(x->elimination, closure_block(x, i))[0] = a * x->gap[i];
    }
}

/* w of every node and the variation of P_int; then joints, leaf to root, with the wrench they carry */
static void fill_nodes(reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double *w = x->wrench + node->motion;
        const double *T = step->T + node->q, *dm = step->x.qm + node->q, *d1 = step->x.q1 + node->q;
        vec3_copy(T, w);
        if (node->kind == OLO_NODE_FRAME) {
            double *S = olo_elimination_matrix(x->elimination, k, k), along = 0;
            vec3_set(0, 0, 0, w + 3);
            for (int I = 3; I < 12; I += 3) {
                along += 0.5 * vec3_dot(d1 + I, T + I);
                vec3_add_cross(dm + I, T + I, w + 3);
                for (int i = 0; i < 3; i++)
                    vec3_add(0.5 * d1[I + i], T + I, S + (3 + i) * 6 + 3);
            }
            for (int i = 3; i < 6; i++)
                S[7 * i] -= along;
        }
        memcpy(olo_elimination_rhs(x->elimination, k), w, (size_t)node->twist * sizeof *w);
    }
}

/* Returns the largest entry of the reduced balance B^^T W. */
static double fill_joints(reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    double largest = 0;
    for (int i = s->node_count - 1; i >= 0; i--) {
        int k = x->tree->order[i];
        const olo_tree_node *t = &x->tree->nodes[k];
        const double *W = x->wrench + s->nodes[k].motion;
        int d = s->nodes[k].twist;
        if (!t->type) {
            for (int j = 0; j < d; j++)
                olo_raise(&largest, fabs(W[j]));
            continue;
        }
        olo_joint_view view = olo_tree_view(x->tree, k, &step->x);
        olo_joint_blocks b = olo_elimination_joint(x->elimination, k);
        t->type->blocks(&view, step->x.u + t->u, W, &b);
        double balance[6] = {0};
        small_add_transposed_times(d, t->dof, 1.0, b.B_hat, W, balance);
        for (int j = 0; j < t->dof; j++)
            olo_raise(&largest, fabs(balance[j]));
        if (t->parent < 0)
            continue;
        int p = s->nodes[t->parent].twist;
        small_add_transposed_times(d, p, 1.0, b.A_hat, W,
                                   x->wrench + s->nodes[t->parent].motion);
    }
    return largest;
}

/* The size of a motion: lengths over the model's length, angles as they are; not finite if any is. */
static double motion_size(const olo_system *s, int node, const double *motion)
{
    double size = vec3_norm(motion) / s->length_scale;
    if (s->nodes[node].kind == OLO_NODE_FRAME)
        size += vec3_norm(motion + 3);
    return size;
}

static void measure(reduced *x, const olo_step *step, olo_newton *newton)
{
    const olo_system *s = x->system;
    newton->increment = newton->size = newton->turn = 0;
    newton->worst = 0;
    for (int k = 0; k < s->node_count; k++) {
        double change = motion_size(s, k, olo_elimination_twist(x->elimination, k));
        const double *motion = step->x.motion + s->nodes[k].motion;
        double size = motion_size(s, k, motion);
        if (!(change <= newton->increment)) {
            newton->increment = change;
            newton->worst = k;
        }
        olo_raise(&newton->size, size);
        if (s->nodes[k].kind == OLO_NODE_FRAME)
            olo_raise(&newton->turn, vec3_norm(motion + 3));
        const olo_tree_node *t = &x->tree->nodes[k];
        if (t->type && t->type->turn) {
            olo_joint_view view = olo_tree_view(x->tree, k, &step->x);
            olo_raise(&newton->turn, t->type->turn(&view, step->x.u + t->u));
        }
    }
}

static void update(reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_tree_node *t = &x->tree->nodes[k];
        const double *du = olo_elimination_increment(x->elimination, k);
        double *u = step->x.u + t->u;
        if (t->type) {
            olo_joint_view view = olo_tree_view(x->tree, k, &step->x);
            t->type->update(&view, u, du);
        } else {
            olo_projector_update_free(&s->nodes[k], u, du);
        }
    }
    for (int i = 0; i < x->tree->closure_count; i++)
        x->lambda[i] += olo_elimination_increment(x->elimination, closure_block(x, i))[0];
    olo_tree_move(x->tree, &step->x);
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    reduced *x = data;
    olo_sink sink = {.context = x, .mass = sink_mass, .local = sink_local};
    x->step = step;
    olo_elimination_clear(x->elimination);
    x->scheme->balance(step, &sink);
    add_closures(x, step);
    fill_nodes(x, step);
    double largest = fill_joints(x, step);
    newton->residual = step->scale > 0 ? largest / step->scale : largest;
    olo_raise(&newton->residual, x->open); /* a step that leaves a loop open is no solution */
    int block = 0;
    olo_status status = olo_elimination_factor(x->elimination, &block, NULL);
    if (status != OLO_OK) {
        newton->worst = block < x->system->node_count ? block : 0;
        return olo_fail(error, status, "the tangent is singular at '%s'",
                        x->system->nodes[newton->worst].name);
    }
    olo_elimination_solve(x->elimination);
    measure(x, step, newton);
    update(x, step);
    return OLO_OK;
}

/* Large multipliers (of large steps) leave too much of g: Newton goes on with g = 0. */
static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    reduced *x = data;
    (void)step;
    (void)error;
    for (int i = 0; i < x->tree->closure_count && !x->exact && count == 1; i++)
        x->exact = fabs(x->lambda[i]) > x->limit[i];
    return x->exact && count == 1 ? OLO_PASS_AGAIN : OLO_PASS_DONE;
}

static void finish(void *data, olo_step *step, olo_state *state)
{
    reduced *x = data;
    memcpy(state->motion, step->x.motion, (size_t)x->system->twists * sizeof *state->motion);
    for (int i = 0; i < x->tree->closure_count; i++)
        state->lambda[x->tree->closures[i]] = 2 * x->lambda[i] / (step->h * step->h);
}

/* The wrenches that the joints carry in the finished step, W over h, and the tree they belong to. */
const double *olo_reduced_wrench(void *data, olo_step *step, const olo_tree **tree)
{
    reduced *x = data;
    x->scheme->balance(step, NULL);
    for (int i = 0; i < x->tree->closure_count; i++) {
        const olo_form *form = &x->system->constraints[x->tree->closures[i]];
        olo_form_gradient(form, step->x.qm, step->r);
        for (int k = 0; k < form->size; k++)
            step->T[form->index[k]] += 2 / step->h * x->lambda[i] * step->r[k];
    }
    fill_nodes(x, step);
    fill_joints(x, step);
    *tree = x->tree;
    return x->wrench;
}

static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    reduced *x = data;
    (void)kind;
    return olo_reduced_matrix(x->scheme, x->tree, step, K, error);
}

const olo_treatment olo_treatment_reduced = {.name = "reduced",
                                             .create = create,
                                             .free = destroy,
                                             .unknowns = unknowns,
                                             .predict = predict,
                                             .iterate = iterate,
                                             .pass = pass,
                                             .finish = finish,
                                             .matrix = matrix};
