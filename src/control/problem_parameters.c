/* Parameters of the model as variables of a problem, and the problem in a system at other values of
 * them. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "control/problem.h"

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
}

static int find(const olo_control_problem *p, const char *name)
{
    for (int i = 0; i < p->parameter_count; i++)
        if (strcmp(p->parameters[i].name, name) == 0)
            return i;
    return -1;
}

static olo_status resolve(olo_control_problem *p, const olo_problem_parameter *given,
                          olo_error *error)
{
    double value = 0;
    olo_status status =
        olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM_PARAMETER, error);
    if (status != OLO_OK)
        return status;
    if (!given->name)
        return olo_fail(error, OLO_BAD_INPUT, "a variable needs the name of a parameter");
    if (find(p, given->name) >= 0)
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is there twice", given->name);
    if (!(given->lower < given->upper))
        return olo_fail(error, OLO_BAD_INPUT, "the lower bound %g is not below the upper one %g",
                        given->lower, given->upper);
    if (isinf(given->guess))
        return olo_fail(error, OLO_BAD_INPUT, "the guess is not a finite number");
    status = p->variants->value(p->variants->model, given->name, &value, error);
    if (status != OLO_OK)
        return status;
    olo_control_parameter *x = &p->parameters[p->parameter_count];
    *x = (olo_control_parameter){
        .name = olo_pool_text(&p->pool, given->name, strlen(given->name)),
        .lower = given->lower,
        .upper = given->upper,
        .guess =
            fmin(fmax(isnan(given->guess) ? value : given->guess, given->lower), given->upper)};
    p->parameter_count += x->name != NULL;
    return x->name ? OLO_OK : no_memory(error);
}

olo_status olo_control_resolve_parameters(olo_control_problem *p, const olo_problem *given,
                                          olo_problem_entry *at, olo_error *error)
{
    olo_status status = OLO_OK;
    p->variants = given->variants;
    p->parameters =
        olo_pool_alloc(&p->pool, (size_t)given->parameter_count + 1, sizeof *p->parameters);
    if (!p->parameters)
        return no_memory(error);
    if (given->parameter_count > 0 && !given->variants)
        return olo_fail(error, OLO_BAD_INPUT,
                        "parameters: the problem does not know the model: set `variants` to "
                        "olo_model_variants");
    for (int i = 0; status == OLO_OK && i < given->parameter_count; i++) {
        *at = (olo_problem_entry){"parameters", i};
        status = resolve(p, &given->parameters[i], error);
    }
    return status;
}

olo_status olo_control_add_parameter_cost(olo_control_problem *p, const olo_problem_cost *given,
                                          olo_error *error)
{
    const int i = given->parameter ? find(p, given->parameter) : -1;
    const double w = given->weight, r = given->target;
    if (i < 0)
        return olo_fail(error, OLO_NOT_FOUND,
                        "a cost of a parameter needs one of the section `parameters`; '%s' is none",
                        given->parameter ? given->parameter : "");
    p->parameters[i].linear += given->square ? -2 * w * r : w;
    p->parameters[i].square += given->square ? w : 0;
    p->parameters[i].constant += given->square ? w * r * r : -w * r;
    return OLO_OK;
}

double olo_control_parameter_cost(const olo_control_problem *problem, int parameter, double p)
{
    const olo_control_parameter *x = &problem->parameters[parameter];
    return x->constant + (x->linear + x->square * p) * p;
}

/* The same measure in another system; an orientation has no numbers of the system. */
static olo_status find_again(const olo_system *system, const char *name, olo_pool *pool,
                             olo_quantity *measure, olo_error *error)
{
    const double direction[3] = {measure->direction[0], measure->direction[1],
                                 measure->direction[2]};
    measure->system = system;
    return name ? olo_quantity_find(system, name, direction, pool, measure, error) : OLO_OK;
}

olo_status olo_control_problem_in(const olo_control_problem *p, const olo_system *system,
                                  olo_control_problem **other, olo_error *error)
{
    olo_control_problem *x = olo_copy(p, 1, sizeof *p);
    *other = x;
    if (!x)
        return no_memory(error);
    x->system = system;
    x->pool = (olo_pool){0};
    x->condition_count = x->cost_count = 0;
    x->conditions =
        olo_pool_copy(&x->pool, p->conditions, (size_t)p->condition_count, sizeof *x->conditions);
    x->costs = olo_pool_copy(&x->pool, p->costs, (size_t)p->cost_count, sizeof *x->costs);
    olo_status status = x->conditions && x->costs ? OLO_OK : no_memory(error);
    for (int i = 0; status == OLO_OK && i < p->condition_count; i++) {
        olo_control_condition *c = &x->conditions[i];
        status = find_again(system, c->name, &x->pool, &c->measure, error);
        x->condition_count += status == OLO_OK;
    }
    for (int i = 0; status == OLO_OK && i < p->cost_count; i++) {
        olo_control_cost *c = &x->costs[i];
        status = find_again(system, c->name, &x->pool, &c->measure, error);
        x->cost_count += status == OLO_OK;
    }
    if (status != OLO_OK) {
        olo_control_problem_release(x);
        *other = NULL;
    }
    return status;
}

void olo_control_problem_release(olo_control_problem *x)
{
    if (!x)
        return;
    for (int i = 0; i < x->condition_count; i++)
        if (x->conditions[i].name)
            olo_quantity_free(&x->conditions[i].measure);
    for (int i = 0; i < x->cost_count; i++)
        olo_quantity_free(&x->costs[i].measure);
    olo_pool_free(&x->pool);
    olo_free(x);
}
