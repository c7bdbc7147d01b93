/* The algebra of lower pairs and of chains of them, without time steps (multibody-null-space, 11.1
 * items 2 to 5, 7 and 8): constraint Jacobian and discrete null space, nodal update, ranks,
 * arrangements for which the rows of the sources are dependent, closed forms of chains, derivative
 * of the update. */
#include "joined.h"
#include "walk.h"

#include "rank.h"

/* A random increment of every joint, up to `size` radians and lengths per component. */
static void walk_move_by(walk *w, double size, unsigned long long *seed)
{
    olo_motion_begin(w->tree, &w->x);
    for (int i = 0; i < w->tree->unknowns; i++)
        w->x.u[i] = size * scene_random(seed);
    olo_motion_move(w->tree, &w->x);
}

static void walk_move(walk *w, unsigned long long *seed)
{
    walk_move_by(w, 0.5, seed);
}

/* The end of the step becomes the start of the next one. */
static void walk_on(walk *w)
{
    memcpy(w->q0, w->x.q1, (size_t)w->s.system->n * sizeof *w->q0);
}

/* All of G at q, m x n; owned by the caller. */
static double *jacobian(const olo_system *s, const double *q)
{
    double gradient[OLO_FORM_SIZE_MAX];
    double *G = olo_alloc((size_t)s->m * (size_t)s->n, sizeof *G);
    for (int c = 0; c < s->m; c++) {
        const olo_form *form = s->constraints[c].form;
        olo_form_gradient(form, q, gradient);
        for (int i = 0; i < form->size; i++)
            G[c * s->n + form->index[i]] = gradient[i];
    }
    return G;
}

/* P^T, unknowns x n, between q0 and q1 or at q1; owned by the caller. */
static double *null_space(walk *w, bool discrete)
{
    double *P = olo_alloc((size_t)w->tree->unknowns * (size_t)w->s.system->n + 1, sizeof *P);
    olo_null_space_at(w->space, &w->x, discrete);
    olo_null_space_matrix(w->space, P);
    return P;
}

/* Largest |G P| with G at q and P as given. */
static double product(const walk *w, const double *q, const double *P)
{
    const olo_system *s = w->s.system;
    double *G = jacobian(s, q), largest = 0;
    for (int c = 0; c < s->m; c++)
        for (int j = 0; j < w->tree->unknowns; j++) {
            double sum = 0;
            for (int i = 0; i < s->n; i++)
                sum += G[c * s->n + i] * P[j * s->n + i];
            largest = larger(largest, fabs(sum));
            check_true(isfinite(sum));
        }
    olo_free(G);
    return largest;
}

static int rank_of(int rows, int columns, double *matrix)
{
    int rank = rows && columns ? matrix_rank(rows, columns, matrix, 1e-9) : 0;
    olo_free(matrix);
    return rank;
}

/* Items 2 and 4 of a model that is a forest, along a random walk. */
static void check_algebra(const joined *bodies, unsigned long long *seed)
{
    walk w = walk_open(joined_open(bodies, "reduced"));
    const olo_system *s = w.s.system;
    check_equal(0, w.tree->closure_count);
    check_equal(bodies->dofs, w.tree->unknowns);
    check_equal(s->n - s->m, w.tree->unknowns);
    for (int k = 0; k < 8; k++) {
        walk_move(&w, seed);
        /* at q1, between q0 and q1, and at q0, which some schemes use */
        for (int where = 0; where < 3; where++) {
            const double *const configurations[] = {w.x.q1, w.x.qm, w.x.q0};
            w.x.left = where == 2 ? w.x.q0 : NULL;
            double *P = null_space(&w, where > 0);
            check_below(product(&w, configurations[where], P), 1e-13);
            check_equal(w.tree->unknowns, rank_of(w.tree->unknowns, s->n, P));
        }
        w.x.left = NULL;
        for (int c = 0; c < s->m; c++) {
            const olo_form *form = s->constraints[c].form;
            check_close(0, olo_form_value(form, w.x.q1), 1e-13);
            check_close(0, form_difference(form, &w.x), 1e-13);
        }
        check_equal(s->m, rank_of(s->m, s->n, jacobian(s, w.x.q1)));
        walk_on(&w);
    }
    walk_close(&w);
}

/* --- one pair --- */

