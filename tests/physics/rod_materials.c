/* Materials of rods: sections that vary along the rod, general energies, and agreement of rods with
 * finite elements. */
#include "scene.h"

#include "linalg/vec3.h"

static olo_equilibrium_summary settle(scene *s)
{
    olo_equilibrium_summary summary;
    olo_error error = {0};
    check_ok(olo_find_equilibrium(s->system, NULL, s->state, NULL, 0, &summary, &error), &error);
    check_below(summary.residual, 1e-12);
    return summary;
}

static scene open_with(const char *text, int n)
{
    char number[16];
    snprintf(number, sizeof number, "%d", n);
    const olo_setting settings[] = {{"n", number}};
    return scene_open_set(text, NULL, settings, 1);
}

/* --- tapered rods --- */

#define TAPERED(kind, material)                                                                    \
    "parameters: {n: 40, P: 1e-4}\n"                                                               \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind                                                          \
    ", elements: n, to: [1, 0, 0], inertia: [1, 1e-2, 2e-2],\n"                                    \
    "     " material "}\n"                                                                         \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, P, 0]}\n"

#define BY_TAPER "taper: 1 - s/2, stiffness: [1e7, 1e7, 1e7, 1, 1, 1]"
#define BY_ENERGY                                                                                  \
    "energy: \"0.5e7*(1 - s/2)^2*(g1^2 + g2^2 + g3^2) + 0.5*(1 - s/2)^4*(k1^2 + k2^2 + k3^2)\""

static const char *const tapered[3][2] = {
    {TAPERED("vertices", BY_TAPER), TAPERED("vertices", BY_ENERGY)},
    {TAPERED("edges", BY_TAPER), TAPERED("edges", BY_ENERGY)},
    {TAPERED("elements", BY_TAPER), TAPERED("elements", BY_ENERGY)}};

static double tip_of(const char *text, int n)
{
    scene s = open_with(text, n);
    settle(&s);
    const double y = scene_q(&s, "b.end")[1];
    scene_close(&s);
    return y;
}

/* w = int P (1 - s)^2/EI(s) ds = 2/3 P for EI = (1 - s/2)^4, twice that of the uniform rod. */
TEST(a_tapered_cantilever_bends_as_its_closed_form)
{
    const double exact = 2e-4 / 3;
    for (int kind = 0; kind < 3; kind++) {
        const double coarse = tip_of(tapered[kind][0], 4) - exact,
                     fine = tip_of(tapered[kind][0], 8) - exact;
        check_true(log2(fabs(coarse / fine)) > 1.9); /* second order at least */
        check_close(exact, tip_of(tapered[kind][0], 40), 1e-5 * exact);
    }
}

TEST(an_energy_that_depends_on_the_arc_length_is_the_same_rod)
{
    for (int kind = 0; kind < 3; kind++)
        check_relative(tip_of(tapered[kind][0], 20), tip_of(tapered[kind][1], 20), 1e-8);
}

/* The mass of a rod is at its nodes: that of the vertex is the one of half an edge on both sides.
 */
TEST(no_mass_couples_the_nodes_of_a_rod)
{
    for (int kind = 0; kind < 2; kind++) {
        static const char *const kinds[2] = {"vertices", "edges"};
        char text[400];
        snprintf(text, sizeof text,
                 "beams: {name: b, discretisation: %s, elements: 4, to: [2, 0, 0],\n"
                 "        stiffness: [9, 9, 9, 1, 1, 1], inertia: [3, 0.2, 0.3]}\n",
                 kinds[kind]);
        scene s = scene_open(text, "reduced");
        const olo_beam_line *line = &s.system->beams[0];
        for (int e = 0; e < s.system->mass_count; e++) {
            const olo_mass_entry *entry = &s.system->mass[e];
            const olo_coordinate *i = &s.system->coordinates[entry->i],
                                 *j = &s.system->coordinates[entry->j];
            check_equal(i->node, j->node);
            if (i->slot != 0)
                continue;
            const bool end = i->node == line->nodes[0] || i->node == line->nodes[4];
            check_close(j->slot == 0 ? (end ? 0.75 : 1.5) : 0.0, entry->m, 1e-15);
        }
        scene_close(&s);
    }
}

