/* Structs of the public API that a caller fills begin with `int initialised`. The default function
 * of the struct writes the number of its type there, and every public function that takes the
 * struct checks it: so a struct that did not come from its default function, and whose members may
 * mean something else than the caller thinks, is refused by name.
 */
#ifndef OLO_BASE_INITIALISED_H
#define OLO_BASE_INITIALISED_H

#include "oloid/status.h"

/* One number a type, far from what a struct contains by accident. */
typedef enum olo_initialised {
    OLO_INITIALISED_NONE = 0x4f4c4f00,
#define OLO_STRUCT(NUMBER, name) OLO_INITIALISED_##NUMBER,
#include "base/initialised.def"
#undef OLO_STRUCT
    OLO_INITIALISED_END
} olo_initialised;

/* OLO_BAD_INPUT, "olo_run is not initialised: start from olo_run_default()", unless `given`, the
 * first member of a struct, is the number of the type `expected`. */
olo_status olo_check_initialised(int given, olo_initialised expected, olo_error *error);

/* Name of the type without its prefix: "run". */
const char *olo_initialised_name(olo_initialised type);

#endif
