/* The static balance: the balance of forces at a configuration q in the joint increments of the
 * tree,
 *
 *     r(q) = P(q)^T [grad V(q) + load L - f] + closures,   g(q, load) = 0
 *
 * and its tangent. It is evaluated by the kernels of a time step of zero length: all discrete
 * gradients are symmetric in both ends, so that with q0 = q1 = q they are gradients, and their
 * derivatives by q1 are half of the Hessians. The same holds for the left pair A^, B^ of the null
 * space, which a step evaluates at the midpoint. Twice the tangent of that step is the tangent of
 * the static balance. Velocities, mass and damping do not enter.
 *
 * The Newton iteration treats the stresses of terms with `invariants` (beams) as separate unknowns:
 * the tangent contains the stress predicted by the last iteration, s + C grad e . dq, instead of
 * s(q). So the large stresses of an intermediate, extended or sheared configuration do not impair
 * it (mixed integration points: Magisano, Leonetti, Garcea 2017). The residual, and so the
 * solution, depend on q alone. */
#ifndef OLO_STATICS_STATIC_BALANCE_H
#define OLO_STATICS_STATIC_BALANCE_H

#include "linalg/elimination.h"
#include "statics/rotating_frame.h"
#include "stepping/projector.h"
#include "stepping/step.h"

typedef struct olo_static_balance {
    const olo_system *system;
    olo_state *state; /* the configuration: q and angles; moved in place */
    const olo_topology *topology;
    olo_projector *projector;
    olo_elimination *elimination;
    olo_step step;           /* of zero length, at q */
    olo_rotating_frame spin; /* angular velocity of the frame; zero: at rest */
    bool hold; /* prescribed motions have their value at time 0; otherwise at the load factor */
    double *memory;     /* memory of all arrays below */
    double *loads;      /* [n] L: derivative of the balance by the load factor */
    double *mixed;      /* [n] twice the balance with the stresses of the iteration */
    double *zero;       /* [n] */
    double *vector;     /* [n] */
    const double *push; /* constant forces on all coordinates, or NULL */
    double *stress;     /* [terms x OLO_LAW_INVARIANTS_MAX] of the iteration */
    bool predicted;     /* `stress` was predicted by the iteration; else it is that of q */
    double *wrench;     /* [twists] */
    double *lambda;     /* [closures] multipliers */
    double *change;     /* [changes] the increment of an iteration: joints, multipliers, nodes */
    double *by_load;    /* [changes] its derivative by the load factor */
    int changes;
    double *mass; /* [twists] diagonal of the mass of every node */
    bool mass_known;
    double stiff; /* largest ratio of a diagonal entry of the tangent to one of the mass */
    double size;  /* of the increment: the largest of a node, lengths divided by the model's length,
                     angles */
    int worst;    /* the node with the largest increment */
    bool redundant;
} olo_static_balance;

/* The static balance as a scheme, with half of its tangent. */
extern const olo_scheme olo_scheme_static;

/* Refers to system and state, which must outlive it. */
olo_status olo_static_create(const olo_system *system, olo_state *state,
                             olo_static_balance **balance, olo_error *error);
void olo_static_free(olo_static_balance *balance);

/* The matrices of M u'' + D u' + K u = 0 in the joint increments about the state: D has dampers,
 * the rates in controllers and Coriolis forces, K the stiffness of forces, loads and centrifugal
 * forces. */
typedef enum olo_static_matrix {
    OLO_STATIC_MASS,
    OLO_STATIC_DAMPING,
    OLO_STATIC_STIFFNESS
} olo_static_matrix;
/* A copy of a state and the static balance at it, for small motions about it. Fails where it is no
 * equilibrium or derivatives are missing. Both must be freed also on failure. */
olo_status olo_static_create_at(const olo_system *system, const olo_state *state,
                                const olo_vibration_options *options, olo_state **copy,
                                olo_static_balance **balance, olo_error *error);
