/* The bits of some runs, stored: a change of the code that changes them is noticed and has to be
 * meant.
 *
 * The same input gives the same bits with every compiler and any optimisation that follows IEEE
 * arithmetic (no contraction). The runs here use additions, products, quotients and square roots
 * only, in our own code: no function of the C library, which differs between its versions by the
 * last bit, and neither KLU nor BLAS. Angles of joints, which do use them, do not act back on the
 * motion.
 *
 * When a change is meant to alter the bits (another order of a sum, another predictor), this test
 * fails and prints the new hash. Verify by the other tests that the results are as good as before,
 * put the new hashes into the table, and say in the message of the commit why the bits change. A
 * change that is meant to alter nothing must leave the table as it is.
 */
#include <inttypes.h>

#include "test.h"

#include "scene.h"

enum { STEPS = 100 };

static const struct {
    const char *what, *scheme, *text;
    uint64_t hash;
} RUNS[] = {
    {"a free body", "energy-momentum-2006",
     "bodies: {name: b, mass: 1.5, center: [0.1, 0.2, 0.3], inertia: [1, 1.5, 2],\n"
     "         velocity: [0.1, 0.2, 0.3], angular_velocity: [1, 2, 3]}\n",
     0x842c0c0c05173c39ULL},
    {"a heavy top", "energy-momentum-2006",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {name: top, mass: 0.7, center: [0, 0, 0.075], inertia: [6e-3, 6e-3, 5e-4],\n"
     "         angular_velocity: [0.3, 0.1, 40]}\n"
     "supports: {on: top}\n",
     0xc36a5a4ded7bb8eaULL},
    {"a heavy top", "variational",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {name: top, mass: 0.7, center: [0, 0, 0.075], inertia: [6e-3, 6e-3, 5e-4],\n"
     "         angular_velocity: [0.3, 0.1, 40]}\n"
     "supports: {on: top}\n",
     0x4db3d09d4cdd6a11ULL},
    {"points on rods, a spring and a damper", "energy-momentum-2006",
     "gravity: [0, 0, -9.81]\n"
     "points:\n"
     "  - {name: a, mass: 2, position: [0.5, 0, 0]}\n"
     "  - {name: b, mass: 1, position: [0.5, 0, -0.4], velocity: [0, 1, 0]}\n"
     "  - {name: c, mass: 3, position: [1, 0.3, 0]}\n"
     "rods: [{between: [ground, a]}, {between: [a, b]}]\n"
     "springs: {between: [b, c], stiffness: 100, length: 0.3}\n"
     "dampers: {between: [a, c], damping: 0.1}\n",
     0x72aa38fe8653e7edULL},
    {"a chain of five hinges", "energy-momentum-2006",
     "gravity: [0, 0, -9.81]\n"
     "bodies: {name: \"b{i}\", repeat: {i: [1, 5]}, mass: 0.8, inertia: [0.01, 0.02, 0.03],\n"
     "         position: [i - 0.5, 0, 0]}\n"
     "joints:\n"
     "  - {name: j1, between: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
     "  - {name: j2, between: [b1, b2], at: [1, 0, 0], axis: [0, 0, 1], rate: 1}\n"
     "  - {name: j3, between: [b2, b3], at: [2, 0, 0], axis: [0, 1, 0]}\n"
     "  - {name: j4, between: [b3, b4], at: [3, 0, 0], axis: [0, 0, 1]}\n"
     "  - {name: j5, between: [b4, b5], at: [4, 0, 0], axis: [0, 1, 0]}\n",
     0x82f40b51e577c3e2ULL},
    {"a parallelogram with redundant rows", "energy-momentum-2006",
     "gravity: [0, -9.81, 0]\n"
     "bodies:\n"
     "  - {name: crank, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0.5, 0]}\n"
     "  - {name: coupler, mass: 1, inertia: [0.01, 0.1, 0.1], position: [1, 1, 0]}\n"
     "  - {name: rocker, mass: 1, inertia: [0.01, 0.1, 0.1], position: [2, 0.5, 0]}\n"
     "joints:\n"
     "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
     "  - {name: B, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
     "  - {name: C, between: [coupler, rocker], at: [2, 1, 0], axis: [0, 0, 1]}\n"
     "  - {name: D, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n",
     0x28afcaa92fc562fcULL},
    {"a beam of three elements", "energy-momentum-2006",
     "gravity: [0, 0, -9.81]\n"
     "beams: {name: bow, elements: 3, points: [[0, 0, 0], [1, 0, 0]],\n"
     "        stiffness: [900, 700, 700, 9, 8, 7], inertia: [1, 0.01, 0.02]}\n"
     "supports: {on: bow.start, type: fixed}\n",
     0xfcf9d28a3ca00d47ULL},
};

/* FNV-1a over the bits of numbers, from the lowest byte to the highest. */
static uint64_t add_bits(uint64_t hash, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        for (int k = 0; k < 64; k += 8)
            hash = (hash ^ (bits >> k & 0xff)) * 1099511628211ULL;
    }
    return hash;
}

TEST(runs_have_the_stored_bits)
{
#ifndef __x86_64__
    skip(); /* the table is that of x86_64 */
#endif
    int changed = 0;
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) {
        const olo_setting scheme = {"run.scheme", RUNS[i].scheme};
        scene s = scene_open_set(RUNS[i].text, "reduced", &scheme, 1);
        scene_run(&s, 1.0 / 256, STEPS);
        uint64_t hash =
            add_bits(14695981039346656037ULL, s.system->n, olo_state_configuration(s.state));
        hash = add_bits(hash, s.system->n, olo_state_velocity(s.state));
        if (hash != RUNS[i].hash) {
            print_error("%s, %s: the bits are 0x%016" PRIx64 "ULL\n", RUNS[i].what, RUNS[i].scheme,
                        hash);
            changed++;
        }
        scene_close(&s);
    }
    check_equal(0, changed);
}

TEST_MAIN(cmocka_unit_test(runs_have_the_stored_bits))
