/* Printed tables of text cells. Columns are as wide as their content; the first is aligned to the
 * left, all others to the right. */
#ifndef OLO_CLI_TABLE_H
#define OLO_CLI_TABLE_H

#include <stdio.h>

#include "base/fail.h"

enum { CLI_TABLE_COLUMNS = 16, CLI_CELL_SIZE = 80 };

typedef char cli_cells[CLI_TABLE_COLUMNS][CLI_CELL_SIZE];

/* Starts as `{0}`. */
typedef struct cli_table {
    cli_cells *rows;
    size_t count, capacity;
    int columns; /* of the longest row */
    int filled;  /* cells of the last row */
} cli_table;

/* Begins a row. When out of memory the row is dropped. */
void cli_table_row(cli_table *table);

/* Appends a cell to the last row; a cell beyond the last column is dropped. */
void cli_table_cell(cli_table *table, const char *format, ...) OLO_PRINTF(2, 3);

/* Appends a number in a format of printf, "-" if it is not finite. */
void cli_table_number(cli_table *table, const char *format, double x);

/* Prints the rows, the first of them as a heading, without columns that are empty or "-" in all
 * other rows, and frees them. */
void cli_table_print(cli_table *table, FILE *out);

void cli_table_free(cli_table *table);

#endif
