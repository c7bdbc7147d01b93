/* Systems with other parameters that are made from a compiled one: they have the same bits as a
 * new compilation, in all numbers and in steps; the structure is shared, and changes of it are
 * refused. */
#include <pthread.h>

#include "base/memory.h"
#include "kinematics/analysis.h"
#include "kinematics/redundancy.h"
#include "model/model.h"
#include "oloid/simulate.h"
#include "scene.h"
#include "test.h"

enum { STEPS = 3 };

static olo_system *compile(const olo_model *model)
{
    olo_error error = {0};
    olo_system *system = NULL;
    check_ok(olo_model_compile(model, &system, &error), &error);
    return system;
}

/* All numbers of a system. */
static double *numbers_of(const olo_system *system, size_t *count)
{
    *count = olo_system_numbers(system);
    double *block = malloc((*count + 1) * sizeof *block);
    check_true(block != NULL);
    olo_system_get_numbers(system, block);
    return block;
}

static void check_same_scene(const olo_system *a, const olo_system *b)
{
    olo_scene x, y;
    olo_error error = {0};
    check_ok(olo_scene_create(a, &x, &error), &error);
    check_ok(olo_scene_create(b, &y, &error), &error);
    check_equal(x.count, y.count);
    for (int i = 0; i < x.count; i++) {
        const olo_drawable *d = &x.drawables[i], *e = &y.drawables[i];
        check_text(d->name, e->name);
        check_text(d->primitive, e->primitive);
        check_true(memcmp(d->position, e->position, sizeof d->position) == 0 &&
                   memcmp(d->rotation, e->rotation, sizeof d->rotation) == 0 &&
                   memcmp(d->end, e->end, sizeof d->end) == 0 &&
                   memcmp(d->size, e->size, sizeof d->size) == 0);
    }
    olo_scene_free(&x);
    olo_scene_free(&y);
}

static void check_same_numbers(const char *what, const olo_system *a, const olo_system *b)
{
    size_t m = 0, n = 0;
    double *x = numbers_of(a, &m), *y = numbers_of(b, &n);
    check_equal((long long)m, (long long)n);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof x[i]) != 0) {
            print_error("%s: number %zu of %zu is %.17g, not %.17g\n", what, i, n, y[i], x[i]);
            fail();
        }
    free(x);
    free(y);
    /* values that are derived from them, at once or later */
    check_true(a->length_scale == b->length_scale);
    check_equal(a->redundancy->rank, b->redundancy->rank);
    check_equal(olo_system_invariant_count(a), olo_system_invariant_count(b));
    for (int i = 0; i < olo_system_invariant_count(a); i++)
        check_text(olo_system_invariant(a, i)->name, olo_system_invariant(b, i)->name);
    check_true(memcmp(a->row_scale, b->row_scale, (size_t)a->m * sizeof *a->row_scale) == 0);
    check_true(a->lever_scale == b->lever_scale);
    check_same_scene(a, b);
}

/* The first steps and the ledgers after them are the same; if there is no initial state, the reason
 * is the same. */
static void check_same_steps(const olo_model *model, const olo_system *a, const olo_system *b)
{
    const olo_system *systems[2] = {a, b};
    olo_state *states[2] = {NULL, NULL};
    olo_ledger ledgers[2];
    olo_error errors[2] = {{0}};
    olo_run run = *olo_model_run(model);
    run.end = run.step * STEPS;
    memset(ledgers, 0, sizeof ledgers);
    for (int k = 0; k < 2; k++) {
        olo_status status =
            olo_system_create_initial_state(systems[k], &states[k], NULL, &errors[k]);
        if (status == OLO_OK)
            status = olo_simulate(systems[k], &run, states[k], NULL, 0, NULL, &errors[k]);
        if (status == OLO_OK)
            olo_system_ledger(systems[k], states[k], &ledgers[k]);
    }
    check_text(errors[0].text, errors[1].text);
    check_true(memcmp(&ledgers[0], &ledgers[1], sizeof ledgers[0]) == 0);
    for (int i = 0; states[0] && i < a->n; i++)
        check_true(states[0]->q[i] == states[1]->q[i] && states[0]->v[i] == states[1]->v[i]);
    olo_state_free(states[0]);
    olo_state_free(states[1]);
}

