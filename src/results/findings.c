/* Findings: sentences that the report shows with the verdict. */
#include <stdio.h>

#include "oloid/results.h"
#include "oloid/statics.h"

static void add_stability(olo_recorder *recorder, const olo_equilibrium_summary *sum)
{
    char text[160], neutral[64] = "";
    if (!sum->judged) {
        olo_recorder_add_finding(recorder, OLO_VERDICT_WARN,
                                 "The stability is not judged: there are loads without a "
                                 "potential.");
        return;
    }
    if (sum->neutral > 0)
        (void)snprintf(neutral, sizeof neutral, ", without stiffness in %d", sum->neutral);
    if (sum->unstable > 0)
        (void)snprintf(text, sizeof text,
                       "The equilibrium at load factor %.6g is unstable in %d direction%s%s.",
                       sum->load, sum->unstable, sum->unstable == 1 ? "" : "s", neutral);
    else
        (void)snprintf(text, sizeof text, "The equilibrium at load factor %.6g is stable%s.",
                       sum->load, neutral);
    olo_recorder_add_finding(recorder,
                             sum->unstable > 0  ? OLO_VERDICT_BROKEN
                             : sum->neutral > 0 ? OLO_VERDICT_WARN
                                                : OLO_VERDICT_OK,
                             text);
}

void olo_recorder_add_equilibrium(olo_recorder *recorder, const olo_equilibrium_summary *sum)
{
    olo_recorder_set_axis(recorder, "load factor");
    add_stability(recorder, sum);
    for (int i = 0; i < sum->critical_count && i < OLO_CRITICAL_POINTS_MAX; i++) {
        const olo_critical_point *point = &sum->critical[i];
        char text[160], after[64] = "";
        if (point->unstable >= 0)
            (void)snprintf(after, sizeof after, "; after it unstable in %d direction%s",
                           point->unstable, point->unstable == 1 ? "" : "s");
        (void)snprintf(text, sizeof text, "A %s at load factor %.6g%s.",
                       point->limit ? "limit point" : "bifurcation", point->load, after);
        olo_recorder_add_finding(recorder, OLO_VERDICT_WARN, text);
    }
}
