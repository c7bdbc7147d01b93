/* What an optimum consists of: accessors, and controls as CSV. */
#include "control/optimum.h"

#include <math.h>

#include "base/text_file.h"

olo_optimum_status olo_optimum_ended(const olo_optimum *o)
{
    static const olo_optimum_status statuses[] = {
        [OLO_SOLVED] = OLO_OPTIMUM_SOLVED,         [OLO_SOLVED_NEARLY] = OLO_OPTIMUM_NEARLY,
        [OLO_INFEASIBLE] = OLO_OPTIMUM_INFEASIBLE, [OLO_UNBOUNDED] = OLO_OPTIMUM_UNBOUNDED,
        [OLO_STOPPED] = OLO_OPTIMUM_STOPPED,       [OLO_LIMIT] = OLO_OPTIMUM_LIMIT,
        [OLO_FAILED] = OLO_OPTIMUM_FAILED};
    return statuses[o->report.solved];
}

const char *olo_optimum_explanation(const olo_optimum *o)
{
    return o->explanation;
}

double olo_optimum_cost(const olo_optimum *o)
{
    return o->report.objective;
}

double olo_optimum_duration(const olo_optimum *o)
{
    return o->x[olo_redundant_duration(o->transcription)];
}

bool olo_optimum_has_other_start(const olo_optimum *o)
{
    return o->problem->free_start || o->problem->start_velocities || o->later;
}

bool olo_optimum_has_equal_intervals(const olo_optimum *o)
{
    const olo_control_problem *p = o->problem;
    bool equal = true;
    for (int k = 0; k < p->intervals; k++)
        equal = equal && fabs(p->part[k] * p->intervals - 1) < 1e-12;
    return equal;
}

double olo_optimum_time(const olo_optimum *o, int node)
{
    return o->problem->at[node] * olo_optimum_duration(o);
}

int olo_optimum_intervals(const olo_optimum *o)
{
    return o->problem->intervals;
}

int olo_optimum_iterations(const olo_optimum *o)
{
    return o->report.iterations;
}

double olo_optimum_seconds(const olo_optimum *o)
{
    return o->report.seconds;
}

double olo_optimum_cpu_seconds(const olo_optimum *o)
{
    return o->report.cpu_seconds;
}

double olo_optimum_own_seconds(const olo_optimum *o)
{
    return o->report.evaluation_seconds;
}

const char *olo_optimum_scheme(const olo_optimum *o)
{
    return o->problem->scheme;
}

const double *olo_optimum_controls(const olo_optimum *o, int interval)
{
    return o->x + olo_redundant_controls(o->transcription, interval);
}

const double *olo_optimum_configuration(const olo_optimum *o, int node)
{
    return o->x + olo_redundant_configuration(o->transcription, node);
}

const double *olo_optimum_multipliers(const olo_optimum *o, int node)
{
    return o->reduced ? o->lambda + (size_t)node * (size_t)o->problem->system->m
                      : o->x + olo_redundant_multipliers(o->transcription, node);
}

int olo_optimum_parameter_count(const olo_optimum *o)
{
    return o->problem->parameter_count;
}

const char *olo_optimum_parameter_name(const olo_optimum *o, int parameter)
{
    return o->problem->parameters[parameter].name;
}

double olo_optimum_parameter(const olo_optimum *o, int parameter)
{
    return olo_optimum_parameters(o, false)[parameter];
}

const olo_system *olo_optimum_system(const olo_optimum *o)
{
    return o->problem->system;
}

int olo_optimum_input_count(const olo_optimum *o)
{
    return o->problem->input_count;
}

const char *olo_optimum_input_name(const olo_optimum *o, int input)
{
    return o->problem->input_name[input];
}

double olo_optimum_input(const olo_optimum *o, int input, int interval)
{
    return o->problem->input_factor[input] *
           olo_optimum_controls(o, interval)[o->problem->input_control[input]];
}

