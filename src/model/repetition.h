/* Repetition of an element of a model file: `repeat: {i: [first, last]}` stands for copies in which
 * the variable i is known to all expressions, and {i-1} in a text is replaced by its value. */
#ifndef OLO_MODEL_REPETITION_H
#define OLO_MODEL_REPETITION_H

#include "model/reader.h"

enum {
    OLO_REPETITION_MAX_ELEMENTS = 100000 /* copies of a whole file: about 100 MB */
};

/* The repetition under way; see reader->repetition. */
typedef struct olo_repetition olo_repetition;

/* Reads one copy. */
typedef olo_status olo_repetition_reader(olo_reader *reader, const olo_yaml_node *element,
                                         void *context);

/* Calls `body` once for an element without the key `repeat`, and once a copy for an element that
 * has it, the last of several variables running fastest. */
olo_status olo_repetition_expand(olo_reader *reader, const olo_yaml_node *element,
                                 olo_repetition_reader *body, void *context);

/* The values of the variables of the repetition under way, if there is one. */
void olo_repetition_variables(const olo_reader *reader, double *variables);

/* Whether this key is the `repeat` of the element under way: it is no field. */
bool olo_repetition_is_key(const olo_reader *reader, const olo_yaml_node *node);

/* A text of the file with each {expression} replaced by its value, an integer. Without a repetition
 * the text itself. Lives as long as the reader. */
olo_status olo_repetition_text(olo_reader *reader, const olo_yaml_node *node, const char *text,
                               const char **expanded);

/* An expression that is kept as text, with the variables replaced by their values. */
olo_status olo_repetition_function(olo_reader *reader, const char *text, const char **expanded);

/* The path of a node (see olo_yaml_path) that says which copy it is: "bodies[0]{i=3}.mass". */
void olo_repetition_path(const olo_reader *reader, const olo_yaml_node *node, char *path,
                         size_t size);

#endif
