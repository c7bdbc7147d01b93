/* Colours of drawables, written as #rrggbb or by name. */
#ifndef OLO_ELEMENTS_COLOR_H
#define OLO_ELEMENTS_COLOR_H

#include <stdbool.h>

/* Red, green and blue from 0 to 1; false if the text is no colour. */
bool olo_color_parse(const char *text, double color[3]);

/* The names that are known, separated by commas. */
const char *olo_color_names(void);

#endif
