/* The section `optimize` of a model file: a problem of optimal control. */
#ifndef OLO_MODEL_OPTIMIZE_SECTION_H
#define OLO_MODEL_OPTIMIZE_SECTION_H

#include "model/reader.h"
#include "oloid/optimize.h"

/* The problem of a model, in its pool, with the locations of its entries. */
typedef struct olo_problem_section {
    olo_problem problem;
    olo_mark mark;           /* of the section */
    const olo_mark *options; /* of the keys that are no lists; line 0: not given */
    /* of the entries of each list */
    const olo_mark *controls, *parameters, *costs, *conditions, *guesses, *refine, *feedback;
} olo_problem_section;

/* The location of the key that a text is about, `key: ...`, or that of the section. */
olo_mark olo_problem_section_find(const olo_problem_section *section, const char *text);
/* Reads the section into reader->model->problem. */
olo_status olo_read_optimize(olo_reader *reader, const olo_yaml_node *section);

#endif
