/* A hash table of names with linear probing and the hash of Fowler, Noll and Vo (FNV-1a). */
#include "base/names.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 64 }; // a power of two, as all later capacities

static size_t hash(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (size_t)(h ^ (h >> 32));
}

/* The slot of a name, or the free slot where it belongs. */
static size_t slot(const olo_names *names, const char *name)
{
    size_t i = hash(name) & (names->capacity - 1);
    while (names->keys[i] != NULL && strcmp(names->keys[i], name) != 0)
        i = (i + 1) & (names->capacity - 1);
    return i;
}

static bool grow(olo_names *names)
{
    olo_names larger = {.capacity = names->capacity > 0 ? 2 * names->capacity : FIRST_CAPACITY};
    larger.keys = olo_alloc(larger.capacity, sizeof *larger.keys);
    larger.values = olo_alloc(larger.capacity, sizeof *larger.values);
    if (larger.keys == NULL || larger.values == NULL) {
        olo_names_free(&larger);
        return false;
    }
    for (size_t i = 0; i < names->capacity; i++) {
        if (names->keys[i] != NULL) {
            const size_t slot_index = slot(&larger, names->keys[i]);
            larger.keys[slot_index] = names->keys[i];
            larger.values[slot_index] = names->values[i];
            larger.count++;
        }
    }
    olo_names_free(names);
    *names = larger;
    return true;
}

bool olo_names_add(olo_names *names, const char *name, const void *value)
{
    if (2 * (names->count + 1) > names->capacity && !grow(names))
        return false;
    const size_t i = slot(names, name);
    names->keys[i] = name;
    names->values[i] = value;
    names->count++;
    return true;
}

const void *olo_names_find(const olo_names *names, const char *name)
{
    return names->capacity > 0 ? names->values[slot(names, name)] : NULL;
}

void olo_names_free(olo_names *names)
{
    olo_free(names->keys);
    olo_free(names->values);
    *names = (olo_names){0};
}

bool olo_name_is_valid(const char *name)
{
    // independent of the locale
    static const char first[] = "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char other[] = "_-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const size_t length = strlen(name);
    return length > 0 && length <= OLO_NAME_MAX_LENGTH && strchr(first, name[0]) != NULL &&
           strspn(name, other) == length;
}
