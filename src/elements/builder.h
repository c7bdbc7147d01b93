/* The system under construction, as elements see it.
 *
 * The caller (model/compile.c) creates a builder, sets gravity, plane, variables and how to locate
 * errors, lets every element build itself in the order of the registry, and finishes:
 *
 *     olo_builder_create(&setup, &builder, error);
 *     for each element: { builder "enters" it; type->build(builder, element); }
 *     olo_builder_finish(builder, &system, error);     frees the builder on success
 *
 * With a pattern in the setup the same elements build a system of the same structure with other
 * numbers. Names, index lists and couplings are those of the pattern; a function of build.h that
 * would add another piece than in the pattern fails with OLO_UNSUPPORTED.
 */
#ifndef OLO_ELEMENTS_BUILDER_H
#define OLO_ELEMENTS_BUILDER_H

#include <stddef.h>

#include "base/fail.h"
#include "elements/element.h"
#include "oloid/system.h"

/* Data of the whole model. Everything is copied, or read only during building. */
typedef struct olo_builder_setup {
    const char *name;
    double gravity[3];
    double plane[3]; /* normal, or zero: motion in space */
    /* Parameters that expressions may use. */
    int variable_count;
    const char *const *variable_names;
    const double *variable_values;
    /* A system whose structure is filled with other numbers, or NULL. */
    const olo_system *pattern;
    /* The numbers are beside those of the model, for derivatives: moments of inertia that no body
     * has are accepted. */
    bool trial;
    /* Writes the location of `key` of the current element in the model, for example
     * "top.yaml:12:5: bodies[0].inertia" or "body 'top': inertia"; key NULL means the element
     * itself. */
    void (*locate)(void *context, const char *key, char *text, size_t size);
    void *context;
} olo_builder_setup;

olo_status olo_builder_create(const olo_builder_setup *setup, olo_builder **builder,
                              olo_error *error);
void olo_builder_free(olo_builder *builder);
/* Completes the system. The builder is freed in any case. */
olo_status olo_builder_finish(olo_builder *builder, olo_system **system, olo_error *error);

/* For elements: fails with a message that begins with the location of `key`. */
olo_status olo_builder_fail(olo_builder *builder, const char *key, const char *format, ...)
    OLO_PRINTF(3, 4);
/* Fails with the message of `cause` after the location of `key`. */
olo_status olo_builder_pass(olo_builder *builder, const char *key, const olo_error *cause);
/* The error of the last failure. */
const olo_error *olo_builder_error(const olo_builder *builder);

#endif
