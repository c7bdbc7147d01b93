/* Writing a text to a file atomically. */
#ifndef OLO_BASE_TEXT_FILE_H
#define OLO_BASE_TEXT_FILE_H

#include "base/text.h"

/* A failure or the end of the process leaves no incomplete file and damages no old one
 * (new_file.h). */
olo_status olo_text_save(const olo_text *text, const char *path, olo_error *error);

/* Makes a folder unless it exists. */
olo_status olo_folder_make(const char *path, olo_error *error);

#endif
