/* The settings of a run as texts "name=value" with all digits: the parameters of the model and the
 * options of the run. A result contains them, so that the run can be continued or made again
 * without other files. */
#ifndef OLO_RESULTS_SETTINGS_H
#define OLO_RESULTS_SETTINGS_H

#include <stddef.h>

#include "oloid/model.h"

/* Lists that end with NULL, owned by the caller (olo_hdf5_texts_free); NULL when memory is
 * exhausted. */
char **olo_settings_of_model(const olo_model *model, size_t *count);
char **olo_settings_of_run(const olo_run *run, size_t *count);

#endif
