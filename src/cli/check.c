/* `oloid check`: compiles a model and reports its size, its constraints and its conserved
 * quantities. A momentum map translation . P + rotation . L is conserved when it is a symmetry of
 * the model; the components of P and L outside the span of these maps are listed as not conserved.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/symplectic.h"
#include "cli/terminal.h"

struct options {
    cli_list set;
    bool json;
    bool symplectic;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model or an option of its run;\nmay be given several times"},
    {"symplectic", 0, CLI_FLAG, offsetof(struct options, symplectic), NULL,
     "linearise the first steps and report how they change areas\nand volumes in phase space"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print as JSON"},
    {0}};

/* The components of momentum, as momentum maps translation . P + rotation . L. */
enum { COMPONENTS = 6 };
static const char *const component_names[COMPONENTS] = {"linear momentum x",  "linear momentum y",
                                                        "linear momentum z",  "angular momentum x",
                                                        "angular momentum y", "angular momentum z"};

/* A component is in the span of the conserved ones when its remainder is shorter than this. */
static const double SPAN_TOLERANCE = 1e-9;

enum { MISSING_MAX = COMPONENTS + 1 };

/* Subtracts from `x` its projection on the orthonormal `basis`; returns the length of the rest. */
static double remove_span(double x[COMPONENTS], double (*basis)[COMPONENTS], int count)
{
    for (int k = 0; k < count; k++) {
        double along = 0.0;
        for (int i = 0; i < COMPONENTS; i++)
            along += basis[k][i] * x[i];
        for (int i = 0; i < COMPONENTS; i++)
            x[i] -= along * basis[k][i];
    }
    double square = 0.0;
    for (int i = 0; i < COMPONENTS; i++)
        square += x[i] * x[i];
    return sqrt(square);
}

/* Computes an orthonormal basis (Gram-Schmidt) of the conserved momentum maps. Returns the number
 * of its vectors. */
static int conserved_basis(const olo_system *system, double (*basis)[COMPONENTS])
{
    int count = 0;
    for (int k = 0; k < olo_system_invariant_count(system) && count < COMPONENTS; k++) {
        const olo_invariant *invariant = olo_system_invariant(system, k);
        double x[COMPONENTS];
        memcpy(x, invariant->translation, 3 * sizeof x[0]);
        memcpy(x + 3, invariant->rotation, 3 * sizeof x[0]);
        const double length = remove_span(x, basis, count);
        if (!invariant->energy && length > SPAN_TOLERANCE) {
            for (int i = 0; i < COMPONENTS; i++)
                basis[count][i] = x[i] / length;
            count++;
        }
    }
    return count;
}

/* Lists what is not conserved: the energy if only its balance is satisfied, and the components of
 * momentum outside the span of the conserved ones. Returns their number. */
static int missing_laws(const olo_system *system, const char *missing[MISSING_MAX])
{
    int count = 0;
    bool energy = false;
    for (int k = 0; k < olo_system_invariant_count(system); k++)
        energy = energy || strcmp(olo_system_invariant(system, k)->name, "energy") == 0;
    if (!energy)
        missing[count++] = "energy";
    double basis[COMPONENTS][COMPONENTS];
    const int conserved = conserved_basis(system, basis);
    for (int i = 0; i < COMPONENTS; i++) {
        double x[COMPONENTS] = {0};
        x[i] = 1.0;
        if (remove_span(x, basis, conserved) > SPAN_TOLERANCE)
            missing[count++] = component_names[i];
    }
    return count;
}

/* Prints the constraint groups that have redundant rows. */
static void print_redundant(const olo_system *system, const int *redundant)
{
    enum { LINES = 12 };
    int lines = 0;
    for (int i = 0; i < olo_system_group_count(system); i++) {
        if (redundant[i] > 0 && ++lines <= LINES) {
            (void)printf("    '%s': %d of its %d rows %s redundant\n",
                         olo_system_group_name(system, i), redundant[i],
                         olo_system_group_row_count(system, i), redundant[i] == 1 ? "is" : "are");
        }
    }
    if (lines > LINES)
        (void)printf("    ... and %d more; --json lists all\n", lines - LINES);
}

