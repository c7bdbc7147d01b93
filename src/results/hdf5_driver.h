/* The way of HDF5 to the disk when a file is written. HDF5 does not survive a write that fails: it cannot
 * close the file any more and crashes when the process ends. So this driver remembers the first
 * failure, tells HDF5 that all is well and writes nothing from then on; whoever writes looks at the
 * memory after every call. It also locks the file before truncating it, and syncs it to disk. */
#ifndef OLO_RESULTS_HDF5_DRIVER_H
#define OLO_RESULTS_HDF5_DRIVER_H

#include <stdbool.h>
#include <sys/types.h>

#include <hdf5.h>

/* What the driver and the owner of a file share; must outlive the file. */
typedef struct olo_hdf5_disk {
    int failure;        /* errno of the first failure of opening, writing or syncing; 0: none */
    bool locked;        /* the file could not be opened since another process writes it */
    bool sync;          /* sync to disk when the file is flushed or closed */
    bool never_shorter; /* the file never shrinks: its head may still tell the old length */
    bool opened;        /* the file was opened and locked */
    dev_t device;       /* which file it is */
    ino_t inode;
} olo_hdf5_disk;

/* Makes a file access property list use the driver; negative on failure. */
herr_t olo_hdf5_disk_use(hid_t access, olo_hdf5_disk *disk);

#endif
