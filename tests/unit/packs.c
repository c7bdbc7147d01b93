/* Steps of trees of bodies are computed for four bodies at once: motion, wrenches and
 * convergence are those of the elimination for any tree, and the bits do not depend on how the
 * sweeps were compiled. */
#include "joined.h"

#include "base/memory.h"
#include "stepping/momenta.h"
#include "stepping/normal_motion.h"
#include "stepping/packs.h"

/* A step before its solution, starting from the motion of the state, and the tree of the system. */
typedef struct probe {
    scene s;
    const olo_topology *tree;
    olo_step *step;
} probe;

static const char *const schemes[] = {"energy-momentum-2006", "variational", "energy-momentum"};
enum { SCHEMES = 3, EXACT = 2 }; /* the first two have an exact tangent */

static probe probe_open(const joined *x, const char *scheme)
{
    probe p = {.s = joined_open_scheme(x, scheme, "reduced")};
    p.tree = p.s.system->topology;
    return p;
}

static void probe_begin(probe *p, double h)
{
    p->step = &p->s.stepper->step;
    p->step->h = h;
    p->step->state = p->s.state;
    p->step->x.q0 = p->s.state->q;
    p->step->from_momentum = olo_momentum_of(p->s.state)->given;
    memcpy(p->step->Mv0, olo_momentum_of(p->s.state)->momentum,
           (size_t)p->s.system->n * sizeof *p->step->Mv0);
    memcpy(p->step->v0, p->s.state->v, (size_t)p->s.system->n * sizeof *p->step->v0);
}

static void probe_close(probe *p)
{
    scene_close(&p->s);
}

static olo_packs *probe_packs(const probe *p, olo_packs_width width)
{
    olo_packs *packs = NULL;
    olo_error error = {0};
    check_ok(
        olo_packs_create(p->s.system, p->s.stepper->scheme, p->tree, NULL, width, &packs, &error),
        &error);
    return packs;
}

static void check_same_motion(const joined *plain, const joined *pushed, const char *scheme)
{
    probe a = probe_open(plain, scheme), b = probe_open(pushed, scheme);
    olo_packs *of_plain = probe_packs(&a, OLO_PACKS_BEST),
              *of_pushed = probe_packs(&b, OLO_PACKS_BEST);
    check_true(of_plain != NULL);
    check_true(of_pushed == NULL);
    scene_run(&a.s, 0.02, 25);
    scene_run(&b.s, 0.02, 25);
    const olo_system *s = a.s.system;
    check_below(scene_distance(s->n, a.s.state->q, b.s.state->q), 1e-12);
    check_below(scene_distance(s->n, a.s.state->v, b.s.state->v), 1e-11);
    if (olo_momentum_of(a.s.state)->given) {
        check_below(scene_distance(s->n, olo_momentum_of(a.s.state)->momentum,
                                   olo_momentum_of(b.s.state)->momentum),
                    1e-12);
        check_below(fabs(a.s.state->interval_energy - b.s.state->interval_energy), 1e-11);
    }
    for (int k = 0; k < s->node_count; k++)
        if (a.tree->nodes[k].type && !a.s.stepper->scheme->consistent) /* those predict only */
            check_below(scene_distance(6, olo_last_wrenches(a.s.state) + s->nodes[k].motion,
                                       olo_last_wrenches(b.s.state) + s->nodes[k].motion),
                        1e-8);
    check_below(fabs(olo_sum_value(&a.s.state->work) - olo_sum_value(&b.s.state->work)), 1e-11);
    check_below(
        fabs(olo_sum_value(&a.s.state->dissipation) - olo_sum_value(&b.s.state->dissipation)),
        1e-11);
    check_equal(a.s.halvings, b.s.halvings);
    olo_packs_free(of_plain);
    olo_packs_free(of_pushed);
    probe_close(&a);
    probe_close(&b);
}

TEST(hinged_trees_move_as_by_the_elimination)
{
    for (int seed = 1; seed <= 40; seed++) {
        int bodies = 2 + seed % 14;
        joined plain = joined_hinges_pushed((unsigned)seed, bodies, false, JOINED_HINGES),
               pushed = joined_hinges_pushed((unsigned)seed, bodies, true, JOINED_HINGES);
        for (int k = 0; k < SCHEMES; k++)
            check_same_motion(&plain, &pushed, schemes[k]);
        joined_free(&plain);
        joined_free(&pushed);
    }
}

