/* Quantities of a configuration; see the header. */
#include "control/quantity.h"

#include <string.h>

#include "base/fail.h"
#include "base/suggest.h"

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
}

/* A linear quantity without weights. */
static olo_status start_linear(olo_pool *pool, int size, int **index, double **weight,
                               olo_quantity *x, olo_error *error)
{
    *index = olo_pool_alloc(pool, (size_t)size, sizeof **index);
    *weight = olo_pool_alloc(pool, (size_t)size, sizeof **weight);
    x->size = size;
    x->index = *index;
    x->weight = *weight;
    return *index && *weight ? OLO_OK : no_memory(error);
}

static olo_status along(const olo_position *position, const double direction[3], olo_pool *pool,
                        olo_quantity *x, olo_error *error)
{
    int *index;
    double *weight;
    olo_status status = start_linear(pool, 3 * position->count, &index, &weight, x, error);
    for (int k = 0; status == OLO_OK && k < 3 * position->count; k++) {
        index[k] = position->slot[k / 3] + k % 3;
        weight[k] = position->weight[k / 3] * direction[k % 3];
    }
    for (int i = 0; i < 3; i++)
        x->constant += position->x0[i] * direction[i];
    return status;
}

static olo_status not_found(const olo_system *s, const char *name, olo_error *error)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < s->joint_coordinate_count && count < 64; i++)
        names[count++] = s->joint_coordinates[i].name;
    for (int i = 0; i < s->output_count && count < 64; i++)
        names[count++] = s->outputs[i].name;
    const char *near = olo_suggest(name, names, (size_t)count);
    return olo_fail(error, OLO_NOT_FOUND,
                    "there is no joint coordinate or output '%s'%s%s%s; an output has a position: "
                    "'tip.position' with a direction",
                    name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

olo_status olo_quantity_find(const olo_system *s, const char *name, const double direction[3],
                             olo_pool *pool, olo_quantity *x, olo_error *error)
{
    static const char ending[] = ".position";
    const size_t length = strlen(name), tail = sizeof ending - 1;
    *x = (olo_quantity){.name = name};
    const int coordinate = olo_system_find_joint_coordinate(s, name);
    if (coordinate >= 0) {
        x->term = s->joint_coordinates[coordinate].term;
        x->size = x->term->size;
        x->index = x->term->index;
        return OLO_OK;
    }
    for (int i = 0; length > tail && i < s->output_count; i++)
        if (strcmp(name + length - tail, ending) == 0 &&
            strlen(s->outputs[i].name) == length - tail &&
            strncmp(s->outputs[i].name, name, length - tail) == 0)
            return along(&s->outputs[i].position, direction, pool, x, error);
    return not_found(s, name, error);
}

/* With columns d_I of R and t_I of R_t, component k of 1/2 vee(R_t^T R - R^T R_t) is
 * 1/2 (t_j.d_i - t_i.d_j), (i, j, k) cyclic. */
olo_status olo_quantity_orientation(const olo_system *s, const char *body, const double target[9],
                                    int k, olo_pool *pool, olo_quantity *x, olo_error *error)
{
    const int node = olo_system_find_node(s, body), i = (k + 1) % 3, j = (k + 2) % 3;
    int *index;
    double *weight;
    *x = (olo_quantity){.name = body};
    if (node < 0 || s->nodes[node].size != 12)
        return olo_fail(error, OLO_NOT_FOUND, "there is no body '%s'", body);
    olo_status status = start_linear(pool, 6, &index, &weight, x, error);
    for (int c = 0; status == OLO_OK && c < 3; c++) {
        index[c] = s->nodes[node].q + 3 * (i + 1) + c;
        weight[c] = 0.5 * target[3 * c + j];
        index[3 + c] = s->nodes[node].q + 3 * (j + 1) + c;
        weight[3 + c] = -0.5 * target[3 * c + i];
    }
    return status;
}

double olo_quantity_value(const olo_quantity *x, const double *q, const double *angles,
                          double *gradient)
{
    double sum = x->constant;
    if (x->term) {
        if (gradient)
            olo_term_gradient(x->term, q, angles, gradient);
        return olo_term_energy(x->term, q, angles);
    }
    for (int i = 0; i < x->size; i++)
        sum += x->weight[i] * q[x->index[i]];
    if (gradient)
        memcpy(gradient, x->weight, (size_t)x->size * sizeof *gradient);
    return sum;
}

void olo_quantity_hessian(const olo_quantity *x, const double *q, const double *angles,
                          double *hessian)
{
    if (x->term)
        olo_term_hessian(x->term, q, angles, hessian);
    else
        memset(hessian, 0, (size_t)(x->size * x->size) * sizeof *hessian);
}
