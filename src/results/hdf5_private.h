/* Declarations shared by the files that call HDF5: the open file, and how to enter and leave
 * HDF5. */
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
    bool grows; /* of a journal after its layout has ended: the table has a capacity */
} olo_hdf5_dataset;

struct olo_hdf5 {
    char *path; /* its name in messages */
    hid_t id;
    bool writing;
    bool journal;          /* of files that are read: the checksum covers only a part */
    olo_new_file new_file; /* of files that are written */
    olo_ranges layout;     /* of a journal: what was written before its layout ended */
    olo_hdf5_disk disk;
    olo_hdf5_dataset *tables;
    size_t table_count, table_capacity;
};

/* The error handler of HDF5 before `enter`; the caller of the library may use HDF5 too. */
typedef struct olo_hdf5_caller {
    H5E_auto2_t print;
    void *context;
} olo_hdf5_caller;

/* HDF5 may be called, and its macros used, only between these two calls: one thread at a time, no
 * printing. After a failure in HDF5 (not `ok`) or on disk the text becomes "cannot `what` 'file':
 * reason". */
olo_hdf5_caller olo_hdf5_enter(void);
olo_status olo_hdf5_leave(const olo_hdf5_caller *caller, const olo_hdf5 *file, bool ok,
                          const char *what, olo_error *error);

/* The type of texts of `size` bytes, padded with zeros, UTF-8; negative on failure. */
hid_t olo_hdf5_text_type(size_t size);

#endif