/* Elements that no model of the catalogue has: rotations, points, tables, energies, moving gravity,
 * a node of a beam, a repetition with names, functions of time, all with the parameter p. */
static const char all_kinds[] =
    "parameters: {p: 0.4, k: p^2 + 1, n: 2}\n"
    "gravity: [0, p - 1, -9]\n"
    "bodies:\n"
    "  - {name: \"b{i}\", repeat: {i: [1, n]}, mass: 1 + p, inertia: [k, k, 1.5, p/10, 0.01, "
    "0.02],\n"
    "     position: [i + p, 0, 0.3], rotation: [{axis: [1, p, 0], angle: p}, {euler: zxz, angles: "
    "[p, 1, i]}],\n"
    "     points: {tip: [p, 0.1, 0], \"end{i}\": [0, i*p, 0.2]}}\n"
    "  - {name: c, shapes: [{type: cone, radius: p, height: 1, density: k}, {type: sphere, radius: "
    "0.1,\n"
    "     mass: p, position: [p, 0.3, 0]}], position: [5, 0, 0], angular_velocity: [1, p, 2]}\n"
    "beams: [{name: rib, from: [0, 2, 0], to: [p, 2, 1], elements: 2, section: {type: circle,\n"
    "     radius: 0.01*k, young: 1e7, density: 1000}}]\n"
    "supports: [{name: s, on: {on: rib, node: 1}, type: fixed}]\n"
    "joints:\n"
    "  - {name: j, between: [b1, b2], at: [p, p, 1], axis: [p, 1, 1], rate: p, stiffness: k, "
    "damping: p,\n"
    "     torque: p, time: \"sin(p*t)\"}\n"
    "  - {name: g, between: [ground, b1], type: universal, at: [0, p, 0], axis: [0, 1, 0], axis2: "
    "[1, 0, 0]}\n"
    "  - {name: m, between: [ground, c], at: [5, 0, 0], axis: [0, 0, 1], motion: \"p*t^2 + 2*t\"}\n"
    "springs:\n"
    "  - {between: [b1.tip, c], energy: \"k*(l - p)^2\"}\n"
    "  - {between: [\"b2.end2\", ground], stiffness: k, length: p}\n"
    "  - {name: e, between: [b1.tip, {on: b2, at: [0, p, 0]}], force: \"k*l + p*v + c.x*o.vy\"}\n"
    "loads:\n"
    "  - {name: f, on: b2.tip, force: [p, 0, 1], time: {time: [0, p, 2], value: [p, 1, k]}}\n"
    "  - {name: h, on: b2.tip, moment: [0, p, 1], time: p*j.angle - o.x}\n"
    "outputs: [{name: o, on: {on: b1, at: [0, p, 1]}}]\n"
    "run: {step: 0.001}\n";

TEST(every_kind_of_field_follows_its_parameters)
{
    olo_error error = {0};
    const char *const names[] = {"p"}, *value_text = "0.71";
    const double value = 0.71;
    const olo_setting setting = {"p", value_text};
    olo_model *model = NULL, *fresh_model = NULL;
    olo_system *other = NULL;
    check_ok(olo_model_read_text(all_kinds, strlen(all_kinds), "all", NULL, 0, &model, &error),
             &error);
    check_ok(
        olo_model_read_text(all_kinds, strlen(all_kinds), "all", &setting, 1, &fresh_model, &error),
        &error);
    olo_system *system = compile(model), *fresh = compile(fresh_model);
    check_ok(olo_system_with_parameters(model, system, 1, names, &value, &other, &error), &error);
    olo_system_free(system); /* the other system still owns the shared data */
    check_same_numbers("all kinds", fresh, other);
    check_same_steps(model, fresh, other);
    check_relative(0.71 * 0.71 + 1, olo_model_parameter_with(model, 1, names, &value, "k"), 1e-15);
    olo_system_free(other);
    olo_system_free(fresh);
    olo_model_free(model);
    olo_model_free(fresh_model);
}