/* The arrangement of a pair: which body is named first (the axes are fixed in it), and from which
 * the tree starts. */
typedef enum placement { BODIES, REVERSED, ON_GROUND, GROUND_SECOND, PLACEMENTS } placement;

/* The pair of an arrangement; its axis is director `along` of its second body if that is 1, 2,
 * 3. */
static joined one_pair(const pair_kind *kind, placement p, int along, unsigned long long seed)
{
    joined x = joined_create(seed);
    bool grounded = p == ON_GROUND || p == GROUND_SECOND;
    int a = grounded ? GROUND : joined_body(&x, NULL, NULL), b = joined_body(&x, NULL, NULL);
    int first = p == REVERSED || p == GROUND_SECOND ? b : a, second = first == a ? b : a;
    const double *R = x.rotation[second == GROUND ? first : second];
    double axis[3] = {0};
    for (int i = 0; along && i < 3; i++)
        axis[i] = R[3 * i + along - 1];
    joined_pair(&x, kind, first, second, along ? axis : NULL, 0.5);
    return x;
}

/* With any axis and with each director as axis: 11.1.2, 11.1.4, and 11.1.5 for the chosen rows. */
TEST(every_pair_has_its_discrete_null_space)
{
    unsigned long long seed = 21;
    for (int k = 0; k < PAIRS; k++)
        for (placement p = BODIES; p < PLACEMENTS; p++)
            for (int along = 0; along <= 3; along++) {
                joined x =
                    one_pair(&pairs[k], p, along, 100 + 16 * (unsigned)k + 4 * p + (unsigned)along);
                check_algebra(&x, &seed);
                joined_free(&x);
            }
}

/* Also for the rows of cylindrical and planar pairs, for which the printed updates of the sources
 * leave a gap of second order. */
TEST(one_update_of_a_pair_leaves_no_gap)
{
    unsigned long long seed = 29;
    for (int k = 0; k < PAIRS; k++)
        for (placement p = BODIES; p < PLACEMENTS; p++) {
            joined x = one_pair(&pairs[k], p, 0, 150 + (unsigned)k);
            walk w = walk_open(joined_open(&x, "reduced"));
            for (int i = 0; i < 50; i++) {
                walk_move_by(&w, 0.1, &seed);
                for (int c = 0; c < w.s.system->m; c++)
                    check_close(0, olo_form_value(w.s.system->constraints[c].form, w.x.q1), 1e-14);
            }
            walk_close(&w);
            joined_free(&x);
        }
}

TEST(unknowns_of_the_pairs)
{
    for (int k = 0; k < PAIRS; k++)
        for (placement p = BODIES; p < PLACEMENTS; p++) {
            bool grounded = p == ON_GROUND || p == GROUND_SECOND;
            joined x = one_pair(&pairs[k], p, 0, 200 + (unsigned)k);
            scene s = joined_open(&x, "multipliers");
            olo_counts counts;
            olo_error error = {0};
            check_ok(olo_system_counts(s.system, &counts, &error), &error);
            check_equal(6, pairs[k].rows + pairs[k].dofs);
            check_equal((grounded ? 6 : 12) + pairs[k].rows, counts.rank);
            check_equal((grounded ? 0 : 6) + pairs[k].dofs, counts.degrees_of_freedom);
            check_equal((grounded ? 0 : 6) + pairs[k].dofs, counts.unknowns_reduced);
            check_equal((grounded ? 18 : 36) + pairs[k].rows, olo_stepper_unknown_count(s.stepper));
            scene_close(&s);
            joined_free(&x);
        }
}

/* X_i d_i of body k at q */
static void on_body(const double *q, int k, const double X[3], double out[3])
{
    const double *d = q + 12 * k + 3;
    for (int i = 0; i < 3; i++)
        out[i] = X[0] * d[i] + X[1] * d[3 + i] + X[2] * d[6 + i];
}

/* The triad m1, m2, n of a pair, fixed in body k: its components along the directors at the start.
 */
static void triad_in_body(const joined *x, int joint, int k, double X[9])
{
    double m[9];
    vec3_copy(x->joint[joint].axis, m + 6);
    vec3_transversals(m + 6, m, m + 3);
    for (int i = 0; i < 9; i += 3)
        mat3_transposed_times(x->rotation[k], m + i, X + i);
}

