/* Changes of files: every change that the library makes goes through these functions, so that tests
 * can count them, make the n-th one fail, or end the process just before it. */
#ifndef OLO_BASE_WRITE_H
#define OLO_BASE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Creates a file for reading and writing; fails when there is one of that name. Returns the
 * descriptor, or -1. Every function below returns true on success; otherwise errno is set. */
int olo_write_create(const char *path);

/* Creates a file without a name in a folder: it is deleted when it is closed, also when the process
 * is killed, unless olo_write_link names it. Returns the descriptor, or -1; errno is EOPNOTSUPP
 * where the system has no such files. */
int olo_write_open_unnamed(const char *folder);

/* Names a file that was created without a name; fails when there is a file of that name. */
bool olo_write_link(int descriptor, const char *path);

/* The same for a file that has a name, which remains. */
bool olo_write_link_name(const char *from, const char *to);

/* Writes `size` bytes at an offset; continues after signals and short writes. */
bool olo_write_bytes(int descriptor, const void *bytes, size_t size, uint64_t offset);

/* Sets the length of a file; new bytes are zero. */
bool olo_write_resize(int descriptor, uint64_t size);

/* Sets the permissions of a file, as chmod does. */
bool olo_write_mode(int descriptor, unsigned mode);

/* Waits until everything is on disk. */
bool olo_write_sync(int descriptor);

/* Renames a file, replacing the file that has the new name. */
bool olo_write_rename(const char *from, const char *to);

bool olo_write_remove(const char *path);

/* Makes a folder. */
bool olo_write_folder(const char *path);

/* For tests. Changes so far; make the n-th from now (1 = the next) fail once, as on a full disk, 0
 * = never; or end the process there, as kill -9 does, with this exit code. */
enum { OLO_WRITE_ENDED = 99 };
size_t olo_write_count(void);
void olo_write_fail_at(size_t n);
void olo_write_end_at(size_t n);
/* Behaves as a file system that has no files without a name. */
void olo_write_with_names_only(bool only);

#endif
