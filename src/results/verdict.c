/* Drifts and their bounds: for every invariant I of a run with states 0..N
 *
 *   drift = max_n |I_n - I_0|,   relative_drift = drift / scale,   ok: relative_drift <= tolerance.
 *
 * What a scheme or treatment does not keep by design has an infinite tolerance: it is told, not judged.
 *
 * The scale is that of the quantity itself: of energy the largest of |E_0|, kinetic and strain energy
 * (which do not depend on where the potential is zero, except for E_0); of a momentum map
 * a.L + b.P the largest of its own value, |a| |L| and |b| |P| during the run. */
#include "results/verdict.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "results/thin.h"

/* What the structure conserves, rounding spoils: every step adds an error of some hundred units of
 * the last place, signs by chance. The floor covers every run of up to some 100,000 steps and is
 * orders below the drift of a scheme that does not conserve; beyond, the bound grows like a random
 * walk. */
static const double DRIFT_TOLERANCE = 1e-10;
static const double STEP_ROUNDING = 1000.0 * DBL_EPSILON;

/* Constraints are met anew in every step, rounding does not accumulate. */
static const double CONSTRAINT_TOLERANCE = 1e-12;

static double norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void raise_to(double *largest, double magnitude)
{
    *largest = olo_thin_larger(*largest, magnitude);
}

void olo_verdict_add(olo_verdict_book *book, const olo_ledger *ledger, const double *values)
{
    if (book->states == 0) {
        for (int i = 0; i < book->invariants; i++) {
            book->start[i] = values[i];
        }
        book->energy = fabs(ledger->total);
        book->constraint_start = ledger->constraint_error;
    }
    for (int i = 0; i < book->invariants; i++) {
        raise_to(&book->drift[i], fabs(values[i] - book->start[i]));
        raise_to(&book->value[i], fabs(values[i]));
    }
    raise_to(&book->energy, ledger->kinetic);
    raise_to(&book->energy, fabs(ledger->strain));
    raise_to(&book->constraint_error, ledger->constraint_error);
    raise_to(&book->constraint_relative, ledger->constraint_relative);
    olo_verdict_scale(book, norm(ledger->linear_momentum), norm(ledger->angular_momentum));
    book->states++;
}

void olo_verdict_scale(olo_verdict_book *book, double linear, double angular)
{
    raise_to(&book->linear_momentum, linear);
    raise_to(&book->angular_momentum, angular);
}

static double scale_of(const olo_verdict_book *book, int i)
{
    const olo_invariant *invariant = book->invariant[i];
    if (invariant->energy) {
        return book->energy;
    }
    double scale = book->value[i];
    raise_to(&scale, norm(invariant->rotation) * book->angular_momentum);
    raise_to(&scale, norm(invariant->translation) * book->linear_momentum);
    return scale;
}

static void judge(olo_verdict *verdict, double scale, double tolerance)
{
    verdict->relative_drift = scale == 0.0 ? verdict->drift : verdict->drift / scale;
    verdict->tolerance = tolerance;
    verdict->ok = verdict->relative_drift <= tolerance; // false for what is not a number
}

int olo_verdict_list(const olo_verdict_book *book, olo_verdict verdicts[OLO_VERDICTS_MAX])
{
    if (book->states == 0) {
        return 0;
    }
    const double tolerance = fmax(DRIFT_TOLERANCE, STEP_ROUNDING * sqrt((double)book->states));
    int count = 0;
    for (int i = 0; i < book->invariants; i++) {
        olo_verdict *verdict = &verdicts[count++];
        *verdict = (olo_verdict){.start = book->start[i], .drift = book->drift[i]};
        snprintf(verdict->quantity, sizeof verdict->quantity, "%s", book->invariant[i]->name);
        snprintf(verdict->why, sizeof verdict->why, "%s", book->invariant[i]->why);
        const bool bounded = book->invariant[i]->energy && isinf(book->energy_bound);
        if (bounded) {
            snprintf(
                verdict->why, sizeof verdict->why,
                "the scheme bounds it without keeping it constant: how far it was from its start");
        }
        judge(verdict, scale_of(book, i), bounded ? (double)INFINITY : tolerance);
    }
    if (book->constraints) {
        olo_verdict *verdict = &verdicts[count++];
        *verdict = (olo_verdict){.quantity = "constraints",
                                 .why = "",
                                 .start = book->constraint_start,
                                 .drift = book->constraint_error};
        snprintf(verdict->why, sizeof verdict->why, "%s",
                 isinf(book->constraint_bound) ? "a penalty lets constraints give way"
                                               : "the constraints hold at every step");
        // exact treatments against the size of each row; what a treatment allows is absolute
        const bool exact = book->constraint_bound == 0 && book->constraint_relative > 0;
        judge(verdict, exact ? book->constraint_error / book->constraint_relative : 1.0,
              fmax(CONSTRAINT_TOLERANCE, book->constraint_bound));
    }
    return count;
}

void olo_verdict_pass(olo_verdict_book *book, olo_bytes *bytes)
{
    const size_t row = (size_t)book->invariants * sizeof(double);
    olo_bytes_pass(bytes, &book->states, sizeof book->states);
    olo_bytes_pass(bytes, book->start, row);
    olo_bytes_pass(bytes, book->drift, row);
    olo_bytes_pass(bytes, book->value, row);
    olo_bytes_pass(bytes, &book->energy, sizeof book->energy);
    olo_bytes_pass(bytes, &book->linear_momentum, sizeof book->linear_momentum);
    olo_bytes_pass(bytes, &book->angular_momentum, sizeof book->angular_momentum);
    olo_bytes_pass(bytes, &book->constraint_start, sizeof book->constraint_start);
    olo_bytes_pass(bytes, &book->constraint_error, sizeof book->constraint_error);
    olo_bytes_pass(bytes, &book->constraint_relative, sizeof book->constraint_relative);
}
