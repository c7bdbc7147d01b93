/* Adaptive step sizes. Let e = C h^k be the estimated error of a step of size h, divided by its
 * bound:
 *
 *     e <= 1   accepted, the next size is   h' = h 0.9 e^(-0.7/k) e_before^(0.4/k)
 *     e > 1    rejected, made again with    h' = h 0.9 e^(-1/k)
 *
 * (a PI controller). The bound of a step of order p with an estimate of order k is tolerance^(k/p):
 * a run has about 1/h steps and an error proportional to h^p, and thus to the tolerance. Errors are
 * those of the configuration, lengths divided by the length of the model, directors as they are;
 * the largest of all nodes counts. Velocities count, divided by the largest one so far, if they
 * satisfy their constraints; else they contain, normal to the constraints, errors of earlier,
 * larger steps that a small step does not remove.
 *
 * Forces that depend on time are sampled in the middles of the parts. Near both ends of the step,
 * outside of these samples, they are compared with the polynomial through the samples: a force that
 * jumps there would move a coordinate by c_1 h^2 f/(2 M). */
#include "stepping/step_size_control.h"

#include <math.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "stepping/coordinates.h"

static const double safety = 0.9, integral = 0.7, proportional = 0.4;
static const double least_growth = 0.2, most_growth = 4; /* after an accepted step */
static const double least_cut = 0.1, most_cut = 0.9;     /* after a rejected step */
static const double failed_cut = 0.25;                   /* after a failed Newton iteration */
static const double least_error = 1e-4; /* relative errors below this are not significant */
static const double rounding = 1e-14;   /* relative rounding error of an estimate */

const olo_segment olo_segment_control = {.name = "control",
                                         .fixed = sizeof(olo_control_segment) / sizeof(double)};

olo_status olo_control_choose(olo_control *control, const olo_composition *composition,
                              const olo_run *run, olo_error *error)
{
    if (!(run->tolerance > 0))
        return OLO_OK;
    control->bound = pow(run->tolerance, (double)composition->estimate / composition->order);
    control->first = run->step;
    control->smallest = run->smallest_step;
    control->largest = run->largest_step > 0 ? run->largest_step : HUGE_VAL;
    if (control->bound < 10 * rounding)
        return olo_fail(
            error, OLO_BAD_INPUT,
            "run.tolerance = %g is smaller than the rounding errors of steps of order %d%s",
            run->tolerance, run->order, run->order < 4 ? "; take run.order: 4" : "");
    if (!(control->first > 0) || control->smallest > control->largest)
        return olo_fail(error, OLO_BAD_INPUT,
                        "run needs a positive step and a smallest_step below its largest_step");
    return OLO_OK;
}

/* Weights of the polynomial through the middles of all parts, evaluated at the start of the step;
 * at its end the weights are in reverse order. */
static void weigh_middles(const olo_composition *c, double *weight)
{
    for (int i = 0; i < c->parts; i++) {
        weight[i] = 1;
        for (int j = 0; j < c->parts; j++)
            if (j != i)
                weight[i] *= -olo_composition_middle(c, j) /
                             (olo_composition_middle(c, i) - olo_composition_middle(c, j));
    }
}

olo_status olo_control_create(olo_stepper *x, olo_error *error)
{
    const olo_system *s = x->system;
    const size_t n = (size_t)s->n;
    const olo_array arrays[] = {
        {&x->control.estimate, n}, {&x->control.mobility, n}, {&x->control.rate_estimate, n}};
    if (!olo_pool_arrays(&x->pool, arrays, x->scheme->consistent ? 3 : 2))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the control of steps");
    for (int e = 0; e < s->mass_count; e++)
        for (int i = 0; i < s->mass[e].width && s->mass[e].i == s->mass[e].j; i++)
            x->control.mobility[s->mass[e].i + i] = s->mass[e].m > 0 ? 1 / s->mass[e].m : 0.0;
    weigh_middles(x->composition, x->control.outer);
    return olo_state_create(s, &x->control.retry, error);
}

static void sample(int n, int node, double weight, const double *value, double *estimate)
{
    for (int i = 0; estimate && i < n; i++)
        estimate[i] = (node > 0 ? estimate[i] : 0.0) + weight * value[i];
}

void olo_control_sample(olo_stepper *x, const olo_state *state, int node)
{
    const double weight = x->composition->weight[node];
    sample(state->n, node, weight, state->q, x->control.estimate);
    sample(state->n, node, weight, state->v, x->control.rate_estimate);
}

/* f += weight * force of an action at the fraction `at` of the step that starts at t */
static void add_force(const olo_stepper *x, const olo_action *action, double weight, double t,
                      double h, double at, double *f)
{
    olo_interval over = olo_step_interval(&x->step);
    double force[OLO_ACTION_SIZE_MAX];
    over.t = t + at * h - 0.5 * over.h;
    olo_evaluate_action(action, &over, force, NULL);
    for (int i = 0; i < action->size; i++)
        f[i] += weight * force[i];
}

