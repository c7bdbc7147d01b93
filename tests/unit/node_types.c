/* Node types. Every type satisfies the laws on which the library relies. A body that rotates about
 * a fixed point is three directors alone (a triad: 9 numbers, 3 degrees of freedom). It is compared
 * with the same body as a frame on a spherical support; both have a point mass on a spring and one
 * on a rod. */
#include "test.h"

#include "elements/joint_pair.h"
#include "kinematics/analysis.h"
#include "linalg/vec3.h"
#include "scene.h"
#include "stepping/segments.h"
#include "system/directors.h"

static const olo_node_type *const types[] = {&olo_node_point, &olo_node_frame, &olo_node_triad};
enum { TYPES = sizeof types / sizeof *types };

/* --- laws of every type --- */

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 2147483648.0 - 1;
}

static void random_numbers(int count, unsigned *seed, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = random_number(seed);
}

/* A node at a random configuration that satisfies its rows, and a random motion from there. */
typedef struct sample {
    const olo_node_type *type;
    double q0[OLO_NODE_SIZE_MAX], dq[OLO_NODE_SIZE_MAX], qm[OLO_NODE_SIZE_MAX],
        q1[OLO_NODE_SIZE_MAX], motion[OLO_NODE_TWIST_MAX];
} sample;

static void sample_move(sample *x)
{
    x->type->move(x->motion, x->q0, x->dq, x->qm, x->q1);
}

static sample sample_of(const olo_node_type *type, unsigned *seed)
{
    sample x = {.type = type};
    double theta[3], R[9];
    random_numbers(type->size, seed, x.q0);
    random_numbers(3, seed, theta);
    rotation_exponential(theta, R);
    if (type->directors >= 0)
        memcpy(x.q0 + type->directors, R, sizeof R);
    random_numbers(type->twist, seed, x.motion);
    sample_move(&x);
    return x;
}

