/* A new kind of constraint row is one table: here a point mass on the monkey saddle,
 *
 *     g = z - (x^3 - 3 x y^2) / a^2,
 *
 * which is no quadratic form. With x_m, y_m in the middle of a step its discrete gradient is
 *
 *     d = (-(3 x_m^2 + dx^2/4 - 3 y_m^2 - 3 dy^2/4) / a^2,  6 x_m y_m / a^2,  1),
 *     d . dq = g1 - g0.
 *
 * In src/ it would be a file system/constraint_<name>.c, named in system/constraint.h, and an
 * element that adds the row. */
#include "scene.h"

#include "elements/build.h"
#include "kinematics/analysis.h"
#include "oloid/derivatives.h"
#include "stepping/segments.h"

/* --- the row --- */

typedef struct saddle {
    double scale; /* a^2 */
} saddle;

static double scale_of(const olo_constraint *row)
{
    const saddle *data = row->data;
    return data->scale;
}

static double value(const olo_constraint *row, const olo_at *at)
{
    const double *q = at->q + row->index[0];
    return q[2] - q[0] * (q[0] * q[0] - 3 * q[1] * q[1]) / scale_of(row);
}

static double magnitude(const olo_constraint *row, const olo_at *at)
{
    const double *q = at->q + row->index[0];
    return fabs(q[2]) + fabs(q[0]) * (q[0] * q[0] + 3 * q[1] * q[1]) / scale_of(row);
}

/* d, and its derivative with respect to one end of the step: 1 the end, -1 the start. */
static void discrete_by(const olo_constraint *row, const olo_interval *x, double side, double d[3],
                        double *tangent)
{
    const double *m = x->qm + row->index[0], *dq = x->dq + row->index[0], c = scale_of(row);
    d[0] = -(3 * m[0] * m[0] + dq[0] * dq[0] / 4 - 3 * m[1] * m[1] - 3 * dq[1] * dq[1] / 4) / c;
    d[1] = 6 * m[0] * m[1] / c;
    d[2] = 1;
    if (!tangent)
        return;
    const double by[9] = {-(3 * m[0] + side * dq[0] / 2) / c,
                          (3 * m[1] + side * 3 * dq[1] / 2) / c,
                          0,
                          3 * m[1] / c,
                          3 * m[0] / c,
                          0,
                          0,
                          0,
                          0};
    memcpy(tangent, by, sizeof by);
}

static void discrete(const olo_constraint *row, const olo_interval *x, double *d, double *tangent)
{
    discrete_by(row, x, 1, d, tangent);
}

static void start_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    double d[3];
    discrete_by(row, x, -1, d, tangent);
}

static void gradient(const olo_constraint *row, const olo_at *at, double *g)
{
    const double *q = at->q + row->index[0], c = scale_of(row);
    g[0] = -3 * (q[0] * q[0] - q[1] * q[1]) / c;
    g[1] = 6 * q[0] * q[1] / c;
    g[2] = 1;
}

static void hessian(const olo_constraint *row, const olo_at *at, double *h)
{
    const double *q = at->q + row->index[0], c = scale_of(row);
    const double by[9] = {-6 * q[0] / c, 6 * q[1] / c, 0, 6 * q[1] / c, 6 * q[0] / c, 0, 0, 0, 0};
    memcpy(h, by, sizeof by);
}

static const olo_constraint_type monkey_saddle = {.name = "monkey saddle",
                                                  .value = value,
                                                  .magnitude = magnitude,
                                                  .gradient = gradient,
                                                  .discrete = discrete,
                                                  .start_tangent = start_tangent,
                                                  .hessian = hessian};

/* --- a system with it, by the verbs of elements --- */

static const saddle surface = {.scale = 0.25};
static const double mass = 1.5, gravity = 9.81, stiffness = 80;
static const double start[3] = {0.3, 0.1, 0.072}, velocity[3] = {0.2, 0.9, -0.456};

static void locate(void *context, const char *key, char *text, size_t size)
{
    (void)context;
    snprintf(text, size, "%s", key ? key : "the model");
}

