/* Packs of four terms: which terms are evaluated together, and their laws. */
#include "system/term_pack.h"

#include <string.h>

/* The terms that may be grouped. */
typedef struct candidates {
    const olo_term *terms;
    const int *pieces;
    const olo_vector_square *squares;
} candidates;

static const olo_term *term_of(const candidates *x, int i)
{
    return &x->terms[x->pieces[i]];
}

static bool have_same_nodes(const olo_vector_square *a, const olo_vector_square *b)
{
    return a->nodes == b->nodes && a->turns[0] == b->turns[0] && a->turns[1] == b->turns[1];
}

static bool belong_together(const candidates *x, int i, int j)
{
    const olo_term *a = term_of(x, i), *b = term_of(x, j);
    if (a->invariants != b->invariants || a->law != b->law)
        return false;
    return a->invariants ? a->size == b->size : have_same_nodes(&x->squares[i], &x->squares[j]);
}

static const olo_pack_kernels *kernels_of(const olo_term *term)
{
    if (term->invariants)
        return term->invariants->kernels(false);
    return olo_square_kernels_wide && olo_lanes_are_wide() ? olo_square_kernels_wide
                                                           : &olo_square_kernels_plain;
}

/* Sets lane l of a pack to term i. */
static void set_lane(const candidates *x, int i, int l, olo_term_pack *pack)
{
    pack->term[l] = term_of(x, i);
    pack->piece[l] = x->pieces[i];
    pack->data[l] = pack->term[l]->invariants ? pack->term[l]->data : &x->squares[i];
}

/* Appends term i to the last of `count` packs, or to a new one. Returns their number. */
static int append(const candidates *x, int i, bool new_kind, int count, olo_term_pack *packs)
{
    if (new_kind || packs[count - 1].count == LANES) {
        olo_term_pack *pack = &packs[count++];
        *pack = (olo_term_pack){.kernels = kernels_of(term_of(x, i))};
        for (int l = 0; l < LANES; l++)
            set_lane(x, i, l, pack);
    }
    olo_term_pack *pack = &packs[count - 1];
    set_lane(x, i, pack->count++, pack);
    return count;
}

int olo_term_packs(const olo_system *system, int count, const int *pieces,
                   const olo_vector_square *squares, olo_term_pack *packs)
{
    const candidates x = {system->terms, pieces, squares};
    int made = 0;
    for (int i = 0; i < count; i++) {
        /* the first term of each kind collects all others */
        bool known = false;
        for (int j = i - 1; j >= 0 && !known; j--) /* terms of one kind are neighbours */
            known = belong_together(&x, j, i);
        for (int j = i; !known && j < count; j++)
            if (belong_together(&x, i, j))
                made = append(&x, j, j == i, made, packs);
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

/* Stress and energy, term by term. Lanes without a term have no stress. */
static void evaluate_terms(const olo_term_pack *pack, double h, bool tangent, olo_pack_step *step)
{
    const int k = pack->term[0]->forms, entries = tangent ? k * k : 0;
    for (int i = 0; i < k; i++)
        step->s[i] = lane_all(0);
    for (int i = 0; i < entries; i++)
        step->s1[i] = lane_all(0);
    for (int l = 0; l < pack->count; l++) {
        const olo_term *term = pack->term[l];
        double e[OLO_LAW_INVARIANTS_MAX], de[OLO_LAW_INVARIANTS_MAX];
        olo_law_over law;
        for (int i = 0; i < k; i++) {
            e[i] = step->e[i][l];
            de[i] = step->de[i][l];
        }
        olo_law_input input = {.law = term->law,
                               .k = k,
                               .e0 = e,
                               .de = de,
                               .h = h,
                               .c = term->coefficient,
                               .context = term->context};
        step->energy[l] = step->midpoint ? evaluate_at(term, &input, tangent, &law)
                                         : evaluate_over(term, &input, tangent, &law);
        for (int i = 0; i < k; i++)
            step->s[i][l] = law.s[i];
        for (int i = 0; i < entries; i++)
            step->s1[i][l] = law.s1[i];
    }
}

void olo_term_pack_stress(const olo_term_pack *pack, const olo_evaluation *how,
                          const olo_interval *x, bool tangent, olo_pack_step *step)
{
    const olo_pack_kernels *kernels = pack->kernels;
    step->midpoint = how->midpoint && !pack->term[0]->law->dissipative;
    step->h = x->h;
    kernels->over(pack, x, step);
    if (!kernels->stress || !kernels->stress(pack, tangent, step))
        evaluate_terms(pack, x->h, tangent, step);
}

void olo_term_pack_evaluate(const olo_term_pack *pack, const olo_evaluation *how,
                            const olo_interval *x, bool tangent, const olo_pack_balance *balance,
                            olo_pack_step *step)
{
    olo_term_pack_stress(pack, how, x, tangent, step);
    pack->kernels->push(pack, step, balance);
}
