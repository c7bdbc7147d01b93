/* A text as a file, whole or not at all. */
#ifndef OLO_BASE_TEXT_FILE_H
#define OLO_BASE_TEXT_FILE_H

#include "base/text.h"

/* A failure or the end of the process leaves no half file and spoils no old one, see fresh.h. */
olo_status olo_text_save(const olo_text *text, const char *path, olo_error *error);

/* Makes a folder; fine if it is there. */
olo_status olo_folder_make(const char *path, olo_error *error);

#endif