static void print_counts(const cli_loaded *loaded, const int *by_group)
{
    const olo_counts *counts = &loaded->counts;
    const int redundant = counts->constraints - counts->rank;
    (void)printf("  points              %d\n", counts->points);
    (void)printf("  bodies              %d\n", counts->bodies);
    if (counts->beams > 0)
        (void)printf("  beams               %d, %d nodes\n", counts->beams, counts->sections);
    (void)printf("  coordinates         %d\n", counts->coordinates);
    (void)printf("  constraints         %d (%d internal, %d external), rank %d\n",
                 counts->constraints, counts->internal, counts->constraints - counts->internal,
                 counts->rank);
    if (redundant > 0) {
        (void)printf("  redundant rows      %d (combinations of other rows; they do no harm)\n",
                     redundant);
        print_redundant(loaded->system, by_group);
    }
    if (counts->closures > 0) {
        (void)printf("  loop closures       %d row%s\n", counts->closures,
                     counts->closures == 1 ? "" : "s");
    }
    if (redundant > 0) {
        (void)printf("  degrees of freedom  %d (%d by counting rows)\n", counts->degrees_of_freedom,
                     counts->coordinates - counts->constraints);
    } else {
        (void)printf("  degrees of freedom  %d\n", counts->degrees_of_freedom);
    }
    if (counts->velocity_rows > 0) {
        (void)printf("  rolling rows        %d (they constrain velocities, not positions)\n",
                     counts->velocity_rows);
    }
    (void)printf("  unknowns            %d reduced, %d with multipliers\n",
                 counts->unknowns_reduced, counts->unknowns_multipliers);
}

/* Whether two groups are members of one series: the same kind and number of rows, and names that
 * differ in digits only. */
static bool are_alike(const olo_system *system, int i, int j)
{
    const char *a = olo_system_group_name(system, i), *b = olo_system_group_name(system, j);
    if (olo_system_group_internal(system, i) != olo_system_group_internal(system, j) ||
        olo_system_group_row_count(system, i) != olo_system_group_row_count(system, j))
        return false;
    for (; *a != '\0' || *b != '\0'; a++, b++) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b)
            return false;
        if (*a == '\0')
            break;
    }
    return true;
}

/* A series of groups as one line of the table. */
typedef struct series {
    int first, last, count;
} series;

/* Puts every group of a large model into a series; groups of a small model stay single. Returns the
 * number of series. */
static int find_series(const olo_system *system, int count, series *all)
{
    enum { PAGE = 40 };
    int found = 0;
    for (int i = 0; i < count; i++) {
        int k = count <= PAGE ? found : 0;
        while (k < found && !are_alike(system, all[k].first, i))
            k++;
        if (k == found)
            all[found++] = (series){.first = i};
        all[k].last = i;
        all[k].count++;
    }
    return found;
}

/* "link1" or "link1 ... link1000" */
static int name_series(const olo_system *system, const series *x, char *text, size_t size)
{
    return x->count == 1
               ? snprintf(text, size, "%s", olo_system_group_name(system, x->first))
               : snprintf(text, size, "%s ... %s", olo_system_group_name(system, x->first),
                          olo_system_group_name(system, x->last));
}

static void print_series(const olo_system *system, const series *all, int count)
{
    enum { NAME_SIZE = 200, LINES = 40 };
    char name[NAME_SIZE];
    int width = (int)strlen("name");
    bool several = false;
    for (int i = 0; i < count; i++) {
        several = several || all[i].count > 1;
        const int length = name_series(system, &all[i], name, sizeof name);
        width = length > width ? length : width;
    }
    for (int i = 0; i < count && i < LINES; i++) {
        if (i == 0)
            (void)printf("  %-*s  %sfirst  rows  kind\n", width, "name", several ? "groups  " : "");
        (void)name_series(system, &all[i], name, sizeof name);
        (void)printf("  %-*s", width, name);
        if (several)
            (void)printf("  %6d", all[i].count);
        (void)printf("  %5d  %4d  %s\n", olo_system_group_first(system, all[i].first),
                     olo_system_group_row_count(system, all[i].first),
                     olo_system_group_internal(system, all[i].first) ? "internal" : "external");
    }
    if (count > LINES)
        (void)printf("  ... and %d more; --json lists all\n", count - LINES);
}

static void print_groups(const olo_system *system)
{
    const int count = olo_system_group_count(system);
    series *all = olo_alloc((size_t)count, sizeof *all);
    (void)printf("\nconstraint groups%s\n", count == 0 ? ": none" : "");
    if (all != NULL)
        print_series(system, all, find_series(system, count, all));
    olo_free(all);
}

