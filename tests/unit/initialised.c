/* Structs that a caller fills: one that starts as zeros is refused, and the message names its
 * default function; one from its default function is accepted. The table has a line for every
 * struct of base/initialised.def; the test fails if one is missing. */
#include "scene.h"

static const char model_text[] = "parameters: {size: 1}\n"
                                 "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n"
                                 "supports: {on: a, type: hinge, axis: [0, 0, 1]}\n"
                                 "outputs: {name: end, on: a}\n"
                                 "loads: {name: push, on: a, moment: [0, 0, 1], time: 0}\n"
                                 "run: {step: 0.01, end: 0.05}\n";

static const char result_file[] = "unit-initialised.h5";

/* A scene of the text above, with which most structs can be used. */
static scene open_scene;
static olo_derivatives *derivatives;
static double numbers[2][12];

/* Adds an element to a new model. The struct is a copy, so that cases may change it. */
#define ADD(type, required)                                                                        \
    static olo_status use_##type(bool from_default, olo_error *error)                              \
    {                                                                                              \
        olo_model *model;                                                                          \
        olo_##type x = {0};                                                                        \
        if (from_default)                                                                          \
            x = olo_##type##_default();                                                            \
        required;                                                                                  \
        check_ok(olo_model_create("test", &model, error), error);                                  \
        olo_status status = olo_model_add_##type(model, &x, error);                                \
        olo_model_free(model);                                                                     \
        return status;                                                                             \
    }
ADD(point, x.name = "a"; x.mass = 1)
ADD(body, x.name = "a")
ADD(beam, x.name = "a"; x.elements = 1)
ADD(mass, x.on.on = "a")
ADD(support, x.on.on = "a")
ADD(joint, x.type = "revolute"; x.between[1].on = "a")
ADD(relation, x.coordinate = "a.angle"; x.follows = "b.angle")
ADD(rod, x.between[1].on = "a")
ADD(spring, x.between[1].on = "a")
ADD(damper, x.between[1].on = "a")
ADD(contact, x.point.on = "a")
ADD(event, x.at = 1; x.end = true)
ADD(coordinates, x.name = "a")
ADD(load, x.on.on = "a")
ADD(output, x.on.on = "a")
ADD(exact, x.on.on = "a")

/* Parts of elements, in an element that is valid. */
#define ADD_PART(type, owner, add, required)                                                       \
    static olo_status use_##type(bool from_default, olo_error *error)                              \
    {                                                                                              \
        olo_model *model;                                                                          \
        olo_##type x = {0};                                                                        \
        olo_##owner whole = olo_##owner##_default();                                               \
        if (from_default)                                                                          \
            x = olo_##type##_default();                                                            \
        whole.name = "a";                                                                          \
        required;                                                                                  \
        check_ok(olo_model_create("test", &model, error), error);                                  \
        olo_status status = olo_model_add_##add(model, &whole, error);                             \
        olo_model_free(model);                                                                     \
        return status;                                                                             \
    }
ADD_PART(shape, body, body, x.type = "sphere"; whole.shapes = &x; whole.shape_count = 1)
ADD_PART(arc, beam, beam, x.axis[2] = 1; whole.arc = &x)
ADD_PART(section, beam, beam, x.type = "circle"; whole.section = &x)
ADD_PART(controller, joint, joint, x.kp = 1; whole.controller = &x)
ADD_PART(signal, load, load, x.expression = "t"; whole.signal = &x)

/* Options of functions. */

static olo_status set_run(const olo_run *run, olo_error *error)
{
    return olo_model_set_run(open_scene.model, run, error);
}

static olo_status create_stepper(const olo_run *run, olo_error *error)
{
    olo_stepper *stepper;
    olo_status status = olo_stepper_create(open_scene.system, run, &stepper, error);
    olo_stepper_free(stepper);
    return status;
}

static olo_status simulate(const olo_run *run, olo_error *error)
{
    return olo_simulate(open_scene.system, run, open_scene.state, NULL, 0, NULL, error);
}

