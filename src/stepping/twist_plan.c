/* The coordinates of a piece as 3-vectors; see the header. */
#include "stepping/twist_plan.h"

#include <string.h>

#include "linalg/row3.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "system/system.h"

/* Lists the 3-vectors of the coordinates; owner[i] is the vector of local coordinate i. */
static void find_vectors(const olo_system *s, int size, const int *index,
                         const olo_coupling *coupling, olo_twist_plan *plan, int *owner)
{
    for (int i = 0; i < size; i++) {
        const olo_coordinate *c = &s->coordinates[index[i]];
        const int q = index[i] - c->axis;
        int v = 0, node = 0;
        while (v < plan->vector_count && plan->vectors[v].q != q)
            v++;
        owner[i] = v;
        if (v == plan->vector_count) {
            while (coupling->node[node] != c->node)
                node++;
            plan->vectors[plan->vector_count++] =
                (olo_plan_vector){.q = q,
                                  .local = {-1, -1, -1},
                                  .node = node,
                                  .twist = c->twist,
                                  .offset = coupling->offset[node] + c->twist,
                                  .turns = c->slot > 0,
                                  .width = c->width};
        }
        plan->vectors[v].local[c->axis] = i;
    }
}

/* The product of two local coordinates with the factor a, not yet taken; -1: none. */
static int find_product(const olo_form *form, const bool *taken, int i, int j, double a)
{
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        if (!taken[p] && x->a == a && ((x->i == i && x->j == j) || (x->i == j && x->j == i)))
            return p;
    }
    return -1;
}

/* Groups the products of a form to scalar products, as far as possible. */
static void find_pairs(const olo_system *s, const int *index, const olo_form *form, int number,
                       const int *owner, bool *taken, olo_twist_plan *plan)
{
    memset(taken, 0, (size_t)form->products * sizeof *taken);
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        const olo_plan_vector *vi = &plan->vectors[owner[x->i]], *vj = &plan->vectors[owner[x->j]];
        const int axis_i = s->coordinates[index[x->i]].axis,
                  axis_j = s->coordinates[index[x->j]].axis;
        int found[3] = {-1, -1, -1};
        if (taken[p])
            continue;
        for (int k = 0; axis_i == axis_j && k < 3; k++)
            found[k] = find_product(form, taken, vi->local[k], vj->local[k], x->a);
        if (found[0] >= 0 && found[1] >= 0 && found[2] >= 0) {
            taken[found[0]] = taken[found[1]] = taken[found[2]] = true;
            plan->pairs[plan->pair_count++] =
                (olo_plan_pair){.form = number, .i = owner[x->i], .j = owner[x->j], .a = x->a};
        } else {
            taken[p] = true;
            plan->singles[plan->single_count++] = (olo_plan_single){.form = number,
                                                                    .i = owner[x->i],
                                                                    .j = owner[x->j],
                                                                    .axis_i = axis_i,
                                                                    .axis_j = axis_j,
                                                                    .a = x->a};
        }
    }
}

bool olo_twist_plan_create(const olo_system *s, int size, const int *index,
                           const olo_coupling *coupling, int forms, const olo_form *form,
                           olo_pool *pool, olo_twist_plan *plan)
{
    size_t products = 0;
    for (int k = 0; k < forms; k++)
        products += (size_t)form[k].products;
    olo_pool scratch = {0};
    olo_plan_vector *vectors = olo_pool_alloc(&scratch, (size_t)size, sizeof *vectors);
    olo_plan_pair *pairs = olo_pool_alloc(&scratch, products, sizeof *pairs);
    olo_plan_single *singles = olo_pool_alloc(&scratch, products, sizeof *singles);
    int *owner = olo_pool_alloc(&scratch, (size_t)size, sizeof *owner);
    bool *taken = olo_pool_alloc(&scratch, products, sizeof *taken);
    bool ok = !scratch.failed;
    *plan = (olo_twist_plan){
        .twists = coupling->twists, .vectors = vectors, .pairs = pairs, .singles = singles};
    if (ok) {
        find_vectors(s, size, index, coupling, plan, owner);
        for (int k = 0; k < forms; k++)
            find_pairs(s, index, &form[k], k, owner, taken, plan);
        /* the lists at their final lengths */
        plan->vectors = olo_pool_copy(pool, vectors, (size_t)plan->vector_count, sizeof *vectors);
        plan->pairs = olo_pool_copy(pool, pairs, (size_t)plan->pair_count, sizeof *pairs);
        plan->singles = olo_pool_copy(pool, singles, (size_t)plan->single_count, sizeof *singles);
        ok = plan->vectors && plan->pairs && plan->singles;
    }
    olo_pool_free(&scratch);
    return ok;
}

void olo_twist_project(const olo_twist_plan *plan, const double *q, const double *g, double *twists)
{
    for (int i = 0; i < plan->twists; i++)
        twists[i] = 0;
    for (int v = 0; v < plan->vector_count; v++) {
        const olo_plan_vector *x = &plan->vectors[v];
        double own[3], *to = twists + x->offset;
        for (int k = 0; k < 3; k++)
            own[k] = x->local[k] >= 0 ? g[x->local[k]] : 0.0;
        if (x->turns)
            vec3_add_cross(q + x->q, own, to);
        else
            small_add_row(x->width, 1.0, own, to);
    }
}

void olo_twist_add_pair(double m, bool turns_i, bool turns_j, const double *left,
                        const double *right, int row, double *K)
{
    if (turns_i && turns_j) {
        const double along = m * vec3_dot(left, right);
        const row3 d = row3_load(left);
        for (int i = 0; i < 3; i++) {
            row3_store(row3_add_times(row3_load(K + i * row), -m * right[i], d), K + i * row);
            K[i * row + i] += along;
        }
    } else if (turns_i || turns_j) {
        /* d^ at the left if the row is a director, -d^ at the right if the column is one */
        const double *d = turns_i ? left : right;
        const double sign = turns_i ? m : -m;
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            K[i * row + j] -= sign * d[k];
            K[i * row + k] += sign * d[j];
        }
    } else {
        for (int i = 0; i < 3; i++)
            K[i * row + i] += m;
    }
}
