/* Functionals of a run: goals by name, and functions in C, with their gradients at a state. */
#ifndef OLO_STEPPING_GOAL_H
#define OLO_STEPPING_GOAL_H

#include "base/pool.h"
#include "oloid/derivatives.h"
#include "system/coefficients.h"
#include "system/system.h"

enum { OLO_CONTROLS_MAX = 256 };

typedef struct olo_objective olo_objective;

/* Resolves the names of a functional, which must stay; owned by the caller. */
olo_status olo_objective_create(const olo_system *system, const olo_functional *functional,
                                olo_objective **objective, olo_error *error);
void olo_objective_free(olo_objective *objective);

/* The part of J at the end, or under the integral; adds `weight` times its derivatives unless they
 * are NULL. */
double olo_objective_end(olo_objective *objective, const olo_state *state, double weight,
                         double *gq, double *gv);
double olo_objective_running(olo_objective *objective, const olo_state *state, double weight,
                             double *gq, double *gv);
/* J became no finite number at this state: says by what. */
olo_status olo_objective_explain(olo_objective *objective, const olo_state *state,
                                 olo_error *error);
/* Is there anything under the integral, and do velocities enter there? */
bool olo_objective_runs(const olo_objective *objective);
bool olo_objective_runs_over_rates(const olo_objective *objective);
/* Derivative of one part of J at a state with respect to a coefficient of the system, where it is
 * in J itself: masses in the kinetic energy, terms in the potential, places of outputs, what joint
 * coordinates measure. */
double olo_objective_by_coefficient(olo_objective *objective, const olo_state *state, bool end,
                                    const olo_coefficient *coefficient);
/* What the controls of a step cost; adds `weight` times the derivatives. */
double olo_objective_effort(olo_objective *objective, double t, int count, const double *u,
                            double weight, double *gu);

#endif
