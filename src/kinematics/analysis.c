/* Topology and redundancy of a system, computed once, and systems with other numbers. */
#include "kinematics/analysis.h"

#include <string.h>

#include "base/fail.h"
#include "kinematics/redundancy.h"
#include "system/coefficients.h"
#include "system/copy.h"

/* The system owns both, although it declares them constant. */
static void free_analysis(olo_system *system)
{
    olo_redundancy_free((olo_redundancy *)system->redundancy);
    olo_topology_free((olo_topology *)system->topology);
}

static olo_status finish(olo_system *system, olo_status status, const olo_topology *topology,
                         olo_error *error)
{
    olo_redundancy *redundancy = NULL;
    if (status == OLO_OK)
        status = olo_redundancy_create(topology, &redundancy, error);
    system->topology = topology;
    system->redundancy = redundancy;
    system->free_analysis = free_analysis;
    return status;
}

olo_status olo_system_analyse(olo_system *system, olo_error *error)
{
    olo_topology *topology = NULL;
    const olo_status status =
        system->base ? olo_topology_share(system->base->topology, system, &topology, error)
                     : olo_topology_create(system, NULL, &topology, error);
    return finish(system, status, topology, error);
}

olo_status olo_system_analyse_mode(olo_system *mode, const bool *active, olo_error *error)
{
    olo_topology *topology = NULL;
    const olo_status status = olo_topology_create(mode, active, &topology, error);
    return finish(mode, status, topology, error);
}

/* --- blocks of numbers --- */

static void count(void *context, const olo_numbers *x)
{
    *(size_t *)context += x->shared ? 0 : (size_t)x->count;
}

static void get(void *context, const olo_numbers *x)
{
    double **block = context;
    if (x->shared)
        return;
    memcpy(*block, x->values, (size_t)x->count * sizeof *x->values);
    *block += x->count;
}

static void set(void *context, const olo_numbers *x)
{
    const double **block = context;
    if (x->shared)
        return;
    memcpy(x->values, *block, (size_t)x->count * sizeof *x->values);
    *block += x->count;
}

size_t olo_system_numbers(const olo_system *system)
{
    size_t numbers = 0;
    olo_system_visit_numbers((olo_system *)system, count, &numbers);
    return numbers;
}

void olo_system_get_numbers(const olo_system *system, double *block)
{
    olo_system_visit_numbers((olo_system *)system, get, &block);
}

olo_status olo_system_with(const olo_system *system, const double *block, olo_system **other,
                           olo_error *error)
{
    olo_system *made = *other = olo_system_copy(system, true);
    if (!made)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the system");
    olo_system_visit_numbers(made, set, &block);
    olo_status status = OLO_OK;
    if (!olo_system_finish_numbers(made))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the system");
    if (status == OLO_OK)
        status = olo_system_analyse(made, error);
    if (status != OLO_OK) {
        olo_system_free(made);
        *other = NULL;
    }
    return status;
}
