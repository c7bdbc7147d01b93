/* Ctrl-C and `kill`: before a result is opened the command ends at once; a run finishes its step
 * and writes the result so far. */
#ifndef OLO_CLI_INTERRUPT_H
#define OLO_CLI_INTERRUPT_H

#include <stdbool.h>

/* To be called first: from then on SIGINT and SIGTERM end the command with a message and the exit
 * code of OLO_INTERRUPTED, also while the library reads, compiles or analyses a model. */
void cli_interrupt_prepare(void);

/* From now on SIGINT and SIGTERM are recorded instead of ending the process; a signal that arrives
 * more than a second after the first ends it at once. SIGPIPE is ignored, so that a closed pipe
 * cannot damage a result.
 *
 * No function of this header changes a signal that is ignored when the command starts, as with
 * nohup. */
void cli_interrupt_begin(void);

/* Whether a signal arrived, as `stop` of an observer. */
bool cli_interrupted(void *context);

/* To be called when the result is closed: SIGPIPE, SIGINT and SIGTERM end the process again as
 * before the run. After an interrupted run SIGINT and SIGTERM are still only recorded, since one
 * Ctrl-C may arrive a second time and must not suppress the summary. */
void cli_interrupt_end(void);

#endif
