/* A text as a file, whole or not at all. */
#ifndef OLO_BASE_TEXT_FILE_H
#define OLO_BASE_TEXT_FILE_H

#include "base/text.h"

/* Writes beside the file under another name, then renames: a failure or the end of the process leaves no half file and
 * spoils no old one. */
olo_status olo_text_save(const olo_text *text, const char *path, olo_error *error);

/* Makes a folder; fine if it is there. */
olo_status olo_folder_make(const char *path, olo_error *error);

#endif
