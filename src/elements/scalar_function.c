/* Functions of scalars; see the header. A row is a relation (system/constraint_relation.c) whose
 * only share is a term of its own, with the exact discrete gradient of a general law. */
#include "elements/scalar_function.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "elements/curve_law.h"

/* The names that an expression may use: coordinates, then positions of points. */
typedef struct candidates {
    const char **names;
    int *coordinate; /* index in q, or -1: */
    int *component;  /* of the points: 3 point + axis */
    int count;
} candidates;

static void free_candidates(candidates *x)
{
    olo_free((void *)x->names);
    olo_free(x->coordinate);
    olo_free(x->component);
}

static bool list_candidates(const olo_system *s, const olo_function_points *points, candidates *x)
{
    static const char *const names[2][6] = {{"x", "y", "z"}, {"x1", "y1", "z1", "x2", "y2", "z2"}};
    const size_t most = (size_t)s->node_count + 6;
    *x = (candidates){.names = olo_alloc(most, sizeof *x->names),
                      .coordinate = olo_alloc(most, sizeof *x->coordinate),
                      .component = olo_alloc(most, sizeof *x->component)};
    if (!x->names || !x->coordinate || !x->component)
        return false;
    for (int k = 0; k < s->node_count; k++)
        if (s->nodes[k].type->width == 1) {
            x->names[x->count] = s->nodes[k].name;
            x->coordinate[x->count++] = s->nodes[k].q;
        }
    for (int i = 0; points && i < 3 * points->count; i++) {
        x->names[x->count] = names[points->count - 1][i];
        x->coordinate[x->count] = -1;
        x->component[x->count++] = i;
    }
    return true;
}

/* Moves the names that the expression uses to the front. */
static olo_status select_used(olo_builder *builder, const char *key, const char *text,
                              candidates *x)
{
    olo_curve *curve;
    int used = 0;
    const olo_status status = olo_build_function(builder, key, x->count, x->names, text, &curve);
    if (status != OLO_OK)
        return status;
    for (int i = 0; i < x->count; i++)
        if (olo_curve_uses(curve, i)) {
            x->names[used] = x->names[i];
            x->coordinate[used] = x->coordinate[i];
            x->component[used++] = x->component[i];
        }
    olo_curve_free(curve);
    x->count = used;
    if (used > OLO_FUNCTION_ARGUMENTS)
        return olo_builder_fail(builder, key,
                                "'%s' depends on %d coordinates, at most %d are possible; write an "
                                "energy as a list of several expressions",
                                text, used, OLO_FUNCTION_ARGUMENTS);
    return OLO_OK;
}

/* form += factor times a component of a position */
static void add_component(const olo_function_points *points, int component, double factor,
                          olo_form_builder *form)
{
    double axis[3] = {0, 0, 0};
    axis[component % 3] = factor;
    olo_form_add_component(form, axis, &points->position[component / 3]);
}

/* The form c + sum b_k e_k of a linear expression; the count is zero if all b_k are. */
static void set_linear(const olo_function_points *points, const candidates *x,
                       const olo_curve *curve, olo_scalar_function *f)
{
    const double none[OLO_FUNCTION_ARGUMENTS] = {0};
    bool depends = false;
    f->law = NULL;
    f->count = 1;
    olo_form_begin(&f->form[0]);
    olo_form_add_constant(&f->form[0], olo_curve_value(curve, none));
    for (int k = 0; k < x->count; k++) {
        const double b = olo_curve_derivative(curve, none, k);
        depends = depends || b != 0;
        if (x->coordinate[k] >= 0)
            olo_form_add_linear(&f->form[0], x->coordinate[k], b);
        else
            add_component(points, x->component[k], b, &f->form[0]);
    }
    if (!depends)
        f->count = 0;
}

static olo_status check_initial(olo_builder *builder, const char *key, const char *text,
                                const olo_scalar_function *f)
{
    if (!isfinite(olo_function_initial(olo_build_system(builder), f)))
        return olo_builder_fail(builder, key, "'%s' is not finite at the initial state", text);
    return OLO_OK;
}

