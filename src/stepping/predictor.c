/* The predictor of the Newton iteration. The rate of the next motion, motion over step size, is
 * extrapolated by the polynomial in time through the last k rates: the sum of the last one and its
 * first k - 1 backward differences. With constant step size the differences d_k of motions are
 * updated by
 *
 *     e_0 = now,   e_{k+1} = e_k - d_k,   then d_k <- e_k,
 *
 * where d_0 is the last motion. The error of the prediction from k motions is e_k. If the step size
 * changes, each difference is first multiplied by a factor that makes it the one of the
 * new times (modified divided differences; Brenan, Campbell, Petzold, Numerical Solution of
 * Initial-Value Problems in Differential-Algebraic Equations, 5.2.1):
 *
 *     f_0 = h_new/h_last,   f_k = f_{k-1} (t_new - t_k')/(t_last - t_k),
 *
 * where t_k is the time of the motion k before the last one, and t_k' of the one after that.
 *
 * Each part of a composed step is extrapolated from the same part of the steps before: as a
 * function of time their motions are as smooth as those of whole steps, while those of successive
 * parts differ in size and direction.
 *
 * A treatment whose motions are not smooth has no differences: its predictor is the straight line
 * through the rates of the last two motions, or the last rate. */
#include "stepping/predictor.h"

#include <math.h>
#include <string.h>

/* An extrapolation reaches too far beyond this many times the time that it is known for. */
static const double longest = 4;

static int smaller_of(int a, int b)
{
    return a < b ? a : b;
}

/* The number of motions that each of so many parts may have. */
static int capacity_of(int parts)
{
    return parts > 0 ? smaller_of(OLO_PREDICTOR_ROWS / parts, OLO_PREDICTOR_MOTIONS) : 0;
}

/* The rows of the part of this step, or the times between them. */
static int first_row(const olo_step *step)
{
    return step->part * capacity_of(step->composition->parts);
}

static double *rows_of(const olo_step *step, const olo_state *state)
{
    return olo_predictor_of(state)->before + (size_t)(1 + first_row(step)) * (size_t)state->twists;
}

void olo_predictor_restart(olo_state *state)
{
    olo_predictor_of(state)->parts = olo_predictor_of(state)->smooth = 0;
}

static bool is_valid(const olo_state *state)
{
    const olo_predictor_segment *memory = olo_predictor_of(state);
    bool valid = (memory->smooth & ~1) == 0 && memory->lag >= 0 && isfinite(memory->lag) &&
                 memory->share >= 0 && isfinite(memory->share) && (memory->skip_load & ~1) == 0 &&
                 memory->count >= 0 && memory->waiting >= 0 && memory->parts >= 0 &&
                 memory->parts <= OLO_COMPOSITION_PARTS;
    for (int i = 0; valid && i < memory->parts; i++) {
        const olo_predictor_part *part = &memory->part[i];
        valid = part->order >= 0 && part->order <= part->known && part->equal >= 0 &&
                part->known <= capacity_of(memory->parts) &&
                (part->known == 0 || (isfinite(part->h) && part->h != 0));
    }
    return valid;
}

static size_t used(const olo_state *state)
{
    const int parts = olo_predictor_of(state)->parts;
    const int rows = 1 + parts * capacity_of(parts);
    return sizeof(olo_predictor_segment) / sizeof(double) + (size_t)rows * (size_t)state->twists;
}

const olo_segment olo_segment_predictor = {.name = "predictor",
                                           .fixed = sizeof(olo_predictor_segment) / sizeof(double),
                                           .twists = 1 + OLO_PREDICTOR_ROWS,
                                           .used = used,
                                           .reverse = olo_predictor_restart,
                                           .check = is_valid};

/* The factors `last` and `prior` of the last two motions in the linear extrapolation of their rates
 * to a step of size h. Returns false if the extrapolation reaches too far. */
