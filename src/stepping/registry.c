/* Schemes and treatments by name, all from registry.def. */
#include "stepping/registry.h"

#include <string.h>

#include "stepping/step.h"

const char *const olo_scheme_names[] = {
#define OLO_SCHEME(identifier, name) name,
#include "stepping/registry.def"
#undef OLO_SCHEME
    NULL};

const char *const olo_treatment_names[] = {
#define OLO_TREATMENT(name, unknowns) #name,
#include "stepping/registry.def"
#undef OLO_TREATMENT
    NULL};

static const olo_scheme *const schemes[] = {
#define OLO_SCHEME(identifier, name) &olo_scheme_##identifier,
#include "stepping/registry.def"
#undef OLO_SCHEME
};

static const olo_treatment *const treatments[] = {
#define OLO_TREATMENT(name, unknowns) &olo_treatment_##name,
#include "stepping/registry.def"
#undef OLO_TREATMENT
};

/* The index of a name in a list, -1 if it is not in the list. */
static int find(const char *const *names, const char *name)
{
    for (int i = 0; name && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const olo_scheme *olo_scheme_find(const char *name)
{
    int i = find(olo_scheme_names, name);
    return i < 0 ? NULL : schemes[i];
}

const olo_scheme *olo_scheme_of(const olo_run *run)
{
    const olo_scheme *scheme = olo_scheme_find(run->scheme);
    const olo_treatment *treatment = olo_treatment_find(run->constraints);
    const bool rows = !treatment || treatment->consistent;
    return scheme && scheme->consistent && !rows ? scheme->without_rows : scheme;
}

const char *olo_scheme_conserves(const char *name)
{
    const olo_scheme *scheme = olo_scheme_find(name);
    return scheme ? scheme->conserves : NULL;
}

const char *olo_scheme_with_impacts(void)
{
    int i = 0;
    while (!schemes[i]->contact)
        i++;
    return schemes[i]->name;
}

const olo_treatment *olo_treatment_find(const char *name)
{
    int i = find(olo_treatment_names, name);
    return i < 0 ? NULL : treatments[i];
}

int olo_treatment_unknowns(const char *name, const olo_counts *counts)
{
    const int unknowns[] = {
#define OLO_TREATMENT(treatment, member) counts->member,
#include "stepping/registry.def"
#undef OLO_TREATMENT
    };
    int i = find(olo_treatment_names, name);
    return i < 0 ? 0 : unknowns[i];
}

bool olo_treatment_has_penalty(const char *name)
{
    const olo_treatment *treatment = olo_treatment_find(name);
    return treatment && treatment->constraint_error;
}

double olo_treatment_constraint_error(const olo_run *run)
{
    const olo_treatment *treatment = olo_treatment_find(run->constraints);
    return treatment && treatment->constraint_error ? treatment->constraint_error(run) : 0;
}

double olo_scheme_energy_error(const olo_run *run)
{
    const olo_scheme *scheme = olo_scheme_find(run->scheme);
    return scheme ? scheme->energy_error : 0;
}
