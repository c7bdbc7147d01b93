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

static void add_product(olo_form_builder *f, int i, int j, double a)
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
        for (int k = 0; k < a->count; k++)
            olo_form_add_linear(f, a->slot[k] + i, s * a->weight[k] * b->x0[i]);
        for (int l = 0; l < b->count; l++)
            olo_form_add_linear(f, b->slot[l] + i, s * b->weight[l] * a->x0[i]);
        for (int k = 0; k < a->count; k++)
            for (int l = 0; l < b->count; l++)
                add_product(f, a->slot[k] + i, b->slot[l] + i, s * a->weight[k] * b->weight[l]);
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

/* slot[k] = the index of local coordinate k in the ascending list; false: it is not in the list.
 * The search starts after the previous coordinate, since most coordinates are consecutive. */
static bool find_slots(const olo_form_builder *f, int size, const int *index, int *slot)
{
    int at = -1;
    for (int k = 0; k < f->size; k++) {
        int tried = 0;
        do {
            at = at + 1 < size ? at + 1 : 0;
        } while (++tried <= size && index[at] != f->index[k]);
        if (tried > size)
            return false;
        slot[k] = at;
    }
    return true;
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

bool olo_forms_finish(int count, const olo_form_builder *f, olo_pool *pool, olo_form *forms)
{
    int united[OLO_FORM_SIZE_MAX] = {0};
    const int size = unite(count, f, united);
    const int *index = size < 0 ? NULL : olo_pool_copy(pool, united, (size_t)size, sizeof *index);
    for (int k = 0; index && k < count; k++) {
        double *b = olo_pool_alloc(pool, (size_t)size, sizeof *b);
        olo_product *product = olo_pool_alloc(pool, (size_t)f[k].products, sizeof *product);
        int slot[OLO_FORM_SIZE_MAX], products = 0;
        if (!b || !product || !find_slots(&f[k], size, index, slot))
            return false;
        for (int l = 0; l < f[k].size; l++)
            b[slot[l]] = f[k].b[l];
        for (int p = 0; p < f[k].products; p++)
            if (f[k].product[p].a != 0) /* else its contributions have cancelled */
                product[products++] = in_slots(&f[k].product[p], slot);
        forms[k] = (olo_form){.c = f[k].c,
                              .size = size,
                              .products = products,
                              .pure = is_pure(size, b),
                              .index = index,
                              .b = b,
                              .product = product};
    }
    return index != NULL;
}

/* Writes the products of one form; false: the products are different. */
static bool refill_products(const olo_form_builder *f, const int *slot, olo_form *form)
{
    olo_product *own = (olo_product *)form->product;
    int products = 0;
    for (int p = 0; p < f->products; p++) {
        if (f->product[p].a == 0)
            continue;
        const olo_product x = in_slots(&f->product[p], slot);
        if (products == form->products || x.i != own[products].i || x.j != own[products].j)
            return false;
        own[products++].a = x.a;
    }
    return products == form->products;
}

/* Writes one form; false: it has different coordinates or products. */
static bool refill(const olo_form_builder *f, const int *index, olo_form *form, int *slot)
{
    double *b = (double *)form->b;
    if (f->overflow || !find_slots(f, form->size, index, slot))
        return false;
    if (f->size < form->size)
        memset(b, 0, (size_t)form->size * sizeof *b);
    for (int l = 0; l < f->size; l++)
        b[slot[l]] = f->b[l];
    form->c = f->c;
    form->pure = is_pure(form->size, b);
    return refill_products(f, slot, form);
}

bool olo_forms_refill(int count, const olo_form_builder *f, olo_form *forms)
{
    int slot[OLO_FORM_SIZE_MAX], touched = f->size;
    if (!refill(f, forms->index, forms, slot))
        return false;
    if (count == 1)
        return touched == forms->size;
    bool seen[OLO_FORM_SIZE_MAX] = {false};
    for (int l = 0; l < f->size; l++)
        seen[slot[l]] = true;
    for (int k = 1; k < count; k++) {
        if (!refill(&f[k], forms->index, &forms[k], slot))
            return false;
        for (int l = 0; l < f[k].size; l++) {
            touched += !seen[slot[l]];
            seen[slot[l]] = true;
        }
    }
    return touched == forms->size;
}
