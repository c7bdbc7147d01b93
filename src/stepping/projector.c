/* Projection of local matrices from redundant coordinates to twists; see the header. */
#include "stepping/projector.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "linalg/rotation.h"
#include "linalg/row3.h"
#include "linalg/row6.h"
#include "linalg/small.h"
#include "stepping/step.h"
#include "stepping/twist_plan.h"

/* A coordinate of a closure row: the entries of the row and of the column that it reaches. A
 * position reaches one of the twist, a director d two, since it varies as delta_omega . (d x e). */
typedef struct closure_entry {
    int q[2];                   /* -1 for a position; the coordinates of d that are factors */
    double *row[2], *column[2]; /* += q[0] g, -= q[1] g */
} closure_entry;

/* The nodes of a piece and the addresses of their blocks. */
typedef struct plan {
    olo_coupling of;
    olo_twist_plan vectors; /* of pieces with forms */
    olo_twist_plan *shares; /* of a closure row of joint coordinates: of each of them */
    int size;               /* of a closure row: its coordinates */
    closure_entry *entries;
    double *block[]; /* [nodes * nodes], in the same memory: they are read together */
} plan;

/* A pair of vectors that the mass couples. Long beams have several per element, hence the compact
 * struct. */
typedef struct mass_plan {
    double m;
    double *block;
    int i, j;              /* coordinates */
    bool turns_i, turns_j; /* the vector is a director */
    short width;           /* of both vectors */
    short size_j;          /* size of the twist of the node of the column */
} mass_plan;

struct olo_projector {
    const olo_system *system;
    olo_pool pool;
    plan **plans; /* [pieces], NULL for pieces without a tangent */
    int mass_count;
    mass_plan *mass;
    olo_frame_packs frames;
    olo_frame_blocks *blocks;      /* [packs] */
    olo_pair_blocks *pairs;        /* [packs of pairs] */
    double *single, *single_right; /* of the frame with a mass that is in no pack */
    double *work;                  /* projected rows, before the projection of columns */
};

/* The forms of a piece; their number is zero where it has none. */
static int forms_of(const olo_system *s, int piece, const olo_form **form)
{
    const int row = piece - olo_piece_of_constraint(s, 0),
              action = piece - olo_piece_of_action(s, 0);
    const olo_term *term = NULL;
    *form = NULL;
    if (row >= 0) {
        *form = s->constraints[row].form;
        return *form ? 1 : 0;
    }
    if (action < 0)
        term = &s->terms[piece];
    else if (s->actions[action].type->stress)
        term = s->actions[action].coordinate;
    if (!term || term->invariants)
        return 0;
    *form = term->form;
    return term->forms;
}

/* The plans of the joint coordinates of a closure row. */
static bool plan_shares(olo_projector *p, int piece, const olo_coupling *coupling, plan *x)
{
    const olo_system *s = p->system;
    const olo_constraint *row = &s->constraints[piece - olo_piece_of_constraint(s, 0)];
    bool ok = true;
    if (row->share_count > 0)
        x->shares = olo_pool_alloc(&p->pool, (size_t)row->share_count, sizeof *x->shares);
    for (int i = 0; ok && i < row->share_count; i++) {
        const olo_term *term = row->shares[i].coordinate;
        ok = x->shares && olo_twist_plan_create(s, term->size, term->index, coupling, term->forms,
                                                term->form, &p->pool, &x->shares[i]);
    }
    return ok;
}

static bool plan_piece(olo_projector *p, int piece, const olo_coupling *coupling)
{
    const olo_system *s = p->system;
    const size_t blocks = (size_t)(coupling->nodes * coupling->nodes);
    const bool row = piece >= olo_piece_of_constraint(s, 0);
    const olo_form *form;
    const int forms = forms_of(s, piece, &form);
    plan *x = p->plans[piece] = olo_pool_alloc(&p->pool, 1, sizeof *x + blocks * sizeof *x->block);
    bool ok = x != NULL;
    if (ok)
        x->of = *coupling;
    if (ok && row) {
        x->size = olo_piece_size(s, piece);
        x->entries = olo_pool_alloc(&p->pool, (size_t)x->size, sizeof *x->entries);
        ok = x->entries != NULL && plan_shares(p, piece, coupling, x);
    }
    if (ok && forms > 0)
        ok = olo_twist_plan_create(s, olo_piece_size(s, piece), olo_piece_index(s, piece), coupling,
                                   forms, form, &p->pool, &x->vectors);
    return ok;
}

