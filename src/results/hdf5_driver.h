/* A file driver through which HDF5 reads and writes a file descriptor that the owner has opened.
 * HDF5 itself cannot handle a failed write: it can no longer close the file and crashes when the
 * process ends. This driver therefore stores the first failure, reports success to HDF5 and writes
 * nothing afterwards. The caller checks the stored failure after every call. The driver also syncs
 * to disk. */
#ifndef OLO_RESULTS_HDF5_DRIVER_H
#define OLO_RESULTS_HDF5_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "results/ranges.h"

/* Data shared by the driver and the owner of a file; must outlive the file. */
typedef struct olo_hdf5_disk {
    int descriptor;     /* owned by the caller */
    uint64_t length;    /* size of the file as HDF5 sees it */
    int failure;        /* errno of the first failure; 0: none */
    hid_t driver;       /* as HDF5 knows it, from use to release; 0: none */
    bool sync;          /* sync to disk when the file is flushed */
    bool never_shorter; /* the file never shrinks: its superblock may contain the old length */
    olo_ranges *log;    /* receives the ranges of all bytes that are written; NULL: none */
} olo_hdf5_disk;

/* Makes a file access property list use the driver; negative on failure. */
herr_t olo_hdf5_disk_use(hid_t access, olo_hdf5_disk *disk);
/* After the file has been closed. If the file held the last reference to the driver, HDF5 would
 * free the driver while it closes the file, and then call it. */
void olo_hdf5_disk_release(olo_hdf5_disk *disk);

#endif
