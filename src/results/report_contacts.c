/* Contacts in a report; see the header. Single precision is enough for arrows. */
#include "results/report_contacts.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "results/result_lookup.h"

/* Impacts below this part of the largest impulse are not marked: a ball that comes to rest has any
 * number of them. */
static const double MARKED_PART = 1e-3;

static const char STATUS[] = "/frames/contact_status", FORCE[] = "/frames/contact_force",
                  POINT[] = "/frames/contact_point";

bool olo_report_find_impacts(olo_result *result, olo_pool *pool, double **time, size_t *count)
{
    double largest = 0.0;
    *count = 0;
    *time = olo_pool_alloc(pool, result->rows, sizeof **time);
    double *impulse = olo_pool_alloc(pool, result->rows, sizeof *impulse);
    if (*time == NULL || impulse == NULL)
        return false;
    if (olo_result_find(result, "impact_impulse.max") < 0 ||
        olo_result_read_column(result, "impact_impulse.max", impulse, NULL) != OLO_OK ||
        olo_result_read_column(result, "time", *time, NULL) != OLO_OK)
        return true; // a result without contacts
    for (size_t i = 0; i < result->rows; i++)
        largest = fmax(largest, impulse[i]);
    for (size_t i = 0; i < result->rows; i++)
        if (impulse[i] > MARKED_PART * largest)
            (*time)[(*count)++] = (*time)[i];
    return true;
}

size_t olo_report_contact_count(olo_result *result)
{
    char **names = NULL;
    size_t count = 0;
    if (olo_hdf5_has(result->file, STATUS) &&
        olo_hdf5_get_texts(result->file, STATUS, "columns", &names, &count, NULL) == OLO_OK)
        olo_hdf5_texts_free(names);
    return count;
}

/* The length of a contact's name, which columns continue with a dot. */
static size_t name_length(const char *column, const char *part)
{
    const size_t length = strlen(column), end = strlen(part);
    return length > end && strcmp(column + length - end, part) == 0 ? length - end : length;
}

/* Assigns points to contacts. Both lists have the order of the model. */
static void find_owners(olo_report_contacts *c)
{
    size_t contact = 0;
    for (size_t i = 0; i < c->point_count; i++) {
        const char *point = c->points[3 * i];
        const size_t length = name_length(point, ".point.x");
        while (contact + 1 < c->count && (name_length(c->names[contact], ".status") != length ||
                                          strncmp(c->names[contact], point, length) != 0))
            contact++;
        c->owner[i] = (int32_t)contact++;
    }
}

olo_status olo_report_contacts_begin(olo_report_contacts *c, olo_result *result, size_t frames,
                                     olo_error *error)
{
    *c = (olo_report_contacts){.result = result, .frames = frames};
    if (!olo_hdf5_has(result->file, STATUS))
        return OLO_OK;
    size_t points = 0;
    olo_status status =
        olo_hdf5_get_texts(result->file, STATUS, "columns", &c->names, &c->count, error);
    if (status == OLO_OK && olo_hdf5_has(result->file, POINT))
        status = olo_hdf5_get_texts(result->file, POINT, "columns", &c->points, &points, error);
    c->point_count = points / 3;
    c->row = olo_pool_alloc(&c->pool, 3 * c->count, sizeof *c->row);
    c->status = olo_pool_alloc(&c->pool, frames * c->count, sizeof *c->status);
    c->force = olo_pool_alloc(&c->pool, frames * c->count, 3 * sizeof *c->force);
    c->point = olo_pool_alloc(&c->pool, frames * c->point_count, 3 * sizeof *c->point);
    c->owner = olo_pool_alloc(&c->pool, c->point_count, sizeof *c->owner);
    if (status == OLO_OK && c->pool.failed)
        status = olo_fail(error, OLO_NO_MEMORY, "cannot report '%s': out of memory", result->path);
    if (status == OLO_OK)
        find_owners(c);
    return status;
}

/* One row of a table as floats. */
static olo_status read_floats(olo_report_contacts *c, const char *path, size_t width, size_t row,
                              float *to, olo_error *error)
{
    const size_t first[2] = {row, 0}, size[2] = {1, width};
    if (width == 0)
        return OLO_OK;
    const olo_status status = olo_hdf5_read(c->result->file, path, first, size, c->row, error);
    for (size_t i = 0; status == OLO_OK && i < width; i++)
        to[i] = (float)(isfinite(c->row[i]) ? c->row[i] : 0.0);
    return status;
}

olo_status olo_report_contacts_read(olo_report_contacts *c, size_t frame, size_t row,
                                    olo_error *error)
{
    const size_t first[2] = {row, 0}, size[2] = {1, c->count};
    if (c->count == 0)
        return OLO_OK;
    olo_status status = olo_hdf5_read(c->result->file, STATUS, first, size, c->row, error);
    for (size_t i = 0; status == OLO_OK && i < c->count; i++)
        c->status[frame * c->count + i] = (uint8_t)fmin(fmax(c->row[i], 0.0), 3.0);
    if (status == OLO_OK)
        status = read_floats(c, FORCE, 3 * c->count, row, c->force + 3 * frame * c->count, error);
    if (status == OLO_OK)
        status = read_floats(c, POINT, 3 * c->point_count, row,
                             c->point + 3 * frame * c->point_count, error);
    return status;
}

void olo_report_contacts_write(const olo_report_contacts *c, olo_json *json)
{
    if (c->count == 0)
        return;
    olo_json_open(json, "contacts", '{');
    olo_json_open(json, "names", '[');
    for (size_t i = 0; i < c->count; i++) {
        c->names[i][name_length(c->names[i], ".status")] = '\0';
        olo_json_text(json, NULL, c->names[i]);
    }
    olo_json_close(json);
    olo_json_bytes(json, "status", c->status, c->frames * c->count * sizeof *c->status);
    olo_json_bytes(json, "force", c->force, 3 * c->frames * c->count * sizeof *c->force);
    olo_json_bytes(json, "owner", c->owner, c->point_count * sizeof *c->owner);
    olo_json_bytes(json, "point", c->point, 3 * c->frames * c->point_count * sizeof *c->point);
    olo_json_close(json);
}

void olo_report_contacts_free(olo_report_contacts *c)
{
    olo_hdf5_texts_free(c->names);
    olo_hdf5_texts_free(c->points);
    olo_pool_free(&c->pool);
    *c = (olo_report_contacts){0};
}