static olo_status build(olo_builder *builder)
{
    static const int index[3] = {0, 1, 2};
    const olo_constraint row = {
        .type = &monkey_saddle, .size = 3, .index = index, .curved = true, .data = &surface};
    olo_point point = olo_point_default();
    olo_spring spring = olo_spring_default();
    point.name = "bead";
    point.mass = mass;
    memcpy(point.position, start, sizeof start);
    memcpy(point.velocity, velocity, sizeof velocity);
    spring.name = "spring";
    spring.type = "linear";
    spring.between[0].on = "bead";
    spring.stiffness = stiffness;
    olo_status status = olo_element_point.build(builder, &point);
    if (status == OLO_OK)
        status = olo_build_group(builder, "saddle", false, false);
    if (status == OLO_OK)
        status = olo_build_row(builder, &row);
    return status == OLO_OK ? olo_element_spring.build(builder, &spring) : status;
}

static scene open_bead(const char *scheme, const char *constraints)
{
    const olo_builder_setup setup = {.name = "bead", .gravity = {0, 0, -gravity}, .locate = locate};
    scene s = {.run = olo_run_default()};
    olo_error error = {0};
    olo_builder *builder = NULL;
    check_ok(olo_builder_create(&setup, &builder, &error), &error);
    check_ok(build(builder), olo_builder_error(builder));
    check_ok(olo_builder_finish(builder, &s.system, &error), &error);
    s.system->segments = olo_segments;
    check_ok(olo_system_analyse(s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run.scheme = scheme;
    s.run.constraints = constraints;
    check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    return s;
}

/* --- the same by hand --- */

static double height(const double *q)
{
    return (q[0] * q[0] * q[0] - 3 * q[0] * q[1] * q[1]) / surface.scale;
}

static double energy(const double *q, const double *v)
{
    double square = 0, stretch = 0;
    for (int i = 0; i < 3; i++) {
        square += v[i] * v[i];
        stretch += q[i] * q[i];
    }
    return 0.5 * mass * square + mass * gravity * q[2] + 0.5 * stiffness * stretch;
}

/* m a = F - lambda grad g with grad g . a + v . H v = 0 */
static void accelerate(const double x[6], double dx[6])
{
    const double *q = x, *v = x + 3, c = surface.scale;
    const double G[3] = {-3 * (q[0] * q[0] - q[1] * q[1]) / c, 6 * q[0] * q[1] / c, 1};
    const double curvature =
        (-6 * q[0] * v[0] * v[0] + 12 * q[1] * v[0] * v[1] + 6 * q[0] * v[1] * v[1]) / c;
    double f[3], along = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        f[i] = -stiffness * q[i] / mass - (i == 2 ? gravity : 0);
        along += G[i] * f[i];
        square += G[i] * G[i];
    }
    for (int i = 0; i < 3; i++) {
        dx[i] = v[i];
        dx[3 + i] = f[i] - (along + curvature) / square * G[i];
    }
}

/* Runge and Kutta's steps of order four. */
static void integrate(double end, int steps, double x[6])
{
    const double h = end / steps, node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    for (int n = 0; n < steps; n++) {
        double rate[6] = {0}, sum[6] = {0}, at[6];
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 6; i++)
                at[i] = x[i] + node[k] * h * rate[i];
            accelerate(at, rate);
            for (int i = 0; i < 6; i++)
                sum[i] += weight[k] * rate[i] / 6;
        }
        for (int i = 0; i < 6; i++)
            x[i] += h * sum[i];
    }
}

/* --- tests --- */

static const char *const treatments[] = {"multipliers", "reduced", "projected", "minimal"};

