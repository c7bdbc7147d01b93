/* Convex sets and their proximal points: prox_C(z) is the point of C that is nearest to z
 * (Moeller 2011, section 2.1).
 *
 * A set holds minus the force of a law. The law y in N_C(x), with the normal cone N_C, is the
 * equation x = prox_C(x + r y) for any r > 0. Sets of friction grow with a size rho, the friction
 * coefficient times the normal force; the others ignore it.
 *
 * A kind of set is a constant table in its own file and a line in set.c.
 */
#ifndef OLO_CONTACT_SET_H
#define OLO_CONTACT_SET_H

#include <stdbool.h>

enum { OLO_SET_SIZE_MAX = 3 };

/* The numbers of one set; each kind says which of them it uses. */
typedef struct olo_set_shape {
    double lower[OLO_SET_SIZE_MAX], upper[OLO_SET_SIZE_MAX]; /* of an interval or a box */
    double axis[OLO_SET_SIZE_MAX]; /* semi-axes of an ellipsoid, rho = 1 */
    double radius; /* mean radius of the contact patch (sets with a drilling torque) */
} olo_set_shape;

typedef struct olo_set {
    const char *name;
    int size; /* components; 0: any number up to OLO_SET_SIZE_MAX */
    /* x[size] = prox(z) */
    void (*prox)(const olo_set_shape *shape, double rho, int size, const double *z, double *x);
    /* An element of the generalised derivative of the proximal point: by_z[size x size] and
     * by_rho[size]. */
    void (*derivative)(const olo_set_shape *shape, double rho, int size, const double *z,
                       double *by_z, double *by_rho);
} olo_set;

/* R^n: an ideal constraint; (-inf, 0]: unilateral contact; [lower, upper], in each component. */
extern const olo_set olo_set_space, olo_set_half_line, olo_set_box;
/* |x| <= rho in any dimension: isotropic Coulomb friction. */
extern const olo_set olo_set_ball;
/* sum (x_k/axis_k)^2 <= rho^2: anisotropic friction, Coulomb-Contensou friction approximated. */
extern const olo_set olo_set_ellipsoid;
/* (x_1, x_2) in the disc of radius rho, |x_3| <= radius rho: a product. */
extern const olo_set olo_set_cylinder;
/* Friction of a patch that slides and spins, exact for a Hertz pressure. */
extern const olo_set olo_set_contensou;
/* x_1 <= 0, |(x_2, ...)| <= -axis_1 x_1: normal and tangential force together. */
extern const olo_set olo_set_cone;

/* All kinds by number, NULL after the last. */
const olo_set *olo_set_number(int number);

/* The support functions of the exact Coulomb-Contensou set at the ratio u = |slip|/(R |spin|), R
 * the radius of the patch: largest tangential force over rho, largest torque over rho and the mean
 * radius 3 pi R/16. */
void olo_contensou_support(double u, double *force, double *torque);

#endif
