/* Loops of packed bodies: closures are solved by columns and rows along their ways to the root, and
 * a complement of the closures alone. Motion, multipliers and convergence are those of the
 * elimination of the whole graph with every scheme, also where velocities and their multipliers are
 * unknowns, and the bits do not depend on how the sweeps were compiled. */
#include "joined.h"

#include "base/memory.h"
#include "stepping/momenta.h"
#include "stepping/packs.h"
#include "stepping/projector.h"
#include "stepping/registry.h"

/* Two branches of bodies that begin at the first one, which is joined to the ground or free, with
 * loops between the last bodies, or from them to the ground. */
typedef struct loops {
    unsigned seed;
    int bodies, loops;
    const char *tree, *closures; /* letters of pairs */
    bool parallel;               /* all axes are: rows of hinges that close loops are redundant */
    bool forced;                 /* springs, dampers, stops and torques along coordinates */
} loops;

static const pair_kind *any_pair(joined *x, const char *letters)
{
    return pair_letter(letters[joined_pick(x, (int)strlen(letters))]);
}

/* If `pushed`, with a force that is too small to move anything but rotates with a body: such
 * systems are solved by the elimination of the whole graph. */
static joined loops_create(const loops *of, bool pushed)
{
    const double z[3] = {0, 0, 1}, gravity[3] = {1, -9.81, of->parallel ? 0 : 2};
    const double *axis = of->parallel ? z : NULL;
    const bool grounded = of->parallel || of->seed % 2;
    joined x = joined_create(of->seed);
    x.kind = of->forced ? JOINED_FORCED_PAIRS : JOINED_PAIRS;
    olo_model_set_gravity(x.model, gravity);
    for (int k = 0; k < of->bodies; k++) {
        const int parent = k == 0 ? GROUND : k < 3 ? 0 : k - 2;
        double position[3];
        joined_vector(&x, 0.8, position);
        if (parent != GROUND)
            vec3_add(1.0, x.position[parent], position);
        joined_body(&x, position, NULL);
        if (k > 0 || grounded)
            joined_pair(&x, any_pair(&x, of->tree), parent, k, axis, 0.4);
    }
    x.kind = JOINED_PAIRS;
    for (int i = 0; i < of->loops; i++) {
        const int a = of->bodies - 1 - i, b = grounded && joined_pick(&x, 3) == 0 ? GROUND : a - 1;
        const pair_kind *pair = any_pair(&x, of->closures);
        if (of->parallel || x.dofs - pair->rows >= 2)
            joined_pair(&x, pair, a, b, axis, 0.4);
    }
    if (pushed)
        joined_push(&x);
    return x;
}

/* Whether packs make the steps of a scene. */
static bool is_packed(const scene *s)
{
    olo_packs *packs = NULL;
    olo_elimination *variations = NULL;
    olo_error error = {0};
    const olo_topology *graph = s->system->topology;
    check_ok(olo_elimination_create(graph->elimination, &variations, &error), &error);
    check_ok(olo_packs_create(s->system, s->stepper->scheme, graph, variations, OLO_PACKS_BEST,
                              &packs, &error),
             &error);
    const bool packed = packs != NULL;
    olo_packs_free(packs);
    olo_elimination_free(variations);
    return packed;
}

/* Multipliers that are unique; rows of one closure may be redundant to those of another. */
static void check_same_multipliers(const scene *a, const scene *b, int closed, double bound)
{
    const olo_topology *graph = a->system->topology;
    double most = 1, apart = 0;
    olo_counts counts;
    olo_error error = {0};
    check_ok(olo_system_counts(a->system, &counts, &error), &error);
    if (closed > 1 && counts.rank < counts.constraints)
        return;
    for (int i = 0; i < graph->closure_count; i++) {
        const double x = a->state->lambda[graph->closures[i]],
                     y = b->state->lambda[graph->closures[i]];
        most = larger(most, fabs(y));
        apart = larger(apart, fabs(x - y));
    }
    check_below(apart, bound * most);
}

/* A model and the same one pushed. Whether packs make the steps of the first: not if a force acts
 * along a joint that closes a loop. */
