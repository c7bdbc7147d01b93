/* Failed allocations at any moment of a run: the n-th allocation fails, for every n. Then every
 * function reports OLO_NO_MEMORY with a text, nothing leaks, no object is incomplete, and the next
 * call without a failure succeeds. */
#include "base/memory.h"
#include "oloid/model.h"
#include "oloid/simulate.h"
#include "oloid/system.h"
#include "stepping/registry.h"
#include "test.h"

/* Rods in a loop, bodies on supports and joints, beams, relations, motions, springs of all kinds,
 * dampers, loads: everything that allocates. */
static const char everything[] =
    "parameters: {k: 100}\n"
    "gravity: [0, 0, -9.81]\n"
    "points:\n"
    "  - {name: a, mass: 2, position: [1, 0, 0]}\n"
    "  - {name: b, mass: 1, position: [0, 1, 0], relative_to: a}\n"
    "  - {name: c, mass: 1, position: [0, 1, 0]}\n"
    "bodies:\n"
    "  - {name: top, mass: 1, inertia: [1, 1.5, 2], position: [0, 0, 1], points: {tip: [0, 0, "
    "0.1]}}\n"
    "  - {name: box, shapes: {type: box, size: [1, 2, 3], mass: 1}, position: [3, 0, 0]}\n"
    "  - {name: arm, mass: 1, inertia: [1, 1, 1], position: [5, 0, 0]}\n"
    "  - {name: hand, mass: 1, inertia: [1, 1, 1], position: [6, 0, 0]}\n"
    "  - {name: nut, mass: 1, inertia: [1, 1, 1], position: [7, 0, 0]}\n"
    "beams:\n"
    "  - {name: bow, elements: 2, points: [[9, 0, 0], [9, 1, 0], [9, 1, 1]], stiffness: [9, 9, 9, "
    "9, 9, 9],\n"
    "     inertia: [1, 1, 1], damping: 0.1}\n"
    "  - {name: string, elements: 1, points: [[9, 1, 0], [9, 2, 0]], curve: spline, start_on: "
    "bow.middle,\n"
    "     energy: k*(g1^2 + g2^2 + g3^2 + k1^2 + k2^2 + k3^2 + k1^4), inertia: [1, 1, 1]}\n"
    "masses: {on: string.end, mass: 1}\n"
    "joints:\n"
    "  - {name: pin, between: [[5, 0, 0], arm], axis: [0, 0, 1], motion: sin(t)}\n"
    "  - {name: cross, type: universal, between: [arm, hand], at: [6, 0, 0], axis: [0, 1, 0], "
    "axis2: [0, "
    "0, 1], coordinate: angle1, motion: {time: [0, 1], value: [0, 1]}}\n"
    "  - {name: thread, type: screw, between: [[7, 0, 0], nut], axis: [1, 0, 0], pitch: 0.1}\n"
    "relations: {coordinate: cross.angle2, follows: thread.angle, ratio: 2}\n"
    "rods:\n"
    "  - {between: [ground, a]}\n"
    "  - {between: [a, c]}\n"
    "  - {between: [c, ground]}\n"
    "springs:\n"
    "  - {between: [a, b], stiffness: k, damping: 0.1}\n"
    "  - {between: [top.tip, box], type: linear, stiffness: k}\n"
    "  - {between: [top, [0, 0, 3]], energy: k*(l - 1)^4}\n"
    "dampers: {between: [b, box], damping: 0.1}\n"
    "supports: {on: box, type: hinge, axis: [0, 0, 1]}\n"
    "loads:\n"
    "  - {on: top, force: [1, 0, 0], moment: [0, 0, 1], frame: body, time: sin(t)}\n"
    "  - {on: a, force: [0, 1, 0], time: {time: [0, 1], value: [0, 1]}}\n"
    "  - {along: string, force: [0, 1, 0]}\n"
    "outputs: [{on: top.tip}, {reaction: cross, frame: child}]\n"
    "run: {step: 0.01, end: 0.02}\n";

static olo_status take_steps(const olo_system *system, const olo_run *run, olo_state *state,
                             olo_error *error)
{
    olo_stepper *stepper = NULL;
    olo_status status = olo_stepper_create(system, run, &stepper, error);
    check_true((status == OLO_OK) == (stepper != NULL));
    if (status == OLO_OK)
        status = olo_stepper_step(stepper, state, run->step, error);
    double condition, force[3], moment[3];
    if (status == OLO_OK)
        status = olo_stepper_compute_condition(stepper, &condition, error);
    for (int group = 0; status == OLO_OK && group < olo_system_group_count(system); group++)
        if (!olo_system_group_internal(system, group))
            status = olo_stepper_compute_reaction(stepper, state, group, force, moment, error);
    olo_stepper_free(stepper);
    return status;
}

static olo_status run_model(const olo_model *model, const char *treatment, olo_error *error)
{
    olo_system *system = NULL;
    olo_state *state = NULL, *copy = NULL;
    olo_counts counts;
    olo_run run = *olo_model_run(model);
    run.constraints = treatment;
    olo_status status = olo_model_compile(model, &system, error);
    check_true((status == OLO_OK) == (system != NULL));
    if (status == OLO_OK)
        status = olo_system_counts(system, &counts, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &state, NULL, error);
    if (status == OLO_OK)
        status = olo_state_clone(state, &copy, error);
    if (status == OLO_OK)
        status = take_steps(system, &run, state, error);
    if (status == OLO_OK)
        status = olo_simulate(system, &run, copy, NULL, 0, NULL, error);
    olo_state_free(copy);
    olo_state_free(state);
    olo_system_free(system);
    return status;
}

static void fail_in_turn(const char *treatment)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(
        olo_model_read_text(everything, strlen(everything), "everything", NULL, 0, &model, &error),
        &error);
    const size_t alive = olo_memory_alive(), before = olo_memory_count();
    check_ok(run_model(model, treatment, &error), &error);
    const size_t allocations = olo_memory_count() - before;
    for (size_t n = 1; n <= allocations; n += SANITIZED ? 3 : 1) {
        error = (olo_error){0};
        olo_memory_fail_at(n);
        const olo_status status = run_model(model, treatment, &error);
        olo_memory_fail_at(0);
        check_status(OLO_NO_MEMORY, status);
        check_contains("memory", error.text);
        check_equal(alive, olo_memory_alive());
    }
    check_ok(run_model(model, treatment, &error), &error);
    olo_model_free(model);
}

TEST(every_allocation_of_a_run_can_fail)
{
    for (int i = 0; olo_treatment_names[i] != NULL; i++)
        fail_in_turn(olo_treatment_names[i]);
}

TEST_MAIN(cmocka_unit_test(every_allocation_of_a_run_can_fail))