static olo_status compile(olo_builder *builder, const char *key, const char *text,
                          const olo_function_points *points, candidates *x, olo_scalar_function *f)
{
    olo_curve *curve;
    olo_status status = select_used(builder, key, text, x);
    if (status == OLO_OK)
        status = olo_build_function(builder, key, x->count, x->names, text, &curve);
    if (status == OLO_OK)
        status = olo_build_own(builder, curve, olo_curve_free);
    if (status != OLO_OK)
        return status;
    f->count = x->count;
    if (x->count > 0 && olo_curve_degree(curve) <= 1) {
        set_linear(points, x, curve, f);
        return check_initial(builder, key, text, f);
    }
    f->law = olo_build_curve_law(builder, curve, x->count, 1.0);
    if (!f->law)
        return olo_build_out_of_memory(builder);
    for (int k = 0; k < x->count; k++) {
        olo_form_begin(&f->form[k]);
        if (x->coordinate[k] >= 0)
            olo_form_add_linear(&f->form[k], x->coordinate[k], 1);
        else
            add_component(points, x->component[k], 1, &f->form[k]);
    }
    return check_initial(builder, key, text, f);
}

static olo_status build(olo_builder *builder, const char *key, const char *text,
                        const olo_function_points *points, olo_scalar_function *function)
{
    candidates x;
    const olo_status status = list_candidates(olo_build_system(builder), points, &x)
                                  ? compile(builder, key, text, points, &x, function)
                                  : olo_build_out_of_memory(builder);
    free_candidates(&x);
    return status;
}

olo_status olo_build_expression(olo_builder *builder, const char *key, const char *text,
                                const olo_function_points *points, olo_scalar_function *function)
{
    const olo_status status = build(builder, key, text, points, function);
    if (status == OLO_OK && function->count == 0)
        return olo_builder_fail(builder, key, "'%s' depends on no coordinate of the model", text);
    return status;
}

olo_status olo_build_entry(olo_builder *builder, const char *key, const char *text,
                           olo_scalar_function *function, double *value)
{
    const olo_status status = build(builder, key, text, NULL, function);
    if (status == OLO_OK)
        *value = olo_function_initial(olo_build_system(builder), function);
    return status;
}

/* ---- C functions ------------------------------------------------------------------------------
 */

typedef struct user_law {
    olo_general_law law;
    olo_user_function *function;
    void *context;
    int count;
} user_law;

static double user_value(void *context, const double *e)
{
    const user_law *x = context;
    double value, g[OLO_FUNCTION_ARGUMENTS], gg[OLO_FUNCTION_ARGUMENTS * OLO_FUNCTION_ARGUMENTS];
    x->function(x->context, e, &value, g, gg);
    return value;
}

static void user_gradient(void *context, const double *e, double *g)
{
    const user_law *x = context;
    double value, gg[OLO_FUNCTION_ARGUMENTS * OLO_FUNCTION_ARGUMENTS];
    x->function(x->context, e, &value, g, gg);
}

static void user_hessian(void *context, const double *e, double *gg)
{
    const user_law *x = context;
    double value, g[OLO_FUNCTION_ARGUMENTS];
    x->function(x->context, e, &value, g, gg);
}

/* Central differences of the Hessian. Only the matrices of Newton's method contain them. */
static void user_third(void *context, const double *e, double *ggg)
{
    const user_law *x = context;
    const int n = x->count;
    double at[OLO_FUNCTION_ARGUMENTS], gg[2][OLO_FUNCTION_ARGUMENTS * OLO_FUNCTION_ARGUMENTS];
    for (int m = 0; m < n; m++) {
        const double step = 1e-5 * (1 + fabs(e[m]));
        for (int side = 0; side < 2; side++) {
            memcpy(at, e, (size_t)n * sizeof *at);
            at[m] += side ? step : -step;
            user_hessian(context, at, gg[side]);
        }
        for (int k = 0; k < n * n; k++)
            ggg[k * n + m] = (gg[1][k] - gg[0][k]) / (2 * step);
    }
}