/* Largest |G(qm) P_int(qm) [column; 0]| for a translation of the second body. */
static double violation(const walk *w, const double column[3])
{
    const olo_system *s = w->s.system;
    double *G = jacobian(s, w->x.qm), largest = 0;
    for (int c = 0; c < s->m; c++)
        largest = larger(largest, fabs(vec3_dot(G + c * s->n + 12, column)));
    olo_free(G);
    return largest;
}

/* 11.1.3: where the pair translates, the axes of the midpoint are not orthonormal. With n instead
 * of m1 x m2 (C, P), with m1 instead of m2 x n or m2 instead of n x m1 (E), the constraints are
 * violated. */
TEST(axes_of_the_midpoint_are_no_columns_of_the_null_space)
{
    unsigned long long seed = 22;
    for (const char *letter = "CPELT"; *letter; letter++)
        for (int reversed = 0; reversed < 2; reversed++) {
            const pair_kind *kind = pair_letter(*letter);
            joined x = one_pair(kind, reversed ? REVERSED : BODIES, 0, 300 + (unsigned)*letter);
            walk w = walk_open(joined_open(&x, "reduced"));
            double wrong = 0, right = 0, X[9], m[9];
            triad_in_body(&x, 0, reversed, X);
            for (int i = 0; i < 20; i++) {
                walk_move(&w, &seed);
                for (int k = 0; k < 3; k++)
                    on_body(w.x.qm, reversed, X + 3 * k, m + 3 * k);
                for (int k = 0; k < 3; k++) {
                    double across[3];
                    if (k < 2 ? !kind->across : !kind->along)
                        continue;
                    vec3_cross(m + 3 * ((k + 1) % 3), m + 3 * ((k + 2) % 3), across);
                    right = larger(right, violation(&w, across));
                    wrong = larger(wrong, violation(&w, m + 3 * k));
                }
                walk_on(&w);
            }
            check_below(right, 1e-13);
            check_true(wrong > 1e-3);
            walk_close(&w);
            joined_free(&x);
        }
}

/* --- placements that rows do not survive (11.1.5, sheet 5.6) --- */

/* The rank of G with the last rows, those of the rotation, replaced by d_I of the first body . d_J
 * of the second. */
static int rank_with_rows(const joined *x, int count, double rows[][3], const int *J)
{
    scene s = joined_open(x, "reduced");
    const double *q = olo_state_configuration(s.state);
    int n = s.system->n, m = s.system->m;
    double *G = jacobian(s.system, q);
    for (int k = 0; k < count; k++) {
        double *row = G + (m - count + k) * n, vector[3];
        memset(row, 0, (size_t)n * sizeof *row);
        on_body(q, 0, rows[k], vector);
        for (int I = 0; I < 3; I++)
            vec3_add(rows[k][I], q + 12 + 3 * J[k], row + 3 + 3 * I);
        vec3_copy(vector, row + 12 + 3 * J[k]);
    }
    int rank = rank_of(m, n, G);
    scene_close(&s);
    return rank;
}

/* The rows n . d1, n . d2 of the sources lose one rank where n is along one of these; ours do not.
 */
TEST(the_axis_along_a_director_of_its_rows_loses_one_rank)
{
    for (const char *letter = "RCE"; *letter; letter++)
        for (int along = 0; along <= 3; along++) {
            const pair_kind *kind = pair_letter(*letter);
            joined x = one_pair(kind, BODIES, along, 400 + (unsigned)along);
            double X[9], rows[2][3];
            triad_in_body(&x, 0, 0, X);
            vec3_copy(X + 6, rows[0]);
            vec3_copy(X + 6, rows[1]);
            int lost = along == 1 || along == 2;
            check_equal(12 + kind->rows - lost, rank_with_rows(&x, 2, rows, (const int[]){1, 2}));
            scene s = joined_open(&x, "reduced");
            check_equal(12 + kind->rows,
                        rank_of(s.system->m, s.system->n,
                                jacobian(s.system, olo_state_configuration(s.state))));
            scene_close(&s);
            joined_free(&x);
        }
}

/* The rows d1.d2, d2.d3, d3.d1 of the sources lose three where the frames are permuted cyclically;
 * ours do not. */
