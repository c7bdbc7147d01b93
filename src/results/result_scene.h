/* Reading the scene of a result file. */
#ifndef OLO_RESULTS_RESULT_SCENE_H
#define OLO_RESULTS_RESULT_SCENE_H

#include "results/result_private.h"
#include "system/scene.h"

/* The drawables, at `*list`, which is freed with olo_free; texts live as long as the result. A file
 * without a scene has none. The numbers of nodes are checked. */
olo_status olo_result_scene(olo_result *result, olo_drawable **list, size_t *count,
                            olo_error *error);

/* True if it extends between two points: rod, coil, dashpot. */
bool olo_drawable_is_link(const olo_drawable *drawable);
/* True if it is a section swept between two nodes. */
bool olo_drawable_is_sweep(const olo_drawable *drawable);

#endif
