/* Prints the summary of a run as text and as JSON. */
#include "cli/run_report.h"

#include <string.h>

#include "base/json.h"
#include "cli/numbers.h"
#include "cli/terminal.h"

/* "heavy-top: 1000 steps of 0.001 to t = 1 in 0.04 s (24,000 steps/s), ..." */
static void print_headline(FILE *out, const cli_outcome *outcome)
{
    const olo_run_summary *summary = &outcome->summary;
    char steps[CLI_NUMBER_SIZE], wall[CLI_NUMBER_SIZE], rate[CLI_NUMBER_SIZE];
    char unknowns[CLI_NUMBER_SIZE];
    const char *ended = outcome->status == OLO_OK            ? ""
                        : outcome->status == OLO_INTERRUPTED ? "interrupted after "
                                                             : "stopped after ";
    (void)fprintf(out, "%s: %s%s step%s of ", olo_model_name(outcome->loaded->model), ended,
                  cli_count(steps, summary->steps), summary->steps == 1 ? "" : "s");
    if (outcome->run->tolerance > 0.0)
        (void)fprintf(out, "%.2g to %.2g", summary->smallest_step, summary->largest_step);
    else
        (void)fprintf(out, "%.6g", outcome->run->step);
    (void)fprintf(out, " to t = %.6g in %s", outcome->time,
                  cli_duration(wall, summary->wall_seconds));
    if (summary->steps > 0 && summary->wall_seconds > 0.0) {
        (void)fprintf(out, " (%s steps/s)",
                      cli_rate(rate, (double)summary->steps / summary->wall_seconds));
    }
    (void)fprintf(out, ", %s unknown%s", cli_count(unknowns, outcome->unknowns),
                  outcome->unknowns == 1 ? "" : "s");
    if (summary->steps > 0) {
        (void)fprintf(out, ", %.1f iterations per step",
                      (double)summary->iterations / (double)summary->steps);
    }
    if (summary->halvings > 0) {
        char halvings[CLI_NUMBER_SIZE];
        (void)fprintf(out, ", %s halved", cli_count(halvings, summary->halvings));
    }
    if (outcome->run->tolerance > 0.0) {
        char rejections[CLI_NUMBER_SIZE];
        (void)fprintf(out, ", %s rejected", cli_count(rejections, summary->rejections));
    }
    (void)fputc('\n', out);
}

static const cli_colour LEVEL_COLOURS[] = {CLI_GOOD, CLI_AMBER, CLI_BAD};
static const char *const LEVEL_WORDS[] = {"ok", "WARN", "BROKEN"};

/* Prints one line per conserved quantity, in columns; the reasons only on a terminal. */
static void print_verdicts(FILE *out, const cli_outcome *outcome)
{
    int name_width = 0, text_width = 0;
    for (int i = 0; i < outcome->verdict_count; i++) {
        const olo_verdict *verdict = &outcome->verdicts[i];
        const int name_length = (int)strlen(verdict->quantity);
        const int text_length = (int)strlen(verdict->text);
        name_width = name_length > name_width ? name_length : name_width;
        if (verdict->level == OLO_VERDICT_OK && text_length > text_width)
            text_width = text_length;
    }
    const char *plain = cli_colour_code(out, CLI_PLAIN);
    for (int i = 0; i < outcome->verdict_count; i++) {
        const olo_verdict *verdict = &outcome->verdicts[i];
        (void)fprintf(out, "  %-*s  %-*s   %s%s%s", name_width, verdict->quantity, text_width,
                      verdict->text, cli_colour_code(out, LEVEL_COLOURS[verdict->level]),
                      LEVEL_WORDS[verdict->level], plain);
        if (cli_is_terminal(out) && verdict->why[0] != '\0')
            (void)fprintf(out, "   %s%s%s", cli_colour_code(out, CLI_MUTED), verdict->why, plain);
        (void)fputc('\n', out);
    }
}

void cli_report_text(FILE *out, const cli_outcome *outcome)
{
    print_headline(out, outcome);
    print_verdicts(out, outcome);
    for (int i = 0; i < outcome->warning_count; i++)
        (void)fprintf(out, "  %swarning%s: %s\n", cli_colour_code(out, CLI_AMBER),
                      cli_colour_code(out, CLI_PLAIN), outcome->warnings[i]);
    for (int i = 0; i < outcome->event_count; i++)
        (void)fprintf(out, "  event '%s' at t = %.9g\n", outcome->events[i].name,
                      outcome->events[i].t);
    cli_drives_print(&outcome->drives, out);
    if (outcome->result != NULL)
        (void)fprintf(out, "  result: %s\n", outcome->result);
    if (outcome->report != NULL)
        (void)fprintf(out, "  report: %s\n", outcome->report);
    if (outcome->partial != NULL)
        (void)fprintf(out, "  result so far: %s\n", outcome->partial);
    if (outcome->resume != NULL)
        (void)fprintf(out, "  to continue: %s\n", outcome->resume);
}

