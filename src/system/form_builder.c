/* Builds quadratic forms term by term, and stores them with a common list of coordinates. */
#include "system/form_builder.h"

#include <string.h>

/* The local index of coordinate i, which is added if it is new. */
static int local(olo_form_builder *f, int i)
{
    for (int k = 0; k < f->size; k++)
        if (f->index[k] == i)
            return k;
    if (f->size == OLO_FORM_SIZE_MAX) {
        f->overflow = true;
        return 0;
    }
    f->index[f->size] = i;
    f->b[f->size] = 0;
    return f->size++;
}

void olo_form_add_constant(olo_form_builder *f, double c)
{
    f->c += c;
}

void olo_form_add_linear(olo_form_builder *f, int i, double b)
{
    if (b != 0)
        f->b[local(f, i)] += b;
}

void olo_form_add_product(olo_form_builder *f, int i, int j, double a)
{
    if (a == 0)
        return;
    int k = local(f, i), l = local(f, j);
    if (k > l) {
        int swap = k;
        k = l;
        l = swap;
    }
    for (int p = 0; p < f->products; p++)
        if (f->product[p].i == k && f->product[p].j == l) {
            f->product[p].a += a;
            return;
        }
    if (f->products == OLO_FORM_PRODUCTS_MAX)
        f->overflow = true;
    else
        f->product[f->products++] = (olo_product){.i = k, .j = l, .a = a};
}

void olo_form_add_dot(olo_form_builder *f, double s, const olo_position *a, const olo_position *b)
{
    for (int i = 0; i < 3; i++) {
        f->c += s * a->x0[i] * b->x0[i];
        for (int k = 0; b->x0[i] != 0 && k < a->count; k++)
            olo_form_add_linear(f, a->slot[k] + i, s * a->weight[k] * b->x0[i]);
        for (int l = 0; a->x0[i] != 0 && l < b->count; l++)
            olo_form_add_linear(f, b->slot[l] + i, s * b->weight[l] * a->x0[i]);
        for (int k = 0; k < a->count; k++)
            for (int l = 0; l < b->count; l++)
                olo_form_add_product(f, a->slot[k] + i, b->slot[l] + i,
                                     s * a->weight[k] * b->weight[l]);
    }
}

void olo_form_add_component(olo_form_builder *f, const double n[3], const olo_position *x)
{
    for (int i = 0; i < 3; i++) {
        f->c += n[i] * x->x0[i];
        for (int k = 0; k < x->count; k++)
            olo_form_add_linear(f, x->slot[k] + i, n[i] * x->weight[k]);
    }
}

/* The union of the coordinates of all forms, ascending. Returns their number, -1 on overflow. */
static int unite(int count, const olo_form_builder *f, int *index)
{
    int size = 0;
    for (int k = 0; k < count; k++) {
        if (f[k].overflow)
            return -1;
        for (int l = 0; l < f[k].size; l++) {
            int at = size;
            while (at > 0 && index[at - 1] > f[k].index[l])
                at--;
            if (at > 0 && index[at - 1] == f[k].index[l])
                continue;
            if (size == OLO_FORM_SIZE_MAX)
                return -1;
            memmove(index + at + 1, index + at, (size_t)(size - at) * sizeof *index);
            index[at] = f[k].index[l];
            size++;
        }
    }
    return size;
}

/* slot[k] = the index of local coordinate k in the ascending list, which contains it. */
static void find_slots(const olo_form_builder *f, int size, const int *index, int *slot)
{
    for (int k = 0; k < f->size; k++) {
        slot[k] = 0;
        while (slot[k] < size - 1 && index[slot[k]] != f->index[k])
            slot[k]++;
    }
}

/* A product in terms of the common list; i <= j. */
static olo_product in_slots(const olo_product *x, const int *slot)
{
    const int i = slot[x->i], j = slot[x->j];
    return (olo_product){.i = i < j ? i : j, .j = i < j ? j : i, .a = x->a};
}

static bool is_pure(int size, const double *b)
{
    bool pure = true;
    for (int l = 0; pure && l < size; l++)
        pure = b[l] == 0;
    return pure;
}

/* Stores one form with coordinates `index`. */
static bool finish(const olo_form_builder *f, int size, const int *index, olo_pool *pool,
                   olo_form *form)
{
    int slot[OLO_FORM_SIZE_MAX], products = 0;
    double *b = olo_pool_alloc(pool, (size_t)size, sizeof *b);
    olo_product *product = olo_pool_alloc(pool, (size_t)f->products, sizeof *product);
    find_slots(f, size, index, slot);
    const int *order = olo_pool_copy(pool, slot, (size_t)f->size, sizeof *order);
    if (!b || !product || !order)
        return false;
    for (int l = 0; l < f->size; l++)
        b[slot[l]] = f->b[l];
    for (int p = 0; p < f->products; p++)
        if (f->product[p].a != 0) /* else its contributions have cancelled */
            product[products++] = in_slots(&f->product[p], slot);
    *form = (olo_form){.c = f->c,
                       .size = size,
                       .products = products,
                       .pure = is_pure(size, b),
                       .index = index,
                       .order = order,
                       .used = f->size,
                       .b = b,
                       .product = product};
    return true;
}

bool olo_forms_finish(int count, const olo_form_builder *f, olo_pool *pool, olo_form *forms)
{
    int united[OLO_FORM_SIZE_MAX] = {0};
    const int size = unite(count, f, united);
    const int *index = size < 0 ? NULL : olo_pool_copy(pool, united, (size_t)size, sizeof *index);
    bool ok = index != NULL;
    for (int k = 0; ok && k < count; k++)
        ok = finish(&f[k], size, index, pool, &forms[k]);
    return ok;
}

/* Writes one form; false: it has different coordinates or products. */
static bool refill(const olo_form_builder *f, olo_form *form)
{
    double *b = (double *)form->b;
    olo_product *own = (olo_product *)form->product;
    bool same = !f->overflow && f->size == form->used;
    for (int l = 0; same && l < f->size; l++) {
        same = form->index[form->order[l]] == f->index[l];
        b[form->order[l]] = f->b[l];
    }
    int products = 0;
    for (int p = 0; same && p < f->products; p++) {
        if (f->product[p].a == 0)
            continue;
        const olo_product x = in_slots(&f->product[p], form->order);
        same = products < form->products && x.i == own[products].i && x.j == own[products].j;
        if (same)
            own[products++].a = x.a;
    }
    form->c = f->c;
    form->pure = is_pure(form->size, b);
    return same && products == form->products;
}

bool olo_forms_refill(int count, const olo_form_builder *f, olo_form *forms)
{
    bool same = true;
    for (int k = 0; same && k < count; k++)
        same = refill(&f[k], &forms[k]);
    return same;
}
