/* A plot as SVG. */
#include "results/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The picture, and the area of the curves in it. */
static const double WIDTH = 720, HEIGHT = 320, LEFT = 78, RIGHT = 16, TOP = 34, BOTTOM = 48;

/* Colours that differ in hue and lightness (Okabe and Ito), on white and on black. */
static const char *const COLOURS[OLO_SVG_SERIES_MAX] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                        "#b58900", "#56b4e9", "#7f3fbf", "#808080"};

/* An axis: maps values to the picture. */
typedef struct axis {
    bool log;
    double lowest, highest; /* logarithms when log */
    double from, to;        /* pixels */
} axis;

/* The position of a value on its axis; NaN for values that cannot be shown. */
static double coordinate(const axis *a, double value)
{
    if (!isfinite(value) || (a->log && !(value > 0.0)))
        return (double)NAN;
    return a->log ? log10(value) : value;
}

static double pixel(const axis *a, double at)
{
    return a->from + (a->to - a->from) * (at - a->lowest) / (a->highest - a->lowest);
}

/* Extends the axis over values; initially lowest > highest. */
static void cover(axis *a, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double at = coordinate(a, values[i]);
        a->lowest = fmin(a->lowest, at); // ignores NaN
        a->highest = fmax(a->highest, at);
    }
}

/* Makes the range of an axis positive, with a margin. */
static void round_off(axis *a, double margin)
{
    if (!(a->lowest <= a->highest)) {
        a->lowest = 0.0;
        a->highest = 1.0;
    }
    double span = a->highest - a->lowest;
    const double size = fmax(fabs(a->lowest), fabs(a->highest));
    if (!(span > 1e-12 * size)) {
        // a constant: half of its value on both sides
        span = a->log ? 2.0 : size > 0.0 ? size : 1.0;
        a->lowest -= 0.5 * span;
        a->highest += 0.5 * span;
    }
    a->lowest -= margin * span;
    a->highest += margin * span;
}

/* Distance of ticks, 1, 2 or 5 times a power of ten, for about `wanted` ticks. */
static double tick_step(const axis *a, int wanted)
{
    const double raw = (a->highest - a->lowest) / wanted;
    const double power = pow(10.0, floor(log10(raw)));
    const double step = power * (raw / power < 1.5   ? 1.0
                                 : raw / power < 3.5 ? 2.0
                                 : raw / power < 7.5 ? 5.0
                                                     : 10.0);
    return a->log ? fmax(ceil(step), 1.0) : step;
}

static void add_tick_text(olo_text *out, const axis *a, double at, double step)
{
    if (a->log) {
        olo_text_format(out, "1e%.0f", at);
        return;
    }
    // as many digits as neighbouring ticks need to differ, and no -0
    const double size = fmax(fabs(a->lowest), fabs(a->highest));
    const int digits = (int)fmin(fmax(ceil(log10(size / step)) + 1.0, 3.0), 16.0);
    char words[32];
    (void)snprintf(words, sizeof words, "%.*g", digits, fabs(at) < 1e-9 * step ? 0.0 : at);
    olo_text_put(out, words);
}

static void add_x_axis(olo_text *out, const axis *x)
{
    const double step = tick_step(x, 7), bottom = HEIGHT - BOTTOM;
    for (double at = ceil(x->lowest / step) * step; at <= x->highest; at += step) {
        const double px = pixel(x, at);
        olo_text_format(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#888\" stroke-opacity=\".25\"/>",
                        px, TOP, bottom);
        olo_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", px,
                        bottom + 17);
        add_tick_text(out, x, at, step);
        olo_text_put(out, "</text>");
    }
}

static void add_y_axis(olo_text *out, const axis *y)
{
    const double step = tick_step(y, 5);
    for (double at = ceil(y->lowest / step) * step; at <= y->highest; at += step) {
        const double py = pixel(y, at);
        olo_text_format(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#888\" stroke-opacity=\".25\"/>",
                        LEFT, py, WIDTH - RIGHT);
        olo_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 7, py + 4);
        add_tick_text(out, y, at, step);
        olo_text_put(out, "</text>");
    }
}

