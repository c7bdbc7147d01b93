/* Contacts in a report: when impacts happened, and what every contact did in the frames of the
 * animation. */
#ifndef OLO_RESULTS_REPORT_CONTACTS_H
#define OLO_RESULTS_REPORT_CONTACTS_H

#include <stdint.h>

#include "base/json.h"
#include "base/pool.h"
#include "results/result_private.h"

/* Bytes per contact and frame before base64: status, force, touching point. */
enum { OLO_REPORT_CONTACT_BYTES = 1 + 6 * sizeof(float) };

/* The times of the rows with impacts whose impulse is not tiny beside the largest of the run, from
 * the pool of the caller. False when memory is exhausted. */
bool olo_report_find_impacts(olo_result *result, olo_pool *pool, double **time, size_t *count);

/* The number of contacts in a result. */
size_t olo_report_contact_count(olo_result *result);

typedef struct olo_report_contacts {
    olo_result *result;
    olo_pool pool;
    size_t frames, count, point_count; /* contacts, and those with a point in space */
    char **names, **points;            /* of the columns */
    double *row;
    uint8_t *status; /* [frames][count] */
    float *force;    /* [frames][count][3] */
    float *point;    /* [frames][point_count][3] */
    int32_t *owner;  /* [point_count] the contact of each point */
} olo_report_contacts;

/* Prepares to read `frames` frames. Free in any case. */
olo_status olo_report_contacts_begin(olo_report_contacts *contacts, olo_result *result,
                                     size_t frames, olo_error *error);
olo_status olo_report_contacts_read(olo_report_contacts *contacts, size_t frame, size_t row,
                                    olo_error *error);
/* Adds "contacts" to the frames of the page, if there are any. */
void olo_report_contacts_write(const olo_report_contacts *contacts, olo_json *json);
void olo_report_contacts_free(olo_report_contacts *contacts);

#endif
