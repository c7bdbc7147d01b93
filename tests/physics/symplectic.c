/* The variational scheme keeps the symplectic form, under the exact tangent maps of its steps: every model of the catalogue that
 * nothing dissipates in and no torque drives (those are not the gradient of anything), orders 2, 4 and 6, one step and many. */
#include "scene.h"

#include "oloid/derivatives.h"

/* A model, some steps on from its start. Loads have acted and what turns does so. */
typedef struct example {
    const char *model;
    double h;
    long before;
    const char *key, *value; /* a setting, or NULL */
} example;

static scene open_example(const example *x, int order)
{
    char text[8];
    snprintf(text, sizeof text, "%d", order);
    const olo_setting settings[] = {
        {"run.scheme", "variational"}, {"run.order", text}, {x->key, x->value}};
    scene s = scene_open_set(x->model, "reduced", settings, x->key ? 3 : 2);
    scene_run(&s, x->h, x->before);
    return s;
}

/* |A^T J A - J| over |A|^2 of the next step, and the product of all eigenvalues less one. */
static olo_step_map map_of(const example *x, int order)
{
    olo_error error = {0};
    olo_derivatives *d;
    olo_step_map map = {0};
    scene s = open_example(x, order);
    check_ok(olo_derivatives_create(s.system, &s.run, &d, &error), &error);
    check_ok(olo_derivatives_step_map(d, s.state, x->h, &map, &error), &error);
    olo_derivatives_free(d);
    scene_close(&s);
    return map;
}

static void check_steps(const example *all, size_t count, double least)
{
    for (size_t i = 0; i < count; i++)
        for (int order = 2; order <= 6; order += 2) {
            olo_step_map map = map_of(&all[i], order);
            print_message("%s, order %d: defect %.1e, volume %.1e\n", all[i].model, order,
                          map.defect, map.volume);
            check_true(map.freedoms > 0);
            check_below(map.defect, least);
            check_close(0.0, map.volume, 1e-10);
        }
}

#define CHECK_STEPS(all, least) check_steps(all, sizeof(all) / sizeof *(all), least)

TEST(steps_of_bodies_and_points_are_symplectic)
{
    static const example all[] = {{"heavy-top", 0.001, 20, NULL, NULL},
                                  {"bruels-top", 0.001, 20, NULL, NULL},
                                  {"sliding-top", 0.001, 20, NULL, NULL},
                                  {"free-body", 0.05, 20, NULL, NULL},
                                  {"double-spherical-pendulum", 0.01, 20, NULL, NULL},
                                  {"planar-pendulum", 0.01, 20, NULL, NULL},
                                  {"spring-chain", 0.01, 20, NULL, NULL},
                                  {"cylindrical-pair", 0.01, 20, NULL, NULL},
                                  {"planar-pair", 0.001, 20, NULL, NULL},
                                  {"revolute-pair", 0.01, 20, NULL, NULL},
                                  {"robot-6r", 0.002, 20, NULL, NULL},
                                  {"humanoid-tree", 0.005, 5, NULL, NULL},
                                  {"chain", 0.002, 20, NULL, NULL}};
    CHECK_STEPS(all, 1e-13);
}

TEST(steps_of_loops_are_symplectic)
{
    static const example all[] = {{"four-bar", 0.005, 20, NULL, NULL},
                                  {"four-bar-spatial", 0.005, 20, NULL, NULL},
                                  {"bricard", 0.01, 20, NULL, NULL},
                                  {"andrews-squeezer", 1e-5, 20, NULL, NULL},
                                  {"slider-crank-rigid", 0.01, 20, NULL, NULL},
                                  {"screw-press", 0.001, 20, NULL, NULL},
                                  {"gear-train", 0.002, 20, "torque", "0"},
                                  {"six-body-linkage", 0.01, 20, NULL, NULL},
                                  {"six-body-linkage-principal", 0.01, 20, NULL, NULL},
                                  {"six-body-linkage-reverse", 0.01, 20, NULL, NULL}};
    CHECK_STEPS(all, 1e-13);
}

TEST(steps_of_beams_are_symplectic)
{
    static const example all[] = {
        {"three-bar-swing", 0.001, 20, NULL, NULL},
        {"slider-crank", 0.01, 5, NULL, NULL},
        {"flying-beam", 0.05, 105, NULL, NULL}, /* nothing acts after t = 5 */
        {"right-angle-elbow", 0.05, 20, "n", "3"},
        {"rotating-arm", 0.01, 20, NULL, NULL},
        {"bend-45", 0.001, 5, "n", "8"}};
    CHECK_STEPS(all, 1e-11);
}

TEST_MAIN(cmocka_unit_test(steps_of_bodies_and_points_are_symplectic),
          cmocka_unit_test(steps_of_loops_are_symplectic),
          cmocka_unit_test(steps_of_beams_are_symplectic))