/* The structure is shared, data that depend on numbers are not. */
TEST(a_block_of_numbers_makes_a_system_of_the_same_structure)
{
    olo_error error = {0};
    const char *const name = "l";
    const double value = 0.13;
    olo_model *model = NULL;
    olo_system *other = NULL, *third = NULL;
    check_ok(olo_model_read("six-body-linkage", NULL, 0, &model, &error), &error);
    olo_system *system = compile(model);
    check_ok(olo_system_with_parameters(model, system, 1, &name, &value, &other, &error), &error);
    size_t count = 0;
    double *block = numbers_of(other, &count);
    check_ok(olo_system_with(system, block, &third, &error), &error);
    check_same_numbers("block", other, third);
    check_same_steps(model, other, third);
    check_true(third->node_names.keys == system->node_names.keys);
    check_true(third->coordinates == system->coordinates);
    check_true(third->topology->elimination == system->topology->elimination);
    check_true(memcmp(third->topology->nodes[3].joint.child_point,
                      system->topology->nodes[3].joint.child_point, 3 * sizeof(double)) != 0);
    check_true(third->redundancy != system->redundancy && third->row_scale != system->row_scale);
    free(block);
    olo_system_free(system);
    olo_system_free(other);
    olo_system_free(third);
    olo_model_free(model);
}

TEST(changes_of_structure_and_bad_values_are_refused_by_name)
{
    static const struct {
        const char *model, *name, *reason;
        double value;
        olo_status status;
    } cases[] = {
        {"chain", "n", "parameter 'n' changes the structure of the model", 21, OLO_UNSUPPORTED},
        {"chain", "mass", "with mass = -1", -1, OLO_BAD_INPUT},
        {"chain", "mas", "did you mean 'mass'", 1, OLO_BAD_INPUT},
        {"chain", "mass", "is not a finite number", NAN, OLO_BAD_INPUT},
        {"gear-train", "nothing", "there is no parameter", 1, OLO_BAD_INPUT},
        {"heavy-top", "L", "with L = 0.08", 0.08, OLO_UNSUPPORTED},
        {"free-body", "J1", "", 1.03, OLO_OK}}; /* a plate becomes a solid */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        olo_error error = {0};
        olo_model *model = NULL;
        olo_system *other = NULL;
        check_ok(olo_model_read(cases[i].model, NULL, 0, &model, &error), &error);
        olo_system *system = compile(model);
        const olo_status status = olo_system_with_parameters(model, system, 1, &cases[i].name,
                                                             &cases[i].value, &other, &error);
        check_status(cases[i].status, status);
        check_true((other != NULL) == (status == OLO_OK));
        if (status != OLO_OK)
            check_contains(cases[i].reason, error.text);
        olo_system_free(other);
        olo_system_free(system);
        olo_model_free(model);
    }
}

/* Rows of rotations and angles are taken over where axes and bodies are oriented as before. Here
 * they are not: the axis of a hinge changes its sign, in a plane and in space; and a hinge is
 * turned together with its bodies. */
TEST(axes_that_turn_have_the_bits_of_a_fresh_compilation)
{
    static const char plane[] = "parameters: {p: 1}\nplane: xy\n"
                                "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
                                "joints: [{name: j, between: [ground, a], at: [0.3, 0, 0], axis: "
                                "[0, 0, p], stiffness: 1}]\n"
                                "run: {step: 0.001}\n";
    static const char space[] =
        "parameters: {p: 1}\n"
        "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
        "joints: [{name: j, between: [ground, a], at: [0.3, 0, 0], axis: [0, 0, p], rest: 0.1,\n"
        "          stiffness: 1}]\n"
        "run: {step: 0.001}\n";
    static const char together[] =
        "parameters: {p: 0.4}\n"
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [1, 1, 1], rotation: {axis: [1, 2, 3], angle: p}}\n"
        "  - {name: b, mass: 1, inertia: [1, 1, 1], rotation: {axis: [1, 2, 3], angle: p}}\n"
        "joints: [{name: j, between: [a, b], at: [0, 0, 0], axis: [1, 2, 3], stiffness: 1},\n"
        "         {name: k, type: rigid, between: [ground, a], at: [0, 0, 0]}]\n"
        "run: {step: 0.001}\n";
    const char *const texts[] = {plane, space, together}, *const name = "p";
    for (int i = 0; i < 3; i++) {
        const double value = i < 2 ? -1 : 0.7;
        const olo_setting setting = {name, i < 2 ? "-1" : "0.7"};
        olo_error error = {0};
        olo_system *other = NULL;
        scene x = scene_open(texts[i], NULL), fresh = scene_open_set(texts[i], NULL, &setting, 1);
        check_ok(olo_system_with_parameters(x.model, x.system, 1, &name, &value, &other, &error),
                 &error);
        check_same_numbers(texts[i], fresh.system, other);
        olo_system_free(other);
        scene_close(&x);
        scene_close(&fresh);
    }
}

