/* A linearised system in JSON, for the file and for the command. */
#ifndef OLO_RESULTS_LINEAR_FILE_H
#define OLO_RESULTS_LINEAR_FILE_H

#include "base/json.h"
#include "oloid/statics.h"

/* Names and matrices as members of an object that is open. */
void olo_linear_put(const olo_linear *linear, olo_json *json);

#endif
