/* A file that replaces another one atomically. It is written without a name where the file system
 * allows that, else beside the other one under a hidden name that no other process uses,
 * ".NAME.oloid-<process>-<number>". It gets its name when it is complete. So a failure, a signal or
 * the end of the process leaves no incomplete file and damages no old one. The hidden name is also
 * used for a moment when a file that was written without a name replaces another one. Hidden files
 * of killed processes are removed when the next file with the same path is opened.
 *
 * The rule about what may be written: a path that does not exist yet, or a regular file. A symbolic
 * link remains, and the file that it names is replaced. Folders, devices, pipes and sockets are
 * refused, and so is a file without write permission. The new file has the permissions of the one
 * that it replaces. */
#ifndef OLO_BASE_NEW_FILE_H
#define OLO_BASE_NEW_FILE_H

#include <stdbool.h>

#include "oloid/status.h"

typedef struct olo_new_file {
    int descriptor; /* for reading and writing; locked */
    char *path;     /* its name in messages */
    char *target;   /* the path that it will get: links followed */
    char *hidden;   /* its present hidden name; NULL: none */
    bool published; /* it has the name `target` */
} olo_new_file;

/* OLO_BAD_INPUT or OLO_IO when `path` must not or cannot be written, see above; its folder must
 * exist. */
olo_status olo_new_file_check(const char *path, olo_error *error);

/* OLO_IO when another process holds a lock on the file, because it is writing it. */
olo_status olo_new_file_check_is_free(const char *path, olo_error *error);

/* Creates an empty file that will get the name `path`. On failure nothing is open. */
olo_status olo_new_file_open(olo_new_file *new_file, const char *path, olo_error *error);

/* Gives it its name, replacing the file that has this name; the descriptor remains open. */
olo_status olo_new_file_publish(olo_new_file *new_file, olo_error *error);

/* The same for a file that must not replace one that another process writes: OLO_IO then.
 * `replaced` is a descriptor by which this process holds a lock on the file to be replaced, or -1.
 * Of several processes that do this at once one succeeds; the others fail. */
olo_status olo_new_file_publish_exclusive(olo_new_file *new_file, int replaced, olo_error *error);

/* True if `path` still names this file: it has not been removed or replaced. */
bool olo_new_file_is_there(const olo_new_file *new_file);

/* Closes the file; a file that was not published is deleted. */
void olo_new_file_close(olo_new_file *new_file);

#endif
