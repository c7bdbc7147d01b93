/* Connected parts of a system: two nodes belong to the same part if a term, a constraint row, an
 * action or the mass couples them. Parts move independently, so every conserved quantity of the
 * system is conserved by each part. Each part is judged against its own size: otherwise a heavy
 * part would hide the error of a light one. */
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

/* The name of the first node of a part, for messages. */
const char *olo_system_part_name(const olo_system *system, int part);

/* Adds the energy that the part of `coordinate` received from outside in a step: the work of loads
 * and drives, less the energy lost in dampers and stored in penalty constraints. Does nothing in a
 * system with one part, whose sums are in the ledger. */
void olo_state_add_received_energy(const olo_system *system, olo_state *state, int coordinate,
                                   double energy);

/* The mass of each part, [part_count]. */
void olo_system_part_masses(const olo_system *system, double *masses);

/* The ledger of each part, [part_count]: energies and momenta; `balance` is the energy less the
 * received energy. Constraint errors are zero. Allocates nothing. */
void olo_system_part_ledgers(const olo_system *system, const olo_state *state, olo_ledger *ledgers);

#endif
