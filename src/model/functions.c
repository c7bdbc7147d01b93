/* Sets C functions of elements that were added to a model before. */
#include <stddef.h>

#include "base/fail.h"
#include "model/model.h"

/* The element of this type and name. */
static olo_status find(olo_model *model, const olo_element_type *type, const char *name,
                       void **element, olo_error *error)
{
    const olo_entry *entry = name ? olo_names_find(&model->names, name) : NULL;
    if (!entry || entry->type != type) {
        return olo_fail(error, OLO_NOT_FOUND, "model '%s' has no %s '%.64s'", model->name,
                        type->noun, name ? name : "");
    }
    *element = entry->element;
    model->text = "";
    return OLO_OK;
}

olo_status olo_model_set_load_function(olo_model *model, const char *name,
                                       void (*function)(void *context, double t,
                                                        const double position[3],
                                                        const double velocity[3], double force[3]),
                                       void *context, olo_error *error)
{
    void *element = NULL;
    const olo_status status = find(model, &olo_element_load, name, &element, error);
    if (status == OLO_OK) {
        olo_load *load = element;
        load->function = function;
        load->context = context;
    }
    return status;
}

olo_status olo_model_set_load_wrench(olo_model *model, const char *name,
                                     void (*wrench)(void *context, const olo_body_motion *motion,
                                                    double force[3], double moment[3]),
                                     void *context, olo_error *error)
{
    void *element = NULL;
    const olo_status status = find(model, &olo_element_load, name, &element, error);
    if (status == OLO_OK) {
        olo_load *load = element;
        load->wrench = wrench;
        load->context = context;
    }
    return status;
}

olo_status olo_model_set_contact_function(olo_model *model, const char *name,
                                          void (*function)(void *context, const double *x,
                                                           double *gap, double *gradient,
                                                           double *hessian),
                                          void *context, olo_error *error)
{
    void *element = NULL;
    const olo_status status = find(model, &olo_element_contact, name, &element, error);
    if (status == OLO_OK) {
        olo_contact *contact = element;
        contact->function = function;
        contact->context = context;
    }
    return status;
}

olo_status olo_model_set_load_derivatives(
    olo_model *model, const char *name,
    void (*derivatives)(void *context, double t, const double position[3], const double velocity[3],
                        double by_position[9], double by_velocity[9]),
    olo_error *error)
{
    void *element = NULL;
    const olo_status status = find(model, &olo_element_load, name, &element, error);
    if (status == OLO_OK)
        ((olo_load *)element)->derivatives = derivatives;
    return status;
}

olo_status olo_model_set_joint_derivatives(olo_model *model, const char *name,
                                           void (*derivatives)(void *context, double t,
                                                               double coordinate, double rate,
                                                               double by[2]),
                                           olo_error *error)
{
    void *element = NULL;
    const olo_status status = find(model, &olo_element_joint, name, &element, error);
    if (status == OLO_OK)
        ((olo_joint *)element)->derivatives = derivatives;
    return status;
}

olo_status olo_model_set_joint_function(olo_model *model, const char *name,
                                        double (*function)(void *context, double t,
                                                           double coordinate, double rate),
                                        void *context, olo_error *error)
{
    void *element = NULL;
    const olo_status status = find(model, &olo_element_joint, name, &element, error);
    if (status == OLO_OK) {
        olo_joint *joint = element;
        joint->function = function;
        joint->context = context;
    }
    return status;
}
