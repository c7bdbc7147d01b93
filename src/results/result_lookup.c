/* A hash table of the names of columns (open addressing, at most half full), and a window of
 * columns of each source.
 *
 * The file stores a source row by row: reading one column means reading all of them. So a column is
 * read together with as many neighbours as fit into the window. */
#include "results/result_lookup.h"

#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Bytes of a window, which contains at least one column. */
static const size_t WINDOW_BYTES = 8u << 20;

/* ---- names ----------------------------------------------------------------------------------- */

/* FNV-1a */
static size_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)(hash ^ (hash >> 32));
}

/* The slot of a name in the table, or the empty slot where it belongs. */
static size_t find_slot(const olo_result *result, const char *name)
{
    const size_t mask = result->name_slots - 1;
    size_t slot = hash_of(name) & mask;
    while (result->name_table[slot] != 0 &&
           strcmp(result->columns[result->name_table[slot] - 1].name, name) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

static bool make_table(olo_result *result)
{
    size_t slots = 16;
    while (slots < 2 * result->column_count)
        slots *= 2;
    result->name_table = olo_alloc(slots, sizeof *result->name_table);
    if (result->name_table == NULL)
        return false;
    result->name_slots = slots;
    for (size_t i = 0; i < result->column_count; i++) {
        uint32_t *entry = &result->name_table[find_slot(result, result->columns[i].name)];
        *entry = *entry == 0 ? (uint32_t)i + 1 : *entry; // the first column of this name
    }
    return true;
}

int olo_result_find(olo_result *result, const char *name)
{
    if (result->name_table == NULL && !make_table(result))
        return -2;
    return (int)result->name_table[find_slot(result, name)] - 1;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads a window that begins at a column and has at least `count`. */
static olo_status move_window(olo_result *result, olo_result_source *source, size_t first,
                              size_t count, olo_error *error)
{
    olo_result_window *window = &source->window;
    const size_t fit = WINDOW_BYTES / sizeof(double) / result->rows;
    const size_t remaining = source->width - first, wish = fit > count ? fit : count;
    const size_t width = wish < remaining ? wish : remaining;
    window->count = 0;
    if (width > window->capacity) {
        olo_free(window->values);
        window->capacity = 0;
        window->values = olo_alloc(result->rows * width, sizeof *window->values);
        if (window->values == NULL)
            return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
        window->capacity = width;
    }
    const size_t from[2] = {0, first}, size[2] = {result->rows, width};
    const olo_status status =
        olo_hdf5_read(result->file, source->path, from, size, window->values, error);
    if (status == OLO_OK) {
        window->first = first;
        window->count = width;
    }
    return status;
}

olo_status olo_result_read_columns(olo_result *result, int index, size_t first, size_t count,
                                   double *values, olo_error *error)
{
    olo_result_source *source = &result->sources[index];
    olo_result_window *window = &source->window;
    if (result->rows == 0)
        return OLO_OK;
    if (first < window->first || first + count > window->first + window->count) {
        const olo_status status = move_window(result, source, first, count, error);
        if (status != OLO_OK)
            return status;
    }
    const double *from = window->values + (first - window->first);
    for (size_t row = 0; row < result->rows; row++)
        memcpy(values + row * count, from + row * window->count, count * sizeof *values);
    return OLO_OK;
}

void olo_result_lookup_free(olo_result *result)
{
    for (size_t i = 0; i < result->source_count; i++)
        olo_free(result->sources[i].window.values);
    olo_free(result->name_table);
}
