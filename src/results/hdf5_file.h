/* HDF5 files. Only this part of the library calls HDF5. Nothing is printed, every failure is a
 * status with a text that names the file, and calls from several threads wait for each other (HDF5
 * itself is not thread-safe).
 *
 * Paths inside a file start with "/". Texts are UTF-8. A NULL text is written as "". */
#ifndef OLO_RESULTS_HDF5_FILE_H
#define OLO_RESULTS_HDF5_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/status.h"

typedef struct olo_hdf5 olo_hdf5;

/* ---- files ----------------------------------------------------------------------------------- */

/* Creates a file that will replace `path` (base/new_file.h). Until it is published or finished it
 * has no name, and an older file remains. Metadata are written in olo_hdf5_flush and at the end
 * only. */
olo_status olo_hdf5_create(const char *path, olo_hdf5 **result, olo_error *error);

/* The same for a journal, a file that is consistent at every moment, whenever the process is
 * killed. Everything but rows and bytes must be written before olo_hdf5_end_layout. After that only
 * tables with a capacity grow and datasets of bytes change. A flush then writes rows that readers
 * do not access yet and, one by one, the numbers of rows. */
olo_status olo_hdf5_create_journal(const char *path, olo_hdf5 **result, olo_error *error);

/* Ends the layout of a journal: its contents no longer change, and a checksum trailer is added. */
olo_status olo_hdf5_end_layout(olo_hdf5 *journal, olo_error *error);

/* Gives a journal its name; writing continues. Fails when another process writes a journal of that
 * name. `replaced` is the file that is to be replaced, if this process has it open as a journal or
 * with olo_hdf5_open_exclusive; otherwise NULL. */
olo_status olo_hdf5_publish(olo_hdf5 *journal, const olo_hdf5 *replaced, olo_error *error);
/* The same for a journal that ends here: it is completed as by olo_hdf5_finish. */
olo_status olo_hdf5_finish_journal(olo_hdf5 *journal, const olo_hdf5 *replaced, olo_error *error);

/* Completes a file: adds a checksum of the whole file, syncs it to disk, gives it its name, closes
 * and frees it. On failure an older file is unchanged. */
olo_status olo_hdf5_finish(olo_hdf5 *file, olo_error *error);

/* Opens a file for reading. Fails when another process is writing it. Its checksum is verified
 * before HDF5 reads any byte of it. */
olo_status olo_hdf5_open(const char *path, olo_hdf5 **result, olo_error *error);

/* The same for a file that is to be replaced: no other process can open it until it is closed. */
olo_status olo_hdf5_open_exclusive(const char *path, olo_hdf5 **result, olo_error *error);

/* True if a file opened for reading is a journal that its writer could not finish: the checksum
 * trailer does not cover rows and bytes. */
bool olo_hdf5_is_journal(const olo_hdf5 *file);

/* Writes everything to the operating system. The data survive the end of this process. */
olo_status olo_hdf5_flush(olo_hdf5 *file, olo_error *error);

/* The same, and waits until it is on disk. The data survive a power failure. */
olo_status olo_hdf5_sync(olo_hdf5 *file, olo_error *error);

/* True if a published journal still exists under its name. */
bool olo_hdf5_is_there(const olo_hdf5 *journal);

/* Removes a published journal, if it still exists under its name. */
void olo_hdf5_remove(olo_hdf5 *journal);

/* Closes and frees, also on failure; a file without a name is deleted. NULL is allowed. After a
 * failed write this reports that failure again. */
olo_status olo_hdf5_close(olo_hdf5 *file, olo_error *error);

/* For a command, to be called before any other function of this header: HDF5 does not clean up when
 * the process ends. It would print messages about remains of damaged files; our files are closed
 * before. */
void olo_hdf5_skip_exit(void);

/* ---- writing --------------------------------------------------------------------------------- */

/* Creates a group; its parent must exist. */
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
    size_t width;    /* numbers per row; 0: one-dimensional, one number per row */
    size_t rows;     /* expected number of rows; bounds the size of chunks */
    size_t capacity; /* largest number of rows, allocated at creation, for journals; 0: no bound */
    bool integer;    /* stored as 64-bit integers */
    const char *units;       /* attribute; NULL: none */
    const char *description; /* attribute; NULL: none */
} olo_hdf5_table;

/* Creates an empty table; `handle` is valid until the file is closed. */
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

/* ---- reading --------------------------------------------------------------------------------- */

/* True if a group or dataset exists at this path. */
bool olo_hdf5_has(olo_hdf5 *file, const char *path);

/* Rows and columns of a dataset of numbers; a one-dimensional one has one column, a scalar one
 * row. */
olo_status olo_hdf5_shape(olo_hdf5 *file, const char *path, size_t *rows, size_t *columns,
                          olo_error *error);

/* Reads a rectangle of a dataset of numbers, row-major; first[2] and count[2] are rows and
 * columns. */
olo_status olo_hdf5_read(olo_hdf5 *file, const char *path, const size_t first[2],
                         const size_t count[2], double *values, olo_error *error);

/* Reads a dataset of texts as a list that ends with NULL; free with olo_hdf5_texts_free. Only types
 * that this library writes are read: texts of a fixed length, numbers of 64 bits, bytes; and not
 * more of them than the file holds. */
olo_status olo_hdf5_read_texts(olo_hdf5 *file, const char *path, char ***texts, size_t *count,
                               olo_error *error);

/* Attributes. A single text is a list of one. OLO_NOT_FOUND if there is no attribute of that
 * name. */
olo_status olo_hdf5_get_texts(olo_hdf5 *file, const char *object, const char *name, char ***texts,
                              size_t *count, olo_error *error);
olo_status olo_hdf5_get_number(olo_hdf5 *file, const char *object, const char *name, double *value,
                               olo_error *error);

void olo_hdf5_texts_free(char **texts);

#endif
