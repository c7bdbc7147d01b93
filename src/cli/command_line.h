/* Writes a command line as a text that a shell reads back. */
#ifndef OLO_CLI_COMMAND_LINE_H
#define OLO_CLI_COMMAND_LINE_H

/* Joins the words after `oloid`: "oloid run heavy-top --set l=0.2". NULL when out of memory. Free
 * with olo_free. */
char *cli_join_command(int argc, char **argv);

/* Appends one word to `begin`: "oloid run --resume 'my top.h5.partial'". NULL when out of memory.
 * Free with olo_free. */
char *cli_quote_after(const char *begin, const char *word);

#endif
