/* The section `optimize`: the fields of the structs of a problem in one table each. */
#include "model/optimize_section.h"

#include <stdio.h>
#include <string.h>

#include "control/problem.h"
#include "model/fields.h"

static const char *const velocities[] = {"rest", "free", NULL};
static const char *const cost_types[] = {"effort", "duration", "parameter", "start",
                                         "end",    "path",     NULL};
static const char *const transcriptions[] = {"redundant", "reduced", NULL};
static const char *const schemes[] = {"variational", "energy-momentum-2006", NULL};
static const char *const guess_kinds[] = {"interpolated", "rest", "run", NULL};
static const char *const moments[] = {"end", "path", "start", NULL};
static const char *const starts[] = {"given", "free", NULL};

#define AT(type, field) .key = #field, .offset = offsetof(type, field)

#define CONTROL(field) AT(olo_problem_control, field)
static const olo_field control_fields[] = {
    {CONTROL(name), .kind = OLO_FIELD_TEXT, .required = true,
     .help = "a load, or a joint with a torque or force"},
    {CONTROL(follows), .kind = OLO_FIELD_TEXT, .help = "an earlier control that also drives this"},
    {CONTROL(factor), .kind = OLO_FIELD_NUMBER, .help = "times the control that it follows"},
    {CONTROL(lower), .kind = OLO_FIELD_NUMBER, .help = "lower bound"},
    {CONTROL(upper), .kind = OLO_FIELD_NUMBER, .help = "upper bound"},
    {CONTROL(rate), .kind = OLO_FIELD_NUMBER, .help = "bound of the rate of change"},
    {CONTROL(guess), .kind = OLO_FIELD_NUMBER, .help = "initial value in all intervals"},
};

#define PARAMETER(field) AT(olo_problem_parameter, field)
static const olo_field parameter_fields[] = {
    {PARAMETER(name), .kind = OLO_FIELD_TEXT, .required = true, .help = "a parameter of the model"},
    {PARAMETER(lower), .kind = OLO_FIELD_NUMBER, .help = "lower bound"},
    {PARAMETER(upper), .kind = OLO_FIELD_NUMBER, .help = "upper bound"},
    {PARAMETER(guess), .kind = OLO_FIELD_NUMBER, .help = "initial value; default: of the model"},
};

#define COST(field) AT(olo_problem_cost, field)
static const olo_field cost_fields[] = {
    {COST(type), .kind = OLO_FIELD_CHOICE, .choices = cost_types,
     .help = "effort, duration, parameter, start, end or path"},
    {COST(weight), .kind = OLO_FIELD_NUMBER, .help = "factor of the cost"},
    {COST(control), .kind = OLO_FIELD_TEXT, .help = "the control of an effort"},
    {COST(quantity), .kind = OLO_FIELD_TEXT, .help = "a quantity of the model"},
    {COST(parameter), .kind = OLO_FIELD_TEXT, .help = "a parameter that is a variable"},
    {COST(direction), .kind = OLO_FIELD_VECTOR, .help = "of a position, velocity or momentum"},
    {COST(target), .kind = OLO_FIELD_NUMBER, .help = "the quantity is relative to this value"},
    {COST(target_over_time), .kind = OLO_FIELD_TEXT, .help = "a target as an expression of t"},
    {COST(target_file), .kind = OLO_FIELD_TEXT, .help = "a target as a CSV file over time"},
    {COST(target_column), .kind = OLO_FIELD_TEXT, .help = "the column of the file"},
    {COST(square), .kind = OLO_FIELD_FLAG, .help = "the square of the quantity"},
};

#define CONDITION(field) AT(olo_problem_condition, field)
static const olo_field condition_fields[] = {
    {CONDITION(at), .kind = OLO_FIELD_CHOICE, .choices = moments, .help = "end, path or start"},
    {CONDITION(quantity), .kind = OLO_FIELD_TEXT, .help = "a quantity of the model"},
    {CONDITION(direction), .kind = OLO_FIELD_VECTOR, .help = "of a position, velocity or momentum"},
    {CONDITION(value), .kind = OLO_FIELD_NUMBER, .help = "the value of the quantity"},
    {CONDITION(lower), .kind = OLO_FIELD_NUMBER, .help = "lower bound"},
    {CONDITION(upper), .kind = OLO_FIELD_NUMBER, .help = "upper bound"},
    {CONDITION(body), .kind = OLO_FIELD_REFERENCE, .help = "a body that gets an orientation"},
    {CONDITION(rotation), .kind = OLO_FIELD_ROTATION, .help = "the orientation of the body"},
};

