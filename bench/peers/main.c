/* Runs the chain in one engine and prints its cost and its final state, one line per quantity with
 * a name and its numbers:
 *
 *     peer_<engine> METHOD LINKS END SETTING [samples=1] [repeat=0] [gradient=0] [angle=HINGE:rad]
 *         [rate=HINGE:rad/s] [check=TOLERANCE]
 *
 * SETTING is the step or the tolerance of the method. `cpu` is the CPU time of this thread in the
 * engine's steps only, the minimum of as many runs as fit into `repeat` seconds (at least one, at
 * most 20). `energy` is the largest error, at `samples` equidistant times, of the energy that the
 * engine computes; `energy_of_motion` that of the energy that chain.c computes from angles and
 * rates. Both are relative to the energy that the chain loses until it hangs. `tip_gap` is the
 * largest distance of the engine's tip from that of its angles, `account_gap` the largest
 * difference of the two energies. If these are not small, the engine runs another chain, and with
 * `check` the program fails. With gradient=1 the run is replaced by the gradient of the kinetic
 * energy at the end with respect to the initial angles and rates; `cpu` is its time. `failed` is
 * the reason of a failure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peer.h"

enum { RUNS_MAX = 20 };

typedef struct task {
    const char *method;
    double end, setting, repeat, check;
    int samples, gradient;
    chain chain;
} task;

typedef struct outcome {
    double cpu, energy, energy_of_motion, tip_gap, account_gap;
    long steps;
    double *angles, *rates, *gradient;
    chain_link *links;
} outcome;

static double seconds(void)
{
    struct timespec t;
    if (the_peer.seconds)
        return the_peer.seconds();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The larger of two numbers; NaN, the result of a diverged run, is larger than all others. */
