/* Builds a quadratic form term by term. Like terms are merged. */
#ifndef OLO_SYSTEM_FORM_BUILDER_H
#define OLO_SYSTEM_FORM_BUILDER_H

#include <stdbool.h>

#include "base/pool.h"
#include "system/form.h"
#include "system/position.h"

enum { OLO_FORM_PRODUCTS_MAX = 512 };

/* A form under construction, on the stack; olo_form_begin sets it to zero. `overflow` is set when a
 * form has too many coordinates or products. */
typedef struct olo_form_builder {
    double c;
    int size, products;
    int index[OLO_FORM_SIZE_MAX];
    double b[OLO_FORM_SIZE_MAX];
    olo_product product[OLO_FORM_PRODUCTS_MAX];
    bool overflow;
} olo_form_builder;

static inline void olo_form_begin(olo_form_builder *f)
{
    f->c = 0;
    f->size = f->products = 0;
    f->overflow = false;
}

void olo_form_add_constant(olo_form_builder *f, double c);
void olo_form_add_linear(olo_form_builder *f, int i, double b);
/* f += a q_i q_j */
void olo_form_add_product(olo_form_builder *f, int i, int j, double a);
/* f += s a . b of two positions */
void olo_form_add_dot(olo_form_builder *f, double s, const olo_position *a, const olo_position *b);
/* f += n . x of a fixed vector and a position */
void olo_form_add_component(olo_form_builder *f, const double n[3], const olo_position *x);

/* Stores the finished forms in the pool. They share one list of ascending indices, the union of
 * their coordinates; coefficients of coordinates that a form does not depend on are zero. False
 * when out of memory or on overflow. */
bool olo_forms_finish(int count, const olo_form_builder *f, olo_pool *pool, olo_form *forms);

/* Writes new numbers into finished forms. False, with some of them written, if the coordinates or
 * the products are different. */
bool olo_forms_refill(int count, const olo_form_builder *f, olo_form *forms);

#endif
