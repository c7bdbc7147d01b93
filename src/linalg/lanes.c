/* Detects which compilation of the code on lanes the processor can run. */
#include "linalg/lanes.h"

bool olo_lanes_are_wide(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}
