/* A state: everything that the next step reads, in one block of memory that is copied and saved as
 * a whole.
 *
 * The system defines time, configuration, velocity, joint angles, the sums of the ledger, and those
 * data of the last step that are reported. A state also has segments: named ranges of numbers that
 * belong to another module (a scheme, the predictor, the control of steps). state.c allocates,
 * copies, saves and resets segments without knowledge of their contents. The list of segments is
 * given to the system when it is compiled.
 */
#ifndef OLO_SYSTEM_STATE_H
#define OLO_SYSTEM_STATE_H

#include <stdbool.h>

#include "base/sum.h"
#include "oloid/system.h"

/* A kind of segment. Its memory is an array of doubles, zero in a new state; its owner may store a
 * struct of doubles and ints there. */
typedef struct olo_segment {
    const char *name;
    /* The number of doubles: `fixed`, plus so many per coordinate, constraint row, entry of all
     * twists, joint coordinate, prescribed motion, event and latched row. */
    int fixed, n, m, twists, joint_coordinates, drives, events, latched;
    /* How many of the numbers, from the first one on, mean something. Others are not copied. NULL:
     * all. */
    size_t (*used)(const olo_state *state);
    /* Called after a caller has written q or v, so that data of previous steps are invalid. NULL:
     * all numbers are set to zero. */
    void (*reset)(olo_state *state);
    /* Called after v has changed its sign. NULL: the segment does not change. */
    void (*reverse)(olo_state *state);
    /* True if the numbers are valid. Called after loading. NULL: all numbers are valid. */
    bool (*check)(const olo_state *state);
} olo_segment;

/* A contact over the last step. */
typedef struct olo_contact_record {
    double force[3]; /* mean force on the body of a plane contact, on the second point of others */
    double normal, friction, torque; /* its magnitudes: along the normal, of friction, of spin */
    double impulse;                  /* of impacts, along the normal */
    double sticking, guarded;        /* 1 or 0 */
    double off;                      /* 1: switched off by an event */
} olo_contact_record;
enum { OLO_CONTACT_RECORD_NUMBERS = sizeof(olo_contact_record) / sizeof(double) };

struct olo_state {
    int n, m, twists, joint_coordinates, reaction_count, contact_count, drives, events, latched;
    int parts;
    const olo_segment *const *segments; /* NULL at the end */
    void **segment;                     /* the memory of each */
    size_t size;                        /* bytes of the block */
    double *q;                          /* configuration ... */
    double *q_remainder;                /* ... and its rounding remainder */
    double *v;
    double *angles;     /* joint coordinates that are angles, with full turns; others 0 */
    double *drive_work; /* [drives] work of each prescribed motion since the start of the run ... */
    double *drive_force; /* ... and its force: mean of the last step, or at its end */
    olo_sum *received;   /* [parts] energy that each part received from outside; empty if there is
                            one part */
    double *v_before;    /* the last step: velocity at its start, ... */
    double *lambda;      /* ... its multipliers, ... */
    double *reactions;   /* ... force and moment of each recorded reaction */
    olo_contact_record *contacts; /* ... and what each contact did */
    /* The block of memory that is copied and saved begins here. */
    double t;
    double turned; /* upper bound of the rotation of all angles since `angles` was updated */
    olo_sum work, dissipation;
    olo_sum impact,
        friction;       /* parts of the dissipation: lost in impacts, in friction of contacts */
    olo_sum constraint; /* energy stored in compliant constraints: sum of lambda . dg */
    double h;    /* length of the last step, 0 before the first; of a composed step that of its last
                    part */
    double span; /* length of the whole last step, since v_before */
    double inclusion_residual; /* largest of the contact inclusions of the last step */
    double interval_energy;    /* energy of the last step ... */
    int has_interval_energy;   /* ... if the scheme defines one */
    double numbers[];
};

/* Creates a state whose numbers are zero. */
olo_status olo_state_create(const olo_system *system, olo_state **state, olo_error *error);

/* Sets the forces of prescribed motions from multipliers lambda[m]: -lambda along the coordinate.
 */
void olo_state_set_drive_forces(const olo_system *system, olo_state *state, const double *lambda);

/* Discards all data of previous steps, so that the next step depends on q and v only. For code that
 * writes q or v itself; others use olo_state_set_configuration and olo_state_set_velocity. */
void olo_state_reset_history(olo_state *state);

/* Resets all segments. */
void olo_state_reset_segments(olo_state *state);

/* A state as a block of bytes with a version and a checksum: everything that the next step reads,
 * bit by bit. The size is the same for all states of a system. The state does not change if loading
 * fails. */
size_t olo_state_saved_size(const olo_state *state);
void olo_state_save(const olo_state *state, void *block);
olo_status olo_state_load(olo_state *state, const void *block, size_t size, olo_error *error);

#endif
