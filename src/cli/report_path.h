/* File names of reports. */
#ifndef OLO_CLI_REPORT_PATH_H
#define OLO_CLI_REPORT_PATH_H

/* "heavy-top.report.html" for heavy-top.h5 and heavy-top.h5.partial, with `ending` = "report.html";
 * NULL when out of memory. Free with olo_free. */
char *cli_report_path(const char *result, const char *ending);

#endif
