/* Packs of four terms: which terms are evaluated together, and their laws. */
#include "system/term_pack.h"

#include <string.h>

static bool belong_together(const olo_term *a, const olo_term *b)
{
    return a->invariants == b->invariants && a->law == b->law && a->size == b->size;
}

/* Appends a term to the last of `count` packs, or to a new one. Returns their number. */
static int append(const olo_system *system, int piece, bool new_kind, int count,
                  olo_term_pack *packs)
{
    const olo_term *term = &system->terms[piece];
    if (new_kind || packs[count - 1].count == LANES) {
        olo_term_pack *pack = &packs[count++];
        *pack = (olo_term_pack){.kernels = term->invariants->kernels(false)};
        for (int l = 0; l < LANES; l++) {
            pack->term[l] = term;
            pack->piece[l] = piece;
        }
    }
    olo_term_pack *pack = &packs[count - 1];
    pack->term[pack->count] = term;
    pack->piece[pack->count++] = piece;
    return count;
}

int olo_term_packs(const olo_system *system, int count, const int *pieces, olo_term_pack *packs)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        /* the first term of each kind collects all others */
        const olo_term *first = &system->terms[pieces[i]];
        bool known = false;
        for (int j = 0; j < made && !known; j++)
            known = belong_together(packs[j].term[0], first);
        for (int j = i; !known && j < count; j++)
            if (belong_together(&system->terms[pieces[j]], first))
                made = append(system, pieces[j], j == i, made, packs);
    }
    return made;
}

/* The law at the midpoint; ds/de1 is half of ds/de. Returns the energy. */
static double evaluate_at(const olo_term *term, const olo_law_input *x, bool tangent,
                          olo_law_over *law)
{
    olo_law_at at;
    term->law->at(x, tangent ? OLO_LAW_FIRST : OLO_LAW_VALUE, false, &at);
    for (int k = 0; k < term->forms; k++)
        law->s[k] = at.g[k];
    for (int k = 0; tangent && k < term->forms * term->forms; k++)
        law->s1[k] = 0.5 * at.gg[k];
    return at.f;
}

/* The law over the step; the end values of the invariants are formed from their differences.
 * Returns the energy difference. */
static double evaluate_over(const olo_term *term, olo_law_input *x, bool tangent, olo_law_over *law)
{
    double e1[OLO_LAW_INVARIANTS_MAX], energy = 0;
    for (int k = 0; k < term->forms; k++)
        e1[k] = x->e0[k] + x->de[k];
    x->e1 = e1;
    term->law->over(x, tangent ? OLO_LAW_FIRST : OLO_LAW_VALUE, false, law);
    for (int k = 0; k < term->forms; k++)
        energy += law->s[k] * x->de[k];
    return energy;
}

void olo_term_pack_evaluate(const olo_term_pack *pack, const olo_evaluation *how,
                            const olo_interval *x, bool tangent, const olo_pack_balance *balance,
                            olo_pack_step *step)
{
    const olo_law *law = pack->term[0]->law;
    olo_pack_invariants e, de;
    step->midpoint = how->midpoint && !law->dissipative;
    step->energy = 0;
    pack->kernels->over(pack, x, step, e, de);
    for (int l = 0; l < LANES; l++) {
        const olo_term *term = pack->term[l];
        olo_law_input input = {.k = term->forms,
                               .e0 = e[l],
                               .de = de[l],
                               .h = x->h,
                               .c = term->coefficient,
                               .context = term->context};
        const double energy =
            (step->midpoint ? evaluate_at(term, &input, tangent, &step->law[l])
                            : evaluate_over(term, &input, tangent, &step->law[l]));
        step->energy += l < pack->count && !law->dissipative ? energy : 0;
    }
    pack->kernels->push(pack, step, balance);
}
