/* Trajectories from files; see the header. */
#include "control/trajectory.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/suggest.h"

enum { COLUMNS_MAX = 4096 };

/* The whole file, ended by a zero byte, in memory of the caller. */
static olo_status read_text(const char *path, char **text, olo_error *error)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0, capacity = 0;
    olo_status status = OLO_OK;
    *text = NULL;
    if (!file)
        return olo_fail(error, OLO_IO, "cannot open '%s'", path);
    for (bool more = true; more && status == OLO_OK;) {
        char *grown = olo_grow(*text, length, &capacity, 1);
        if (!grown) {
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for '%s'", path);
            break;
        }
        *text = grown;
        const size_t got = fread(*text + length, 1, capacity - length, file);
        more = got > 0;
        length += got;
        if (!more)
            (*text)[length] = '\0';
    }
    if (status == OLO_OK && ferror(file))
        status = olo_fail(error, OLO_IO, "cannot read '%s'", path);
    (void)fclose(file);
    if (status != OLO_OK)
        *text = olo_free(*text);
    return status;
}

/* Ends the line at `text`; returns the next one, NULL after the last. */
static char *end_line(char *text)
{
    char *end = text + strcspn(text, "\r\n"), *next = end;
    while (*next == '\r' || *next == '\n')
        next++;
    const bool last = *next == '\0';
    *end = '\0';
    return last ? NULL : next;
}

/* The number of the column with this name. */
static olo_status find_column(const char *path, char *line, const char *column, int *number,
                              olo_error *error)
{
    const char *names[COLUMNS_MAX];
    int count = 0;
    *number = -1;
    for (char *name = line; name && count < COLUMNS_MAX; count++) {
        char *comma = strchr(name, ',');
        if (comma)
            *comma = '\0';
        names[count] = name;
        if (count > 0 && strcmp(name, column) == 0)
            *number = count;
        name = comma ? comma + 1 : NULL;
    }
    if (*number >= 0)
        return OLO_OK;
    const char *near = olo_suggest(column, names, (size_t)count);
    return olo_fail(error, OLO_NOT_FOUND, "%s:1: there is no column '%s'%s%s%s", path, column,
                    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A number of a line; false if there is none. */
static bool take_number(const char *line, int column, double *value)
{
    char *end;
    for (int i = 0; line && i < column; i++) {
        line = strchr(line, ',');
        line = line ? line + 1 : NULL;
    }
    if (!line)
        return false;
    *value = strtod(line, &end);
    return end != line && (*end == ',' || *end == '\0') && isfinite(*value);
}

static olo_status read_rows(const char *path, char *text, int column, olo_trajectory *x,
                            olo_error *error)
{
    for (int number = 2; text; number++) {
        char *next = end_line(text);
        double *time = &x->time[x->count], *value = &x->value[x->count];
        if (!take_number(text, 0, time) || !take_number(text, column, value))
            return olo_fail(error, OLO_BAD_INPUT,
                            "%s:%d: a row needs a time and a value, both finite numbers", path,
                            number);
        if (x->count > 0 && !(*time > time[-1]))
            return olo_fail(error, OLO_BAD_INPUT, "%s:%d: times must ascend, got %g after %g", path,
                            number, *time, time[-1]);
        x->count++;
        text = next;
    }
    return OLO_OK;
}

static olo_status parse(const char *path, char *text, const char *column, olo_pool *pool,
                        olo_trajectory *x, olo_error *error)
{
    size_t lines = 1;
    int number;
    for (const char *c = text; *c; c++)
        lines += *c == '\n' || *c == '\r';
    char *next = end_line(text);
    olo_status status = find_column(path, text, column, &number, error);
    const olo_array arrays[] = {{&x->time, lines}, {&x->value, lines}};
    if (status == OLO_OK && !olo_pool_arrays(pool, arrays, 2))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for '%s'", path);
    return status == OLO_OK ? read_rows(path, next, number, x, error) : status;
}

olo_status olo_trajectory_read(const char *path, const char *column, double start, double end,
                               olo_pool *pool, olo_trajectory *x, olo_error *error)
{
    char *text;
    *x = (olo_trajectory){0};
    olo_status status = read_text(path, &text, error);
    if (status == OLO_OK)
        status = parse(path, text, column, pool, x, error);
    olo_free(text);
    const double slack = 1e-9 * (end - start); /* of rounded times */
    if (status == OLO_OK &&
        (x->count < 2 || x->time[0] > start + slack || x->time[x->count - 1] < end - slack))
        status = olo_fail(error, OLO_BAD_INPUT,
                          "%s: the times must cover %g to %g, the end of the motion, in at least "
                          "two rows",
                          path, start, end);
    return status;
}

double olo_trajectory_value(const olo_trajectory *x, double t)
{
    int low = 0, high = x->count - 1;
    if (t <= x->time[0] || t >= x->time[high])
        return x->value[t <= x->time[0] ? 0 : high];
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(x->time[middle] <= t ? &low : &high) = middle;
    }
    const double part = (t - x->time[low]) / (x->time[high] - x->time[low]);
    return (1 - part) * x->value[low] + part * x->value[high];
}
