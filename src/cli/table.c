/* Collects cells and prints them in columns. */
#include "cli/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "cli/terminal.h"

void cli_table_row(cli_table *table)
{
    cli_cells *rows = olo_grow(table->rows, table->count, &table->capacity, sizeof *rows);
    table->filled = CLI_TABLE_COLUMNS; // without memory the cells of the row are dropped
    if (rows != NULL) {
        table->rows = rows;
        memset(rows[table->count++], 0, sizeof *rows);
        table->filled = 0;
    }
}

void cli_table_cell(cli_table *table, const char *format, ...)
{
    if (table->filled == CLI_TABLE_COLUMNS)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(table->rows[table->count - 1][table->filled++], CLI_CELL_SIZE, format,
                    arguments);
    va_end(arguments);
    table->columns = table->filled > table->columns ? table->filled : table->columns;
}

void cli_table_number(cli_table *table, const char *format, double x)
{
    char text[CLI_CELL_SIZE] = "-";
    if (x == 0.0) {
        text[0] = '0';
    } else if (isfinite(x)) {
        // the caller's format is a constant for one number
        (void)snprintf(text, sizeof text, format, x);
    }
    cli_table_cell(table, "%s", text);
}

static int width_of(const cli_table *table, int column)
{
    size_t width = 0;
    for (size_t i = 0; i < table->count; i++) {
        const size_t length = strlen(table->rows[i][column]);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Whether a column is empty below its heading. */
static bool is_empty(const cli_table *table, int column)
{
    for (size_t i = 1; i < table->count; i++) {
        const char *cell = table->rows[i][column];
        if (cell[0] != '\0' && strcmp(cell, "-") != 0)
            return false;
    }
    return true;
}

void cli_table_print(cli_table *table, FILE *out)
{
    int widths[CLI_TABLE_COLUMNS] = {0};
    for (int k = 0; k < table->columns; k++)
        widths[k] = is_empty(table, k) ? 0 : width_of(table, k);
    for (size_t i = 0; i < table->count; i++) {
        (void)fprintf(out, "%s  %-*s", i == 0 ? cli_colour_code(out, CLI_MUTED) : "", widths[0],
                      table->rows[i][0]);
        for (int k = 1; k < table->columns; k++)
            if (widths[k] > 0)
                (void)fprintf(out, "  %*s", widths[k], table->rows[i][k]);
        (void)fprintf(out, "%s\n", i == 0 ? cli_colour_code(out, CLI_PLAIN) : "");
    }
    cli_table_free(table);
}

void cli_table_free(cli_table *table)
{
    olo_free(table->rows);
    *table = (cli_table){0};
}