static bool check_alike(joined *plain, joined *pushed, const char *scheme, int closed, double more)
{
    scene a = joined_open_scheme(plain, scheme, "reduced"),
          b = joined_open_scheme(pushed, scheme, "reduced");
    const int n = a.system->n;
    check_true(a.system->topology->closure_count > 0);
    const bool packed = is_packed(&a);
    check_true(!is_packed(&b));
    scene_run(&a, 0.01, 20);
    scene_run(&b, 0.01, 20);
    check_below(scene_distance(n, a.state->q, b.state->q), 1e-12);
    check_below(scene_distance(n, a.state->v, b.state->v), 1e-10);
    check_same_multipliers(&a, &b, closed, 1e-7);
    check_below(fabs(olo_sum_value(&a.state->work) - olo_sum_value(&b.state->work)), 1e-10);
    check_below(fabs(olo_sum_value(&a.state->dissipation) - olo_sum_value(&b.state->dissipation)),
                1e-10);
    check_below(scene_ledger(&a).constraint_error, 1e-12);
    /* the tangent is the same in both; there the last iteration may use that of the one before.
     * With consistent velocities packs mix more updates, and stop by the worse of two
     * contractions */
    check_below((double)a.iterations,
                (double)b.iterations + (a.stepper->scheme->consistent ? larger(more, 20) : more));
    check_equal(a.halvings, b.halvings);
    scene_close(&a);
    scene_close(&b);
    joined_free(plain);
    joined_free(pushed);
    return packed;
}

static bool check_same_motion(const loops *of, const char *scheme)
{
    joined plain = loops_create(of, false), pushed = loops_create(of, true);
    return check_alike(&plain, &pushed, scheme, of->loops, of->forced ? 20 : 8);
}

/* Whether loops are packed with a scheme that has its left pair at the start, or one that varies.
 */
static bool has_loops(const char *name, bool at_start)
{
    const olo_scheme *scheme = olo_scheme_find(name);
    return scheme->inertial && scheme->evaluation.at_start == at_start;
}

/* With all such schemes; forces along joints need a left pair that varies. */
static int check_with_all_schemes(const loops *of)
{
    int packed = 0;
    for (const char *const *name = olo_scheme_names; *name; name++)
        if (has_loops(*name, false) || (has_loops(*name, true) && !of->forced))
            packed += check_same_motion(of, *name);
    return packed;
}

TEST(one_loop_moves_as_by_the_elimination_for_every_pair_that_closes_it)
{
    for (unsigned k = 0; k < PAIRS; k++) {
        const char letter[2] = {"SCRPEFLTU"[k], 0};
        const loops of = {.seed = 11 + k, .bodies = 9, .loops = 1, .tree = "R", .closures = letter};
        check_equal(3, check_with_all_schemes(&of));
    }
}

TEST(loops_over_every_pair_of_the_tree_move_as_by_the_elimination)
{
    for (unsigned k = 0; k < PAIRS; k++) {
        const char tree[3] = {'R', "SCRPEFLTU"[k], 0};
        const loops of = {.seed = 31 + k, .bodies = 8, .loops = 2, .tree = tree, .closures = "ST"};
        check_equal(3, check_with_all_schemes(&of));
    }
}

TEST(loops_that_share_bodies_move_as_by_the_elimination)
{
    for (unsigned k = 1; k <= 12; k++) {
        const loops of = {.seed = 50 + k,
                          .bodies = 6 + (int)k % 7,
                          .loops = 2 + (int)k % 3,
                          .tree = "RSU",
                          .closures = "SLTC"};
        check_equal(3, check_with_all_schemes(&of));
    }
}

/* Three of five rows of a hinge that closes a planar loop are redundant. */
TEST(redundant_loops_move_as_by_the_elimination)
{
    for (unsigned k = 1; k <= 10; k++) {
        const loops of = {.seed = 70 + k,
                          .bodies = 5 + (int)k % 5,
                          .loops = 1 + (int)k % 2,
                          .tree = "R",
                          .closures = "R",
                          .parallel = true};
        check_equal(3, check_with_all_schemes(&of));
    }
}

