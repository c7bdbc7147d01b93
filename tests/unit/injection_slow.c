/* Every single change of a file during a run fails in turn; see injection.c. */
#define INJECTION_STRIDE 1
#define INJECTION_RESUME 16
#include "injection.c" // NOLINT(bugprone-suspicious-include)
