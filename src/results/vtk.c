/* Export of a result for ParaView: a collection of frames over time (.pvd) and two PolyData files
 * per frame (.vtp). */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "base/text_file.h"
#include "results/vtk_scene.h"

/* The data that an export owns. */
typedef struct export
{
    olo_result *result;
    olo_rows rows;
    olo_vtk_scene scene;
    olo_vtk_file file;
    olo_text collection, folder, path; /* texts that end with a zero byte, the first as a file */
    double *vectors;                   /* three numbers per node */
    int32_t *vertex, *vertex_offset;   /* 0, 1, 2 ... and 1, 2, 3 ... */
    olo_text list;                     /* of the collection */
}
export;

/* ---- names ----------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

/* Length of a text without an ending. */
static size_t without(const char *text, size_t length, const char *ending)
{
    const size_t size = strlen(ending);
    return length > size && memcmp(text + length - size, ending, size) == 0 ? length - size
                                                                            : length;
}

/* "heavy-top" of "results/heavy-top.h5.partial". */
static void add_stem(olo_text *text, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t length = without(name, strlen(name), ".partial");
    length = without(name, length, ".h5");
    olo_text_add(text, name, length);
}

/* Names of the collection and of the folder of its frames; makes the folders. */
static olo_status choose_names(export *e, const char *result, const char *path, olo_error *error)
{
    olo_text_put(&e->collection, path);
    olo_status status = OLO_OK;
    if (!ends_with(path, ".pvd")) {
        status = olo_folder_make(path, error);
        olo_text_put(&e->collection, path[0] != '\0' && ends_with(path, "/") ? "" : "/");
        add_stem(&e->collection, result);
        olo_text_put(&e->collection, ".pvd");
    }
    olo_text_add(&e->folder, e->collection.bytes, e->collection.length - strlen(".pvd"));
    olo_text_add(&e->folder, "", 1);
    olo_text_add(&e->collection, "", 1);
    if (status == OLO_OK && (e->collection.failed || e->folder.failed))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory");
    return status == OLO_OK ? olo_folder_make(e->folder.bytes, error) : status;
}

/* ---- one frame ------------------------------------------------------------------------------- */

/* Writes a vector of all nodes; zero for point masses when `of_bodies`. */
static void write_vector(export *e, size_t row, const char *name, size_t column, bool of_bodies)
{
    const olo_result *result = e->result;
    for (size_t i = 0; i < 3 * result->node_count; i++) {
        const olo_result_node *node = &result->nodes[i / 3];
        e->vectors[i] = (of_bodies && !node->body) || node->columns == 0
                            ? 0.0
                            : olo_rows_value(&e->rows, row, node->column + column + i % 3);
    }
    olo_vtk_doubles(&e->file, name, 3, e->vectors, result->node_count);
}

/* Writes time, and all columns that belong to no node: joint coordinates, outputs, the ledger. */
static void write_fields(export *e, size_t row)
{
    const olo_result *result = e->result;
    const olo_result_node *last = &result->nodes[result->node_count - 1];
    olo_text_put(&e->file.text, "<FieldData>\n");
    const double time = olo_rows_value(&e->rows, row, 0);
    olo_vtk_doubles(&e->file, "TimeValue", 1, &time, 1);
    for (size_t i = last->column + last->columns; i < result->csv_columns; i++) {
        const double value = olo_rows_value(&e->rows, row, i);
        olo_vtk_doubles(&e->file, result->columns[i].name, 1, &value, 1);
    }
    olo_vtk_words_begin(&e->file);
    for (size_t i = 0; i < result->node_count; i++)
        olo_vtk_word(&e->file, result->nodes[i].name);
    olo_vtk_words_end(&e->file, "names", result->node_count);
    olo_text_put(&e->file.text, "</FieldData>\n");
}

static void write_nodes(export *e, size_t row)
{
    const size_t nodes = e->result->node_count;
    olo_text *text = &e->file.text;
    olo_vtk_begin(&e->file, "PolyData");
    write_fields(e, row);
    olo_text_format(text,
                    "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
                    "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData Vectors=\"velocity\">\n",
                    nodes, nodes);
    write_vector(e, row, "velocity", 3, false);
    write_vector(e, row, "d1", 6, true);
    write_vector(e, row, "d2", 9, true);
    write_vector(e, row, "d3", 12, true);
    write_vector(e, row, "angular_velocity", 15, true);
    olo_vtk_integers(&e->file, "node", e->vertex, nodes);
    olo_text_put(text, "</PointData>\n<CellData>\n</CellData>\n<Points>\n");
    write_vector(e, row, "Points", 0, false);
    olo_text_put(text, "</Points>\n<Verts>\n");
    olo_vtk_integers(&e->file, "connectivity", e->vertex, nodes);
    olo_vtk_integers(&e->file, "offsets", e->vertex_offset, nodes);
    olo_text_put(text, "</Verts>\n</Piece>\n");
    olo_vtk_end(&e->file, "PolyData");
}

