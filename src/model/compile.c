/* From a model to a system: every element builds itself, type by type in the order of the
 * registry, the builder finishes, and the kinematics of the whole is analysed. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "elements/builder.h"
#include "kinematics/analysis.h"
#include "linalg/vec3.h"
#include "model/model.h"
#include "stepping/segments.h"

/* Where building is; `entry` is NULL for the model as a whole. */
typedef struct position {
    const olo_model *model;
    const olo_entry *entry;
} position;

static void locate(void *context, const char *key, char *text, size_t size)
{
    const position *here = context;
    if (here->entry != NULL) {
        olo_entry_locate(here->model, here->entry, key, text, size);
    } else {
        olo_model_locate(here->model, key, text, size);
    }
}

/* Models made in code may hold any numbers here. */
static olo_status check_vector(const olo_model *model, const char *key, const double x[3],
                               olo_error *error)
{
    char location[512];
    for (int i = 0; i < 3; i++) {
        if (!isfinite(x[i]) || fabs(x[i]) > OLO_LARGEST_NUMBER) {
            olo_model_locate(model, key, location, sizeof location);
            return olo_fail(error, OLO_BAD_INPUT, "%s: %s", location,
                            isfinite(x[i]) ? "is too large" : "is not a finite number");
        }
    }
    return OLO_OK;
}

static olo_status build_all(const olo_model *model, position *here, olo_builder *builder)
{
    for (int i = 0; i < olo_element_type_count; i++) {
        const olo_entry_list *list = &model->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            here->entry = list->items[k];
            const olo_status status = here->entry->type->build(builder, here->entry->element);
            if (status != OLO_OK) {
                return status;
            }
        }
    }
    here->entry = NULL;
    return OLO_OK;
}

/* Puts the model before a reason that names no place in it. */
static olo_status name_model(const olo_model *model, olo_status status, olo_error *error)
{
    char location[512];
    olo_model_locate(model, NULL, location, sizeof location);
    if (error == NULL || strncmp(error->text, location, strlen(location)) == 0) {
        return status;
    }
    return olo_fail_context(error, status, "%s", location);
}

olo_status olo_model_compile(const olo_model *model, olo_system **system, olo_error *error)
{
    *system = NULL;
    olo_status status = check_vector(model, "gravity", model->gravity, error);
    if (status == OLO_OK) {
        status = check_vector(model, "plane", model->plane, error);
    }
    if (status != OLO_OK) {
        return status;
    }
    position here = {.model = model};
    olo_builder_setup setup = {
        .name = model->name,
        .variable_count = (int)olo_parameters_count(model->parameters),
        .variable_names = olo_parameters_names(model->parameters),
        .variable_values = olo_parameters_values(model->parameters),
        .locate = locate,
        .context = &here,
    };
    memcpy(setup.gravity, model->gravity, sizeof setup.gravity);
    memcpy(setup.plane, model->plane, sizeof setup.plane);
    (void)vec3_normalise(setup.plane);

    olo_builder *builder = NULL;
    status = olo_builder_create(&setup, &builder, error);
    if (status != OLO_OK) {
        return status;
    }
    status = build_all(model, &here, builder);
    if (status != OLO_OK) {
        if (error != NULL) {
            *error = *olo_builder_error(builder);
        }
        olo_builder_free(builder);
        return status;
    }
    status = olo_builder_finish(builder, system, error);
    if (status == OLO_OK) {
        (*system)->segments = olo_segments;
        status = olo_system_analyse(*system, error);
    }
    if (status != OLO_OK) {
        olo_system_free(*system);
        *system = NULL;
    }
    return status == OLO_OK ? OLO_OK : name_model(model, status, error);
}
