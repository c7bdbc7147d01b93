/* Objective functionals of a run: goals by name, and C functions, with their gradients at a state.
 */
#ifndef OLO_STEPPING_OBJECTIVE_H
#define OLO_STEPPING_OBJECTIVE_H

#include "base/pool.h"
#include "oloid/derivatives.h"
#include "system/coefficients.h"
#include "system/system.h"

enum { OLO_CONTROLS_MAX = 256 };

typedef struct olo_objective olo_objective;

/* Resolves the names of a functional, which must outlive the objective; owned by the caller. */
olo_status olo_objective_create(const olo_system *system, const olo_functional *functional,
                                olo_objective **objective, olo_error *error);
void olo_objective_free(olo_objective *objective);

/* The end term of J, or its integrand; adds `weight` times its derivatives unless they are NULL. */
double olo_objective_value(olo_objective *objective, const olo_state *state, bool end,
                           double weight, double *gq, double *gv);
/* Fails with the reason why J is not finite at this state. */
olo_status olo_objective_explain(olo_objective *objective, const olo_state *state,
                                 olo_error *error);
/* Whether J has an integral, and whether the integrand depends on velocities. */
bool olo_objective_has_integral(const olo_objective *objective);
bool olo_objective_integral_uses_velocities(const olo_objective *objective);
/* The explicit derivative of the end term or integrand with respect to a coefficient of the system:
 * masses in the kinetic energy, terms in the potential, positions of outputs, definitions of joint
 * coordinates. */
double olo_objective_by_coefficient(olo_objective *objective, const olo_state *state, bool end,
                                    const olo_coefficient *coefficient);
/* The cost of the controls of a step; adds `weight` times the derivatives. */
double olo_objective_effort(olo_objective *objective, double t, int count, const double *u,
                            double weight, double *gu);

#endif
