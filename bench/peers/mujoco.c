/* The chain in MuJoCo: joint angles are the unknowns; the mass matrix is formed and factored in
 * every step. Debian has no package, so that it is the one of npm, compiled to WebAssembly and run
 * by Node.js (mujoco.mjs) in a process of its own. Its CPU time is that of this process,
 * compilation of WebAssembly by the other threads of Node.js included; it serves all runs of this
 * program, so that the fastest one has little of that. Methods: euler  its default, semi-implicit;
 *   rk4    the same engine with RK4.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

extern char **environ;

typedef struct mujoco_run {
    int links;
    double h;
    long done;
} mujoco_run;

/* Node.js with mujoco.mjs, from the first request to the end of this program. */
static struct {
    FILE *to, *from;
    clockid_t clock;
} node;

static bool start_node(peer_error *error)
{
    char *arguments[] = {PEER_NODE, PEER_MUJOCO_SCRIPT, PEER_MUJOCO_PACKAGE, NULL};
    int in[2], out[2];
    pid_t process;
    posix_spawn_file_actions_t actions;
    if (access(PEER_MUJOCO_PACKAGE, R_OK) != 0) {
        snprintf(error->text, sizeof error->text, "the npm package @mujoco/mujoco is not there");
        return false;
    }
    if (pipe(in) != 0 || pipe(out) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    int failed = posix_spawn(&process, PEER_NODE, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    if (failed) {
        snprintf(error->text, sizeof error->text, "Node.js: %s", strerror(failed));
        return false;
    }
    node.to = fdopen(in[1], "w");
    node.from = fdopen(out[0], "r");
    return node.to && node.from && clock_getcpuclockid(process, &node.clock) == 0;
}

/* Sends the request that has been written to `node.to`, and reads `count` numbers of the answer. */
static bool answered(int count, double *numbers, peer_error *error)
{
    char word[16];
    fputs("}\n", node.to);
    fflush(node.to);
    bool ok = fscanf(node.from, "%15s", word) == 1 && strcmp(word, "ok") == 0;
    for (int i = 0; ok && i < count; i++)
        ok = fscanf(node.from, "%lf", &numbers[i]) == 1;
    if (!ok && !fgets(error->text, sizeof error->text, node.from))
        snprintf(error->text, sizeof error->text, "Node.js has ended");
    return ok;
}

static void send_numbers(const char *name, int count, const double *numbers)
{
    fprintf(node.to, ",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        fprintf(node.to, "%s%.17g", i > 0 ? "," : "", numbers[i]);
    fputs("]", node.to);
}

static const char *version(void)
{
    static char text[32];
    peer_error error;
    int major, minor, patch;
    if (!start_node(&error))
        return NULL;
    fputs("{\"name\":\"version\"", node.to);
    if (!answered(0, NULL, &error) || fscanf(node.from, "%d.%d.%d", &major, &minor, &patch) != 3)
        return NULL;
    snprintf(text, sizeof text, "%d.%d.%d (WebAssembly)", major, minor, patch);
    return text;
}

static void finish(void *run)
{
    free(run);
}

static void *start(const chain *x, const char *name, double setting, peer_error *error)
{
    const bool rk4 = strcmp(name, "rk4") == 0;
    if (!rk4 && strcmp(name, "euler") != 0) {
        snprintf(error->text, sizeof error->text, "MuJoCo has no method '%s' here", name);
        return NULL;
    }
    mujoco_run *run = calloc(1, sizeof *run);
    if (!run || (!node.to && !start_node(error)))
        return NULL;
    run->links = x->links;
    run->h = setting;
    fprintf(node.to,
            "{\"name\":\"start\",\"integrator\":\"%s\",\"step\":%.17g,"
            "\"length\":%.17g,\"mass\":%.17g,\"axes\":[",
            rk4 ? "RK4" : "Euler", setting, x->length, x->mass);
    for (int i = 0; i < x->links; i++) {
        double axis[3];
        chain_axis(i, axis);
        fprintf(node.to, "%s[%g,%g,%g]", i > 0 ? "," : "", axis[0], axis[1], axis[2]);
    }
    fputs("]", node.to);
    send_numbers("center", 3, x->center);
    send_numbers("inertia", 3, x->inertia);
    send_numbers("gravity", 3, x->gravity);
    send_numbers("angles", x->links, x->angles);
    send_numbers("rates", x->links, x->rates);
    if (answered(0, NULL, error))
        return run;
    free(run);
    return NULL;
}

static bool advance(void *run, double until, peer_error *error)
{
    mujoco_run *x = run;
    x->done = peer_steps_until(until, x->h);
    fprintf(node.to, "{\"name\":\"advance\",\"steps\":%ld", x->done);
    return answered(0, NULL, error);
}

static void read_state(void *run, double *angles, double *rates, double tip[3], double *energy)
{
    const mujoco_run *x = run;
    peer_error error;
    fputs("{\"name\":\"read\"", node.to);
    if (!answered(1, energy, &error))
        *energy = NAN;
    for (int i = 0; i < 3 + 2 * x->links; i++) {
        double *number = i < 3              ? &tip[i]
                         : i < 3 + x->links ? &angles[i - 3]
                                            : &rates[i - 3 - x->links];
        if (fscanf(node.from, "%lf", number) != 1)
            *number = NAN;
    }
}

static bool gradient(void *run, double end, double *derivatives, peer_error *error)
{
    mujoco_run *x = run;
    x->done = peer_steps_until(end, x->h);
    fprintf(node.to, "{\"name\":\"gradient\",\"steps\":%ld", x->done);
    return answered(2 * x->links, derivatives, error);
}

static long steps(void *run)
{
    return ((mujoco_run *)run)->done;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(node.clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const peer the_peer = {
    "mujoco", version, start, advance, read_state, steps, finish, gradient, seconds,
};
