/* Writing down a quadratic form term by term. */
#include "system/form_builder.h"

#include <string.h>

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
        for (int k = 0; k < a->count; k++)
            olo_form_add_linear(f, a->slot[k] + i, s * a->weight[k] * b->x0[i]);
        for (int l = 0; l < b->count; l++)
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

bool olo_form_finish(const olo_form_builder *f, olo_pool *pool, olo_form *form)
{
    if (f->overflow)
        return false;
    int place[OLO_FORM_SIZE_MAX]; /* place[k]: where local coordinate k goes */
    size_t size = (size_t)f->size, products = (size_t)f->products;
    int *index = olo_pool_alloc(pool, size, sizeof *index);
    double *b = olo_pool_alloc(pool, size, sizeof *b);
    olo_product *product = olo_pool_copy(pool, f->product, products, sizeof *product);
    if (!index || !b || !product)
        return false;
    bool pure = true;
    for (int k = 0; k < f->size; k++) {
        pure = pure && f->b[k] == 0;
        place[k] = 0;
        for (int l = 0; l < f->size; l++)
            place[k] += f->index[l] < f->index[k];
        index[place[k]] = f->index[k];
        b[place[k]] = f->b[k];
    }
    for (int p = 0; p < f->products; p++) {
        int i = place[product[p].i], j = place[product[p].j];
        product[p].i = i < j ? i : j;
        product[p].j = i < j ? j : i;
    }
    *form = (olo_form){.c = f->c,
                       .size = f->size,
                       .products = f->products,
                       .pure = pure,
                       .index = index,
                       .b = b,
                       .product = product};
    return true;
}