TEST(a_bead_stays_on_the_surface_and_conserves_its_energy)
{
    for (int k = 0; k < 4; k++) {
        scene s = open_bead("energy-momentum-2006", treatments[k]);
        const double first = energy(s.state->q, s.state->v);
        double lowest = 1, highest = -1;
        check_below(s.projection.position, 1e-15);
        check_below(s.projection.velocity, 1e-15);
        for (int i = 0; i < 500; i++) {
            scene_run(&s, 0.02, 1);
            lowest = smaller(lowest, s.state->q[2]);
            highest = larger(highest, s.state->q[2]);
            check_below(fabs(s.state->q[2] - height(s.state->q)), 1e-14);
            check_below(fabs(energy(s.state->q, s.state->v) - first), 1e-12 * first);
        }
        check_equal(0, s.halvings);
        check_below((double)s.iterations, 6.0 * 500); /* Newton has the exact tangent */
        check_below(0.05, highest - lowest);          /* the point moves up and down */
        scene_close(&s);
    }
}

/* The error of a run to t = 1. */
static double error_of(const char *scheme, const char *constraints, int steps)
{
    double x[6];
    memcpy(x, start, sizeof start);
    memcpy(x + 3, velocity, sizeof velocity);
    integrate(1.0, 20000, x);
    scene s = open_bead(scheme, constraints);
    scene_run(&s, 1.0 / steps, steps);
    const double distance = scene_distance(3, s.state->q, x);
    scene_close(&s);
    return distance;
}

TEST(its_motion_is_that_of_the_equations_of_motion_to_second_order)
{
    static const char *const schemes[] = {"energy-momentum-2006", "variational"};
    for (int k = 0; k < 4; k++) {
        const double coarse = error_of(schemes[k % 2], treatments[k / 2], 400);
        const double fine = error_of(schemes[k % 2], treatments[k / 2], 800);
        check_below(coarse, 1e-2);
        check_close(4.0, coarse / fine, 0.2);
    }
}

/* An initial state on the surface, shifted along it by e. */
static void put(double e, double q[3], double v[3])
{
    q[0] = start[0] + 0.7 * e;
    q[1] = start[1] - 0.4 * e;
    q[2] = height(q);
    v[0] = velocity[0] - 0.5 * e;
    v[1] = velocity[1] + 0.8 * e;
    v[2] = 3 * ((q[0] * q[0] - q[1] * q[1]) * v[0] - 2 * q[0] * q[1] * v[1]) / surface.scale;
}

static void step_from(scene *s, double e, double h, double end[6])
{
    put(e, s->state->q, s->state->v);
    olo_state_reset_history(s->state);
    scene_run(s, h, 3);
    memcpy(end, s->state->q, 3 * sizeof *end);
    memcpy(end + 3, s->state->v, 3 * sizeof *end);
}

TEST(steps_have_derivatives_through_it)
{
    static const char *const schemes[] = {"energy-momentum-2006", "variational"};
    const double e = 1e-5, h = 0.05;
    for (int k = 0; k < 2; k++) {
        scene s = open_bead(schemes[k], "reduced");
        olo_error error = {0};
        olo_derivatives *d = NULL;
        double far[6], near[6], q[2][3], v[2][3], dq[3], dv[3];
        step_from(&s, e, h, far);
        step_from(&s, -e, h, near);
        for (int side = 0; side < 2; side++)
            put(side ? e : -e, q[side], v[side]);
        for (int i = 0; i < 3; i++) {
            dq[i] = (q[1][i] - q[0][i]) / (2 * e);
            dv[i] = (v[1][i] - v[0][i]) / (2 * e);
        }
        put(0, s.state->q, s.state->v);
        olo_state_reset_history(s.state);
        check_ok(olo_derivatives_create(s.system, &s.run, &d, &error), &error);
        for (int step = 0; step < 3; step++) {
            check_ok(olo_derivatives_step(d, s.state, h, &error), &error);
            check_ok(olo_derivatives_apply_step(d, dq, dv, &error), &error);
        }
        for (int i = 0; i < 3; i++) {
            check_close((far[i] - near[i]) / (2 * e), dq[i], 1e-8);
            check_close((far[3 + i] - near[3 + i]) / (2 * e), dv[i], 1e-7);
        }
        olo_derivatives_free(d);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(a_bead_stays_on_the_surface_and_conserves_its_energy),
          cmocka_unit_test(its_motion_is_that_of_the_equations_of_motion_to_second_order),
          cmocka_unit_test(steps_have_derivatives_through_it))
