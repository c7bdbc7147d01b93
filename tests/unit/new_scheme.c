/* A new scheme is one file: here BDF2 (Curtiss and Hirschfelder 1952) with constraints, which the
 * library does not have. With the previous increment p = q0 - q_-1 and the previous velocity v_-1,
 *
 *     v1 = (3 dq - p) / (2 h),
 *     T + h G^T lambda = 0,   T = M (3 v1 - 4 v0 + v_-1) / 2 + h f,   g(q1) = 0,
 *
 * with G between q0 and q1 and constant forces -f. The first step is implicit Euler, v1 = dq / h
 * and T = M (v1 - v0) + h f. Its memory is a segment of the state. In src/ it would be this file,
 * and two lines in stepping/registry.def. */
#include "scene.h"

#include "stepping/balance.h"

/* --- the scheme --- */

typedef struct memory {
    double h;         /* of the last step, 0: there is none */
    double numbers[]; /* [n] p, [n] v_-1 */
} memory;

static void forget(olo_state *state);
static bool is_sensible(const olo_state *state);

static const olo_segment bdf2_segment = {.name = "bdf2",
                                         .fixed = sizeof(memory) / sizeof(double),
                                         .n = 2,
                                         .reverse = forget,
                                         .check = is_sensible};

/* All segments of the library and the new one. */
enum { SEGMENT_bdf2 = OLO_SEGMENT_COUNT };
static const olo_segment *const segments[] = {
#define OLO_SEGMENT(name) &olo_segment_##name,
#include "stepping/registry.def"
#undef OLO_SEGMENT
    &bdf2_segment, NULL};

static memory *memory_of(const olo_state *state)
{
    return state->segment[SEGMENT_bdf2];
}

static void forget(olo_state *state)
{
    memory_of(state)->h = 0;
}

static bool is_sensible(const olo_state *state)
{
    return isfinite(memory_of(state)->h);
}

/* A step of another size than the last one does not use the memory. */
static bool has_memory(const olo_step *step)
{
    return memory_of(step->state)->h == step->h;
}

static void velocity(const olo_step *step, double *v1)
{
    const double *dq = step->x.dq, *p = memory_of(step->state)->numbers;
    for (int i = 0; i < step->system->n; i++)
        v1[i] = has_memory(step) ? (3 * dq[i] - p[i]) / (2 * step->h) : dq[i] / step->h;
}

static void balance(olo_step *step, const olo_sink *sink)
{
    const int n = step->system->n;
    const double *before = memory_of(step->state)->numbers + n, *v0 = step->v0;
    double *change = step->v1;
    velocity(step, change);
    for (int i = 0; i < n; i++)
        change[i] =
            has_memory(step) ? (3 * change[i] - 4 * v0[i] + before[i]) / 2 : change[i] - v0[i];
    olo_system_mass_times(step->system, change, step->T);
    for (int i = 0; i < n; i++)
        step->T[i] += step->h * step->constant[i];
    step->scale = step->start_scale;
    if (sink)
        sink->mass(sink->context, (has_memory(step) ? 2.25 : 1) / step->h);
}

static void finish(const olo_step *step, olo_state *state)
{
    memory *stored = memory_of(state);
    const size_t n = (size_t)state->n;
    velocity(step, step->v1);
    memcpy(stored->numbers, step->x.dq, n * sizeof *state->q);
    memcpy(stored->numbers + n, state->v, n * sizeof *state->v);
    stored->h = step->h;
    olo_balance_finish(step, state);
}

static const olo_scheme bdf2 = {.name = "bdf2",
                                .conserves = "nothing",
                                .highest_order = 2,
                                .constant = true,
                                .unit = 1,
                                .energy_error = HUGE_VAL,
                                .turn = OLO_HALF_TURN,
                                .begin = olo_balance_begin,
                                .balance = balance,
                                .multiplier_factor = olo_balance_multiplier_factor,
                                .finish = finish};

/* --- the same by hand: a pendulum in the plane x, z --- */

static const double length = 0.8, mass = 2.0, gravity = 9.81, h = 0.05;

static const char text[] = "gravity: [0, 0, -9.81]\n"
                           "points:\n"
                           "  - {name: bob, mass: 2, position: [0.8, 0, 0]}\n"
                           "rods:\n"
                           "  - {name: rod, between: [[0, 0, 0], bob]}\n";

typedef struct pendulum {
    double q[2], v[2], p[2], v_before[2];
    bool known;
} pendulum;

/* G of the rod is parallel to q_m = q0 + dq / 2, hence a dq + w (q0 + dq / 2) = r with a number w
 * for which |q1| = L. */
static void dq_of(const pendulum *x, double w, double dq[2])
{
    for (int i = 0; i < 2; i++) {
        const double fall = i == 1 ? -h * mass * gravity : 0;
        const double a = x->known ? 2.25 * mass / h : mass / h;
        const double r = x->known ? mass * (0.75 * x->p[i] / h + 2 * x->v[i] - 0.5 * x->v_before[i])
                                  : mass * x->v[i];
        dq[i] = (r + fall - w * x->q[i]) / (a + 0.5 * w);
    }
}

