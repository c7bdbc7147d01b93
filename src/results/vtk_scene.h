/* The scene of a result as VTK data: lines between points and surfaces of bodies, moved frame by
 * frame. */
#ifndef OLO_RESULTS_VTK_SCENE_H
#define OLO_RESULTS_VTK_SCENE_H

#include "results/result_scene.h"
#include "results/rows.h"
#include "results/surface.h"
#include "results/sweep.h"
#include "results/vtk_file.h"

/* The geometry of a drawable: a line, or a range of points and faces of the surface. */
typedef struct olo_vtk_part {
    const olo_drawable *drawable;
    size_t points, faces; /* of the surface; 0: a line */
} olo_vtk_part;

typedef struct olo_vtk_scene {
    olo_drawable *list;
    olo_pool pool; /* memory of the arrays below */
    olo_vtk_part *line, *solid;
    size_t lines, solids;
    olo_surface surface; /* in the frames of the nodes; corners are numbered after the ends number
                            of points of lines */
    double *point;       /* all points in space, those of lines first */
    int32_t *end, *end_offset;      /* number of points of lines */
    int32_t *element, *node, *role; /* per cell: number in `names`, node, number in `roles` */
    olo_sweep_stress stress;        /* in the table, if the result has stresses */
    double *row;                    /* of them */
    double *force, *moment;         /* per cell three numbers; zero where there is none */
    const char **names, **roles;
    size_t name_count, role_count;
} olo_vtk_scene;

/* Reads the scene; free with olo_vtk_scene_free, also after a failure. */
olo_status olo_vtk_scene_read(olo_vtk_scene *scene, olo_result *result, olo_error *error);
/* Writes the scene at the current row. */
void olo_vtk_scene_write(olo_vtk_scene *scene, const olo_rows *rows, size_t row,
                         olo_vtk_file *file);
void olo_vtk_scene_free(olo_vtk_scene *scene);

#endif
