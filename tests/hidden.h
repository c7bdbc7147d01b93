/* Counting the files that replacing another one leaves behind, see base/new_file.h. */
#ifndef OLO_TEST_HIDDEN_H
#define OLO_TEST_HIDDEN_H

#include <dirent.h>
#include <string.h>

/* How many files in a folder have the hidden name of one that is being written. */
static inline int count_hidden(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] == '.' && strstr(entry->d_name, ".oloid-") != NULL;
    if (entries != NULL)
        closedir(entries);
    return count;
}

#endif