/* Fills one of them into the elimination, for products; the stiffness with the closure rows. */
void olo_static_fill(olo_static_balance *balance, olo_static_matrix which, double load);
/* Factors K + sigma D + sigma^2 M; without `damped` D has Coriolis forces only. */
olo_status olo_static_factor_dynamic(olo_static_balance *balance, double load, double sigma,
                                     bool damped, olo_error *error);
/* wrench = M times, D times twists of all nodes. */
void olo_static_mass_times(olo_static_balance *balance, const double *twists, double *wrench);
void olo_static_damping_times(olo_static_balance *balance, double load, bool damped,
                              const double *twists, double *wrench);
/* twists = -(factored matrix)^-1 wrench, and the joint increments unless NULL. */
void olo_static_solve_wrench(olo_static_balance *balance, const double *wrench, double *twists,
                             double *u);

/* Sets the step of zero length to the state's configuration. */
void olo_static_set_configuration(olo_static_balance *balance);

/* Fills the elimination with balance and tangent plus `shift` times the mass; with the mass alone,
 * whose diagonal is stored; and factors it. */
void olo_static_assemble(olo_static_balance *balance, double load, double shift);
void olo_static_assemble_mass(olo_static_balance *balance);
olo_status olo_static_eliminate(olo_static_balance *balance, olo_error *error);
/* After a solve: joint increments, multipliers and twists. */
void olo_static_read(const olo_static_balance *balance, double *change);
/* Twists of all nodes, times a scale, as a change of q. */
void olo_static_expand_twists(const olo_static_balance *balance, const double *twists, double scale,
                              double *dq);

/* At the state's configuration: fills balance and tangent plus `shift` times the mass, and
 * factors. */
olo_status olo_static_factor(olo_static_balance *balance, double load, double shift,
                             olo_error *error);
/* The reactions that are recorded, of an equilibrium whose multipliers the state has. */
void olo_static_record(olo_static_balance *balance, double load);
/* The largest force, or moment over the model's length, by which the state at `load` is not
 * balanced, divided by the largest stiffness times that length. */
double olo_static_residual(olo_static_balance *balance, double load);
/* After a factorisation: the increment -K^-1 r with its size and worst node; and then -K^-1
 * dr/dload. */
void olo_static_solve(olo_static_balance *balance);
/* Finds the multipliers of the closures with which the state is an equilibrium, and fails where it
 * is none. */
olo_status olo_static_verify(olo_static_balance *balance, double load, olo_error *error);
/* The offset of the twist of a node in `change` and `by_load`. */
static inline int olo_static_twist(const olo_static_balance *balance, int node)
{
    return balance->topology->unknowns + balance->topology->closure_count +
           balance->system->nodes[node].motion;
}
/* The size of the twist of a node: its length divided by the model's length, plus its angle. */
double olo_static_measure_node(const olo_static_balance *balance, int node, const double *twist);
/* The largest size of a node in a change, and that node. */
double olo_static_measure(const olo_static_balance *balance, const double *change, int *worst);
void olo_static_solve_load(olo_static_balance *balance);
/* Moves the state by `scale` times `change`, and predicts the stresses there. */
void olo_static_move(olo_static_balance *balance, double scale);

/* Twice the tangent of olo_scheme_static by rates: D of every piece times the factor is passed to
 * the sink, as local matrices. */
void olo_static_damping(olo_step *step, double factor, const olo_sink *sink);
/* The force of action i at rest, and half of its tangent unless NULL. */
void olo_static_evaluate_action(const olo_step *step, int i, double *f, double *tangent);
/* True if all loads have a potential, judged by the symmetry of their tangents. */
bool olo_static_is_conservative(olo_static_balance *balance);
/* The number of negative eigenvalues of K + shift M at this state. */
olo_status olo_static_count_negative(olo_static_balance *balance, double load, double shift,
                                     int *negative, olo_error *error);
/* Of the eigenvalues omega^2 of K x = omega^2 M x at this state: how many are negative, and how
 * many zero to rounding. */
olo_status olo_static_find_stability(olo_static_balance *balance, double load, int *unstable,
                                     int *neutral, olo_error *error);

#endif
