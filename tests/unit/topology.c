/* Topologies follow from the set of active constraint groups and never change. */
#include "scene.h"

#include "kinematics/redundancy.h"
#include "linalg/elimination_private.h"

/* Four bars in the plane x-z, the last hinge of which closes the loop. */
#define BARS                                                                                       \
    "bodies:\n"                                                                                    \
    "  - {name: crank, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5]}\n"                      \
    "  - {name: rod, mass: 1, inertia: [1, 1, 1], position: [1, 0, 1]}\n"                          \
    "  - {name: rocker, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0.5]}\n"                     \
    "supports:\n"                                                                                  \
    "  - {name: left, on: crank, type: hinge, at: [0, 0, 0], axis: [0, 1, 0]}\n"
#define RIGHT "  - {name: right, on: rocker, type: hinge, at: [2, 0, 0], axis: [0, 1, 0]}\n"
#define JOINTS                                                                                     \
    "joints:\n"                                                                                    \
    "  - {name: first, type: revolute, between: [crank, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
#define SECOND                                                                                     \
    "  - {name: second, type: revolute, between: [rod, rocker], at: [2, 0, 1], axis: [0, 1, 0]}\n"
#define SPRING "springs:\n  - {name: spring, between: [crank, rocker], stiffness: 3}\n"

static const char whole[] = BARS RIGHT JOINTS SECOND SPRING;

static int group_of(const olo_system *s, const char *name)
{
    for (int i = 0; i < s->group_count; i++)
        if (strcmp(s->groups[i].name, name) == 0)
            return i;
    fail_msg("no group '%s'", name);
    return -1;
}

/* The topology of the system without some groups, given by a list of names that ends with NULL. */
static olo_topology *without(const olo_system *s, const char *const *names)
{
    bool active[64];
    olo_topology *topology = NULL;
    olo_error error = {0};
    check_true(s->group_count <= 64);
    for (int i = 0; i < s->group_count; i++)
        active[i] = true;
    for (; *names; names++)
        active[group_of(s, *names)] = false;
    check_ok(olo_topology_create(s, active, &topology, &error), &error);
    return topology;
}

static void check_same_structure(const olo_topology *expected, const olo_topology *got)
{
    const olo_elimination_structure *a = expected->elimination, *b = got->elimination;
    check_equal(expected->unknowns, got->unknowns);
    check_equal(expected->closure_count, got->closure_count);
    check_equal(expected->closure_block_count, got->closure_block_count);
    for (int k = 0; k < expected->system->node_count; k++) {
        check_equal(expected->order[k], got->order[k]);
        check_equal(expected->nodes[k].parent, got->nodes[k].parent);
        check_equal(expected->nodes[k].dof, got->nodes[k].dof);
        check_equal(expected->nodes[k].u, got->nodes[k].u);
    }
    check_equal(a->count, b->count);
    check_equal(a->number_count, b->number_count);
    for (int i = 0; i < a->count; i++)
        check_equal(a->order[i], b->order[i]);
}

/* The topology without some groups is that of the model without these joints. */
TEST(a_topology_without_a_joint_is_that_of_the_model_without_it)
{
    static const struct {
        const char *text;
        const char *names[3];
    } cases[] = {{BARS JOINTS SECOND SPRING, {"right", NULL}},
                 {BARS RIGHT JOINTS SPRING, {"second", NULL}},
                 {BARS JOINTS SPRING, {"right", "second", NULL}}};
    scene s = scene_open(whole, "reduced");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene other = scene_open(cases[i].text, "reduced");
        olo_topology *topology = without(s.system, cases[i].names);
        check_same_structure(other.system->topology, topology);
        check_equal(0, topology->closure_count);
        olo_topology_free(topology);
        scene_close(&other);
    }
    scene_close(&s);
}

/* The tree has three hinges. The closure has five rows, of which three are redundant: all axes are
 * parallel, so that nothing moves normal to the plane. One degree of freedom remains (Gruebler). */
TEST(closures_and_rank_of_four_bars)
{
    scene s = scene_open(whole, "reduced");
    const olo_topology *topology = s.system->topology;
    const olo_redundancy *redundancy = s.system->redundancy;
    int rows = 0;
    check_equal(3, topology->unknowns);
    check_equal(5, topology->closure_count);
    check_equal(2, redundancy->rank);
    for (int i = 0; i < s.system->group_count; i++)
        rows += redundancy->rows[i];
    check_equal(3, rows);
    check_true(olo_system_is_redundant(s.system));
    scene_close(&s);
}

/* If only the groups of rigid bodies are active, all bodies are free. */
TEST(without_joints_all_bodies_are_free)
{
    static const char *const all[] = {"left", "right", "first", "second", NULL};
    scene s = scene_open(whole, "reduced");
    olo_topology *topology = without(s.system, all);
    olo_redundancy *redundancy = NULL;
    olo_error error = {0};
    check_equal(3 * 6, topology->unknowns);
    check_equal(0, topology->closure_count);
    for (int k = 0; k < s.system->node_count; k++)
        check_true(topology->nodes[k].type == NULL && topology->nodes[k].parent == -1);
    check_ok(olo_redundancy_create(topology, &redundancy, &error), &error);
    check_equal(0, redundancy->rank);
    olo_redundancy_free(redundancy);
    olo_topology_free(topology);
    scene_close(&s);
}

/* Steps find the redundant directions of closures again and do not change the topology. */
TEST(steps_do_not_change_the_topology)
{
    static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
    for (size_t i = 0; i < sizeof treatments / sizeof *treatments; i++) {
        scene s = scene_open("six-body-linkage", treatments[i]);
        const olo_topology *topology = s.system->topology;
        const olo_elimination_structure *structure = topology->elimination;
        olo_topology_node nodes[8];
        node blocks[16];
        check_true(s.system->node_count <= 8 && structure->count <= 16);
        const size_t size = (size_t)s.system->node_count * sizeof *nodes;
        const size_t block_size = (size_t)structure->count * sizeof *blocks;
        memcpy(nodes, topology->nodes, size);
        memcpy(blocks, structure->nodes, block_size);
        scene_run(&s, s.run.step, 10);
        check_true(memcmp(nodes, topology->nodes, size) == 0);
        check_true(memcmp(blocks, structure->nodes, block_size) == 0);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(a_topology_without_a_joint_is_that_of_the_model_without_it),
          cmocka_unit_test(closures_and_rank_of_four_bars),
          cmocka_unit_test(without_joints_all_bodies_are_free),
          cmocka_unit_test(steps_do_not_change_the_topology))
