/* The nearest name, by the Damerau-Levenshtein distance in its optimal string alignment form:
 *
 *   d(i,j) = min( d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j],
 *                 d(i-2,j-2) + 1  if a_i = b_(j-1) and a_(i-1) = b_j )
 *
 * so that a missing, an extra, a wrong letter and two letters swapped count one each. */
#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int letter(char c)
{
    return tolower((unsigned char)c);
}

/* Distance between two words of at most LONGEST bytes. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    // only three rows of the table are needed at a time; row i is rows[i % 3]
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *above = rows[(i - 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const int differ = letter(a[i - 1]) != letter(b[j - 1]);
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + (size_t)differ);
            if (i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) &&
                letter(a[i - 2]) == letter(b[j - 1]))
                row[j] = smaller(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *olo_suggest(const char *word, const char *const *names, size_t count)
{
    const size_t length = word != NULL ? strlen(word) : 0;
    if (length == 0 || length > LONGEST)
        return NULL;
    const char *nearest = NULL;
    size_t limit = length / 3 > 1 ? length / 3 : 1;
    for (size_t i = 0; i < count; i++) {
        const size_t name_length = names[i] != NULL ? strlen(names[i]) : 0;
        if (name_length == 0 || name_length > LONGEST)
            continue;
        const size_t d = distance(word, length, names[i], name_length);
        const size_t longer = length > name_length ? length : name_length;
        if (d < longer && (nearest == NULL ? d <= limit : d < limit)) {
            nearest = names[i];
            limit = d;
        }
    }
    return nearest;
}