static void add_curve(olo_text *out, const olo_svg *plot, int k, const axis *x, const axis *y)
{
    const olo_svg_series *series = &plot->series[k];
    bool pen = false;
    olo_text_format(out,
                    "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" "
                    "stroke-linejoin=\"round\" d=\"",
                    COLOURS[k]);
    for (size_t i = 0; i < series->count; i++) {
        const double px = pixel(x, coordinate(x, series->x[i]));
        const double py = pixel(y, coordinate(y, series->y[i]));
        if (isnan(px) || isnan(py)) {
            pen = false;
            continue;
        }
        olo_text_format(out, "%s%.2f %.2f", pen ? "L" : "M", px, py);
        pen = true;
    }
    olo_text_put(out, "\"/>");
    for (size_t i = 0; plot->marks && i < series->count; i++) {
        const double px = pixel(x, coordinate(x, series->x[i]));
        const double py = pixel(y, coordinate(y, series->y[i]));
        if (!isnan(px) && !isnan(py)) {
            olo_text_format(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" fill=\"%s\"/>", px, py,
                            COLOURS[k]);
        }
    }
}

/* Ticks at the times of impacts. */
static void add_impacts(olo_text *out, const olo_svg *plot, const axis *x)
{
    olo_text_put(out, "<path class=\"impacts\" stroke=\"#c0392b\" d=\"");
    for (size_t i = 0; i < plot->impacts; i++) {
        const double at = coordinate(x, plot->impact[i]);
        if (at >= x->lowest && at <= x->highest)
            olo_text_format(out, "M%.2f %.1fv7", pixel(x, at), TOP);
    }
    olo_text_put(out, "\"><title>impacts</title></path>");
}

static void add_words(olo_text *out, double x, double y, const char *attributes, const char *words)
{
    olo_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    olo_text_escaped(out, words);
    olo_text_put(out, "</text>");
}

/* Names of the curves, from right to left above them. */
static void add_legend(olo_text *out, const olo_svg *plot)
{
    double right = WIDTH - RIGHT;
    for (int k = plot->series_count; plot->series_count > 1 && k-- > 0;) {
        char attributes[64];
        (void)snprintf(attributes, sizeof attributes, "text-anchor=\"end\" fill=\"%s\"",
                       COLOURS[k]);
        add_words(out, right, TOP - 10, attributes, plot->series[k].name);
        right -= 7.0 * (double)strlen(plot->series[k].name) + 16.0;
    }
}

void olo_svg_draw(olo_text *out, const olo_svg *plot, bool standalone)
{
    axis x = {plot->x_log, HUGE_VAL, -HUGE_VAL, LEFT, WIDTH - RIGHT};
    axis y = {plot->y_log, HUGE_VAL, -HUGE_VAL, HEIGHT - BOTTOM, TOP};
    for (int k = 0; k < plot->series_count; k++) {
        cover(&x, plot->series[k].x, plot->series[k].count);
        cover(&y, plot->series[k].y, plot->series[k].count);
    }
    round_off(&x, plot->marks ? 0.05 : 0.0);
    round_off(&y, 0.05);
    olo_text_format(out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
                    "font-family=\"system-ui, sans-serif\" font-size=\"12\" role=\"img\" %s>",
                    WIDTH, HEIGHT,
                    standalone ? "width=\"720\" height=\"320\" fill=\"#222\""
                               : "fill=\"currentColor\"");
    olo_text_put(out, "<title>");
    olo_text_escaped(out, plot->title);
    olo_text_put(out, "</title>");
    if (standalone)
        olo_text_put(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    add_words(out, LEFT, TOP - 10, "font-weight=\"600\"", plot->title);
    add_legend(out, plot);
    add_x_axis(out, &x);
    add_y_axis(out, &y);
    olo_text_format(out,
                    "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#888\" "
                    "stroke-opacity=\".8\"/>",
                    LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    for (int k = 0; k < plot->series_count; k++)
        add_curve(out, plot, k, &x, &y);
    if (plot->impacts > 0)
        add_impacts(out, plot, &x);
    add_words(out, 0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 9, "text-anchor=\"middle\"",
              plot->x_label);
    olo_text_format(out, "<g transform=\"translate(14 %.1f) rotate(-90)\">",
                    0.5 * (TOP + HEIGHT - BOTTOM));
    add_words(out, 0, 0, "text-anchor=\"middle\"", plot->y_label);
    olo_text_put(out, "</g></svg>\n");
}
