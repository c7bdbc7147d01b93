/* Runs and distances that all studies use. Distances are relative in the 2-norm (thesis, 3.1):
 *
 *     e_x = |x - x_ref| / |x_ref|,   z = (q, p),   p = M v. */
#include "study/study.h"

#include <math.h>

#include "base/initialised.h"
#include "system/system.h"

olo_study olo_study_default(void)
{
    return (olo_study){.initialised = OLO_INITIALISED_STUDY};
}

olo_status olo_study_check(const olo_study *study, olo_error *error)
{
    const olo_status status =
        olo_check_initialised(study->initialised, OLO_INITIALISED_STUDY, error);
    return status == OLO_OK
               ? olo_check_initialised(study->run->initialised, OLO_INITIALISED_RUN, error)
               : status;
}

olo_status olo_study_run(const olo_study *study, const char *what, const olo_run *run,
                         const olo_observer *observers, int observer_count, olo_state **state,
                         olo_run_summary *summary, olo_error *error)
{
    if (study->announce)
        study->announce(study->context, what, run);
    const olo_status status = olo_state_clone(study->start, state, error);
    return status == OLO_OK
               ? olo_simulate(study->system, run, *state, observers, observer_count, summary, error)
               : status;
}

bool olo_study_ends(olo_status status)
{
    return status == OLO_INTERRUPTED || status == OLO_NO_MEMORY;
}

olo_errors olo_errors_unknown(void)
{
    const double unknown = (double)NAN;
    return (olo_errors){unknown, unknown, unknown, unknown, unknown, unknown, unknown};
}

double olo_relative(double difference, double size)
{
    return size > 0 ? sqrt(difference / size) : (double)NAN;
}

/* Adds |x - y|^2 and |y|^2. */
static void add_squares(int count, const double *x, const double *y, double *difference,
                        double *size)
{
    for (int i = 0; i < count; i++) {
        *difference += (x[i] - y[i]) * (x[i] - y[i]);
        *size += y[i] * y[i];
    }
}

double olo_distance(int count, const double *x, const double *y)
{
    double difference = 0, size = 0;
    add_squares(count, x, y, &difference, &size);
    return olo_relative(difference, size);
}

olo_errors olo_errors_between(const olo_system *system, const olo_state *state, const double *q,
                              const double *p, const double *lambda, double *work)
{
    double dq = 0, dp = 0, dl = 0, q2 = 0, p2 = 0, l2 = 0;
    add_squares(system->n, state->q, q, &dq, &q2);
    olo_system_mass_times(system, state->v, work);
    add_squares(system->n, work, p, &dp, &p2);
    if (lambda)
        add_squares(system->m, state->lambda, lambda, &dl, &l2);
    return (olo_errors){.q = olo_relative(dq, q2),
                        .p = olo_relative(dp, p2),
                        .z = olo_relative(dq + dp, q2 + p2),
                        .lambda = (double)NAN,
                        .tangential = (double)NAN,
                        .lambda_step = olo_relative(dl, l2),
                        .action = (double)NAN};
}