/* A short body gets a strut to its joint, a long one has none: only the scene differs. */
TEST(a_scene_is_no_part_of_the_structure)
{
    static const char text[] =
        "parameters: {w: 1}\n"
        "bodies: [{name: b, shapes: {type: box, size: [w, 0.1, 0.2], mass: 1}}]\n"
        "joints: [{name: j, between: [ground, b], at: [0.45, 0, 0], axis: [0, 1, 0]}]\n"
        "run: {step: 0.001}\n";
    const char *const name = "w";
    const double value = 0.3;
    const olo_setting setting = {name, "0.3"};
    olo_error error = {0};
    olo_system *other = NULL;
    olo_scene scenes[2];
    scene with = scene_open(text, NULL), fresh = scene_open_set(text, NULL, &setting, 1);
    check_ok(olo_system_with_parameters(with.model, with.system, 1, &name, &value, &other, &error),
             &error);
    check_same_numbers("strut", fresh.system, other);
    check_ok(olo_scene_create(with.system, &scenes[0], &error), &error);
    check_ok(olo_scene_create(other, &scenes[1], &error), &error);
    check_equal(scenes[0].count + 1, scenes[1].count);
    olo_scene_free(&scenes[0]);
    olo_scene_free(&scenes[1]);
    olo_system_free(other);
    scene_close(&with);
    scene_close(&fresh);
}

/* If any allocation fails, the status reports it and no memory leaks. */
TEST(out_of_memory_leaves_nothing_behind)
{
    olo_error error = {0};
    const char *const name = "p";
    const double value = 0.45;
    olo_model *model = NULL;
    check_ok(olo_model_read_text(all_kinds, strlen(all_kinds), "all", NULL, 0, &model, &error),
             &error);
    olo_system *system = compile(model);
    const size_t alive = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n++) {
        olo_system *other = NULL;
        check_true(n < 10000);
        olo_memory_fail_at(n);
        status = olo_system_with_parameters(model, system, 1, &name, &value, &other, &error);
        olo_memory_fail_at(0);
        check_true(status == OLO_OK || status == OLO_NO_MEMORY);
        check_true((other != NULL) == (status == OLO_OK));
        olo_system_free(other);
        check_equal((long long)alive, (long long)olo_memory_alive());
    }
    olo_system_free(system);
    olo_model_free(model);
}

/* The results of one of several threads, for a system whose derived values are not yet computed. */
typedef struct job {
    const olo_model *model;
    const olo_system *system;
    olo_ledger ledger;
    int invariants;
    olo_status status;
} job;

static void *look(void *context)
{
    job *x = context;
    const char *const name = "length";
    const double value = 0.12;
    olo_state *state = NULL;
    olo_system *other = NULL;
    x->status = olo_system_with_parameters(x->model, x->system, 1, &name, &value, &other, NULL);
    if (x->status == OLO_OK)
        x->status = olo_system_create_initial_state(x->system, &state, NULL, NULL);
    if (x->status == OLO_OK)
        olo_system_ledger(x->system, state, &x->ledger);
    x->invariants = olo_system_invariant_count(x->system);
    olo_state_free(state);
    olo_system_free(other);
    return NULL;
}

