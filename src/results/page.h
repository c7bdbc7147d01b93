/* The page of a report: one HTML file with everything in it. The animated page is a script that the
 * build makes from viewer/ and puts into the library; its data are JSON in a separate element.
 * Without that script, or with --plain, the page is plain HTML.
 *
 * Nothing that comes from a model can become part of the page's code: texts are escaped, and the
 * page's content security policy allows no script but the one whose hash it names, and no network
 * at all. */
#ifndef OLO_RESULTS_PAGE_H
#define OLO_RESULTS_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The parts that the build put into the library; `script` is empty (a single NULL) without the
 * animated page. Lists end with NULL. */
typedef struct olo_page_bundle {
    const char *const *style, *const *script;
    const char *script_hash; /* base64 of SHA-256, as the policy names it */
    size_t size;             /* size in bytes */
} olo_page_bundle;
extern const olo_page_bundle olo_page_bundle_built;

bool olo_page_is_animated(void);

/* The animated page with the data `json`. */
void olo_page_animated(olo_text *page, const char *title, const olo_text *json);

/* A plain page: head, then the caller adds the contents of <main>, then the end. */
void olo_page_plain_begin(olo_text *page, const char *title);
void olo_page_plain_end(olo_text *page);
/* An element with a text, and a row of a table of facts. */
void olo_page_element(olo_text *page, const char *element, const char *words);
void olo_page_fact(olo_text *page, const char *label, const char *value);

/* Writes a file under a temporary name, then renames it; "-" is standard output. `text` is
 * freed. */
olo_status olo_page_write(const char *path, olo_text *text, olo_error *error);

#endif
