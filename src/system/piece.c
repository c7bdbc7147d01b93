/* Pieces of a system: terms, actions and constraint rows in one numbering. */
#include "system/piece.h"

int olo_pieces(const olo_system *system)
{
    return system->term_count + system->action_count + system->m;
}

int olo_piece_size(const olo_system *s, int piece)
{
    if (piece < s->term_count)
        return s->terms[piece].size;
    piece -= s->term_count;
    if (piece < s->action_count)
        return s->actions[piece].size;
    return s->constraints[piece - s->action_count].size;
}

const int *olo_piece_index(const olo_system *s, int piece)
{
    if (piece < s->term_count)
        return s->terms[piece].index;
    piece -= s->term_count;
    if (piece < s->action_count)
        return s->actions[piece].index;
    return s->constraints[piece - s->action_count].index;
}

/* True for a constant force: a linear form with a linear law. */
static bool is_constant(const olo_term *term)
{
    return term->law->linear && term->form[0].products == 0;
}

bool olo_piece_has_tangent(const olo_system *s, int piece)
{
    if (piece < s->term_count)
        return !is_constant(&s->terms[piece]);
    piece -= s->term_count;
    if (piece < s->action_count)
        return s->actions[piece].type->has_tangent;
    return s->constraints[piece - s->action_count].curved;
}