static olo_status start(const olo_run *run, olo_error *error)
{
    return olo_prepare_initial_state(open_scene.system, run, open_scene.state, error);
}

static olo_status create_recorder(const olo_run *run, olo_error *error)
{
    olo_recorder *recorder;
    olo_status status =
        olo_recorder_create(NULL, open_scene.model, open_scene.system, run, "", &recorder, error);
    olo_recorder_free(recorder);
    return status;
}

static olo_status create_derivatives(const olo_run *run, olo_error *error)
{
    olo_derivatives *d;
    olo_status status = olo_derivatives_create(open_scene.system, run, &d, error);
    olo_derivatives_free(d);
    return status;
}

static olo_status differentiate_equilibrium(const olo_run *run, olo_error *error)
{
    return olo_differentiate_equilibrium(open_scene.system, run, open_scene.state, NULL, 0, error);
}

/* Every function with a run as argument gives the same message. */
static olo_status use_run(bool from_default, olo_error *error)
{
    olo_status (*const functions[])(const olo_run *, olo_error *) = {set_run,
                                                                     create_stepper,
                                                                     simulate,
                                                                     start,
                                                                     create_recorder,
                                                                     create_derivatives,
                                                                     differentiate_equilibrium};
    const olo_run run = from_default ? olo_run_default() : (olo_run){.step = 0.01, .end = 1};
    olo_status status = OLO_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        status = functions[i](&run, error);
        check_status(from_default ? OLO_OK : OLO_BAD_INPUT, status);
    }
    return status;
}

static olo_status use_observer(bool from_default, olo_error *error)
{
    olo_throttle *throttle;
    const olo_observer x = from_default ? olo_observer_default() : (olo_observer){0};
    olo_state_set_time(open_scene.state, 0);
    olo_status all[] = {
        olo_simulate(open_scene.system, &open_scene.run, open_scene.state, &x, 1, NULL, error),
        olo_derivatives_set_observer(derivatives, &x, error),
        olo_find_equilibrium(open_scene.system, NULL, open_scene.state, &x, 1, NULL, error),
        olo_throttle_create(&x, 1.0, &throttle, error)};
    olo_throttle_free(throttle);
    for (int i = 0; i < 4; i++)
        check_status(all[0], all[i]);
    return all[0];
}

static olo_status use_equilibrium_options(bool from_default, olo_error *error)
{
    olo_equilibrium_options x = {.end = 1, .step = 0.1};
    if (from_default)
        x = olo_equilibrium_options_default();
    return olo_find_equilibrium(open_scene.system, &x, open_scene.state, NULL, 0, NULL, error);
}

static olo_status use_vibration_options(bool from_default, olo_error *error)
{
    olo_vibration_options x = {.count = 1};
    if (from_default)
        x = olo_vibration_options_default();
    olo_modes *modes;
    olo_linear *linear;
    olo_status status = olo_modes_create(open_scene.system, open_scene.state, &x, &modes, error);
    check_status(status,
                 olo_linear_create(open_scene.system, open_scene.state, &x, &linear, error));
    olo_modes_free(modes);
    olo_linear_free(linear);
    return status;
}

static olo_status use_multistart_options(bool from_default, olo_error *error)
{
    olo_multistart_options x = {.starts = 1, .spread = 1, .method = "descent"};
    if (from_default)
        x = olo_multistart_options_default();
    x.starts = 1;
    olo_equilibria found;
    return olo_find_equilibria(open_scene.system, &x, open_scene.state, NULL, 0, &found, error);
}

/* J, its gradient and its derivative along a direction; only the struct under test is invalid. */
static olo_status differentiate(olo_goal *goal, olo_functional *J, olo_gradient *gradient,
                                olo_direction *direction, olo_error *error)
{
    goal->quantity = "kinetic";
    goal->end = 1;
    J->goals = goal;
    J->goal_count = 1;
    direction->q = numbers[0];
    direction->v = numbers[1];
    olo_state_set_time(open_scene.state, 0);
    olo_status status =
        olo_derivatives_compute_gradient(derivatives, open_scene.state, J, gradient, error);
    return status == OLO_OK ? olo_derivatives_compute_forward(derivatives, open_scene.state, J,
                                                              direction, NULL, NULL, error)
                            : status;
}

