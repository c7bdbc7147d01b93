/* The strains of four quadrature points at once: invariants and forces of a step; the formulas are
 * in strain_formulas.h. Laws without coupling of strains are evaluated for all four points as well
 * (strain_stress.h). The tangent is in strain_pack_tangent.h.
 *
 * This file is compiled a second time for processors with registers of four numbers
 * (strain_pack_wide.c), to the same bits. */
#include <math.h>

#include "base/extreme.h"
#include "system/strain_pack_data.h"
#include "system/strain_pack_tangent.h"
#include "system/strain_stress.h"

#ifndef OLO_STRAIN_KERNELS
#define OLO_STRAIN_KERNELS olo_strain_kernels_plain
#endif

FORMULA void over_nodes(const shape of, const olo_term_pack *pack, const olo_interval *x,
                        olo_pack_step *step)
{
    const four at = strains_in(pack);
    const int parts = of.parts;
    step_data *y = (step_data *)step->number;
    lane reference[OLO_ROD_INVARIANTS];
    for (int a = 0; a < of.nodes; a++) {
        if (has_directors(of, a))
            y->N[a] = OF_FOUR(&at, N[a]);
        if (has_position(of, a) || (parts & BENDING))
            y->dN[a] = OF_FOUR(&at, dN[a]);
    }
    for (int k = 0; k < count_of(parts); k++)
        reference[k] = OF_FOUR(&at, reference[k]);
    /* the interpolated start and increment, and from them the midpoint */
    read_nodes(of, &at, x->q0, y->x);
    read_nodes(of, &at, x->dq, y->dx);
    interpolate(of, y->N, y->dN, y->x, &y->start);
    interpolate(of, y->N, y->dN, y->dx, &y->change);
    if (x->remainder && (parts & STRETCH))
        add_remainder(of, &at, y->dN, x->remainder, &y->start);
    y->middle = advance(parts, &y->start, lane_all(0.5), &y->change);
    strains_of(parts, reference, &y->start, step->e);
    if (step->midpoint) {
        /* e(qm) = e(q0) + 1/2 grad e(q0 + dq/4).dq */
        const point quarter = advance(parts, &y->start, lane_all(0.25), &y->change);
        changes(parts, &quarter, &y->change, step->de);
        for (int k = 0; k < count_of(parts); k++)
            step->e[k] += 0.5 * step->de[k];
    } else {
        changes(parts, &y->middle, &y->change, step->de);
    }
}

FORMULA void differences_nodes(const shape of, const olo_term_pack *pack, const olo_pack_step *step,
                               const double *dq, lane *de)
{
    const step_data *y = (const step_data *)step->number;
    const four at = strains_in(pack);
    vector dx[A][4];
    point d;
    read_nodes(of, &at, dq, dx);
    interpolate(of, y->N, y->dN, dx, &d);
    changes(of.parts, &y->middle, &d, de);
}

FORMULA void push_nodes(const shape of, const olo_term_pack *pack, const olo_pack_step *step,
                        const olo_pack_balance *balance)
{
    const step_data *y = (const step_data *)step->number;
    const four at = strains_in(pack);
    const lane factor = factor_of(pack, balance->factor);
    const point R = conjugate(of.parts, &y->middle, step->s);
    lane most = lane_all(0), sum = lane_all(0);
    for (int a = 0; a < of.nodes; a++) {
        lane turn[9], number[FRAME];
        vector r[4];
        if (has_position(of, a))
            r[0] = times(y->dN[a], R.f);
        if (has_directors(of, a)) {
            const bool turned = read_turns(&at, a, turn);
            directors_force(of.parts, y->N[a], y->dN[a], turned ? turn : NULL, &R, r + 1);
        }
        for (int i = first_of(of, a); i < first_of(of, a) + size_of(of, a); i++) {
            number[i] = factor * r[i / 3].x[i % 3];
            most = lane_larger(lane_size(number[i]), most);
            sum += number[i];
        }
        add_node_force(of, &at, a, number, balance->T);
    }
    /* a NaN is larger than everything */
    for (int l = 0; l < LANES; l++)
        olo_raise(balance->scale, isnan(sum[l]) ? sum[l] : most[l]);
}

/* ---- by the shape of the points -------------------------------------------------------------- */

/* A call that uses SHAPE, compiled for each shape that occurs: linear and quadratic elements; rods
 * with frames; stretching and bending of rods with directors at edges. */
#define FOR_EACH_SHAPE(pack, call)                                                                 \
    do {                                                                                           \
        const olo_strain *const first = (pack)->data[0];                                           \
        const bool frames = (pack)->term[0]->size == FRAME * first->nodes;                         \
        const bool rod = first->count > OLO_STRAINS;                                               \
        if (frames && rod)                                                                         \
            WITH_SHAPE(2, true, STRETCH | BENDING | COSINE, call)                                  \
        else if (frames && first->nodes == 2)                                                      \
            WITH_SHAPE(2, true, STRETCH | BENDING, call)                                           \
        else if (frames)                                                                           \
            WITH_SHAPE(3, true, STRETCH | BENDING, call)                                           \
        else if (first->nodes == 3)                                                                \
            WITH_SHAPE(3, false, STRETCH, call)                                                    \
        else if (rod)                                                                              \
            WITH_SHAPE(2, false, BENDING | COSINE, call)                                           \
        else                                                                                       \
            WITH_SHAPE(2, false, BENDING, call)                                                    \
    } while (0)
#define WITH_SHAPE(nodes, frames, parts, call)                                                     \
    {                                                                                              \
        const shape SHAPE = {nodes, frames, parts};                                                \
        call;                                                                                      \
    }

static void over(const olo_term_pack *pack, const olo_interval *x, olo_pack_step *step)
{
    FOR_EACH_SHAPE(pack, over_nodes(SHAPE, pack, x, step));
}

/* The law of the strains of a term: its own, or that of a rod. */
static const olo_law *strain_law(const olo_term_pack *pack)
{
    const olo_law *law = pack->term[0]->law;
    return law->strain ? law->strain : law;
}

static bool stress(const olo_term_pack *pack, bool tangent, olo_pack_step *step)
{
    if (pack->term[0]->law->damps)
        rate_stress(pack, tangent, step);
    else if (!strain_law(pack)->diagonal)
        return false;
    else if (pack->term[0]->law->strain)
        FOR_EACH_SHAPE(pack, rod_stress_of(SHAPE.parts, pack, tangent, step));
    else
        FOR_EACH_SHAPE(pack, element_stress(SHAPE.parts, pack, tangent, step));
    return true;
}

static void differences(const olo_term_pack *pack, const olo_pack_step *step, const double *dq,
                        lane *de)
{
    FOR_EACH_SHAPE(pack, differences_nodes(SHAPE, pack, step, dq, de));
}

static void push(const olo_term_pack *pack, const olo_pack_step *step,
                 const olo_pack_balance *balance)
{
    FOR_EACH_SHAPE(pack, push_nodes(SHAPE, pack, step, balance));
}

static void add_twist_tangent(const olo_term_pack *pack, const olo_pack_step *step, double factor,
                              bool at_start, double *const *const block[LANES])
{
    if (strain_law(pack)->diagonal)
        FOR_EACH_SHAPE(pack, tangent_nodes(SHAPE, true, pack, step, factor, at_start, block));
    else
        FOR_EACH_SHAPE(pack, tangent_nodes(SHAPE, false, pack, step, factor, at_start, block));
}

const olo_pack_kernels OLO_STRAIN_KERNELS = {.over = over,
                                             .stress = stress,
                                             .differences = differences,
                                             .push = push,
                                             .add_twist_tangent = add_twist_tangent};
