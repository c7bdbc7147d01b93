/* Reads a model of the catalogue, runs it, records a result and reads the result back.
 *
 * The heavy top precesses with the constant rate 10 rad/s. Its centre of mass is at
 *
 *     (x, y) = L sin 60 deg (sin 10 t, -cos 10 t),   z = L cos 60 deg = 0.0375.
 *
 * The program compares the recorded path with this, and checks the verdict of the run.
 *
 *     cc read_and_run.c $(pkg-config --cflags --libs oloid) -lm -o read_and_run && ./read_and_run
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "oloid/oloid.h"

#define RESULT "read_and_run.h5"

/* Runs the model into RESULT. */
static olo_status simulate(const olo_model *model, olo_error *error)
{
    const olo_run *run = olo_model_run(model); /* the section `run` of the file */
    olo_system *system = NULL;
    olo_state *state = NULL;
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};

    olo_status status = olo_model_compile(model, &system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &state, NULL, error);
    if (status == OLO_OK)
        status = olo_recorder_create(RESULT, model, system, run, "read_and_run", &recorder, error);
    if (status == OLO_OK) {
        const olo_observer observer = olo_recorder_observer(recorder);
        status = olo_simulate(system, run, state, &observer, 1, &summary, error);
        /* also for a run that failed: its file then has the status and the error */
        olo_status written = olo_recorder_finish(recorder, &summary, status, error);
        if (status == OLO_OK)
            status = written;
    }
    if (status == OLO_OK)
        printf("%s: %ld steps, %.1f iterations per step\n", olo_model_name(model), summary.steps,
               (double)summary.iterations / (double)summary.steps);
    olo_recorder_free(recorder);
    olo_state_free(state);
    olo_system_free(system);
    return status;
}

/* Largest distance of the recorded path from the exact one. */
static olo_status compare(olo_result *result, double *distance, olo_error *error)
{
    static const char *const columns[] = {"time", "center.position.x", "center.position.y",
                                          "center.position.z"};
    const size_t rows = (size_t)olo_result_row_count(result);
    const double L = 0.075, pi = acos(-1.0);
    olo_status status = OLO_OK;
    double *x = malloc(4 * rows * sizeof *x);
    if (!x)
        return OLO_NO_MEMORY;
    for (size_t i = 0; i < 4 && status == OLO_OK; i++)
        status = olo_result_read_column(result, columns[i], x + i * rows, error);
    *distance = 0;
    for (size_t i = 0; i < rows && status == OLO_OK; i++) {
        double angle = 10 * x[i], dx = x[rows + i] - L * sin(pi / 3) * sin(angle),
               dy = x[2 * rows + i] + L * sin(pi / 3) * cos(angle), dz = x[3 * rows + i] - L * 0.5;
        *distance = fmax(*distance, sqrt(dx * dx + dy * dy + dz * dz));
    }
    free(x);
    return status;
}

/* Prints the verdicts of the run; `*ok` is true if all laws were satisfied. */
static olo_status judge(olo_result *result, bool *ok, olo_error *error)
{
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int count = 0;
    olo_status status = olo_result_verdicts(result, verdicts, &count, error);
    *ok = count == 4; /* energy, angular momentum z, constraints, velocities */
    for (int i = 0; i < count && status == OLO_OK; i++) {
        printf("  %-20s %-30s %s\n", verdicts[i].quantity, verdicts[i].text,
               olo_verdict_level_name(verdicts[i].level));
        *ok = *ok && verdicts[i].level == OLO_VERDICT_OK;
    }
    return status;
}

int main(void)
{
    olo_error error = {0};
    olo_model *model = NULL;
    olo_result *result = NULL;
    double distance = NAN;
    bool ok = false;
    /* as on the command line: --set run.step=pi/5/3000 --set run.end=pi/5, one revolution */
    const olo_setting settings[] = {{"run.step", "pi/5/3000"}, {"run.end", "pi/5"}};

    olo_status status = olo_model_read("heavy-top", settings, 2, &model, &error);
    if (status == OLO_OK)
        status = simulate(model, &error);
    if (status == OLO_OK)
        status = olo_result_open(RESULT, &result, &error);
    if (status == OLO_OK)
        status = judge(result, &ok, &error);
    if (status == OLO_OK)
        status = compare(result, &distance, &error);
    if (status == OLO_OK)
        printf("  largest distance from the exact path %.1e\n", distance);
    olo_result_free(result);
    olo_model_free(model);
    if (status != OLO_OK) {
        fprintf(stderr, "%s\n", error.text);
        return olo_status_exit_code(status);
    }
    return ok && distance < 1e-5 ? 0 : 1;
}