TEST(ball_joints_among_hinges_move_as_by_the_elimination)
{
    for (int seed = 1; seed <= 40; seed++) {
        int bodies = 2 + seed % 14;
        joined plain = joined_hinges_pushed((unsigned)seed, bodies, false, JOINED_BALLS),
               pushed = joined_hinges_pushed((unsigned)seed, bodies, true, JOINED_BALLS);
        for (int k = 0; k < SCHEMES; k++)
            check_same_motion(&plain, &pushed, schemes[k]);
        joined_free(&plain);
        joined_free(&pushed);
    }
}

TEST(joints_of_all_kinds_move_as_by_the_elimination)
{
    for (int seed = 1; seed <= 80; seed++) {
        int bodies = 2 + seed % 14;
        const joined_kind kind = seed % 2 ? JOINED_PAIRS : JOINED_REVERSED_PAIRS;
        joined plain = joined_hinges_pushed((unsigned)seed, bodies, false, kind),
               pushed = joined_hinges_pushed((unsigned)seed, bodies, true, kind);
        for (int k = 0; k < SCHEMES; k++)
            check_same_motion(&plain, &pushed, schemes[k]);
        joined_free(&plain);
        joined_free(&pushed);
    }
}

/* Springs, dampers, stops and torques are scalars in the rows of their joints here, and act on both
 * bodies in the elimination on any tree. */
TEST(joints_with_forces_move_as_by_the_elimination)
{
    for (int seed = 1; seed <= 120; seed++) {
        int bodies = 2 + seed % 14;
        const joined_kind kind = seed <= 40 ? JOINED_FORCED : JOINED_FORCED_PAIRS;
        joined plain = joined_hinges_pushed((unsigned)seed, bodies, false, kind),
               pushed = joined_hinges_pushed((unsigned)seed, bodies, true, kind);
        check_same_motion(&plain, &pushed, "energy-momentum-2006");
        check_same_motion(&plain, &pushed, "energy-momentum");
        joined_free(&plain);
        joined_free(&pushed);
    }
}

static double twice_kinetic(const olo_system *s, const double *v, double *momentum)
{
    double sum = 0;
    olo_system_mass_times(s, v, momentum);
    for (int i = 0; i < s->n; i++)
        sum += v[i] * momentum[i];
    return sum;
}

/* Velocities that violate the joints: what remains without the normal motion satisfies them, and
 * the kinetic energies add up. No force takes part, so that forces of any kind are packed. */
static void check_normal_motion(joined *x)
{
    probe p = probe_open(x, "energy-momentum-2006");
    const olo_system *s = p.s.system;
    olo_scheme projection = olo_scheme_variational;
    olo_packs *packs = NULL;
    olo_normal_motion *motion = NULL;
    olo_error error = {0};
    double *normal = calloc((size_t)s->n, 2 * sizeof *normal), *momentum = normal + s->n;
    projection.balance = NULL;
    check_ok(olo_packs_create(s, &projection, p.tree, NULL, OLO_PACKS_BEST, &packs, &error),
             &error);
    check_true(packs != NULL);
    for (int i = 0; i < s->n; i++)
        p.s.state->v[i] += joined_number(x, 1.0);
    const double whole = twice_kinetic(s, p.s.state->v, momentum);
    check_ok(olo_normal_motion_create(s, &p.s.run, &motion, &error), &error);
    check_true(olo_normal_motion_at(motion, p.s.state, normal));
    const double share = twice_kinetic(s, normal, momentum);
    for (int i = 0; i < s->n; i++)
        p.s.state->v[i] -= normal[i];
    check_true(share > 1e-3 * whole);
    check_relative(whole, share + twice_kinetic(s, p.s.state->v, momentum), 1e-11);
    check_below(scene_ledger(&p.s).velocity_error, 1e-11);
    olo_normal_motion_free(motion);
    olo_packs_free(packs);
    free(normal);
    probe_close(&p);
}