#define GUESS(field) AT(olo_problem_guess, field)
static const olo_field guess_fields[] = {
    {GUESS(coordinate), .kind = OLO_FIELD_TEXT, .required = true, .help = "a joint coordinate"},
    {GUESS(value), .kind = OLO_FIELD_NUMBER, .required = true, .help = "its value"},
    {GUESS(at), .kind = OLO_FIELD_NUMBER, .help = "part of the duration; default 1, the end"},
};

#define REFINEMENT(field) AT(olo_problem_refinement, field)
static const olo_field refinement_fields[] = {
    {REFINEMENT(tolerance), .kind = OLO_FIELD_NUMBER, .help = "largest distance from small steps"},
    {REFINEMENT(most), .kind = OLO_FIELD_COUNT, .help = "most intervals"},
};

#define FEEDBACK(field) AT(olo_problem_feedback, field)
static const olo_field feedback_fields[] = {
    {FEEDBACK(position), .kind = OLO_FIELD_NUMBER, .help = "weight of displacements"},
    {FEEDBACK(velocity), .kind = OLO_FIELD_NUMBER, .help = "weight of velocities"},
    {FEEDBACK(end_position), .kind = OLO_FIELD_NUMBER, .help = "of displacements at the end"},
    {FEEDBACK(end_velocity), .kind = OLO_FIELD_NUMBER, .help = "of velocities at the end"},
    {FEEDBACK(control), .kind = OLO_FIELD_NUMBER, .help = "weight of controls"},
};

#define PROBLEM(field) AT(olo_problem, field)
static const olo_field problem_fields[] = {
    {PROBLEM(intervals), .kind = OLO_FIELD_COUNT, .help = "number of intervals of time"},
    {PROBLEM(grid), .kind = OLO_FIELD_NUMBERS, .count_offset = offsetof(olo_problem, grid_count),
     .help = "relative lengths of the intervals"},
    {PROBLEM(grading), .kind = OLO_FIELD_NUMBER,
     .help = "each interval over the one before; default 1"},
    {PROBLEM(duration), .kind = OLO_FIELD_NUMBER, .help = "duration, or its guess if it is free"},
    {PROBLEM(shortest), .kind = OLO_FIELD_NUMBER, .help = "lower bound of a free duration"},
    {PROBLEM(longest), .kind = OLO_FIELD_NUMBER, .help = "upper bound of a free duration"},
    {PROBLEM(end_velocity), .kind = OLO_FIELD_CHOICE, .choices = velocities,
     .help = "rest or free"},
    {PROBLEM(start_configuration), .kind = OLO_FIELD_CHOICE, .choices = starts,
     .help = "given or free"},
    {PROBLEM(start_velocity), .kind = OLO_FIELD_CHOICE, .choices = starts, .help = "given or free"},
    {PROBLEM(transcription), .kind = OLO_FIELD_CHOICE, .choices = transcriptions,
     .help = "redundant or reduced"},
    {PROBLEM(scheme), .kind = OLO_FIELD_CHOICE, .choices = schemes,
     .help = "variational or energy-momentum-2006"},
    {PROBLEM(guess), .kind = OLO_FIELD_CHOICE, .choices = guess_kinds,
     .help = "initial motion: interpolated, rest or run"},
    {PROBLEM(guess_file), .kind = OLO_FIELD_TEXT, .help = "a result as the initial motion"},
    {PROBLEM(inverse_dynamics), .kind = OLO_FIELD_FLAG,
     .help = "initial controls that balance the initial motion"},
    {PROBLEM(tolerance), .kind = OLO_FIELD_NUMBER, .help = "tolerance of the solver"},
    {PROBLEM(iterations), .kind = OLO_FIELD_COUNT, .help = "most iterations of the solver"},
    {PROBLEM(seconds), .kind = OLO_FIELD_NUMBER, .help = "limit of the time of the solver"},
    {PROBLEM(spread), .kind = OLO_FIELD_NUMBER, .help = "random change of the initial motion"},
    {PROBLEM(linear_solver), .kind = OLO_FIELD_TEXT, .help = "linear solver of Ipopt"},
    {PROBLEM(saddles), .kind = OLO_FIELD_COUNT, .help = "most saddle points that are left"},
};