TEST(loops_with_forces_along_joints_move_as_by_the_elimination)
{
    int packed = 0;
    for (unsigned k = 1; k <= 12; k++) {
        const loops of = {.seed = 90 + k,
                          .bodies = 7 + (int)k % 4,
                          .loops = 1 + (int)k % 3,
                          .tree = "RPCE",
                          .closures = "STU",
                          .forced = true};
        packed += check_with_all_schemes(&of);
    }
    check_true(packed >= 6);
}

/* The name of a coordinate of joint k. */
static void name_coordinate(joined *x, const char *kinds, int k, char name[24])
{
    static const char *const of[] = {"angle", "position", "position1", "position2"};
    const int first = joined_pick(x, 2);
    const char letter = kinds[k];
    const int which = letter == 'R'   ? 0
                      : letter == 'P' ? 1
                      : letter == 'C' ? first
                                      : 2 * first + (first && joined_pick(x, 2));
    snprintf(name, 24, "j%d.%s", k, of[which]);
}

/* A chain with branches, whose joints have gears, differentials and prescribed motions; beside them
 * springs, dampers, stops and torques, and a loop. */
static joined related_create(unsigned seed, bool forced, bool looped, bool pushed)
{
    enum { BODIES = 8 };
    const double gravity[3] = {1, -9.81, 2};
    char kinds[BODIES + 1] = {0}, names[3][24];
    olo_error error = {0};
    olo_signal signal = olo_signal_default();
    joined x = joined_create(seed);
    x.kind = forced ? JOINED_FORCED_PAIRS : JOINED_PAIRS;
    olo_model_set_gravity(x.model, gravity);
    signal.expression = "0.4*t^2";
    for (int k = 0; k < BODIES; k++) {
        const int parent = k == 0 ? GROUND : k < 4 ? k - 1 : k - 2;
        const bool turned = joined_pick(&x, 3) == 0;
        double position[3];
        joined_vector(&x, 0.8, position);
        if (parent != GROUND)
            vec3_add(1.0, x.position[parent], position);
        joined_body(&x, position, NULL);
        kinds[k] = "RPCE"[joined_pick(&x, 4)];
        x.motion = k == 1 || k == 6 ? &signal : NULL;
        x.kind = forced && !x.motion ? JOINED_FORCED_PAIRS : JOINED_PAIRS;
        joined_pair(&x, pair_letter(kinds[k]), turned ? k : parent, turned ? parent : k, NULL, 0);
    }
    x.motion = NULL;
    x.kind = JOINED_PAIRS;
    for (int i = 0; i < 2; i++) {
        olo_relation relation = olo_relation_default();
        for (int j = 0; j < 3; j++)
            name_coordinate(&x, kinds, (int[]){i ? 5 : 2, i ? 7 : 3, 4}[j], names[j]);
        relation.coordinate = names[0];
        relation.follows = names[1];
        relation.ratio = i ? -0.7 : 1.3;
        relation.also = i ? names[2] : NULL;
        relation.also_ratio = 0.4;
        check_ok(olo_model_add_relation(x.model, &relation, &error), &error);
    }
    if (looped)
        joined_pair(&x, pair_letter('T'), BODIES - 1, BODIES - 2, NULL, 0.4);
    if (pushed)
        joined_push(&x);
    return x;
}

TEST(gears_and_prescribed_motions_of_joints_move_as_by_the_elimination)
{
    for (unsigned k = 0; k < 36; k++) {
        const bool forced = k % 3 == 1, looped = k % 3 == 2;
        joined plain = related_create(150 + k / 2, forced, looped, false),
               pushed = related_create(150 + k / 2, forced, looped, true);
        check_true(check_alike(&plain, &pushed, k % 2 ? "energy-momentum" : "energy-momentum-2006",
                               1, forced ? 20 : 8));
    }
}

