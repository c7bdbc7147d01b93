/* The page of a report. */
#include "results/page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"

static const char PLAIN_STYLE[] =
    ":root{color-scheme:light dark;--muted:#5b6470;--line:#d9dee5;--good:#0b7a4b;"
    "--warn:#8a5a00;--bad:#b3261e}"
    "@media(prefers-color-scheme:dark){:root{--muted:#9aa4b2;--line:#2d3440;--good:#4cc38a;--warn:#"
    "ffc46b;"
    "--bad:#ff8a80}}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}"
    "svg{display:block;width:100%;height:auto;margin:.4rem 0 1rem}"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.2rem .9rem .2rem 0;"
    "border-bottom:1px solid var(--line);vertical-align:top}"
    ".scroll{overflow-x:auto}.muted{color:var(--muted)}.good{color:var(--good)}.warn{color:var(--"
    "warn)}"
    ".bad{color:var(--bad)}pre,code{font:13px/1.45 ui-monospace,monospace;white-space:pre-wrap;"
    "overflow-wrap:anywhere}"
    ".note{border-left:3px solid var(--line);padding-left:.8rem}";

bool olo_page_is_animated(void)
{
    return olo_page_bundle_built.script[0] != NULL;
}

static void put_list(olo_text *page, const char *const *list)
{
    for (; *list != NULL; list++)
        olo_text_put(page, *list);
}

/* Writes the page up to its style. Inline styles are allowed, scripts are identified by their hash,
 * and nothing is loaded. */
static void begin(olo_text *page, const char *title, const char *script_hash)
{
    olo_text_put(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; ");
    if (script_hash != NULL)
        olo_text_format(page, "script-src 'sha256-%s'; ", script_hash);
    olo_text_put(page, "base-uri 'none'; form-action 'none'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"generator\" content=\"oloid\">\n<title>");
    olo_text_escaped(page, title);
    olo_text_put(page, "</title>\n<style>");
}

void olo_page_animated(olo_text *page, const char *title, const olo_text *json)
{
    begin(page, title, olo_page_bundle_built.script_hash);
    put_list(page, olo_page_bundle_built.style);
    olo_text_put(page, "</style>\n</head>\n<body>\n<noscript>This report is drawn by a script in "
                       "this file, which the browser does not run. <code>oloid report --plain"
                       "</code> makes one that needs none.</noscript>\n"
                       "<script type=\"application/json\" id=\"report\">");
    olo_text_add(page, json->bytes, json->length);
    page->failed = page->failed || json->failed;
    olo_text_put(page, "</script>\n<script>");
    put_list(page, olo_page_bundle_built.script);
    olo_text_put(page, "</script>\n</body>\n</html>\n");
}

void olo_page_plain_begin(olo_text *page, const char *title)
{
    begin(page, title, NULL);
    olo_text_put(page, PLAIN_STYLE);
    olo_text_put(page, "</style>\n</head>\n<body>\n<main>\n");
}

void olo_page_element(olo_text *page, const char *element, const char *words)
{
    olo_text_format(page, "<%s>", element);
    olo_text_escaped(page, words);
    olo_text_format(page, "</%s>", element);
}

void olo_page_fact(olo_text *page, const char *label, const char *value)
{
    olo_text_put(page, "<tr>");
    olo_page_element(page, "th", label);
    olo_page_element(page, "td", value);
    olo_text_put(page, "</tr>\n");
}

void olo_page_plain_end(olo_text *page)
{
    olo_text_put(page, "</main>\n</body>\n</html>\n");
}

static olo_status cannot_write(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO, "cannot write '%s': %s", path,
                    strerror(errno != 0 ? errno : EIO));
}

static olo_status write_stream(FILE *out, const char *path, const olo_text *text, olo_error *error)
{
    errno = 0;
    const bool done = fwrite(text->bytes, 1, text->length, out) == text->length && fflush(out) == 0;
    return done ? OLO_OK : cannot_write(path, error);
}

/* Writes into an existing file that is not a regular one: a device or a pipe. */
static olo_status write_special(const char *path, const olo_text *text, olo_error *error)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return cannot_write(path, error);
    olo_status status = write_stream(out, path, text, error);
    if (fclose(out) != 0 && status == OLO_OK)
        status = cannot_write(path, error);
    return status;
}

olo_status olo_page_write(const char *path, olo_text *text, olo_error *error)
{
    struct stat facts;
    olo_status status;
    if (text->failed)
        status = olo_fail(error, OLO_NO_MEMORY, "cannot write '%s': out of memory", path);
    else if (strcmp(path, "-") == 0)
        status = write_stream(stdout, "standard output", text, error);
    else if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        status = write_special(path, text, error);
    else
        status = olo_text_save(text, path, error);
    olo_text_free(text);
    return status;
}