/* Lists the coupled pairs of 3-vectors, different ones in both orders. */
static bool plan_mass(olo_projector *p)
{
    const olo_system *s = p->system;
    if (!olo_frame_packs_create(s, false, &p->frames))
        return false;
    p->mass = olo_pool_alloc(&p->pool, 2 * (size_t)p->frames.loose_count, sizeof *p->mass);
    p->blocks = olo_pool_alloc(&p->pool, (size_t)p->frames.count, sizeof *p->blocks);
    p->pairs = olo_pool_alloc(&p->pool, (size_t)p->frames.pair_count, sizeof *p->pairs);
    if (!p->mass || !p->blocks || !p->pairs)
        return false;
    for (int k = 0; k < p->frames.loose_count; k++) {
        const olo_mass_entry *entry = &p->frames.loose[k];
        for (int side = 0; side < olo_mass_blocks(entry); side++) {
            int i = side ? entry->j : entry->i, j = side ? entry->i : entry->j;
            p->mass[p->mass_count++] = (mass_plan){.i = i,
                                                   .j = j,
                                                   .turns_i = s->coordinates[i].slot > 0,
                                                   .turns_j = s->coordinates[j].slot > 0,
                                                   .width = (short)entry->width,
                                                   .m = entry->m};
        }
    }
    return true;
}

/* Sets the addresses of row j of closure block i, and of its column. */
static void bind_closure(olo_projector *p, const olo_topology *topology,
                         olo_elimination *elimination, int i, int j)
{
    const olo_closure *closure = &topology->closure_blocks[i];
    const int block = olo_topology_closure_block(topology, i);
    const int piece = olo_piece_of_constraint(p->system, closure->first + j);
    const int *index = olo_piece_index(p->system, piece);
    const plan *x = p->plans[piece];
    for (int k = 0; k < x->size; k++) {
        const olo_coordinate *c = &p->system->coordinates[index[k]];
        const int next = (c->axis + 1) % 3, last = (c->axis + 2) % 3, first = index[k] - c->axis;
        double *row = olo_elimination_matrix(elimination, block, c->node) +
                      j * p->system->nodes[c->node].twist + c->twist;
        double *column =
            olo_elimination_matrix(elimination, c->node, block) + j + c->twist * closure->count;
        if (c->slot <= 0)
            x->entries[k] = (closure_entry){.q = {-1, -1},
                                            .row = {row + c->axis},
                                            .column = {column + c->axis * closure->count}};
        else
            x->entries[k] = (closure_entry){
                .q = {first + last, first + next},
                .row = {row + next, row + last},
                .column = {column + next * closure->count, column + last * closure->count}};
    }
}

/* Sets the addresses of all blocks in the elimination. */
static void bind(olo_projector *p, const olo_topology *topology, olo_elimination *elimination)
{
    const olo_system *s = p->system;
    for (int i = 0; i < topology->closure_block_count; i++)
        for (int j = 0; j < topology->closure_blocks[i].count; j++)
            bind_closure(p, topology, elimination, i, j);
    for (int i = 0; i < olo_pieces(s); i++) {
        plan *x = p->plans[i];
        for (int a = 0; x && a < x->of.nodes; a++)
            for (int b = 0; b < x->of.nodes; b++)
                x->block[a * x->of.nodes + b] =
                    olo_elimination_matrix(elimination, x->of.node[a], x->of.node[b]);
    }
    if (p->frames.single >= 0) {
        p->single = olo_elimination_matrix(elimination, p->frames.single, p->frames.single);
        p->single_right = olo_elimination_rhs(elimination, p->frames.single);
    }
    for (int k = 0; k < p->frames.count; k++)
        for (int l = 0; l < LANES; l++) {
            const int node = p->frames.pack[k].node[l];
            p->blocks[k].K[l] = olo_elimination_matrix(elimination, node, node);
            p->blocks[k].right[l] = olo_elimination_rhs(elimination, node);
        }
    for (int k = 0; k < p->frames.pair_count; k++)
        for (int l = 0; l < LANES; l++) {
            const int a = p->frames.pair[k].node[0][l], b = p->frames.pair[k].node[1][l];
            p->pairs[k].K[0][l] = olo_elimination_matrix(elimination, a, b);
            p->pairs[k].K[1][l] = olo_elimination_matrix(elimination, b, a);
        }
    for (int i = 0; i < p->mass_count; i++) {
        mass_plan *m = &p->mass[i];
        int a = s->coordinates[m->i].node, b = s->coordinates[m->j].node;
        m->size_j = (short)s->nodes[b].twist;
        m->block = olo_elimination_matrix(elimination, a, b) +
                   s->coordinates[m->i].twist * m->size_j + s->coordinates[m->j].twist;
    }
}

