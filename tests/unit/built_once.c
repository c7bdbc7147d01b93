/* A command builds one topology, one rank, one structure of the elimination, and workspaces only
 * for solvers. The linker redirects the constructors to the counters here
 * (tests/CMakeLists.txt). */
#include "cli/command.h"
#include "kinematics/redundancy.h"
#include "oloid/simulate.h"
#include "test.h"

typedef struct built {
    int topologies, ranks, structures, eliminations, steppers;
} built;

static built count;

olo_status __real_olo_topology_create(const olo_system *system, const bool *active,
                                      olo_topology **topology, olo_error *error);
olo_status __wrap_olo_topology_create(const olo_system *system, const bool *active,
                                      olo_topology **topology, olo_error *error);
olo_status __wrap_olo_topology_create(const olo_system *system, const bool *active,
                                      olo_topology **topology, olo_error *error)
{
    count.topologies++;
    return __real_olo_topology_create(system, active, topology, error);
}

olo_status __real_olo_redundancy_create(const olo_topology *topology, olo_redundancy **redundancy,
                                        olo_error *error);
olo_status __wrap_olo_redundancy_create(const olo_topology *topology, olo_redundancy **redundancy,
                                        olo_error *error);
olo_status __wrap_olo_redundancy_create(const olo_topology *topology, olo_redundancy **redundancy,
                                        olo_error *error)
{
    count.ranks++;
    return __real_olo_redundancy_create(topology, redundancy, error);
}

olo_status __real_olo_elimination_structure_create(int blocks, const olo_block *block, int edges,
                                                   const int *edge,
                                                   olo_elimination_structure **structure,
                                                   olo_error *error);
olo_status __wrap_olo_elimination_structure_create(int blocks, const olo_block *block, int edges,
                                                   const int *edge,
                                                   olo_elimination_structure **structure,
                                                   olo_error *error);
olo_status __wrap_olo_elimination_structure_create(int blocks, const olo_block *block, int edges,
                                                   const int *edge,
                                                   olo_elimination_structure **structure,
                                                   olo_error *error)
{
    count.structures += !block[0].closure; /* those of closures alone belong to a workspace */
    return __real_olo_elimination_structure_create(blocks, block, edges, edge, structure, error);
}

olo_status __real_olo_elimination_create(const olo_elimination_structure *structure,
                                         olo_elimination **elimination, olo_error *error);
olo_status __wrap_olo_elimination_create(const olo_elimination_structure *structure,
                                         olo_elimination **elimination, olo_error *error);
olo_status __wrap_olo_elimination_create(const olo_elimination_structure *structure,
                                         olo_elimination **elimination, olo_error *error)
{
    count.eliminations++;
    return __real_olo_elimination_create(structure, elimination, error);
}

olo_status __real_olo_stepper_create(const olo_system *system, const olo_run *run,
                                     olo_stepper **stepper, olo_error *error);
olo_status __wrap_olo_stepper_create(const olo_system *system, const olo_run *run,
                                     olo_stepper **stepper, olo_error *error);
olo_status __wrap_olo_stepper_create(const olo_system *system, const olo_run *run,
                                     olo_stepper **stepper, olo_error *error)
{
    count.steppers++;
    return __real_olo_stepper_create(system, run, stepper, error);
}

static void expect(const cli_command *command, const char *const *words, int eliminations,
                   int steppers)
{
    char *argv[16] = {NULL};
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    count = (built){0};
    check_equal(0, cli_start(command, argc, argv));
    check_equal(1, count.topologies);
    check_equal(1, count.ranks);
    check_equal(1, count.structures);
    check_equal(eliminations, count.eliminations);
    check_equal(steppers, count.steppers);
}

TEST(a_run_of_the_six_body_linkage_builds_one_of_each)
{
    const char *const words[] = {"run", "six-body-linkage", "--end", "0.02", "--quiet",
                                 "-o",  "built_once.h5",    NULL};
    /* that of steps and that of velocities normal to constraints, each with one of closures alone
     * and one of their multipliers for redundant rows */
    expect(&cli_run, words, 6, 1);
}

/* The elimination is that of the reduced treatment, which finds the redundant rows. */
TEST(a_run_with_multipliers_takes_the_same_topology)
{
    const char *const words[] = {"run",         "six-body-linkage", "--end",
                                 "0.02",        "--constraints",    "multipliers",
                                 "--no-result", "--quiet",          NULL};
    /* that of steps and that of velocities normal to constraints, each with one of closures alone
     * and one of their multipliers for redundant rows */
    expect(&cli_run, words, 6, 1);
}

TEST(a_check_of_the_six_body_linkage_solves_nothing)
{
    const char *const words[] = {"check", "six-body-linkage", "--json", NULL};
    expect(&cli_check, words, 0, 0);
}

/* The workspace of the equilibrium, then that of the modes about it. */
TEST(modes_take_the_topology_of_its_system)
{
    const char *const words[] = {"modes", "bend-45", "--json", NULL};
    expect(&cli_modes, words, 2, 0);
}

TEST_MAIN(cmocka_unit_test(a_run_of_the_six_body_linkage_builds_one_of_each),
          cmocka_unit_test(a_run_with_multipliers_takes_the_same_topology),
          cmocka_unit_test(a_check_of_the_six_body_linkage_solves_nothing),
          cmocka_unit_test(modes_take_the_topology_of_its_system))
