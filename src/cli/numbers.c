/* Formats numbers for printed summaries: rounding and digit grouping. */
#include "cli/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers from here on get separators. */
static const long GROUPED_FROM = 10000;

char *cli_count(char text[CLI_NUMBER_SIZE], long count)
{
    char digits[CLI_NUMBER_SIZE];
    const int length = snprintf(digits, sizeof digits, "%ld", count);
    if (count < GROUPED_FROM) {
        memcpy(text, digits, (size_t)length + 1);
        return text;
    }
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

char *cli_rate(char text[CLI_NUMBER_SIZE], double rate)
{
    if (!(rate >= 10.0)) {
        (void)snprintf(text, CLI_NUMBER_SIZE, "%.2g", rate);
        return text;
    }
    const double unit = pow(10.0, floor(log10(rate)) - 1.0);
    const double rounded = round(rate / unit) * unit;
    if (rounded < 1e15)
        return cli_count(text, (long)(rounded + 0.5));
    (void)snprintf(text, CLI_NUMBER_SIZE, "%.2g", rate);
    return text;
}

char *cli_duration(char text[CLI_NUMBER_SIZE], double seconds)
{
    // also very large values and NaN
    if (seconds < 9.95 || !(seconds < 1e9)) {
        (void)snprintf(text, CLI_NUMBER_SIZE, "%.2g s", seconds);
    } else if (seconds < 99.5) {
        (void)snprintf(text, CLI_NUMBER_SIZE, "%.0f s", seconds);
    } else {
        const long whole = (long)(seconds + 0.5);
        const long minutes = whole / 60;
        if (minutes < 60)
            (void)snprintf(text, CLI_NUMBER_SIZE, "%ld min %02ld s", minutes, whole % 60);
        else
            (void)snprintf(text, CLI_NUMBER_SIZE, "%ld h %02ld min", minutes / 60, minutes % 60);
    }
    return text;
}

char *cli_deviation(char text[CLI_NUMBER_SIZE], double value)
{
    if (value == 0.0)
        (void)snprintf(text, CLI_NUMBER_SIZE, "0");
    else
        (void)snprintf(text, CLI_NUMBER_SIZE, "%.1e", value);
    return text;
}
