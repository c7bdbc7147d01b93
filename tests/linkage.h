/* The six-body linkage with the variational scheme: its angles, energies and revolutions
 * (variational sheet, 3.3). */
#ifndef OLO_TEST_LINKAGE_H
#define OLO_TEST_LINKAGE_H

#include "linalg/vec3.h"
#include "trajectory.h"

static const char LINKAGE[] = "six-body-linkage-reverse";

/* Angle of body b relative to body a about an axis of the frames, which are parallel at the start.
 */
static inline double linkage_angle(const double *a, const double *b, int axis, double near)
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double c = vec3_dot(a + 3 * (j + 1), b + 3 * (j + 1)),
           s = vec3_dot(a + 3 * (k + 1), b + 3 * (j + 1));
    return olo_angle_near(c, s, near);
}

/* theta_1 about -e3 between bodies 0 and 1, theta_2 about -e2 between 1 and 2 */
static inline void linkage_angles(const scene *s, const double *q, double theta[2])
{
    const double *zero =
                     q + olo_system_node_offset(s->system, olo_system_find_node(s->system, "zero")),
                 *one =
                     q + olo_system_node_offset(s->system, olo_system_find_node(s->system, "one")),
                 *two =
                     q + olo_system_node_offset(s->system, olo_system_find_node(s->system, "two"));
    theta[0] = -linkage_angle(zero, one, 2, -theta[0]);
    theta[1] = -linkage_angle(one, two, 1, -theta[1]);
}

/* A row of the table in 3.3, and angles at further times until a time is 0; digits as printed. */
typedef struct turning {
    double h, interval[2], nodal[2], revolution, theta[2];
    double revolution_digit, theta_digit;
    double angles[6][3]; /* t, theta_1, theta_2 */
} turning;

static inline void check_turning(const turning *row, double end)
{
    int steps = (int)lround(end / row->h);
    double interval[2] = {HUGE_VAL, -HUGE_VAL}, nodal[2] = {HUGE_VAL, -HUGE_VAL};
    double theta[2] = {0, 0}, before[2], revolution = 0;
    trajectory x = trajectory_of(LINKAGE, "reduced", row->h, steps + 1);
    check_relative(0.8281680057, x.start.kinetic, 1e-9);
    check_close(0.6799241036, x.start.total, 1e-10);
    for (int i = 0; i <= steps; i++) {
        memcpy(before, theta, sizeof before);
        linkage_angles(&x.s, trajectory_at(&x, i), theta);
        check_below(fabs(sin(theta[0]) * (1 + sin(theta[1])) - sin(theta[1])), 1e-12);
        /* the linkage is a cube again when theta_2 increases through zero */
        if (revolution == 0 && before[1] < 0 && theta[1] >= 0)
            revolution = row->h * (i - theta[1] / (theta[1] - before[1]));
        for (int j = 0; j < 2 && i == lround(0.2 / row->h); j++)
            check_close(row->theta[j], theta[j], row->theta_digit);
        for (const double *at = row->angles[0]; *at > 0; at += 3)
            for (int j = 0; j < 2 && i == lround(*at / row->h); j++)
                check_close(at[1 + j], theta[j], row->theta_digit);
        if (i < steps)
            range_add(interval, trajectory_interval_energy(&x, i));
        if (i > 0)
            range_add(nodal, trajectory_nodal_energy(&x, i));
    }
    print_message("h %g: revolution %.6f, E_d %.8f %.8f, H_d %.8f %.8f\n", row->h, revolution,
                  interval[0], interval[1], nodal[0], nodal[1]);
    for (int j = 0; j < 2; j++) {
        check_close(row->interval[j], interval[j], 1e-7);
        check_close(row->nodal[j], nodal[j], 1e-7);
    }
    check_close(row->revolution, revolution, row->revolution_digit);
    trajectory_free(&x);
}

#endif
