/* The options of a run: their names, bounds and defaults, in one table for files, settings and
 * code. */
#include "model/run_section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/initialised.h"
#include "base/suggest.h"
#include "stepping/registry.h"

static const char *const starts[] = {"given", "equilibrium", NULL};
static const char *const null_spaces[] = {"explicit", "implicit", NULL};

/* Largest number of steps: time has 53 bits, and with more steps it would no longer increase. */
#define MOST_STEPS 1e15

/* An option. `most` is an allowed value; `least` is allowed unless the option is `open`. */
typedef struct option option;
struct option {
    const char *key;
    size_t offset;
    double least, most;
    bool open;
    const char *const *choices;
    double (*number)(const void *field); /* as a number, or NULL */
    olo_status (*read)(olo_reader *reader, const olo_yaml_node *node, const option *o, void *field);
};

/* Kinds of options ---------------------------------------------------------------------------- */

static olo_status check_bounds(const option *o, double x, char *reason, size_t size)
{
    if (!isfinite(x))
        (void)snprintf(reason, size, "is not a finite number");
    else if (o->open && !(x > o->least))
        (void)snprintf(reason, size, "must be above %g, got %g", o->least, x);
    else if (x < o->least)
        (void)snprintf(reason, size, "must be at least %g, got %g", o->least, x);
    else if (x > o->most)
        (void)snprintf(reason, size, "must be at most %g, got %g", o->most, x);
    else
        return OLO_OK;
    return OLO_BAD_INPUT;
}

static olo_status read_bounded(olo_reader *reader, const olo_yaml_node *node, const option *o,
                               double *x)
{
    char reason[96];
    const olo_status status = olo_read_number(reader, node, x);
    if (status == OLO_OK && check_bounds(o, *x, reason, sizeof reason) != OLO_OK)
        return olo_read_fail(reader, node, "%s", reason);
    return status;
}

static olo_status read_number(olo_reader *reader, const olo_yaml_node *node, const option *o,
                              void *field)
{
    return read_bounded(reader, node, o, field);
}

static olo_status read_whole(olo_reader *reader, const olo_yaml_node *node, const option *o,
                             double *x)
{
    const olo_status status = read_bounded(reader, node, o, x);
    if (status == OLO_OK && *x != floor(*x))
        return olo_read_fail(reader, node, "expected a whole number, got %.17g", *x);
    return status;
}

static olo_status read_int(olo_reader *reader, const olo_yaml_node *node, const option *o,
                           void *field)
{
    double x = 0.0;
    const olo_status status = read_whole(reader, node, o, &x);
    if (status == OLO_OK)
        *(int *)field = (int)x;
    return status;
}

static olo_status read_order(olo_reader *reader, const olo_yaml_node *node, const option *o,
                             void *field)
{
    const olo_status status = read_int(reader, node, o, field);
    const int order = *(const int *)field;
    return status == OLO_OK && order % 2 != 0
               ? olo_read_fail(reader, node, "must be 2, 4 or 6, got %d", order)
               : status;
}

static olo_status read_long(olo_reader *reader, const olo_yaml_node *node, const option *o,
                            void *field)
{
    double x = 0.0;
    const olo_status status = read_whole(reader, node, o, &x);
    if (status == OLO_OK)
        *(long *)field = (long)x;
    return status;
}

static olo_status read_word(olo_reader *reader, const olo_yaml_node *node, const option *o,
                            void *field)
{
    return olo_read_choice(reader, node, o->choices, field);
}

static olo_status read_flag(olo_reader *reader, const olo_yaml_node *node, const option *o,
                            void *field)
{
    (void)o;
    return olo_read_flag(reader, node, field);
}

static double of_double(const void *field)
{
    return *(const double *)field;
}

static double of_int(const void *field)
{
    return *(const int *)field;
}

static double of_long(const void *field)
{
    return (double)*(const long *)field;
}

/* The table ----------------------------------------------------------------------------------- */

#define AT(field) .key = #field, .offset = offsetof(olo_run, field)

