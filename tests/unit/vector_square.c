/* Squares of vectors: which terms have them, and four such terms at once. Forces and tangents are
 * those of the forms, which another code evaluates (unit/term.c compares it with the definition),
 * projected here with the velocities of the nodes. */
#include "scene.h"

#include "kinematics/topology.h"
#include "system/term_pack.h"

enum { COUNT = LANES, SIZE = 24, MOST = 200 };

/* Springs and dampers of both types between points, bodies, a body and a point in both orders, and
 * the ground. */
static const char model[] =
    "points: [{name: p, mass: 1, position: [0.3, 1, 2]}, {name: q, mass: 2, position: [1, 3, 2]}]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 2, 2.5], position: [4, 0.3, 0.2],\n"
    "     rotation: {axis: [1, 0, 1], angle: 1}}\n"
    "  - {name: b, mass: 1, inertia: [1, 2, 2.5], position: [1, 5, 0.2]}\n"
    "springs:\n"
    "  - {between: [p, q], stiffness: 30, length: 1.5, damping: 2}\n"
    "  - {between: [q, p], type: linear, stiffness: 20, offset: [0.1, 0.2, 0.3]}\n"
    "  - {between: [p, [1, 2, 3]], stiffness: 30, length: 1.5}\n"
    "  - {between: [p, {on: a, at: [0.3, -0.2, 0.7]}], stiffness: 3, length: 0.5, damping: 2}\n"
    "  - {between: [{on: b, at: [0.3, 0, 0.7]}, q], stiffness: 3, length: 0.5}\n"
    "  - {between: [{on: b, at: [0.3, 1, 0.7]}, a], stiffness: 3, length: 0.5, damping: 1}\n"
    "  - {between: [{on: a, at: [1, 1, 0]}, b], stiffness: 4, length: 2, damping: 1}\n"
    "  - {between: [{on: a, at: [1, 0, 0]}, {on: b, at: [0, 0, 1]}], stiffness: 5}\n"
    "  - {between: [[1, 2, 0], {on: b, at: [0, 0.4, 1]}], type: linear, stiffness: 5}\n";

/* A random step of the model, with terms as squares. */
typedef struct sample {
    scene s;
    double q1[MOST], qm[MOST], dq[MOST];
    olo_interval step;
    int count, pieces[MOST];
    olo_vector_square squares[MOST];
} sample;

static sample sample_open(unsigned long long seed)
{
    sample x = {.s = scene_open(model, "reduced")};
    const olo_system *s = x.s.system;
    assert_true(s->n <= MOST);
    for (int i = 0; i < s->n; i++) {
        x.s.state->q[i] += 0.2 * scene_random(&seed);
        x.dq[i] = 0.3 * scene_random(&seed);
        x.qm[i] = x.s.state->q[i] + 0.5 * x.dq[i];
        x.q1[i] = x.s.state->q[i] + x.dq[i];
    }
    for (int i = 0; i < s->term_count; i++)
        if (olo_vector_square_of(s, &s->terms[i], &x.squares[x.count]))
            x.pieces[x.count++] = i;
    return x;
}

static const olo_interval *interval_of(sample *x)
{
    x->step = (olo_interval){.q0 = x->s.state->q, .q1 = x->q1, .qm = x->qm, .dq = x->dq, .h = 0.1};
    return &x->step;
}

TEST(springs_and_dampers_are_squares)
{
    sample x = sample_open(3);
    const olo_system *s = x.s.system;
    check_equal(13, s->term_count);
    check_equal(s->term_count, x.count);
    for (int i = 0; i < x.count; i++) {
        const olo_vector_square *square = &x.squares[i];
        double r[3], e = olo_form_value(s->terms[x.pieces[i]].form, x.qm);
        memcpy(r, square->constant, sizeof r);
        for (int a = 0; a < square->nodes; a++)
            for (int v = 0; v < (square->turns[a] ? 4 : 1); v++)
                for (int k = 0; k < 3; k++)
                    r[k] += square->c[a][v] * x.qm[square->q[a] + 3 * v + k];
        check_close(0.5 * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), e, 1e-13 * (1 + e));
    }
    scene_close(&x.s);
}

/* A changed number makes another form of it: a factor of a product, of the linear part, or the
 * constant. */
TEST(other_forms_are_no_squares)
{
    sample x = sample_open(3);
    const olo_system *s = x.s.system;
    for (int i = 0; i < x.count; i++) {
        olo_term term = s->terms[x.pieces[i]];
        const olo_form *given = term.form;
        olo_form form = *given;
        olo_product product[MOST];
        double b[MOST];
        olo_vector_square square;
        assert_true(form.products <= MOST && form.size <= MOST);
        term.form = &form;
        form.product = product;
        form.b = b;
        for (int p = 0; p < form.products + form.size + 1; p++) {
            memcpy(product, given->product, (size_t)form.products * sizeof *product);
            memcpy(b, given->b, (size_t)form.size * sizeof *b);
            form.c = given->c;
            check_true(olo_vector_square_of(s, &term, &square));
            if (p < form.products)
                product[p].a *= 1 + 1e-13;
            else if (p < form.products + form.size)
                b[p - form.products] += 1e-13;
            else
                form.c += 1e-12;
            check_true(!olo_vector_square_of(s, &term, &square));
        }
    }
    scene_close(&x.s);
}

/* The sum of the forces of the packs, and the blocks of each term. */
typedef struct result {
    double T[MOST], scale, energy;
    double block[MOST][4][36];
} result;

