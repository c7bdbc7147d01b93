/* The rules of the verdict. For every invariant I of a run with states 0..N
 *
 *     drift = max_n |I_n - I_0|,   relative_drift = drift / scale,
 *     ok: relative_drift <= tolerance.
 *
 * Exact quantities (momenta; energy with energy-momentum) are ok or broken. Their tolerance is
 * rounding: 1e-10, and beyond some 200,000 steps a random walk of 1000 epsilon per step. The scale
 * of energy is the largest of kinetic energy, change of strain energy, change of potential energy,
 * work and dissipation; where all are tiny, rounding of the coordinates (sizes.h: virial) sets the
 * scale. The scale of a momentum map a.L + b.P is the largest of its own value, |a| sum |x| |p| and
 * |b| sum |p|.
 *
 * An energy that the scheme only bounds (variational) is compared with the largest kinetic energy
 * that the motion can have: that of the start, the potential energy released and the work received.
 * It may oscillate; it must not grow. Growth is the slope of a line fitted to means over blocks;
 * the tolerance of a quantity that grows is ten times smaller.
 *
 * Constraints: exact treatments hold to rounding of the size of each row (row_size.h), augmented to
 * its own tolerance, a penalty to a hundredth of the size. Velocities normal to the constraints are
 * no motion, but the conserved energy includes them: more than a thousandth of the kinetic energy
 * is a warning.
 *
 * Contacts: impacts and friction may take energy, and what they add in a step is rounding. With the
 * balance of energy closed, energy never rises. */
#include "results/verdict.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/extreme.h"
#include "linalg/vec3.h"
#include "system/parts.h"

/* Tolerance for rounding of conserved quantities. */
static const double EXACT_TOLERANCE = 1e-10;
/* Error of velocities in impacts: what is accepted of redundant contacts (contact/impact.c), and
 * rounding. */
static const double ACCURATE_IMPACTS = 2e-6;
static const double STEP_ROUNDING = 1000.0 * DBL_EPSILON;
/* Tolerance for rounding of coordinates in every step, for energies: a fraction of the virial. */
static const double VIRIAL_ROUNDING = 4.0 * DBL_EPSILON;

/* Rounding errors of the whole in a part: some treatments solve the equations of all parts
 * together. Those of a part at rest are not compared with its own size, which is zero. */
static const double PART_ROUNDING = 4.0 * DBL_EPSILON;

/* Constraints are solved again in every step: rounding does not accumulate. */
static const double CONSTRAINT_TOLERANCE = 1e-12;
static const double POSITION_ROUNDING = 16.0 * DBL_EPSILON;

/* Bounds of a bounded energy for ok and broken, as fractions of the available energy; a tenth of
 * both when it grows. */
static const double BOUNDED_TOLERANCE = 0.1, BOUNDED_LIMIT = 1.0, GROWING_SHARE = 0.1;
/* A trend is significant when the line explains more than half of the variance of at least this
 * many blocks. */
enum { BLOCKS_MIN = 8 };
static const double EXPLAINED_SHARE = 0.5;

/* Bounds for constraints with a penalty: fractions of the size of a row. */
static const double PENALTY_TOLERANCE = 0.01, PENALTY_LIMIT = 0.1;

/* Velocities are judged where the kinetic energy is at least this fraction of its largest value. */
static const double MOTION_SHARE = 1e-3;

/* The largest share of the kinetic energy that may be normal to the constraints. */
static const double VELOCITY_TOLERANCE = 1e-3;

/* Positions have too few digits where their rounding exceeds this fraction of the size of a
 * joint. */
static const double REMOTE_TOLERANCE = 1e-9;

const char *olo_verdict_level_name(olo_verdict_level level)
{
    static const char *const names[] = {"ok", "warn", "broken"};
    return names[level];
}

/* ---- following a run ------------------------------------------------------------------------- */

static void begin(olo_conserved *c, const olo_ledger *ledger, int count, const double *values)
{
    for (int i = 0; i < count; i++)
        c->start[i] = values[i];
    c->initial_kinetic = ledger->kinetic;
    c->initial_strain = ledger->strain;
    c->initial_potential = ledger->potential + ledger->strain + ledger->constraint;
}

