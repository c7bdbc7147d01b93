/* The angular velocity of a body in a test, from its directors: 1/2 sum d_i x d_i'. */
#ifndef OLO_TESTS_ANGULAR_VELOCITY_H
#define OLO_TESTS_ANGULAR_VELOCITY_H

#include "scene.h"

static void angular_velocity(const scene *s, const char *body, double omega[3])
{
    const double *d = scene_q(s, body) + 3, *v = scene_v(s, body) + 3;
    memset(omega, 0, 3 * sizeof *omega);
    for (int i = 0; i < 9; i += 3)
        for (int k = 0; k < 3; k++)
            omega[k] += 0.5 * (d[i + (k + 1) % 3] * v[i + (k + 2) % 3] -
                               d[i + (k + 2) % 3] * v[i + (k + 1) % 3]);
}

#endif