static void write_verdicts(olo_json *json, const cli_outcome *outcome)
{
    olo_json_open(json, "verdict", '[');
    for (int i = 0; i < outcome->verdict_count; i++) {
        const olo_verdict *verdict = &outcome->verdicts[i];
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "quantity", verdict->quantity);
        olo_json_number(json, "start", verdict->start);
        olo_json_number(json, "drift", verdict->drift);
        olo_json_number(json, "relative_drift", verdict->relative_drift);
        olo_json_number(json, "tolerance", verdict->tolerance);
        olo_json_text(json, "level", olo_verdict_level_name(verdict->level));
        olo_json_text(json, "text", verdict->text);
        olo_json_text(json, "why", verdict->why);
        olo_json_close(json);
    }
    olo_json_close(json);
}

/* Writes options and size of the run. */
static void write_setup(olo_json *json, const cli_outcome *outcome)
{
    const olo_projection *projection = &outcome->loaded->projection;
    olo_json_text(json, "scheme", outcome->run->scheme);
    olo_json_text(json, "constraints", outcome->run->constraints);
    olo_json_integer(json, "order", outcome->run->order);
    olo_json_number(json, "step", outcome->run->step);
    olo_json_number(json, "tolerance", outcome->run->tolerance);
    olo_json_number(json, "end", outcome->run->end);
    olo_json_integer(json, "coordinates", outcome->loaded->counts.coordinates);
    olo_json_integer(json, "degrees_of_freedom", outcome->loaded->counts.degrees_of_freedom);
    olo_json_integer(json, "unknowns", outcome->unknowns);
    olo_json_open(json, "projection", '{');
    olo_json_number(json, "position", projection->position);
    olo_json_number(json, "velocity", projection->velocity);
    olo_json_text(json, "worst", projection->worst[0] != '\0' ? projection->worst : NULL);
    olo_json_text(json, "worst_rate", projection->worst_rate[0] ? projection->worst_rate : NULL);
    olo_json_close(json);
}

/* Writes steps, iterations, time and energy of the run. */
static void write_work(olo_json *json, const cli_outcome *outcome)
{
    const olo_run_summary *summary = &outcome->summary;
    olo_json_number(json, "time", outcome->time);
    olo_json_integer(json, "steps", summary->steps);
    olo_json_integer(json, "newton_iterations", summary->iterations);
    olo_json_integer(json, "halvings", summary->halvings);
    olo_json_integer(json, "rejections", summary->rejections);
    olo_json_number(json, "smallest_step", summary->smallest_step);
    olo_json_number(json, "largest_step", summary->largest_step);
    olo_json_number(json, "largest_rotation", summary->largest_rotation);
    olo_json_number(json, "wall_seconds", summary->wall_seconds);
    olo_json_number(json, "cpu_seconds", summary->cpu_seconds);
    olo_json_open(json, "energy", '{');
    olo_json_number(json, "start", outcome->loaded->start.total);
    olo_json_number(json, "end", outcome->end.total);
    olo_json_close(json);
}

void cli_report_json(FILE *out, const cli_outcome *outcome)
{
    olo_json json = {.out = out};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "name", olo_model_name(outcome->loaded->model));
    olo_json_bool(&json, "ok", outcome->status == OLO_OK && outcome->level == OLO_VERDICT_OK);
    olo_json_text(&json, "level", olo_verdict_level_name(outcome->level));
    olo_json_text(&json, "status", olo_status_name(outcome->status));
    olo_json_text(&json, "error", outcome->error);
    olo_json_text(&json, "result", outcome->result);
    olo_json_text(&json, "report", outcome->report);
    olo_json_text(&json, "partial", outcome->partial);
    write_setup(&json, outcome);
    write_work(&json, outcome);
    write_verdicts(&json, outcome);
    olo_json_open(&json, "events", '[');
    for (int i = 0; i < outcome->event_count; i++) {
        olo_json_open(&json, NULL, '{');
        olo_json_text(&json, "name", outcome->events[i].name);
        olo_json_number(&json, "time", outcome->events[i].t);
        olo_json_close(&json);
    }
    olo_json_close(&json);
    cli_drives_json(&outcome->drives, &json);
    olo_json_open(&json, "warnings", '[');
    for (int i = 0; i < outcome->warning_count; i++)
        olo_json_text(&json, NULL, outcome->warnings[i]);
    olo_json_close(&json);
    olo_json_close(&json);
}
