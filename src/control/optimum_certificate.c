/* The certificate of an optimum: the conditions of optimality of its programme (certificate.c),
 * momenta that nothing can change, the momentum balance, and the largest rotation of an interval.
 */
#include <math.h>
#include <stdio.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "control/certificate.h"
#include "control/momentum_balance.h"

double olo_optimum_initial_momentum(const olo_optimum *o, int k, double *p, double *xi)
{
    const olo_system *s = o->problem->system;
    double sum = 0;
    olo_system_mass_times(s, o->state->v, p);
    olo_rigid_motion(s, o->conserved.motion[k], o->state->q, xi);
    for (int i = 0; i < s->n; i++)
        sum += p[i] * xi[i];
    return sum;
}

/* The largest difference of a conserved momentum from its initial value at any node. */
static olo_status momentum_change(const olo_optimum *o, double *largest, olo_error *error)
{
    const olo_system *s = o->problem->system;
    const size_t n = (size_t)s->n;
    double *work = olo_alloc(3 * n, sizeof *work);
    *largest = 0;
    if (!work)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the certificate of an optimum");
    double *minus = work, *plus = work + n, *xi = work + 2 * n;
    for (int j = 0; j < o->conserved.count; j++) {
        const double start = olo_optimum_initial_momentum(o, j, minus, xi);
        for (int k = 0; k < o->problem->intervals; k++) {
            olo_redundant_momenta(o->transcription, o->x, k, minus, plus);
            for (int end = 0; end < 2; end++) {
                double J = 0;
                olo_rigid_motion(s, o->conserved.motion[j], olo_optimum_configuration(o, k + end),
                                 xi);
                for (size_t i = 0; i < n; i++)
                    J += xi[i] * (end ? plus : minus)[i];
                olo_raise(largest, fabs(J - start));
            }
        }
    }
    olo_free(work);
    return OLO_OK;
}

/* cos(angle) = (sum_I d_I,0 . d_I,1 - 1)/2 */
static double largest_turn(const olo_optimum *o)
{
    const olo_system *s = o->problem->system;
    double largest = 0;
    for (int k = 0; k < o->problem->intervals; k++)
        for (int i = 0; i < s->node_count; i++) {
            const int directors = s->nodes[i].type->directors;
            const double *d0 = olo_optimum_configuration(o, k) + s->nodes[i].q + directors,
                         *d1 = olo_optimum_configuration(o, k + 1) + s->nodes[i].q + directors;
            double trace = 0;
            for (int j = 0; directors >= 0 && j < 9; j++)
                trace += d0[j] * d1[j];
            if (directors >= 0)
                olo_raise(&largest, acos(fmax(-1.0, fmin(1.0, 0.5 * (trace - 1)))));
        }
    return largest;
}

bool olo_optimum_has_opposite(const olo_optimum *o, int *condition, int *node)
{
    const olo_control_problem *p = o->problem;
    for (int i = 0; i < p->condition_count; i++) {
        const olo_control_condition *x = &p->conditions[i];
        if (!x->rotation || x->component > 0)
            continue;
        const int first = x->where == OLO_AT_END ? p->intervals : 0,
                  last = x->where == OLO_AT_START ? 0 : p->intervals;
        for (int k = first; k <= last; k++) {
            const double *d = olo_quantity_directors(&x->measure, olo_optimum_configuration(o, k));
            double trace = 0;
            for (int j = 0; j < 9; j++)
                trace += x->rotation[j] * d[3 * (j % 3) + j / 3];
            *condition = i;
            *node = k;
            if (trace < 1)
                return true;
        }
    }
    return false;
}

/* An orientation half a turn from its condition is a violation by half a turn. */
static void check_orientations(const olo_optimum *o, olo_certificate *certificate)
{
    const double half_turn = 3.14159265358979323846;
    int condition, node;
    if (certificate->violation >= half_turn || !olo_optimum_has_opposite(o, &condition, &node))
        return;
    certificate->violation = half_turn;
    (void)snprintf(certificate->worst, sizeof certificate->worst,
                   "the orientation of '%s' at t = %g, half a turn from that of the condition,",
                   o->problem->conditions[condition].measure.name, olo_optimum_clock(o, node));
}

void olo_optimum_describe(const olo_optimum *o, int row, char *text, size_t size)
{
    if (o->design && !o->reduced && row >= olo_redundant_nlp(o->transcription)->rows)
        olo_design_describe(o->design, row, text, size);
    else if (o->reduced)
        olo_reduced_describe(o->reduced, row, olo_optimum_duration(o), text, size);
    else
        olo_redundant_describe(o->transcription, row, olo_optimum_duration(o), text, size);
}

olo_status olo_optimum_certify(const olo_optimum *o, olo_certificate *certificate, olo_error *error)
{
    int worst;
    olo_status status =
        olo_certify(olo_presolve_nlp(o->presolve), &o->point, certificate, &worst, error);
    if (status != OLO_OK)
        return status;
    if (worst >= 0)
        olo_optimum_describe(o, olo_presolve_row(o->presolve, worst), certificate->worst,
                             sizeof certificate->worst);
    /* rows that the programme does not have, redundant ones and those of charts, are measured, too
     */
    olo_raise(&certificate->violation, olo_redundant_constraint_error(o->transcription, o->x));
    olo_control_count(o->problem, olo_redundant_independent_rows(o->transcription), certificate);
    check_orientations(o, certificate);
    certificate->conserved = o->conserved.count;
    certificate->turn = largest_turn(o);
    status = momentum_change(o, &certificate->momentum, error);
    olo_momentum_balance balance = {0};
    if (status == OLO_OK)
        status = olo_momentum_balance_check(o, &balance, error);
    certificate->linear_balance = balance.linear;
    certificate->angular_balance = balance.angular;
    certificate->linear_change = balance.linear_change;
    certificate->angular_change = balance.angular_change;
    return status;
}
