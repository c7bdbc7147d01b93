/* The scene as VTK data. A point with coordinates X in the frame of a body is at x = phi + sum_i
 * X_i d_i; of a point mass at its position, of the ground at X; of a sweep as in sweep.c. */
#include "results/vtk_scene.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/vec3.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* The axes of a sweep in the surface: X1, X2 and the fraction of its length. */
static const double AS_IT_IS[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Finds the drawables that can be shown, and makes their surfaces. */
static void find_parts(olo_vtk_scene *scene, size_t count)
{
    olo_surface *surface = &scene->surface;
    for (size_t i = 0; i < count; i++) {
        const olo_drawable *d = &scene->list[i];
        const size_t points = surface->points, faces = surface->faces;
        if (olo_drawable_is_link(d)) {
            scene->line[scene->lines++] = (olo_vtk_part){.drawable = d};
        } else if (olo_surface_add(surface, d->primitive, d->size, d->position,
                                   olo_drawable_is_sweep(d) ? AS_IT_IS : d->rotation)) {
            scene->solid[scene->solids++] =
                (olo_vtk_part){d, surface->points - points, surface->faces - faces};
        }
    }
    for (size_t i = 0; i < surface->corners; i++)
        surface->corner[i] += (int32_t)(2 * scene->lines);
}

/* The number of a text in a list, to which it is added when it is new. */
static int32_t number_of(const char **list, size_t *count, const char *word)
{
    size_t i = 0;
    while (i < *count && strcmp(list[i], word) != 0)
        i++;
    if (i == *count)
        list[(*count)++] = word;
    return (int32_t)i;
}

static void describe_cells(olo_vtk_scene *scene, const olo_vtk_part *part, size_t first,
                           size_t cells)
{
    const olo_drawable *d = part->drawable;
    // drawables of an element follow each other
    if (scene->name_count == 0 || strcmp(scene->names[scene->name_count - 1], d->name) != 0)
        scene->names[scene->name_count++] = d->name;
    const int32_t role = number_of(scene->roles, &scene->role_count, d->role);
    for (size_t i = first; i < first + cells; i++) {
        scene->element[i] = (int32_t)scene->name_count - 1;
        scene->node[i] = d->node[0];
        scene->role[i] = role;
    }
}

/* Prepares the data that are the same in every frame. */
static void fill(olo_vtk_scene *scene)
{
    size_t cell = 0;
    for (size_t i = 0; i < scene->lines; i++) {
        scene->end[2 * i] = (int32_t)(2 * i);
        scene->end[2 * i + 1] = (int32_t)(2 * i + 1);
        scene->end_offset[i] = (int32_t)(2 * i + 2);
        describe_cells(scene, &scene->line[i], cell++, 1);
    }
    for (size_t i = 0; i < scene->solids; i++) {
        describe_cells(scene, &scene->solid[i], cell, scene->solid[i].faces);
        cell += scene->solid[i].faces;
    }
}

olo_status olo_vtk_scene_read(olo_vtk_scene *scene, olo_result *result, olo_error *error)
{
    size_t count = 0;
    *scene = (olo_vtk_scene){0};
    const olo_status status = olo_result_scene(result, &scene->list, &count, error);
    if (status != OLO_OK)
        return status;
    scene->line = olo_pool_alloc(&scene->pool, count, sizeof *scene->line);
    scene->solid = olo_pool_alloc(&scene->pool, count, sizeof *scene->solid);
    scene->names = olo_pool_alloc(&scene->pool, count, sizeof *scene->names);
    scene->roles = olo_pool_alloc(&scene->pool, count, sizeof *scene->roles);
    if (!scene->pool.failed) {
        find_parts(scene, count);
        const size_t cells = scene->lines + scene->surface.faces;
        scene->point = olo_pool_alloc(&scene->pool, 2 * scene->lines + scene->surface.points,
                                      3 * sizeof(double));
        scene->end = olo_pool_alloc(&scene->pool, 2 * scene->lines, sizeof *scene->end);
        scene->end_offset = olo_pool_alloc(&scene->pool, scene->lines, sizeof *scene->end_offset);
        scene->element = olo_pool_alloc(&scene->pool, cells, sizeof *scene->element);
        scene->node = olo_pool_alloc(&scene->pool, cells, sizeof *scene->node);
        scene->role = olo_pool_alloc(&scene->pool, cells, sizeof *scene->role);
        scene->stress = olo_sweep_find_stress(result);
        scene->row = olo_pool_alloc(&scene->pool, scene->stress.width, sizeof *scene->row);
        scene->force = olo_pool_alloc(&scene->pool, cells, 3 * sizeof *scene->force);
        scene->moment = olo_pool_alloc(&scene->pool, cells, 3 * sizeof *scene->moment);
    }
    if (scene->pool.failed || scene->surface.failed)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the scene of '%s'", result->path);
    fill(scene);
    return OLO_OK;
}

void olo_vtk_scene_free(olo_vtk_scene *scene)
{
    olo_surface_free(&scene->surface);
    olo_free(scene->list);
    olo_pool_free(&scene->pool);
    *scene = (olo_vtk_scene){0};
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Position and directors of a node; a point mass and the ground have the axes of space. */
static olo_sweep_frame frame_of(const olo_rows *rows, size_t row, int node)
{
    olo_sweep_frame f = {.d = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (node < 0)
        return f;
    const olo_result_node *n = &rows->result->nodes[node];
    for (size_t i = 0; i < 3; i++)
        f.position[i] = olo_rows_value(rows, row, n->column + i);
    for (size_t i = 0; n->body && i < 9; i++)
        f.d[i] = olo_rows_value(rows, row, n->column + 6 + i);
    return f;
}

static void transform_point(const olo_sweep_frame *f, const double X[3], double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = f->position[i] + X[0] * f->d[i] + X[1] * f->d[3 + i] + X[2] * f->d[6 + i];
}

static void move(olo_vtk_scene *scene, const olo_rows *rows, size_t row)
{
    double *to = scene->point;
    const double *from = scene->surface.point;
    for (size_t i = 0; i < scene->lines; i++, to += 6) {
        const olo_drawable *d = scene->line[i].drawable;
        const olo_sweep_frame first = frame_of(rows, row, d->node[0]),
                              second = frame_of(rows, row, d->node[1]);
        transform_point(&first, d->position, to);
        transform_point(&second, d->end, to + 3);
    }
    for (size_t i = 0; i < scene->solids; i++) {
        const olo_drawable *d = scene->solid[i].drawable;
        const bool sweep = olo_drawable_is_sweep(d);
        const olo_sweep_frame f = frame_of(rows, row, d->node[0]),
                              g = frame_of(rows, row, d->node[sweep]),
                              first = olo_sweep_turn(&f, d->rotation),
                              second = olo_sweep_turn(&g, d->size + 3);
        for (size_t k = 0; k < scene->solid[i].points; k++, from += 3, to += 3)
            if (sweep)
                olo_sweep_point(&first, &second, from, to);
            else
                transform_point(&f, from, to);
    }
}

/* Writes the stress resultants of the cells of sweeps. */
static void load(olo_vtk_scene *scene, const olo_rows *rows, size_t row)
{
    size_t cell = scene->lines;
    for (size_t i = 0; i < scene->stress.width; i++)
        scene->row[i] = olo_rows_value(rows, row, scene->stress.column + i);
    memset(scene->force, 0, 3 * cell * sizeof *scene->force);
    memset(scene->moment, 0, 3 * cell * sizeof *scene->moment);
    for (size_t i = 0; i < scene->solids; i++) {
        double n[6];
        (void)olo_sweep_resultants(scene->solid[i].drawable, scene->row, scene->stress.width, n);
        for (size_t end = cell + scene->solid[i].faces; cell < end; cell++) {
            vec3_copy(n, scene->force + 3 * cell);
            vec3_copy(n + 3, scene->moment + 3 * cell);
        }
    }
}

static void write_words(olo_vtk_file *file, const char *name, const char **words, size_t count)
{
    olo_vtk_words_begin(file);
    for (size_t i = 0; i < count; i++)
        olo_vtk_word(file, words[i]);
    olo_vtk_words_end(file, name, count);
}

static void write_cells(olo_vtk_file *file, const char *tag, const int32_t *corners,
                        size_t corner_count, const int32_t *offsets, size_t cells)
{
    olo_text_format(&file->text, "<%s>\n", tag);
    olo_vtk_integers(file, "connectivity", corners, corner_count);
    olo_vtk_integers(file, "offsets", offsets, cells);
    olo_text_format(&file->text, "</%s>\n", tag);
}

void olo_vtk_scene_write(olo_vtk_scene *scene, const olo_rows *rows, size_t row, olo_vtk_file *file)
{
    const olo_surface *surface = &scene->surface;
    const size_t points = 2 * scene->lines + surface->points;
    const size_t cells = scene->lines + surface->faces;
    const double time = olo_rows_value(rows, row, 0);
    move(scene, rows, row);
    olo_vtk_begin(file, "PolyData");
    olo_text_put(&file->text, "<FieldData>\n");
    olo_vtk_doubles(file, "TimeValue", 1, &time, 1);
    write_words(file, "elements", scene->names, scene->name_count);
    write_words(file, "roles", scene->roles, scene->role_count);
    olo_text_format(&file->text,
                    "</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" "
                    "NumberOfLines=\"%zu\" NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n"
                    "<PointData>\n</PointData>\n<CellData Scalars=\"element\">\n",
                    points, scene->lines, surface->faces);
    olo_vtk_integers(file, "element", scene->element, cells);
    olo_vtk_integers(file, "node", scene->node, cells);
    olo_vtk_integers(file, "role", scene->role, cells);
    if (scene->stress.width > 0) {
        load(scene, rows, row);
        olo_vtk_doubles(file, "force", 3, scene->force, cells);
        olo_vtk_doubles(file, "moment", 3, scene->moment, cells);
    }
    olo_text_put(&file->text, "</CellData>\n<Points>\n");
    olo_vtk_doubles(file, "Points", 3, scene->point, points);
    olo_text_put(&file->text, "</Points>\n");
    write_cells(file, "Lines", scene->end, 2 * scene->lines, scene->end_offset, scene->lines);
    write_cells(file, "Polys", surface->corner, surface->corners, surface->offset, surface->faces);
    olo_text_put(&file->text, "</Piece>\n");
    olo_vtk_end(file, "PolyData");
}
