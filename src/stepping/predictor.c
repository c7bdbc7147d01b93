/* The predictor of the Newton iteration. With constant step size the next motion is extrapolated by
 * the polynomial through the last k motions: the sum of the last motion and its first k - 1
 * backward differences. The error of this prediction is the k-th difference of the next motion:
 *
 *     e_0 = now,   e_{k+1} = e_k - d_k,   then d_k <- e_k,
 *
 * where d_0 is the last motion and d_k its k-th difference. With variable step sizes the predictor
 * is the straight line through the rates of the last two motions, or the last rate. */
#include "stepping/predictor.h"

#include <math.h>
#include <string.h>

static void reverse(olo_state *state)
{
    olo_predictor_of(state)->smooth = 0;
    olo_predictor_restart(state);
}

static bool is_valid(const olo_state *state)
{
    const olo_predictor_segment *memory = olo_predictor_of(state);
    return (memory->smooth & ~1) == 0 && memory->equal >= 0 && memory->order >= 0 &&
           memory->equal <= OLO_PREDICTOR_MOTIONS && memory->order <= OLO_PREDICTOR_MOTIONS &&
           memory->lag >= 0 && isfinite(memory->lag) && memory->share >= 0 &&
           isfinite(memory->share) && (memory->late & ~1) == 0;
}

const olo_segment olo_segment_predictor = {.name = "predictor",
                                           .fixed = sizeof(olo_predictor_segment) / sizeof(double),
                                           .twists = OLO_PREDICTOR_MOTIONS,
                                           .reverse = reverse,
                                           .check = is_valid};

/* The factors `last` and `prior` of the last two motions in the linear extrapolation of their rates
 * to a step of size h. Returns false if the extrapolation reaches too far. */
static bool motion_line(const olo_state *state, double h, double *last, double *prior)
{
    const double longest = 4, h_before = olo_predictor_of(state)->h_before;
    if (h == state->h && h == h_before) { /* the usual case */
        *last = 2;
        *prior = -1;
        return true;
    }
    const double both = state->h + h_before, reach = both != 0 ? (h + state->h) / both : 0;
    if (h_before == 0 || both == 0 || !(fabs(reach) <= longest))
        return false;
    *last = h / state->h * (1 + reach);
    *prior = -h / h_before * reach;
    return true;
}

olo_motion_mix olo_predictor_mix(const olo_state *state, double h, double scale)
{
    const olo_predictor_segment *memory = olo_predictor_of(state);
    olo_motion_mix mix = {.last = scale};
    if (scale == 1 && memory->order > 1)
        mix.differences = memory->order - 1;
    else if (memory->smooth && scale != 0)
        (void)motion_line(state, h, &mix.last, &mix.prior);
    return mix;
}

/* Two numbers at once. */
typedef double pair __attribute__((vector_size(16)));

void olo_predictor_motion(const olo_state *state, olo_motion_mix mix, double *motion)
{
    const int count = state->twists, odd = count % 2;
    const double *latest = olo_last_motion(state), *earlier = olo_predictor_of(state)->before;
    const double *differences = olo_predictor_differences(state);
    const pair last = {mix.last, mix.last}, prior = {mix.prior, mix.prior};
    for (int i = 0; i < count - odd; i += 2) {
        pair sum, before;
        memcpy(&sum, latest + i, sizeof sum);
        memcpy(&before, earlier + i, sizeof before);
        sum = last * sum + prior * before;
        for (int k = 0; k < mix.differences; k++) {
            memcpy(&before, differences + k * count + i, sizeof before);
            sum += before;
        }
        memcpy(motion + i, &sum, sizeof sum);
    }
    if (!odd)
        return;
    double sum = mix.last * latest[count - 1] + mix.prior * earlier[count - 1];
    for (int k = 0; k < mix.differences; k++)
        sum += differences[k * count + count - 1];
    motion[count - 1] = sum;
}

/* Stores the last two motions, and whether linear extrapolation would have predicted the last one
 * better than the motion before it alone. */
static void update_line(const olo_step *step, olo_state *state)
{
    olo_predictor_segment *memory = olo_predictor_of(state);
    double plain = 0, line = 0, scale = step->h / state->h, last = scale, prior = 0;
    double *motion = olo_last_motion(state), *before = memory->before;
    const bool known = motion_line(state, step->h, &last, &prior);
    for (int i = 0; i < state->twists; i++) {
        double now = step->x.motion[i], change = now - scale * motion[i];
        double error = now - last * motion[i] - prior * before[i];
        plain += change * change;
        line += error * error;
        before[i] = motion[i];
        motion[i] = now;
    }
    memory->smooth = known && line < 0.25 * plain;
    memory->equal = memory->order = 1;
}

void olo_motion_pass_any(const double *now, olo_state *state, int motions,
                         double missed[OLO_PREDICTOR_MOTIONS + 1])
{
    const int count = state->twists, odd = count % 2;
    double *d[OLO_PREDICTOR_MOTIONS] = {olo_last_motion(state)};
    pair sum[OLO_PREDICTOR_MOTIONS];
    memset(sum, 0, sizeof sum);
    for (int k = 1; k < OLO_PREDICTOR_MOTIONS; k++)
        d[k] = olo_predictor_differences(state) + (k - 1) * count;
    for (int i = 0; i < count - odd; i += 2) {
        pair e, before;
        memcpy(&e, now + i, sizeof e);
        for (int k = 0; k < motions; k++) {
            memcpy(&before, d[k] + i, sizeof before);
            memcpy(d[k] + i, &e, sizeof e);
            e -= before;
            sum[k] += e * e;
        }
    }
    double last = odd ? now[count - 1] : 0;
    for (int k = 0; k < motions; k++) {
        missed[k + 1] = sum[k][0] + sum[k][1];
        if (odd) {
            const double before = d[k][count - 1];
            d[k][count - 1] = last;
            last -= before;
            missed[k + 1] += last * last;
        }
    }
}

static int smaller_of(int a, int b)
{
    return a < b ? a : b;
}

/* Stores the differences, and chooses the order of the next prediction: increases it as long as a
 * higher order would have predicted this motion better. Unknown differences are not used, and those
 * far beyond this order are not updated. */
static void update_differences(const double *now, olo_motion_pass *pass, olo_state *state)
{
    const int beyond = 2; /* motions by which the order may grow at once */
    olo_predictor_segment *memory = olo_predictor_of(state);
    const int known = memory->equal, all = smaller_of(known + 1, OLO_PREDICTOR_MOTIONS);
    double missed[OLO_PREDICTOR_MOTIONS + 1];
    memcpy(memory->before, olo_last_motion(state), (size_t)state->twists * sizeof *now);
    pass(now, state, all, missed);
    memory->order = 1;
    while (memory->order < known && missed[memory->order + 1] < missed[memory->order])
        memory->order++;
    memory->smooth = memory->order > 1;
    memory->equal = smaller_of(all, memory->order + beyond);
}

void olo_predictor_update(const olo_step *step, olo_motion_pass *pass, olo_state *state)
{
    if (pass && state->h == step->h && olo_predictor_of(state)->equal > 0)
        update_differences(step->x.motion, pass, state);
    else
        update_line(step, state);
    olo_predictor_of(state)->h_before = state->h;
}
