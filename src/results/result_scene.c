/* Reads the scene of a result file. The file may be inconsistent: shapes and numbers are
 * checked. */
#include "results/result_scene.h"

#include <limits.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Reads one column of texts into the drawables. */
static olo_status read_texts(olo_result *result, const char *path, olo_drawable *list, size_t count,
                             void (*set)(olo_drawable *d, const char *text), olo_error *error)
{
    char **texts = NULL;
    size_t found = 0;
    olo_status status = olo_hdf5_read_texts(result->file, path, &texts, &found, error);
    if (status == OLO_OK && found != count) {
        status = olo_fail(error, OLO_BAD_INPUT, "cannot read '%s': the datasets in /scene differ",
                          result->path);
    }
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        const char *text = olo_pool_text(&result->pool, texts[i], strlen(texts[i]));
        if (text == NULL) {
            status =
                olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
        } else {
            set(&list[i], text);
        }
    }
    olo_hdf5_texts_free(texts);
    return status;
}

/* Reads one table of numbers into the drawables. */
static olo_status read_numbers(olo_result *result, const char *path, size_t width,
                               olo_drawable *list, size_t count,
                               void (*set)(olo_drawable *d, const double *row), olo_error *error)
{
    size_t rows = 0, columns = 0;
    olo_status status = olo_hdf5_shape(result->file, path, &rows, &columns, error);
    if (status == OLO_OK && (rows != count || columns != width)) {
        status = olo_fail(error, OLO_BAD_INPUT, "cannot read '%s': the datasets in /scene differ",
                          result->path);
    }
    double *numbers = status == OLO_OK ? olo_alloc(count, width * sizeof *numbers) : NULL;
    if (status == OLO_OK && numbers == NULL)
        status = olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
    if (status == OLO_OK) {
        status = olo_hdf5_read(result->file, path, (const size_t[2]){0, 0},
                               (const size_t[2]){count, width}, numbers, error);
    }
    for (size_t i = 0; status == OLO_OK && i < count; i++)
        set(&list[i], numbers + i * width);
    olo_free(numbers);
    return status;
}

static void set_name(olo_drawable *d, const char *text)
{
    d->name = text;
}

static void set_role(olo_drawable *d, const char *text)
{
    d->role = text;
}

static void set_primitive(olo_drawable *d, const char *text)
{
    d->primitive = text;
}

/* An invalid number of a node becomes one that is never in range. */
static void set_nodes(olo_drawable *d, const double *row)
{
    for (int i = 0; i < 2; i++)
        d->node[i] = row[i] >= -1 && row[i] < INT_MAX ? (int)row[i] : INT_MAX;
}

static void set_position(olo_drawable *d, const double *row)
{
    memcpy(d->position, row, sizeof d->position);
}

static void set_rotation(olo_drawable *d, const double *row)
{
    memcpy(d->rotation, row, sizeof d->rotation);
}

static void set_end(olo_drawable *d, const double *row)
{
    memcpy(d->end, row, sizeof d->end);
}

static void set_size(olo_drawable *d, const double *row)
{
    memcpy(d->size, row, sizeof d->size);
}

/* An invalid number of a quadrature point becomes 0. */
static void set_points(olo_drawable *d, const double *row)
{
    for (int i = 0; i < 2; i++)
        d->point[i] = row[i] >= 1 && row[i] < INT_MAX ? (int)row[i] : 0;
}

static const struct {
    const char *path;
    void (*set)(olo_drawable *d, const char *text);
} TEXTS[] = {
    {"/scene/name", set_name}, {"/scene/role", set_role}, {"/scene/primitive", set_primitive}};

static const struct {
    const char *path;
    size_t width;
    void (*set)(olo_drawable *d, const double *row);
} NUMBERS[] = {{"/scene/node", 2, set_nodes},
               {"/scene/position", 3, set_position},
               {"/scene/rotation", 9, set_rotation},
               {"/scene/end", 3, set_end},
               {"/scene/size", OLO_DRAWABLE_SIZES, set_size}};

static void set_color(olo_drawable *d, const double *row)
{
    d->colored = row[0] >= 0 && row[1] >= 0 && row[2] >= 0;
    for (int i = 0; i < 3; i++)
        d->color[i] = row[i] <= 1 ? row[i] : 1;
    d->opacity = row[3] > 0 && row[3] <= 1 ? row[3] : 0;
}

/* Absent in older files. */
static const char *const POINTS = "/scene/point", *const COLORS = "/scene/color";

static olo_status check_nodes(const olo_result *result, const olo_drawable *list, size_t count,
                              olo_error *error)
{
    for (size_t i = 0; i < 2 * count; i++) {
        if (list[i / 2].node[i % 2] >= (int)result->node_count) {
            return olo_fail(error, OLO_BAD_INPUT,
                            "cannot read '%s': /scene names a node that is not there",
                            result->path);
        }
    }
    return OLO_OK;
}

olo_status olo_result_scene(olo_result *result, olo_drawable **list, size_t *count,
                            olo_error *error)
{
    size_t columns = 0;
    *list = NULL;
    *count = 0;
    if (!olo_hdf5_has(result->file, "/scene/size"))
        return OLO_OK;
    olo_status status = olo_hdf5_shape(result->file, "/scene/size", count, &columns, error);
    if (status == OLO_OK && (*list = olo_alloc(*count, sizeof **list)) == NULL)
        status = olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
    for (size_t k = 0; status == OLO_OK && k < sizeof TEXTS / sizeof TEXTS[0]; k++)
        status = read_texts(result, TEXTS[k].path, *list, *count, TEXTS[k].set, error);
    for (size_t k = 0; status == OLO_OK && k < sizeof NUMBERS / sizeof NUMBERS[0]; k++) {
        status = read_numbers(result, NUMBERS[k].path, NUMBERS[k].width, *list, *count,
                              NUMBERS[k].set, error);
    }
    for (size_t i = 0; status == OLO_OK && i < *count; i++) {
        (*list)[i].point[0] = (*list)[i].point[1] = 0;
        (*list)[i].colored = false;
        (*list)[i].opacity = 0;
    }
    if (status == OLO_OK && olo_hdf5_has(result->file, POINTS))
        status = read_numbers(result, POINTS, 2, *list, *count, set_points, error);
    if (status == OLO_OK && olo_hdf5_has(result->file, COLORS))
        status = read_numbers(result, COLORS, 4, *list, *count, set_color, error);
    return status == OLO_OK ? check_nodes(result, *list, *count, error) : status;
}

bool olo_drawable_is_link(const olo_drawable *drawable)
{
    static const char *const LINKS[] = {"rod", "coil", "dashpot"};
    for (size_t i = 0; i < sizeof LINKS / sizeof LINKS[0]; i++)
        if (strcmp(drawable->primitive, LINKS[i]) == 0)
            return true;
    return false;
}

bool olo_drawable_is_sweep(const olo_drawable *drawable)
{
    return strcmp(drawable->primitive, "sweep") == 0;
}