olo_status olo_projector_create(const olo_topology *topology, olo_elimination *elimination,
                                olo_projector **projector, olo_error *error)
{
    const olo_system *s = topology->system;
    olo_projector *p = olo_alloc(1, sizeof *p);
    *projector = NULL;
    bool ok = p != NULL;
    if (ok) {
        p->system = s;
        p->plans = olo_pool_alloc(&p->pool, (size_t)olo_pieces(s), sizeof *p->plans);
        p->work =
            olo_pool_alloc(&p->pool, 2 * OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX, sizeof *p->work);
        ok = p->plans && p->work && plan_mass(p);
    }
    for (int i = 0; ok && i < olo_pieces(s); i++)
        if (topology->couplings[i])
            ok = plan_piece(p, i, topology->couplings[i]);
    if (!ok) {
        olo_projector_free(p);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the reduced treatment");
    }
    bind(p, topology, elimination);
    *projector = p;
    return OLO_OK;
}

void olo_projector_free(olo_projector *projector)
{
    if (!projector)
        return;
    olo_frame_packs_free(&projector->frames);
    olo_pool_free(&projector->pool);
    olo_free(projector);
}

/* sum X_I v_I over three vectors */
static inline row3 combine(const double X[3], const row3 v[3])
{
    return row3_add_times(row3_add_times(row3_times(X[0], v[0]), X[1], v[1]), X[2], v[2]);
}

static inline void add_row(row6 row, double *to)
{
    row6_store(row6_add(row6_load(to), row), to);
}

/* The block of a frame:
 *
 *     K += factor [m I, -C1^; Cm^, 0] + [0, 0; 0, S - (tr S) I],   C = sum c_I d_I,
 *     S = sum_I d_I,1 (x) (half T_I - factor sum_J E_IJ d_J,m). */