TEST(normal_motions_are_packed_with_forces_of_any_kind)
{
    for (unsigned seed = 1; seed <= 40; seed++) {
        const joined_kind kind = seed <= 20 ? JOINED_FORCED : JOINED_FORCED_PAIRS;
        joined x = joined_hinges_pushed(seed, 2 + (int)seed % 14, seed % 2 == 0, kind);
        check_normal_motion(&x);
        joined_free(&x);
    }
}

static void predict_last(olo_packs *packs, const olo_step *step)
{
    const olo_motion_mix last = olo_predictor_last(step->state, 1.0);
    olo_packs_predict(packs, step, 1.0, &last);
}

/* Far from the solution, with open hinges and wrong wrenches: with an exact tangent the error is
 * squared in each iteration. */
TEST(lifted_iteration_on_hinges_converges_quadratically)
{
    unsigned long long seed = 5;
    for (int k = 1; k <= 220; k++) {
        const joined_kind kind = k > 160  ? JOINED_FORCED_PAIRS
                                 : k > 80 ? JOINED_REVERSED_PAIRS
                                 : k > 60 ? JOINED_BALLS
                                 : k > 40 ? JOINED_FORCED
                                          : JOINED_HINGES;
        joined x = joined_hinges_pushed((unsigned)k, k % 11 + 2, false, kind);
        probe p = probe_open(
            &x, schemes[kind == JOINED_FORCED || kind == JOINED_FORCED_PAIRS ? 0 : k % EXACT]);
        const olo_system *s = p.s.system;
        olo_packs *packs = probe_packs(&p, OLO_PACKS_BEST);
        double h = 0.01, before = 1, last = 1;
        scene_run(&p.s, h, 2);
        for (int i = 0; i < s->twists; i++) {
            olo_last_motion(p.s.state)[i] += 0.01 * scene_random(&seed);
            olo_last_wrenches(p.s.state)[i] *= 1 + 0.1 * scene_random(&seed);
        }
        probe_begin(&p, h);
        predict_last(packs, p.step);
        for (int i = 0; i < 6 && last > 1e-13; i++) {
            olo_newton newton = {0};
            check_true(olo_packs_iterate(packs, p.step, false, &newton));
            before = last;
            last = newton.increment;
            if (i > 1) /* after the first two, errors of motion and wrench are comparable */
                check_below(last, 20 * before * before + 1e-14);
        }
        check_below(last, 1e-13);
        olo_packs_free(packs);
        probe_close(&p);
        joined_free(&x);
    }
}

/* The motion after iterations from a disturbed start, with a new tangent up to iteration `anew`;
 * `last` are the updates of the last one. */
static void iterate_from(probe *p, int count, int anew, double *last, double *motion)
{
    olo_packs *packs = probe_packs(p, OLO_PACKS_BEST);
    size_t twists = (size_t)p->s.system->twists;
    double *wrench = olo_alloc(twists, sizeof *wrench);
    predict_last(packs, p->step);
    for (int i = 0; i < count; i++) {
        olo_newton newton = {0};
        check_true(olo_packs_iterate(packs, p->step, i >= anew, &newton));
        last[i] = newton.increment;
    }
    olo_packs_finish(packs, p->step, wrench);
    memcpy(motion, p->step->x.motion, twists * sizeof *motion);
    olo_free(wrench);
    olo_packs_free(packs);
}

/* The left pair is constant, and the tangent differs from that at the solution by the size of the
 * first update. */
TEST(an_older_tangent_on_hinges_leaves_a_share_of_the_first_update)
{
    enum { COUNT = 5 };
    unsigned long long seed = 7;
    for (int k = 1; k <= 30; k++) {
        joined x = joined_hinges_pushed((unsigned)k, k % 13 + 2, false,
                                        k % 3 == 0   ? JOINED_HINGES
                                        : k % 3 == 1 ? JOINED_BALLS
                                                     : JOINED_REVERSED_PAIRS);
        probe p = probe_open(&x, "variational");
        int twists = p.s.system->twists;
        double *exact = olo_alloc((size_t)twists, sizeof *exact),
               *older = olo_alloc((size_t)twists, sizeof *older), update[COUNT];
        scene_run(&p.s, 0.01, 2);
        for (int i = 0; i < twists; i++)
            olo_last_motion(p.s.state)[i] += 1e-5 * scene_random(&seed);
        probe_begin(&p, 0.01);
        iterate_from(&p, COUNT, COUNT, update, exact);
        iterate_from(&p, COUNT, 1, update, older);
        for (int i = 1; i < COUNT; i++)
            check_below(update[i], 100 * update[0] * update[i - 1] + 1e-15);
        check_below(scene_distance(twists, older, exact), 1e-14);
        olo_free(exact);
        olo_free(older);
        probe_close(&p);
        joined_free(&x);
    }
}

