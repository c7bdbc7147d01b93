/* Pieces of a system, and the registries of schemes and treatments. */
#include <string.h>

#include "stepping/step.h"

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

/* Linear in q with a linear law: a constant force. */
static bool is_constant(const olo_term *term)
{
    return term->law == &olo_law_linear && term->form[0].products == 0;
}

bool olo_piece_has_tangent(const olo_system *s, int piece)
{
    if (piece < s->term_count)
        return !is_constant(&s->terms[piece]);
    piece -= s->term_count;
    if (piece < s->action_count)
        return s->actions[piece].type->has_tangent;
    return s->constraints[piece - s->action_count].products > 0;
}

const olo_scheme *olo_scheme_find(const char *name)
{
    static const olo_scheme *const schemes[] = {&olo_scheme_energy_momentum};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strcmp(schemes[i]->name, name) == 0)
            return schemes[i];
    return NULL;
}

const olo_treatment *olo_treatment_find(const char *name)
{
    static const olo_treatment *const treatments[] = {&olo_treatment_reduced,
                                                      &olo_treatment_multipliers};
    for (size_t i = 0; i < sizeof treatments / sizeof *treatments; i++)
        if (strcmp(treatments[i]->name, name) == 0)
            return treatments[i];
    return NULL;
}
