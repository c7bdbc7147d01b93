/* Random reachable points of the model robot-6r-reach: positions of its tool at random angles, by
 * the product of rotations and offsets of the arm. */
#ifndef OLO_TEST_ROBOT_REACH_H
#define OLO_TEST_ROBOT_REACH_H

#include "scene.h"

#include "oloid/optimize.h"

static inline double reach_random(unsigned long long *state, double low, double high)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

static inline void reach_turn(int axis, double angle, double x[3])
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const double c = cos(angle), s = sin(angle), y = x[a], z = x[b];
    x[a] = c * y - s * z;
    x[b] = s * y + c * z;
}

/* From the tool to the ground: turn about a joint, then move to the joint before. */
static inline void reach_point(unsigned long long *state, double x[3])
{
    static const int axis[] = {2, 1, 1, 0, 1, 0};
    static const double low[] = {-2.5, -1.2, -1.5, -2, -2, -2}, high[] = {2.5, 1.5, 1.5, 2, 2, 2},
                        offset[6][3] = {{0, 0, 0},       {0, 0, 0.4},  {0, 0, 0.6},
                                        {0.35, 0, 0.05}, {0.25, 0, 0}, {0.1, 0, 0}},
                        tool[3] = {0.15, 0.05, 0};
    double angle[6];
    for (int i = 0; i < 6; i++)
        angle[i] = reach_random(state, low[i], high[i]);
    memcpy(x, tool, sizeof tool);
    for (int i = 5; i >= 0; i--) {
        reach_turn(axis[i], angle[i], x);
        for (int j = 0; j < 3; j++)
            x[j] += offset[i][j];
    }
}

/* Solves for `count` points from straight-line guesses; returns how many are reached. */
static inline int reach_all(int count, int intervals)
{
    unsigned long long state = 20;
    int reached = 0;
    for (int i = 0; i < count; i++) {
        double x[3], seconds = 0;
        char text[3][40];
        reach_point(&state, x);
        for (int j = 0; j < 3; j++)
            snprintf(text[j], sizeof text[j], "%.17g", x[j]);
        const olo_setting settings[] = {{"x", text[0]}, {"y", text[1]}, {"z", text[2]}};
        scene s = scene_open_set("robot-6r-reach", NULL, settings, 3);
        olo_problem problem = *olo_model_problem(s.model);
        olo_optimum *optimum;
        olo_certificate certificate;
        olo_error error = {0};
        problem.intervals = intervals;
        problem.iterations = 500;
        check_ok(olo_optimize(s.system, &problem, NULL, &optimum, &error), &error);
        check_ok(olo_optimum_certify(optimum, &certificate, &error), &error);
        seconds = olo_optimum_seconds(optimum);
        const bool solved = olo_optimum_ended(optimum) <= OLO_OPTIMUM_NEARLY;
        reached += solved;
        if (solved) { /* the tool is at the point: the flange and its offset */
            check_below(certificate.violation, 1e-8);
            check_below(certificate.stationarity, 1e-7);
            const double *q = olo_optimum_configuration(optimum, intervals);
            for (int j = 0; j < s.system->node_count; j++)
                for (int c = 0; strcmp(s.system->nodes[j].name, "flange") == 0 && c < 3; c++) {
                    const double *f = q + s.system->nodes[j].q;
                    check_close(x[c], f[c] + 0.15 * f[3 + c] + 0.05 * f[6 + c], 1e-8);
                }
        } else {
            print_message("point %d (%.3f, %.3f, %.3f): %s\n", i, x[0], x[1], x[2],
                          olo_optimum_explanation(optimum));
        }
        if (seconds > 3)
            print_message("point %d took %.1f s, %d iterations\n", i, seconds,
                          olo_optimum_iterations(optimum));
        olo_optimum_free(optimum);
        scene_close(&s);
    }
    print_message("%d of %d points reached\n", reached, count);
    return reached;
}

#endif
