/* The chain of models/chain.yaml as plain numbers, for engines that do not read model files: n
 * equal links in a row, held out along x and let go, the first hinged to the ground, hinge axes y,
 * z, y, z, ... in the links.
 */
#ifndef BENCH_PEERS_CHAIN_H
#define BENCH_PEERS_CHAIN_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The frame of a link is at the hinge to the previous link; the next hinge is at (length, 0, 0).
 * With zero angles all frames are parallel to the axes of space. */
typedef struct chain {
    int links;
    double length;     /* of a link, m */
    double mass;       /* of a link, kg */
    double center[3];  /* of mass in the link, m */
    double inertia[3]; /* principal, about the centre, along the axes of the link, kg m^2 */
    double gravity[3]; /* m/s^2 */
    double *angles;    /* initial angles of the hinges, rad */
    double *rates;     /* initial rates of the hinges, rad/s */
} chain;

/* A link in space. */
typedef struct chain_link {
    double rotation[3][3]; /* columns: axes of the link in space */
    double position[3];    /* of its frame */
    double spin[3];        /* angular velocity in space */
    double velocity[3];    /* of its frame */
} chain_link;

/* Makes the chain at rest, straight and horizontal; false when out of memory. Free with chain_free.
 */
bool chain_create(int links, chain *x);
void chain_free(chain *x);

/* Axis of a hinge, the same in the frames of both links. */
void chain_axis(int hinge, double axis[3]);

/* Computes all links from angles and rates of the hinges. */
void chain_move(const chain *x, const double *angles, const double *rates, chain_link *links);

/* Computes the rates of the hinges whose motion is nearest, in the metric of the mass, to a motion
 * that may also open the hinges: Mr rates = P^T momenta. `momenta` has six numbers per link: linear
 * momentum, then angular momentum about the origin of its frame, in space. False when out of
 * memory. */
bool chain_fit_rates(const chain *x, const double *angles, const double *momenta, double *rates);

/* P^T of numbers per link as above, momenta or forces and moments: one number per hinge. */
void chain_hinge_components(const chain *x, const chain_link *links, const double *momenta,
                            double *result);

/* Kinetic and potential energy of links; the latter is zero at the height of the first hinge. */
double chain_energy(const chain *x, const chain_link *links);

/* Potential energy that the chain loses from its initial state until it hangs straight: the scale
 * of energy errors. */
double chain_energy_scale(const chain *x);

/* Position of the end of a link. */
void chain_end(const chain *x, const chain_link *link, double end[3]);

#ifdef __cplusplus
}
#endif
#endif
