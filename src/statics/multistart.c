/* Many guesses, and the distinct equilibria to which they lead. For a guess the initial state is
 * pushed by a random force at a random node, as large as one whose linear response would be up to
 * `spread`, and descends to the equilibrium with this force: structures snap as they do under a
 * hand. Without the push, Newton's iteration with a line search, or descent, leads to an
 * equilibrium, or is counted as a failure. Equilibria are equal if all coordinates are. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "statics/static_balance.h"
#include "stepping/tree_assembly.h"

/* sigma over the largest stiffness, for directions without stiffness. */
static const double little = 1e-11;
/* Distance of equal equilibria, in model lengths and directors. */
static const double equal = 1e-5;

olo_multistart_options olo_multistart_options_default(void)
{
    return (olo_multistart_options){.initialised = OLO_INITIALISED_MULTISTART_OPTIONS,
                                    .starts = 50,
                                    .seed = 1,
                                    .spread = 1,
                                    .load = 1,
                                    .method = "newton"};
}

typedef struct multistart {
    const olo_system *system;
    const olo_multistart_options *options;
    olo_static_balance *balance;
    olo_state *state; /* moved by guesses and searches */
    double *known;    /* [equilibria n] configurations */
    double *push;     /* [n] forces of a guess */
    unsigned long long random;
} multistart;

/* Uniform in -1 to 1. */
static double random_number(multistart *x)
{
    x->random = x->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(x->random >> 11) / 4503599627370496.0 - 1.0;
}

/* A force on a random node with a random direction, as large as the one whose linear response has a
 * random size up to `spread`. */
static olo_status choose_push(multistart *x, olo_error *error)
{
    olo_static_balance *b = x->balance;
    const olo_system *s = x->system;
    b->predicted = false;
    (void)olo_static_factor(b, x->options->load, 0.0, NULL); /* measures the stiffness */
    const double sigma = b->stiff > 0 ? little * b->stiff : 1.0;
    olo_status status = olo_static_factor(b, x->options->load, sigma, error);
    if (status != OLO_OK)
        return status;
    memset(x->push, 0, (size_t)s->n * sizeof *x->push);
    int node = (int)(0.5 * (1 + random_number(x)) * s->node_count) % s->node_count;
    while (s->nodes[node].type->position < 0 && s->nodes[node].type->width == 3)
        node = (node + 1) % s->node_count;
    const olo_node_type *type = s->nodes[node].type;
    double *force = x->push + s->nodes[node].q + (type->position > 0 ? type->position : 0);
    for (int i = 0; i < type->width; i++)
        force[i] = random_number(x);
    olo_tree_set_right(b->topology, b->elimination, b->step.x.q1, 1.0, x->push);
    olo_static_solve(b);
    const double scale = x->options->spread * random_number(x) / b->size;
    for (int i = 0; i < type->width; i++)
        force[i] *= isfinite(scale) ? scale : 0;
    return OLO_OK;
}

/* Moves the state from the initial one to a guess: the stable equilibrium under the push. */
static olo_status move_to_guess(multistart *x, olo_error *error)
{
    olo_equilibrium_options options = olo_equilibrium_options_default();
    olo_status status = choose_push(x, error);
    options.end = x->options->load;
    options.method = "descent";
    options.hold = true;
    options.push = x->push;
    if (status == OLO_OK) /* a push without equilibrium has led somewhere else: a guess as well */
        status = olo_find_equilibrium(x->system, &options, x->state, NULL, 0, NULL, NULL);
    return status == OLO_NO_MEMORY ? olo_fail(error, status, "out of memory for statics") : OLO_OK;
}

/* The number of a known equilibrium with this configuration, or `count`. */
static int find_known(const multistart *x, int count)
{
    const olo_system *s = x->system;
    for (int i = 0; i < count; i++) {
        const double *q = x->known + (size_t)i * (size_t)s->n;
        bool same = true;
        for (int c = 0; same && c < s->n; c++) {
            const double unit = s->coordinates[c].slot == 0 ? s->length_scale : 1.0;
            same = fabs(q[c] - x->state->q[c]) <= equal * unit;
        }
        if (same)
            return i;
    }
    return count;
}

