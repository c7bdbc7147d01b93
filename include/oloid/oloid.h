/** @file
 *  Oloid: structure-preserving simulation of mechanical systems. Includes the whole public API.
 *
 *  A model (model.h) is described with elements (elements.h) or read from a file. Compilation makes
 *  a system (system.h), which is constant and may be shared between threads; a state contains
 *  everything that changes. simulate.h makes steps and runs, statics.h finds equilibria and small
 *  vibrations, derivatives.h differentiates runs, study.h compares several runs; results.h and
 *  report.h write and read files.
 *
 *  **Names.** `olo_<type>_<verb>` acts on a type: create, open and free; set and add; compute for
 *  more work than reading a number; read and write for files. `olo_<type>_<noun>` returns a stored
 *  value, `olo_<type>_<noun>_count` a number of items. Functions of several types begin with their
 *  verb: olo_simulate, olo_find_equilibrium.
 *
 *  **Structs that the caller fills** are obtained from their default function and then changed:
 *
 *      olo_joint joint = olo_joint_default();
 *      joint.name = "elbow";
 *
 *  The default function sets every member. It sets the first one, `initialised`, to a number that
 *  identifies the type; do not change it. A function that receives a struct without this number,
 *  for instance one of zeros, fails with OLO_BAD_INPUT and names the default function. Therefore
 *  members can be added to these structs, and programs work as before when they are compiled again.
 *  For the same reason no public struct contains one of them, only pointers to them.
 *
 *  **Structs that never change** have no default function and are written as
 *  `{.on = "arm", .at = {0, 0, 1}}`; omitted members are zero. They are olo_point_on_body,
 *  olo_body_point, olo_rotating_frame, olo_setting, olo_treatment_choice and olo_error.
 *
 *  **Structs that the library fills** (counts, ledgers, reports, summaries, rows, verdicts) need no
 *  initial value. Future versions may add members.
 *
 *  **Integers.** Elements of a model, items of arrays and iterations within a step are counted by
 *  `int`; indices begin with 0. Counts over a run (steps, frames, rows of a result, all iterations)
 *  are `long`; numbers of bytes are `size_t`.
 *
 *  **Ownership.** An object that a function creates through a pointer to a pointer belongs to the
 *  caller, who frees it with the function that the comment names; on failure there is nothing to
 *  free. A pointer to const that a function returns belongs to the object that was passed to it.
 *
 *  **Other languages.** olo_declarations() returns all declarations except macros. Constants are
 *  enumerators or functions such as olo_unset().
 */
#ifndef OLOID_OLOID_H
#define OLOID_OLOID_H

#include "oloid/derivatives.h"
#include "oloid/elements.h"
#include "oloid/feedback.h"
#include "oloid/interval.h"
#include "oloid/model.h"
#include "oloid/optimize.h"
#include "oloid/report.h"
#include "oloid/results.h"
#include "oloid/sensitivity.h"
#include "oloid/simulate.h"
#include "oloid/statics.h"
#include "oloid/status.h"
#include "oloid/study.h"
#include "oloid/system.h"
#include "oloid/version.h"

#endif
