/* A system at rest: the balance of forces at a configuration q in the joint increments of the tree,
 *
 *     r(q) = P(q)^T [grad V(q) + load L - f] + closures,   g(q, load) = 0
 *
 * and its tangent. Everything comes from the kernels of a step, over a step without length: all
 * discrete gradients are symmetric in both ends, so that with q0 = q1 = q they are gradients and
 * their derivatives by q1 are half Hessians; likewise the left pair of the null space, which a step
 * takes in its middle. Twice the tangent of that step is the tangent of the balance at rest. No
 * velocity, no mass, no damping enters.
 *
 * Newton keeps the stresses of terms with `invariants` (beams) as unknowns of their own: the
 * tangent has the stress that the last iteration predicted, s + C grad e . dq, in the place of
 * s(q), so that the stiffness of an extended or sheared iterate does not spoil it (mixed
 * integration points: Magisano, Leonetti, Garcea 2017). The residual and so the solution are those
 * of q alone.
 */
#ifndef OLO_STATICS_STATIC_BALANCE_H
#define OLO_STATICS_STATIC_BALANCE_H

#include "linalg/elimination.h"
#include "statics/rotating_frame.h"
#include "stepping/projector.h"
#include "stepping/step.h"

typedef struct olo_static_balance {
    const olo_system *system;
    olo_state *state; /* where: q and angles; moved in place */
    const olo_topology *topology;
    olo_projector *projector;
    olo_elimination *elimination;
    olo_step step;           /* of no length, at q */
    olo_rotating_frame spin; /* of the frame; zero: at rest */
    bool hold;               /* motions stay where they are at time 0, not at the load factor */
    double *memory;          /* memory behind all below */
    double *loads;           /* [n] L: what load factor one adds to the balance */
    double *mixed;           /* [n] twice the balance with the stresses of the iteration */
    double *zero;            /* [n] */
    double *vector;          /* [n] */
    double *stress;          /* [terms x OLO_LAW_INVARIANTS_MAX] of the iteration */
    bool predicted;          /* stress is the one of the iteration; else that of q */
    double *wrench;          /* [twists] */
    double *lambda;          /* [closures] multipliers */
    double *change; /* [changes] the increment of an iteration: of joints, multipliers, nodes ... */
    double *by_load; /* [changes] ... and its derivative by the load factor */
    int changes;
    double *mass; /* [twists] diagonal of the mass of every node */
    bool mass_known;
    double stiff; /* largest ratio of a diagonal entry of the tangent to one of the mass */
    double
        size; /* of the increment: the largest of a node, lengths over the model's length, angles */
    int worst; /* the node with it */
    bool redundant;
} olo_static_balance;

/* The balance at rest as a scheme, with half of its tangent. */
extern const olo_scheme olo_scheme_rest;

/* Refers to system and state, which must outlive it. */
olo_status olo_static_create(const olo_system *system, olo_state *state, olo_static_balance **rest,
                             olo_error *error);
void olo_static_free(olo_static_balance *rest);

/* The matrices of M u'' + D u' + K u = 0 in the joint increments about the state: D has dampers,
 * the rates in controllers and Coriolis forces, K the stiffness of forces, loads and centrifugal
 * forces. */
typedef enum olo_static_matrix {
    OLO_REST_MASS,
    OLO_REST_DAMPING,
    OLO_REST_STIFFNESS
} olo_static_matrix;
/* A copy of a state and the rest at it, for small motions about it: fails where it is no
 * equilibrium or derivatives are missing. What is there is to be freed also on failure. */
olo_status olo_static_at(const olo_system *system, const olo_state *state,
                         const olo_vibration_options *options, olo_state **copy,
                         olo_static_balance **rest, olo_error *error);
/* Fills one of them into the elimination, for products; the stiffness with the closure rows. */
void olo_static_fill(olo_static_balance *rest, olo_static_matrix which, double load);
/* Factors K + sigma D + sigma^2 M; without `damped` D has Coriolis forces only. */
olo_status olo_static_factor_moving(olo_static_balance *rest, double load, double sigma,
                                    bool damped, olo_error *error);
/* wrench = M times, D times twists of all nodes. */
void olo_static_mass_times(olo_static_balance *rest, const double *twists, double *wrench);
void olo_static_damping_times(olo_static_balance *rest, double load, bool damped,
                              const double *twists, double *wrench);
/* twists = -(what was factored)^-1 wrench, and the joint increments unless NULL. */
void olo_static_solve_wrench(olo_static_balance *rest, const double *wrench, double *twists,
                             double *u);

/* Puts the step without length at the state's configuration. */
void olo_static_place(olo_static_balance *rest);

/* Balance and tangent plus `shift` times the mass into the elimination; the mass alone, of which
 * the diagonals are kept; and the factorisation. */
void olo_static_assemble(olo_static_balance *rest, double load, double shift);
void olo_static_assemble_mass(olo_static_balance *rest);
olo_status olo_static_eliminate(olo_static_balance *rest, olo_error *error);
/* After a solve: joint increments, multipliers and twists. */
void olo_static_read(const olo_static_balance *rest, double *change);
/* Twists of all nodes, times a scale, as a change of q. */
void olo_static_spread(const olo_static_balance *rest, const double *twists, double scale,
                       double *dq);

/* At the state's configuration: fills balance and tangent plus `shift` times the mass, and factors.
 */
olo_status olo_static_factor(olo_static_balance *rest, double load, double shift, olo_error *error);
/* The reactions that are recorded, of an equilibrium whose multipliers the state has. */
void olo_static_record(olo_static_balance *rest, double load);
/* After a factorisation: the increment -K^-1 r with its size and worst node; and then -K^-1
 * dr/dload. */
void olo_static_solve(olo_static_balance *rest);
/* Finds the multipliers of the closures with which the state is an equilibrium, and fails where it
 * is none. */
olo_status olo_static_verify(olo_static_balance *rest, double load, olo_error *error);
/* Where the twist of a node begins in `change` and `by_load`. */
static inline int olo_static_twist(const olo_static_balance *rest, int node)
{
    return rest->topology->unknowns + rest->topology->closure_count +
           rest->system->nodes[node].motion;
}
/* The size of the twist of a node: a length over the model's length, plus an angle. */
double olo_static_node_size(const olo_static_balance *rest, int node, const double *twist);
/* Of the twists in a change: the largest of a node, lengths over the model's length, angles. */
double olo_static_size(const olo_static_balance *rest, const double *change, int *worst);
void olo_static_solve_load(olo_static_balance *rest);
/* Moves the state by `scale` times `change`, and tells the stresses there beforehand. */
void olo_static_move(olo_static_balance *rest, double scale);

/* Twice the tangent of olo_scheme_rest by rates: D of the piece times the factor goes to the sink,
 * as local matrices. */
void olo_static_damping(olo_step *step, double factor, const olo_sink *sink);
/* The force of action i at rest, and half of its tangent unless NULL. */
void olo_static_act(const olo_step *step, int i, double *f, double *tangent);
/* Have all loads a potential, as far as their tangents tell? */
bool olo_static_is_conservative(olo_static_balance *rest);
/* How many negative eigenvalues K + shift M has at this state. */
olo_status olo_static_negative(olo_static_balance *rest, double load, double shift, int *negative,
                               olo_error *error);
/* Of the eigenvalues omega^2 of K x = omega^2 M x at this state: how many are negative, and how
 * many zero to rounding. */
olo_status olo_static_stability(olo_static_balance *rest, double load, int *unstable, int *neutral,
                                olo_error *error);

#endif