TEST(permuted_frames_without_rotation_lose_three_ranks)
{
    unsigned long long seed = 23;
    double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (const char *letter = "PF"; *letter; letter++)
        for (int permuted = 0; permuted < 2; permuted++) {
            const pair_kind *kind = pair_letter(*letter);
            joined x = joined_create(500);
            double R[9];
            int a = joined_body(&x, NULL, NULL);
            /* d1, d2, d3 of the second are d3, d1, d2 of the first, or the same */
            for (int i = 0; i < 9; i++)
                R[i] = x.rotation[a][i - i % 3 + (i % 3 + 2 * permuted) % 3];
            int b = joined_body(&x, NULL, R);
            joined_pair(&x, kind, a, b, NULL, 0.5);
            check_equal(12 + kind->rows - 3 * permuted,
                        rank_with_rows(&x, 3, rows, (const int[]){2, 3, 1}));
            check_algebra(&x, &seed);
            joined_free(&x);
        }
}

#define DOOR                                                                                       \
    "bodies:\n"                                                                                    \
    "  - {name: wall, mass: 5, inertia: [1, 2, 2.5]}\n"                                            \
    "  - {name: door, mass: 2, inertia: [1, 1.5, 2], position: [1, 0.2, 0.3], rotation: {axis: "   \
    "[1, 2, 3], angle: 0.7}}\n"                                                                    \
    "joints:\n"

TEST(redundant_joints_are_counted)
{
#define PAIR(type, at, axis)                                                                       \
    "  - {type: " type ", between: [wall, door], at: " at ", axis: " axis "}\n"
    static const struct {
        const char *text;
        int rows, rank;
    } cases[] = {
        /* the two hinges of a door */
        {DOOR PAIR("revolute", "[0, 0, 1]", "[0, 0, 1]") PAIR("revolute", "[0, 0, 2]", "[0, 0, 1]"),
         10, 5},
        /* hinges that are not aligned lock the motion */
        {DOOR PAIR("revolute", "[0, 0, 1]", "[0, 0, 1]") PAIR("revolute", "[0, 0, 2]", "[0, 1, 1]"),
         10, 6},
        /* two spherical joints act as a hinge, three as a rigid joint */
        {DOOR PAIR("spherical", "[0, 0, 1]", "[1, 0, 0]")
             PAIR("spherical", "[0, 1, 2]", "[1, 0, 0]"),
         6, 5},
        {DOOR PAIR("spherical", "[0, 0, 1]", "[1, 0, 0]") PAIR(
             "spherical", "[0, 1, 2]", "[1, 0, 0]") PAIR("spherical", "[1, 0, 2]", "[1, 0, 0]"),
         9, 6},
        /* after a rigid joint all rows of any other joint are redundant */
        {DOOR PAIR("rigid", "[0, 0, 1]", "[1, 0, 0]") PAIR("spherical", "[0, 1, 2]", "[1, 0, 0]"),
         9, 6},
        {DOOR PAIR("rigid", "[0, 0, 1]", "[1, 0, 0]") PAIR("rigid", "[0, 1, 2]", "[1, 0, 0]"), 12,
         6},
        /* parallel slides; slides in different directions */
        {DOOR PAIR("prismatic", "[0, 0, 1]", "[1, 0, 0]")
             PAIR("cylindrical", "[0, 1, 2]", "[1, 0, 0]"),
         9, 5},
        {DOOR PAIR("prismatic", "[0, 0, 1]", "[1, 0, 0]")
             PAIR("cylindrical", "[0, 1, 2]", "[1, 1, 0]"),
         9, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s = scene_open(cases[i].text, "reduced");
        olo_counts counts;
        olo_error error = {0};
        check_ok(olo_system_counts(s.system, &counts, &error), &error);
        check_equal(12 + cases[i].rows, counts.constraints);
        check_equal(12 + cases[i].rank, counts.rank);
        check_equal(12 - cases[i].rank, counts.degrees_of_freedom);
        scene_close(&s);
    }
}

/* --- chains and trees (11.1.7) --- */

/* A chain from the letters of its pairs. The first is the base: B for a free body, or a pair with
 * the ground. */
static joined chain(const char *letters, unsigned long long seed)
{
    joined x = joined_create(seed);
    for (int k = 0; letters[k]; k++) {
        double position[3];
        joined_vector(&x, 0.6, position);
        if (k > 0)
            vec3_add(1.0, x.position[k - 1], position);
        joined_body(&x, position, NULL);
        if (letters[k] != 'B')
            joined_pair(&x, pair_letter(letters[k]), k - 1, k, NULL, 0.5);
    }
    return x;
}

TEST(chains_of_the_sheet_have_their_discrete_null_space)
{
    static const char *const chains[] = {"BRRRRR", "BPPPPP", "BRPRPR",   "BCESRP",
                                         "SRPCE",  "BSSFRL", "LTECPRSF", "RETLFCSPE"};
    unsigned long long seed = 24;
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++)
        for (unsigned i = 0; i < 3; i++) {
            joined x = chain(chains[k], 600 + i);
            check_algebra(&x, &seed);
            joined_free(&x);
        }
}

