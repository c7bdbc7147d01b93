/* Entries of a sparse block whose positions are found once. One function visits the entries of a
 * block: the first time, without numbers, to record their positions; afterwards, in the same order,
 * to add their values. So structure and numbers cannot differ. Entries at the same position are
 * summed. */
#ifndef OLO_CONTROL_ENTRIES_H
#define OLO_CONTROL_ENTRIES_H

#include <stdbool.h>

#include "base/pool.h"
#include "control/nlp.h"

typedef struct olo_entries {
    bool failed;     /* memory was exhausted while recording */
    bool recorded;   /* positions are known */
    size_t visits;   /* entries of one visit */
    size_t capacity; /* while recording */
    long long *keys; /* while recording: position of each visited entry */
    int *slot;       /* [visits] the position to which each visited entry belongs */
    olo_positions positions;
    double *values; /* the values are added here ... */
    size_t next;    /* ... at the slot of this visit */
} olo_entries;

/* Visits an entry. */
static inline void olo_entries_fill(olo_entries *x, double value)
{
    x->values[x->slot[x->next++]] += value;
}
void olo_entries_record(olo_entries *x, int row, int column);
static inline void olo_entries_put(olo_entries *x, int row, int column, double value)
{
    if (x->recorded)
        olo_entries_fill(x, value);
    else
        olo_entries_record(x, row, column);
}

/* After the visit without numbers: finds the positions. Returns false if memory is exhausted. */
bool olo_entries_complete(olo_entries *x, olo_pool *pool);

/* Before a visit: clears `values`[positions.count], to which values are added. */
void olo_entries_begin(olo_entries *x, double *values);

#endif
