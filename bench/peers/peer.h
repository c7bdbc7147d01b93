/* The interface of an engine for the driver (main.c). Each engine is one file that defines
 * `the_peer`, linked with the driver into one program, peer_<engine>.
 */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include <math.h>
#include <stdbool.h>

#include "chain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why something failed. */
typedef struct peer_error {
    char text[2048];
} peer_error;

typedef struct peer {
    const char *name;
    const char *(*version)(void); /* NULL: the engine is not there */
    /* A chain at its start, to be stepped by `method`; `setting` is its step in s, or its
     * tolerance. NULL on failure. The chain outlives the run. */
    void *(*start)(const chain *x, const char *method, double setting, peer_error *error);
    /* Steps to time `until`. What is done here is measured, nothing else. */
    bool (*advance)(void *run, double until, peer_error *error);
    /* Angles and rates of the hinges; the end of the last link and the energy by the engine's own
     * account, the energy NaN if it has none. */
    void (*read)(void *run, double *angles, double *rates, double tip[3], double *energy);
    /* Steps taken so far. */
    long (*steps)(void *run);
    void (*finish)(void *run);
    /* From the start to `end`: the derivatives of the kinetic energy there with respect to the
     * initial angles, then rates. NULL: the engine has none. What is done here is measured, nothing
     * else. */
    bool (*gradient)(void *run, double end, double *derivatives, peer_error *error);
    /* CPU seconds used so far; NULL: those of the thread that calls. */
    double (*seconds)(void);
} peer;

extern const peer the_peer;

/* For engines with fixed steps h: how many of them there are until time t. */
static inline long peer_steps_until(double t, double h)
{
    return lround(t / h);
}

#ifdef __cplusplus
}
#endif
#endif