TEST(random_trees_have_their_discrete_null_space)
{
    unsigned long long seed = 25;
    for (unsigned k = 0; k < 30; k++) {
        joined x = joined_tree(700 + k, 6 + (int)(k % 4));
        check_algebra(&x, &seed);
        joined_free(&x);
    }
}

/* The largest difference between a column of P, on body k, and that of a twist at q. */
static double column_error(const walk *w, const double *P, int column, int k, const double *q,
                           const double v[3], const double omega[3])
{
    const double *at = P + column * w->s.system->n + 12 * k;
    double largest = 0;
    for (int i = 0; i < 3; i++)
        largest = larger(largest, fabs(at[i] - v[i]));
    for (int I = 3; I < 12; I += 3) {
        double rate[3];
        vec3_cross(omega, q + 12 * k + I, rate);
        for (int i = 0; i < 3; i++)
            largest = larger(largest, fabs(at[I + i] - rate[i]));
    }
    return largest;
}

/* rho^{k,l}: the arm of joint l (1, 2, ...) on body k = l or l - 1 */
static void arm(const joined *x, const double *q, int k, int l, double rho[3])
{
    on_body(q, k, x->joint[l - 1].between[k == l].at, rho);
}

/* g^{a,k} = rho^{a,a} + sum over l = k .. a-1 of rho^{l,l} - rho^{l,l+1} (thesis 6.2.18, its index
 * corrected), or with rho^{l-1,l} as printed */
static void closed_form(const joined *x, const double *q, int a, int k, bool printed, double g[3])
{
    double rho[3];
    arm(x, q, a, a, g);
    for (int l = k; l < a; l++) {
        arm(x, q, l, l, rho);
        vec3_add(1.0, rho, g);
        arm(x, q, printed ? l - 1 : l, printed ? l : l + 1, rho);
        vec3_add(-1.0, rho, g);
    }
}

/* The columns of the base: translations, and rotations about its origin. */
static double base_error(const walk *w, const double *P, const double *q, int a,
                         const double arm_a[3])
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        const double e[3] = {i == 0, i == 1, i == 2}, none[3] = {0};
        double v[3];
        vec3_cross(arm_a, e, v);
        largest = larger(largest, column_error(w, P, i, a, q, e, none));
        largest = larger(largest, column_error(w, P, 3 + i, a, q, v, e));
    }
    return largest;
}

TEST(closed_form_of_a_revolute_chain_equals_the_recursion)
{
    unsigned long long seed = 26;
    joined x = chain("BRRRRRR", 800);
    walk w = walk_open(joined_open(&x, "reduced"));
    double right = 0, wrong = 0;
    for (int discrete = 0; discrete < 2; discrete++) {
        walk_move(&w, &seed);
        double *P = null_space(&w, discrete);
        const double *q = discrete ? w.x.qm : w.x.q1, none[3] = {0};
        double base[3] = {0}, rho[3];
        for (int a = 1; a < x.bodies; a++) {
            arm(&x, q, a, a, rho);
            vec3_add(1.0, rho, base);
            arm(&x, q, a - 1, a, rho);
            vec3_add(-1.0, rho, base);
            right = larger(right, base_error(&w, P, q, a, base));
            for (int k = 1; k < x.bodies; k++) {
                double X[9], n[3], g[3], v[3];
                triad_in_body(&x, k - 1, k - 1, X);
                on_body(q, k - 1, X + 6, n);
                if (k > a) {
                    right = larger(right, column_error(&w, P, 5 + k, a, q, none, none));
                    continue;
                }
                for (int printed = 0; printed < 2; printed++) {
                    closed_form(&x, q, a, k, printed, g);
                    vec3_cross(g, n, v);
                    double *worst = printed ? &wrong : &right;
                    *worst = larger(*worst, column_error(&w, P, 5 + k, a, q, v, n));
                }
            }
        }
        olo_free(P);
        walk_on(&w);
    }
    check_below(right, 1e-14);
    check_true(wrong > 0.1);
    walk_close(&w);
    joined_free(&x);
}

