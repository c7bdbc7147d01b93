/* Drive forces of a run: range, root mean square and work of each drive. Range and root mean square
 * are those of the mean of two neighbouring steps,
 *
 *     f_n = (f_n-1/2 + f_n+1/2)/2,   rms^2 = sum_n h f_n^2 / T,
 *
 * which is of second order; the work is that of the ledger. */
#include "cli/drives.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/table.h"

olo_status cli_drives_create(cli_drives *drives, const olo_system *system, olo_error *error)
{
    const int count = olo_system_drive_count(system);
    if (count == 0) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "nothing is driven: inverse dynamics needs joints with a 'motion'");
    }
    drives->drives = olo_alloc((size_t)count, sizeof *drives->drives);
    if (drives->drives == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    drives->count = count;
    for (int i = 0; i < count; i++) {
        const int coordinate = olo_system_drive_coordinate(system, i);
        drives->drives[i] =
            (cli_drive){.name = olo_system_joint_coordinate_name(system, coordinate),
                        .least = HUGE_VAL,
                        .most = -HUGE_VAL};
    }
    return OLO_OK;
}

void cli_drives_free(cli_drives *drives)
{
    olo_free(drives->drives);
    *drives = (cli_drives){0};
}

static olo_status on_step(void *context, const olo_system *system, const olo_state *state,
                          long step, const olo_step_report *report, olo_error *error)
{
    cli_drives *drives = context;
    const double t = olo_state_time(state), h = t - drives->last;
    (void)report;
    (void)error;
    for (int i = 0; i < drives->count; i++) {
        cli_drive *drive = &drives->drives[i];
        const double value = olo_system_drive_force(system, state, i);
        drive->work = olo_system_drive_work(system, state, i);
        if (step > 1) {
            const double mean = 0.5 * (value + drive->before);
            drive->least = fmin(drive->least, mean);
            drive->most = fmax(drive->most, mean);
            drive->square_time += h * mean * mean;
        }
        drive->before = value;
    }
    drives->time += step > 1 ? h : 0.0;
    drives->last = t;
    return OLO_OK;
}

olo_observer cli_drives_observer(cli_drives *drives)
{
    olo_observer observer = olo_observer_default();
    observer.context = drives;
    observer.ignores_forces = drives->count == 0;
    observer.step = on_step;
    return observer;
}

static double rms_of(const cli_drives *drives, const cli_drive *drive)
{
    return sqrt(drive->square_time / drives->time); // NaN before the second step
}

void cli_drives_print(const cli_drives *drives, FILE *out)
{
    static const char *const HEADS[] = {"drive", "least", "most", "rms", "work"};
    cli_table table = {0};
    if (drives->count == 0)
        return;
    cli_table_row(&table);
    for (size_t i = 0; i < sizeof HEADS / sizeof *HEADS; i++)
        cli_table_cell(&table, "%s", HEADS[i]);
    for (int i = 0; i < drives->count; i++) {
        const cli_drive *drive = &drives->drives[i];
        cli_table_row(&table);
        cli_table_cell(&table, "%.60s", drive->name);
        cli_table_number(&table, "%.6g", drive->least);
        cli_table_number(&table, "%.6g", drive->most);
        cli_table_number(&table, "%.6g", rms_of(drives, drive));
        cli_table_number(&table, "%.6g", drive->work);
    }
    cli_table_print(&table, out);
}

void cli_drives_json(const cli_drives *drives, olo_json *json)
{
    if (drives->count == 0)
        return;
    olo_json_open(json, "drives", '[');
    for (int i = 0; i < drives->count; i++) {
        const cli_drive *drive = &drives->drives[i];
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "coordinate", drive->name);
        olo_json_number(json, "least", drive->least);
        olo_json_number(json, "most", drive->most);
        olo_json_number(json, "rms", rms_of(drives, drive));
        olo_json_number(json, "work", drive->work);
        olo_json_close(json);
    }
    olo_json_close(json);
}