/* With the kinetic energy T, momenta have sum |p| <= sqrt(2 T m). */
static void follow(olo_conserved *c, const olo_ledger *ledger, double reach, int count,
                   const double *values)
{
    for (int i = 0; i < count; i++) {
        olo_raise(&c->drift[i], fabs(values[i] - c->start[i]));
        olo_raise(&c->value[i], fabs(values[i]));
    }
    const double moved =
        c->initial_potential - (ledger->potential + ledger->strain + ledger->constraint);
    olo_raise(&c->kinetic, ledger->kinetic);
    olo_raise(&c->energy, ledger->kinetic);
    olo_raise(&c->energy, fabs(ledger->strain - c->initial_strain));
    olo_raise(&c->energy, fabs(moved));
    olo_raise(&c->energy, fabs(ledger->work));
    olo_raise(&c->energy, fabs(ledger->dissipation));
    olo_raise(&c->released, moved);
    olo_raise(&c->work, fabs(ledger->work));
    const double momentum = sqrt(2.0 * ledger->kinetic * c->mass);
    olo_raise(&c->linear, momentum);
    olo_raise(&c->angular, momentum * reach);
    olo_raise(&c->linear, vec3_norm(ledger->linear_momentum));
    olo_raise(&c->angular, vec3_norm(ledger->angular_momentum));
}

static void enter(const olo_verdict_record *record, olo_conserved *c, const olo_ledger *ledger,
                  bool first)
{
    double values[OLO_INVARIANTS_MAX];
    for (int i = 0; i < record->invariants; i++)
        values[i] = olo_invariant_value(record->invariant[i], ledger);
    if (first)
        begin(c, ledger, record->invariants, values);
    follow(c, ledger, record->reach, record->invariants, values);
}

/* Merges pairs of blocks, so that half of the blocks are free again. */
static void merge_blocks(olo_energy_blocks *blocks)
{
    for (int k = 0; k < OLO_VERDICT_BLOCKS / 2; k++)
        blocks->mean[k] = 0.5 * (blocks->mean[2 * k] + blocks->mean[2 * k + 1]);
    blocks->count = OLO_VERDICT_BLOCKS / 2;
    blocks->width *= 2;
    blocks->mean[blocks->count] = 0.0;
}

static void add_to_blocks(olo_energy_blocks *blocks, double change)
{
    if (blocks->width == 0)
        blocks->width = 1;
    blocks->mean[blocks->count] += change / (double)blocks->width;
    if (++blocks->filled < blocks->width)
        return;
    blocks->filled = 0;
    if (++blocks->count == OLO_VERDICT_BLOCKS)
        merge_blocks(blocks);
    else
        blocks->mean[blocks->count] = 0.0;
}

void olo_verdict_add(olo_verdict_record *record, const olo_ledger *ledger, long halvings)
{
    const bool first = record->states == 0;
    enter(record, &record->whole, ledger, first);
    if (first) {
        record->initial_constraint = ledger->constraint_error;
        record->row_growth = record->remote = 1.0;
    }
    if (record->energy_bounded && record->invariants > 0)
        add_to_blocks(&record->blocks, ledger->balance - record->whole.start[0]);
    olo_raise(&record->constraint_error, ledger->constraint_error);
    olo_raise(&record->constraint_relative, ledger->constraint_relative);
    record->halvings = halvings;
    if (!first)
        olo_raise(&record->contact_gain,
                  record->impact + record->friction - (ledger->impact + ledger->friction));
    record->impact = ledger->impact;
    record->friction = ledger->friction;
    olo_raise(&record->penetration, ledger->penetration);
    olo_raise(&record->inclusion_residual, ledger->inclusion_residual);
    record->states++;
}

void olo_verdict_add_contacts(olo_verdict_record *record, const olo_system *system,
                              const olo_state *state)
{
    int count = 0, first = -1;
    for (int i = system->contact_count; i-- > 0;) {
        if (state->contacts[i].guarded == 0.0)
            continue;
        first = i;
        count++;
    }
    if (count > 0 && record->guarded++ == 0) {
        record->guarded_first = first;
        record->guarded_count = count;
    }
}

void olo_verdict_add_parts(olo_verdict_record *record, const olo_ledger *ledgers)
{
    for (int p = 0; p < record->parts; p++)
        enter(record, &record->part[p], &ledgers[p], record->states <= 1);
}

