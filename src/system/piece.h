/* Pieces: terms, actions and constraint rows of a system, numbered in this order, each with its own
 * list of coordinates. */
#ifndef OLO_SYSTEM_PIECE_H
#define OLO_SYSTEM_PIECE_H

#include "system/system.h"

int olo_pieces(const olo_system *system);
int olo_piece_size(const olo_system *system, int piece);
const int *olo_piece_index(const olo_system *system, int piece);
static inline int olo_piece_of_action(const olo_system *system, int i)
{
    return system->term_count + i;
}
static inline int olo_piece_of_constraint(const olo_system *system, int i)
{
    return system->term_count + system->action_count + i;
}
/* True if the piece can contribute to the tangent. */
bool olo_piece_has_tangent(const olo_system *system, int piece);

#endif
