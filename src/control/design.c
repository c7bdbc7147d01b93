/* Parameters of the model as variables of a transcription; see the header. */
#include "control/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Points of differences of eighth order, at -4 to -1 and 1 to 4 times d, and their weights for
 * first and second derivatives; those of second derivatives apply to differences from the value at
 * p. */
enum { POINTS = 8 };
static const double at_point[POINTS] = {-4, -3, -2, -1, 1, 2, 3, 4};
static const double first[POINTS] = {1.0 / 280, -4.0 / 105, 1.0 / 5,   -4.0 / 5,
                                     4.0 / 5,   -1.0 / 5,   4.0 / 105, -1.0 / 280};
static const double second[POINTS] = {-1.0 / 560, 8.0 / 315, -1.0 / 5,  8.0 / 5,
                                      8.0 / 5,    -1.0 / 5,  8.0 / 315, -1.0 / 560};

/* d relative to a parameter: truncation and rounding are then of the same size. */
static const double DISTANCE = 1.0 / 64;

/* The problem at some values of the parameters. */
typedef struct variant {
    olo_system *system;
    olo_state *state;
    olo_control_problem *problem;
} variant;

/* The variants along one direction. */
typedef struct line {
    bool made;
    variant at[POINTS];
} line;

struct olo_design {
    const olo_control_problem *problem;
    olo_redundant *full;
    olo_reduced *reduced; /* NULL: the transcription is `full` */
    const olo_nlp *of;
    olo_pool pool;
    olo_nlp nlp;
    int count;
    int given;         /* coordinates of a first configuration that is given */
    const char **name; /* [count] */
    double *p, *shift; /* [count] present values, and others */
    double *d;         /* [count] */
    bool known;
    variant centre;
    const variant *in_use;      /* the one that the transcription evaluates, NULL: none of these */
    line *axes, *pairs;         /* [count], [count (count - 1)/2] */
    double *c, *c0, *J, *g, *y; /* rows, Jacobian, gradient of the transcription */
};

// -- systems --------------------------------------------------------------------------------------

static void clear_variant(variant *v)
{
    olo_control_problem_release(v->problem);
    olo_state_free(v->state);
    olo_system_free(v->system);
    *v = (variant){0};
}

static void clear_line(line *l)
{
    for (int j = 0; j < POINTS; j++)
        clear_variant(&l->at[j]);
    l->made = false;
}

static int pair_count(const olo_design *x)
{
    return x->count * (x->count - 1) / 2;
}

static void clear_all(olo_design *x)
{
    x->in_use = NULL;
    for (int i = 0; x->axes && i < x->count; i++)
        clear_line(&x->axes[i]);
    for (int i = 0; x->pairs && i < pair_count(x); i++)
        clear_line(&x->pairs[i]);
    clear_variant(&x->centre);
}

