/* A dictionary from names to values, with lookup in constant time. */
#ifndef OLO_BASE_NAMES_H
#define OLO_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Open addressing, at most half full. Initialise with `{0}`. */
typedef struct olo_names {
    const char **keys;
    const void **values;
    size_t count, capacity;
} olo_names;

/* Adds a new name; neither name nor value is copied. False when memory is exhausted; the dictionary
 * is then unchanged. */
bool olo_names_add(olo_names *names, const char *name, const void *value);

/* The value of the name, or NULL. */
const void *olo_names_find(const olo_names *names, const char *name);

/* Removes all names; the dictionary may be used again. */
void olo_names_free(olo_names *names);

/* True if a text is a valid name of an element: letters, digits, _ and -, the first a letter or _,
 * at most OLO_NAME_MAX_LENGTH characters. */
bool olo_name_is_valid(const char *name);

enum { OLO_NAME_MAX_LENGTH = 64 };
#define OLO_NAME_RULE                                                                              \
    "a name has letters, digits, _ and -, begins with a letter or _ and has at most 64 characters"

#endif
