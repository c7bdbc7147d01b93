/* A file that replaces another one, whole or not at all. It is written without a name where the
 * file system allows that, else beside the other one under a hidden name that no other process
 * uses, ".NAME.oloid-<process>-<number>"; it gets its name when it is whole. So a failure, a signal
 * or the end of the process leaves no half file and spoils no old one. The hidden name is also used
 * for a moment when a file that was written without a name replaces another one. Files with hidden
 * names that processes left which were killed are removed when the next hidden name for the same
 * file is made.
 *
 * Here is the one rule about what may be written: a path that is not there yet, or a regular file.
 * A symbolic link stays, and the file it names is written. Folders, devices, pipes and sockets are
 * refused, and so is a file that this user may not write. The new file has the permissions of the
 * one that it replaces. */
#ifndef OLO_BASE_NEW_FILE_H
#define OLO_BASE_NEW_FILE_H

#include <stdbool.h>

#include "oloid/status.h"

typedef struct olo_new_file {
    int descriptor; /* for reading and writing; locked */
    char *path;     /* as messages call it */
    char *target;   /* the file that it becomes: links followed */
    char *beside;   /* the hidden name that it has now; NULL: none */
    bool kept;      /* it has become `target` */
} olo_new_file;

/* OLO_BAD_INPUT or OLO_IO when `path` must not or cannot be written, see above; its folder has to
 * be there. */
olo_status olo_new_file_check(const char *path, olo_error *error);

/* OLO_IO when another process holds a lock on the file, since it writes it. */
olo_status olo_new_file_check_is_free(const char *path, olo_error *error);

/* Begins an empty file that is to become `path`. On failure nothing is open. */
olo_status olo_new_file_open(olo_new_file *new_file, const char *path, olo_error *error);

/* Gives it its name, replacing the file that has it; the descriptor stays open. */
olo_status olo_new_file_keep(olo_new_file *new_file, olo_error *error);

/* The same for a file that must not replace one that another process writes: OLO_IO then. `held` is
 * a descriptor by which this process holds a lock on the file to be replaced, or -1. Of several
 * processes that do this at once one succeeds; the others fail. */
olo_status olo_new_file_keep_alone(olo_new_file *new_file, int held, olo_error *error);

/* True if `path` still names it: nobody has removed or replaced it. */
bool olo_new_file_is_there(const olo_new_file *new_file);

/* Closes; one that was not kept is gone. */
void olo_new_file_close(olo_new_file *new_file);

#endif
