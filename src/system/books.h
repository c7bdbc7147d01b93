/* The part of the ledger that belongs to frames, four at once: kinetic energy, momenta, the energy of constant forces,
 * and the errors of the rows that keep directors orthonormal and hinges closed. The rest of the ledger goes on entry by
 * entry. */
#ifndef OLO_SYSTEM_BOOKS_H
#define OLO_SYSTEM_BOOKS_H

#include <stdbool.h>

typedef struct olo_books olo_books;
typedef struct olo_system olo_system;

/* What frames add up to; angular momentum about the origin. */
typedef struct olo_books_sums {
    double kinetic, potential, linear[3], angular[3];
    double error, relative, rate; /* largest |g|, |g| over the size of the row, |G v| */
} olo_books_sums;

/* Of a system that is otherwise complete. NULL in *books: it has too few frames. False: no memory. */
bool olo_books_create(const olo_system *system, bool plain, olo_books **books);
void olo_books_free(olo_books *books);

/* False: something is not finite, and what is has to be found out entry by entry. */
bool olo_books_add_up(const olo_books *books, const double *q, const double *v,
                      olo_books_sums *sums);
/* What is not in them: terms and constraint groups. */
int olo_books_terms(const olo_books *books, const int **terms);
int olo_books_groups(const olo_books *books, const int **groups);

#endif
