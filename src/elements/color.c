/* Colours by name, with the values of CSS, and as #rrggbb. */
#include "elements/color.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *value;
} named[] = {{"black", "#000000"},  {"white", "#ffffff"},  {"gray", "#808080"},
             {"silver", "#c0c0c0"}, {"red", "#ff0000"},    {"green", "#008000"},
             {"blue", "#0000ff"},   {"yellow", "#ffff00"}, {"orange", "#ffa500"},
             {"purple", "#800080"}, {"brown", "#a52a2a"},  {"pink", "#ffc0cb"},
             {"cyan", "#00ffff"},   {"magenta", "#ff00ff"}};

const char *olo_color_names(void)
{
    return "black, white, gray, silver, red, green, blue, yellow, orange, purple, brown, pink, "
           "cyan, magenta";
}

/* The value of a hexadecimal digit, or -1. */
static int digit(char c)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    const char *found = c ? strchr(lower, c) : NULL;
    if (found)
        return (int)(found - lower);
    found = c ? strchr(upper, c) : NULL;
    return found ? (int)(found - upper) : -1;
}

bool olo_color_parse(const char *text, double color[3])
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(text, named[i].name) == 0)
            text = named[i].value;
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (int i = 0; i < 3; i++) {
        const int high = digit(text[1 + 2 * i]), low = digit(text[2 + 2 * i]);
        if (high < 0 || low < 0)
            return false;
        color[i] = (16 * high + low) / 255.0;
    }
    return true;
}
