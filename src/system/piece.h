/* Pieces: the parts of a system with local coordinates. Terms first, then actions, then
 * constraint rows. */
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
/* Does the piece ever contribute to the tangent? */
bool olo_piece_has_tangent(const olo_system *system, int piece);

#endif
