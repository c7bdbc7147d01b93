/* The size of a constraint row: the scale with which its error |g| is compared. */
#ifndef OLO_SYSTEM_ROW_SIZE_H
#define OLO_SYSTEM_ROW_SIZE_H

#include <stdbool.h>

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;
typedef struct olo_constraint olo_constraint;

/* Fills system->row_scale and system->lever_scale from the initial configuration, with frames
 * gathered; false: no memory. */
bool olo_system_measure_rows(olo_system *system);

/* The position in q, or velocity in v, of the first node of a row that has one, else zero. It is
 * the reference for the positions of the other nodes. */
const double *olo_row_reference(const olo_system *system, const olo_constraint *row,
                                const double *q);

/* The largest distance of a node from the origin, plus the length of the model. The sizes of rows
 * change with it. */
double olo_system_reach(const olo_system *system, const olo_state *state);

/* The sizes of rows at a state, compared with those at the initial state. */
typedef struct olo_row_growth {
    double growth; /* largest ratio of the size of a row to its initial size, at least 1 */
    double remote; /* largest ratio of the distance of the nodes of a row from the origin to a
                      length of the row */
} olo_row_growth;

/* Compares the sizes of all rows at a state with those at the initial state. `origin` is a
 * workspace of n numbers. */
olo_row_growth olo_system_row_growth(const olo_system *system, const olo_state *state,
                                     double *origin);

#endif