static const option options[] = {
    {AT(step), .open = true, .most = OLO_LARGEST_NUMBER, .number = of_double, .read = read_number},
    {AT(end), .most = OLO_LARGEST_NUMBER, .number = of_double, .read = read_number},
    {AT(start), .choices = starts, .read = read_word},
    {AT(scheme), .choices = olo_scheme_names, .read = read_word},
    {AT(constraints), .choices = olo_treatment_names, .read = read_word},
    {AT(penalty), .open = true, .most = OLO_LARGEST_NUMBER, .number = of_double,
     .read = read_number},
    {AT(augmented_tolerance), .open = true, .most = 1.0, .number = of_double, .read = read_number},
    {AT(null_space), .choices = null_spaces, .read = read_word},
    {AT(order), .least = 2.0, .most = 6.0, .number = of_int, .read = read_order},
    {AT(tolerance), .most = 1.0, .number = of_double, .read = read_number},
    {AT(smallest_step), .most = OLO_LARGEST_NUMBER, .number = of_double, .read = read_number},
    {AT(largest_step), .most = OLO_LARGEST_NUMBER, .number = of_double, .read = read_number},
    {AT(grid), .most = OLO_LARGEST_NUMBER, .number = of_double, .read = read_number},
    {AT(newton_tolerance), .open = true, .most = 1.0, .number = of_double, .read = read_number},
    {AT(iterations), .least = 1.0, .most = 10000.0, .number = of_int, .read = read_int},
    // 2^-60 of a step is below the round-off of any time
    {AT(halvings), .most = 60.0, .number = of_int, .read = read_int},
    // a frame of one body has some 200 bytes
    {AT(frames), .least = 1.0, .most = 1e9, .number = of_long, .read = read_long},
    {AT(forces), .read = read_flag},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

static const option *find(const char *key)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strcmp(options[i].key, key) == 0)
            return &options[i];
    return NULL;
}

olo_run olo_run_default(void)
{
    return (olo_run){.initialised = OLO_INITIALISED_RUN,
                     .step = 0.01,
                     .end = 1.0,
                     .start = starts[0],
                     .scheme = olo_scheme_names[0],
                     .constraints = olo_treatment_names[0],
                     .penalty = 1e5,
                     .augmented_tolerance = 1e-10,
                     .null_space = null_spaces[0],
                     .order = 2,
                     // Newton squares the error: the next increment is round-off
                     .newton_tolerance = 1e-8,
                     .iterations = 30,
                     .halvings = 10,
                     .frames = 10000,
                     .forces = false};
}

/* Checks ------------------------------------------------------------------------------------- */

static olo_status check_option(const option *o, const olo_run *run, olo_error *error)
{
    const void *field = (const char *)run + o->offset;
    char reason[96];
    if (o->number && check_bounds(o, o->number(field), reason, sizeof reason) != OLO_OK)
        return olo_fail(error, OLO_BAD_INPUT, "run.%s: %s", o->key, reason);
    if (!o->choices)
        return OLO_OK;
    const char *word = *(const char *const *)field;
    for (const char *const *choice = o->choices; word && *choice; choice++)
        if (strcmp(*choice, word) == 0)
            return OLO_OK;
    return olo_fail(error, OLO_BAD_INPUT, "run.%s: there is no '%.64s'", o->key, word ? word : "");
}

static bool has_too_many_steps(const olo_run *run)
{
    return !(run->end / run->step <= MOST_STEPS);
}

olo_status olo_run_check(const olo_run *run, olo_error *error)
{
    if (olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error) != OLO_OK)
        return OLO_BAD_INPUT;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const olo_status status = check_option(&options[i], run, error);
        if (status != OLO_OK)
            return status;
    }
    if (run->order % 2 != 0)
        return olo_fail(error, OLO_BAD_INPUT, "run.order: must be 2, 4 or 6, got %d", run->order);
    return has_too_many_steps(run) ? olo_fail(error, OLO_BAD_INPUT,
                                              "run.step: more than %g steps to the end", MOST_STEPS)
                                   : OLO_OK;
}

bool olo_run_has_option(const char *key)
{
    return find(key) != NULL;
}

int olo_run_option_count(void)
{
    return OPTION_COUNT;
}

bool olo_run_option_text(const olo_run *run, int index, char *text, size_t size)
{
    const option *o = &options[index];
    const void *field = (const char *)run + o->offset;
    int length = 0;
    if (o->number) {
        length = snprintf(text, size, "%s=%.17g", o->key, o->number(field));
    } else if (o->choices) {
        const char *word = *(const char *const *)field;
        length = snprintf(text, size, "%s=%s", o->key, word ? word : "");
    } else {
        length = snprintf(text, size, "%s=%s", o->key, *(const bool *)field ? "true" : "false");
    }
    return length >= 0 && (size_t)length < size;
}

/* Reading ------------------------------------------------------------------------------------- */

static olo_status read_option(olo_reader *reader, const olo_yaml_node *node, const option *o)
{
    return o->read(reader, node, o, (char *)&reader->model->run + o->offset);
}

