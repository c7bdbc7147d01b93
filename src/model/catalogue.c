/* The catalogue: files *.yaml in the directory of OLOID_MODELS, beside the running program or
 * library, in the directory for which it was configured, and in that of the build. Of files with
 * the same name the first one is used. */
#define _GNU_SOURCE /* dladdr */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "oloid/model.h"

#define SUFFIX ".yaml"

typedef struct item {
    const char *name, *file;
    size_t found; // before those found later
} item;

struct olo_catalogue {
    olo_pool pool;
    item *items;
    size_t count, capacity;
};

static olo_status out_of_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for the catalogue");
}

static olo_status add(olo_catalogue *catalogue, const char *directory, const char *entry,
                      olo_error *error)
{
    const size_t length = strlen(entry), suffix = strlen(SUFFIX);
    if (length <= suffix || entry[0] == '.' || strcmp(entry + length - suffix, SUFFIX) != 0)
        return OLO_OK;
    item *items = olo_grow(catalogue->items, catalogue->count, &catalogue->capacity, sizeof *items);
    if (!items)
        return out_of_memory(error);
    catalogue->items = items;
    const size_t path_length = strlen(directory) + 1 + length;
    char *file = olo_pool_alloc(&catalogue->pool, path_length + 1, 1);
    const char *name = olo_pool_text(&catalogue->pool, entry, length - suffix);
    if (!file || !name)
        return out_of_memory(error);
    strcat(strcat(strcpy(file, directory), "/"), entry);
    items[catalogue->count] = (item){name, file, catalogue->count};
    catalogue->count++;
    return OLO_OK;
}

/* Adds the models of a directory. A missing directory is an error only if the user named it. */
static olo_status add_directory(olo_catalogue *catalogue, const char *directory, bool asked_for,
                                olo_error *error)
{
    DIR *entries = opendir(directory);
    if (!entries) {
        return asked_for ? olo_fail(error, OLO_IO, "OLOID_MODELS: '%s' cannot be read: %s",
                                    directory, strerror(errno))
                         : OLO_OK;
    }
    olo_status status = OLO_OK;
    for (const struct dirent *entry = readdir(entries); entry && status == OLO_OK;
         entry = readdir(entries))
        status = add(catalogue, directory, entry->d_name, error);
    (void)closedir(entries);
    return status;
}

/* Adds the models beside the file that contains this code, a program or a shared library: in its
 * own folder as in the Python package, or in share/ as in an installation, which may be moved. */
static olo_status add_beside(olo_catalogue *catalogue, olo_error *error)
{
    static const char *const folders[] = {"models", "../share/oloid/models",
                                          "../../share/oloid/models"};
    Dl_info info = {0};
    char file[PATH_MAX], path[PATH_MAX + 64], directory[PATH_MAX];
    if (dladdr((const void *)&folders, &info) == 0 || !info.dli_fname)
        return OLO_OK;
    /* of a program it is the word by which it was called, which need not be a path */
    const char *name = strstr(info.dli_fname, ".so") ? info.dli_fname : "/proc/self/exe";
    char *slash = realpath(name, file) ? strrchr(file, '/') : NULL;
    olo_status status = OLO_OK;
    for (size_t i = 0; slash && status == OLO_OK && i < sizeof folders / sizeof *folders; i++) {
        *slash = '\0';
        (void)snprintf(path, sizeof path, "%s/%s", file, folders[i]);
        if (realpath(path, directory))
            status = add_directory(catalogue, directory, false, error);
    }
    return status;
}

static int compare(const void *left, const void *right)
{
    const item *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : a->found < b->found ? -1 : a->found > b->found;
}

/* Sorts by name; of equal names only the first one found remains. */
static void sort(olo_catalogue *catalogue)
{
    if (catalogue->count == 0)
        return;
    qsort(catalogue->items, catalogue->count, sizeof *catalogue->items, compare);
    size_t unique = 1;
    for (size_t i = 1; i < catalogue->count; i++)
        if (strcmp(catalogue->items[unique - 1].name, catalogue->items[i].name) != 0)
            catalogue->items[unique++] = catalogue->items[i];
    catalogue->count = unique;
}

olo_status olo_catalogue_open(olo_catalogue **catalogue, olo_error *error)
{
    *catalogue = NULL;
    olo_catalogue *c = olo_alloc(1, sizeof *c);
    if (!c)
        return out_of_memory(error);
    olo_status status = OLO_OK;
    const char *chosen = getenv("OLOID_MODELS");
    if (chosen && chosen[0] != '\0')
        status = add_directory(c, chosen, true, error);
    if (status == OLO_OK)
        status = add_beside(c, error);
#ifdef OLO_MODELS_INSTALL_DIR
    if (status == OLO_OK)
        status = add_directory(c, OLO_MODELS_INSTALL_DIR, false, error);
#endif
#ifdef OLO_MODELS_BUILD_DIR
    if (status == OLO_OK)
        status = add_directory(c, OLO_MODELS_BUILD_DIR, false, error);
#endif
    if (status != OLO_OK) {
        olo_catalogue_free(c);
        return status;
    }
    sort(c);
    *catalogue = c;
    return OLO_OK;
}

int olo_catalogue_count(const olo_catalogue *catalogue)
{
    return (int)catalogue->count;
}

const char *olo_catalogue_name(const olo_catalogue *catalogue, int index)
{
    return catalogue->items[index].name;
}

const char *olo_catalogue_file(const olo_catalogue *catalogue, int index)
{
    return catalogue->items[index].file;
}

void olo_catalogue_free(olo_catalogue *catalogue)
{
    if (catalogue) {
        olo_free(catalogue->items);
        olo_pool_free(&catalogue->pool);
        olo_free(catalogue);
    }
}
