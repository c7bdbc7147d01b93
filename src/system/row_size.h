/* The size of a constraint row: what its error |g| is judged against. */
#ifndef OLO_SYSTEM_ROW_SIZE_H
#define OLO_SYSTEM_ROW_SIZE_H

#include <stdbool.h>

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;
typedef struct olo_constraint olo_constraint;

/* Fills system->row_scale and system->lever_scale from the initial configuration, with frames
 * gathered; false: no memory. */
bool olo_system_measure_rows(olo_system *system);

/* The position in q, or velocity in v, of the first node of a row that has one, else zero: what
 * those of the other nodes are compared with. */
const double *olo_row_reference(const olo_system *system, const olo_constraint *row,
                                const double *q);

/* The largest distance of a node from the origin, plus the length of the model: what sizes of rows
 * depend on. */
double olo_system_reach(const olo_system *system, const olo_state *state);

/* How far the sizes of rows have moved away from those at the start. */
typedef struct olo_row_growth {
    double growth; /* largest size of a row now over that at the start, at least 1 */
    double remote; /* largest distance of the nodes of a row from the origin over a length of the
                      row */
} olo_row_growth;

/* Compares the sizes of all rows at a state with those at the start. `origin` has room for n
 * numbers. */
olo_row_growth olo_system_row_growth(const olo_system *system, const olo_state *state,
                                     double *origin);

#endif
