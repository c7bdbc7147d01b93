/* Adjoint steps of bodies with packs, computed for four at once, give the gradients of those for
 * any tree, with bits that do not depend on how the sweeps were compiled. */
#include "joined.h"

#include "base/initialised.h"
#include "base/memory.h"
#include "oloid/derivatives.h"
#include "stepping/linear_packs.h"
#include "stepping/linear_step.h"
#include "stepping/momenta.h"

static const char *const schemes[] = {"energy-momentum-2006", "variational"};
static const joined_kind kinds[] = {JOINED_HINGES, JOINED_PAIRS, JOINED_BALLS};
enum { SCHEMES = 2, KINDS = 3, BODIES_MAX = 24, NUMBERS_MAX = 12 * BODIES_MAX };

/* sum a_i x_i + x.x/2 with random numbers a_i */
static double weigh(int n, const double *x, unsigned long long seed, double *g)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double a = scene_random(&seed);
        sum += a * x[i] + 0.5 * x[i] * x[i];
        if (g)
            g[i] += a + x[i];
    }
    return sum;
}

static double of_both(void *context, const olo_system *system, const olo_state *x, double *gq,
                      double *gv)
{
    (void)context;
    return weigh(system->n, x->q, 3, gq) + weigh(system->n, x->v, 4, gv);
}

static double of_both_on_the_way(void *context, const olo_system *system, const olo_state *x,
                                 double *gq, double *gv)
{
    return weigh(system->n, x->q, 5, gq) + of_both(context, system, x, gq, gv);
}

static double of_positions(void *context, const olo_system *system, const olo_state *x, double *gq,
                           double *gv)
{
    (void)context;
    (void)gv;
    return weigh(system->n, x->q, 5, gq);
}

typedef struct result {
    int n;
    double value, q[NUMBERS_MAX], v[NUMBERS_MAX];
} result;

static result gradient_of(const joined *x, const char *scheme, int order, int running,
                          size_t memory)
{
    scene s = joined_open_scheme(x, scheme, "reduced");
    olo_error error = {0};
    olo_derivatives *d;
    result r = {.n = s.system->n};
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .q = r.q, .v = r.v};
    const olo_functional J = {.initialised = OLO_INITIALISED_FUNCTIONAL,
                              .end = of_both,
                              .running = running == 0   ? NULL
                                         : running == 1 ? of_positions
                                                        : of_both_on_the_way};
    s.run.order = order;
    s.run.step = 0.01;
    s.run.end = 0.155; /* the last step is half as long */
    check_true(s.system->n <= NUMBERS_MAX);
    check_ok(olo_derivatives_create(s.system, &s.run, &d, &error), &error);
    olo_derivatives_set_memory(d, memory);
    check_ok(olo_derivatives_compute_gradient(d, s.state, &J, &g, &error), &error);
    r.value = g.value;
    olo_derivatives_free(d);
    scene_close(&s);
    return r;
}

/* The largest difference over the largest number. */
static double apart(int n, const double *a, const double *b)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = larger(most, fabs(a[i] - b[i]));
        size = larger(size, fabs(b[i]));
    }
    return most / size;
}

TEST(gradients_over_packs_are_those_of_any_tree)
{
    for (int k = 1; k <= 96; k++) {
        int order = k % 4 < 2 ? 2 : 4, bodies = 2 + k % (BODIES_MAX - 2);
        const char *scheme = schemes[k % SCHEMES];
        const joined_kind kind = kinds[k / 2 % KINDS];
        joined plain = joined_hinges_pushed((unsigned)k, bodies, false, kind),
               pushed = joined_hinges_pushed((unsigned)k, bodies, true, kind);
        result fast = gradient_of(&plain, scheme, order, k % 3, k % 5 == 0 ? 0 : (size_t)-1),
               any = gradient_of(&pushed, scheme, order, k % 3, (size_t)-1);
        check_below(fabs(fast.value - any.value), 1e-11 * fabs(any.value));
        check_below(apart(fast.n, fast.q, any.q), 1e-10);
        check_below(apart(fast.n, fast.v, any.v), 1e-11);
        joined_free(&plain);
        joined_free(&pushed);
    }
}

