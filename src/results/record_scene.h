/* The geometry of a system in a result file: the group /scene, one row per drawable. */
#ifndef OLO_RESULTS_RECORD_SCENE_H
#define OLO_RESULTS_RECORD_SCENE_H

#include "oloid/system.h"
#include "results/record_text.h"

void olo_writer_scene(olo_writer *w, const olo_system *system);

#endif