#define DIFFERENTIATE(type, variable)                                                              \
    static olo_status use_##type(bool from_default, olo_error *error)                              \
    {                                                                                              \
        olo_goal goal = olo_goal_default();                                                        \
        olo_functional J = olo_functional_default();                                               \
        olo_gradient gradient = olo_gradient_default();                                            \
        olo_direction direction = olo_direction_default();                                         \
        if (!from_default)                                                                         \
            variable = (olo_##type){0};                                                            \
        return differentiate(&goal, &J, &gradient, &direction, error);                             \
    }
DIFFERENTIATE(goal, goal)
DIFFERENTIATE(functional, J)
DIFFERENTIATE(gradient, gradient)
DIFFERENTIATE(direction, direction)

static olo_status use_step_map(bool from_default, olo_error *error)
{
    olo_step_map x = {0};
    if (from_default)
        x = olo_step_map_default();
    return olo_derivatives_compute_step_map(derivatives, open_scene.state, 0.01, &x, error);
}

static olo_status use_vtk_options(bool from_default, olo_error *error)
{
    olo_vtk_options x = {0};
    if (from_default)
        x = olo_vtk_options_default();
    return olo_result_write_vtk(result_file, "unit-initialised.pvd", &x, NULL, error);
}

static olo_status use_report_options(bool from_default, olo_error *error)
{
    olo_report_options x = {0};
    if (from_default)
        x = olo_report_options_default();
    return olo_report_write(result_file, "unit-initialised.html", &x, error);
}

static olo_status study(const olo_study *given, const olo_comparison *comparison, olo_error *error)
{
    const double steps[] = {0.01};
    olo_convergence_row row;
    olo_convergence_summary summary;
    olo_comparison_row compared;
    int base;
    olo_status status =
        comparison ? OLO_OK : olo_study_convergence(given, steps, 1, 0.005, &row, &summary, error);
    const olo_treatment_choice reduced = {.constraints = "reduced"};
    olo_comparison other = comparison ? *comparison : olo_comparison_default();
    other.treatments = &reduced;
    other.treatment_count = 1;
    return status == OLO_OK ? olo_compare_treatments(given, &other, &compared, NULL, &base, error)
                            : status;
}

static olo_status use_study(bool from_default, olo_error *error)
{
    olo_study x = {0};
    if (from_default)
        x = olo_study_default();
    olo_state_set_time(open_scene.state, 0);
    x.system = open_scene.system;
    x.start = open_scene.state;
    x.run = &open_scene.run;
    return study(&x, NULL, error);
}

static olo_status use_comparison(bool from_default, olo_error *error)
{
    olo_study whole = olo_study_default();
    olo_state_set_time(open_scene.state, 0);
    whole.system = open_scene.system;
    whole.start = open_scene.state;
    whole.run = &open_scene.run;
    const olo_comparison x = from_default ? olo_comparison_default() : (olo_comparison){0};
    return study(&whole, &x, error);
}

/* A problem with one entry of each list, one of which may be given by a case. */
typedef struct problem_parts {
    olo_problem problem;
    olo_problem_control control;
    olo_problem_parameter parameter;
    olo_problem_cost cost;
    olo_problem_condition condition;
    olo_problem_guess guess;
    olo_problem_refinement refinement;
    olo_problem_feedback feedback;
} problem_parts;

static problem_parts default_parts(void)
{
    return (problem_parts){.problem = olo_problem_default(),
                           .control = olo_problem_control_default(),
                           .parameter = olo_problem_parameter_default(),
                           .cost = olo_problem_cost_default(),
                           .condition = olo_problem_condition_default(),
                           .guess = olo_problem_guess_default(),
                           .refinement = olo_problem_refinement_default(),
                           .feedback = olo_problem_feedback_default()};
}

static olo_status check_parts(problem_parts *x, olo_error *error)
{
    x->control.name = "push";
    x->condition.quantity = x->guess.coordinate = "end.position.x";
    x->condition.value = 0;
    x->problem.controls = &x->control;
    x->problem.costs = &x->cost;
    x->problem.conditions = &x->condition;
    x->problem.guesses = &x->guess;
    x->problem.refine = &x->refinement;
    x->problem.feedback = &x->feedback;
    x->problem.refinement_count = x->problem.feedback_count = 1;
    x->problem.variants = olo_model_variants(open_scene.model);
    x->problem.parameters = &x->parameter;
    x->problem.parameter_count = 1;
    x->parameter.name = "size";
    x->problem.transcription = "redundant";
    x->problem.control_count = x->problem.cost_count = x->problem.condition_count =
        x->problem.guess_count = 1;
    return olo_problem_check(open_scene.system, &x->problem, error);
}

#define PART(type, part)                                                                           \
    static olo_status use_##type(bool from_default, olo_error *error)                              \
    {                                                                                              \
        problem_parts x = default_parts();                                                         \
        if (!from_default)                                                                         \
            x.part = (olo_##type){0};                                                              \
        return check_parts(&x, error);                                                             \
    }
PART(problem_control, control)
PART(problem_cost, cost)
PART(problem_condition, condition)
PART(problem_guess, guess)
PART(problem_refinement, refinement)
PART(problem_feedback, feedback)
PART(problem, problem)
PART(problem_parameter, parameter)

/* In the order of the list. */
static const struct {
    const char *name;
    olo_status (*use)(bool from_default, olo_error *error);
} cases[] = {
#define OLO_STRUCT(NUMBER, name) {#name, use_##name},
#include "base/initialised.def"
#undef OLO_STRUCT
};

static void open_all(void)
{
    olo_error error = {0};
    olo_recorder *recorder;
    open_scene = scene_open(model_text, NULL);
    check_ok(olo_derivatives_create(open_scene.system, &open_scene.run, &derivatives, &error),
             &error);
    check_ok(olo_recorder_create(result_file, open_scene.model, open_scene.system, &open_scene.run,
                                 "", &recorder, &error),
             &error);
    const olo_observer observer = olo_recorder_observer(recorder);
    olo_run_summary summary;
    check_ok(olo_simulate(open_scene.system, &open_scene.run, open_scene.state, &observer, 1,
                          &summary, &error),
             &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
}

TEST(structs_that_start_as_zeros_are_refused_by_name)
{
    open_all();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char advice[80];
        olo_error error = {0};
        (void)snprintf(advice, sizeof advice, "is not initialised: start from olo_%s_default()",
                       cases[i].name);
        check_status(OLO_BAD_INPUT, cases[i].use(false, &error));
        check_contains(advice, error.text);
    }
    olo_derivatives_free(derivatives);
    scene_close(&open_scene);
}

TEST(structs_that_start_from_their_default_are_accepted)
{
    open_all();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        olo_error error = {0};
        check_ok(cases[i].use(true, &error), &error);
    }
    olo_derivatives_free(derivatives);
    scene_close(&open_scene);
}

/* The message has the name of the element if its pointer is valid. */
TEST(the_element_is_named_where_its_name_can_be_trusted)
{
    olo_error error = {0};
    olo_model *model;
    olo_joint joint = {0};
    joint.name = "elbow";
    check_ok(olo_model_create("test", &model, &error), &error);
    check_status(OLO_BAD_INPUT, olo_model_add_joint(model, &joint, &error));
    check_text("joint 'elbow': olo_joint is not initialised: start from olo_joint_default()",
               error.text);
    memset(&joint, 0x5a, sizeof joint); /* uninitialised memory */
    check_status(OLO_BAD_INPUT, olo_model_add_joint(model, &joint, &error));
    check_text("olo_joint is not initialised: start from olo_joint_default()", error.text);
    olo_model_free(model);
}

TEST_MAIN(cmocka_unit_test(structs_that_start_as_zeros_are_refused_by_name),
          cmocka_unit_test(structs_that_start_from_their_default_are_accepted),
          cmocka_unit_test(the_element_is_named_where_its_name_can_be_trusted))
