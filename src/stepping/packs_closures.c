/* Closures of packed bodies: their ways to the root, and the structure of S. */
#include "stepping/packs_closures.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/redundancy.h"
#include "linalg/elimination.h"
#include "system/system.h"

/* Instructions per body that closures may cost, estimated; beyond that ways are long and overlap,
 * and the fill of a general elimination is less work. */
enum { MOST_WORK = 4000, MOST_SHARES = 12 };

static int node_of(const olo_coupling *coupling, const olo_system *s, int coordinate)
{
    for (int k = 0; k < coupling->nodes; k++) {
        const olo_node *node = &s->nodes[coupling->node[k]];
        if (coordinate >= node->q && coordinate < node->q + node->size)
            return coupling->node[k];
    }
    return -1;
}

/* Whether a coordinate is one of a position. */
static bool is_position(const olo_system *s, int node, int coordinate)
{
    return coordinate - s->nodes[node].q < 3;
}

/* How many numbers of the relative motion enter through the product of two coordinates. */
static int relative_of(const olo_system *s, const olo_coupling *coupling, int i, int j)
{
    const int a = node_of(coupling, s, i), b = node_of(coupling, s, j);
    if (a == b)
        return 0;
    return is_position(s, a, i) || is_position(s, b, j) ? 6 : 3;
}

/* The numbers of the relative motion of its bodies that the force of a row varies with. */
static int relative_of_row(const olo_topology *topology, int row)
{
    const olo_system *s = topology->system;
    const olo_constraint *c = &s->constraints[row];
    const olo_coupling *coupling = topology->couplings[olo_piece_of_constraint(s, row)];
    int most = 0;
    for (int i = 0; i < c->form->products; i++) {
        const olo_product *p = &c->form->product[i];
        const int of = relative_of(s, coupling, c->form->index[p->i], c->form->index[p->j]);
        most = of > most ? of : most;
    }
    return most;
}

/* The bodies of all rows of a closure, by their nodes; false: more than two, or other rows than
 * forms. */
static bool find_nodes(const olo_topology *topology, const olo_closure *of, int *count, int node[2])
{
    *count = 0;
    for (int j = 0; j < of->count; j++) {
        const olo_coupling *coupling =
            topology->couplings[olo_piece_of_constraint(topology->system, of->first + j)];
        if (!topology->system->constraints[of->first + j].form)
            return false;
        for (int k = 0; k < coupling->nodes; k++) {
            const int next = coupling->node[k];
            if ((*count > 0 && node[0] == next) || (*count > 1 && node[1] == next))
                continue;
            if (*count == 2)
                return false;
            node[(*count)++] = next;
        }
    }
    return true;
}

/* The degrees of freedom of a joint, or of a free root. */
static int dofs_of(const olo_packs *x, int position)
{
    return x->topology->nodes[x->topology->order[position]].dof;
}

static int parent_of(const olo_packs *x, int position)
{
    return x->slots[position / LANES].parent[position % LANES];
}

/* What creation needs: marks of bodies, growing lists, and the elimination that receives rows. */
typedef struct maker {
    olo_packs *packs;
    closures *to;
    olo_elimination *elimination;
    const int *position;
    bool rates;          /* closures are those of velocities */
    int *mark, *coupled; /* [bodies] */
    size_t link_capacity, shared_capacity;
    double work;
} maker;