static double stretch(const pendulum *x, double w)
{
    double dq[2];
    dq_of(x, w, dq);
    const double a = x->q[0] + dq[0], b = x->q[1] + dq[1];
    return a * a + b * b - length * length;
}

/* The root nearest to zero force, by the secant method. */
static void step_by_hand(pendulum *x)
{
    double w0 = 0, w1 = 1e-3, g0 = stretch(x, w0), g1 = stretch(x, w1), dq[2];
    for (int i = 0; i < 60 && g1 != g0; i++) {
        const double next = w1 - g1 * (w1 - w0) / (g1 - g0);
        w0 = w1;
        g0 = g1;
        w1 = next;
        g1 = stretch(x, w1);
    }
    dq_of(x, w1, dq);
    for (int i = 0; i < 2; i++) {
        const double v1 = x->known ? (3 * dq[i] - x->p[i]) / (2 * h) : dq[i] / h;
        x->v_before[i] = x->v[i];
        x->v[i] = v1;
        x->q[i] += dq[i];
        x->p[i] = dq[i];
    }
    x->known = true;
}

/* --- tests --- */

static scene open_pendulum(const char *constraints)
{
    scene s = {0};
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &s.model, &error), &error);
    check_ok(olo_model_compile(s.model, &s.system, &error), &error);
    s.system->segments = segments;
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run = *olo_model_run(s.model);
    s.run.constraints = constraints;
    check_ok(olo_stepper_create_with(s.system, &bdf2, &s.run, &s.stepper, &error), &error);
    return s;
}

static double distance(const scene *s, const pendulum *x)
{
    const double *q = s->state->q, *v = s->state->v;
    return larger(larger(fabs(q[0] - x->q[0]), fabs(q[2] - x->q[1])),
                  larger(fabs(v[0] - x->v[0]), fabs(v[2] - x->v[1])));
}

static const char *const treatments[] = {"multipliers", "reduced", "projected"};

TEST(a_new_scheme_takes_the_steps_that_its_equations_say)
{
    for (int k = 0; k < 3; k++) {
        scene s = open_pendulum(treatments[k]);
        pendulum x = {.q = {length, 0}};
        for (int i = 0; i < 40; i++) {
            scene_run(&s, h, 1);
            step_by_hand(&x);
            check_below(distance(&s, &x), 1e-11);
        }
        check_equal(0, s.halvings);
        scene_close(&s);
    }
}

TEST(its_segment_is_reset_when_a_state_is_touched)
{
    scene s = open_pendulum("reduced");
    pendulum x = {.q = {length, 0}};
    for (int i = 0; i < 12; i++) {
        if (i == 5 || i == 9) {
            olo_state_reset_history(s.state);
            x.known = false;
        }
        if (i == 7) {
            olo_state_reverse(s.state);
            x.v[0] = -x.v[0];
            x.v[1] = -x.v[1];
            x.known = false;
        }
        scene_run(&s, h, 1);
        step_by_hand(&x);
        check_below(distance(&s, &x), 1e-12);
    }
    scene_close(&s);
}

TEST(a_saved_state_continues_with_it_to_the_same_bits)
{
    scene s = open_pendulum("multipliers");
    olo_error error = {0};
    olo_state *other = NULL;
    scene_run(&s, h, 7);
    const size_t size = olo_state_saved_size(s.state);
    unsigned char *block = malloc(size), *first = malloc(size), *second = malloc(size);
    olo_state_save(s.state, block);
    check_ok(olo_state_create(s.system, &other, &error), &error);
    check_ok(olo_state_load(other, block, size, &error), &error);
    scene_run(&s, h, 5);
    for (int i = 0; i < 5; i++)
        check_ok(olo_stepper_step(s.stepper, other, h, &error), &error);
    olo_state_save(s.state, first);
    olo_state_save(other, second);
    check_equal(0, memcmp(first, second, size));
    check_true(memcmp(first, block, size) != 0);

    /* a segment that its owner does not accept is refused, and the state is unchanged */
    memory_of(s.state)->h = NAN;
    olo_state_save(s.state, block);
    check_status(OLO_BAD_INPUT, olo_state_load(other, block, size, &error));
    olo_state_save(other, first);
    check_equal(0, memcmp(first, second, size));
    olo_state_free(other);

    /* a library without the scheme reports it */
    s.system->segments = olo_segments;
    check_ok(olo_state_create(s.system, &other, &error), &error);
    check_status(OLO_UNSUPPORTED, olo_state_load(other, block, size, &error));
    olo_state_free(other);
    free(second);
    free(first);
    free(block);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_new_scheme_takes_the_steps_that_its_equations_say),
          cmocka_unit_test(its_segment_is_reset_when_a_state_is_touched),
          cmocka_unit_test(a_saved_state_continues_with_it_to_the_same_bits))
