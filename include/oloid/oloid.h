/** @file
 *  Oloid: structure-preserving simulation of mechanical systems. Includes the whole public API.
 *
 *  A model (model.h) is described with elements (elements.h) or read from a file. Compiled, it is a
 *  system (system.h), which is constant and may be shared between threads; a state is what changes.
 *  simulate.h makes steps and runs, statics.h finds equilibria and small vibrations, derivatives.h
 *  differentiates runs, study.h compares several of them; results.h and report.h write and read
 *  files.
 *
 *  **Names.** `olo_<type>_<verb>` acts on a type: create, open and free; set and add; compute for
 *  what costs more than reading a number; read and write for files. `olo_<type>_<noun>` gives a
 *  value that is there, `olo_<type>_<noun>_count` how many of something there are. Functions of
 *  several types begin with their verb: olo_simulate, olo_find_equilibrium.
 *
 *  **Structs that a caller fills** start from their default function and are then changed:
 *
 *      olo_joint joint = olo_joint_default();
 *      joint.name = "elbow";
 *
 *  The function sets every member, and the first one, `initialised`, to a number of its type; leave
 *  that alone. A function that is given a struct which starts otherwise, as zeros for instance,
 *  fails with OLO_BAD_INPUT and names the default function. So members can be added to these
 *  structs, and programs that are compiled again go on as before. For the same reason no public
 *  struct contains one of them: it points to it.
 *
 *  **Structs that are closed for good** have no default function and are written as
 *  `{.on = "arm", .at = {0, 0, 1}}`; what is left out is zero. They are olo_point_on_body,
 *  olo_body_point, olo_rotating_frame, olo_setting, olo_treatment_choice and olo_error.
 *
 *  **Structs that the library fills** (counts, ledgers, reports, summaries, rows, verdicts) need no
 *  initial value. They may get more members.
 *
 *  **Whole numbers.** Things of a model and items of arrays are counted and numbered from 0 by
 *  `int`, as are iterations within a step; what is counted over a run (steps, frames, rows of a
 *  result, all iterations) is `long`; bytes are `size_t`.
 *
 *  **Ownership.** What a function creates through a pointer to a pointer belongs to the caller, who
 *  frees it with the function that its comment names; on failure there is nothing to free. What a
 *  function returns as a pointer to const belongs to the object it was asked of.
 *
 *  **Other languages.** Everything but macros is in olo_declarations(). Constants are enumerators
 *  or, as olo_unset(), functions.
 */
#ifndef OLOID_OLOID_H
#define OLOID_OLOID_H

#include "oloid/derivatives.h"
#include "oloid/elements.h"
#include "oloid/interval.h"
#include "oloid/model.h"
#include "oloid/report.h"
#include "oloid/results.h"
#include "oloid/simulate.h"
#include "oloid/statics.h"
#include "oloid/status.h"
#include "oloid/study.h"
#include "oloid/system.h"
#include "oloid/version.h"

#endif