static olo_status make_variant(const olo_design *x, const double *p, variant *v, olo_error *error)
{
    const olo_variants *from = x->problem->variants;
    olo_status status =
        from->make(from->model, x->problem->system, x->count, x->name, p, &v->system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(v->system, &v->state, NULL, error);
    if (status == OLO_OK)
        status = olo_control_problem_in(x->problem, v->system, &v->problem, error);
    if (status != OLO_OK)
        clear_variant(v);
    return status;
}

/* The variants along the sum of one or two axes; false if the model cannot be compiled at one. */
static bool make_line(const olo_design *x, int a, int b, line *l)
{
    for (int j = 0; !l->made && j < POINTS; j++) {
        memcpy(x->shift, x->p, (size_t)x->count * sizeof *x->p);
        x->shift[a] += at_point[j] * x->d[a];
        if (b != a)
            x->shift[b] += at_point[j] * x->d[b];
        if (make_variant(x, x->shift, &l->at[j], NULL) != OLO_OK) {
            clear_line(l);
            return false;
        }
    }
    l->made = true;
    return true;
}

/* The line of a pair of parameters, b < a. */
static line *pair_of(const olo_design *x, int a, int b)
{
    return &x->pairs[a * (a - 1) / 2 + b];
}

static void use(olo_design *x, const variant *v)
{
    if (x->in_use == v)
        return;
    x->in_use = v;
    if (x->reduced)
        olo_reduced_use(x->reduced, v->problem, v->state);
    else
        olo_redundant_use(x->full, v->problem, v->state);
}

/* A sign that cannot change makes the value the scale of a parameter; otherwise its bounds do. */
static double scale_of(const olo_control_parameter *of, double p)
{
    const double range = of->upper - of->lower;
    if (of->lower >= 0 || of->upper <= 0)
        return fabs(p);
    return fmax(fabs(p), isfinite(range) ? 0.1 * range : 1.0);
}

static const double *parameters(const olo_design *x, const double *at)
{
    return at + x->of->variables;
}

/* The system at the parameters of a point. */
static olo_status move_to(olo_design *x, const double *at, olo_error *error)
{
    const size_t size = (size_t)x->count * sizeof *x->p;
    olo_status status = OLO_OK;
    if (!x->known || memcmp(x->p, parameters(x, at), size) != 0) {
        clear_all(x);
        memcpy(x->p, parameters(x, at), size);
        for (int i = 0; i < x->count; i++)
            x->d[i] = DISTANCE * scale_of(&x->problem->parameters[i], x->p[i]);
        status = make_variant(x, x->p, &x->centre, error);
        x->known = status == OLO_OK;
    }
    if (x->known)
        use(x, &x->centre);
    return status;
}

static bool move_with_lines(olo_design *x, const double *at, bool pairs)
{
    bool done = move_to(x, at, NULL) == OLO_OK;
    for (int a = 0; done && a < x->count; a++) {
        done = make_line(x, a, a, &x->axes[a]);
        for (int b = 0; done && pairs && b < a; b++)
            done = make_line(x, a, b, pair_of(x, a, b));
    }
    return done;
}

static void fill_nan(int count, double *values)
{
    for (int i = 0; i < count; i++)
        values[i] = NAN;
}

// -- values ---------------------------------------------------------------------------------------

/* The cost of parameters, w(p). */
static double own_cost(const olo_design *x, const double *at)
{
    double sum = 0;
    for (int i = 0; i < x->count; i++)
        sum += olo_control_parameter_cost(x->problem, i, parameters(x, at)[i]);
    return sum;
}

static double objective(void *context, const double *at)
{
    olo_design *x = context;
    if (move_to(x, at, NULL) != OLO_OK)
        return NAN;
    return x->of->objective(x->of->context, at) + own_cost(x, at);
}

static void gradient(void *context, const double *at, double *g)
{
    olo_design *x = context;
    const olo_nlp *of = x->of;
    if (!move_with_lines(x, at, false)) {
        fill_nan(x->nlp.variables, g);
        return;
    }
    of->gradient(of->context, at, g);
    for (int i = 0; i < x->count; i++) {
        const olo_control_parameter *own = &x->problem->parameters[i];
        double sum = 0;
        for (int j = 0; j < POINTS; j++) {
            use(x, &x->axes[i].at[j]);
            sum += first[j] / x->d[i] * of->objective(of->context, at);
        }
        g[of->variables + i] = own->linear + 2 * own->square * x->p[i] + sum;
    }
    use(x, &x->centre);
}

/* All rows of a variant; those of the initial configuration are last. */
static void rows_of(olo_design *x, const variant *v, const double *at, double *c)
{
    use(x, v);
    x->of->evaluate(x->of->context, at, c);
    for (int i = 0; i < x->given; i++)
        c[x->of->rows + i] = at[i] - v->state->q[i];
}

static void evaluate(void *context, const double *at, double *c)
{
    olo_design *x = context;
    if (move_to(x, at, NULL) != OLO_OK)
        fill_nan(x->nlp.rows, c);
    else
        rows_of(x, &x->centre, at, c);
}

/* The Jacobian of the transcription, the columns of the parameters, the rows q_0 by q_0. */
static void evaluate_jacobian(void *context, const double *at, double *values)
{
    olo_design *x = context;
    const int rows = x->nlp.rows;
    double *column = values + x->of->jacobian.count;
    if (!move_with_lines(x, at, false)) {
        fill_nan(x->nlp.jacobian.count, values);
        return;
    }
    x->of->evaluate_jacobian(x->of->context, at, values);
    for (int i = 0; i < x->count; i++, column += rows) {
        memset(column, 0, (size_t)rows * sizeof *column);
        for (int j = 0; j < POINTS; j++) {
            rows_of(x, &x->axes[i].at[j], at, x->c);
            for (int r = 0; r < rows; r++)
                column[r] += first[j] / x->d[i] * x->c[r];
        }
    }
    for (int i = 0; i < x->given; i++)
        column[i] = 1;
    use(x, &x->centre);
}

/* The derivative of sigma f + y.c by x at a variant, added with a factor. */
static void add_lagrangian_gradient(olo_design *x, const variant *v, const double *at, double sigma,
                                    const double *y, double factor, double *sum)
{
    const olo_nlp *of = x->of;
    use(x, v);
    of->gradient(of->context, at, x->g);
    of->evaluate_jacobian(of->context, at, x->J);
    for (int i = 0; i < of->variables; i++)
        sum[i] += factor * sigma * x->g[i];
    for (int e = 0; e < of->jacobian.count; e++)
        sum[of->jacobian.column[e]] += factor * x->J[e] * y[of->jacobian.row[e]];
}

/* sum_j b_j (L_j - L_0) of sigma f + y.c along a line: its second derivative by j d. */
static double along(olo_design *x, const line *l, const double *at, double sigma, const double *y,
                    double f0)
{
    double sum = 0;
    for (int j = 0; j < POINTS; j++) {
        rows_of(x, &l->at[j], at, x->c);
        double change = sigma * (x->of->objective(x->of->context, at) - f0);
        for (int r = 0; r < x->nlp.rows; r++)
            change += y[r] * (x->c[r] - x->c0[r]);
        sum += second[j] * change;
    }
    return sum;
}

static void evaluate_hessian(void *context, const double *at, double sigma, const double *y,
                             double *values)
{
    olo_design *x = context;
    const olo_nlp *of = x->of;
    double *row = values + of->hessian.count;
    if (!move_with_lines(x, at, true)) {
        fill_nan(x->nlp.hessian.count, values);
        return;
    }
    of->evaluate_hessian(of->context, at, sigma, y, values);
    /* parameters and the variables of the transcription */
    for (int i = 0; i < x->count; i++, row += of->variables) {
        memset(row, 0, (size_t)of->variables * sizeof *row);
        for (int j = 0; j < POINTS; j++)
            add_lagrangian_gradient(x, &x->axes[i].at[j], at, sigma, y, first[j] / x->d[i], row);
    }
    /* pairs of parameters: along e_a + e_b the second derivative is aa + 2 ab + bb */
    rows_of(x, &x->centre, at, x->c0);
    const double f0 = of->objective(of->context, at);
    for (int a = 0; a < x->count; a++)
        x->shift[a] = along(x, &x->axes[a], at, sigma, y, f0);
    for (int a = 0; a < x->count; a++) {
        for (int b = 0; b < a; b++)
            *row++ = 0.5 *
                     (along(x, pair_of(x, a, b), at, sigma, y, f0) - x->shift[a] - x->shift[b]) /
                     (x->d[a] * x->d[b]);
        *row++ = x->shift[a] / (x->d[a] * x->d[a]) + 2 * sigma * x->problem->parameters[a].square;
    }
    use(x, &x->centre);
}

// -- creation -------------------------------------------------------------------------------------

static void add(olo_positions *to, int row, int column)
{
    to->row[to->count] = row;
    to->column[to->count++] = column;
}

static bool start_positions(olo_design *x, const olo_positions *from, int more, olo_positions *to)
{
    const size_t count = (size_t)from->count + (size_t)more;
    to->row = olo_pool_alloc(&x->pool, count, sizeof *to->row);
    to->column = olo_pool_alloc(&x->pool, count, sizeof *to->column);
    for (int e = 0; to->row && to->column && e < from->count; e++)
        add(to, from->row[e], from->column[e]);
    return to->row && to->column;
}

static bool list_positions(olo_design *x)
{
    const int of = x->of->variables, rows = x->nlp.rows;
    if (!start_positions(x, &x->of->jacobian, x->count * rows + x->given, &x->nlp.jacobian) ||
        !start_positions(x, &x->of->hessian, x->count * (of + x->count), &x->nlp.hessian))
        return false;
    for (int i = 0; i < x->count; i++)
        for (int r = 0; r < rows; r++)
            add(&x->nlp.jacobian, r, of + i);
    for (int i = 0; i < x->given; i++)
        add(&x->nlp.jacobian, x->of->rows + i, i);
    for (int i = 0; i < x->count; i++)
        for (int j = 0; j < of; j++)
            add(&x->nlp.hessian, of + i, j);
    for (int i = 0; i < x->count; i++)
        for (int j = 0; j <= i; j++)
            add(&x->nlp.hessian, of + i, of + j);
    return true;
}

/* The first configuration is a variable, and satisfies its constraints by its own rows. */
static void set_bounds(olo_design *x)
{
    const olo_nlp *of = x->of;
    const size_t variables = (size_t)of->variables, rows = (size_t)of->rows;
    const int m = olo_redundant_numbers(x->full).multipliers;
    memcpy(x->nlp.lower, of->lower, variables * sizeof *of->lower);
    memcpy(x->nlp.upper, of->upper, variables * sizeof *of->upper);
    memcpy(x->nlp.row_lower, of->row_lower, rows * sizeof *of->row_lower);
    memcpy(x->nlp.row_upper, of->row_upper, rows * sizeof *of->row_upper);
    for (int i = 0; i < x->given; i++) {
        x->nlp.lower[i] = -INFINITY;
        x->nlp.upper[i] = INFINITY;
    }
    for (int i = 0; i < m && x->given > 0; i++) {
        x->nlp.row_lower[x->given + i] = -INFINITY;
        x->nlp.row_upper[x->given + i] = INFINITY;
    }
    for (int i = 0; i < x->count; i++) {
        x->nlp.lower[of->variables + i] = x->problem->parameters[i].lower;
        x->nlp.upper[of->variables + i] = x->problem->parameters[i].upper;
    }
}

static bool allocate(olo_design *x)
{
    const size_t count = (size_t)x->count, rows = (size_t)x->nlp.rows,
                 variables = (size_t)x->nlp.variables;
    const olo_array arrays[] = {{&x->p, count},
                                {&x->shift, count},
                                {&x->d, count},
                                {&x->c, rows},
                                {&x->c0, rows},
                                {&x->g, variables},
                                {&x->J, (size_t)x->of->jacobian.count},
                                {&x->nlp.lower, variables},
                                {&x->nlp.upper, variables},
                                {&x->nlp.row_lower, rows},
                                {&x->nlp.row_upper, rows}};
    x->name = olo_pool_alloc(&x->pool, count, sizeof *x->name);
    x->axes = olo_pool_alloc(&x->pool, count, sizeof *x->axes);
    x->pairs = olo_pool_alloc(&x->pool, (size_t)pair_count(x), sizeof *x->pairs);
    return x->name && x->axes && x->pairs &&
           olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) && list_positions(x);
}