TEST(closed_form_of_a_prismatic_chain_equals_the_recursion)
{
    unsigned long long seed = 27;
    joined x = chain("BPPPPPP", 801);
    walk w = walk_open(joined_open(&x, "reduced"));
    double error = 0;
    for (int discrete = 0; discrete < 2; discrete++) {
        walk_move(&w, &seed);
        double *P = null_space(&w, discrete);
        const double *q = discrete ? w.x.qm : w.x.q1, none[3] = {0};
        for (int a = 1; a < x.bodies; a++) {
            double base[3];
            vec3_subtract(q, q + 12 * a, base);
            error = larger(error, base_error(&w, P, q, a, base));
            for (int k = 1; k < x.bodies; k++) {
                double X[9], m[9], v[3] = {0};
                triad_in_body(&x, k - 1, k - 1, X);
                for (int i = 0; i < 9; i += 3)
                    on_body(q, k - 1, X + i, m + i);
                if (k <= a)
                    vec3_cross(m, m + 3, v); /* at q1 that is n */
                error = larger(error, column_error(&w, P, 5 + k, a, q, v, none));
            }
        }
        olo_free(P);
        walk_on(&w);
    }
    check_below(error, 1e-14);
    walk_close(&w);
    joined_free(&x);
}

/* --- derivative of the nodal update (11.1.8) --- */

/* Spin of a change of a Cayley vector: H da = (da + a x da/2)/(1 + |a|^2/4), which replaces
 * H(theta) of the sheet. */
static void spin_of(const double a[3], const double da[3], double spin[3])
{
    vec3_cross(a, da, spin);
    for (int i = 0; i < 3; i++)
        spin[i] = (da[i] + 0.5 * spin[i]) * cayley_scale(a);
}

/* Z: the joint velocities of node k, those of P(q1), as a function of a change of entry j of its
 * increment. */
static void velocities(const walk *w, int k, int j, double *nu)
{
    const olo_topology_node *t = &w->tree->nodes[k];
    const double *u = w->x.u + t->u;
    int rotations = t->type ? t->joint.rotations : 3, first = t->dof - rotations;
    memset(nu, 0, 6 * sizeof *nu);
    nu[j] = 1;
    if (j < first)
        return;
    if (rotations < 3) { /* about one axis, or about two in succession */
        nu[j] = 1 / (1 + 0.25 * u[j] * u[j]);
        return;
    }
    double spin[3], mid[3], change[3];
    spin_of(u + first, (double[3]){j == first, j == first + 1, j == first + 2}, spin);
    vec3_copy(spin, nu + first);
    if (t->parent >= 0) { /* the increment is relative to the rotation of the parent */
        const double *a = w->x.motion + w->s.system->nodes[t->parent].motion + 3;
        cayley_apply(a, cayley_scale(a), spin, mid, change);
        vec3_add(1.0, change, nu + first);
    }
}

/* Largest difference between the derivative of q1 by u and P(q1) Z; Z is one at u = 0. */
static double update_error(walk *w)
{
    const double eps = 1e-5;
    size_t n = (size_t)w->s.system->n;
    double *P = null_space(w, false), *up = olo_alloc(n, sizeof *up), largest = 0;
    for (int k = 0; k < w->s.system->node_count; k++)
        for (int j = 0; j < w->tree->nodes[k].dof; j++) {
            double nu[6], *u = w->x.u + w->tree->nodes[k].u + j, old = *u;
            velocities(w, k, j, nu);
            *u = old + eps;
            olo_motion_move(w->tree, &w->x);
            memcpy(up, w->x.q1, n * sizeof *up);
            *u = old - eps;
            olo_motion_move(w->tree, &w->x);
            for (size_t i = 0; i < n; i++) {
                double expected = 0;
                for (int l = 0; l < w->tree->nodes[k].dof; l++)
                    expected += nu[l] * P[(size_t)(w->tree->nodes[k].u + l) * n + i];
                largest = larger(largest, fabs(expected - (up[i] - w->x.q1[i]) / (2 * eps)));
            }
            *u = old;
            olo_motion_move(w->tree, &w->x);
        }
    olo_free(up);
    olo_free(P);
    return largest;
}

