/* The command line as a text that a shell reads back. */
#ifndef OLO_CLI_COMMAND_LINE_H
#define OLO_CLI_COMMAND_LINE_H

/* "oloid run heavy-top --set l=0.2", from the words after `oloid`; NULL when memory is out. Free
 * with olo_free. */
char *cli_join_command(int argc, char **argv);

/* "oloid run --resume 'my top.h5.partial'" from its beginning and one word; NULL when memory is
 * out. */
char *cli_quote_after(const char *begin, const char *word);

#endif