static inline void add_frame(const olo_frame_mass *x, double factor, double half, const double *T,
                             const double *dm, const double *d1, double *restrict K)
{
    double C1[3], Cm[3], S[9], m = factor * x->m, z = 0;
    row3 middle[3], end[3], rows[3] = {{{0, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0}};
    for (int I = 0; I < 3; I++) {
        middle[I] = row3_load(dm + 3 * I);
        end[I] = row3_load(d1 + 3 * I);
    }
    row3_store(row3_times(factor, combine(x->c, end)), C1);
    row3_store(row3_times(factor, combine(x->c, middle)), Cm);
    for (int I = 0; I < 3; I++) {
        row3 V = row3_times(-factor, combine(x->E + 3 * I, middle));
        if (half != 0)
            V = row3_add_times(V, half, row3_load(T + 3 * I));
        for (int i = 0; i < 3; i++)
            rows[i] = row3_add_times(rows[i], d1[3 * I + i], V);
    }
    for (int i = 0; i < 3; i++)
        row3_store(rows[i], S + 3 * i);
    double trace = S[0] + S[4] + S[8];
    add_row(row6_make(m, z, z, z, C1[2], -C1[1]), K);
    add_row(row6_make(z, m, z, -C1[2], z, C1[0]), K + 6);
    add_row(row6_make(z, z, m, C1[1], -C1[0], z), K + 12);
    add_row(row6_make(z, -Cm[2], Cm[1], S[0] - trace, S[1], S[2]), K + 18);
    add_row(row6_make(Cm[2], z, -Cm[0], S[3], S[4] - trace, S[5]), K + 24);
    add_row(row6_make(-Cm[1], Cm[0], z, S[6], S[7], S[8] - trace), K + 30);
}

/* K += S, right += w of a frame; see frame_packs.h */
static void fill_frame(const olo_frame_mass *frame, const olo_frame_tangent *x, double *K,
                       double *right)
{
    const double *T = x->T + frame->q, *left = x->left + frame->q;
    double moment[3] = {0, 0, 0};
    add_frame(frame, x->factor, x->varied ? 0.5 : 0.0, T + 3, left + 3, x->q1 + frame->q + 3, K);
    for (int I = 3; I < 12; I += 3)
        vec3_add_cross(left + I, T + I, moment);
    add_row(row6_make(T[0], T[1], T[2], moment[0], moment[1], moment[2]), right);
}

const olo_frame_packs *olo_projector_frames(const olo_projector *p)
{
    return &p->frames;
}

void olo_projector_add_frames(olo_projector *p, const olo_frame_tangent *at)
{
    for (int k = 0; k < p->frames.count; k++)
        p->frames.kernels->fill(&p->frames.pack[k], at, &p->blocks[k]);
    if (p->frames.single >= 0)
        fill_frame(&p->system->frames[p->system->nodes[p->frames.single].frame], at, p->single,
                   p->single_right);
}

void olo_projector_add_right(olo_projector *p, const double *left, const double *T)
{
    for (int k = 0; k < p->frames.count; k++)
        p->frames.kernels->fill_right(&p->frames.pack[k], left, T, &p->blocks[k]);
}

bool olo_projector_is_empty(const olo_projector *p)
{
    bool empty = p->mass_count == 0 && p->frames.pair_count == 0;
    for (int i = 0; empty && i < olo_pieces(p->system); i++)
        empty = !p->plans[i];
    return empty;
}

void olo_projector_add_mass(olo_projector *p, double factor, const double *qm, const double *q1)
{
    for (int k = 0; k < p->frames.pair_count; k++)
        p->frames.kernels->fill_pair(&p->frames.pair[k], factor, qm, q1, &p->pairs[k]);
    for (int e = 0; e < p->mass_count; e++) {
        const mass_plan *x = &p->mass[e];
        if (x->width == 1)
            x->block[0] += factor * x->m;
        else
            olo_twist_add_pair(factor * x->m, x->turns_i, x->turns_j, qm + x->i, q1 + x->j,
                               x->size_j, x->block);
    }
}

/* The row of P_int of a coordinate: entries `weight` at components `row` of the twist of its node;
 * two for a director. */
typedef struct twist_row {
    int count;
    int row[2];
    double weight[2];
} twist_row;

/* `q` points to the coordinate. */
static inline twist_row twist_row_of(const olo_coordinate *c, const double *q)
{
    if (c->slot <= 0)
        return (twist_row){1, {c->twist + c->axis, 0}, {1, 0}};
    /* d x e_axis: component next is d_last, component last is -d_next */
    int next = (c->axis + 1) % 3, last = (c->axis + 2) % 3;
    const double *d = q - c->axis;
    return (twist_row){2, {c->twist + next, c->twist + last}, {d[last], -d[next]}};
}

/* out[6 x size] += P^T of one coordinate times factor times its row of K */
static void project_row(const olo_coordinate *c, const double *q, double factor, int size,
                        const double *row, double *out)
{
    twist_row to = twist_row_of(c, q);
    for (int k = 0; k < to.count; k++)
        small_add_row(size, factor * to.weight[k], row, out + to.row[k] * size);
}

/* out[rows x rows] += the column of one coordinate, whose entries are `size` apart, times its row
 * of P */
static void project_column(const olo_coordinate *c, const double *q, int rows, int size,
                           const double *column, double *out)
{
    twist_row to = twist_row_of(c, q);
    for (int k = 0; k < to.count; k++)
        for (int i = 0; i < rows; i++)
            out[i * rows + to.row[k]] += to.weight[k] * column[i * size];
}

/* Adds a matrix over all twists of a piece to the blocks of its nodes. */
static void add_blocks(const olo_system *s, const plan *x, double factor, const double *all)
{
    for (int a = 0; a < x->of.nodes; a++)
        for (int b = 0; b < x->of.nodes; b++) {
            int m = s->nodes[x->of.node[a]].twist, n = s->nodes[x->of.node[b]].twist;
            double *block = x->block[a * x->of.nodes + b];
            for (int i = 0; i < m; i++)
                small_add_row(n, factor,
                              all + (x->of.offset[a] + i) * x->of.twists + x->of.offset[b],
                              block + i * n);
        }
}

void olo_projector_add(olo_projector *p, int piece, double factor, const double *K,
                       const double *qm, const double *q1)
{
    const olo_system *s = p->system;
    const plan *x = p->plans[piece];
    const int *index = olo_piece_index(s, piece);
    int size = olo_piece_size(s, piece), t = x->of.twists;
    double *rows = p->work, *all = rows + t * size;
    memset(rows, 0, (size_t)(t * size) * sizeof *rows);
    memset(all, 0, (size_t)(t * t) * sizeof *all);
    for (int i = 0; i < size; i++)
        project_row(&s->coordinates[index[i]], qm + index[i], factor, size, K + i * size,
                    rows + x->of.twist[i] * size);
    for (int j = 0; j < size; j++)
        project_column(&s->coordinates[index[j]], q1 + index[j], t, size, rows + j,
                       all + x->of.twist[j]);
    add_blocks(s, x, 1.0, all);
}

/* += sum_k weight_k A_k of the forms of a piece, between rows at `left` and columns at `right` */
static void add_hessians(const olo_projector *p, const plan *x, const olo_twist_plan *t,
                         const double *weight, const double *left, const double *right)
{
    const int nodes = x->of.nodes;
    for (int k = 0; k < t->pair_count; k++) {
        const olo_plan_pair *pair = &t->pairs[k];
        const double m = weight[pair->form] * pair->a;
        for (int side = 0; side < 2; side++) {
            const olo_plan_vector *i = &t->vectors[side ? pair->j : pair->i],
                                  *j = &t->vectors[side ? pair->i : pair->j];
            const int row = p->system->nodes[x->of.node[j->node]].twist;
            olo_twist_add_pair(m, i->turns, j->turns, left + i->q, right + j->q, row,
                               x->block[i->node * nodes + j->node] + i->twist * row + j->twist);
        }
    }
    for (int k = 0; k < t->single_count; k++) {
        const olo_plan_single *single = &t->singles[k];
        const double m = weight[single->form] * single->a;
        for (int side = 0; side < 2; side++) {
            const olo_plan_vector *i = &t->vectors[side ? single->j : single->i],
                                  *j = &t->vectors[side ? single->i : single->j];
            const int row = p->system->nodes[x->of.node[j->node]].twist;
            double *K = x->block[i->node * nodes + j->node] + i->twist * row + j->twist;
            double rows[3], columns[3], unit_i[3] = {0}, unit_j[3] = {0};
            unit_i[side ? single->axis_j : single->axis_i] = 1;
            unit_j[side ? single->axis_i : single->axis_j] = 1;
            vec3_copy(unit_i, rows);
            vec3_copy(unit_j, columns);
            if (i->turns)
                vec3_cross(left + i->q, unit_i, rows);
            if (j->turns)
                vec3_cross(right + j->q, unit_j, columns);
            for (int l = 0; l < i->width; l++)
                small_add_row(j->width, m * rows[l], columns, K + l * row);
        }
    }
}

/* Row i of node a: sum_k left_k u_k over all nodes. */
static inline void add_products(const olo_projector *p, const plan *x, int forms, int a, int i,
                                const double *left, const double *u)
{
    const int nodes = x->of.nodes, twists = x->of.twists;
    bool zero = true; /* most laws exert no force, only moments, or the reverse */
    for (int k = 0; k < forms; k++)
        zero = zero && left[k * twists] == 0;
    for (int b = 0; !zero && b < nodes; b++) {
        const int n = p->system->nodes[x->of.node[b]].twist;
        double *row = x->block[a * nodes + b] + i * n;
        const double *from = u + x->of.offset[b];
        if (n == 6) {
            row6 sum = row6_load(row);
            for (int k = 0; k < forms; k++)
                sum = row6_add_times(sum, left[k * twists], row6_load(from + k * twists));
            row6_store(sum, row);
        } else {
            for (int k = 0; k < forms; k++)
                small_add_row(n, left[k * twists], from + k * twists, row);
        }
    }
}

/* The tangent of a law of forms: sum_k P^T grad e_k (x) P^T u_k with u_k = sum_l s1_kl grad e_l,
 * and 1/2 sum_k s_k A_k. */
static void add_forms(olo_projector *p, const plan *x, const olo_twist_plan *vectors,
                      const olo_term *term, double factor, const olo_law_over *law,
                      const olo_twist_configurations *at)
{
    const int forms = term->forms, twists = x->of.twists;
    double *g = p->work, *left = g + OLO_FORM_SIZE_MAX, *right = left + forms * twists,
           *u = right + forms * twists, weight[OLO_LAW_INVARIANTS_MAX];
    /* gradients in twists, of the force and of the stress */
    for (int k = 0; k < forms; k++) {
        weight[k] = 0.5 * factor * law->s[k];
        olo_form_gradient(&term->form[k], at->qm, g);
        olo_twist_project(vectors, at->left, g, left + k * twists);
        if (at->stress != at->qm)
            olo_form_gradient(&term->form[k], at->stress, g);
        olo_twist_project(vectors, at->q1, g, right + k * twists);
    }
    for (int k = 0; k < forms; k++) {
        memset(u + k * twists, 0, (size_t)twists * sizeof *u);
        for (int l = 0; l < forms; l++)
            small_add_row(twists, factor * law->s1[k * forms + l], right + l * twists,
                          u + k * twists);
    }
    /* their products, block by block */
    for (int a = 0; a < x->of.nodes; a++)
        for (int i = 0; i < p->system->nodes[x->of.node[a]].twist; i++)
            add_products(p, x, forms, a, i, left + x->of.offset[a] + i, u);
    add_hessians(p, x, vectors, weight, at->left, at->q1);
}

void olo_projector_add_stress(olo_projector *p, int piece, const olo_term *term, double factor,
                              const olo_law_over *law, const olo_twist_configurations *at)
{
    add_forms(p, p->plans[piece], &p->plans[piece]->vectors, term, factor, law, at);
}

void olo_projector_add_share(olo_projector *p, int row, int i, double factor,
                             const olo_law_over *law, const olo_twist_configurations *at)
{
    const plan *x = p->plans[olo_piece_of_constraint(p->system, row)];
    add_forms(p, x, &x->shares[i], p->system->constraints[row].shares[i].coordinate, factor, law,
              at);
}

void olo_projector_add_pack(olo_projector *p, const olo_term_pack *pack, double factor,
                            bool at_start, const olo_pack_step *at)
{
    double *const *const block[LANES] = {
        p->plans[pack->piece[0]]->block, p->plans[pack->piece[1]]->block,
        p->plans[pack->piece[2]]->block, p->plans[pack->piece[3]]->block};
    pack->kernels->add_twist_tangent(pack, at, factor, at_start, block);
}

void olo_projector_add_hessian(olo_projector *p, int piece, double factor, const double *qm,
                               const double *q1)
{
    add_hessians(p, p->plans[piece], &p->plans[piece]->vectors, &factor, qm, q1);
}

/* Adds a row or column g of a closure to its addresses. */
static inline void add_entries(const plan *x, bool column, double factor, const double *g,
                               const double *q)
{
    for (int k = 0; k < x->size; k++) {
        const closure_entry *e = &x->entries[k];
        double *const *to = column ? e->column : e->row;
        const double value = factor * g[k];
        *to[0] += e->q[0] < 0 ? value : q[e->q[0]] * value;
        if (e->q[0] >= 0)
            *to[1] -= q[e->q[1]] * value;
    }
}

void olo_projector_add_column(olo_projector *p, int piece, double factor, const double *g,
                              const double *qm)
{
    add_entries(p->plans[piece], true, factor, g, qm);
}

void olo_projector_add_row(olo_projector *p, int piece, double factor, const double *g,
                           const double *q1)
{
    add_entries(p->plans[piece], false, factor, g, q1);
}
