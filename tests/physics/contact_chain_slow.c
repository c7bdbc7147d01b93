/* Long chains of bodies with contacts. */
#include "scene.h"

/* 400 hinged bodies fall to a floor: rounding errors are larger than those of few bodies,
 * and Newton's method ends there. */
TEST(a_long_chain_with_a_contact_converges)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: 'b{i}', repeat: {i: [1, 400]}, mass: 1, inertia: [0.01, 0.1, 0.1], position: "
        "[i - 0.5, 0, 0]}\n"
        "joints:\n"
        "  - {name: j1, between: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: 'j{i}', repeat: {i: [2, 400]}, between: ['b{i - 1}', 'b{i}'], at: [i - 1, 0, "
        "0], axis: [0, 1, 0]}\n"
        "contacts: {name: floor, point: {on: b400, at: [0.5, 0, 0]}, origin: [0, 0, -0.05]}\n"
        "run: {step: 0.01}\n";
    scene s = scene_open(text, NULL);
    const double energy = scene_ledger(&s).total;
    scene_run(&s, 0.01, 2);
    check_true(s.iterations <= 2 * 8);
    check_close(0, scene_ledger(&s).penetration, 1e-7);
    check_close(energy, scene_ledger(&s).balance, 1e-9);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_long_chain_with_a_contact_converges))
