/* "Did you mean ...?": the known name nearest to a misspelt word. */
#ifndef OLO_BASE_SUGGEST_H
#define OLO_BASE_SUGGEST_H

#include <stddef.h>

/* The name with the smallest Damerau-Levenshtein distance to `word` (letters compared without
 * case), if that is at most max(1, length of the word / 3) and less than the length of the word;
 * the first of equals; otherwise NULL. The result is one of the `names`. Allocates nothing; NULL
 * names and words longer than 64 bytes are not compared. */
const char *olo_suggest(const char *word, const char *const *names, size_t count);

#endif
