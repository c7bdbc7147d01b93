/* The load of an impulse at a rolling contact, which is evaluated for all its rows at once, is that
 * of the rows one by one (system/rolling.h, system/rate_interval.h). */
#include "scene.h"

#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "system/rate_interval.h"
#include "system/rolling.h"

enum { SIZE = 12 };

/* A step of a frame with any velocities at both ends. */
typedef struct frame_step {
    double q0[SIZE], qm[SIZE], q1[SIZE], dq[SIZE], turn[3], v0[SIZE], v1[SIZE];
} frame_step;

static void fill(int count, double *x, unsigned long long *seed)
{
    for (int i = 0; i < count; i++)
        x[i] = scene_random(seed);
}

static frame_step random_step(unsigned long long *seed)
{
    frame_step x = {.q0 = {0}};
    double start[3];
    fill(3, start, seed);
    fill(3, x.turn, seed);
    fill(SIZE, x.v0, seed);
    fill(SIZE, x.v1, seed);
    for (int I = 1; I < 4; I++) {
        double unit[3] = {I == 1, I == 2, I == 3}, middle[3], change[3], *d0 = x.q0 + 3 * I;
        cayley_apply(start, cayley_scale(start), unit, middle, change);
        for (int i = 0; i < 3; i++)
            d0[i] = unit[i] + change[i];
        cayley_apply(x.turn, cayley_scale(x.turn), d0, x.qm + 3 * I, x.dq + 3 * I);
        for (int i = 0; i < 3; i++)
            x.q1[3 * I + i] = d0[i] + x.dq[3 * I + i];
    }
    return x;
}

/* moment += sum_I d_I x force_I */
static void add_moment(const double *frame, const double *force, double moment[3])
{
    for (int I = 1; I < 4; I++)
        vec3_add_cross(frame + 3 * I, force + 3 * I, moment);
}

/* The same of one row: its d turned by the mean velocity, and its a. */
static void add_row(const olo_constraint_type *type, const olo_rolling *rolling,
                    const frame_step *x, double impulse, double moment[3])
{
    const int index[SIZE] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const olo_constraint row = {.type = type, .size = SIZE, .index = index, .data = rolling};
    const olo_interval over = {.q0 = x->q0, .qm = x->qm, .q1 = x->q1, .dq = x->dq};
    const olo_end_velocities v = {.v0 = x->v0, .v1 = x->v1};
    double d[SIZE], a[SIZE], mean[SIZE];
    type->discrete(&row, &over, d, NULL);
    olo_rate_gradient(&row, &over, &v, a);
    for (int i = 0; i < SIZE; i++) {
        d[i] *= impulse;
        a[i] *= impulse;
        mean[i] = 0.5 * (x->v0[i] + x->v1[i]);
    }
    add_moment(mean, d, moment);
    add_moment(x->qm, a, moment);
}

static void check_load(bool ball, unsigned long long *seed)
{
    const double tolerance = 1e-12;
    const frame_step x = random_step(seed);
    const olo_rolling_step step = {
        .q0 = x.q0, .qm = x.qm, .q1 = x.q1, .turn = x.turn, .v0 = x.v0, .v1 = x.v1};
    olo_rolling rolling = {.radius = 0.3};
    double m[6], F[3], expected[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
    fill(3, rolling.center, seed);
    fill(3, rolling.normal, seed);
    vec3_normalise(rolling.normal);
    if (!ball) {
        fill(3, rolling.axis, seed);
        vec3_normalise(rolling.axis);
    }
    fill(3, F, seed);
    vec3_transversals(rolling.normal, m, m + 3);
    add_row(&olo_constraint_height, &rolling, &x, vec3_dot(F, rolling.normal), expected);
    for (int k = 0; k < 2; k++) {
        vec3_copy(m + 3 * k, rolling.direction);
        add_row(&olo_constraint_rolling, &rolling, &x, vec3_dot(F, m + 3 * k), expected);
    }
    olo_rolling_load(&rolling, &step, F, moment);
    for (int i = 0; i < 3; i++)
        check_close(expected[i], moment[i], tolerance * (1 + vec3_norm(expected)));
}

TEST(load_of_an_impulse_is_that_of_its_rows)
{
    unsigned long long seed = 12;
    for (int k = 0; k < 100; k++) {
        check_load(false, &seed);
        check_load(true, &seed);
    }
}

TEST_MAIN(cmocka_unit_test(load_of_an_impulse_is_that_of_its_rows))
