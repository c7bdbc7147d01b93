/* The way of HDF5 to the disk: a file that its owner has opened. HDF5 does not survive a write that
 * fails: it cannot close the file any more and crashes when the process ends. So this driver
 * remembers the first failure, tells HDF5 that all is well and writes nothing from then on; whoever
 * writes looks at the memory after every call. It also syncs to disk. */
#ifndef OLO_RESULTS_HDF5_DRIVER_H
#define OLO_RESULTS_HDF5_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "results/ranges.h"

/* What the driver and the owner of a file share; must outlive the file. */
typedef struct olo_hdf5_disk {
    int descriptor;  /* belongs to the owner */
    uint64_t length; /* bytes that HDF5 sees; as many as it has written */
    int failure; /* errno of the first failure of memory, reading, writing or syncing; 0: none */
    bool sync;   /* sync to disk when the file is flushed */
    bool never_shorter; /* the file never shrinks: its head may still tell the old length */
    olo_ranges *log;    /* gets the places of everything that is written; NULL: none */
} olo_hdf5_disk;

/* Makes a file access property list use the driver; negative on failure. */
herr_t olo_hdf5_disk_use(hid_t access, olo_hdf5_disk *disk);

#endif
