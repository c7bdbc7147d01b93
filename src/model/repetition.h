/* Repetition of an element of a model file: `repeat: {i: [first, last]}` makes copies in which all
 * expressions may use the variable i, and {i-1} in a text is replaced by its value. */
#ifndef OLO_MODEL_REPETITION_H
#define OLO_MODEL_REPETITION_H

#include "model/reader.h"

enum {
    OLO_REPETITION_MAX_ELEMENTS = 100000 /* copies per file: about 100 MB */
};

/* The current repetition; see reader->repetition. */
typedef struct olo_repetition olo_repetition;

/* Reads one copy. */
typedef olo_status olo_repetition_reader(olo_reader *reader, const olo_yaml_node *element,
                                         void *context);

/* Calls `body` once for an element without the key `repeat`, and once per copy for an element with
 * it. The last of several variables changes fastest. */
olo_status olo_repetition_expand(olo_reader *reader, const olo_yaml_node *element,
                                 olo_repetition_reader *body, void *context);

/* The values of the variables of the current repetition, if there is one. */
void olo_repetition_variables(const olo_reader *reader, double *variables);

/* Whether this key is the `repeat` of the current element, which is not a field. */
bool olo_repetition_is_key(const olo_reader *reader, const olo_yaml_node *node);

/* Replaces each {expression} in a text by its value, an integer. Without a repetition the result is
 * the text itself. It lives as long as the reader. */
olo_status olo_repetition_text(olo_reader *reader, const olo_yaml_node *node, const char *text,
                               const char **expanded);

/* Replaces the variables in an expression that is stored as text by their values. */
olo_status olo_repetition_function(olo_reader *reader, const char *text, const char **expanded);

/* The path of a node (see olo_yaml_path) with the copy: "bodies[0]{i=3}.mass". */
void olo_repetition_path(const olo_reader *reader, const olo_yaml_node *node, char *path,
                         size_t size);

#endif
