/* Rotations between neighbouring nodes of beams (see the header). */
#include "statics/beam_rotation.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

const double olo_beam_rotation_coarse = 0.5;

/* The directors of the section at node a of an element, one after the other. */
static void read_directors(const olo_strain *strain, int a, const double *q, double d[9])
{
    const double *node = q + strain->directors[a], *turn = strain->turn[a];
    if (!turn) {
        memcpy(d, node, 9 * sizeof *d);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            d[3 * i + k] =
                turn[i] * node[k] + turn[3 + i] * node[3 + k] + turn[6 + i] * node[6 + k];
}

static double element_rotation(const olo_strain *strain, const double *q)
{
    double least = 1; /* cosine */
    for (int a = 0; a + 1 < strain->nodes && strain->directors[a] >= 0; a++) {
        double here[9], next[9], trace = 0;
        read_directors(strain, a, q, here);
        read_directors(strain, a + 1, q, next);
        for (int i = 0; i < 9; i += 3)
            trace += vec3_dot(here + i, next + i);
        least = fmin(least, 0.5 * (trace - 1));
    }
    return acos(fmax(-1, least));
}

double olo_beam_rotation(const olo_system *system, const double *q, int *beam)
{
    double largest = 0;
    *beam = -1;
    for (int b = 0; b < system->beam_count; b++) {
        const olo_beam_line *line = &system->beams[b];
        const int first = line->first_bending >= 0 ? line->first_bending : line->first_term;
        for (int e = 0; e < line->elements; e++) {
            const olo_term *term = &system->terms[first + e * line->points];
            double angle = element_rotation(term->data, q);
            if (*beam < 0 || angle > largest) {
                largest = angle;
                *beam = b;
            }
        }
    }
    return largest;
}