/* Enters the equilibrium of the state; new ones are shown to the observers. */
static olo_status enter(multistart *x, const olo_equilibrium_summary *found,
                        const olo_observer *observers, int observer_count,
                        olo_equilibria *equilibria, olo_error *error)
{
    const int i = find_known(x, equilibria->count);
    olo_status status = OLO_OK;
    if (i < equilibria->count) {
        equilibria->found[i].hits++;
        return OLO_OK;
    }
    if (i == OLO_EQUILIBRIA_MAX) {
        equilibria->more = true;
        return OLO_OK;
    }
    olo_ledger ledger;
    olo_system_ledger(x->system, x->state, &ledger);
    memcpy(x->known + (size_t)i * (size_t)x->system->n, x->state->q,
           (size_t)x->system->n * sizeof *x->known);
    equilibria->found[equilibria->count++] = (olo_found_equilibrium){.strain = ledger.strain,
                                                                     .potential = ledger.potential,
                                                                     .judged = found->judged,
                                                                     .unstable = found->unstable,
                                                                     .neutral = found->neutral,
                                                                     .hits = 1,
                                                                     .residual = found->residual};
    x->state->t = i;
    const olo_step_report report = {.rotation_node = -1};
    for (int k = 0; status == OLO_OK && k < observer_count; k++)
        if (observers[k].step)
            status =
                observers[k].step(observers[k].context, x->system, x->state, i, &report, error);
    return status;
}

/* From the guess by the method of the options; where Newton's iteration fails, by descent. */
static olo_status find_near(multistart *x, olo_equilibrium_options *options,
                            olo_equilibrium_summary *found, olo_error *error)
{
    options->method = x->options->method;
    olo_status status = olo_find_equilibrium(x->system, options, x->state, NULL, 0, found, error);
    if (status != OLO_NOT_CONVERGED && status != OLO_SINGULAR && status != OLO_NOT_FINITE)
        return status;
    options->method = "descent";
    return olo_find_equilibrium(x->system, options, x->state, NULL, 0, found, error);
}

static void count_failure(olo_equilibria *equilibria, double residual)
{
    if (equilibria->failed++ == 0 || residual < equilibria->best)
        equilibria->best = residual;
}

static olo_status search(multistart *x, const olo_state *initial, const olo_observer *observers,
                         int observer_count, olo_equilibria *equilibria, olo_error *error)
{
    olo_equilibrium_options options = olo_equilibrium_options_default();
    olo_status status = OLO_OK;
    options.end = x->options->load;
    options.hold = true;
    for (int i = 0; status == OLO_OK && i < x->options->starts; i++) {
        olo_equilibrium_summary found;
        olo_error cause = {0};
        bool stop = false;
        for (int k = 0; k < observer_count; k++)
            stop = stop || (observers[k].stop && observers[k].stop(observers[k].context));
        if (stop)
            return olo_fail(error, OLO_INTERRUPTED, "interrupted after %d starts", i);
        olo_state_copy(initial, x->state);
        equilibria->starts++;
        if (i > 0) /* the first start is the initial state itself */
            status = move_to_guess(x, error);
        if (status != OLO_OK)
            break;
        if (find_near(x, &options, &found, &cause) == OLO_OK)
            status = enter(x, &found, observers, observer_count, equilibria, error);
        else if (cause.status == OLO_NO_MEMORY)
            return olo_fail(error, cause.status, "%s", cause.text);
        else
            count_failure(equilibria, found.residual);
    }
    if (status == OLO_OK && equilibria->count == 0)
        return olo_fail(error, OLO_NOT_CONVERGED,
                        "none of %d starts led to an equilibrium, the smallest residual is %.3g: "
                        "try the method 'descent', or another spread than %g",
                        equilibria->starts, equilibria->best, x->options->spread);
    return status;
}

olo_status olo_find_equilibria(const olo_system *system, const olo_multistart_options *options,
                               const olo_state *initial, const olo_observer *observers,
                               int observer_count, olo_equilibria *equilibria, olo_error *error)
{
    multistart x = {.system = system, .options = options, .random = options->seed};
    memset(equilibria, 0, sizeof *equilibria);
    olo_status status =
        olo_check_initialised(options->initialised, OLO_INITIALISED_MULTISTART_OPTIONS, error);
    if (status == OLO_OK)
        status = olo_observers_check(observers, observer_count, error);
    if (status == OLO_OK &&
        (options->starts < 1 || !(options->spread > 0) || !isfinite(options->load)))
        status = olo_fail(error, OLO_BAD_INPUT,
                          "a search from many guesses needs at least one start and a positive "
                          "spread");
    if (status == OLO_OK)
        status = olo_state_create(system, &x.state, error);
    if (status == OLO_OK)
        status = olo_static_create(system, x.state, &x.balance, error);
    if (status == OLO_OK) {
        x.known = olo_alloc((size_t)OLO_EQUILIBRIA_MAX * (size_t)system->n, sizeof *x.known);
        x.push = olo_alloc((size_t)system->n, sizeof *x.push);
        if (!x.known || !x.push)
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for equilibria");
    }
    if (status == OLO_OK) {
        x.balance->hold = true;
        status = search(&x, initial, observers, observer_count, equilibria, error);
    }
    olo_static_free(x.balance);
    olo_state_free(x.state);
    olo_free(x.known);
    olo_free(x.push);
    return status;
}
