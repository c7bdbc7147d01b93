/* A plot as SVG: axes with round ticks, linear or logarithmic, curves or marks, a legend. */
#ifndef OLO_RESULTS_SVG_H
#define OLO_RESULTS_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* A curve; values that are not finite, or not positive on a logarithmic axis, are gaps. */
typedef struct olo_svg_series {
    const char *name;
    const double *x, *y;
    size_t count;
} olo_svg_series;

enum { OLO_SVG_SERIES_MAX = 8 };

typedef struct olo_svg {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    bool marks;           /* a mark at every point, for few of them */
    const double *impact; /* [impacts] times that are marked at the upper edge */
    size_t impacts;
    int series_count;
    olo_svg_series series[OLO_SVG_SERIES_MAX];
} olo_svg;

/* Adds the element <svg>; `standalone`: as a separate file, with a white background. */
void olo_svg_draw(olo_text *out, const olo_svg *plot, bool standalone);

#endif