/* The mass of a section changes with the square of its size, its moments with the fourth power:
 * int (1 - s/2)^2 = 7/12, int (1 - s/2)^4 = 31/80. */
TEST(a_tapered_rod_has_the_mass_and_inertia_of_its_sections)
{
    for (int kind = 0; kind < 3; kind++) {
        scene s = open_with(tapered[kind][0], 80);
        double mass[9] = {0};
        for (int i = 0; i < s.system->n; i++)
            s.state->v[i] = 0;
        /* kinetic energy of a translation, and of a rotation about the axis of the rod */
        for (int k = 0; k < s.system->node_count; k++) {
            const olo_node *node = &s.system->nodes[k];
            if (node->type->position >= 0)
                s.state->v[node->q + node->type->position + 2] = 1;
        }
        mass[0] = 2 * scene_ledger(&s).kinetic;
        for (int k = 0; k < s.system->node_count; k++) {
            const olo_node *node = &s.system->nodes[k];
            static const double axis[3] = {1, 0, 0};
            if (node->type->position >= 0)
                s.state->v[node->q + node->type->position + 2] = 0;
            for (int I = 0; I < 9 && node->type->directors >= 0; I += 3)
                vec3_cross(axis, s.state->q + node->q + node->type->directors + I,
                           s.state->v + node->q + node->type->directors + I);
        }
        mass[1] = 2 * scene_ledger(&s).kinetic;
        check_relative(7.0 / 12, mass[0], kind == 1 ? 1e-4 : 1e-12);
        check_relative(3e-2 * 31 / 80, mass[1], kind == 1 ? 1e-3 : 1e-6);
        scene_close(&s);
    }
}

TEST(a_taper_must_be_positive)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    static const char *const text =
        TAPERED("vertices", "taper: 1 - 2*s, stiffness: [1, 1, 1, 1, 1, 1]");
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error), &error);
    check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
    check_contains("taper", error.text);
    check_contains("must be positive", error.text);
    olo_model_free(model);
}

/* --- general energies --- */

/* A rod whose curvature without stress is 2 s is a clothoid: x = int cos(s^2), y = int sin(s^2). */
TEST(an_intrinsic_curvature_that_varies_gives_a_clothoid)
{
#define CLOTHOID(kind)                                                                             \
    "parameters: {n: 40}\n"                                                                        \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind ", elements: n, to: [1, 0, 0], d1: [0, 0, 1],\n"         \
    "     rest_curvature: [0, 0, 0], inertia: [1, 1e-2, 1e-2],\n"                                  \
    "     energy: \"0.5e3*(g1^2 + g2^2 + g3^2) + 0.5*((k1 - 2*s)^2 + k2^2 + k3^2)\"}\n"            \
    "supports: {on: b.start, type: fixed}\n"
    static const char *const model[2] = {CLOTHOID("vertices"), CLOTHOID("edges")};
    for (int kind = 0; kind < 2; kind++) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            scene s = open_with(model[kind], fine ? 80 : 40);
            settle(&s);
            const double *q = scene_q(&s, "b.end");
            off[fine] = hypot(q[0] - 0.9045242379002720, q[1] - 0.3102683017233811);
            check_below(scene_ledger(&s).strain, 1e-16);
            scene_close(&s);
        }
        check_close(2.0, log2(off[0] / off[1]), 0.1);
        check_below(off[1], 1e-3);
    }
}

/* Shear and elongation are at the edges, curvature and torsion at the vertices. */
TEST(an_energy_that_couples_edges_and_vertices_is_refused)
{
    static const char *const text =
        TAPERED("edges", "energy: \"g1^2 + g2^2 + g3^2 + k1^2 + k2^2 + k3^2 + g3*k1\"");
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error), &error);
    check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
    check_contains("cannot be coupled", error.text);
    olo_model_free(model);
}

/* --- rods and finite elements are the same beam --- */

