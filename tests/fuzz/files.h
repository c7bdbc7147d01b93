/* Files of a fuzzer, in a folder of its own, in memory where that is possible. */
#ifndef OLO_FUZZ_FILES_H
#define OLO_FUZZ_FILES_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oloid/model.h"
#include "oloid/results.h"
#include "oloid/simulate.h"
#include "oloid/system.h"

static inline void require(int holds)
{
    if (!holds)
        abort();
}

/* Where the files are; made at the first call, gone at the end. */
static char fuzz_folder[64];

static inline void remove_fuzz_folder(void)
{
    (void)rmdir(fuzz_folder);
}

static inline void make_fuzz_folder(void)
{
    strcpy(fuzz_folder,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/oloid-fuzz-XXXXXX" : "/tmp/oloid-fuzz-XXXXXX");
    require(mkdtemp(fuzz_folder) != NULL);
    (void)atexit(remove_fuzz_folder);
}

static inline void put_file(const char *path, const uint8_t *data, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
}

/* All bytes of a file. */
static inline uint8_t *take_file(const char *path, size_t *size)
{
    struct stat facts;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    require(file >= 0 && fstat(file, &facts) == 0);
    *size = (size_t)facts.st_size;
    uint8_t *data = malloc(*size);
    require(data != NULL && pread(file, data, *size, 0) == (ssize_t)*size);
    close(file);
    return data;
}

/* A small model with a bit of everything. */
static const char FUZZ_MODEL[] =
    "name: swing\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {l: 0.5}\n"
    "points:\n"
    "  - {name: bob, mass: 2, position: [l, 0, 0]}\n"
    "bodies:\n"
    "  - {name: top, mass: 1, inertia: [0.1, 0.2, 0.3], angular_velocity: [0, 0.1, 3]}\n"
    "rods:\n"
    "  - {name: arm, between: [ground, bob]}\n"
    "springs:\n"
    "  - {between: [bob, top], stiffness: 2, length: 0.1}\n"
    "outputs:\n"
    "  - {name: nose, on: {on: top, at: [0, 0, 1]}}\n"
    "run: {step: 0.01, end: 0.08, frames: 4, forces: true}\n";

typedef struct fuzz_run {
    olo_model *model;
    olo_system *system;
    olo_state *state;
} fuzz_run;

static inline fuzz_run prepare_run(void)
{
    fuzz_run run = {0};
    require(olo_model_read_text(FUZZ_MODEL, strlen(FUZZ_MODEL), "swing", NULL, 0, &run.model,
                                NULL) == OLO_OK &&
            olo_model_compile(run.model, &run.system, NULL) == OLO_OK &&
            olo_system_create_initial_state(run.system, &run.state, NULL, NULL) == OLO_OK);
    return run;
}

/* Stops a run after a few steps. */
typedef struct fuzz_stop {
    long seen, most;
} fuzz_stop;

static inline bool stop_soon(void *context)
{
    fuzz_stop *stop = context;
    return stop->seen++ >= stop->most;
}

#endif