void olo_optimum_input_bounds(const olo_optimum *o, int input, double *lower, double *upper)
{
    const olo_control_problem *p = o->problem;
    const int control = p->input_control[input];
    const double factor = p->input_factor[input], a = factor * p->lower[control],
                 b = factor * p->upper[control];
    *lower = fmin(a, b);
    *upper = fmax(a, b);
}

int olo_optimum_progress_count(const olo_optimum *o)
{
    return (int)o->history_count;
}

olo_optimize_progress olo_optimum_progress(const olo_optimum *o, int index)
{
    return o->history[index];
}

const char *olo_second_order_name(olo_second_order second_order)
{
    static const char *const names[] = {[OLO_POINT_UNKNOWN] = "unknown",
                                        [OLO_POINT_MINIMUM] = "minimum",
                                        [OLO_POINT_SADDLE] = "saddle",
                                        [OLO_POINT_DEGENERATE] = "degenerate"};
    return names[second_order];
}

int olo_optimum_saddle_count(const olo_optimum *o)
{
    return (int)o->saddle_count;
}

olo_saddle olo_optimum_saddle(const olo_optimum *o, int index)
{
    return o->saddles[index];
}

// -- parts of the cost ----------------------------------------------------------------------------

typedef struct part {
    const char *name;
    double value;
} part;

/* The integral of the squares of a control, times its weight. */
static double effort_of(const olo_optimum *o, int c)
{
    const olo_control_problem *p = o->problem;
    double sum = 0;
    for (int k = 0; k < p->intervals; k++) {
        const double u = olo_optimum_controls(o, k)[c];
        sum += olo_optimum_duration(o) * p->part[k] * p->effort[c] * u * u;
    }
    return sum;
}

/* Writes part `wanted`, counted among those that the problem has, and returns their number. */
static int find_part(const olo_optimum *o, int wanted, part *found)
{
    const olo_control_problem *p = o->problem;
    double rest = olo_optimum_cost(o);
    int count = 0;
    for (int i = 0; i <= p->controls + p->parameter_count; i++) {
        const int j = i - p->controls - 1; /* parameter */
        part own = {"duration", p->duration_weight * olo_optimum_duration(o)};
        bool is_part = p->duration_weight != 0;
        if (i < p->controls) {
            own = (part){p->control_name[i], effort_of(o, i)};
            is_part = p->effort[i] != 0;
        } else if (j >= 0) {
            own = (part){p->parameters[j].name,
                         olo_control_parameter_cost(p, j, olo_optimum_parameter(o, j))};
            is_part = p->parameters[j].linear != 0 || p->parameters[j].square != 0;
        }
        rest -= own.value;
        if (is_part && count++ == wanted)
            *found = own;
    }
    if (p->cost_count > 0 && count++ == wanted)
        *found = (part){"quantities", rest};
    return count;
}

int olo_optimum_cost_part_count(const olo_optimum *o)
{
    part none;
    return find_part(o, -1, &none);
}

const char *olo_optimum_cost_part_name(const olo_optimum *o, int index)
{
    part found = {0};
    (void)find_part(o, index, &found);
    return found.name;
}

double olo_optimum_cost_part(const olo_optimum *o, int index)
{
    part found = {0};
    (void)find_part(o, index, &found);
    return found.value;
}

// -- controls as CSV ------------------------------------------------------------------------------

olo_status olo_optimum_write_csv(const olo_optimum *o, const char *path, olo_error *error)
{
    const int N = o->problem->intervals;
    olo_text text = {0};
    olo_text_put(&text, "start,end");
    for (int i = 0; i < olo_optimum_input_count(o); i++)
        olo_text_format(&text, ",%s", olo_optimum_input_name(o, i));
    olo_text_put(&text, "\n");
    for (int k = 0; k < N; k++) {
        olo_text_format(&text, "%.17g,%.17g", olo_optimum_time(o, k), olo_optimum_time(o, k + 1));
        for (int i = 0; i < olo_optimum_input_count(o); i++)
            olo_text_format(&text, ",%.17g", olo_optimum_input(o, i, k));
        olo_text_put(&text, "\n");
    }
    const olo_status status = olo_text_save(&text, path, error);
    olo_text_free(&text);
    return status;
}