olo_status olo_design_create(const olo_control_problem *problem, olo_redundant *full,
                             olo_reduced *reduced, olo_design **design, olo_error *error)
{
    olo_design *x = olo_alloc(1, sizeof *x);
    *design = x;
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    x->problem = problem;
    x->full = full;
    x->reduced = reduced;
    x->of = reduced ? olo_reduced_nlp(reduced) : olo_redundant_nlp(full);
    x->count = problem->parameter_count;
    x->given = problem->free_start || reduced ? 0 : problem->system->n;
    x->nlp = (olo_nlp){.context = x,
                       .variables = x->of->variables + x->count,
                       .rows = x->of->rows + x->given,
                       .objective = objective,
                       .gradient = gradient,
                       .evaluate = evaluate,
                       .evaluate_jacobian = evaluate_jacobian,
                       .evaluate_hessian = evaluate_hessian};
    if (!allocate(x)) {
        olo_design_free(x);
        *design = NULL;
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    }
    for (int i = 0; i < x->count; i++)
        x->name[i] = problem->parameters[i].name;
    set_bounds(x);
    return OLO_OK;
}

void olo_design_free(olo_design *x)
{
    if (!x)
        return;
    clear_all(x);
    olo_pool_free(&x->pool);
    olo_free(x);
}

const olo_nlp *olo_design_nlp(const olo_design *x)
{
    return &x->nlp;
}

olo_status olo_design_move(olo_design *x, const double *at, olo_error *error)
{
    return move_to(x, at, error);
}

olo_status olo_design_settle(olo_design *x, const double *at, const olo_control_problem **problem,
                             const olo_state **state, olo_error *error)
{
    const olo_status status = move_to(x, at, error);
    if (status == OLO_OK) {
        *problem = x->centre.problem;
        *state = x->centre.state;
    }
    return status;
}

void olo_design_describe(const olo_design *x, int row, char *text, size_t size)
{
    const olo_system *s = x->problem->system;
    const int coordinate = row - x->of->rows;
    (void)snprintf(text, size, "the initial configuration of '%s'",
                   s->nodes[s->coordinates[coordinate].node].name);
}
