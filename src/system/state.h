/* A state: all that the next step reads, in one block of memory that is copied and saved as a
 * whole.
 *
 * The system itself knows time, configuration and velocity, joint angles, the sums of the ledger,
 * and what of the last step is reported. Beside these a state has segments: named stretches of
 * numbers that belong to whoever declares them (a scheme, the predictor, the control of steps).
 * state.c sizes, copies, saves and resets segments without knowing any of them; which ones a state
 * has is a list that the system was given when it was compiled.
 */
#ifndef OLO_SYSTEM_STATE_H
#define OLO_SYSTEM_STATE_H

#include <stdbool.h>

#include "base/sum.h"
#include "oloid/system.h"

/* A kind of segment. Its memory is as many doubles as it asks for, zero in a new state; its owner
 * may keep a struct of doubles and ints there. */
typedef struct olo_segment {
    const char *name;
    /* How many numbers: `fixed`, and so many per coordinate, constraint row, entry of all twists,
     * joint coordinate and prescribed motion. */
    int fixed, n, m, twists, joint_coordinates, drives;
    /* Somebody has written to q or v: what was known about the last steps no longer holds. NULL:
     * all its numbers become zero. */
    void (*reset)(olo_state *state);
    /* v has changed its sign. NULL: the segment stays as it is. */
    void (*reverse)(olo_state *state);
    /* May these numbers have been saved? Asked after loading. NULL: any may. */
    bool (*check)(const olo_state *state);
} olo_segment;

struct olo_state {
    int n, m, twists, joint_coordinates, reaction_count, drives, parts;
    const olo_segment *const *segments; /* NULL at the end */
    void **segment;                     /* the memory of each */
    size_t size;                        /* bytes of the block */
    double *q;                          /* configuration ... */
    double *q_remainder;                /* ... and what rounding left of it */
    double *v;
    double *angles;     /* joint coordinates that are angles, turns counted; others 0 */
    double *drive_work; /* [drives] work of each prescribed motion since the start */
    olo_sum *received;  /* [parts] energy that each part received from outside; none of a single
                           part */
    double *v_before;   /* the last step: velocity at its start, ... */
    double *lambda;     /* ... its multipliers, ... */
    double *reactions;  /* ... force and moment of each recorded reaction */
    /* The block begins. */
    double t;
    double turned; /* no angle has turned further from `angles` */
    olo_sum work, dissipation;
    olo_sum constraint; /* energy that constraints which give way have taken up: sum of
                           lambda . dg */
    double h;    /* size of the last step, 0 before the first; of a composed one that of its last
                    part */
    double span; /* the whole last step, since v_before */
    double interval_energy;  /* of the last step by itself ... */
    int has_interval_energy; /* ... where the scheme has one */
    double numbers[];
};

/* A zeroed state of the right size. */
olo_status olo_state_create(const olo_system *system, olo_state **state, olo_error *error);

/* Resets all segments. */
/* Discards what belongs to the last steps: the next one starts afresh from q and v. For code that
 * writes q or v itself; others use olo_state_set_configuration and olo_state_set_velocity. */
void olo_state_reset_history(olo_state *state);

void olo_state_reset_segments(olo_state *state);

/* A state as a block of bytes with a version and a checksum: all that the next step reads, to the
 * last bit. The size is the same for all states of a system. Loading leaves the state alone when it
 * fails. */
size_t olo_state_saved_size(const olo_state *state);
void olo_state_save(const olo_state *state, void *block);
olo_status olo_state_load(olo_state *state, const void *block, size_t size, olo_error *error);

#endif
