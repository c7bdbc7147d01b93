/* Loads a model as the command line requests it: reads it with its settings, compiles it and
 * creates its initial state. */
#include "cli/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "oloid/results.h"
#include "oloid/statics.h"

/* A projection that changes the initial state by less, relative to its size, is rounding. */
static const double PROJECTION_TOLERANCE = 1e-9;

/* Splits a copy of `name=value`, whose memory is that of setting->name. */
static olo_status split(const char *word, olo_setting *setting, olo_error *error)
{
    char *copy = olo_strdup(word), *equals = copy != NULL ? strchr(copy, '=') : NULL;
    setting->name = copy;
    if (copy == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    if (equals == NULL || equals == copy || equals[1] == '\0') {
        return olo_fail(error, OLO_BAD_INPUT, "--set needs name=value, for example l=0.2; got '%s'",
                        word);
    }
    *equals = '\0';
    setting->value = equals + 1;
    return OLO_OK;
}

/* Reads a model from `file` or, if that is NULL, from the run in `path`.partial. */
static olo_status read_model(const char *file, const char *path, const cli_list *set,
                             const olo_setting *options, int option_count, olo_model **model,
                             olo_error *error)
{
    olo_setting *settings = olo_alloc((size_t)set->count + (size_t)option_count, sizeof *settings);
    if (settings == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    olo_status status = OLO_OK;
    int count = set->count;
    for (int i = 0; i < count && status == OLO_OK; i++)
        status = split(set->items[i], &settings[i], error);
    for (int i = 0; i < option_count; i++)
        if (options[i].value != NULL)
            settings[count++] = options[i];
    if (status == OLO_OK) {
        status = file != NULL ? olo_model_read(file, settings, count, model, error)
                              : olo_recorder_read_model(path, settings, count, model, error);
    }
    for (int i = 0; i < set->count; i++)
        olo_free((char *)settings[i].name);
    olo_free(settings);
    return status;
}

/* Returns the file that olo_model_read reads for this word: the word itself, or a file of the
 * catalogue. */
static char *find_file(const char *word)
{
    struct stat info;
    olo_catalogue *catalogue = NULL;
    const bool is_file = stat(word, &info) == 0 && !S_ISDIR(info.st_mode);
    if (is_file || strchr(word, '/') != NULL || olo_catalogue_open(&catalogue, NULL) != OLO_OK)
        return olo_strdup(word);
    const char *file = word;
    for (int i = 0; i < olo_catalogue_count(catalogue); i++)
        if (strcmp(olo_catalogue_name(catalogue, i), word) == 0)
            file = olo_catalogue_file(catalogue, i);
    char *copy = olo_strdup(file);
    olo_catalogue_free(catalogue);
    return copy;
}

/* Compiles the model and creates its initial state. */
static olo_status start(cli_loaded *loaded, olo_error *error)
{
    olo_status status = olo_model_compile(loaded->model, &loaded->system, error);
    if (status == OLO_OK)
        status = olo_system_counts(loaded->system, &loaded->counts, error);
    if (status == OLO_OK) {
        status = olo_system_create_initial_state(loaded->system, &loaded->state,
                                                 &loaded->projection, error);
    }
    if (status == OLO_OK) {
        status = olo_prepare_initial_state(loaded->system, olo_model_run(loaded->model),
                                           loaded->state, error);
    }
    if (status == OLO_OK)
        olo_system_ledger(loaded->system, loaded->state, &loaded->start);
    return status;
}

olo_status cli_load(const char *file, const cli_list *set, const olo_setting *options,
                    int option_count, cli_loaded *loaded, olo_error *error)
{
    olo_status status = read_model(file, NULL, set, options, option_count, &loaded->model, error);
    if (status != OLO_OK)
        return status;
    loaded->file = find_file(file);
    return loaded->file != NULL ? start(loaded, error)
                                : olo_fail(error, OLO_NO_MEMORY, "out of memory");
}

olo_status cli_load_interrupted_run(const char *path, const cli_list *set,
                                    const olo_setting *options, int option_count,
                                    cli_loaded *loaded, olo_error *error)
{
    const olo_status status =
        read_model(NULL, path, set, options, option_count, &loaded->model, error);
    return status == OLO_OK ? start(loaded, error) : status;
}

void cli_unload(cli_loaded *loaded)
{
    olo_state_free(loaded->state);
    olo_system_free(loaded->system);
    olo_model_free(loaded->model);
    olo_free(loaded->file);
    *loaded = (cli_loaded){0};
}

/* Whether a change of `values` is more than rounding. */
static bool exceeds_rounding(double change, const double *values, int count)
{
    double scale = change;
    for (int i = 0; i < count; i++)
        scale = fmax(scale, fabs(values[i]));
    return change > PROJECTION_TOLERANCE * scale;
}

bool cli_was_projected(const cli_loaded *loaded)
{
    const int n = loaded->counts.coordinates;
    return exceeds_rounding(loaded->projection.position, olo_state_configuration(loaded->state),
                            n) ||
           exceeds_rounding(loaded->projection.velocity, olo_state_velocity(loaded->state), n);
}

/* "positions by 0.3 ('pin' was off by 0.3)" */
static int describe_change(char *text, size_t size, const char *what, double change,
                           const char *worst, double error)
{
    char number[CLI_NUMBER_SIZE], off[CLI_NUMBER_SIZE];
    if (!(change > 0.0) || worst[0] == '\0')
        return snprintf(text, size, "%s by %s", what, cli_deviation(number, change));
    return snprintf(text, size, "%s by %s ('%s' was off by %s)", what,
                    cli_deviation(number, change), worst, cli_deviation(off, error));
}

char *cli_describe_projection(const cli_loaded *loaded, char *text, size_t size)
{
    const olo_projection *p = &loaded->projection;
    const int length =
        describe_change(text, size, "positions", p->position, p->worst, p->constraint_error);
    if (length > 0 && (size_t)length < size)
        (void)describe_change(text + length, size - (size_t)length, ", velocities", p->velocity,
                              p->worst_rate, p->rate_error);
    return text;
}

static void pass(const char *warning, const olo_observer *observers, int count)
{
    for (int i = 0; i < count; i++)
        if (observers[i].warn != NULL)
            observers[i].warn(observers[i].context, warning);
}

void cli_warn(const cli_loaded *loaded, const olo_observer *observers, int count)
{
    const char *warning;
    for (int i = 0; (warning = olo_model_warning(loaded->model, i)) != NULL; i++)
        pass(warning, observers, count);
    if (loaded->projection.warning[0] != '\0')
        pass(loaded->projection.warning, observers, count);
}

static void print_warning(void *unused, const char *text)
{
    (void)unused;
    cli_message("warning: %s", text);
}

void cli_warn_on_stderr(const cli_loaded *loaded)
{
    const olo_observer observer = {.warn = print_warning};
    cli_warn(loaded, &observer, 1);
}
