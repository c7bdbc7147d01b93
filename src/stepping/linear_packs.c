/* The way back through steps of packed bodies; see the header. The sweeps are in
 * linear_packs_sweep.c. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stepping/linear_packs_private.h"
#include "system/system.h"

static const olo_linear_packs_kernels *kernels_for(olo_packs_width width)
{
    bool wide = width == OLO_PACKS_BEST && olo_linear_packs_kernels_wide && olo_lanes_are_wide();
    return wide ? olo_linear_packs_kernels_wide : &olo_linear_packs_kernels_plain;
}

static bool take_memory(olo_linear_packs *x)
{
    const olo_packs *packs = x->packs;
    size_t room = (size_t)packs->fours * LANES;
    x->bodies = olo_alloc(room, sizeof *x->bodies);
    bool staged = false;
    for (int i = 0; i < packs->fours; i++)
        staged = staged || packs->slots[i].joints;
    if (staged)
        x->joints = olo_alloc(room, sizeof *x->joints);
    if (!x->bodies || (staged && !x->joints) || !olo_packs_store_tangents(x->packs))
        return false;
    for (size_t i = 0; i < room; i++)
        for (int I = 0; I < 3; I++)
            x->bodies[i].reach[I] = packs->four[i / LANES].reach[I][i % LANES];
    return true;
}

/* Reversed pairs that rotate and slide go back as any tree. */
static bool has_levers(const olo_packs *packs)
{
    bool levers = false;
    for (int i = 0; i < packs->count; i++)
        levers = levers || packs->slots[i / LANES].lever[i % LANES];
    return levers;
}

olo_status olo_linear_packs_create(const olo_system *system, const olo_scheme *scheme,
                                   const olo_topology *topology, olo_packs_width width,
                                   olo_linear_packs **packs, olo_error *error)
{
    olo_packs *forward;
    *packs = NULL;
    olo_status status = olo_packs_create(system, scheme, topology, NULL, width, &forward, error);
    if (status != OLO_OK || !forward)
        return status;
    if (olo_packs_have_forces(forward) || has_levers(forward)) {
        olo_packs_free(forward);
        return OLO_OK;
    }
    olo_linear_packs *x = olo_alloc(1, sizeof *x);
    if (x)
        x->packs = forward;
    else
        olo_packs_free(forward);
    if (!x || !take_memory(x)) {
        olo_linear_packs_free(x);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for derivatives of packed bodies");
    }
    x->kernels = kernels_for(width);
    *packs = x;
    return OLO_OK;
}

void olo_linear_packs_free(olo_linear_packs *x)
{
    if (!x)
        return;
    olo_packs_free(x->packs);
    olo_free(x->bodies);
    olo_free(x->joints);
    olo_free(x);
}

/* Sums of forces from leaf to root; those of the balance are the forces of the joints. */
static void sum_forces(olo_linear_packs *x, const olo_packs_adjoint *adjoint)
{
    const olo_packs *packs = x->packs;
    for (int i = packs->count - 1; i >= 0; i--) {
        const linear_body *c = &x->bodies[i];
        const int parent = packs->slots[i / LANES].parent[i % LANES];
        const size_t to = 3 * (size_t)packs->topology->order[i];
        if (parent >= 0)
            x->bodies[parent].end_force += c->end_force;
        memcpy(adjoint->force + to, &c->force, 3 * sizeof(double));
        memcpy(adjoint->end_force + to, &c->end_force, 3 * sizeof(double));
    }
}

bool olo_linear_packs_back(olo_linear_packs *x, olo_step *step, const olo_packs_adjoint *adjoint)
{
    olo_packs *packs = x->packs;
    const olo_motion_mix last = olo_predictor_last(step->state, 1.0);
    olo_packs_predict(packs, step, 1.0, &last);
    packs->summed = true; /* at a solution the wrenches are the sums */
    if (packs->kernels->eliminate(packs, step) >= 0)
        return false;
    x->kernels->gather(x, step, adjoint);
    x->kernels->solve(x);
    x->kernels->give(x, step, adjoint);
    if (adjoint->force)
        sum_forces(x, adjoint);
    return true;
}

bool olo_linear_packs_velocity(olo_linear_packs *x, olo_step *step, const olo_packs_velocity *of)
{
    const int n = step->system->n;
    const double *w = step->v1;
    memcpy(step->momentum, of->gv, (size_t)n * sizeof *step->momentum);
    if (olo_packs_project(x->packs, step) >= 0)
        return false;
    const olo_packs_variation first = {.g = of->gv, .other = w, .v = of->v},
                              second = {.g = of->p, .other = of->v, .v = w};
    x->kernels->vary(x, &first, of->gq);
    x->kernels->vary(x, &second, of->gq);
    for (int i = 0; i < n; i++)
        of->gp[i] += w[i];
    if (of->w)
        memcpy(of->w, w, (size_t)n * sizeof *of->w);
    return true;
}