static bool motion_line(const olo_state *state, double h, double *last, double *prior)
{
    const double h_before = olo_predictor_of(state)->h_before;
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

/* What is stored of the part of this step, or NULL. */
static olo_predictor_part *stored_part(const olo_step *step, const olo_state *state)
{
    olo_predictor_segment *memory = olo_predictor_of(state);
    const bool stored = memory->parts == step->composition->parts && memory->part[step->part].known;
    return stored ? &memory->part[step->part] : NULL;
}

/* The time from the middle of the last motion of this part to the middle of the next one. */
static double next_span(const olo_step *step, const olo_predictor_part *part)
{
    const double at = olo_composition_middle(step->composition, step->part);
    return (at * step->h + (1 - at) * part->h) / step->composition->part[step->part];
}

/* The factors of the last motion and its first `count` - 1 differences, if they are not all one.
 * Returns the number of those that do not reach too far, at most `count`. */
static int find_factors(const olo_step *step, const olo_state *state,
                        const olo_predictor_part *part, int count,
                        double factor[OLO_PREDICTOR_MOTIONS], bool *even)
{
    *even = step->h == part->h && count <= part->equal; /* the usual case */
    if (*even)
        return count;
    const double *span = olo_predictor_of(state)->span + first_row(step);
    double ahead = next_span(step, part), behind = 0;
    factor[0] = step->h / part->h;
    for (int k = 1; k < count; k++) {
        behind += span[k - 1];
        const double reach = ahead / behind;
        if (!(fabs(reach) <= longest))
            return k;
        factor[k] = factor[k - 1] * reach;
        ahead += span[k - 1];
    }
    return count;
}

olo_motion_mix olo_predictor_last(const olo_state *state, double factor)
{
    olo_motion_mix mix; /* most of it is not needed */
    mix.rows = 1;
    mix.even = factor == 1;
    mix.factor[0] = factor;
    mix.first = mix.others = olo_last_motion(state);
    return mix;
}

olo_motion_mix olo_predictor_mix(const olo_step *step, double scale)
{
    const olo_state *state = step->state;
    const olo_predictor_segment *memory = olo_predictor_of(state);
    const olo_predictor_part *part = stored_part(step, state);
    olo_motion_mix mix = olo_predictor_last(state, scale);
    if (scale != 0 && part && part->order > 0) {
        mix.rows = find_factors(step, state, part, part->order, mix.factor, &mix.even);
        mix.first = rows_of(step, state);
        mix.others = mix.first + state->twists;
    } else if (scale != 0 && memory->smooth &&
               motion_line(state, step->h, &mix.factor[0], &mix.factor[1])) {
        mix.rows = 2;
        mix.even = false;
        mix.others = memory->before;
    }
    return mix;
}

/* Two numbers at once. */
typedef double pair __attribute__((vector_size(16)));

void olo_predictor_motion(const olo_motion_mix *mix, int twists, double *motion)
{
    for (int i = 0; i < twists - twists % 2; i += 2) {
        pair sum, row;
        memcpy(&sum, mix->first + i, sizeof sum);
        if (!mix->even)
            sum *= mix->factor[0];
        for (int k = 1; k < mix->rows; k++) {
            memcpy(&row, mix->others + (size_t)(k - 1) * (size_t)twists + i, sizeof row);
            sum += mix->even ? row : mix->factor[k] * row;
        }
        memcpy(motion + i, &sum, sizeof sum);
    }
    if (twists % 2 == 0)
        return;
    double sum = (mix->even ? 1 : mix->factor[0]) * mix->first[twists - 1];
    for (int k = 1; k < mix->rows; k++)
        sum += (mix->even ? 1 : mix->factor[k]) * mix->others[(size_t)k * (size_t)twists - 1];
    motion[twists - 1] = sum;
}

/* Stores the last two motions, and whether linear extrapolation would have predicted the last one
 * better than the motion before it alone. Returns the squared error of the better one. */
static double update_line(const olo_step *step, olo_state *state)
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
    memory->h_before = state->h;
    return memory->smooth ? line : plain;
}