static int largest_of(int count, const int *numbers)
{
    int most = -1;
    for (int i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

/* Adds a link for every body on the ways from all ends to the root, the last body first; false: no
 * memory. The ends are overwritten. */
static bool add_links(maker *m, closure *of, int count, int *ends)
{
    closures *to = m->to;
    of->first = to->link_count;
    for (int next = largest_of(count, ends); next >= 0; next = largest_of(count, ends)) {
        link *links = olo_grow(to->links, (size_t)to->link_count, &m->link_capacity, sizeof *links);
        if (!links)
            return false;
        to->links = links;
        m->mark[next] = to->link_count - of->first;
        links[to->link_count++] =
            (link){.body = next, .above = -1, .dof = of->dofs, .dofs = dofs_of(m->packs, next)};
        of->dofs += dofs_of(m->packs, next);
        for (int i = 0; i < count; i++)
            ends[i] = ends[i] == next ? parent_of(m->packs, next) : ends[i];
    }
    of->links = to->link_count - of->first;
    for (int k = 0; k < of->links; k++) {
        link *l = &to->links[of->first + k];
        const int parent = parent_of(m->packs, l->body);
        l->above = parent < 0 ? -1 : m->mark[parent];
    }
    return true;
}

/* Whether a row varies with two coordinates of the same body. */
static bool varies_alone(const olo_topology *topology, int row)
{
    const olo_system *s = topology->system;
    const olo_form *form = s->constraints[row].form;
    const olo_coupling *coupling = topology->couplings[olo_piece_of_constraint(s, row)];
    for (int i = 0; i < form->products; i++)
        if (relative_of(s, coupling, form->index[form->product[i].i],
                        form->index[form->product[i].j]) == 0)
            return true;
    return false;
}

/* Its bodies, and where the variation of its gradients is in the elimination. */
static void find_sides(maker *m, const olo_closure *from, closure *of, const int node[2])
{
    closures *to = m->to;
    const olo_topology *topology = m->packs->topology;
    bool alone = false;
    for (int j = 0; j < from->count && !m->packs->at_start; j++)
        alone = alone || varies_alone(topology, from->first + j);
    for (int k = 0; k < of->sides; k++) {
        const int at = m->position[node[k]];
        if (of->relative > 0)
            of->cross[k] = olo_elimination_matrix(m->elimination, node[k], node[1 - k]);
        if (m->coupled[at] < 0) {
            m->coupled[at] = to->coupled_count;
            to->coupled[to->coupled_count++] =
                (coupled){.body = at, .q = topology->system->nodes[node[k]].q};
        }
        of->side[k] = m->coupled[at];
        if (alone || of->relative > 0)
            to->coupled[of->side[k]].varies = true;
        if (alone)
            to->coupled[of->side[k]].K = olo_elimination_matrix(m->elimination, node[k], node[k]);
    }
}

/* Which links are hinges, which begin, and which are the first to give to their parents. */
static void order_links(const olo_packs *x, link *links, const closure *of)
{
    for (int k = 0; k < of->links; k++) {
        const slots *at = &x->slots[links[k].body / LANES];
        const int l = links[k].body % LANES;
        links[k].hinge = !at->free[l] && !at->ball[l] && !at->staged[l];
        links[k].begins = k != of->at[0] && k != of->at[1];
    }
    for (int k = 0; k < of->links; k++)
        if (links[k].above >= 0) {
            links[k].first = links[links[k].above].begins;
            links[links[k].above].begins = false;
        }
}

/* The shares of all rows of a closure; false: some rows are no relations, or there are too many. */
static bool find_shares(const olo_packs *x, const olo_closure *from, closures *to, closure *of)
{
    of->first_share = to->share_count;
    for (int j = 0; j < from->count; j++) {
        const olo_constraint *row = &x->system->constraints[from->first + j];
        if (row->share_count == 0 || of->shares + row->share_count > MOST_SHARES)
            return false;
        for (int k = 0; k < row->share_count; k++, of->shares++)
            to->shares[to->share_count++] =
                (relation_share){.row = j, .factor = row->shares[k].factor};
    }
    return true;
}

/* Which degree of freedom of a joint its coordinate along or about an axis is, in the order of its
 * elimination. */
static int dof_of(const slots *at, int l, int axis)
{
    if (axis == OLO_COORDINATE_ANGLE)
        return at->staged[l] && at->lever[l] ? __builtin_popcount(at->slides[l]) : 0;
    const int before = at->lever[l]                          ? 0
                       : at->rotation[l] == OLO_ROTATION_ALL ? 3
                                                             : stages_of_rotation(at->rotation[l]);
    return before + __builtin_popcount(at->slides[l] & ((1u << axis) - 1));
}

/* The links of relations between joint coordinates; false: no memory. */
static bool add_relations(maker *m, const olo_closure *from, closure *of)
{
    const olo_packs *x = m->packs;
    const olo_forced_coordinate *along[MOST_SHARES];
    int ends[MOST_SHARES], count = 0;
    for (int j = 0; j < from->count; j++) {
        const olo_constraint *row = &x->system->constraints[from->first + j];
        for (int k = 0; k < row->share_count; k++, count++) {
            const int c = olo_joint_forces_find(&x->forces, &row->shares[k]);
            along[count] = &x->forces.coordinates[c];
            ends[count] = m->position[along[count]->node];
        }
    }
    if (!add_links(m, of, count, ends))
        return false;
    for (int k = 0; k < count; k++) {
        const int position = m->position[along[k]->node], l = position % LANES;
        const slots *at = &x->slots[position / LANES];
        link *way = &m->to->links[of->first + m->mark[position]];
        relation_share *to = &m->to->shares[of->first_share + k];
        const int column = along[k]->axis;
        forced *of_four = at->forced;
        way->related = of_four->related = true;
        to->turns = column == ANGLE;
        to->force = (double *)&of_four->multiplier[column] + l;
        to->gamma = (double *)&of_four->gamma[column] + l;
        to->share = (double *)&of_four->share[column] + l;
        to->change = (double *)&(m->rates ? of_four->rate : of_four->change)[column] + l;
        to->dof = way->dof + dof_of(at, l, column);
        to->factor *= along[k]->sense;
    }
    return true;
}

/* Closure i with its links; false: no memory, or it does not fit. */
static bool add_closure(maker *m, int i, bool *fits)
{
    const olo_packs *x = m->packs;
    const olo_closure *from = &x->topology->closure_blocks[i];
    closure *of = &m->to->closure[i];
    int node[2], ends[2] = {-1, -1};
    of->at[0] = of->at[1] = -1;
    of->first_row = from->first;
    of->u = from->u;
    of->rows = of->count = from->count;
    of->groups = (of->count + LANES - 1) / LANES;
    if (x->system->constraints[from->first].share_count > 0) {
        *fits = find_shares(x, from, m->to, of);
        m->work += 100.0 * of->links * of->groups;
        return *fits && add_relations(m, from, of);
    }
    if (!find_nodes(x->topology, from, &of->sides, node)) {
        *fits = false;
        return false;
    }
    for (int j = 0; j < from->count && !x->at_start; j++) {
        const int relative = relative_of_row(x->topology, from->first + j);
        of->relative = relative > of->relative ? relative : of->relative;
    }
    of->count = of->rows + of->relative;
    of->groups = (of->count + LANES - 1) / LANES;
    for (int k = 0; k < of->sides; k++)
        ends[k] = m->position[node[k]];
    if (!add_links(m, of, of->sides, ends))
        return false;
    for (int k = 0; k < of->sides; k++)
        of->at[k] = m->mark[m->position[node[k]]];
    find_sides(m, from, of, node);
    for (int k = 0; k < of->rows; k++) {
        const olo_constraint *row = &x->system->constraints[from->first + k];
        double gradient[OLO_FORM_SIZE_MAX];
        of->curved |= (unsigned)(row->form->products > 0) << k;
        olo_constraint_gradient(row, &(olo_at){.q = x->system->q0}, gradient);
        olo_packs_set_gradient(m->to, of, k, row, gradient, of->left);
        olo_packs_set_gradient(m->to, of, k, row, gradient, of->end);
    }
    m->work += 100.0 * of->links * of->groups;
    return true;
}

static int compare_shared(const void *a, const void *b)
{
    const shared *x = a, *y = b;
    if (x->i != y->i)
        return x->i < y->i ? -1 : 1;
    if (x->j != y->j)
        return x->j < y->j ? -1 : 1;
    return x->eta < y->eta ? -1 : x->eta > y->eta;
}

/* The degrees of freedom of a body, on the ways of two closures; false: no memory. */
static bool share_body(maker *m, const int *owner, int p, int q)
{
    closures *to = m->to;
    const closure *i = &to->closure[owner[p]], *j = &to->closure[owner[q]];
    for (int n = 0; n < to->links[p].dofs; n++) {
        shared *list =
            olo_grow(to->shared, (size_t)to->shared_count, &m->shared_capacity, sizeof *list);
        if (!list)
            return false;
        to->shared = list;
        list[to->shared_count++] = (shared){owner[p], owner[q], (to->links[p].dof + n) * i->groups,
                                            (to->links[q].dof + n) * j->groups};
    }
    return true;
}

/* All pairs of links of the same body, by closures. `last` and `next` list the links of each body.
 */
static bool share_bodies(maker *m, int *last, int *next, int *owner, bool *fits)
{
    closures *to = m->to;
    for (int b = 0; b < m->packs->count; b++)
        last[b] = -1;
    for (int i = 0; i < to->count; i++)
        for (int k = 0; k < to->closure[i].links; k++) {
            const int at = to->closure[i].first + k;
            owner[at] = i;
            next[at] = last[to->links[at].body];
            last[to->links[at].body] = at;
        }
    for (int b = 0; b < m->packs->count && *fits; b++)
        for (int p = last[b]; p >= 0 && *fits; p = next[p])
            for (int q = last[b]; q >= 0 && *fits; q = next[q]) {
                const closure *i = &to->closure[owner[p]], *j = &to->closure[owner[q]];
                if (!share_body(m, owner, p, q))
                    return false;
                m->work += 3.0 * dofs_of(m->packs, b) * i->count * j->groups;
                *fits = m->work <= (double)MOST_WORK * m->packs->count;
            }
    if (to->shared_count > 0)
        qsort(to->shared, (size_t)to->shared_count, sizeof *to->shared, compare_shared);
    return true;
}

/* The pairs of closures among them; false: no memory. */
static bool find_overlaps(maker *m)
{
    closures *to = m->to;
    for (int pass = 0; pass < 2; pass++) {
        to->overlap_count = 0;
        for (int k = 0; k < to->shared_count; k++) {
            const shared *s = &to->shared[k];
            const bool begins = k == 0 || s->i != s[-1].i || s->j != s[-1].j;
            if (begins && pass == 1)
                to->overlaps[to->overlap_count] = (overlap){.i = s->i, .j = s->j, .first = k};
            to->overlap_count += begins;
            if (pass == 1)
                to->overlaps[to->overlap_count - 1].count++;
        }
        if (pass == 0)
            to->overlaps = olo_alloc((size_t)to->overlap_count, sizeof *to->overlaps);
        if (!to->overlaps)
            return false;
    }
    return true;
}

/* A block of multipliers for every closure and, if `relative`, one of its relative motions. */
static olo_status make_structure(closures *to, bool relative, olo_elimination_structure **structure,
                                 olo_elimination **S, olo_error *error)
{
    olo_block *blocks = olo_alloc(2 * (size_t)to->count, sizeof *blocks);
    int *edges = olo_alloc(8 * (size_t)(to->overlap_count + to->count), sizeof *edges);
    int count = 0, edge_count = 0;
    olo_status status = OLO_OK;
    if (!blocks || !edges)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for closures");
    for (int i = 0; status == OLO_OK && i < to->count; i++) {
        closure *c = &to->closure[i];
        c->block[0] = count;
        blocks[count++] =
            (olo_block){.size = c->rows, .dof = c->rows, .parent = -1, .closure = true};
        c->block[1] = relative && c->relative > 0 ? count : -1;
        if (c->block[1] >= 0)
            blocks[count++] =
                (olo_block){.size = c->relative, .dof = c->relative, .parent = -1, .plain = true};
    }
    for (int k = 0; status == OLO_OK && k < to->overlap_count; k++) {
        const closure *i = &to->closure[to->overlaps[k].i], *j = &to->closure[to->overlaps[k].j];
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (i->block[a] >= 0 && j->block[b] >= 0 && i->block[a] < j->block[b]) {
                    edges[2 * edge_count] = i->block[a];
                    edges[2 * edge_count++ + 1] = j->block[b];
                }
    }
    if (status == OLO_OK)
        status =
            olo_elimination_structure_create(count, blocks, edge_count, edges, structure, error);
    if (status == OLO_OK)
        status = olo_elimination_create(*structure, S, error);
    olo_free(blocks);
    olo_free(edges);
    return status;
}

/* S, and the matrix of multipliers alone if rows are redundant. The blocks of closures are then
 * those of S. */
static olo_status make_matrices(const olo_packs *x, closures *to, olo_error *error)
{
    olo_status status = OLO_OK;
    if (olo_system_is_redundant(x->system))
        status = make_structure(to, false, &to->rank_structure, &to->rank, error);
    if (status == OLO_OK)
        status = make_structure(to, true, &to->structure, &to->S, error);
    for (int k = 0; status == OLO_OK && k < to->overlap_count; k++) {
        overlap *o = &to->overlaps[k];
        o->rank = to->rank ? olo_elimination_matrix(to->rank, o->i, o->j) : NULL;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                const int i = to->closure[o->i].block[a], j = to->closure[o->j].block[b];
                o->block[a][b] = i < 0 || j < 0 ? NULL : olo_elimination_matrix(to->S, i, j);
            }
    }
    return status;
}

/* Memory of the sweeps; false: none. */
static bool take_memory(const olo_packs *x, closures *to)
{
    size_t numbers = 0, most = 0;
    for (int i = 0; i < to->count; i++) {
        const closure *c = &to->closure[i];
        numbers += 2 * (size_t)(c->dofs * c->groups);
        most = (size_t)c->links > most ? (size_t)c->links : most;
    }
    to->numbers = olo_alloc(numbers, sizeof *to->numbers);
    to->columns = olo_alloc(most, sizeof *to->columns);
    to->rows = olo_alloc(most, sizeof *to->rows);
    to->base = olo_alloc((size_t)x->fours, sizeof *to->base);
    to->forces = olo_alloc((size_t)x->fours * LANES, sizeof *to->forces);
    to->left = olo_alloc((size_t)x->fours * LANES, sizeof *to->left);
    if (!to->numbers || !to->columns || !to->rows || !to->base || !to->left || !to->forces)
        return false;
    for (int k = 0; k < to->coupled_count; k++)
        to->forces[to->coupled[k].body] = to->coupled[k].force;
    lane *at = to->numbers;
    for (int i = 0; i < to->count; i++) {
        closure *c = &to->closure[i];
        c->eta = at;
        c->rho = at + c->dofs * c->groups;
        at = c->rho + c->dofs * c->groups;
    }
    return true;
}

/* All closures with their links, then what they share; false: no memory, or they do not fit. */
static bool find_closures(maker *m, bool *fits)
{
    closures *to = m->to;
    const size_t bodies = (size_t)m->packs->count;
    m->mark = olo_alloc(bodies, sizeof *m->mark);
    m->coupled = olo_alloc(bodies, sizeof *m->coupled);
    bool ok = m->mark && m->coupled;
    for (int i = 0; ok && i < m->packs->count; i++)
        m->coupled[i] = -1;
    for (int i = 0; ok && i < to->count; i++) {
        ok = add_closure(m, i, fits);
        *fits = *fits && to->closure[i].dofs > 0; /* else nothing moves it */
        ok = ok && *fits;
        if (ok)
            order_links(m->packs, to->links + to->closure[i].first, &to->closure[i]);
    }
    int *next = ok ? olo_alloc((size_t)to->link_count, sizeof *next) : NULL,
        *owner = ok ? olo_alloc((size_t)to->link_count, sizeof *owner) : NULL;
    ok = next && owner && share_bodies(m, m->mark, next, owner, fits) && *fits &&
         find_overlaps(m) && take_memory(m->packs, to);
    for (int i = 0; ok && i < m->packs->count; i++)
        m->packs->slots[i / LANES].coupled[i % LANES] =
            m->coupled[i] >= 0 && to->coupled[m->coupled[i]].varies ? m->coupled[i] : -1;
    olo_free(next);
    olo_free(owner);
    olo_free(m->mark);
    olo_free(m->coupled);
    return ok;
}

olo_status olo_packs_closures_create(olo_packs *x, olo_elimination *elimination,
                                     const int *position, bool *fits, olo_error *error)
{
    const int count = x->topology->closure_block_count;
    closures *to = x->closures = olo_alloc(1, sizeof *to);
    maker m = {.packs = x,
               .to = to,
               .elimination = elimination,
               .position = position,
               .rates = x->velocities};
    *fits = true;
    if (to) {
        to->count = count;
        to->closure = olo_alloc((size_t)count, sizeof *to->closure);
        to->coupled = olo_alloc(2 * (size_t)count, sizeof *to->coupled);
        to->shares = olo_alloc(MOST_SHARES * (size_t)count, sizeof *to->shares);
    }
    if (to && to->closure && to->coupled && to->shares && find_closures(&m, fits))
        return make_matrices(x, to, error);
    return *fits ? olo_fail(error, OLO_NO_MEMORY, "out of memory for closures") : OLO_OK;
}

bool olo_packs_closures_store_rows(closures *x)
{
    size_t bundles = 0, rows = 0;
    for (int i = 0; i < x->count; i++) {
        bundles += (size_t)(x->closure[i].links * x->closure[i].groups);
        rows += (size_t)x->closure[i].rows;
    }
    x->stored_rows = olo_alloc(bundles, sizeof *x->stored_rows);
    x->gamma = olo_alloc(rows, sizeof *x->gamma);
    if (!x->stored_rows || !x->gamma)
        return false;
    bundle *at = x->stored_rows;
    for (int i = 0; i < x->count; i++) {
        x->closure[i].stored_rows = at;
        at += x->closure[i].links * x->closure[i].groups;
    }
    return true;
}

void olo_packs_closures_free(closures *x)
{
    if (!x)
        return;
    olo_elimination_free(x->S);
    olo_elimination_free(x->rank);
    olo_elimination_structure_free(x->rank_structure);
    olo_elimination_structure_free(x->structure);
    olo_free(x->closure);
    olo_free(x->coupled);
    olo_free(x->links);
    olo_free(x->shares);
    olo_free(x->overlaps);
    olo_free(x->shared);
    olo_free(x->numbers);
    olo_free(x->columns);
    olo_free(x->rows);
    olo_free(x->stored_rows);
    olo_free(x->gamma);
    olo_free(x->base);
    olo_free(x->forces);
    olo_free(x->left);
    olo_free(x);
}
