/* Energy that means the motion, in violent motions at coarse steps: chains of 60 links, with hinges
 * in a plane and in space, with universal joints, and a ring of 60 ball joints, at steps of 1 and
 * 2 ms, over 60 s in `make study` (OLOID_STUDY) and 2 s otherwise. No velocity is normal to the
 * constraints, and the energy is constant; the error of the path is that against a run whose steps
 * follow a tolerance, while the motion can be predicted at all. All numbers are printed;
 * docs/performance.md shows them. */
#include "consistent_laws.h"

/* Boxes on hinges with parallel axes. */
static const char PLANAR[] =
    "name: planar-chain\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - name: link{i}\n"
    "    repeat: {i: [1, 60]}\n"
    "    position: [(i - 1)*0.1, 0, 0]\n"
    "    shapes: [{type: box, size: [0.1, 0.02, 0.02], mass: 0.1, position: [0.05, 0, 0]}]\n"
    "joints:\n"
    "  - {name: hinge1, between: [ground, link1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {name: 'hinge{i}', repeat: {i: [2, 60]}, between: ['link{i - 1}', 'link{i}'],\n"
    "     at: [(i - 1)*0.1, 0, 0], axis: [0, 1, 0]}\n"
    "run: {step: 0.001, end: 60}\n";

/* The same on universal joints, with an arm across every link. */
static const char UNIVERSAL[] =
    "name: universal-chain\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - name: link{i}\n"
    "    repeat: {i: [1, 60]}\n"
    "    position: [(i - 1)*0.1, 0, 0]\n"
    "    shapes:\n"
    "      - {type: box, size: [0.1, 0.01, 0.02], mass: 0.08, position: [0.05, 0, 0]}\n"
    "      - {type: box, size: [0.02, 0.04, 0.02], mass: 0.02, position: [0.05, 0.02, 0]}\n"
    "joints:\n"
    "  - {name: cross1, type: universal, between: [ground, link1], at: [0, 0, 0], axis: [0, 1, "
    "0],\n"
    "     axis2: [0, 0, 1]}\n"
    "  - {name: 'cross{i}', repeat: {i: [2, 60]}, type: universal,\n"
    "     between: ['link{i - 1}', 'link{i}'], at: [(i - 1)*0.1, 0, 0], axis: [0, 1, 0],\n"
    "     axis2: [0, 0, 1]}\n"
    "run: {step: 0.001, end: 60}\n";

/* A ring of bars that hangs at one ball joint, released in the horizontal plane. */
static const char RING[] = "name: ring\n"
                           "parameters: {R: 1, a: pi/30, l: 2*R*sin(a/2), c: R*cos(a/2)}\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  - name: bar{i}\n"
                           "    repeat: {i: [1, 60]}\n"
                           "    position: [R - c*cos((i - 0.5)*a), c*sin((i - 0.5)*a), 0]\n"
                           "    rotation: {axis: [0, 0, 1], angle: pi/2 - (i - 0.5)*a}\n"
                           "    shapes: [{type: box, size: [l, 0.01, 0.02], mass: 0.1}]\n"
                           "    points: {left: [-l/2, 0, 0], right: [l/2, 0, 0]}\n"
                           "supports: {name: hook, on: bar1.left, at: [0, 0, 0]}\n"
                           "joints:\n"
                           "  - {name: 'ball{i}', repeat: {i: [1, 59]}, type: spherical,\n"
                           "     between: ['bar{i}.right', 'bar{i + 1}.left']}\n"
                           "  - {name: last, type: spherical, between: [bar60.right, bar1.left]}\n"
                           "run: {step: 0.001, end: 60}\n";

static scene open_with(const char *model, const char *order, const char *tolerance)
{
    const olo_setting settings[] = {{"run.scheme", "energy-momentum"},
                                    {"run.order", order},
                                    {"run.tolerance", tolerance},
                                    {"n", "60"}};
    return scene_open_set(model, "reduced", settings, strcmp(model, "chain") == 0 ? 4 : 3);
}

/* The largest share of the kinetic energy that is not motion, and the largest change of the energy,
 * every 0.1 s. */
static void check_energy(const char *model, double h)
{
    scene s = open_with(model, "2", "0");
    double share = 0, drift = 0;
    const double start = scene_ledger(&s).total;
    double size = 0;
    const int tenths = getenv("OLOID_STUDY") ? 600 : 20;
    for (int i = 0; i < tenths; i++) {
        scene_run(&s, h, lround(0.1 / h));
        const olo_ledger now = scene_ledger(&s);
        share = larger(share, normal_share(&s));
        drift = larger(drift, fabs(now.total - start));
        size = larger(size, now.kinetic);
    }
    print_message("%.16s, h = %g, %g s: share %.1e, energy %.1e of the largest kinetic energy, %ld "
                  "halvings\n",
                  model, h, 0.1 * tenths, share, drift / size, s.halvings);
    check_below(share, 1e-20);
    check_below(drift, 1e-10 * size);
    scene_close(&s);
}

static void run_until(scene *s, double t)
{
    olo_error error = {0};
    while (olo_state_time(s->state) < t - 1e-9)
        check_ok(
            olo_stepper_step_adaptive(s->stepper, s->state, t - olo_state_time(s->state), &error),
            &error);
}

/* Until 1.5 s, where the chain begins to whip: the error falls with the square of the step. */
static void check_path(const char *model)
{
    enum { TIMES = 3 };
    static const double times[TIMES] = {0.5, 1.0, 1.5};
    scene exact = open_with(model, "4", "1e-8"), fine = open_with(model, "2", "0"),
          coarse = open_with(model, "2", "0");
    for (int i = 0; i < TIMES; i++) {
        run_until(&exact, times[i]);
        scene_run(&fine, 0.001, 500);
        scene_run(&coarse, 0.002, 250);
        const double errors[2] = {scene_apart(&fine, &exact), scene_apart(&coarse, &exact)};
        print_message("%.16s, t = %g: path %.1e m at 1 ms, %.1e m at 2 ms\n", model, times[i],
                      errors[0], errors[1]);
        if (i == 0)
            check_close(4.0, errors[1] / errors[0], 0.4);
    }
    scene_close(&exact);
    scene_close(&fine);
    scene_close(&coarse);
}

static void check_model(const char *model)
{
    check_path(model);
    check_energy(model, 0.001);
    check_energy(model, 0.002);
}

TEST(a_planar_chain)
{
    check_model(PLANAR);
}

TEST(a_chain_in_space)
{
    check_model("chain");
}

TEST(a_chain_of_universal_joints)
{
    check_model(UNIVERSAL);
}

TEST(a_ring_of_ball_joints)
{
    check_model(RING);
}

TEST_MAIN(cmocka_unit_test(a_planar_chain), cmocka_unit_test(a_chain_in_space),
          cmocka_unit_test(a_chain_of_universal_joints), cmocka_unit_test(a_ring_of_ball_joints))
