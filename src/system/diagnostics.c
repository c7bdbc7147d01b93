/* Diagnostics are computed once: the first thread that needs them computes, all others wait. */
#include "system/diagnostics.h"

#include <sched.h>

#include "base/memory.h"

enum { UNKNOWN, UNDER_WAY, KNOWN, INCOMPLETE };

bool olo_system_reserve_diagnostics(olo_system *system)
{
    atomic_init(&system->measured, UNKNOWN);
    system->ledger_simd = NULL;
    system->invariant_count = 0;
    system->row_scale = olo_alloc((size_t)system->m, sizeof *system->row_scale);
    return system->row_scale != NULL;
}

static bool measure(olo_system *s)
{
    const bool rows = olo_system_measure_rows(s);
    return olo_ledger_simd_create(s, false, &s->ledger_simd) && olo_system_find_symmetries(s) &&
           rows;
}

bool olo_system_measure(const olo_system *system)
{
    /* the diagnostics are a cache: their members change although the system is constant */
    olo_system *s = (olo_system *)system;
    int state = UNKNOWN;
    if (atomic_load_explicit(&s->measured, memory_order_acquire) == KNOWN)
        return true;
    if (atomic_compare_exchange_strong(&s->measured, &state, UNDER_WAY))
        atomic_store(&s->measured, measure(s) ? KNOWN : INCOMPLETE);
    else
        while (atomic_load(&s->measured) == UNDER_WAY)
            sched_yield();
    return atomic_load(&s->measured) == KNOWN;
}