static void default_control(void *x)
{
    *(olo_problem_control *)x = olo_problem_control_default();
}

static void default_parameter(void *x)
{
    *(olo_problem_parameter *)x = olo_problem_parameter_default();
}

static void default_cost(void *x)
{
    *(olo_problem_cost *)x = olo_problem_cost_default();
}

static void default_condition(void *x)
{
    *(olo_problem_condition *)x = olo_problem_condition_default();
}

static void default_guess(void *x)
{
    *(olo_problem_guess *)x = olo_problem_guess_default();
}

static void default_refinement(void *x)
{
    *(olo_problem_refinement *)x = olo_problem_refinement_default();
}

static void default_feedback(void *x)
{
    *(olo_problem_feedback *)x = olo_problem_feedback_default();
}

/* A list of structs in a problem. */
typedef struct list {
    const char *key, *noun;
    const olo_field *fields;
    int field_count;
    size_t size;
    void (*defaults)(void *entry);
    size_t offset, count_offset, marks_offset; /* in olo_problem_section */
} list;

#define LIST(name, singular)                                                                       \
    .key = #name, .noun = #singular, .fields = singular##_fields,                                  \
    .field_count = sizeof singular##_fields / sizeof *singular##_fields,                           \
    .size = sizeof(olo_problem_##singular), .defaults = default_##singular,                        \
    .offset = offsetof(olo_problem_section, problem.name),                                         \
    .count_offset = offsetof(olo_problem_section, problem.singular##_count),                       \
    .marks_offset = offsetof(olo_problem_section, name)

static const list lists[] = {{LIST(controls, control)}, {LIST(parameters, parameter)},
                             {LIST(costs, cost)},       {LIST(conditions, condition)},
                             {LIST(guesses, guess)},    {LIST(refine, refinement)},
                             {LIST(feedback, feedback)}};
enum {
    LISTS = sizeof lists / sizeof *lists,
    FIELDS = sizeof problem_fields / sizeof *problem_fields
};

/* Files are relative to the folder of the model. */
static bool locate_file(olo_reader *reader, const char **file)
{
    const char *slash = reader->file ? strrchr(reader->file, '/') : NULL;
    if (!*file || **file == '/' || !slash)
        return true;
    const size_t folder = (size_t)(slash + 1 - reader->file), name = strlen(*file);
    char *path = olo_pool_alloc(&reader->model->pool, folder + name + 1, 1);
    if (!path)
        return false;
    memcpy(path, reader->file, folder);
    memcpy(path + folder, *file, name);
    *file = path;
    return true;
}

static olo_status read_list(olo_reader *reader, const olo_yaml_node *node, const list *of,
                            olo_problem_section *problem)
{
    const bool single = node->kind == OLO_YAML_MAP;
    const int count = single ? 1 : node->count;
    olo_pool *pool = &reader->model->pool;
    if (!single && node->kind != OLO_YAML_LIST) {
        char expected[96];
        (void)snprintf(expected, sizeof expected, "a list of %s, or one as a map", of->key);
        return olo_read_fail_expected(reader, node, expected);
    }
    char *entries = olo_pool_alloc(pool, (size_t)count, of->size);
    olo_mark *marks = olo_pool_alloc(pool, (size_t)count, sizeof *marks);
    if (!entries || !marks)
        return olo_read_no_memory(reader);
    const olo_yaml_node *item = single ? node : node->first;
    for (int i = 0; i < count; i++, item = item->next) {
        char *entry = entries + (size_t)i * of->size;
        of->defaults(entry);
        marks[i] = (olo_mark){item->line, item->column};
        const olo_status status =
            olo_read_fields(reader, item, of->fields, of->field_count, of->noun, entry, NULL);
        if (status != OLO_OK)
            return status;
        if (!olo_fields_copy(pool, of->fields, of->field_count, entry) ||
            (of->defaults == default_cost &&
             !locate_file(reader, &((olo_problem_cost *)(void *)entry)->target_file)))
            return olo_read_no_memory(reader);
    }
    *(void **)(void *)((char *)problem + of->offset) = entries;
    *(int *)(void *)((char *)problem + of->count_offset) = count;
    *(const olo_mark **)(void *)((char *)problem + of->marks_offset) = marks;
    return OLO_OK;
}

/* A key that is no list: as a map of this key alone. */
static olo_status read_option(olo_reader *reader, const olo_yaml_node *section,
                              const olo_yaml_node *node, olo_problem *problem, olo_mark *marks)
{
    const char *keys[FIELDS + LISTS];
    bool known = false;
    for (int i = 0; i < FIELDS; i++) {
        keys[i] = problem_fields[i].key;
        if (strcmp(keys[i], node->key) != 0)
            continue;
        known = true;
        marks[i] = (olo_mark){node->key_line, node->key_column};
    }
    for (int i = 0; i < LISTS; i++)
        keys[FIELDS + i] = lists[i].key;
    if (!known)
        return olo_read_fail_unknown_key(reader, node, "optimize", keys, FIELDS + LISTS);
    olo_yaml_node one = *section, only = *node;
    only.next = NULL;
    one.first = &only;
    one.count = 1;
    return olo_read_fields(reader, &one, problem_fields, FIELDS, "problem", problem, NULL);
}

olo_status olo_read_optimize(olo_reader *reader, const olo_yaml_node *section)
{
    olo_model *model = reader->model;
    olo_problem_section *problem = olo_pool_alloc(&model->pool, 1, sizeof *problem);
    olo_mark *marks = olo_pool_alloc(&model->pool, FIELDS, sizeof *marks);
    if (!problem || !marks)
        return olo_read_no_memory(reader);
    problem->options = marks;
    if (section->kind != OLO_YAML_MAP)
        return olo_read_fail_expected(reader, section, "a problem as a map of keys and values");
    problem->problem = olo_problem_default();
    problem->problem.variants = olo_model_variants(model);
    problem->mark = (olo_mark){section->key_line, section->key_column};
    olo_status status = OLO_OK;
    for (const olo_yaml_node *node = section->first; node && status == OLO_OK; node = node->next) {
        const list *of = NULL;
        for (int i = 0; i < LISTS; i++)
            if (strcmp(lists[i].key, node->key) == 0)
                of = &lists[i];
        status = of ? read_list(reader, node, of, problem)
                    : read_option(reader, section, node, &problem->problem, marks);
    }
    if (status == OLO_OK &&
        (!olo_fields_copy(&model->pool, problem_fields, FIELDS, &problem->problem) ||
         !locate_file(reader, &problem->problem.guess_file)))
        status = olo_read_no_memory(reader);
    model->problem = problem;
    return status;
}

const olo_problem *olo_model_problem(const olo_model *model)
{
    return model->problem ? &model->problem->problem : NULL;
}

olo_mark olo_problem_section_find(const olo_problem_section *own, const char *text)
{
    for (int i = 0; i < FIELDS; i++) {
        const size_t length = strlen(problem_fields[i].key);
        if (own->options[i].line > 0 && strncmp(text, problem_fields[i].key, length) == 0 &&
            text[length] == ':')
            return own->options[i];
    }
    return own->mark;
}

olo_status olo_model_check_problem(const olo_model *model, const olo_system *system,
                                   olo_error *error)
{
    const olo_problem_section *own = model->problem;
    olo_control_problem *resolved;
    olo_problem_entry at;
    if (!own)
        return olo_fail(error, OLO_BAD_INPUT, "%s: there is no section `optimize`",
                        model->file ? model->file : "the model");
    const olo_status status =
        olo_control_problem_create(system, &own->problem, &resolved, &at, error);
    olo_control_problem_free(resolved);
    if (status == OLO_OK)
        return OLO_OK;
    olo_mark mark = error && !at.list ? olo_problem_section_find(own, error->text) : own->mark;
    for (int i = 0; at.list && i < LISTS; i++)
        if (strcmp(lists[i].key, at.list) == 0)
            mark = (*(const olo_mark *const *)(const void *)((const char *)own +
                                                             lists[i].marks_offset))[at.index];
    if (at.list)
        return olo_fail_context(error, status, "%s:%d:%d: optimize.%s[%d]", model->file, mark.line,
                                mark.column, at.list, at.index);
    return olo_fail_context(error, status, "%s:%d:%d: optimize", model->file, mark.line,
                            mark.column);
}
