/* Runs a model with contacts in one engine and prints the state at the end and the CPU time per
 * step in microseconds:
 *
 *     peer_contact_<engine> MODEL METHOD STEP END
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact_peer.h"

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: %s MODEL METHOD STEP END\n", arguments[0]);
        return 2;
    }
    const double h = atof(arguments[3]), end = atof(arguments[4]);
    const long steps = lround(end / h);
    contact_outcome outcome = {0};
    if (!(h > 0 && steps > 0)) {
        fprintf(stderr, "step and end must be positive\n");
        return 2;
    }
    contact_peer_run(arguments[1], arguments[2], h, steps, &outcome);
    if (outcome.error[0]) {
        fprintf(stderr, "%s\n", outcome.error);
        return 1;
    }
    for (int i = 0; i < outcome.count; i++)
        printf("%.17g ", outcome.q[i]);
    for (int i = 0; i < outcome.count; i++)
        printf("%.17g ", outcome.v[i]);
    printf("%.3f\n", 1e6 * outcome.seconds / (double)steps);
    return 0;
}