static void print_laws(const olo_system *system, const olo_run *run)
{
    const int count = olo_system_invariant_count(system);
    const char *muted = cli_colour_code(stdout, CLI_MUTED);
    const char *plain = cli_colour_code(stdout, CLI_PLAIN);
    int width = 0;
    for (int k = 0; k < count; k++) {
        const int length = (int)strlen(olo_system_invariant(system, k)->name);
        width = length > width ? length : width;
    }
    (void)printf("\nconserved%s\n", count == 0 ? ": nothing" : "");
    for (int k = 0; k < count; k++) {
        const olo_invariant *invariant = olo_system_invariant(system, k);
        (void)printf("  %-*s  %s%s%s\n", width, invariant->name, muted, invariant->why, plain);
    }
    if (count > 0)
        (void)printf("  %s: %s\n", run->scheme, olo_scheme_conserves(run->scheme));
    const char *missing[MISSING_MAX];
    const int missing_count = missing_laws(system, missing);
    if (missing_count > 0)
        (void)printf("\nnot conserved\n");
    for (int i = 0; i < missing_count; i++)
        (void)printf("  %s\n", missing[i]);
}

static void print_warning(void *unused, const char *text)
{
    (void)unused;
    (void)printf("  %swarning%s: %s\n", cli_colour_code(stdout, CLI_AMBER),
                 cli_colour_code(stdout, CLI_PLAIN), text);
}

static void print_start(const cli_loaded *loaded)
{
    const olo_ledger *ledger = &loaded->start;
    char text[512] = "consistent";
    if (cli_was_projected(loaded)) {
        memcpy(text, "projected: ", sizeof "projected: ");
        const size_t length = strlen(text);
        cli_describe_projection(loaded, text + length, sizeof text - length);
    }
    (void)printf("\ninitial state\n  %s\n", text);
    const olo_observer observer = {.warn = print_warning};
    cli_warn(loaded, &observer, 1);
    (void)printf("  energy %.6g: kinetic %.6g, potential %.6g, strain %.6g\n", ledger->total,
                 ledger->kinetic, ledger->potential, ledger->strain);
}

static void print_text(const cli_loaded *loaded, const int *redundant,
                       const cli_symplectic *symplectic)
{
    const char *description = olo_model_description(loaded->model);
    const bool described = description != NULL && description[0] != '\0';
    (void)printf("%s%s%s\n", olo_model_name(loaded->model), described ? ": " : "",
                 described ? description : "");
    print_counts(loaded, redundant);
    print_groups(loaded->system);
    print_laws(loaded->system, olo_model_run(loaded->model));
    print_start(loaded);
    if (symplectic->steps > 0)
        cli_symplectic_print(symplectic);
}

static void write_counts(olo_json *json, const olo_counts *counts)
{
    olo_json_integer(json, "points", counts->points);
    olo_json_integer(json, "bodies", counts->bodies);
    olo_json_integer(json, "beams", counts->beams);
    olo_json_integer(json, "beam_nodes", counts->sections);
    olo_json_integer(json, "coordinates", counts->coordinates);
    olo_json_integer(json, "constraints", counts->constraints);
    olo_json_integer(json, "internal", counts->internal);
    olo_json_integer(json, "external", counts->constraints - counts->internal);
    olo_json_integer(json, "rank", counts->rank);
    olo_json_integer(json, "redundant", counts->constraints - counts->rank);
    olo_json_integer(json, "closures", counts->closures);
    olo_json_integer(json, "degrees_of_freedom", counts->degrees_of_freedom);
    olo_json_integer(json, "velocity_rows", counts->velocity_rows);
    olo_json_open(json, "unknowns", '{');
    olo_json_integer(json, "reduced", counts->unknowns_reduced);
    olo_json_integer(json, "multipliers", counts->unknowns_multipliers);
    olo_json_close(json);
}

static void write_groups(olo_json *json, const olo_system *system, const int *redundant)
{
    olo_json_open(json, "groups", '[');
    for (int i = 0; i < olo_system_group_count(system); i++) {
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "name", olo_system_group_name(system, i));
        olo_json_integer(json, "first", olo_system_group_first(system, i));
        olo_json_integer(json, "rows", olo_system_group_row_count(system, i));
        olo_json_bool(json, "internal", olo_system_group_internal(system, i));
        olo_json_integer(json, "repeated", redundant[i]);
        olo_json_close(json);
    }
    olo_json_close(json);
}

