/* The angle of relative rotation between the sections at neighbouring nodes of a beam.
 *
 * An element of two nodes interpolates directors: its curvature is sin(a)/h where the sections at
 * its ends, a length h apart, differ by the angle a, and so its moment is EI sin(2 a)/(2 h). This
 * agrees with the moment EI a/h of the beam for small angles only, and has a maximum at 45 degrees:
 * a limit point of the mesh, not of the beam. */
#ifndef OLO_STATICS_BEAM_ROTATION_H
#define OLO_STATICS_BEAM_ROTATION_H

#include "system/system.h"

/* A beam with angles beyond this (rad) needs more elements: its moments are too small by one part
 * in six. */
extern const double olo_beam_rotation_coarse;

/* The largest angle at q, and its beam; -1: there is no beam. */
double olo_beam_rotation(const olo_system *system, const double *q, int *beam);

#endif
