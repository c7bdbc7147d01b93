/* The condition number of the iteration matrix of the last step. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "stepping/step.h"

olo_status olo_stepper_matrix(olo_stepper *x, olo_matrix_kind kind, olo_square *K, olo_error *error)
{
    *K = (olo_square){0};
    if (!x->stepped)
        return olo_fail(error, OLO_UNSUPPORTED, "there is no iteration matrix before a step");
    olo_status status = x->treatment->matrix(x->data, &x->step, kind, K, error);
    if (status != OLO_OK)
        K->entry = olo_free(K->entry);
    return status;
}

olo_status olo_stepper_compute_condition(olo_stepper *x, double *condition, olo_error *error)
{
    olo_square K;
    olo_status status = olo_stepper_matrix(x, OLO_MATRIX_REPORTED, &K, error);
    if (status != OLO_OK)
        return status;
    *condition = olo_condition(K.size, K.entry);
    const bool finite = olo_all_finite(olo_area(K.size, K.size), K.entry);
    olo_free(K.entry);
    if (!finite)
        return olo_fail(error, OLO_NOT_FINITE, "the iteration matrix is not finite");
    return isnan(*condition)
               ? olo_fail(error, OLO_NO_MEMORY, "out of memory for the condition number")
               : OLO_OK;
}