static double dot(int count, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static const double round_off = 2e-14;

/* q_m and q1 are the midpoint and the end of q0 + dq, the rows are satisfied at q1, and the inverse
 * gives the motion. */
TEST(a_motion_is_an_increment_and_back)
{
    unsigned seed = 1;
    for (int k = 0; k < TYPES; k++) {
        sample x = sample_of(types[k], &seed);
        double back[OLO_NODE_TWIST_MAX];
        for (int i = 0; i < types[k]->size; i++) {
            check_close(x.q0[i] + 0.5 * x.dq[i], x.qm[i], round_off);
            check_close(x.q0[i] + x.dq[i], x.q1[i], round_off);
        }
        types[k]->motion(x.qm, x.dq, back);
        for (int i = 0; i < types[k]->twist; i++)
            check_close(x.motion[i], back[i], round_off);
        const double *d = x.q1 + types[k]->directors;
        for (int I = 0; types[k]->directors >= 0 && I < 3; I++)
            for (int J = 0; J < 3; J++)
                check_close(I == J, vec3_dot(d + 3 * I, d + 3 * J), round_off);
    }
}

/* P^T is the transpose of P, and the twist of P t is t. */
TEST(twist_maps_are_transposes_and_inverses)
{
    unsigned seed = 2;
    for (int k = 0; k < TYPES; k++) {
        const olo_node_type *type = types[k];
        sample x = sample_of(type, &seed);
        double t[OLO_NODE_TWIST_MAX], f[OLO_NODE_SIZE_MAX], v[OLO_NODE_SIZE_MAX],
            back[OLO_NODE_TWIST_MAX], W[OLO_NODE_TWIST_MAX], before[OLO_NODE_TWIST_MAX];
        random_numbers(type->twist, &seed, t);
        random_numbers(type->size, &seed, f);
        random_numbers(type->twist, &seed, before);
        memcpy(W, before, sizeof W);
        type->velocity(x.q1, t, v);
        type->add_wrench(x.q1, f, W);
        check_close(dot(type->size, f, v), dot(type->twist, W, t) - dot(type->twist, before, t),
                    round_off);
        type->twist_of(x.q1, v, back);
        for (int i = 0; i < type->twist; i++)
            check_close(t[i], back[i], round_off);
    }
}

/* An update of the motion by t changes q1 by P(q1) t, compared with central differences. */
TEST(an_update_moves_the_end_along_its_twist)
{
    const double step = 1e-5, truncated = 1e-9;
    unsigned seed = 3;
    for (int k = 0; k < TYPES; k++) {
        const olo_node_type *type = types[k];
        sample x = sample_of(type, &seed), side[2] = {x, x};
        double t[OLO_NODE_TWIST_MAX], v[OLO_NODE_SIZE_MAX];
        random_numbers(type->twist, &seed, t);
        type->velocity(x.q1, t, v);
        for (int s = 0; s < 2; s++) {
            double small[OLO_NODE_TWIST_MAX];
            for (int i = 0; i < type->twist; i++)
                small[i] = (s == 0 ? -step : step) * t[i];
            type->update(small, side[s].motion);
            sample_move(&side[s]);
        }
        for (int i = 0; i < type->size; i++)
            check_close((side[1].q1[i] - side[0].q1[i]) / (2 * step), v[i], truncated);
    }
}

/* add_variation is the change of P(q_m)^T T with a twist at q1, for constant T. */
TEST(the_variation_of_the_twist_map)
{
    const double step = 1e-5, truncated = 1e-9;
    unsigned seed = 4;
    for (int k = 0; k < TYPES; k++) {
        const olo_node_type *type = types[k];
        sample x = sample_of(type, &seed);
        double T[OLO_NODE_SIZE_MAX], S[OLO_NODE_TWIST_MAX * OLO_NODE_TWIST_MAX] = {0};
        random_numbers(type->size, &seed, T);
        if (type->add_variation)
            type->add_variation(x.q1, T, S);
        for (int j = 0; j < type->twist; j++) {
            double W[2][OLO_NODE_TWIST_MAX] = {{0}, {0}};
            for (int s = 0; s < 2; s++) {
                sample side = x;
                double small[OLO_NODE_TWIST_MAX] = {0};
                small[j] = s == 0 ? -step : step;
                type->update(small, side.motion);
                sample_move(&side);
                type->add_wrench(side.qm, T, W[s]);
            }
            for (int i = 0; i < type->twist; i++)
                check_close((W[1][i] - W[0][i]) / (2 * step), S[i * type->twist + j], truncated);
        }
    }
}

/* Twists do not change the internal rows: grad g . P t = 0; coordinates are as many as twists and
 * rows together. The multipliers balance a force along the rows, and dv satisfies their rates. */
TEST(internal_rows_and_twists_are_complementary)
{
    unsigned seed = 5;
    for (int k = 0; k < TYPES; k++) {
        const olo_node_type *type = types[k];
        const int count = type->rows ? type->rows->count : 0, first = type->directors;
        sample x = sample_of(type, &seed);
        double t[OLO_NODE_TWIST_MAX], v[OLO_NODE_SIZE_MAX];
        check_equal(type->size, type->twist + count);
        random_numbers(type->twist, &seed, t);
        type->velocity(x.q1, t, v);
        for (int row = 0; row < count; row++) {
            olo_form_builder builder = {0};
            olo_pool pool = {0};
            olo_form form;
            type->rows->add(row, first, &builder);
            check_true(olo_forms_finish(1, &builder, &pool, &form));
            double rate;
            check_close(0, olo_form_value_and_rate(&form, x.q1, v, &rate), round_off);
            check_close(0, rate, round_off);
            olo_pool_free(&pool);
        }
        if (!type->rows)
            continue;
        /* F = H(Lambda) q is balanced by -Lambda */
        double Lambda[OLO_NODE_MULTIPLIERS], found[OLO_NODE_MULTIPLIERS], F[9] = {0};
        random_numbers(9, &seed, Lambda);
        for (int I = 0; I < 3; I++)
            for (int J = 0; J < I; J++)
                Lambda[3 * I + J] = Lambda[3 * J + I];
        type->rows->add_hessian(Lambda, 1.0, x.q1 + first, F);
        type->rows->balance(x.q1 + first, F, found);
        for (int i = 0; i < 9; i++)
            check_close(-Lambda[i], found[i], round_off);
        /* d(d_I . v_J + d_J . v_I) = 0 */
        double dq[9], dv[9];
        random_numbers(9, &seed, dq);
        type->rows->follow(x.q1 + first, v + first, dq, dv);
        const double *d = x.q1 + first, *vd = v + first;
        for (int I = 0; I < 9; I += 3)
            for (int J = 0; J < 9; J += 3)
                check_close(0,
                            vec3_dot(dq + I, vd + J) + vec3_dot(d + I, dv + J) +
                                vec3_dot(dq + J, vd + I) + vec3_dot(d + J, dv + I),
                            round_off);
    }
}

/* <a, f(b)> = <f^T(a), b> of the maps that belong to internal rows. */
TEST(maps_of_internal_rows_have_their_transposes)
{
    unsigned seed = 6;
    for (int k = 0; k < TYPES; k++) {
        const olo_internal_rows *rows = types[k]->rows;
        if (!rows)
            continue;
        sample x = sample_of(types[k], &seed);
        const double *d = x.q1 + types[k]->directors;
        double a[9], b[9], v[9], to[9], back[9] = {0}, Lambda[9];
        random_numbers(9, &seed, a);
        random_numbers(9, &seed, b);
        random_numbers(9, &seed, v);
        rows->balance(d, b, Lambda);
        rows->balance_transposed(d, a, back);
        check_close(dot(9, a, Lambda), dot(9, back, b), round_off);
        memset(back, 0, sizeof back);
        rows->follow(d, v, b, to);
        rows->follow_transposed(d, v, a, back);
        check_close(dot(9, a, to), dot(9, back, b), round_off);
        memset(to, 0, sizeof to);
        rows->add_hessian(a, 0.3, b, to);
        rows->hessian_transposed(0.3, v, b, Lambda);
        check_close(dot(9, v, to), dot(9, Lambda, a), round_off);
    }
}

/* A configuration with an error of 1e-8 is projected onto the rows up to the square of that, and is
 * shifted and rotated as requested. */
TEST(settling_takes_back_what_rounding_has_done)
{
    const double off = 1e-8, square = 1e-15;
    unsigned seed = 7;
    for (int k = 0; k < TYPES; k++) {
        const olo_node_type *type = types[k];
        sample x = sample_of(type, &seed);
        double shift[3], turn[3], rest[3] = {0}, remainder[OLO_NODE_SIZE_MAX] = {0},
                                  twist[OLO_NODE_TWIST_MAX] = {0}, moved[OLO_NODE_SIZE_MAX];
        random_numbers(3, &seed, shift);
        random_numbers(3, &seed, turn);
        for (int i = 0; i < 3; i++) {
            shift[i] *= off;
            turn[i] *= off;
            if (type->translation >= 0)
                twist[type->translation + i] = shift[i];
            if (type->rotation >= 0)
                twist[type->rotation + i] = turn[i];
        }
        type->settle(x.q1, shift, turn, remainder);
        type->velocity(x.q1, twist, moved);
        for (int i = 0; i < type->size; i++)
            check_close(moved[i], remainder[i], square);
        if (type->directors < 0)
            continue;
        double *d = x.q1 + type->directors;
        for (int i = 0; i < 9; i++)
            d[i] += off * random_number(&seed);
        memset(remainder, 0, sizeof remainder);
        type->settle(x.q1, rest, rest, remainder);
        for (int i = 0; i < 9; i++)
            d[i] += remainder[type->directors + i];
        for (int I = 0; I < 3; I++)
            for (int J = 0; J < 3; J++)
                check_close(I == J, vec3_dot(d + 3 * I, d + 3 * J), square);
    }
}

/* --- a body about a fixed point --- */

/* Mass, centre and Euler tensor about the fixed point; the body does not rotate about a principal
 * axis. */
static const double mass = 1.3, center[3] = {0.05, -0.02, 0.12}, gravity[3] = {0.3, 0, -9.81};
static const double euler[9] = {0.02, 0.003, 0.004, 0.003, 0.03, -0.002, 0.004, -0.002, 0.05};
static const double omega[3] = {1, -2, 9};

/* A frame is fixed at its position. */
static olo_status hold(olo_builder *builder, int node)
{
    const olo_pair_setup setup = {.name = "pivot",
                                  .noun = "support",
                                  .type = "ball",
                                  .parent = -1,
                                  .child = node,
                                  .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  .rotations = 3};
    return olo_build_pair(builder, &setup);
}

/* M of the body in the directors that start at q[d], and in the position, if there is one. */
static olo_status add_mass(olo_builder *builder, int position, int d)
{
    olo_status status = position < 0 ? OLO_OK : olo_build_mass(builder, position, position, mass);
    for (int I = 0; I < 3; I++) {
        if (status == OLO_OK && position >= 0)
            status = olo_build_mass(builder, position, d + 3 * I, mass * center[I]);
        for (int J = I; status == OLO_OK && J < 3; J++)
            status = olo_build_mass(builder, d + 3 * I, d + 3 * J, euler[3 * I + J]);
    }
    return status;
}

/* Two point masses at the centre of the body: one on a spring, energy 1/2 k |r|^2, and one on a
 * rod, 1/2 r . r - 1/2 l^2 = 0, a closure row. */
static olo_status add_points(olo_builder *builder, const olo_position *body)
{
    static const double at[2][3] = {{0.3, 0.1, -0.2}, {-0.2, 0.3, 0.1}};
    const double stiffness = 30, one = 1;
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < 2; k++) {
        int node;
        double v[3], r[3];
        vec3_cross(omega, at[k], v); /* with the velocity of the body */
        status = olo_build_node(builder, k == 0 ? "sprung" : "held", &olo_node_point, -1, at[k], v,
                                true, &node);
        const olo_system *s = olo_build_system(builder);
        const olo_position point = olo_position_slot(s->nodes[node].q);
        olo_position span = *body;
        olo_form_builder form = {0};
        if (status == OLO_OK)
            status = olo_build_mass(builder, s->nodes[node].q, s->nodes[node].q, 0.4);
        if (status == OLO_OK)
            status = olo_build_gravity(builder, "point", 0.4, &point);
        olo_position_add(&span, -1, &point);
        olo_position_value(&span, s->q0, r);
        olo_form_add_dot(&form, k == 0 ? 0.5 * stiffness : 0.5, &span, &span);
        if (k == 0 && status == OLO_OK)
            status = olo_build_term(builder, "spring", OLO_ROLE_POTENTIAL, &olo_law_linear, NULL,
                                    &one, 1, &form);
        if (k == 0 || status != OLO_OK)
            continue;
        olo_form_add_constant(&form, -0.5 * vec3_dot(r, r));
        status = olo_build_group(builder, "rod", false, false);
        if (status == OLO_OK)
            status = olo_build_constraint(builder, &form);
    }
    return status;
}

