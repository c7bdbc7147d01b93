/* A result file written to a stream in some format. */
#ifndef OLO_RESULTS_STREAM_H
#define OLO_RESULTS_STREAM_H

#include <stdio.h>

#include "oloid/results.h"

/* Opens the result, writes it, and checks that the stream accepted it. */
olo_status olo_result_stream(const char *path, FILE *out,
                             olo_status (*write)(olo_result *result, FILE *out, olo_error *error),
                             olo_error *error);

#endif