static void check_derivative(const joined *x, unsigned long long *seed)
{
    walk w = walk_open(joined_open(x, "reduced"));
    walk_move(&w, seed);
    check_below(update_error(&w), 1e-8); /* incremental unknowns */
    walk_on(&w);
    memset(w.x.u, 0, (size_t)w.tree->unknowns * sizeof *w.x.u);
    olo_motion_begin(w.tree, &w.x);
    olo_motion_move(w.tree, &w.x);
    check_below(update_error(&w), 1e-8); /* iterative unknowns */
    walk_close(&w);
}

TEST(derivative_of_the_nodal_update)
{
    unsigned long long seed = 28;
    for (int k = 0; k < PAIRS; k++)
        for (placement p = BODIES; p < PLACEMENTS; p++) {
            joined x = one_pair(&pairs[k], p, 0, 900 + (unsigned)k);
            check_derivative(&x, &seed);
            joined_free(&x);
        }
    for (unsigned k = 0; k < 10; k++) {
        joined x = joined_tree(1000 + k, 7);
        check_derivative(&x, &seed);
        joined_free(&x);
    }
}

/* The right pair alone, for velocities, is that of a step. */
static void check_right_pairs(walk *w)
{
    enum { ENTRIES = OLO_BLOCK_MAX * OLO_BLOCK_MAX };
    const double no_wrench[OLO_NODE_TWIST_MAX] = {0}, rounding = 1e-15;
    for (int k = 0; k < w->s.system->node_count; k++) {
        const olo_topology_node *node = &w->tree->nodes[k];
        double numbers[11][ENTRIES] = {{0}};
        if (!node->type)
            continue;
        const olo_joint_view view = olo_motion_view(w->tree, k, &w->x);
        olo_joint_blocks b = {.A = numbers[0],
                              .A_hat = numbers[1],
                              .B = numbers[2],
                              .B_hat = numbers[3],
                              .Ep = numbers[4],
                              .Ec = numbers[5],
                              .kp = numbers[6],
                              .kc = numbers[7],
                              .ku = numbers[8]};
        const olo_joint_blocks alone = {.A = numbers[9], .B = numbers[10]};
        node->type->blocks(&view, no_wrench, &b, NULL);
        node->type->right(&view, &alone);
        for (int i = 0; i < ENTRIES; i++) {
            check_close(b.A[i], alone.A[i], rounding);
            check_close(b.B[i], alone.B[i], rounding);
        }
    }
}

TEST(the_right_pair_alone_is_that_of_a_step)
{
    unsigned long long seed = 29;
    for (unsigned k = 0; k < 20; k++) {
        joined x = joined_tree(2000 + k, 7);
        walk w = walk_open(joined_open(&x, "reduced"));
        walk_move(&w, &seed);
        check_right_pairs(&w);
        walk_close(&w);
        joined_free(&x);
    }
}

TEST_MAIN(cmocka_unit_test(every_pair_has_its_discrete_null_space),
          cmocka_unit_test(one_update_of_a_pair_leaves_no_gap),
          cmocka_unit_test(unknowns_of_the_pairs),
          cmocka_unit_test(axes_of_the_midpoint_are_no_columns_of_the_null_space),
          cmocka_unit_test(the_axis_along_a_director_of_its_rows_loses_one_rank),
          cmocka_unit_test(permuted_frames_without_rotation_lose_three_ranks),
          cmocka_unit_test(redundant_joints_are_counted),
          cmocka_unit_test(chains_of_the_sheet_have_their_discrete_null_space),
          cmocka_unit_test(random_trees_have_their_discrete_null_space),
          cmocka_unit_test(closed_form_of_a_revolute_chain_equals_the_recursion),
          cmocka_unit_test(closed_form_of_a_prismatic_chain_equals_the_recursion),
          cmocka_unit_test(derivative_of_the_nodal_update),
          cmocka_unit_test(the_right_pair_alone_is_that_of_a_step))
