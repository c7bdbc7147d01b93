/* Writes a command line as a text that a shell reads back. */
#include "cli/command_line.h"

#include <string.h>

#include "base/memory.h"

/* Appends a word, quoted for the shell where necessary. The capacity of `to` is at least 4 bytes
 * per letter and the quotes. Returns the end of the text. */
static char *append_quoted(char *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=:,+@%";
    const size_t length = strlen(word);
    if (length > 0 && strspn(word, plain) == length) {
        memcpy(to, word, length);
        return to + length;
    }
    *to++ = '\'';
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *c;
        }
    }
    *to++ = '\'';
    return to;
}

char *cli_join_command(int argc, char **argv)
{
    size_t size = sizeof "oloid";
    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + sizeof " ''";
    char *command = olo_alloc(size, 1);
    if (command == NULL)
        return NULL;
    memcpy(command, "oloid", 5);
    char *to = command + 5;
    for (int i = 0; i < argc; i++) {
        *to++ = ' ';
        to = append_quoted(to, argv[i]);
    }
    *to = '\0';
    return command;
}

char *cli_quote_after(const char *begin, const char *word)
{
    const size_t length = strlen(begin);
    char *command = olo_alloc(length + 4 * strlen(word) + 3, 1);
    if (command != NULL) {
        memcpy(command, begin, length);
        *append_quoted(command + length, word) = '\0';
    }
    return command;
}