void olo_verdict_raise(olo_conserved *conserved, const olo_sizes *sizes, double kinetic)
{
    olo_raise(&conserved->linear, sizes->linear);
    olo_raise(&conserved->angular, sizes->angular);
    olo_raise(&conserved->virial, sizes->virial);
    olo_raise(&conserved->kinetic, sizes->kinetic);
    // at rest all velocities are rounding errors, in all directions
    if (sizes->kinetic > MOTION_SHARE * conserved->kinetic &&
        sizes->kinetic > VIRIAL_ROUNDING * conserved->virial &&
        sizes->kinetic > PART_ROUNDING * kinetic)
        olo_raise(&conserved->normal, sizes->normal / sizes->kinetic);
}

/* ---- judging --------------------------------------------------------------------------------- */

static const char *number(double x, char text[32])
{
    (void)snprintf(text, 32, x == 0.0 ? "0" : "%.1e", x);
    return text;
}

/* True if the block means follow a trend; `change` is its change over the run. */
static double growth_of(const olo_energy_blocks *blocks)
{
    const int count = blocks->count;
    if (count < BLOCKS_MIN)
        return 0.0;
    const double middle = 0.5 * (count - 1);
    double mean = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    for (int k = 0; k < count; k++)
        mean += blocks->mean[k] / count;
    for (int k = 0; k < count; k++) {
        const double x = k - middle, y = blocks->mean[k] - mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return xy * xy > EXPLAINED_SHARE * xx * yy ? xy / xx * count : 0.0;
}

/* The level of a quantity with a bound for ok and one for broken. */
static olo_verdict_level level_of(double relative, double tolerance, double limit)
{
    return relative <= tolerance ? OLO_VERDICT_OK
           : relative <= limit   ? OLO_VERDICT_WARN
                                 : OLO_VERDICT_BROKEN; // also for NaN
}

/* Rounding errors of all steps add up like a random walk. */
static double walk(const olo_verdict_record *record)
{
    return sqrt((double)record->states * fmax(1.0, record->stages));
}

/* Tolerance of what is exact up to rounding. */
static double exact_tolerance(const olo_verdict_record *record)
{
    return fmax(EXACT_TOLERANCE, STEP_ROUNDING * walk(record));
}

/* The smallest drift of an energy relative to its scale that is not ok. */
static double energy_tolerance(const olo_verdict_record *record)
{
    return record->energy_bounded ? GROWING_SHARE * BOUNDED_TOLERANCE : exact_tolerance(record);
}

static double energy_scale(const olo_verdict_record *record, const olo_conserved *c)
{
    const double rounding = VIRIAL_ROUNDING * walk(record) * c->virial,
                 scale = record->energy_bounded ? c->initial_kinetic + c->released + c->work
                                                : c->energy;
    return fmax(scale, rounding / energy_tolerance(record));
}

static double momentum_scale(const olo_conserved *c, int i, const olo_invariant *invariant)
{
    double scale = c->value[i];
    olo_raise(&scale, vec3_norm(invariant->rotation) * c->angular);
    olo_raise(&scale, vec3_norm(invariant->translation) * c->linear);
    return scale;
}

/* The scale of an invariant of the system or of a part. */
static double scale_of(const olo_verdict_record *record, const olo_conserved *c, int i)
{
    const olo_invariant *invariant = record->invariant[i];
    const double scale =
        invariant->energy ? energy_scale(record, c) : momentum_scale(c, i, invariant);
    if (c == &record->whole)
        return scale;
    const double tolerance = invariant->energy ? energy_tolerance(record) : exact_tolerance(record);
    return fmax(scale,
                PART_ROUNDING * walk(record) * scale_of(record, &record->whole, i) / tolerance);
}

static void judge_exact(const olo_verdict_record *record, olo_verdict *v)
{
    char drift[32], bound[32];
    v->tolerance = exact_tolerance(record);
    v->level = level_of(v->relative_drift, v->tolerance, v->tolerance);
    if (v->level == OLO_VERDICT_OK) {
        (void)snprintf(v->text, sizeof v->text, "constant to %s", number(v->relative_drift, drift));
    } else {
        (void)snprintf(v->text, sizeof v->text, "drifted by %s, tolerance %s",
                       number(v->relative_drift, drift), number(v->tolerance, bound));
    }
}

static void judge_bounded(const olo_verdict_record *record, double scale, bool whole,
                          olo_verdict *v)
{
    char drift[32], bound[32];
    const double growth = whole ? growth_of(&record->blocks) : 0.0;
    const double share = growth != 0.0 ? GROWING_SHARE : 1.0;
    v->tolerance = share * BOUNDED_TOLERANCE;
    v->level = level_of(v->relative_drift, v->tolerance, share * BOUNDED_LIMIT);
    const char *trend = growth > 0.0 ? "grows" : growth < 0.0 ? "decays" : "oscillates";
    if (v->level == OLO_VERDICT_OK) {
        (void)snprintf(v->text, sizeof v->text, "bounded: within %s of its start",
                       number(v->relative_drift, drift));
    } else if (growth != 0.0) {
        (void)snprintf(v->text, sizeof v->text,
                       "%s: a fitted line changes by %s over the run, up to %s away, tolerance %s",
                       trend, number(fabs(growth) / scale, drift),
                       number(v->relative_drift, (char[32]){0}), number(v->tolerance, bound));
    } else {
        (void)snprintf(v->text, sizeof v->text, "%s by %s, tolerance %s", trend,
                       number(v->relative_drift, drift), number(v->tolerance, bound));
    }
    if (whole && record->halvings > 0) {
        const size_t used = strlen(v->text);
        v->level = v->level == OLO_VERDICT_OK ? OLO_VERDICT_WARN : v->level;
        (void)snprintf(v->text + used, sizeof v->text - used,
                       "; %ld halved steps broke the symplectic structure: take a smaller step",
                       record->halvings);
    }
}

static olo_verdict judge(const olo_verdict_record *record, const olo_conserved *c, int i)
{
    const olo_invariant *invariant = record->invariant[i];
    const bool whole = c == &record->whole, bounded = invariant->energy && record->energy_bounded;
    const double scale = scale_of(record, c, i);
    olo_verdict v = {.kind = invariant->energy ? OLO_VERDICT_ENERGY : OLO_VERDICT_MOMENTUM,
                     .start = c->start[i],
                     .drift = c->drift[i]};
    (void)snprintf(v.quantity, sizeof v.quantity, "%s", invariant->name);
    (void)snprintf(v.why, sizeof v.why, "%s",
                   bounded ? "the scheme bounds the energy without keeping it constant"
                           : invariant->why);
    v.relative_drift = v.drift == 0.0 ? 0.0 : scale > 0.0 ? v.drift / scale : (double)INFINITY;
    v.relative_drift = isnan(v.drift) || isnan(scale) ? (double)NAN : v.relative_drift;
    if (bounded)
        judge_bounded(record, scale, whole, &v);
    else
        judge_exact(record, &v);
    return v;
}

/* True if a is the worse of two verdicts on one quantity. */
static bool is_worse(const olo_verdict *a, const olo_verdict *b)
{
    return a->level > b->level && !(a->relative_drift <= b->relative_drift);
}

/* The verdict on the system or, if that is worse, on one of its parts. */
static olo_verdict judge_parts(const olo_verdict_record *record, const olo_system *system, int i)
{
    olo_verdict worst = judge(record, &record->whole, i);
    int found = -1;
    for (int p = 0; p < record->parts; p++) {
        const olo_verdict v = judge(record, &record->part[p], i);
        if (is_worse(&v, &worst)) {
            worst = v;
            found = p;
        }
    }
    if (found >= 0) {
        (void)snprintf(worst.quantity, sizeof worst.quantity, "%.60s of the part with '%.40s'",
                       record->invariant[i]->name, olo_system_part_name(system, found));
    }
    return worst;
}

static void judge_exact_constraints(const olo_verdict_record *record, olo_verdict *v)
{
    char error[32], relative[32], bound[32];
    const double rounding = DBL_EPSILON * record->remote;
    // rounding of large positions rotates a body by its ratio to the size of the body
    v->tolerance = CONSTRAINT_TOLERANCE * record->row_growth + POSITION_ROUNDING * record->remote;
    v->relative_drift = record->constraint_relative;
    v->level = level_of(v->relative_drift, v->tolerance, v->tolerance);
    if (v->level == OLO_VERDICT_BROKEN) {
        (void)snprintf(v->text, sizeof v->text, "violated by %s, %s of their size, tolerance %s",
                       number(v->drift, error), number(v->relative_drift, relative),
                       number(v->tolerance, bound));
    } else if (rounding > REMOTE_TOLERANCE) {
        v->level = OLO_VERDICT_WARN;
        (void)snprintf(v->text, sizeof v->text,
                       "satisfied to %s; the origin is %s times the size of a joint away, and "
                       "positions are rounded to %s of that size: move the model nearer to it",
                       number(v->drift, error), number(record->remote, relative),
                       number(rounding, bound));
    } else {
        (void)snprintf(v->text, sizeof v->text, "satisfied to %s", number(v->drift, error));
    }
}

static void judge_soft_constraints(const olo_verdict_record *record, olo_verdict *v)
{
    char error[32], relative[32], bound[32];
    const bool penalty = isinf(record->constraint_bound);
    v->relative_drift = penalty ? record->constraint_relative : record->constraint_error;
    v->tolerance =
        penalty ? PENALTY_TOLERANCE : record->constraint_bound + POSITION_ROUNDING * record->reach;
    v->level = level_of(v->relative_drift, v->tolerance, penalty ? PENALTY_LIMIT : v->tolerance);
    if (v->level == OLO_VERDICT_OK) {
        (void)snprintf(v->text, sizeof v->text, "satisfied to %s", number(v->drift, error));
    } else {
        (void)snprintf(v->text, sizeof v->text, "violated by %s, %s%stolerance %s%s",
                       number(v->drift, error), penalty ? number(v->relative_drift, relative) : "",
                       penalty ? " of their size, " : "", number(v->tolerance, bound),
                       penalty ? ": take a larger penalty" : "");
    }
}

static olo_verdict judge_constraints(const olo_verdict_record *record)
{
    olo_verdict v = {.kind = OLO_VERDICT_CONSTRAINTS,
                     .quantity = "constraints",
                     .start = record->initial_constraint,
                     .drift = record->constraint_error};
    (void)snprintf(v.why, sizeof v.why, "%s",
                   isinf(record->constraint_bound) ? "a penalty lets constraints give way"
                                                   : "the constraints hold at every step");
    if (record->constraint_bound == 0.0)
        judge_exact_constraints(record, &v);
    else
        judge_soft_constraints(record, &v);
    return v;
}

static olo_verdict judge_velocities(const olo_verdict_record *record, const olo_system *system)
{
    char share[32];
    int worst = -1;
    olo_verdict v = {.kind = OLO_VERDICT_VELOCITIES,
                     .quantity = "velocities",
                     .why = "velocities along the constraints are motion, others are not",
                     .tolerance = VELOCITY_TOLERANCE};
    if (record->parts == 0)
        v.relative_drift = record->whole.normal;
    for (int p = 0; p < record->parts; p++) {
        const double fraction = record->part[p].normal;
        if (!(fraction <= v.relative_drift) && !isnan(v.relative_drift)) {
            v.relative_drift = fraction;
            worst = p;
        }
    }
    v.drift = v.relative_drift;
    v.level = level_of(v.relative_drift, v.tolerance, (double)INFINITY);
    if (v.level == OLO_VERDICT_OK) {
        (void)snprintf(v.text, sizeof v.text, "on the constraints to %s of the kinetic energy",
                       number(v.relative_drift, share));
        return v;
    }
    (void)snprintf(v.text, sizeof v.text,
                   "%.2g %% of the kinetic energy is not motion, tolerance %.1g %%; take a smaller "
                   "step, or a scheme with consistent velocities",
                   100.0 * v.relative_drift, 100.0 * v.tolerance);
    if (worst >= 0) {
        (void)snprintf(v.quantity, sizeof v.quantity, "velocities of the part with '%.40s'",
                       olo_system_part_name(system, worst));
    }
    return v;
}

/* Newton's impact law holds, or the guard has replaced it where it would add energy or has no
 * solution. */
static void add_guard(const olo_verdict_record *record, const olo_system *system, olo_verdict *v)
{
    const size_t used = strlen(v->text);
    char others[32] = "";
    if (record->guarded == 0)
        return;
    if (record->guarded_count > 1)
        (void)snprintf(others, sizeof others, " and %d more", record->guarded_count - 1);
    (void)snprintf(v->text + used, sizeof v->text - used,
                   "; impulses were reduced, since Newton's law adds energy or has no solution, in "
                   "%ld step%s, first '%.40s'%s",
                   record->guarded, record->guarded == 1 ? "" : "s",
                   system->contacts[record->guarded_first].name, others);
}

/* Impacts and friction take energy; what they add in a step must be rounding. */
static olo_verdict judge_contacts(const olo_verdict_record *record, const olo_system *system)
{
    char gain[32], bound[32], impact[32], friction[32], depth[32];
    const double scale = energy_scale(record, &record->whole);
    olo_verdict v = {.kind = OLO_VERDICT_CONTACTS,
                     .quantity = "contacts",
                     .why = "impacts and friction never add energy",
                     .drift = record->contact_gain,
                     .tolerance = EXACT_TOLERANCE};
    v.relative_drift = v.drift == 0.0 ? 0.0 : scale > 0.0 ? v.drift / scale : (double)INFINITY;
    v.level = level_of(v.relative_drift, v.tolerance, v.tolerance);
    if (v.level == OLO_VERDICT_BROKEN)
        (void)snprintf(v.text, sizeof v.text, "added %s of the energy in a step, tolerance %s",
                       number(v.relative_drift, gain), number(v.tolerance, bound));
    else
        (void)snprintf(v.text, sizeof v.text,
                       "lost %s in impacts, %s in friction, depth at most %s",
                       number(record->impact, impact), number(record->friction, friction),
                       number(record->penetration, depth));
    if (v.level == OLO_VERDICT_OK && record->inclusion_residual > ACCURATE_IMPACTS) {
        const size_t used = strlen(v.text);
        v.level = OLO_VERDICT_WARN;
        (void)snprintf(v.text + used, sizeof v.text - used,
                       "; impacts are inaccurate by %s of the velocities, take a smaller step",
                       number(record->inclusion_residual, bound));
    }
    add_guard(record, system, &v);
    return v;
}

int olo_verdict_list(const olo_verdict_record *record, const olo_system *system,
                     olo_verdict verdicts[OLO_VERDICTS_MAX])
{
    int count = 0;
    if (record->states == 0)
        return 0;
    for (int i = 0; i < record->invariants; i++)
        verdicts[count++] = judge_parts(record, system, i);
    if (record->constraints)
        verdicts[count++] = judge_constraints(record);
    if (record->constraints && record->velocities)
        verdicts[count++] = judge_velocities(record, system);
    if (record->contacts)
        verdicts[count++] = judge_contacts(record, system);
    return count;
}

void olo_verdict_pass(olo_verdict_record *record, olo_bytes *bytes)
{
    olo_bytes_pass(bytes, &record->states, sizeof record->states);
    olo_bytes_pass(bytes, &record->whole, sizeof record->whole);
    olo_bytes_pass(bytes, record->part, (size_t)record->parts * sizeof *record->part);
    olo_bytes_pass(bytes, &record->blocks, sizeof record->blocks);
    olo_bytes_pass(bytes, &record->initial_constraint, sizeof record->initial_constraint);
    olo_bytes_pass(bytes, &record->constraint_error, sizeof record->constraint_error);
    olo_bytes_pass(bytes, &record->constraint_relative, sizeof record->constraint_relative);
    olo_bytes_pass(bytes, &record->row_growth, sizeof record->row_growth);
    olo_bytes_pass(bytes, &record->remote, sizeof record->remote);
    olo_bytes_pass(bytes, &record->reach, sizeof record->reach);
    olo_bytes_pass(bytes, &record->measured_reach, sizeof record->measured_reach);
    olo_bytes_pass(bytes, &record->sampled, sizeof record->sampled);
    olo_bytes_pass(bytes, &record->sample_time, sizeof record->sample_time);
    olo_bytes_pass(bytes, &record->halvings, sizeof record->halvings);
    olo_bytes_pass(bytes, &record->impact, sizeof record->impact);
    olo_bytes_pass(bytes, &record->friction, sizeof record->friction);
    olo_bytes_pass(bytes, &record->contact_gain, sizeof record->contact_gain);
    olo_bytes_pass(bytes, &record->penetration, sizeof record->penetration);
    olo_bytes_pass(bytes, &record->inclusion_residual, sizeof record->inclusion_residual);
    olo_bytes_pass(bytes, &record->guarded, sizeof record->guarded);
    olo_bytes_pass(bytes, &record->guarded_first, sizeof record->guarded_first);
    olo_bytes_pass(bytes, &record->guarded_count, sizeof record->guarded_count);
}
