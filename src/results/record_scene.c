/* Writes the geometry of a system into a result file. */
#include "results/record_scene.h"

#include <string.h>

#include "base/memory.h"
#include "system/system.h"

/* Offset of a row of numbers in a drawable. */
static void node_of(const olo_drawable *d, double *row)
{
    row[0] = d->node[0];
    row[1] = d->node[1];
}

static void position_of(const olo_drawable *d, double *row)
{
    memcpy(row, d->position, sizeof d->position);
}

static void rotation_of(const olo_drawable *d, double *row)
{
    memcpy(row, d->rotation, sizeof d->rotation);
}

static void end_of(const olo_drawable *d, double *row)
{
    memcpy(row, d->end, sizeof d->end);
}

static void size_of(const olo_drawable *d, double *row)
{
    memcpy(row, d->size, sizeof d->size);
}

static void point_of(const olo_drawable *d, double *row)
{
    row[0] = d->point[0];
    row[1] = d->point[1];
}

/* A negative number for the colour of the role. */
static void color_of(const olo_drawable *d, double *row)
{
    for (int i = 0; i < 3; i++)
        row[i] = d->colored ? d->color[i] : -1;
    row[3] = d->opacity;
}

static const struct {
    const char *path, *description;
    const char *(*get)(const olo_drawable *d);
} TEXTS[] = {{"/scene/name", "element that is drawn", olo_drawable_name},
             {"/scene/role", "what it is, for colours", olo_drawable_role},
             {"/scene/primitive", "how it is drawn", olo_drawable_primitive}};

static const struct {
    const char *path, *description;
    size_t width;
    bool integer;
    void (*get)(const olo_drawable *d, double *row);
} NUMBERS[] = {
    {"/scene/node", "its node, and that of its other end; -1: space", 2, true, node_of},
    {"/scene/position", "in the frame of the node", 3, false, position_of},
    {"/scene/rotation", "its axes in the frame of the node, row-major", 9, false, rotation_of},
    {"/scene/end", "the other end in the frame of the second node", 3, false, end_of},
    {"/scene/size", "radii, edges, height or vertices, see the documentation", OLO_DRAWABLE_SIZES,
     false, size_of},
    {"/scene/point", "its quadrature points in /frames/stress, counted from 1; 0: none", 2, true,
     point_of},
    {"/scene/color", "red, green, blue from 0 to 1, or -1: that of its role; opacity, 0: not given",
     4, false, color_of}};

/* Writes a vector that belongs to the whole scene. */
static void write_vector(olo_writer *w, const char *path, const char *description,
                         const double vector[3])
{
    const olo_hdf5_table layout = {.path = path, .rows = 3, .description = description};
    olo_writer_table(w, &layout, vector);
}

void olo_writer_scene(olo_writer *w, const olo_system *system)
{
    olo_scene scene = {0};
    olo_error error = {0};
    if (olo_scene_create(system, &scene, &error) != OLO_OK)
        olo_writer_fail(w, error.status, error.text);
    const size_t count = (size_t)scene.count;
    const char **texts = olo_alloc(count, sizeof *texts);
    double *rows = olo_alloc(count, OLO_DRAWABLE_SIZES * sizeof *rows);
    if (texts == NULL || rows == NULL)
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the scene");
    olo_writer_group(w, "/scene");
    for (size_t k = 0; w->status == OLO_OK && k < sizeof TEXTS / sizeof TEXTS[0]; k++) {
        for (size_t i = 0; i < count; i++)
            texts[i] = TEXTS[k].get(&scene.drawables[i]);
        olo_writer_list(w, TEXTS[k].path, TEXTS[k].description, texts, count);
    }
    for (size_t k = 0; w->status == OLO_OK && k < sizeof NUMBERS / sizeof NUMBERS[0]; k++) {
        for (size_t i = 0; i < count; i++)
            NUMBERS[k].get(&scene.drawables[i], rows + i * NUMBERS[k].width);
        const olo_hdf5_table layout = {.path = NUMBERS[k].path,
                                       .width = NUMBERS[k].width,
                                       .rows = count,
                                       .integer = NUMBERS[k].integer,
                                       .description = NUMBERS[k].description};
        olo_writer_table(w, &layout, rows);
    }
    write_vector(w, "/scene/gravity", "acceleration of gravity", system->gravity);
    write_vector(w, "/scene/plane", "normal of the plane of motion; zero: in space", system->plane);
    olo_free(rows);
    olo_free(texts);
    olo_scene_free(&scene);
}