static double worse(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* Evaluates the current state: its energies `energy[0]` (of the engine) and [1] (of the motion),
 * and the gap of the tip. */
static void look(const task *x, void *run, outcome *out, double energy[2])
{
    double tip[3], end[3], gap = 0;
    the_peer.read(run, out->angles, out->rates, tip, &energy[0]);
    chain_move(&x->chain, out->angles, out->rates, out->links);
    energy[1] = chain_energy(&x->chain, out->links);
    if (isnan(energy[0]))
        energy[0] = energy[1];
    chain_end(&x->chain, &out->links[x->chain.links - 1], end);
    for (int i = 0; i < 3; i++)
        gap += (tip[i] - end[i]) * (tip[i] - end[i]);
    out->tip_gap = worse(out->tip_gap, sqrt(gap));
    out->account_gap =
        worse(out->account_gap, fabs(energy[0] - energy[1]) / chain_energy_scale(&x->chain));
}

/* Computes one gradient. */
static bool differentiate_once(const task *x, outcome *out, peer_error *error)
{
    void *run = the_peer.start(&x->chain, x->method, x->setting, error);
    bool ok = run != NULL;
    if (ok) {
        double before = seconds();
        ok = the_peer.gradient(run, x->end, out->gradient, error);
        out->cpu = seconds() - before;
        out->steps = the_peer.steps(run);
        the_peer.finish(run);
    }
    return ok;
}

/* Performs one run. */
static bool run_once(const task *x, outcome *out, peer_error *error)
{
    double start[2], energy[2];
    const double scale = chain_energy_scale(&x->chain);
    void *run = the_peer.start(&x->chain, x->method, x->setting, error);
    bool ok = run != NULL;
    out->cpu = out->energy = out->energy_of_motion = out->tip_gap = out->account_gap = 0;
    if (ok)
        look(x, run, out, start);
    for (int i = 1; ok && i <= x->samples; i++) {
        double before = seconds();
        ok = the_peer.advance(run, x->end * i / x->samples, error);
        out->cpu += seconds() - before;
        if (!ok)
            break;
        look(x, run, out, energy);
        out->energy = worse(out->energy, fabs(energy[0] - start[0]) / scale);
        out->energy_of_motion = worse(out->energy_of_motion, fabs(energy[1] - start[1]) / scale);
    }
    if (run) {
        out->steps = the_peer.steps(run);
        the_peer.finish(run);
    }
    return ok;
}

static bool measure(const task *x, outcome *out, peer_error *error)
{
    double best = INFINITY, spent = 0;
    bool ok = true;
    for (int runs = 0; ok && runs < RUNS_MAX && (runs == 0 || spent < x->repeat); runs++) {
        ok = x->gradient ? differentiate_once(x, out, error) : run_once(x, out, error);
        spent += out->cpu;
        best = fmin(best, out->cpu);
    }
    out->cpu = best;
    return ok;
}

static void print_numbers(const char *name, const double *x, int n)
{
    printf("%s", name);
    for (int i = 0; i < n; i++)
        printf(" %.17g", x[i]);
    printf("\n");
}

static void print(const task *x, const outcome *out)
{
    printf("steps %ld\ncpu %.9g\n", out->steps, out->cpu);
    if (x->gradient) {
        print_numbers("gradient", out->gradient, 2 * x->chain.links);
        return;
    }
    printf("energy %.9g\nenergy_of_motion %.9g\n", out->energy, out->energy_of_motion);
    printf("tip_gap %.9g\naccount_gap %.9g\n", out->tip_gap, out->account_gap);
    printf("ends");
    for (int i = 0; i < x->chain.links; i++) {
        double end[3];
        chain_end(&x->chain, &out->links[i], end);
        printf(" %.17g %.17g %.17g", end[0], end[1], end[2]);
    }
    printf("\n");
    print_numbers("angles", out->angles, x->chain.links);
    print_numbers("rates", out->rates, x->chain.links);
}

/* Reads `angle=3:1e-6` or `rate=3:1e-6`. */
static bool disturb(const chain *x, const char *text, double *values)
{
    int hinge = -1;
    double amount = 0;
    if (sscanf(text, "%d:%lf", &hinge, &amount) != 2 || hinge < 0 || hinge >= x->links)
        return false;
    values[hinge] += amount;
    return true;
}

static bool option(task *x, const char *text)
{
    if (strncmp(text, "samples=", 8) == 0)
        return (x->samples = atoi(text + 8)) > 0;
    if (strncmp(text, "repeat=", 7) == 0)
        return (x->repeat = atof(text + 7)) >= 0;
    if (strncmp(text, "gradient=", 9) == 0)
        return (x->gradient = atoi(text + 9)) == 0 || the_peer.gradient;
    if (strncmp(text, "check=", 6) == 0)
        return (x->check = atof(text + 6)) > 0;
    if (strncmp(text, "angle=", 6) == 0)
        return disturb(&x->chain, text + 6, x->chain.angles);
    if (strncmp(text, "rate=", 5) == 0)
        return disturb(&x->chain, text + 5, x->chain.rates);
    return false;
}

static bool parse(int argc, char **argv, task *x)
{
    *x = (task){.samples = 1};
    if (argc < 5 || atoi(argv[2]) < 1 || !chain_create(atoi(argv[2]), &x->chain))
        return false;
    x->method = argv[1];
    x->end = atof(argv[3]);
    x->setting = atof(argv[4]);
    for (int i = 5; i < argc; i++)
        if (!option(x, argv[i]))
            return false;
    return x->end > 0 && x->setting > 0;
}

/* With `check`: whether the engine ran this chain, within the tolerance. */
static bool agrees(const task *x, const outcome *out)
{
    return x->check <= 0 || (out->tip_gap <= x->check && out->account_gap <= x->check);
}

static int work(const task *x)
{
    const size_t n = (size_t)x->chain.links;
    outcome out = {.angles = calloc(n, sizeof *out.angles),
                   .rates = calloc(n, sizeof *out.rates),
                   .gradient = calloc(2 * n, sizeof *out.gradient),
                   .links = calloc(n, sizeof *out.links)};
    peer_error error = {"out of memory"};
    bool ok = out.angles && out.rates && out.gradient && out.links && measure(x, &out, &error);
    if (ok)
        print(x, &out);
    else
        printf("failed %s\n", error.text);
    free(out.angles);
    free(out.rates);
    free(out.gradient);
    free(out.links);
    return x->check > 0 && !(ok && agrees(x, &out)) ? 1 : 0;
}

int main(int argc, char **argv)
{
    task x;
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        const char *version = the_peer.version();
        if (version)
            printf("%s\n", version);
        return version ? 0 : 1;
    }
    int code = 2;
    if (parse(argc, argv, &x))
        code = work(&x);
    else
        fprintf(stderr,
                "usage: peer_%s METHOD LINKS END SETTING [samples=N] [repeat=SECONDS] "
                "[gradient=1] [angle=HINGE:RAD] [rate=HINGE:RAD/S] [check=TOLERANCE], or peer_%s "
                "version\n",
                the_peer.name, the_peer.name);
    chain_free(&x.chain);
    return code;
}
