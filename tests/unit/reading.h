/* What the tests of the reader share: a text is read as the model file m.yaml. */
#ifndef OLO_TEST_READING_H
#define OLO_TEST_READING_H

#include "test.h"

#include "model/model.h"

static inline olo_status read_with(const char *text, const olo_setting *settings, int count,
                                   olo_model **model, olo_error *error)
{
    return olo_model_read_text(text, strlen(text), "m.yaml", settings, count, model, error);
}

static inline olo_model *read_good(const char *text)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(read_with(text, NULL, 0, &model, &error), &error);
    return model;
}

/* Reads a text that is wrong and checks what is said. */
static inline void check_refused(const char *text, const char *part)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, read_with(text, NULL, 0, &model, &error));
    check_true(model == NULL);
    check_contains(part, error.text);
}

#endif