/* Lengths of all steps: end and step follow from them. */
static olo_status read_steps(olo_reader *reader, const olo_yaml_node *node)
{
    olo_run *run = &reader->model->run;
    if (node->kind != OLO_YAML_LIST || node->count == 0)
        return olo_read_fail_expected(reader, node, "a list of lengths (or write step and end)");
    double *steps = olo_pool_alloc(&reader->model->pool, (size_t)node->count, sizeof *steps);
    if (!steps)
        return olo_read_no_memory(reader);
    const olo_status status = olo_read_numbers(reader, node, node->count, steps);
    run->end = 0;
    run->step = HUGE_VAL;
    for (int i = 0; status == OLO_OK && i < node->count; i++) {
        if (!(steps[i] > 0))
            return olo_read_fail(reader, node, "lengths of steps must be positive, got %g",
                                 steps[i]);
        run->end += steps[i];
        run->step = fmin(run->step, steps[i]);
    }
    run->steps = steps;
    run->step_count = node->count;
    return status;
}

static bool is_steps(const olo_yaml_node *node)
{
    return strcmp(node->key, "steps") == 0;
}

/* Another step or end, by a setting, replaces the list of steps. */
static void drop_steps(olo_run *run)
{
    double end = 0, smallest = HUGE_VAL;
    for (int i = 0; i < run->step_count; i++) {
        end += run->steps[i];
        smallest = fmin(smallest, run->steps[i]);
    }
    if (run->end != end || run->step != smallest)
        run->step_count = 0;
}

static olo_status read_section(olo_reader *reader, const olo_yaml_node *section)
{
    if (section->kind != OLO_YAML_MAP)
        return olo_read_fail_expected(reader, section, "a map of options of the run");
    for (const olo_yaml_node *node = section->first; node; node = node->next) {
        const option *o = find(node->key);
        if (!o && !is_steps(node)) {
            const char *keys[OPTION_COUNT + 1] = {[OPTION_COUNT] = "steps"};
            for (int i = 0; i < OPTION_COUNT; i++)
                keys[i] = options[i].key;
            return olo_read_fail_unknown_key(reader, node, "run", keys, OPTION_COUNT + 1);
        }
        if (o && olo_yaml_find(section, "steps") &&
            (strcmp(o->key, "step") == 0 || strcmp(o->key, "end") == 0))
            return olo_read_fail(reader, node, "`step` and `end` follow from `steps`");
        const olo_status status = o ? read_option(reader, node, o) : read_steps(reader, node);
        if (status != OLO_OK)
            return status;
    }
    return OLO_OK;
}

/* Applies a setting `run.key=value`; ignores other settings. */
static olo_status read_setting(olo_reader *reader, const olo_setting *setting)
{
    if (strncmp(setting->name, OLO_RUN_PREFIX, strlen(OLO_RUN_PREFIX)) != 0)
        return OLO_OK;
    const olo_yaml_node node = {
        .kind = OLO_YAML_SCALAR, .key = setting->name, .text = setting->value};
    const char *key = setting->name + strlen(OLO_RUN_PREFIX);
    const option *o = find(key);
    if (!o && strcmp(key, "steps") == 0)
        return olo_read_fail(reader, &node,
                             "a list of steps is no setting: write it in the section `run`");
    if (!o) {
        const char *keys[OPTION_COUNT];
        for (int i = 0; i < OPTION_COUNT; i++)
            keys[i] = options[i].key;
        const char *near = olo_suggest(key, keys, OPTION_COUNT);
        return olo_read_fail(reader, &node, "unknown option of a run%s%s%s",
                             near ? ", did you mean '" OLO_RUN_PREFIX : "", near ? near : "",
                             near ? "'?" : "");
    }
    return read_option(reader, &node, o);
}

static bool has_impacts(const olo_model *model)
{
    for (int i = 0; i < olo_element_type_count; i++)
        for (size_t k = 0; olo_element_types[i]->impacts && k < model->lists[i].count; k++)
            if (olo_element_types[i]->impacts(model->lists[i].items[k]->element))
                return true;
    return false;
}

olo_status olo_read_run(olo_reader *reader, const olo_yaml_node *section)
{
    olo_run *run = &reader->model->run;
    run->order = 0; // not given
    if (has_impacts(reader->model))
        run->scheme = olo_scheme_with_impacts();
    olo_status status = section ? read_section(reader, section) : OLO_OK;
    for (int i = 0; i < reader->setting_count && status == OLO_OK; i++)
        status = read_setting(reader, &reader->settings[i]);
    drop_steps(run);
    if (run->order == 0) // who asks for an error is served best by order 4
        run->order = run->tolerance > 0 ? 4 : 2;
    if (status == OLO_OK && has_too_many_steps(run)) {
        const olo_yaml_node *step = olo_yaml_find(section, "step");
        const olo_yaml_node *at = step ? step : section;
        status = at ? olo_read_fail(reader, at, "more than %g steps to the end", MOST_STEPS)
                    : olo_run_check(run, reader->error);
    }
    return status;
}
