/* Ctrl-C and `kill`: before anything is written the command ends at once; a run finishes its step
 * and writes what it has. */
#ifndef OLO_CLI_INTERRUPT_H
#define OLO_CLI_INTERRUPT_H

#include <stdbool.h>

/* From the start of the command: SIGINT and SIGTERM end it with a message and the exit code of
 * OLO_INTERRUPTED, however long the library takes to read, compile or analyse a model. */
void cli_interrupt_prepare(void);

/* None of the functions here changes what happens at a signal that is ignored when the command
 * starts, as with nohup.
 *
 * From now on SIGINT and SIGTERM are noted instead of ending the process; one that comes more than
 * a second after the first ends it at once. SIGPIPE is ignored, so that a closed pipe cannot damage
 * a result. */
void cli_interrupt_begin(void);

/* Whether a signal came. */
bool cli_interrupted(void);

/* The result is safe: SIGPIPE ends the process again, and SIGINT and SIGTERM end it at once as
 * before the run. After a run that was interrupted these two stay as they are, since one Ctrl-C may
 * still arrive a second time and must not change what is told. */
void cli_interrupt_end(void);

#endif
