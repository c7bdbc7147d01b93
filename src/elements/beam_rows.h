/* Beams and rods without shear or elongation, by constraint rows. */
#ifndef OLO_ELEMENTS_BEAM_ROWS_H
#define OLO_ELEMENTS_BEAM_ROWS_H

#include "elements/beam_terms.h"

static inline bool olo_beam_has_rows(const olo_beam *beam)
{
    return beam->unshearable || beam->inextensible;
}

/* Begins the group of the rows and records it in the line. */
olo_status olo_beam_begin_rows(const olo_beam_material *material, olo_beam_line *line);

/* Adds the rows at a point whose nodes, shape functions and weight are given; `which` is unused. */
olo_status olo_beam_add_rows(const olo_beam_material *material, olo_beam_strains which,
                             olo_strain *strain);

#endif
