/* Shows the progress of a run on stderr. */
#include "cli/progress_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/terminal.h"

/* Seconds between two updates of the bar, and between two lines. Shorter runs show nothing. */
static const double BAR_SECONDS = 0.1;
static const double LINE_SECONDS = 5.0;

/* Approximate seconds between two readings of the clock, which is not read after every step: a step
 * may take only a microsecond. */
static const double CLOCK_SECONDS = 0.02;
static const long STRIDE_MAX = 4096;

enum { TEXT_SIZE = 256, PICTURE_SIZE = 512, BAR_MIN = 8, BAR_MAX = 40 };

void cli_progress_begin(cli_progress_line *line, const char *name, const olo_run *run,
                        const olo_state *state)
{
    const double now = olo_clock_seconds();
    *line = (cli_progress_line){.name = name,
                                .start = olo_state_time(state),
                                .end = run->end,
                                .step = run->step,
                                .redraw = cli_can_redraw(stderr),
                                .clock_read = now,
                                .shown = now,
                                .stride = 1};
    line->width = cli_terminal_width(stderr);
    olo_progress_start(&line->pace, now);
}

static double fraction_at(const cli_progress_line *line, double t)
{
    const double span = line->end - line->start;
    return span > 0.0 ? fmin(fmax((t - line->start) / span, 0.0), 1.0) : 1.0;
}

void cli_progress_resume(cli_progress_line *line, double start)
{
    const double now = line->start;
    line->start = start;
    line->pace.fraction = fraction_at(line, now);
}

/* "t = 0.42 of 1, 24,000 steps/s, 12 s left" */
static void describe(const cli_progress_line *line, double t, char *text, size_t size)
{
    char rate[CLI_NUMBER_SIZE], left[CLI_NUMBER_SIZE] = "";
    cli_rate(rate, olo_progress_rate(&line->pace) * (line->end - line->start) / line->step);
    const double seconds = olo_progress_remaining_seconds(&line->pace);
    if (isfinite(seconds))
        cli_duration(left, ceil(seconds));
    (void)snprintf(text, size, "t = %.4g of %.4g, %s steps/s%s%s%s", t, line->end, rate,
                   left[0] != '\0' ? ", " : "", left, left[0] != '\0' ? " left" : "");
}

/* "name [=====>    ]  42%  t = ..." in one line of the terminal. */
static void draw(cli_progress_line *line, double fraction, const char *text)
{
    char bar[BAR_MAX + 1] = "";
    const int space = line->width - (int)strlen(line->name) - (int)strlen(text) - 12;
    const int length = space < BAR_MAX ? space : BAR_MAX;
    if (length >= BAR_MIN) {
        const int filled = (int)(fraction * length);
        memset(bar, ' ', (size_t)length);
        memset(bar, '=', (size_t)filled);
        if (filled < length)
            bar[filled] = '>';
        bar[length] = '\0';
    }
    char picture[PICTURE_SIZE];
    (void)snprintf(picture, sizeof picture, "%.100s %s%s%s%3.0f%%  %s", line->name,
                   bar[0] != '\0' ? "[" : "", bar, bar[0] != '\0' ? "] " : "",
                   floor(100.0 * fraction), text);
    // cut at the width of the terminal: a wrapped line cannot be redrawn
    (void)fprintf(stderr, "\r\033[K%.*s", line->width - 1, picture);
    (void)fflush(stderr);
    line->visible = true;
}

static void show(cli_progress_line *line, double t, double fraction)
{
    char text[TEXT_SIZE];
    describe(line, t, text, sizeof text);
    if (line->redraw)
        draw(line, fraction, text);
    else
        cli_message("%s: %.0f%%, %s", line->name, floor(100.0 * fraction), text);
}

/* Adapts the number of steps between two readings of the clock to CLOCK_SECONDS. */
static void adapt_stride(cli_progress_line *line, double elapsed)
{
    if (elapsed < 0.5 * CLOCK_SECONDS && line->stride < STRIDE_MAX) {
        line->stride *= 2;
    } else if (elapsed > 2.0 * CLOCK_SECONDS) {
        const double wanted = (double)line->stride * CLOCK_SECONDS / elapsed;
        line->stride = wanted > 1.0 ? (long)wanted : 1;
    }
}

static olo_status on_step(void *context, const olo_system *system, const olo_state *state,
                          long step, const olo_step_report *report, olo_error *error)
{
    (void)system, (void)error;
    cli_progress_line *line = context;
    if (report != NULL && report->size > 0.0)
        line->step = report->size;
    if (step < line->next_clock_step)
        return OLO_OK;
    const double now = olo_clock_seconds();
    adapt_stride(line, now - line->clock_read);
    line->clock_read = now;
    line->next_clock_step = step + line->stride;

    const double t = olo_state_time(state);
    const double fraction = fraction_at(line, t);
    olo_progress_update(&line->pace, now, fraction);
    if (now - line->shown >= (line->redraw ? BAR_SECONDS : LINE_SECONDS) && step > 0) {
        line->shown = now;
        show(line, t, fraction);
    }
    return OLO_OK;
}

olo_observer cli_progress_observer(cli_progress_line *line)
{
    olo_observer observer = olo_observer_default();
    observer.context = line;
    observer.ignores_forces = true;
    observer.step = on_step;
    return observer;
}

void cli_progress_clear(cli_progress_line *line)
{
    if (line->visible) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        line->visible = false;
    }
}
