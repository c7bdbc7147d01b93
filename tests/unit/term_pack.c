/* Terms of strains, four at once: their forces are those of the single terms to the last bit, their
 * tangents those of a pack with a single term; and both are the same in plain code and with
 * registers of four numbers. (unit/strain.c compares them with independent forms.) */
#include "test.h"

#include "system/strain.h"
#include "system/term_pack.h"

enum { NODES = OLO_STRAIN_NODES_MAX, SIZE = 12 * NODES, COUNT = LANES, ALL = COUNT * SIZE };

static double any(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* Up to four terms that share one node, the last of one and the first of the next. */
typedef struct sample {
    olo_strain strain[COUNT];
    olo_term term[COUNT];
    int index[COUNT][SIZE];
    double c[COUNT][OLO_LAW_COEFFICIENTS_MAX], turn[COUNT][NODES][9];
    double q0[ALL], q1[ALL], qm[ALL], dq[ALL], remainder[ALL];
    olo_interval step;
    olo_system system;
} sample;

static void set_term(sample *x, int l, int nodes, bool turned, const olo_law *law,
                     unsigned long long *seed)
{
    olo_strain *s = &x->strain[l];
    *s = (olo_strain){.count = law->invariants, .weight = 0.3};
    for (int a = 0; a < nodes; a++) {
        olo_strain_use_frame(s, 12 * (l * (nodes - 1) + a));
        s->N[a] = any(seed);
        s->dN[a] = any(seed);
        for (int i = 0; i < 9; i++)
            x->turn[l][a][i] = any(seed);
        s->turn[a] = turned && (a + l) % 2 == 0 ? x->turn[l][a] : NULL;
        for (int i = 0; i < 12; i++)
            x->index[l][12 * a + i] = s->position[a] + i;
    }
    for (int k = 0; k < s->count; k++)
        s->reference[k] = any(seed);
    s->reference[OLO_STRAINS] -= 4; /* laws of rods divide by this invariant */
    for (int k = 0; k < OLO_LAW_COEFFICIENTS_MAX; k++)
        x->c[l][k] = 1.5 + any(seed);
    x->term[l] = (olo_term){.law = law,
                            .coefficient = x->c[l],
                            .forms = s->count,
                            .invariants = &olo_strain_invariants,
                            .data = s,
                            .size = 12 * nodes,
                            .index = x->index[l]};
}

static void sample_set(sample *x, int nodes, bool turned, const olo_law *law,
                       unsigned long long seed)
{
    for (int l = 0; l < COUNT; l++)
        set_term(x, l, nodes, turned, law, &seed);
    for (int i = 0; i < ALL; i++) {
        x->q0[i] = any(&seed);
        x->dq[i] = 0.3 * any(&seed);
        x->qm[i] = x->q0[i] + 0.5 * x->dq[i];
        x->q1[i] = x->q0[i] + x->dq[i];
        x->remainder[i] = 1e-3 * any(&seed);
    }
    x->step = (olo_interval){.q0 = x->q0,
                             .q1 = x->q1,
                             .qm = x->qm,
                             .dq = x->dq,
                             .h = 0.1,
                             .remainder = seed % 2 ? x->remainder : NULL};
    x->system = (olo_system){.terms = x->term, .term_count = COUNT};
}

static void each_sample(void (*check)(sample *x, const olo_evaluation *how))
{
    static const olo_law *const laws[] = {&olo_law_elastic, &olo_law_elastic_coupled,
                                          &olo_law_strain_rate, &olo_law_rod_elastic,
                                          &olo_law_rod_elastic_coupled};
    static sample x;
    for (int nodes = 2; nodes <= NODES; nodes++)
        for (int turned = 0; turned < 2; turned++)
            for (int law = 0; law < (nodes == 2 ? 5 : 3); law++) /* rods have two nodes */
                for (unsigned long long seed = 1; seed <= 4; seed++)
                    for (int midpoint = 0; midpoint < 2; midpoint++) {
                        sample_set(&x, nodes, turned, laws[law], seed);
                        check(&x, &(olo_evaluation){.midpoint = midpoint});
                    }
}

/* What packs add: forces, and the blocks of each term. */
typedef struct result {
    double T[ALL], scale, energy;
    double block[COUNT][NODES * NODES][36];
} result;

/* The terms `first` to `first + count` in one pack. */
static void evaluate(const sample *x, const olo_evaluation *how, int first, int count, bool plain,
                     result *out)
{
    static olo_pack_step step;
    const int pieces[COUNT] = {first, first + 1, first + 2, first + 3};
    double *address[COUNT][NODES * NODES];
    double *const *block[LANES];
    const olo_pack_balance balance = {.factor = 0.7, .T = out->T, .scale = &out->scale};
    olo_term_pack pack;
    check_equal(1, olo_term_packs(&x->system, count, pieces, NULL, &pack));
    check_equal(count, pack.count);
    pack.kernels = pack.term[0]->invariants->kernels(plain);
    for (int l = 0; l < COUNT; l++)
        for (int k = 0; k < NODES * NODES; k++)
            address[l][k] = out->block[l][k];
    for (int l = 0; l < LANES; l++)
        block[l] = address[pack.piece[l]];
    olo_term_pack_evaluate(&pack, how, &x->step, true, &balance, &step);
    pack.kernels->add_twist_tangent(&pack, &step, 0.7, how->midpoint, block);
    for (int l = 0; l < count; l++)
        out->energy += step.energy[l];
}

static void as_single_terms(sample *x, const olo_evaluation *how)
{
    static result pack, single;
    for (int count = 1; count <= COUNT; count++) {
        double expected[ALL] = {0}, energy = 0;
        memset(&pack, 0, sizeof pack);
        memset(&single, 0, sizeof single);
        evaluate(x, how, 0, count, false, &pack);
        for (int l = 0; l < count; l++) {
            double r[SIZE], own;
            olo_law_over law;
            (void)olo_evaluate_stress(how, &x->term[l], &x->step, r, &law, &own);
            for (int i = 0; i < x->term[l].size; i++)
                expected[x->index[l][i]] += 0.7 * r[i];
            energy += own;
            evaluate(x, how, l, 1, false, &single);
        }
        /* sums of two terms at shared nodes do not depend on their order */
        check_true(memcmp(expected, pack.T, sizeof expected) == 0);
        check_true(memcmp(single.T, pack.T, sizeof pack.T) == 0);
        check_true(memcmp(single.block, pack.block, sizeof pack.block) == 0);
        check_true(single.scale == pack.scale);
        check_close(energy, pack.energy, 1e-14 * (1 + fabs(energy)));
    }
}

TEST(forces_and_tangents_of_a_pack_are_those_of_its_terms)
{
    each_sample(as_single_terms);
}

static void as_plain_code(sample *x, const olo_evaluation *how)
{
    static result wide, plain;
    memset(&wide, 0, sizeof wide);
    memset(&plain, 0, sizeof plain);
    evaluate(x, how, 0, COUNT, false, &wide);
    evaluate(x, how, 0, COUNT, true, &plain);
    check_true(memcmp(&wide, &plain, sizeof wide) == 0);
}

TEST(packs_have_the_same_bits_on_every_processor)
{
    each_sample(as_plain_code);
}

/* Terms in any order: packs of four with equal law and number of nodes. */
TEST(packs_contain_equal_terms)
{
    static sample linear, quadratic;
    static olo_term term[3 * COUNT];
    int pieces[3 * COUNT], count = 0;
    olo_term_pack pack[3 * COUNT];
    sample_set(&linear, 2, false, &olo_law_elastic, 1);
    sample_set(&quadratic, 3, false, &olo_law_elastic, 2);
    for (int l = 0; l < COUNT; l++) {
        term[count++] = linear.term[l];
        term[count++] = quadratic.term[l];
        term[count] = linear.term[l];
        term[count++].law = &olo_law_strain_rate;
    }
    const olo_system system = {.terms = term, .term_count = count};
    for (int i = 0; i < count; i++)
        pieces[i] = i;
    check_equal(3, olo_term_packs(&system, count, pieces, NULL, pack));
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++)
            check_equal(k + 3 * l, pack[k].piece[l]);
    /* without the last term a lane is unused, and is a copy of the first */
    check_equal(3, olo_term_packs(&system, count - 1, pieces, NULL, pack));
    check_equal(3, pack[2].count);
    check_equal(pack[2].piece[0], pack[2].piece[3]);
}

/* A force that is no number is seen in the scale. */
TEST(nan_raises_the_scale)
{
    static sample x;
    static result out;
    memset(&out, 0, sizeof out);
    sample_set(&x, 2, false, &olo_law_elastic, 3);
    x.dq[14] = NAN;
    evaluate(&x, &(olo_evaluation){.midpoint = false}, 0, COUNT, false, &out);
    check_true(isnan(out.scale));
}

TEST_MAIN(cmocka_unit_test(forces_and_tangents_of_a_pack_are_those_of_its_terms),
          cmocka_unit_test(packs_have_the_same_bits_on_every_processor),
          cmocka_unit_test(packs_contain_equal_terms), cmocka_unit_test(nan_raises_the_scale))