void olo_motion_pass_any(const double *now, int twists, double *row, int motions,
                         double missed[OLO_PREDICTOR_MOTIONS + 1])
{
    const int odd = twists % 2;
    pair sum[OLO_PREDICTOR_MOTIONS];
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < twists - odd; i += 2) {
        pair e, before;
        memcpy(&e, now + i, sizeof e);
        for (int k = 0; k < motions; k++) {
            double *d = row + (size_t)k * (size_t)twists + i;
            memcpy(&before, d, sizeof before);
            memcpy(d, &e, sizeof e);
            e -= before;
            sum[k] += e * e;
        }
    }
    double last = odd ? now[twists - 1] : 0;
    for (int k = 0; k < motions; k++) {
        missed[k + 1] = sum[k][0] + sum[k][1];
        if (odd) {
            double *d = row + (size_t)(k + 1) * (size_t)twists - 1;
            const double before = *d;
            *d = last;
            last -= before;
            missed[k + 1] += last * last;
        }
    }
}

/* Makes the rows those of the times of this step, and stores the time since the last one. Returns
 * the number of rows that do not reach too far. */
static int shift_rows(const olo_step *step, const olo_predictor_part *part, olo_state *state)
{
    double factor[OLO_PREDICTOR_MOTIONS], *row = rows_of(step, state);
    double *span = olo_predictor_of(state)->span + first_row(step);
    bool even;
    const int rows = find_factors(step, state, part, part->known, factor, &even);
    const int spans = smaller_of(rows, capacity_of(step->composition->parts) - 1);
    for (int k = 0; k < rows && !even; k++, row += state->twists)
        for (int i = 0; i < state->twists; i++)
            row[i] *= factor[k];
    for (int k = spans - 1; k > 0 && !even; k--)
        span[k] = span[k - 1];
    if (even && spans > 1) /* all are equal */
        span[spans - 1] = span[0];
    else
        span[0] = next_span(step, part);
    return rows;
}

/* Stores the differences, and chooses the order of the next prediction: increases it as long as a
 * higher order would have predicted this motion better. Unknown differences are not used, and those
 * far beyond this order are not updated. The order is 0 if the straight line would have been
 * better, whose squared error is `line`. */
static void update_differences(const olo_step *step, olo_predictor_part *part,
                               olo_motion_pass *pass, double line, olo_state *state)
{
    const int beyond = 2; /* motions by which the order may grow at once */
    const int known = shift_rows(step, part, state),
              all = smaller_of(known + 1, capacity_of(step->composition->parts));
    double missed[OLO_PREDICTOR_MOTIONS + 1];
    pass(step->x.motion, state->twists, rows_of(step, state), all, missed);
    part->order = 1;
    while (part->order < known && missed[part->order + 1] < missed[part->order])
        part->order++;
    part->known = smaller_of(all, part->order + beyond);
    part->equal = part->h == step->h ? smaller_of(part->equal + 1, OLO_PREDICTOR_MOTIONS) : 1;
    part->h = step->h;
    if (line < missed[part->order])
        part->order = 0;
}

void olo_predictor_update(const olo_step *step, olo_motion_pass *pass, olo_state *state)
{
    olo_predictor_segment *memory = olo_predictor_of(state);
    olo_predictor_part *part = stored_part(step, state);
    const int parts = pass ? step->composition->parts : 0;
    const size_t size = (size_t)state->twists * sizeof *memory->before;
    double line = HUGE_VAL;
    if (memory->parts != parts) {
        memory->parts = parts;
        memset(memory->part, 0, sizeof memory->part);
    }
    if (parts == 1) {
        memory->smooth = 0;
        memcpy(olo_last_motion(state), step->x.motion, size);
    } else {
        line = update_line(step, state);
    }
    if (pass && part) {
        update_differences(step, part, pass, line, state);
    } else if (pass) {
        memory->part[step->part] = (olo_predictor_part){.h = step->h, .known = 1, .equal = 1};
        memcpy(rows_of(step, state), step->x.motion, size);
    }
}