/* Motion and multipliers of three iterations. */
static void iterate(const scene *s, olo_packs_width width, double *motion, double *lambda)
{
    olo_packs *packs = NULL;
    olo_elimination *variations = NULL;
    olo_projector *projector = NULL;
    olo_error error = {0};
    olo_step *step = &s->stepper->step;
    const olo_topology *graph = s->system->topology;
    double *row_start = olo_alloc((size_t)graph->closure_count, sizeof *row_start);
    check_ok(olo_elimination_create(graph->elimination, &variations, &error), &error);
    check_ok(olo_projector_create(graph, variations, &projector, &error), &error);
    check_ok(
        olo_packs_create(s->system, s->stepper->scheme, graph, variations, width, &packs, &error),
        &error);
    olo_packs_set_multipliers(packs, lambda, row_start);
    const olo_motion_mix mix = joined_mix(s->state, 2, (const double[]){1.2, 0.8});
    olo_packs_predict(packs, step, 1.0, &mix);
    olo_packs_write_motion(packs, step);
    olo_elimination_clear(variations);
    for (int i = 0; i < 3; i++) {
        olo_newton newton = {0};
        for (int k = 0; !s->stepper->scheme->evaluation.at_start && k < graph->closure_count; k++)
            if (s->system->constraints[graph->closures[k]].curved)
                olo_projector_add_hessian(
                    projector, olo_piece_of_constraint(s->system, graph->closures[k]),
                    lambda[k] / step->h, olo_motion_left(&step->x), step->x.q1);
        check_true(olo_packs_iterate(packs, step, false, &newton));
        olo_packs_update_multipliers(packs, lambda);
        olo_packs_write_motion(packs, step);
    }
    memcpy(motion, step->x.motion, (size_t)s->system->twists * sizeof *motion);
    olo_packs_free(packs);
    olo_projector_free(projector);
    olo_elimination_free(variations);
    olo_free(row_start);
}

TEST(loops_have_the_same_bits_on_any_processor)
{
    for (unsigned k = 0; k < 8; k++) {
        const loops of = {
            .seed = 120 + k, .bodies = 5 + (int)k, .loops = 2, .tree = "RSPCU", .closures = "SUC"};
        joined x = loops_create(&of, false);
        const char *const *name = olo_scheme_names;
        while (!has_loops(*name, k % 2))
            name++;
        scene s = joined_open_scheme(&x, *name, "reduced");
        const size_t twists = (size_t)s.system->twists,
                     closures = (size_t)s.system->topology->closure_count;
        double *motion[2], *lambda[2];
        scene_run(&s, 0.01, 3);
        olo_step *step = &s.stepper->step;
        step->h = 0.01;
        step->state = s.state;
        step->x.q0 = s.state->q;
        memcpy(step->v0, s.state->v, (size_t)s.system->n * sizeof *step->v0);
        for (int side = 0; side < 2; side++) {
            motion[side] = olo_alloc(twists, sizeof **motion);
            lambda[side] = olo_alloc(closures, sizeof **lambda);
            iterate(&s, side ? OLO_PACKS_PLAIN : OLO_PACKS_BEST, motion[side], lambda[side]);
        }
        check_true(memcmp(motion[0], motion[1], twists * sizeof **motion) == 0);
        check_true(memcmp(lambda[0], lambda[1], closures * sizeof **lambda) == 0);
        for (int side = 0; side < 2; side++) {
            olo_free(motion[side]);
            olo_free(lambda[side]);
        }
        scene_close(&s);
        joined_free(&x);
    }
}

TEST_MAIN(cmocka_unit_test(one_loop_moves_as_by_the_elimination_for_every_pair_that_closes_it),
          cmocka_unit_test(loops_over_every_pair_of_the_tree_move_as_by_the_elimination),
          cmocka_unit_test(loops_that_share_bodies_move_as_by_the_elimination),
          cmocka_unit_test(redundant_loops_move_as_by_the_elimination),
          cmocka_unit_test(loops_with_forces_along_joints_move_as_by_the_elimination),
          cmocka_unit_test(gears_and_prescribed_motions_of_joints_move_as_by_the_elimination),
          cmocka_unit_test(loops_have_the_same_bits_on_any_processor))