/* With consistent velocities the tangent lacks the derivative of their load, at most some (h w)^2
 * of the mass matrix: that share of an update is left by the next one, whether its tangent is new.
 */
TEST(an_update_with_consistent_velocities_leaves_the_square_of_the_rotation)
{
    enum { COUNT = 4 };
    unsigned long long seed = 9;
    for (int k = 1; k <= 60; k++) {
        joined x = joined_hinges_pushed((unsigned)k, k % 13 + 2, false,
                                        k % 3 == 0   ? JOINED_HINGES
                                        : k % 3 == 1 ? JOINED_BALLS
                                                     : JOINED_REVERSED_PAIRS);
        probe p = probe_open(&x, "energy-momentum");
        double h = 0.002, update[COUNT];
        olo_packs *packs = probe_packs(&p, OLO_PACKS_BEST);
        scene_run(&p.s, h, 8);
        for (int i = 0; i < p.s.system->twists; i++)
            olo_last_motion(p.s.state)[i] += 1e-7 * scene_random(&seed);
        probe_begin(&p, h);
        const olo_motion_mix mix = joined_mix(p.s.state, 3, (const double[]){1, 1, 1});
        olo_packs_predict(packs, p.step, 1.0, &mix);
        for (int i = 0; i < COUNT; i++) {
            olo_newton newton = {0};
            check_true(olo_packs_iterate(packs, p.step, i > 1, &newton));
            update[i] = newton.increment;
            if (i > 0)
                check_below(update[i],
                            (4 * newton.turn * newton.turn + 100 * update[0]) * update[i - 1] +
                                1e-16);
        }
        olo_packs_free(packs);
        probe_close(&p);
        joined_free(&x);
    }
}

/* What an update leaves is known from the update before it, not from the rotation alone: no step
 * ends after its first one, unless that is round-off. */
TEST(steps_with_consistent_velocities_end_by_a_measured_contraction)
{
    for (int k = 1; k <= 12; k++) {
        joined x = joined_hinges_pushed((unsigned)k, k + 2, false, JOINED_HINGES);
        scene s = joined_open_scheme(&x, "energy-momentum", "reduced");
        for (int i = 0; i < 30; i++) {
            scene_run(&s, 2e-4, 1);
            const double *update = s.stepper->history;
            const int last = s.stepper->history_count - 1;
            if (last == 0)
                check_below(update[0], 1e-14);
            else if (update[last] > 1e-14)
                check_below(update[last] * update[last] / update[last - 1], 1e-16);
        }
        scene_close(&s);
        joined_free(&x);
    }
}