/* With packs of up to `most` terms. */
static void evaluate(sample *x, const olo_evaluation *how, int most, bool plain, result *out)
{
    static olo_pack_step step;
    const olo_pack_balance balance = {.factor = 0.7, .T = out->T, .scale = &out->scale};
    olo_term_pack packs[MOST];
    memset(out, 0, sizeof *out);
    for (int first = 0; first < x->count; first += most) {
        const int count = x->count - first < most ? x->count - first : most,
                  made = olo_term_packs(x->s.system, count, x->pieces + first, x->squares + first,
                                        packs);
        for (int k = 0; k < made; k++) {
            double *address[LANES][4];
            double *const *block[LANES];
            for (int l = 0; l < LANES; l++) {
                for (int j = 0; j < 4; j++)
                    address[l][j] = out->block[packs[k].piece[l]][j];
                block[l] = address[l];
            }
            if (plain)
                packs[k].kernels = &olo_square_kernels_plain;
            olo_term_pack_evaluate(&packs[k], how, interval_of(x), true, &balance, &step);
            packs[k].kernels->add_twist_tangent(&packs[k], &step, 0.7, how->midpoint, block);
            for (int l = 0; l < packs[k].count; l++)
                out->energy += step.energy[l];
        }
    }
}

/* Column j of P_int of a node, in the coordinates of the whole configuration. */
static void unit_velocity(const olo_node *node, const double *q, int j, double *v)
{
    double twist[OLO_NODE_TWIST_MAX] = {0};
    memset(v, 0, MOST * sizeof *v);
    twist[j] = 1;
    node->type->velocity(q + node->q, twist, v + node->q);
}

/* The block of two nodes of a term from its matrix in coordinates. */
static void check_block(const sample *x, const olo_term *term, const double *K, const double *left,
                        const olo_node *a, const olo_node *b, const double *block)
{
    double va[MOST], vb[MOST];
    for (int i = 0; i < a->twist; i++)
        for (int j = 0; j < b->twist; j++) {
            double sum = 0;
            unit_velocity(a, left, i, va);
            unit_velocity(b, x->q1, j, vb);
            for (int k = 0; k < term->size; k++)
                for (int l = 0; l < term->size; l++)
                    sum += va[term->index[k]] * K[k * term->size + l] * vb[term->index[l]];
            check_close(0.7 * sum, block[i * b->twist + j], 1e-12 * (100 + fabs(sum)));
        }
}

static void check_term(sample *x, const olo_evaluation *how, int i, const result *out,
                       double *expected, double *energy)
{
    const olo_system *s = x->s.system;
    const olo_term *term = &s->terms[x->pieces[i]];
    const olo_coupling *coupling = s->topology->couplings[x->pieces[i]];
    double r[SIZE], K[SIZE * SIZE];
    const double own = olo_evaluate_term(how, term, interval_of(x), r, K);
    *energy += own;
    for (int k = 0; k < term->size; k++)
        expected[term->index[k]] += 0.7 * r[k];
    for (int a = 0; a < coupling->nodes; a++)
        for (int b = 0; b < coupling->nodes; b++)
            check_block(x, term, K, how->midpoint ? x->s.state->q : x->qm,
                        &s->nodes[coupling->node[a]], &s->nodes[coupling->node[b]],
                        out->block[x->pieces[i]][a * coupling->nodes + b]);
}

/* Both schemes: the discrete gradient with the left pair at the midpoint, and the gradient at the
 * midpoint with the left pair at q0. */
TEST(forces_and_tangents_are_those_of_the_forms)
{
    static result out;
    for (unsigned long long seed = 1; seed < 5; seed++)
        for (int midpoint = 0; midpoint < 2; midpoint++) {
            const olo_evaluation how = {.midpoint = midpoint};
            sample x = sample_open(seed);
            double expected[MOST] = {0}, energy = 0, largest = 0;
            evaluate(&x, &how, MOST, false, &out);
            for (int i = 0; i < x.count; i++)
                check_term(&x, &how, i, &out, expected, &energy);
            for (int i = 0; i < x.s.system->n; i++) {
                check_close(expected[i], out.T[i], 1e-12);
                largest = fmax(largest, fabs(out.T[i]));
            }
            check_close(energy, out.energy, 1e-12 * (1 + fabs(energy)));
            check_true(out.scale > 0.2 * largest);
            scene_close(&x.s);
        }
}

TEST(packs_have_the_same_bits_on_every_processor_and_for_single_terms)
{
    static result all, plain, single;
    sample x = sample_open(9);
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        const olo_evaluation how = {.midpoint = midpoint};
        evaluate(&x, &how, MOST, false, &all);
        evaluate(&x, &how, MOST, true, &plain);
        evaluate(&x, &how, 1, false, &single);
        check_true(memcmp(&all, &plain, sizeof all) == 0);
        check_true(memcmp(all.block, single.block, sizeof all.block) == 0);
        check_true(all.scale == single.scale);
    }
    scene_close(&x.s);
}

TEST(nan_raises_the_scale)
{
    static result out;
    sample x = sample_open(9);
    x.dq[1] = NAN;
    evaluate(&x, &(olo_evaluation){.midpoint = false}, MOST, false, &out);
    check_true(isnan(out.scale));
    scene_close(&x.s);
}

TEST_MAIN(cmocka_unit_test(springs_and_dampers_are_squares),
          cmocka_unit_test(other_forms_are_no_squares),
          cmocka_unit_test(forces_and_tangents_are_those_of_the_forms),
          cmocka_unit_test(packs_have_the_same_bits_on_every_processor_and_for_single_terms),
          cmocka_unit_test(nan_raises_the_scale))
