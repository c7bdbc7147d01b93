/* The linear system as users read it: sizes, names and matrices. */
#include <stddef.h>

#include "base/memory.h"
#include "statics/linear.h"

void olo_linear_free(olo_linear *linear)
{
    if (!linear)
        return;
    olo_pool_free(&linear->pool);
    olo_free(linear);
}

int olo_linear_state_count(const olo_linear *linear)
{
    return linear->states;
}

int olo_linear_input_count(const olo_linear *linear)
{
    return linear->inputs;
}

int olo_linear_output_count(const olo_linear *linear)
{
    return linear->outputs;
}

static const char *one_of(const char **names, int count, int index)
{
    return index >= 0 && index < count ? names[index] : NULL;
}

const char *olo_linear_state_name(const olo_linear *x, int index)
{
    return one_of(x->state_names, x->states, index);
}

const char *olo_linear_input_name(const olo_linear *x, int index)
{
    return one_of(x->input_names, x->inputs, index);
}

const char *olo_linear_output_name(const olo_linear *x, int index)
{
    return one_of(x->output_names, x->outputs, index);
}

const double *olo_linear_matrix(const olo_linear *x, char matrix)
{
    return matrix == 'A'   ? x->A
           : matrix == 'B' ? x->B
           : matrix == 'C' ? x->C
           : matrix == 'D' ? x->D
                           : NULL;
}