TEST(hinged_steps_have_the_same_bits_on_any_processor)
{
    for (int k = 1; k <= 18; k++) {
        const joined_kind kind = k % 5 == 0   ? JOINED_REVERSED_PAIRS
                                 : k % 3 == 0 ? JOINED_BALLS
                                 : k % 4 == 0 ? JOINED_FORCED
                                              : JOINED_HINGES;
        joined x = joined_hinges_pushed((unsigned)k, (3 * k + 1) / 2, false, kind);
        probe p = probe_open(&x, schemes[kind == JOINED_FORCED ? k / 4 % 2 * 2 : k % SCHEMES]);
        const olo_scheme *scheme = p.s.stepper->scheme;
        size_t n = (size_t)p.s.system->n, twists = (size_t)p.s.system->twists;
        double *motion[2], *wrench[2], *velocity[2];
        scene_run(&p.s, 0.01, 3);
        probe_begin(&p, 0.01);
        for (int side = 0; side < 2; side++) {
            olo_packs *packs = probe_packs(&p, side ? OLO_PACKS_PLAIN : OLO_PACKS_BEST);
            olo_newton newton = {0};
            motion[side] = olo_alloc(n, sizeof **motion);
            wrench[side] = olo_alloc(twists, sizeof **wrench);
            velocity[side] = olo_alloc(n, sizeof **velocity);
            const double even[] = {1, 1, 1, 1, 1, 1}, uneven[] = {1.2, 0.8, 0.5, 1, 1, 1};
            const olo_motion_mix mix = joined_mix(p.s.state, 6, k % 2 ? even : uneven);
            olo_packs_predict(packs, p.step, 1.0, &mix);
            for (int i = 0; i < 3; i++)
                check_true(olo_packs_iterate(
                    packs, p.step, i > 0 && (scheme->evaluation.at_start || scheme->consistent),
                    &newton));
            if (scheme->consistent)
                check_equal(olo_packs_velocities(packs, p.step), -1);
            olo_packs_finish(packs, p.step, wrench[side]);
            memcpy(motion[side], p.step->x.q1, n * sizeof **motion);
            if (scheme->momentum)
                check_equal(olo_packs_project(packs, p.step), -1);
            memcpy(velocity[side], p.step->v1, n * sizeof **velocity);
            olo_packs_free(packs);
        }
        check_true(memcmp(motion[0], motion[1], n * sizeof **motion) == 0);
        check_true(memcmp(wrench[0], wrench[1], twists * sizeof **wrench) == 0);
        check_true(memcmp(velocity[0], velocity[1], n * sizeof **velocity) == 0);
        for (int side = 0; side < 2; side++) {
            olo_free(motion[side]);
            olo_free(wrench[side]);
            olo_free(velocity[side]);
        }
        probe_close(&p);
        joined_free(&x);
    }
}

/* Nothing moves, and two of four lanes have no body: the body with the largest change is one of the
 * two. */
TEST(bodies_at_rest_have_a_body_with_the_largest_change)
{
    scene s = scene_open("bodies:\n"
                         "  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
                         "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n",
                         "reduced");
    probe p = {.s = s, .tree = s.system->topology};
    olo_packs *packs = probe_packs(&p, OLO_PACKS_BEST);
    olo_newton newton = {.worst = -1};
    probe_begin(&p, 0.01);
    predict_last(packs, p.step);
    check_true(olo_packs_iterate(packs, p.step, false, &newton));
    check_true(newton.worst == 0 || newton.worst == 1);
    olo_packs_free(packs);
    probe_close(&p);
}

TEST(a_hinge_without_inertia_is_named)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\n"
                         "bodies:\n"
                         "  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
                         "  - {name: needle, mass: 1, inertia: [1, 1, 0], position: [0, 0, 1]}\n"
                         "joints:\n"
                         "  - {type: revolute, between: [ground, a], axis: [0, 1, 0]}\n"
                         "  - {type: revolute, between: [a, needle], at: [0, 0, 1], axis: [0, 0, "
                         "1]}\n",
                         "reduced");
    olo_error error = {0};
    check_true(olo_stepper_step(s.stepper, s.state, 0.01, &error) != OLO_OK);
    check_contains("singular at 'needle'", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(hinged_trees_move_as_by_the_elimination),
          cmocka_unit_test(ball_joints_among_hinges_move_as_by_the_elimination),
          cmocka_unit_test(joints_of_all_kinds_move_as_by_the_elimination),
          cmocka_unit_test(joints_with_forces_move_as_by_the_elimination),
          cmocka_unit_test(normal_motions_are_packed_with_forces_of_any_kind),
          cmocka_unit_test(lifted_iteration_on_hinges_converges_quadratically),
          cmocka_unit_test(an_older_tangent_on_hinges_leaves_a_share_of_the_first_update),
          cmocka_unit_test(an_update_with_consistent_velocities_leaves_the_square_of_the_rotation),
          cmocka_unit_test(steps_with_consistent_velocities_end_by_a_measured_contraction),
          cmocka_unit_test(hinged_steps_have_the_same_bits_on_any_processor),
          cmocka_unit_test(bodies_at_rest_have_a_body_with_the_largest_change),
          cmocka_unit_test(a_hinge_without_inertia_is_named))