/* The recorded steps of a run. */
typedef struct diary {
    int count;
    double *blocks[64];
    olo_step_record steps[64];
} diary;

static void write_down(void *context, const olo_stepper *stepper)
{
    diary *x = context;
    x->blocks[x->count] = olo_alloc(olo_step_record_size(stepper), sizeof **x->blocks);
    x->steps[x->count] = olo_step_record_over(stepper, x->blocks[x->count]);
    olo_step_record_take(&x->steps[x->count++], stepper);
}

static void diary_fill(diary *x, scene *s, double h, int steps)
{
    *x = (diary){0};
    s->stepper->observe_step = write_down;
    s->stepper->observe_context = x;
    scene_run(s, h, steps);
    for (int i = 0; i + 1 < x->count; i++)
        olo_step_record_join(&x->steps[i], &x->steps[i + 1]);
    olo_step_record_end(&x->steps[x->count - 1], s->state);
}

static void diary_free(diary *x)
{
    for (int i = 0; i < x->count; i++)
        olo_free(x->blocks[i]);
}

typedef struct derivative {
    double q[NUMBERS_MAX], v[NUMBERS_MAX], p[NUMBERS_MAX];
    double y[NUMBERS_MAX], by_p[NUMBERS_MAX], by_v[NUMBERS_MAX];
} derivative;

/* A derivative with respect to the end of a step: to position and velocity for energy-momentum, and
 * to an admissible momentum for variational. */
static void derivative_fill(derivative *g, int n, bool momentum, const double *admissible)
{
    unsigned long long seed = 9;
    memset(g, 0, sizeof *g);
    for (int i = 0; i < n; i++) {
        g->q[i] = scene_random(&seed);
        g->v[i] = scene_random(&seed);
        g->p[i] = momentum ? admissible[i] : 0;
    }
}

/* Of the derivative with respect to the start, the part that acts on admissible variations is
 * compared; y entirely. */
static void check_step(olo_linear_step *fast, olo_linear_step *any, const olo_step_record *step,
                       const olo_state *start, bool momentum, int n)
{
    olo_error error = {0};
    derivative a, b;
    derivative_fill(&a, n, momentum, step->v1);
    b = a;
    const olo_step_variation by_a = {.T = a.y, .p = a.by_p, .v = a.by_v},
                             by_b = {.T = b.y, .p = b.by_p, .v = b.by_v};
    check_ok(olo_linear_step_back(fast, step, a.q, a.v, a.p, &by_a, &error), &error);
    check_ok(olo_linear_step_back(any, step, b.q, b.v, b.p, &by_b, &error), &error);
    check_below(apart(n, a.y, b.y), 1e-13);
    if (momentum) {
        check_below(apart(n, a.by_p, b.by_p), 1e-13);
        check_below(apart(n, a.by_v, b.by_v), 1e-13);
    }
    if (step->from_momentum)
        check_below(apart(n, a.p, b.p), 1e-13);
    else
        check_below(apart(n, a.v, b.v), 1e-13);
    check_ok(olo_linear_step_state(any, start, &error), &error);
    olo_linear_step_admit_transposed(any, a.q, a.v);
    olo_linear_step_admit_transposed(any, b.q, b.v);
    check_below(apart(n, a.q, b.q), 5e-12);
}

static void set_state(const olo_step_record *step, int n, olo_state *state)
{
    memcpy(state->q, step->q0, (size_t)n * sizeof *state->q);
    memcpy(state->v, step->v0, (size_t)n * sizeof *state->v);
    state->t = step->t;
}

