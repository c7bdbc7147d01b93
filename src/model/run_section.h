/* The section `run` of a model file: the options of a run. */
#ifndef OLO_MODEL_RUN_SECTION_H
#define OLO_MODEL_RUN_SECTION_H

#include "model/reader.h"
#include "oloid/model.h"

/* Checks all options. */
olo_status olo_run_check(const olo_run *run, olo_error *error);

/* Settings of options of a run are called run.step and so on. */
#define OLO_RUN_PREFIX "run."
bool olo_run_has_option(const char *key);

/* The number of options; and option `index` of a run as a setting, "step=0.001", with all digits.
 * Returns false if the text is too long. */
int olo_run_option_count(void);
bool olo_run_option_text(const olo_run *run, int index, char *text, size_t size);

/* Reads the section (NULL if the file has none) and the settings whose names begin with "run.",
 * which have precedence, into reader->model->run. */
olo_status olo_read_run(olo_reader *reader, const olo_yaml_node *section);

#endif