/* The body as a node of some type, with its points, built with the functions for elements. */
static scene open_body(const olo_node_type *type, const char *scheme, const char *constraints)
{
    const olo_builder_setup setup = {.name = "about a point",
                                     .gravity = {gravity[0], gravity[1], gravity[2]}};
    const int d = type->directors;
    const olo_position x = {
        .count = 3, .slot = {d, d + 3, d + 6}, .weight = {center[0], center[1], center[2]}};
    const double theta[3] = {0.3, 0.2, 0.5};
    double q[OLO_NODE_SIZE_MAX] = {0}, v[OLO_NODE_SIZE_MAX] = {0};
    scene s = {0};
    olo_error error = {0};
    olo_builder *builder;
    int node;
    rotation_exponential(theta, q + d);
    directors_turn(q + d, omega, v + d);
    check_ok(olo_builder_create(&setup, &builder, &error), &error);
    check_ok(olo_build_node(builder, "body", type, -1, q, v, true, &node), &error);
    check_ok(add_mass(builder, type->position, d), &error);
    check_ok(olo_build_gravity(builder, "body", mass, &x), &error);
    check_ok(add_points(builder, &x), &error);
    if (type->position >= 0)
        check_ok(hold(builder, node), &error);
    check_ok(olo_builder_finish(builder, &s.system, &error), &error);
    s.system->segments = olo_segments;
    check_ok(olo_system_analyse(s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run = olo_run_default();
    s.run.scheme = scheme;
    s.run.constraints = constraints;
    check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    return s;
}

static const char *const schemes[] = {"energy-momentum-2006", "variational"};

TEST(a_triad_moves_as_a_frame_on_a_spherical_support)
{
    static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            scene frame = open_body(&olo_node_frame, schemes[i], treatments[k]);
            scene own = open_body(&olo_node_triad, schemes[i], treatments[k]);
            scene_run(&frame, 0.01, 100);
            scene_run(&own, 0.01, 100);
            for (int j = 0; j < own.system->n; j++) {
                check_close(frame.state->q[3 + j], own.state->q[j], 1e-11);
                check_close(frame.state->v[3 + j], own.state->v[j], 1e-9);
            }
            scene_close(&frame);
            scene_close(&own);
        }
}

/* Energy, and the angular momentum about the direction of gravity through the fixed point. */
TEST(a_triad_conserves_energy_and_momentum)
{
    scene s = open_body(&olo_node_triad, "energy-momentum-2006", "reduced");
    const olo_ledger before = scene_ledger(&s);
    const double g = vec3_norm(gravity);
    scene_run(&s, 0.02, 500);
    const olo_ledger after = scene_ledger(&s);
    check_relative(before.total, after.total, 1e-13);
    check_relative(vec3_dot(gravity, before.angular_momentum) / g,
                   vec3_dot(gravity, after.angular_momentum) / g, 1e-13);
    /* the body moves: the angular momentum normal to gravity is not constant */
    double change[3];
    vec3_subtract(after.angular_momentum, before.angular_momentum, change);
    check_true(vec3_norm(change) > 0.01 * vec3_norm(before.angular_momentum));
    scene_close(&s);
}

TEST(a_triad_is_counted_as_a_body_with_three_degrees_of_freedom)
{
    scene s = open_body(&olo_node_triad, "energy-momentum-2006", "reduced");
    olo_counts counts;
    olo_error error = {0};
    scene_check_counts(&s, 9 + 6, 6, 6 + 1, 3 + 6 + 1);
    check_ok(olo_system_counts(s.system, &counts, &error), &error);
    check_equal(3 + 6 - 1, counts.degrees_of_freedom);
    check_equal(1, counts.bodies);
    check_equal(2, counts.points);
    scene_close(&s);
}

/* A node without position is refused where a position is needed. */
TEST(a_node_without_position_has_no_points)
{
    scene s = open_body(&olo_node_triad, "energy-momentum-2006", "reduced");
    const olo_point_on_body point = {.on = "body"};
    olo_position position;
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, olo_system_resolve(s.system, &point, &position, NULL, &error));
    check_contains("'body' has no position", error.text);
    scene_close(&s);
}