#define CANTILEVER(kind, more)                                                                     \
    "parameters: {n: 20}\n"                                                                        \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind ", elements: n, from: [1, 0, 0], " more "\n"             \
    "     arc: {axis: [0, 0, 1], angle: 1.5, rise: 0.3}, stiffness: [50, 70, 100, 1, 2, 1.5],\n"   \
    "     inertia: [1, 1e-2, 1e-2]}\n"                                                             \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [1, 1, 2], moment: [0.3, 0, 0.2]}\n"

TEST(rods_agree_with_finite_elements_at_second_order)
{
    static const char *const kinds[3] = {CANTILEVER("vertices", ""), CANTILEVER("edges", ""),
                                         CANTILEVER("elements", "")};
    scene exact = open_with(CANTILEVER("elements", "interpolation: quadratic,"), 160);
    settle(&exact);
    for (int kind = 0; kind < 3; kind++) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            scene s = open_with(kinds[kind], fine ? 80 : 40);
            settle(&s);
            double gap[3];
            vec3_subtract(scene_q(&s, "b.end"), scene_q(&exact, "b.end"), gap);
            off[fine] = vec3_norm(gap);
            scene_close(&s);
        }
        check_close(2.0, log2(off[0] / off[1]), 0.1);
        check_below(off[1], 1e-3);
    }
    scene_close(&exact);
}

/* --- a tapered column --- */

#define TAPERED_COLUMN(kind, more)                                                                 \
    "beams:\n"                                                                                     \
    "  - {name: b, discretisation: " kind ", elements: 100, to: [1, 0, 0], d1: [0, 0, 1],\n"       \
    "     " more ", inertia: [1, 1e-2, 1e-2]}\n"                                                   \
    "supports:\n"                                                                                  \
    "  - {name: foot, on: b.start, type: hinge, axis: [0, 0, 1]}\n"                                \
    "  - {name: head, on: b.end, type: slide, axis: [1, 0, 0]}\n"                                  \
    "loads: {on: b.end, force: [-1, 0, 0]}\n"

/* With EI = (1 - s/2)^4 the deflection is x sin(k/x) in x = 2 - s, which vanishes at both ends for
 * P = pi^2/4; by taper, and by an energy of s. */
TEST(a_tapered_column_buckles_at_a_quarter_of_the_load_of_euler)
{
#define STIFF  "stiffness: [1e6, 1e6, 1e6, 1, 50, 50], taper: 1 - 0.5*s"
#define ENERGY "energy: 5e5*(g1^2 + g2^2 + g3^2) + (1 - 0.5*s)^4*(k1^2/2 + 25*(k2^2 + k3^2))"
    static const char *const model[4] = {
        TAPERED_COLUMN("vertices", STIFF), TAPERED_COLUMN("edges", STIFF),
        TAPERED_COLUMN("edges", ENERGY),
        TAPERED_COLUMN("edges", STIFF ", unshearable: true, inextensible: true")};
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < 4; i++) {
        scene s = scene_open(model[i], NULL);
        olo_equilibrium_options options = olo_equilibrium_options_default();
        olo_equilibrium_summary sum;
        olo_error error = {0};
        options.end = 3;
        check_ok(olo_find_equilibrium(s.system, &options, s.state, NULL, 0, &sum, &error), &error);
        check_equal(1, sum.critical_count);
        check_relative(0.25 * pi * pi, sum.critical[0].load, 1e-3);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(a_tapered_cantilever_bends_as_its_closed_form),
          cmocka_unit_test(an_energy_that_depends_on_the_arc_length_is_the_same_rod),
          cmocka_unit_test(no_mass_couples_the_nodes_of_a_rod),
          cmocka_unit_test(a_tapered_rod_has_the_mass_and_inertia_of_its_sections),
          cmocka_unit_test(a_taper_must_be_positive),
          cmocka_unit_test(an_intrinsic_curvature_that_varies_gives_a_clothoid),
          cmocka_unit_test(an_energy_that_couples_edges_and_vertices_is_refused),
          cmocka_unit_test(rods_agree_with_finite_elements_at_second_order),
          cmocka_unit_test(a_tapered_column_buckles_at_a_quarter_of_the_load_of_euler))
