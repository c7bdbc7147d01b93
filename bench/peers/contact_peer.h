/* Two models with contacts for the comparison of engines: a ball that bounces with the restitution
 * 0.5, and the woodpecker toy. Each engine is one file that defines `contact_peer_run`, linked with
 * the driver (contact_main.c) into one program, peer_contact_<engine>. */
#ifndef BENCH_PEERS_CONTACT_PEER_H
#define BENCH_PEERS_CONTACT_PEER_H

#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contact_outcome {
    int count;         /* of coordinates */
    double q[3], v[3]; /* at the end */
    double seconds;    /* of CPU time in the steps alone */
    char error[512];   /* why it failed; empty: it did not */
} contact_outcome;

/* Runs "bouncing-ball" or "woodpecker" with `steps` steps of size h. */
void contact_peer_run(const char *model, const char *method, double h, long steps,
                      contact_outcome *outcome);

/* CPU time of this thread. */
static inline double contact_peer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifdef __cplusplus
}
#endif
#endif
