/* Inverse dynamics: statistics of the drive forces of a run. */
#ifndef OLO_CLI_DRIVES_H
#define OLO_CLI_DRIVES_H

#include <stdio.h>

#include "base/json.h"
#include "oloid/simulate.h"

/* The force or torque of a drive over a run. Extremes and mean square are those of means of two
 * neighbouring steps, which are of second order; the work is that of the ledger. */
typedef struct cli_drive {
    const char *name; /* of the joint coordinate */
    double least, most, square_time, work;
    double before; /* force of the last step */
} cli_drive;

/* Starts as `{0}`. */
typedef struct cli_drives {
    int count;
    cli_drive *drives;
    double time; /* covered by the means */
    double last; /* time of the last state */
} cli_drives;

/* Fails when no joint of the model has a prescribed motion. */
olo_status cli_drives_create(cli_drives *drives, const olo_system *system, olo_error *error);
void cli_drives_free(cli_drives *drives);
olo_observer cli_drives_observer(cli_drives *drives);

/* Prints a table, or writes an array `drives`; both do nothing when there are no drives. */
void cli_drives_print(const cli_drives *drives, FILE *out);
void cli_drives_json(const cli_drives *drives, olo_json *json);

#endif
