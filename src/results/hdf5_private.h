/* What the files over HDF5 share: the open file, and how to enter and leave HDF5. */
#ifndef OLO_RESULTS_HDF5_PRIVATE_H
#define OLO_RESULTS_HDF5_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include <hdf5.h>

#include "base/new_file.h"
#include "results/hdf5_driver.h"
#include "results/hdf5_file.h"

typedef struct olo_hdf5_dataset {
    hid_t id;
    int rank;
    hsize_t rows, width;
    bool grows; /* after a journal has settled: it has a capacity */
} olo_hdf5_dataset;

struct olo_hdf5 {
    char *path; /* as messages call it */
    hid_t id;
    bool writing;
    bool journal;          /* of those that are read: only partly sealed */
    olo_new_file new_file; /* of those that are written */
    olo_ranges layout;     /* of a journal: what was written before it settled */
    olo_hdf5_disk disk;
    olo_hdf5_dataset *tables;
    size_t table_count, table_capacity;
};

/* How HDF5 printed errors before we came; the caller of the library may use HDF5 too. */
typedef struct olo_hdf5_caller {
    H5E_auto2_t print;
    void *context;
} olo_hdf5_caller;

/* HDF5 may be called, its names used, only between these two: one thread at a time, no printing.
 * When it went wrong, for HDF5 (not `fine`) or on disk, the text becomes "cannot `what` 'file':
 * reason". */
olo_hdf5_caller olo_hdf5_enter(void);
olo_status olo_hdf5_leave(const olo_hdf5_caller *caller, const olo_hdf5 *file, bool fine,
                          const char *what, olo_error *error);

/* The type of texts of so many bytes, filled up with zeros, UTF-8; negative on failure. */
hid_t olo_hdf5_text_type(size_t size);

#endif
