/* Closures of packed bodies with consistent velocities (reduced_rates.h has the equations). Their
 * multipliers mu = lambda - 2 gamma/h and gamma enter
 *
 *     the projection     r = M ((2/h) dq - v0 - v1) - 2 sum gamma d,    2/h G1 v1 = 0
 *     the balance        h sum mu d + h sum gamma a,    a = A (v0 + v1)/2
 *
 * and the projection has the columns C and rows G of the balance, on the elimination of masses
 * (olo_packs.mass): the change x of its unknowns is h times that of gamma. Relations of joint
 * coordinates are in packs_rates.h.
 *
 * All is inline: packs_closures_sweep.c, which alone includes this, is compiled for several
 * processors. */
#ifndef OLO_STEPPING_PACKS_CLOSURES_RATES_H
#define OLO_STEPPING_PACKS_CLOSURES_RATES_H

#include "stepping/packs_closures.h"
#include "stepping/packs_local.h"
#include "system/condition.h"
#include "system/rate_interval.h"

/* C, G and the rates 2/h G1 v1 of closure i, before relative motions join its bundles. */
static void load_rate_rows(olo_packs *x, const olo_step *step, int i)
{
    const closure *from = &x->closures->closure[i];
    closure *to = &x->mass->closures->closure[i];
    x->mass->closures->factor = 2 / step->h;
    for (int g = 0; g < to->groups; g++) {
        to->right[g] = lane_all(0.0);
        for (int side = 0; side < to->sides; side++) {
            const int position = x->closures->coupled[from->side[side]].body, l = position % LANES;
            const end_rates *v = &x->rate[position / LANES];
            const bundle *G = &from->at_end[side][g];
            to->columns[side][g] = from->columns[side][g];
            to->at_end[side][g] = *G;
            for (int k = 0; k < 3; k++)
                to->right[g] += v->V.x[k][l] * G->upper.x[k] + v->w.x[k][l] * G->lower.x[k];
        }
    }
    for (int k = 0; k < to->rows; k++)
        to->right[k / LANES][k % LANES] -=
            2 / step->h *
            olo_constraint_motion_rate(&x->system->constraints[to->first_row + k],
                                       step->t + step->h);
}

/* The gamma of relations along their coordinates. */
static void load_gamma(olo_packs *x)
{
    const closures *all = x->closures;
    for (int k = 0; k < all->share_count; k++)
        *all->shares[k].gamma = 0;
    for (int i = 0; i < all->count; i++) {
        const closure *c = &all->closure[i];
        for (int k = c->first_share; k < c->first_share + c->shares; k++)
            *all->shares[k].gamma +=
                all->shares[k].factor * x->mass->closures->gamma[c->u + all->shares[k].row];
    }
}

/* 2 sum gamma d on the frames of bodies with closure rows, about their pivots. */
static void load_impulses(olo_packs *x)
{
    const double *gamma = x->mass->closures->gamma;
    load_gamma(x);
    for (int k = 0; k < x->closures->coupled_count; k++)
        memset(x->closures->coupled[k].impulse, 0, sizeof x->closures->coupled[k].impulse);
    for (int n = 0; n < x->closures->count; n++) {
        const closure *c = &x->closures->closure[n];
        for (int side = 0; side < c->sides; side++)
            for (int k = 0; k < c->rows; k++)
                for (int i = 0; i < FRAME / LANES; i++)
                    x->closures->coupled[c->side[side]].impulse[i] +=
                        2 * gamma[c->u + k] * c->left[side][k][i];
    }
    for (int k = 0; k < x->closures->coupled_count; k++) {
        const coupled *of = &x->closures->coupled[k];
        const int l = of->body % LANES;
        const four *b = &x->four[of->body / LANES];
        const double *f = (const double *)of->impulse;
        double *to = (double *)x->mass->closures->base[of->body / LANES] + l;
        for (int n = 0; n < FRAME; n++)
            to[LANES * n] = n < 3 ? f[n] : f[n] - b->pivot[n / 3 - 1][l] * f[n % 3];
    }
}

/* The forces h sum gamma a of curved rows join those of the other multipliers, and all of them the
 * balance. */
static void load_rates(olo_packs *x, const olo_step *step)
{
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = step->v0, .v1 = step->v1};
    load_impulses(x);
    for (int n = 0; n < x->closures->count; n++) {
        const closure *c = &x->closures->closure[n];
        for (int k = 0; k < c->rows; k++) {
            const olo_constraint *row = &x->system->constraints[c->first_row + k];
            const double factor = step->h * x->mass->closures->gamma[c->u + k];
            double a[OLO_FORM_SIZE_MAX];
            if (!(c->curved >> k & 1))
                continue;
            olo_rate_gradient(row, &over, &v, a);
            for (int i = 0; i < row->size; i++) {
                int side = 0, at = row->index[i] - x->closures->coupled[c->side[0]].q;
                if (at < 0 || at >= FRAME) {
                    side = 1;
                    at = row->index[i] - x->closures->coupled[c->side[1]].q;
                }
                x->closures->coupled[c->side[side]].force[at / LANES][at % LANES] += factor * a[i];
            }
        }
    }
    load_forces(x);
}

/* What body `position` adds to G dt_0, by the rows that it passed to its parent: its gap, and the
 * numbers rho_0 of its degrees of freedom. */
static lane value_of_body(const olo_packs *x, int position, int dofs, int groups, const lane *eta,
                          const bundle *G)
{
    const slots *at = &x->slots[position / LANES];
    const int l = position % LANES, rotations = stages_of_rotation(at->rotation[l]);
    const body *b = x->bodies + position;
    const bool all = at->rotation[l] == OLO_ROTATION_ALL;
    lane value = lane_all(0.0);
    if (at->free[l]) {
        for (int n = 0; n < 6; n++)
            value += b->twist[n / 3][n % 3] * eta[n * groups];
        return value;
    }
    /* degrees of freedom in the order of their elimination */
    const stage *of = x->stages + at->stage[l];
    const bool lever = at->staged[l] && at->lever[l];
    const int turns = all                       ? 3
                      : lever || !at->staged[l] ? 1
                                                : rotations,
              slides = at->staged[l] ? __builtin_popcount(at->slides[l]) : 0;
    of += at->staged[l] && (lever || all) ? 1 : 0;
    for (int n = 0; n < dofs; n++) {
        const int turn = lever ? n - slides : n;
        double rho;
        if (turn >= 0 && turn < turns)
            rho = all ? b->twist[1][turn] : at->staged[l] && !lever ? of[n].y[0][3] : b->y[0][3];
        else
            rho = of[lever || !all ? n : n - 3].y[0][3];
        value -= rho * eta[n * groups];
    }
    /* the gap, and the arm that the rows have been moved along */
    const lane e_w = all ? lane_all(0.0) : b->twist[1],
               e = b->twist[0] - vector_cross(e_w, b->arm1);
    for (int k = 0; k < 3; k++)
        value += e[k] * G->upper.x[k] + e_w[k] * G->lower.x[k];
    return value;
}

#endif