TEST(threads_share_a_system_and_measure_it_once)
{
    enum { THREADS = 4 };
    olo_error error = {0};
    const char *const name = "mass";
    const double value = 0.3;
    olo_model *model = NULL;
    olo_system *other = NULL;
    job jobs[THREADS] = {{0}};
    pthread_t threads[THREADS];
    check_ok(olo_model_read("chain", NULL, 0, &model, &error), &error);
    olo_system *system = compile(model);
    check_ok(olo_system_with_parameters(model, system, 1, &name, &value, &other, &error), &error);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].model = model;
        jobs[i].system = other;
        check_equal(0, pthread_create(&threads[i], NULL, look, &jobs[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        check_equal(0, pthread_join(threads[i], NULL));
        check_status(OLO_OK, jobs[i].status);
        check_equal(jobs[0].invariants, jobs[i].invariants);
        check_true(memcmp(&jobs[0].ledger, &jobs[i].ledger, sizeof jobs[i].ledger) == 0);
    }
    check_equal(olo_system_invariant_count(system), jobs[0].invariants);
    olo_system_free(system);
    olo_system_free(other);
    olo_model_free(model);
}

/* Changes one parameter of a model of the catalogue by some percent. Returns whether it may
 * change. */
static bool check_parameter(const char *name, const olo_model *model, const olo_system *system,
                            const char *parameter)
{
    char text[40], what[200];
    olo_error error = {0};
    olo_model *fresh_model = NULL;
    olo_system *fresh = NULL, *other = NULL;
    double value = olo_model_parameter(model, parameter);
    value = value == 0 ? 0.01 : 1.03 * value;
    snprintf(text, sizeof text, "%.17g", value);
    snprintf(what, sizeof what, "%s with %s=%s", name, parameter, text);
    const olo_setting setting = {parameter, text};
    olo_status status =
        olo_system_with_parameters(model, system, 1, &parameter, &value, &other, &error);
    if (status != OLO_OK)
        check_contains(parameter, error.text);
    if (olo_model_read(name, &setting, 1, &fresh_model, NULL) != OLO_OK ||
        olo_model_compile(fresh_model, &fresh, NULL) != OLO_OK) {
        check_true(status != OLO_OK);
    } else if (status == OLO_OK) {
        check_same_numbers(what, fresh, other);
        check_same_steps(fresh_model, fresh, other);
    } else {
        print_message("%s: %s\n", what, error.text);
        check_status(OLO_UNSUPPORTED, status);
    }
    olo_system_free(fresh);
    olo_system_free(other);
    olo_model_free(fresh_model);
    return status == OLO_OK;
}

/* All parameters of all models. */
TEST(bits_are_those_of_a_fresh_compilation)
{
    olo_error error = {0};
    olo_catalogue *catalogue = NULL;
    int same = 0, refused = 0;
    check_ok(olo_catalogue_open(&catalogue, &error), &error);
    for (int i = 0; i < olo_catalogue_count(catalogue); i++) {
        const char *name = olo_catalogue_name(catalogue, i);
        olo_model *model = NULL;
        check_ok(olo_model_read(name, NULL, 0, &model, &error), &error);
        olo_system *system = compile(model);
        const olo_parameters *parameters = model->parameters;
        for (size_t k = 0; k < olo_parameters_count(parameters); k++)
            if (check_parameter(name, model, system, olo_parameters_names(parameters)[k]))
                same++;
            else
                refused++;
        olo_system_free(system);
        olo_model_free(model);
    }
    olo_catalogue_free(catalogue);
    print_message("%d parameters of the catalogue changed, %d refused\n", same, refused);
    check_true(same >= 100);
}

TEST_MAIN(cmocka_unit_test(bits_are_those_of_a_fresh_compilation),
          cmocka_unit_test(every_kind_of_field_follows_its_parameters),
          cmocka_unit_test(a_block_of_numbers_makes_a_system_of_the_same_structure),
          cmocka_unit_test(axes_that_turn_have_the_bits_of_a_fresh_compilation),
          cmocka_unit_test(a_scene_is_no_part_of_the_structure),
          cmocka_unit_test(changes_of_structure_and_bad_values_are_refused_by_name),
          cmocka_unit_test(threads_share_a_system_and_measure_it_once),
          cmocka_unit_test(out_of_memory_leaves_nothing_behind))
