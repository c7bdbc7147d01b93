/* The redundant transcription: rows in words, for messages. */
#include <math.h>
#include <stdio.h>

#include "control/redundant_private.h"

/* The condition with this number among those of one kind, NULL: none. */
static const olo_control_condition *find_condition(const olo_control_problem *p, olo_where where,
                                                   int number)
{
    for (int i = 0; i < p->condition_count; i++)
        if (p->conditions[i].where == where && number-- == 0)
            return &p->conditions[i];
    return NULL;
}

/* The control with this number among those that have a bound of their rate. */
static const char *rated_control(const olo_control_problem *p, int number)
{
    int c = 0;
    while (!isfinite(p->rate[c]) || number-- > 0)
        c++;
    return p->control_name[c];
}

void olo_redundant_describe(const olo_redundant *x, int row, double duration, char *text,
                            size_t size)
{
    const olo_system *s = x->system;
    const int node = row / x->row_stride, local = row % x->row_stride;
    const bool start = row >= olo_redundant_start_row(x), end = node > x->intervals;
    const double part = start ? 0
                        : end ? 1
                              : x->problem->at[node],
                 t = olo_control_time(x->problem, part, duration);
    const int number = start ? row - olo_redundant_start_row(x)
                       : end ? row - (x->intervals + 1) * x->row_stride
                             : local - x->n - x->m;
    const olo_control_condition *condition = number < 0 ? NULL
                                                        : find_condition(x->problem,
                                                                         start ? OLO_AT_START
                                                                         : end ? OLO_AT_END
                                                                               : OLO_ALONG_PATH,
                                                                         number);
    if (!end && local < x->n)
        (void)snprintf(text, size, "the balance of '%s' at t = %.6g",
                       s->nodes[s->coordinates[local].node].name, t);
    else if (!end && local < x->n + x->m)
        (void)snprintf(text, size, "a constraint of '%s' at t = %.6g",
                       s->groups[olo_system_group_of(s, x->rows[local - x->n])].name, t);
    else if (condition)
        (void)snprintf(text, size, "the condition on '%s' at t = %.6g", condition->measure.name, t);
    else if (end)
        (void)snprintf(text, size, "the velocity of '%s' at the %s",
                       s->groups[olo_system_group_of(
                                     s, number - (start ? x->start_conditions : x->end_conditions))]
                           .name,
                       start ? "start" : "end");
    else
        (void)snprintf(text, size, "the rate of the control '%s' at t = %.6g",
                       rated_control(x->problem, number - x->path_conditions), t);
}
