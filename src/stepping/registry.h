/* Schemes and treatments by name. The list is registry.def: one line per scheme or treatment. */
#ifndef OLO_STEPPING_REGISTRY_H
#define OLO_STEPPING_REGISTRY_H

#include "oloid/model.h"
#include "oloid/system.h"

/* All names, the default first, NULL at the end. */
extern const char *const olo_scheme_names[];
extern const char *const olo_treatment_names[];

/* The default scheme of models with contacts. */
const char *olo_scheme_with_impacts(void);

/* Number of unknowns of a treatment for a system with these counts; 0 for an unknown name.
 */
int olo_treatment_unknowns(const char *name, const olo_counts *counts);

/* Number of unknowns of a run, without a stepper. Fails where a stepper would: a combination of
 * system, scheme, treatment and options that does not exist. */
olo_status olo_run_unknowns(const olo_system *system, const olo_run *run, int *unknowns,
                            olo_error *error);

/* Whether a treatment has a penalty parameter. */
bool olo_treatment_has_penalty(const char *name);

/* Largest |g| that the treatment of a run permits by design: 0 if constraints are exact, the
 * tolerance of augmented, infinity for a penalty. */
double olo_treatment_constraint_error(const olo_run *run);
/* Relative error of the energy that the scheme of a run permits by design: 0 if energy is exact,
 * infinity if it is bounded but not constant. */
double olo_scheme_energy_error(const olo_run *run);

#endif