olo_status olo_build_user_function(olo_builder *builder, const char *key, olo_user_function *user,
                                   void *context, const olo_function_points *points,
                                   olo_scalar_function *f)
{
    user_law *x = olo_pool_alloc(&olo_build_system(builder)->pool, 1, sizeof *x);
    if (!x)
        return olo_build_out_of_memory(builder);
    *x = (user_law){.law = {.context = x,
                            .value = user_value,
                            .gradient = user_gradient,
                            .hessian = user_hessian,
                            .third = user_third},
                    .function = user,
                    .context = context,
                    .count = 3 * points->count};
    f->law = &x->law;
    f->count = x->count;
    for (int k = 0; k < f->count; k++) {
        olo_form_begin(&f->form[k]);
        add_component(points, k, 1, &f->form[k]);
    }
    if (!isfinite(olo_function_initial(olo_build_system(builder), f)))
        return olo_builder_fail(builder, key, "the function is not finite at the initial state");
    return OLO_OK;
}

/* ---- terms and rows ---------------------------------------------------------------------------
 */

double olo_function_initial(const olo_system *s, const olo_scalar_function *f)
{
    double e[OLO_FUNCTION_ARGUMENTS];
    e[0] = f->law ? 0 : f->form[0].c;
    for (int k = 0; k < f->count; k++) {
        e[k] = f->form[k].c;
        for (int i = 0; i < f->form[k].size; i++)
            e[k] += f->form[k].b[i] * s->q0[f->form[k].index[i]];
    }
    return f->law ? f->law->value(f->law->context, e) : e[0];
}

olo_status olo_build_function_term(olo_builder *builder, const char *owner, olo_term_role role,
                                   const olo_scalar_function *f)
{
    static const double one = 1;
    if (!f->law)
        return olo_build_term(builder, owner, role, &olo_law_linear, NULL, &one, 1, f->form);
    return olo_build_term(builder, owner, role, &olo_law_general, f->law, NULL, f->count, f->form);
}

const olo_term *olo_build_own_term(olo_builder *builder, const olo_scalar_function *f)
{
    static const double one = 1;
    olo_pool *pool = &olo_build_system(builder)->pool;
    olo_form *forms = olo_pool_alloc(pool, (size_t)f->count, sizeof *forms);
    olo_term *term = olo_pool_alloc(pool, 1, sizeof *term);
    if (!forms || !term || !olo_forms_finish(f->count, f->form, pool, forms))
        return NULL;
    *term = (olo_term){.law = f->law ? &olo_law_general : &olo_law_linear,
                       .context = f->law,
                       .coefficient = &one,
                       .forms = f->count,
                       .form = forms,
                       .size = forms->size,
                       .index = forms->index,
                       .coordinate = -1};
    return term;
}

olo_status olo_build_function_row(olo_builder *builder, const olo_scalar_function *f,
                                  olo_constraint *row)
{
    olo_pool *pool = &olo_build_system(builder)->pool;
    const olo_term *term = olo_build_own_term(builder, f);
    olo_share *share = olo_pool_alloc(pool, 1, sizeof *share);
    int *slot = term ? olo_pool_alloc(pool, (size_t)term->size, sizeof *slot) : NULL;
    if (!share || !slot)
        return olo_build_out_of_memory(builder);
    for (int i = 0; i < term->size; i++)
        slot[i] = i;
    *share = (olo_share){.factor = 1, .coordinate = term, .slot = slot};
    *row = (olo_constraint){.type = &olo_constraint_relation,
                            .size = term->size,
                            .index = term->index,
                            .curved = f->law != NULL,
                            .share_count = 1,
                            .shares = share};
    return OLO_OK;
}