static void write_laws(olo_json *json, const olo_system *system, const olo_run *run)
{
    olo_json_text(json, "scheme", run->scheme);
    olo_json_text(json, "scheme_keeps", olo_scheme_conserves(run->scheme));
    olo_json_open(json, "conserved", '[');
    for (int k = 0; k < olo_system_invariant_count(system); k++) {
        const olo_invariant *invariant = olo_system_invariant(system, k);
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "quantity", invariant->name);
        olo_json_text(json, "why", invariant->why);
        olo_json_close(json);
    }
    olo_json_close(json);
    const char *missing[MISSING_MAX];
    const int missing_count = missing_laws(system, missing);
    olo_json_open(json, "not_conserved", '[');
    for (int i = 0; i < missing_count; i++)
        olo_json_text(json, NULL, missing[i]);
    olo_json_close(json);
}

static void write_warning(void *json, const char *text)
{
    olo_json_text(json, NULL, text);
}

static void write_start(olo_json *json, const cli_loaded *loaded)
{
    const olo_projection *projection = &loaded->projection;
    olo_json_open(json, "projection", '{');
    olo_json_number(json, "position", projection->position);
    olo_json_number(json, "velocity", projection->velocity);
    olo_json_number(json, "constraint_error", projection->constraint_error);
    olo_json_text(json, "worst", projection->worst[0] != '\0' ? projection->worst : NULL);
    olo_json_number(json, "rate_error", projection->rate_error);
    olo_json_text(json, "worst_rate", projection->worst_rate[0] ? projection->worst_rate : NULL);
    olo_json_close(json);
    olo_json_open(json, "warnings", '[');
    const olo_observer observer = {.context = json, .warn = write_warning};
    cli_warn(loaded, &observer, 1);
    olo_json_close(json);
    olo_json_open(json, "energy", '{');
    olo_json_number(json, "kinetic", loaded->start.kinetic);
    olo_json_number(json, "potential", loaded->start.potential);
    olo_json_number(json, "strain", loaded->start.strain);
    olo_json_number(json, "total", loaded->start.total);
    olo_json_close(json);
}

static void print_json(const cli_loaded *loaded, const int *redundant,
                       const cli_symplectic *symplectic)
{
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "name", olo_model_name(loaded->model));
    olo_json_text(&json, "description", olo_model_description(loaded->model));
    write_counts(&json, &loaded->counts);
    write_groups(&json, loaded->system, redundant);
    write_laws(&json, loaded->system, olo_model_run(loaded->model));
    write_start(&json, loaded);
    if (symplectic->steps > 0)
        cli_symplectic_write(&json, symplectic);
    olo_json_close(&json);
}

/* Counts the redundant rows of each constraint group. The caller frees the array. */
static olo_status count_redundant_rows(const olo_system *system, int **redundant, olo_error *error)
{
    *redundant = calloc((size_t)olo_system_group_count(system) + 1, sizeof **redundant);
    return *redundant == NULL ? olo_fail(error, OLO_NO_MEMORY, "out of memory")
                              : olo_system_redundant_rows(system, *redundant, error);
}

static int run(const cli_call *call)
{
    const struct options *given = call->options;
    cli_loaded loaded = {0};
    olo_error error = {0};
    int *redundant = NULL;
    cli_symplectic symplectic = {0};
    olo_status status = cli_load(call->argument, &given->set, NULL, 0, &loaded, &error);
    if (status == OLO_OK)
        status = count_redundant_rows(loaded.system, &redundant, &error);
    if (status == OLO_OK && given->symplectic)
        status = cli_symplectic_find(&loaded, &symplectic, &error);
    if (status == OLO_OK && given->json)
        print_json(&loaded, redundant, &symplectic);
    else if (status == OLO_OK)
        print_text(&loaded, redundant, &symplectic);
    free(redundant);
    cli_unload(&loaded);
    return status == OLO_OK ? CLI_OK : cli_fail(&error);
}

const cli_command cli_check = {
    .name = "check",
    .argument = "MODEL",
    .summary = "compile a model; report its size, its constraints and what it conserves",
    .details = "MODEL is a model file, or a name from the catalogue ('oloid models').\n",
    .examples = "  oloid check heavy-top\n"
                "  oloid check my.yaml --set l=0.2 --json\n"
                "  oloid check heavy-top --symplectic --set run.scheme=variational\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
