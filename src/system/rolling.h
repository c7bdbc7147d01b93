/* Rolling without slip on a plane that is fixed in space: the geometry of the contact.
 *
 * A thin disc of radius r has its centre at x and its axis along the unit vector e, both fixed in a
 * body; n is the unit normal of the plane and o a point of the plane. With gamma = n.e and
 * sigma = |n x e|, the sine of the angle between axis and normal, the arm s from the centre to the
 * point of contact, the height of the centre and the rolling condition are
 *
 *     s = r (gamma e - n)/sigma,
 *     n.(x - o) = r sigma,
 *     x' + omega x s = 0.
 *
 * Over a step with Cayley vector a the arm and the rolling condition are
 *
 *     s^ = r (gamma_m e_m - n)/sigma_a,     gamma_m = n.e_m,     sigma_a = (sigma0 + sigma1)/2,
 *     dx + a x s^ = 0.
 *
 * The component along n is exactly the change of the height, since sigma^2 = 1 - gamma^2:
 *
 *     n.(a x s^) = r gamma_m/sigma_a n.(a x e_m)
 *                = r gamma_m (gamma1 - gamma0)/sigma_a = -r (sigma1 - sigma0).
 *
 * The arm s^ is symmetric in time and invariant under rotations about n. It differs from the arm at
 * the midpoint in time by O(h^2). A ball has no axis: s^ = s = -r n.
 */
#ifndef OLO_SYSTEM_ROLLING_H
#define OLO_SYSTEM_ROLLING_H

typedef struct olo_rolling {
    double radius;
    double offset;       /* n.o, o a point of the plane */
    double center[3];    /* in the body */
    double axis[3];      /* of the disc, in the body; of a ball zero */
    double normal[3];    /* n, in space */
    double direction[3]; /* of a constraint row: its direction m in the plane */
} olo_rolling;

/* Its numbers; the height and the rolling condition are affine in the first ones: radius, offset
 * and centre. */
enum { OLO_ROLLING_NUMBERS = sizeof(olo_rolling) / sizeof(double), OLO_ROLLING_AFFINE = 5 };

/* The arm of a step. */
typedef struct olo_rolling_arm {
    double s[3];
    double e_m[3];
    double gamma_m, sigma_a;
    double sigma0, sigma1;
    double sigma_by_e0[3], sigma_by_e1[3]; /* d sigma1/d e1 = (e1 - gamma1 n)/sigma1 */
} olo_rolling_arm;

/* X_I d_I of a frame's twelve coordinates. */
static inline void olo_rolling_vector(const double X[3], const double *frame, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = X[0] * frame[3 + i] + X[1] * frame[6 + i] + X[2] * frame[9 + i];
}

/* sigma at an axis e; one for a ball. */
double olo_rolling_sine(const olo_rolling *rolling, const double e[3]);

/* The arm from the axis at the start, midpoint and end of a step. For a single configuration all
 * three are equal. */
void olo_rolling_over(const olo_rolling *rolling, const double e0[3], const double e_m[3],
                      const double e1[3], olo_rolling_arm *arm);

/* s at rest with the axis e. */
void olo_rolling_arm_at_rest(const olo_rolling *rolling, const double e[3], double s[3]);

/* ds/de1 = 1/2 r/sigma_a (e_m n^T + gamma_m I) - 1/2 s (d sigma1/d e1)^T/sigma_a */
void olo_rolling_arm_by_end(const olo_rolling *rolling, const olo_rolling_arm *arm,
                            double by_e1[9]);

/* A step of a frame that rolls: its coordinates at q0, the midpoint and q1, the Cayley vector of
 * its motion, and the velocities of its coordinates at both ends. */
typedef struct olo_rolling_step {
    const double *q0, *qm, *q1, *turn, *v0, *v1;
} olo_rolling_step;

/* The rows of height and rolling with the impulse F[3] at the point of contact: adds the moment of
 * sum gamma a, and of sum gamma d turned by the mean velocity, sum d_I,m x a_I + d_I'_m x d_I
 * (constraint_rolling.c has d and a), to moment[3]. */
void olo_rolling_load(const olo_rolling *rolling, const olo_rolling_step *step, const double F[3],
                      double moment[3]);

/* n.(x - o) - r sigma */
double olo_rolling_height(const olo_rolling *rolling, const double *frame);

#endif
