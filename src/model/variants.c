/* The systems of a model at other values of its parameters; see system/variants.h. */
#include "system/variants.h"

#include "model/model.h"

static olo_status value(const void *model, const char *name, double *x, olo_error *error)
{
    const olo_parameters *parameters = ((const olo_model *)model)->parameters;
    size_t index;
    const olo_status status = olo_parameters_require(parameters, name, &index, error);
    if (status == OLO_OK)
        *x = olo_parameters_value(parameters, index);
    return status;
}

static olo_status make(const void *model, const olo_system *system, int count,
                       const char *const *names, const double *values, olo_system **made,
                       olo_error *error)
{
    return olo_system_with_parameters(model, system, count, names, values, made, error);
}

void olo_model_set_variants(olo_model *model)
{
    model->variants = (olo_variants){.model = model, .value = value, .make = make};
}

const olo_variants *olo_model_variants(const olo_model *model)
{
    return &model->variants;
}
