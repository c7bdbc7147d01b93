/* The datasets of a result that grow with the run. All grow together: row i of every one belongs to
 * the same state, and the ledger's row i to the steps from row i - 1 (not included) to it. */
#ifndef OLO_RESULTS_RECORD_STREAMS_H
#define OLO_RESULTS_RECORD_STREAMS_H

#include <stddef.h>

#include "base/pool.h"
#include "oloid/status.h"
#include "results/hdf5_file.h"
#include "results/record_file.h"

/* The streams in their order: these, three for every output, three for every column of the
 * ledger. */
enum {
    OLO_STREAM_TIME,
    OLO_STREAM_STEP,
    OLO_STREAM_Q,
    OLO_STREAM_V,
    OLO_STREAM_POSITION,
    OLO_STREAM_VELOCITY,
    OLO_STREAM_MULTIPLIERS,
    OLO_STREAM_JOINT,
    OLO_STREAM_JOINT_RATE,
    OLO_STREAM_DRIVE,
    OLO_STREAM_REACTION,
    OLO_STREAM_CONTACT_GAP,
    OLO_STREAM_CONTACT_FORCE,
    OLO_STREAM_CONTACT_LOAD,
    OLO_STREAM_CONTACT_STATUS,
    OLO_STREAM_CONTACT_POINT,
    OLO_STREAM_STRAIN,
    OLO_STREAM_STRESS,
    OLO_STREAM_MOMENTUM,
    OLO_STREAM_OUTPUTS
};

typedef struct olo_stream {
    olo_hdf5_table table;
    size_t width;               /* numbers per row; 0: the stream is absent */
    const char *const *columns; /* [width] names, or NULL */
} olo_stream;

typedef struct olo_streams {
    olo_stream *items;
    int count, outputs;
    size_t width; /* of all streams together */
    olo_pool pool;
} olo_streams;

/* The streams of a run. Free in any case; initialise with `{0}`. */
olo_status olo_streams_create(olo_streams *streams, const olo_record_subject *subject,
                              olo_error *error);
void olo_streams_free(olo_streams *streams);

#endif
