/* Connected parts of a system: nodes belong together when a term, a constraint row, an action or
 * the mass couples them. Parts that nothing couples move independently, so every conserved quantity
 * of the system is conserved by each part alone. A heavy part cannot hide the error of a light one
 * when each is judged against its own size. */
#ifndef OLO_SYSTEM_PARTS_H
#define OLO_SYSTEM_PARTS_H

#include <stdbool.h>

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;
typedef struct olo_ledger olo_ledger;

/* Fills system->part_count and system->node_part; false: no memory. */
bool olo_system_find_parts(olo_system *system);

/* The part that a coordinate belongs to. */
int olo_system_part(const olo_system *system, int coordinate);

/* A node of the part, for messages: the name of its first one. */
const char *olo_system_part_name(const olo_system *system, int part);

/* Adds energy that the part of `coordinate` received from outside in a step: work of loads and
 * drives, less what dampers took and what constraints with a penalty store. Does nothing in a
 * system of one part, whose sums are in the ledger. */
void olo_state_receive(const olo_system *system, olo_state *state, int coordinate, double energy);

/* The mass of each part, [part_count]. */
void olo_system_part_masses(const olo_system *system, double *masses);

/* The ledger of each part, [part_count]: energies and momenta; `balance` is the energy less what
 * was received. Constraint errors are left at zero. Allocates nothing. */
void olo_system_part_ledgers(const olo_system *system, const olo_state *state, olo_ledger *ledgers);

#endif
