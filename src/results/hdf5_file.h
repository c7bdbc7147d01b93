/* HDF5 files: the one place of the library that calls HDF5. Nothing is ever printed, every failure
 * is a status with a text that names the file, and calls from several threads wait for each other
 * (HDF5 itself is not thread-safe).
 *
 * Paths inside a file start with "/". Texts are UTF-8. A NULL text is written as "". */
#ifndef OLO_RESULTS_HDF5_FILE_H
#define OLO_RESULTS_HDF5_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/status.h"

typedef struct olo_hdf5 olo_hdf5;

/* ---- files ------------------------------------------------------------------------------------
 */

/* Begins a file that is to become `path`, see base/new_file.h: until it is kept or finished it has
 * no name, and an older file stays. Metadata reach the disk in olo_hdf5_flush and at the end only.
 */
olo_status olo_hdf5_create(const char *path, olo_hdf5 **result, olo_error *error);

/* The same for a journal, a file that is whole at every moment, whenever the process is killed:
 * everything but rows and bytes is to be written before olo_hdf5_settle; after it only tables with
 * a capacity grow and bytes change. What a flush writes then are rows where no reader looks yet
 * and, one by one, the numbers of rows. */
olo_status olo_hdf5_create_journal(const char *path, olo_hdf5 **result, olo_error *error);

/* Ends the layout of a journal: all that is there stays as it is, and gets a seal. */
olo_status olo_hdf5_settle(olo_hdf5 *journal, olo_error *error);

/* Gives a journal its name; it goes on. Fails when another process writes a journal of that name.
 * `held` is the file that is to be replaced, if this process has it open as a journal or with
 * olo_hdf5_open_alone; or NULL. */
olo_status olo_hdf5_keep(olo_hdf5 *journal, const olo_hdf5 *held, olo_error *error);
/* The same for one that goes on no further: it is completed as by olo_hdf5_finish. */
olo_status olo_hdf5_finish_journal(olo_hdf5 *journal, const olo_hdf5 *held, olo_error *error);

/* Completes a file: seals it as a whole, brings it to disk, gives it its name, closes and frees it.
 * On failure an older file is as before. */
olo_status olo_hdf5_finish(olo_hdf5 *file, olo_error *error);

/* Opens a file for reading. Fails when another process is writing it, and when its seal says that
 * it is damaged, before HDF5 sees a byte of it. */
olo_status olo_hdf5_open(const char *path, olo_hdf5 **result, olo_error *error);

/* The same for a file that is to be replaced: no other process opens it meanwhile. */
olo_status olo_hdf5_open_alone(const char *path, olo_hdf5 **result, olo_error *error);

/* True if a file opened for reading is a journal that its writer could not finish: rows and bytes
 * have no seal. */
bool olo_hdf5_is_journal(const olo_hdf5 *file);

/* Hands everything to the operating system: safe from the end of this process. */
olo_status olo_hdf5_flush(olo_hdf5 *file, olo_error *error);

/* The same, and waits until it is on disk: safe from the end of the power. */
olo_status olo_hdf5_sync(olo_hdf5 *file, olo_error *error);

/* True if a journal that was kept is still there by its name. */
bool olo_hdf5_is_there(const olo_hdf5 *journal);

/* Removes a journal that was kept, if it is still there by its name. */
void olo_hdf5_remove(olo_hdf5 *journal);

/* Closes and frees, also when that fails; a file that has no name is gone then. NULL is fine. After
 * a failed write this reports that failure again. */
olo_status olo_hdf5_close(olo_hdf5 *file, olo_error *error);

/* For a command, before anything else here: HDF5 does not tidy up when the process ends. It would
 * complain then about what a damaged file left in its memory; our files are closed long before. */
void olo_hdf5_skip_exit(void);

/* ---- writing ----------------------------------------------------------------------------------
 */

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
    size_t width;            /* numbers per row; 0: one-dimensional, one number per row */
    size_t rows;             /* that will come, about: bounds the pieces the file is allocated in */
    size_t capacity;         /* rows it can ever have, allocated now, for journals; 0: no bound */
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

/* Creates a dataset of `size` bytes; writes and reads all of them. */
olo_status olo_hdf5_add_bytes(olo_hdf5 *file, const char *path, size_t size,
                              const char *description, olo_error *error);
olo_status olo_hdf5_put_bytes(olo_hdf5 *file, const char *path, const void *bytes,
                              olo_error *error);
olo_status olo_hdf5_count_bytes(olo_hdf5 *file, const char *path, size_t *size, olo_error *error);
olo_status olo_hdf5_get_bytes(olo_hdf5 *file, const char *path, void *bytes, size_t size,
                              olo_error *error);

/* Writes a dataset of one text, or of a list of texts, with a description as its attribute. */
olo_status olo_hdf5_write_text(olo_hdf5 *file, const char *path, const char *description,
                               const char *text, olo_error *error);
olo_status olo_hdf5_write_texts(olo_hdf5 *file, const char *path, const char *description,
                                const char *const *texts, size_t count, olo_error *error);

/* ---- reading ----------------------------------------------------------------------------------
 */

/* True if there is a group or dataset at this path. */
bool olo_hdf5_has(olo_hdf5 *file, const char *path);

/* Rows and columns of a dataset of numbers; a one-dimensional one has one column, a scalar one row.
 */
olo_status olo_hdf5_shape(olo_hdf5 *file, const char *path, size_t *rows, size_t *columns,
                          olo_error *error);

/* A rectangle of a dataset of numbers, row-major, first[2] and count[2] are rows and columns. */
olo_status olo_hdf5_read(olo_hdf5 *file, const char *path, const size_t first[2],
                         const size_t count[2], double *values, olo_error *error);

/* A dataset of texts as a list that ends with NULL; free with olo_hdf5_texts_free. Nothing is read
 * but what this library writes: texts of a fixed length, numbers of 64 bits, bytes, no more of them
 * than the file holds. */
olo_status olo_hdf5_read_texts(olo_hdf5 *file, const char *path, char ***texts, size_t *count,
                               olo_error *error);

/* Attributes. Text is a list of one for a single text. OLO_NOT_FOUND if there is none of that name.
 */
olo_status olo_hdf5_get_texts(olo_hdf5 *file, const char *object, const char *name, char ***texts,
                              size_t *count, olo_error *error);
olo_status olo_hdf5_get_number(olo_hdf5 *file, const char *object, const char *name, double *value,
                               olo_error *error);

void olo_hdf5_texts_free(char **texts);

#endif
