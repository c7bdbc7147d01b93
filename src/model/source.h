/* The text of a model file. */
#ifndef OLO_MODEL_SOURCE_H
#define OLO_MODEL_SOURCE_H

#include <stddef.h>

#include "oloid/status.h"

/* Reads a whole file of at most OLO_YAML_MAX_SIZE bytes into `*text`, ended by a zero byte, for
 * the caller to free with olo_free. Fails with OLO_NOT_FOUND if there is none, OLO_IO if it
 * cannot be read or is a directory, OLO_BAD_INPUT if it is too large. */
olo_status olo_source_read(const char *path, char **text, size_t *size, olo_error *error);

#endif
