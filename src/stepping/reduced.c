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
#include "linalg/vec3.h"
#include "stepping/projector.h"
#include "stepping/step.h"

/* Dual regularisation relative to G M^-1 G^T; Newton's residual is exact, so it only slows redundant rows. */
static const double closure_regularisation = 1e-13;

typedef struct reduced {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_tree *tree;
    olo_elimination *elimination;
    olo_projector *projector; /* pieces -> blocks of nodes */
    double *wrench;           /* [twists] w, then W = w + what hangs below */
    double *lambda;           /* [closures] scaled multipliers */
    double *gap;              /* [closures] constraint values */
    double softness;          /* regularisation in absolute terms */
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

/* A typical G M^-1 G^T: constraint gradients have the size of directors or lengths, so one over the mean mass. */
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
    olo_free(x);
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, olo_step *step,
                         void **data, olo_error *error)
{
    (void)step;
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
        x->softness = typical_softness(system) * system->length_scale * system->length_scale;
        x->wrench = olo_alloc((size_t)system->twists, sizeof *x->wrench);
        x->lambda = olo_alloc((size_t)x->tree->closure_count, sizeof *x->lambda);
        x->gap = olo_alloc((size_t)x->tree->closure_count, sizeof *x->gap);
        if (!x->wrench || !x->lambda || !x->gap)
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the reduced treatment");
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
    for (int i = 0; i < x->tree->closure_count; i++) {
        int row = x->tree->closures[i], piece = olo_piece_of_constraint(s, row);
        const olo_form *form = &s->constraints[row];
        olo_form_gradient(form, step->x.qm, step->r);
        for (int k = 0; k < form->size; k++)
            step->T[form->index[k]] += a * x->lambda[i] * step->r[k];
        olo_projector_add_column(x->projector, piece, closure_block(x, i), a, step->r, step->x.qm);
        olo_form_gradient(form, step->x.q1, step->r);
        olo_projector_add_row(x->projector, piece, closure_block(x, i), a, step->r, step->x.q1);
        if (form->products) {
            memset(step->K, 0, (size_t)(form->size * form->size) * sizeof *step->K);
            olo_form_add_hessian(form, 0.5, step->K);
            olo_projector_add(x->projector, piece, a * x->lambda[i], step->K, step->x.qm,
                              step->x.q1);
        }
        x->gap[i] = olo_form_value(form, step->x.q1);
        olo_elimination_matrix(x->elimination, closure_block(x, i), closure_block(x, i))[0] =
            -a * x->softness;
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
            double *S = olo_elimination_matrix(x->elimination, k, k);
            vec3_set(0, 0, 0, w + 3);
            for (int I = 3; I < 12; I += 3) {
                double along = 0.5 * vec3_dot(d1 + I, T + I);
                vec3_add_cross(dm + I, T + I, w + 3);
                for (int i = 0; i < 3; i++) {
                    for (int j = 0; j < 3; j++)
                        S[(3 + i) * 6 + 3 + j] += 0.5 * d1[I + i] * T[I + j];
                    S[(3 + i) * 6 + 3 + i] -= along;
                }
            }
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
        for (int j = 0; j < t->dof; j++) {
            double sum = 0;
            for (int row = 0; row < d; row++)
                sum += b.B_hat[row * t->dof + j] * W[row];
            olo_raise(&largest, fabs(sum));
        }
        if (t->parent < 0)
            continue;
        int p = s->nodes[t->parent].twist;
        double *W_parent = x->wrench + s->nodes[t->parent].motion;
        for (int row = 0; row < d; row++)
            for (int column = 0; column < p; column++)
                W_parent[column] += b.A_hat[row * p + column] * W[row];
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

static void measure(const reduced *x, const olo_step *step, olo_newton *newton)
{
    const olo_system *s = x->system;
    newton->increment = newton->size = newton->turn = 0;
    newton->worst = 0;
    for (int k = 0; k < s->node_count; k++) {
        double change = motion_size(s, k, olo_elimination_twist(x->elimination, k));
        double size = motion_size(s, k, step->x.motion + s->nodes[k].motion);
        if (!(change <= newton->increment)) {
            newton->increment = change;
            newton->worst = k;
        }
        olo_raise(&newton->size, size);
        if (s->nodes[k].kind == OLO_NODE_FRAME)
            olo_raise(&newton->turn, vec3_norm(step->x.motion + s->nodes[k].motion + 3));
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

const olo_treatment olo_treatment_reduced = {.name = "reduced",
                                             .create = create,
                                             .free = destroy,
                                             .unknowns = unknowns,
                                             .predict = predict,
                                             .iterate = iterate,
                                             .finish = finish};
