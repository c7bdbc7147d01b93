/* The texts and single numbers of a result file that are known at the beginning and at the end of a
 * run. */
#ifndef OLO_RESULTS_RECORD_TEXT_H
#define OLO_RESULTS_RECORD_TEXT_H

#include <stddef.h>

#include "oloid/status.h"
#include "results/hdf5_file.h"
#include "results/record_file.h"

/* A writer stores its first failure and ignores all later calls, so that many small writes need no
 * checks. */
typedef struct olo_writer {
    olo_hdf5 *file;
    olo_status status;
    olo_error *error; /* may be NULL */
} olo_writer;

void olo_writer_fail(olo_writer *w, olo_status status, const char *text);
void olo_writer_group(olo_writer *w, const char *path);
void olo_writer_text(olo_writer *w, const char *object, const char *name, const char *text);
void olo_writer_texts(olo_writer *w, const char *object, const char *name, const char *const *texts,
                      size_t count);
void olo_writer_number(olo_writer *w, const char *object, const char *name, double value);
void olo_writer_integer(olo_writer *w, const char *object, const char *name, long long value);

/* Writes a dataset with all its rows; a dataset of texts. */
void olo_writer_table(olo_writer *w, const olo_hdf5_table *layout, const double *values);
void olo_writer_list(olo_writer *w, const char *path, const char *description,
                     const char *const *texts, size_t count);

/* Writes what is known before the first state (file, model, run) and creates all groups. */
void olo_writer_head(olo_writer *w, const olo_record_subject *subject);

/* Writes what is known at the end: status, summary, verdict. */
void olo_writer_tail(olo_writer *w, const olo_record_end *end);

#endif