/* The largest displacement of a coordinate by the part of a time-dependent force that the step has
 * not sampled. */
static double unseen_motion(const olo_stepper *x, const olo_action *action, double t, double h)
{
    const double inside = 1e-6; /* a jump exactly at the end belongs to the next step */
    const olo_composition *c = x->composition;
    double largest = 0;
    for (int end = 0; end < 2; end++) {
        double f[OLO_ACTION_SIZE_MAX] = {0};
        add_force(x, action, -1.0, t, h, end ? 1 - inside : inside, f);
        for (int i = 0; i < c->parts; i++)
            add_force(x, action, x->control.outer[end ? c->parts - 1 - i : i], t, h,
                      olo_composition_middle(c, i), f);
        for (int i = 0; i < action->size; i++) {
            const int k = action->index[i];
            const double unit = olo_coordinate_unit(x->system, k);
            olo_raise(&largest, fabs(f[i]) * x->control.mobility[k] / unit);
        }
    }
    return largest * olo_composition_middle(c, 0) * h * h;
}

/* The estimated error of the last step, from t to the state, divided by its bound. */
static double relative_error(const olo_stepper *x, olo_state *state, double t, double h)
{
    const olo_system *s = x->system;
    double largest = 0;
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].time.value)
            olo_raise(&largest, unseen_motion(x, &s->actions[i], t, h));
    olo_raise(&largest, olo_coordinates_size(s, 0, s->n, x->control.estimate));
    if (x->control.rate_estimate) {
        double *speed = &olo_control_of(state)->speed;
        olo_raise(speed, olo_coordinates_size(s, 0, s->n, state->v));
        if (*speed > 0)
            olo_raise(&largest,
                      olo_coordinates_size(s, 0, s->n, x->control.rate_estimate) / *speed);
    }
    return largest / x->control.bound;
}

static double within(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

/* A step of about h after which no very short step remains. */
static double fit(double h, double longest)
{
    if (longest <= h * (1 + 1e-9))
        return longest;
    return longest < 2 * h ? 0.5 * longest : h;
}

/* Plans the next step after an accepted step of size h, where `planned` was the planned size. */
static void plan_next(const olo_stepper *x, olo_state *state, double h, double planned,
                      double error, bool rejected)
{
    const double k = x->composition->estimate;
    olo_control_segment *memory = olo_control_of(state);
    const double before = memory->error_before > 0 ? memory->error_before : 1.0;
    error = fmax(error, least_error);
    double factor = safety * pow(error, -integral / k) * pow(before, proportional / k);
    double next = h * within(factor, least_growth, rejected ? 1.0 : most_growth);
    /* a step that was shortened to end at a given time does not reduce the plan */
    memory->next = h < planned ? fmax(next, planned) : next;
    memory->error_before = error;
}

olo_status olo_stepper_step_adaptive(olo_stepper *x, olo_state *state, double longest,
                                     olo_error *error)
{
    const olo_control *control = &x->control;
    const double k = x->composition->estimate;
    olo_step_report all = {.rotation_node = -1};
    if (!(control->bound > 0) || !(longest > 0))
        return olo_fail(error, OLO_BAD_INPUT,
                        "adaptive steps need run.tolerance and a positive longest step");
    const double next = olo_control_of(state)->next;
    double planned = next > 0 ? next : control->first;
    planned = within(planned, control->smallest, control->largest);
    double h = fit(planned, longest);
    for (;;) {
        olo_error reason = {0};
        olo_state_copy(state, control->retry);
        olo_status status = olo_stepper_step(x, state, h, &reason);
        olo_report_add(&all, &x->report);
        all.size = h;
        x->report = all;
        double error_ratio =
            status == OLO_OK ? relative_error(x, state, control->retry->t, h) : HUGE_VAL;
        if (error_ratio <= 1) {
            plan_next(x, state, h, planned, error_ratio, all.rejections > 0);
            return OLO_OK;
        }
        olo_state_copy(control->retry, state);
        if (status == OLO_NO_MEMORY || x->unsolvable)
            return olo_fail(error, status, "%s", reason.text);
        x->report.rejections = ++all.rejections;
        h *= isfinite(error_ratio) ? within(safety * pow(error_ratio, -1 / k), least_cut, most_cut)
                                   : failed_cut;
        planned = h;
        if (h < control->smallest || !(state->t + 1e-3 * h > state->t))
            return olo_fail(error, OLO_NOT_CONVERGED,
                            "the step at t = %.9g would have to be smaller than %.3g to satisfy "
                            "the tolerance%s%s",
                            state->t, fmax(control->smallest, h),
                            status != OLO_OK ? ": " : "; take a larger tolerance",
                            status != OLO_OK ? reason.text : "");
    }
}