enum { NUMBERS = OLO_NODE_SIZE_MAX + 6 };

/* A variation of the initial state that rotates everything by theta and adds `spin`. */
static void vary(const scene *s, const double theta[3], const double spin[3], double *dq,
                 double *dv)
{
    const int d = s->system->nodes[0].type->directors;
    const olo_state *x = s->state;
    memset(dq, 0, NUMBERS * sizeof *dq);
    memset(dv, 0, NUMBERS * sizeof *dv);
    for (int i = d; i < s->system->n; i += 3) {
        vec3_cross(theta, x->q + i, dq + i);
        vec3_cross(theta, x->v + i, dv + i);
        vec3_add_cross(spin, x->q + i, dv + i);
    }
}

/* Derivatives of steps: the forward ones are those of the frame, and the transposed ones are their
 * transposes. */
TEST(derivatives_of_a_triad)
{
    const double theta[3] = {0.2, -0.4, 0.3}, spin[3] = {0.5, 0.1, -0.2};
    const olo_node_type *const both[2] = {&olo_node_frame, &olo_node_triad};
    for (int i = 0; i < 2; i++) {
        double dq[2][NUMBERS], dv[2][NUMBERS];
        for (int k = 0; k < 2; k++) {
            scene s = open_body(both[k], schemes[i], "reduced");
            const int n = s.system->n;
            olo_error error = {0};
            olo_derivatives *x;
            double start_q[NUMBERS], start_v[NUMBERS], gq[NUMBERS], gv[NUMBERS];
            unsigned seed = 11;
            vary(&s, theta, spin, dq[k], dv[k]);
            memcpy(start_q, dq[k], sizeof start_q);
            memcpy(start_v, dv[k], sizeof start_v);
            random_numbers(n, &seed, gq);
            random_numbers(n, &seed, gv);
            check_ok(olo_derivatives_create(s.system, &s.run, &x, &error), &error);
            check_ok(olo_derivatives_step(x, s.state, 0.01, &error), &error);
            check_ok(olo_derivatives_apply_step(x, dq[k], dv[k], &error), &error);
            const double along = dot(n, gq, dq[k]) + dot(n, gv, dv[k]);
            check_ok(olo_derivatives_apply_step_transposed(x, gq, gv, &error), &error);
            check_close(along, dot(n, gq, start_q) + dot(n, gv, start_v), 1e-11);
            olo_derivatives_free(x);
            scene_close(&s);
        }
        for (int j = 0; j < 9 + 6; j++) {
            check_close(dq[0][3 + j], dq[1][j], 1e-12);
            check_close(dv[0][3 + j], dv[1][j], 1e-10);
        }
    }
}

TEST_MAIN(cmocka_unit_test(a_motion_is_an_increment_and_back),
          cmocka_unit_test(twist_maps_are_transposes_and_inverses),
          cmocka_unit_test(an_update_moves_the_end_along_its_twist),
          cmocka_unit_test(the_variation_of_the_twist_map),
          cmocka_unit_test(internal_rows_and_twists_are_complementary),
          cmocka_unit_test(maps_of_internal_rows_have_their_transposes),
          cmocka_unit_test(settling_takes_back_what_rounding_has_done),
          cmocka_unit_test(a_triad_moves_as_a_frame_on_a_spherical_support),
          cmocka_unit_test(a_triad_conserves_energy_and_momentum),
          cmocka_unit_test(a_triad_is_counted_as_a_body_with_three_degrees_of_freedom),
          cmocka_unit_test(a_node_without_position_has_no_points),
          cmocka_unit_test(derivatives_of_a_triad))
