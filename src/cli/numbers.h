/* Formats numbers for printed summaries. Each function writes into `text` and returns it. */
#ifndef OLO_CLI_NUMBERS_H
#define OLO_CLI_NUMBERS_H

enum { CLI_NUMBER_SIZE = 32 };

/* A count with separators from 10,000 on: "1000", "24,000". */
char *cli_count(char text[CLI_NUMBER_SIZE], long count);

/* A rate rounded to two digits: "24,000", "3.1". */
char *cli_rate(char text[CLI_NUMBER_SIZE], double rate);

/* A time span: "0.04 s", "12 s", "3 min 05 s", "2 h 10 min". */
char *cli_duration(char text[CLI_NUMBER_SIZE], double seconds);

/* A small deviation: "0", "3.1e-14". */
char *cli_deviation(char text[CLI_NUMBER_SIZE], double value);

#endif
