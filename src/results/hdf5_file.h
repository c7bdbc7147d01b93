/* HDF5 files: the one place of the library that calls HDF5. Nothing is ever printed, every failure is
 * a status with a text that names the file, and calls from several threads wait for each other (HDF5
 * itself is not thread-safe).
 *
 * Paths inside a file start with "/". Texts are UTF-8. A NULL text is written as "". */
#ifndef OLO_RESULTS_HDF5_FILE_H
#define OLO_RESULTS_HDF5_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/status.h"

typedef struct olo_hdf5 olo_hdf5;

/* ---- files ------------------------------------------------------------------------------------ */

/* Creates a file, replacing one that is there unless another process is writing it. Metadata reach
 * the disk in olo_hdf5_flush and olo_hdf5_close only, so that what a killed process leaves is the file
 * as last flushed. */
olo_status olo_hdf5_create(const char *path, olo_hdf5 **result, olo_error *error);

/* Opens a file for reading. */
olo_status olo_hdf5_open(const char *path, olo_hdf5 **result, olo_error *error);

/* Hands everything to the operating system. */
olo_status olo_hdf5_flush(olo_hdf5 *file, olo_error *error);

/* Closes and frees, also when that fails; with `sync` the contents are on disk afterwards. NULL is fine.
 * After a failed write this reports that failure again. */
olo_status olo_hdf5_close(olo_hdf5 *file, bool sync, olo_error *error);

/* ---- writing ---------------------------------------------------------------------------------- */

/* Creates a group; its parent must be there. */
olo_status olo_hdf5_add_group(olo_hdf5 *file, const char *path, olo_error *error);

/* Sets an attribute of a group or dataset ("/" for the file), replacing one of that name. */
olo_status olo_hdf5_set_text(olo_hdf5 *file, const char *object, const char *name, const char *text,
                             olo_error *error);
olo_status olo_hdf5_set_texts(olo_hdf5 *file, const char *object, const char *name,
                              const char *const *texts, size_t count, olo_error *error);
olo_status olo_hdf5_set_number(olo_hdf5 *file, const char *object, const char *name, double value,
                               olo_error *error);
olo_status olo_hdf5_set_integer(olo_hdf5 *file, const char *object, const char *name,
                                long long value, olo_error *error);

/* A dataset of numbers that grows by rows. */
typedef struct olo_hdf5_table {
    const char *path;
    size_t width;            /* numbers a row; 0: one-dimensional, one number a row */
    size_t rows;             /* that will come, about: bounds the pieces the file is allocated in */
    bool integer;            /* stored as 64-bit integers */
    const char *units;       /* attribute; NULL: none */
    const char *description; /* attribute; NULL: none */
} olo_hdf5_table;

/* Creates an empty table; `handle` is good until the file is closed. */
olo_status olo_hdf5_add_table(olo_hdf5 *file, const olo_hdf5_table *layout, int *handle,
                              olo_error *error);

/* Appends rows, row-major. */
olo_status olo_hdf5_append(olo_hdf5 *file, int handle, size_t rows, const double *values,
                           olo_error *error);

/* Writes a dataset of one text, or of a list of texts, with a description as its attribute. */
olo_status olo_hdf5_write_text(olo_hdf5 *file, const char *path, const char *description,
                               const char *text, olo_error *error);
olo_status olo_hdf5_write_texts(olo_hdf5 *file, const char *path, const char *description,
                                const char *const *texts, size_t count, olo_error *error);

/* ---- reading ---------------------------------------------------------------------------------- */

/* True if there is a group or dataset at this path. */
bool olo_hdf5_has(olo_hdf5 *file, const char *path);

/* Rows and columns of a dataset; a one-dimensional one has one column, a scalar one row. */
olo_status olo_hdf5_shape(olo_hdf5 *file, const char *path, size_t *rows, size_t *columns,
                          olo_error *error);

/* A rectangle of a dataset of numbers, row-major, first[2] and count[2] are rows and columns. */
olo_status olo_hdf5_read(olo_hdf5 *file, const char *path, const size_t first[2],
                         const size_t count[2], double *values, olo_error *error);

/* A dataset of texts as a list that ends with NULL; free with olo_hdf5_texts_free. */
olo_status olo_hdf5_read_texts(olo_hdf5 *file, const char *path, char ***texts, size_t *count,
                               olo_error *error);

/* Attributes. Text is a list of one for a single text. OLO_NOT_FOUND if there is none of that name. */
olo_status olo_hdf5_get_texts(olo_hdf5 *file, const char *object, const char *name, char ***texts,
                              size_t *count, olo_error *error);
olo_status olo_hdf5_get_number(olo_hdf5 *file, const char *object, const char *name, double *value,
                               olo_error *error);

void olo_hdf5_texts_free(char **texts);

#endif