/* Saves the file, and adds it to the collection as one of its parts. */
static olo_status save(export *e, const char *kind, int part, long frame, double time,
                       olo_error *error)
{
    char name[64];
    const char *folder = strrchr(e->folder.bytes, '/');
    folder = folder != NULL ? folder + 1 : e->folder.bytes;
    (void)snprintf(name, sizeof name, "/%s-%06ld.vtp", kind, frame);
    e->path.length = 0;
    olo_text_put(&e->path, e->folder.bytes);
    olo_text_add(&e->path, name, strlen(name) + 1);
    olo_text_format(&e->list, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"", time,
                    part, kind);
    olo_text_escaped(&e->list, folder);
    olo_text_format(&e->list, "%s\"/>\n", name);
    if (e->path.failed || e->list.failed)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    return olo_text_save(&e->file.text, e->path.bytes, error);
}

static olo_status write_frame(export *e, size_t row, long frame, olo_error *error)
{
    olo_status status = olo_rows_seek(&e->rows, row, error);
    if (status != OLO_OK)
        return status;
    const double time = olo_rows_value(&e->rows, row, 0);
    write_nodes(e, row);
    status = save(e, "frames", 0, frame, time, error);
    if (status == OLO_OK && e->scene.lines + e->scene.solids > 0) {
        olo_vtk_scene_write(&e->scene, &e->rows, row, &e->file);
        status = save(e, "scene", 1, frame, time, error);
    }
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The row of a frame: evenly over all rows, the first and the last among them. */
static size_t row_of(size_t rows, long frames, long frame)
{
    return frames > 1 ? (size_t)((double)frame * (double)(rows - 1) / (double)(frames - 1) + 0.5)
                      : 0;
}

static olo_status write_frames(export *e, const olo_vtk_options *options, long *written,
                               olo_error *error)
{
    const size_t rows = e->result->rows;
    const bool fewer = options->frames > 0 && (size_t)options->frames < rows;
    const long frames = fewer ? options->frames : (long)rows;
    olo_status status = OLO_OK;
    for (long i = 0; status == OLO_OK && i < frames; i++) {
        if (options->stop != NULL && options->stop(options->context)) {
            return olo_fail(error, OLO_INTERRUPTED, "interrupted after %ld of %ld frames", i,
                            frames);
        }
        status = write_frame(e, row_of(rows, frames, i), i, error);
    }
    *written = frames;
    return status;
}

static olo_status write_collection(export *e, olo_error *error)
{
    olo_vtk_begin(&e->file, "Collection");
    olo_text_add(&e->file.text, e->list.bytes, e->list.length);
    olo_vtk_end(&e->file, "Collection");
    return olo_text_save(&e->file.text, e->collection.bytes, error);
}

static olo_status prepare(export *e, const char *path, olo_error *error)
{
    olo_status status = olo_result_open(path, &e->result, error);
    if (status == OLO_OK && e->result->node_count == 0)
        status = olo_fail(error, OLO_BAD_INPUT, "'%s' has no points or bodies", path);
    if (status == OLO_OK)
        status = olo_rows_begin(&e->rows, e->result, error);
    if (status == OLO_OK)
        status = olo_vtk_scene_read(&e->scene, e->result, error);
    if (status != OLO_OK)
        return status;
    const size_t nodes = e->result->node_count;
    e->vectors = olo_alloc(nodes, 3 * sizeof *e->vectors);
    e->vertex = olo_alloc(nodes, sizeof *e->vertex);
    e->vertex_offset = olo_alloc(nodes, sizeof *e->vertex_offset);
    if (e->vectors == NULL || e->vertex == NULL || e->vertex_offset == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", path);
    for (size_t i = 0; i < nodes; i++) {
        e->vertex[i] = (int32_t)i;
        e->vertex_offset[i] = (int32_t)i + 1;
    }
    return OLO_OK;
}

static void release(export *e)
{
    olo_vtk_scene_free(&e->scene);
    olo_rows_free(&e->rows);
    olo_vtk_free(&e->file);
    olo_text_free(&e->collection);
    olo_text_free(&e->folder);
    olo_text_free(&e->path);
    olo_text_free(&e->list);
    olo_free(e->vectors);
    olo_free(e->vertex);
    olo_free(e->vertex_offset);
    olo_result_free(e->result);
}

olo_vtk_options olo_vtk_options_default(void)
{
    return (olo_vtk_options){.initialised = OLO_INITIALISED_VTK_OPTIONS};
}

olo_status olo_result_write_vtk(const char *result, const char *path,
                                const olo_vtk_options *options, long *written, olo_error *error)
{
    const olo_vtk_options how = options != NULL ? *options : olo_vtk_options_default();
    export e = {0};
    long frames = 0;
    olo_status status = olo_check_initialised(how.initialised, OLO_INITIALISED_VTK_OPTIONS, error);
    if (status != OLO_OK)
        return status;
    status = prepare(&e, result, error);
    if (status == OLO_OK)
        status = choose_names(&e, result, path, error);
    if (status == OLO_OK)
        status = write_frames(&e, &how, &frames, error);
    if (status == OLO_OK)
        status = write_collection(&e, error);
    release(&e);
    if (written != NULL)
        *written = frames;
    return status;
}
