/* Terms four at once: over a step their forces, and their tangent in twists.
 *
 * A pack has up to four terms with the same law, and with invariants on equally many coordinates of
 * frames, or with one square on nodes of the same types (vector_square.h). Numbers of four terms
 * are held in lanes (linalg/lanes.h). Between the evaluation of the invariants and that of the
 * forces a law is evaluated: for four terms at once by the kernels that know it, otherwise term by
 * term.
 */
#ifndef OLO_SYSTEM_TERM_PACK_H
#define OLO_SYSTEM_TERM_PACK_H

#include "linalg/lanes.h"
#include "system/interval.h"
#include "system/vector_square.h"

typedef struct olo_term_pack {
    const struct olo_pack_kernels *kernels;
    int count;        /* of terms; further lanes are copies of the first one */
    int piece[LANES]; /* number of each term among those of the system */
    const olo_term *term[LANES];
    const void *data[LANES]; /* of the invariants, or the squares */
} olo_term_pack;

/* The step of a pack: invariants and stress of its terms, and intermediate results of the kernels.
 */
typedef struct olo_pack_step {
    bool midpoint; /* forces are those at the midpoint, not the discrete gradient */
    double h;
    lane energy;                     /* of each term, see olo_evaluate_term */
    lane e[OLO_LAW_INVARIANTS_MAX];  /* invariants at q0, or at qm if `midpoint` */
    lane de[OLO_LAW_INVARIANTS_MAX]; /* e(q1) - e(q0) */
    lane s[OLO_LAW_INVARIANTS_MAX];
    lane s1[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX]; /* ds/de1, row-major */
    lane number[150];
} olo_pack_step;

/* The balance of forces, to which a pack adds. */
typedef struct olo_pack_balance {
    double factor; /* of the forces */
    double *T;
    double *scale; /* is raised to the largest component of a force times factor */
} olo_pack_balance;

/* The functions of invariants for a pack, see olo_invariants. */
typedef struct olo_pack_kernels {
    /* the invariants of the step */
    void (*over)(const olo_term_pack *pack, const olo_interval *x, olo_pack_step *step);
    /* Stress and energy, and ds/de1 if `tangent`, of all terms at once; false: this law has to be
     * evaluated term by term. NULL: all laws. */
    bool (*stress)(const olo_term_pack *pack, bool tangent, olo_pack_step *step);
    /* de = grad e . dq at the midpoint of a step; of invariants, NULL: of squares */
    void (*differences)(const olo_term_pack *pack, const olo_pack_step *step, const double *dq,
                        lane *de);
    /* adds factor sum_k s_k grad e_k of all terms */
    void (*push)(const olo_term_pack *pack, const olo_pack_step *step,
                 const olo_pack_balance *balance);
    /* += factor P_int(left)^T dr/dq1 P_int(q1) with the stress s and its derivative s1 of
     * the step; `left` is q0 if `at_start`, else qm. The result of a term has blocks of the
     * size of twists, the one of nodes a and b at block[a nodes + b]. */
    void (*add_twist_tangent)(const olo_term_pack *pack, const olo_pack_step *step, double factor,
                              bool at_start, double *const *const block[LANES]);
} olo_pack_kernels;

/* Groups terms with invariants or squares, `count` pieces of the system, to packs; returns their
 * number. There are at most `count` of them. The square of piece i is squares[i]; the packs point
 * to it. */
int olo_term_packs(const olo_system *system, int count, const int *pieces,
                   const olo_vector_square *squares, olo_term_pack *packs);

/* Fills `step` with invariants, stress and energy, and with the derivative ds/de1 if `tangent`. */
void olo_term_pack_stress(const olo_term_pack *pack, const olo_evaluation *how,
                          const olo_interval *x, bool tangent, olo_pack_step *step);

/* Adds the forces over a step to the balance; fills `step`, with the derivative ds/de1 if
 * `tangent`.
 */
void olo_term_pack_evaluate(const olo_term_pack *pack, const olo_evaluation *how,
                            const olo_interval *x, bool tangent, const olo_pack_balance *balance,
                            olo_pack_step *step);

#endif