TEST(steps_back_over_packs_are_those_of_any_tree)
{
    for (int k = 1; k <= 60; k++) {
        joined x =
            joined_hinges((unsigned)(100 + k), 2 + k % (BODIES_MAX - 2), kinds[k / 2 % KINDS]);
        scene s = joined_open_scheme(&x, schemes[k % SCHEMES], "reduced");
        olo_linear_step *fast, *any;
        olo_error error = {0};
        diary steps;
        diary_fill(&steps, &s, 0.01, 5);
        check_equal(5, steps.count);
        check_ok(olo_linear_step_create(s.system, &s.run, &fast, &error), &error);
        check_ok(olo_linear_step_create(s.system, &s.run, &any, &error), &error);
        olo_linear_step_disable_packs(any);
        for (int i = 0; i + 1 < steps.count; i++) {
            set_state(&steps.steps[i], s.system->n, s.state);
            check_step(fast, any, &steps.steps[i], s.state, k % SCHEMES == 1, s.system->n);
        }
        olo_linear_step_free(fast);
        olo_linear_step_free(any);
        diary_free(&steps);
        scene_close(&s);
        joined_free(&x);
    }
}

/* An adjoint step from a state with the motion of the last step: only its bits matter here. */
static void back_with(scene *s, const olo_topology *tree, olo_packs_width width, derivative *g)
{
    olo_linear_packs *packs;
    olo_error error = {0};
    olo_step *step = &s->stepper->step;
    size_t n = (size_t)s->system->n * sizeof(double);
    const olo_scheme *scheme = s->stepper->scheme;
    check_ok(olo_linear_packs_create(s->system, scheme, tree, width, &packs, &error), &error);
    check_true(packs != NULL);
    step->h = 0.01;
    step->state = s->state;
    step->x.q0 = s->state->q;
    step->from_momentum = olo_momentum_of(s->state)->given;
    memcpy(step->Mv0, olo_momentum_of(s->state)->momentum, n);
    memcpy(step->v0, s->state->v, n);
    derivative_fill(g, s->system->n, scheme->evaluation.at_start, s->state->v);
    const olo_packs_adjoint by = {.gq = g->q, .gv = g->v, .gp = g->p, .y = g->y, .motion = true};
    check_true(olo_linear_packs_back(packs, step, &by));
    olo_linear_packs_free(packs);
}

TEST(steps_back_over_packs_have_the_same_bits_on_any_processor)
{
    for (int k = 1; k <= 18; k++) {
        joined x =
            joined_hinges((unsigned)k, (3 * k + 1) / 2 % (BODIES_MAX - 1) + 2, kinds[k % KINDS]);
        scene s = joined_open_scheme(&x, schemes[k % SCHEMES], "reduced");
        const olo_topology *tree = s.system->topology;
        derivative best, plain;
        scene_run(&s, 0.01, 3);
        back_with(&s, tree, OLO_PACKS_BEST, &best);
        back_with(&s, tree, OLO_PACKS_PLAIN, &plain);
        check_true(memcmp(&best, &plain, sizeof best) == 0);
        scene_close(&s);
        joined_free(&x);
    }
}

TEST(what_is_not_packed_goes_back_as_any_tree)
{
    joined x = joined_hinges_pushed(1, 5, true, JOINED_HINGES);
    scene s = joined_open_scheme(&x, "variational", "reduced");
    const olo_topology *tree = s.system->topology;
    olo_linear_packs *packs;
    olo_error error = {0};
    check_ok(
        olo_linear_packs_create(s.system, s.stepper->scheme, tree, OLO_PACKS_BEST, &packs, &error),
        &error);
    check_true(packs == NULL);
    scene_close(&s);
    joined_free(&x);
}

TEST_MAIN(cmocka_unit_test(gradients_over_packs_are_those_of_any_tree),
          cmocka_unit_test(steps_back_over_packs_are_those_of_any_tree),
          cmocka_unit_test(steps_back_over_packs_have_the_same_bits_on_any_processor),
          cmocka_unit_test(what_is_not_packed_goes_back_as_any_tree))
