"""The faults that faults.py plants, and for each one the test that must catch it.

A fault is a mistake that a person could make: a sign, a factor, a term or a case left out, a tolerance
that is off by some orders. The old text occurs in its file exactly once. The test is the fastest one
whose subject is the rule that is broken: `unit.x` and `physics.x` are programs, `cli/test_x.py` and
`cli/test_x.py::name` are run by pytest. When a file changes, its faults change with it; a fault that
survives means that a test is missing.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    old: str
    new: str
    test: str


FAULTS = [
    # base
    Fault("sum_without_compensation", "src/base/sum.h",
          "sum->remainder += (sum->value - t) + x;", "sum->remainder += 0;", "unit.base"),
    Fault("link_is_not_followed", "src/base/new_file.c",
          "if (!S_ISLNK(facts.st_mode)) {", "if (true) {", "unit.files"),
    Fault("file_that_is_not_regular_is_replaced", "src/base/new_file.c",
          "return S_ISREG(facts.st_mode)", "return true", "unit.files"),
    # linalg
    Fault("redundancy_tolerance_large", "src/linalg/elimination_sweep.c",
          "repeated = 1e-11;", "repeated = 1e-7;", "unit.elimination"),
    Fault("redundancy_tolerance_large_locks_nothing", "src/linalg/elimination_sweep.c",
          "repeated = 1e-11;", "repeated = 1e-7;", "physics.misalignment"),
    Fault("redundancy_tolerance_small", "src/linalg/elimination_sweep.c",
          "repeated = 1e-11;", "repeated = 1e-15;", "unit.elimination"),
    Fault("closure_not_scaled", "src/linalg/elimination_sweep.c",
          "repeated * el->closure_scale", "repeated", "unit.elimination"),
    Fault("symmetric_shift_sign", "src/linalg/elimination_symmetric.c",
          "row6_add_times(row6_add_times(U[3 + i], -a[j], U[k]), a[k], U[j])",
          "row6_add_times(row6_add_times(U[3 + i], a[j], U[k]), -a[k], U[j])", "unit.elimination"),
    Fault("transposed_solve_takes_the_left_pair", "src/linalg/elimination_transposed.c",
          "small_add_product(d, b->shape.size, 1, 1.0, n + c->A_hat, n + b->dt, w);",
          "small_add_product(d, b->shape.size, 1, 1.0, n + c->A, n + b->dt, w);", "unit.elimination"),
    Fault("transposed_solve_without_minus", "src/linalg/elimination_transposed.c",
          "small_add_transposed_product(r, s, 1, -1.0, n + nb[j].X, g, n + b->z);",
          "small_add_transposed_product(r, s, 1, 1.0, n + nb[j].X, g, n + b->z);", "unit.elimination"),
    Fault("span_takes_rounding_for_a_row", "src/linalg/span.c",
          "fabs(span->x[c]) > least;", "fabs(span->x[c]) > 1e-14 * least;", "unit.span"),
    # one structure, other numbers
    Fault("shared_topology_keeps_old_joints", "src/kinematics/topology.c",
          "        orient(system, k, &nodes[k]);", "        (void)k;", "unit.with_parameters"),
    Fault("parameter_that_counts_copies_is_ignored", "src/model/compile.c",
          "if (model->structural[i] &&", "if (false &&", "unit.with_parameters"),
    Fault("shared_structure_is_freed_early", "src/system/system.c",
          "if (!system || atomic_fetch_sub(&system->users, 1) > 1)", "if (!system)", "unit.with_parameters"),
    # system
    Fault("distance_spring_discrete_gradient", "src/system/law_distance.c",
          "const double share = 1.0 - 2.0 * c1 * i;", "const double share = 1.0 - 1.9999999 * c1 * i;",
          "unit.law"),
    Fault("distance_spring_tangent_sign", "src/system/law_distance.c",
          "out->s1[0] = a * i1;", "out->s1[0] = -a * i1;", "unit.law"),
    Fault("damper_second_derivative", "src/system/law_distance_viscous.c",
          "out->s01[0] = a * dl * i * i0 * i1;", "out->s01[0] = a * dl * i * i0 * i0;", "unit.law"),
    Fault("coordinate_spring_not_at_the_middle", "src/system/law_spring.c",
          "x->c[1] + 0.5 * x->de[0]", "x->c[1]", "unit.law"),
    Fault("turns_are_not_counted", "src/system/law_angle.c",
          "return principal + two_pi * nearbyint((near - principal) / two_pi);", "return principal + 0 * near;",
          "unit.coordinate"),
    Fault("curvature_sign", "src/system/strain.c",
          "0.5 * (vec3_dot(p->d[k], y->dd[j]) - vec3_dot(p->d[j], y->dd[k]))",
          "0.5 * (vec3_dot(p->d[j], y->dd[k]) - vec3_dot(p->d[k], y->dd[j]))", "unit.strain"),
    Fault("strain_without_reference", "src/system/strain.c",
          "e[k] -= s->reference[k];", "e[k] -= 0 * s->reference[k];", "unit.strain"),
    Fault("balance_without_work", "src/system/ledger.c",
          "ledger->total - ledger->work + ledger->dissipation", "ledger->total + ledger->dissipation",
          "physics.balance"),
    Fault("balance_dissipation_sign", "src/system/ledger.c",
          "ledger->total - ledger->work + ledger->dissipation",
          "ledger->total - ledger->work - ledger->dissipation", "physics.balance"),
    Fault("momentum_map_without_translation", "src/system/ledger.c",
          "vec3_dot(invariant->translation, ledger->linear_momentum)", "0", "unit.symmetry"),
    # elements
    Fault("cone_inertia_along", "src/elements/shape.c", "3.0 / 20, 3.0 / 80", "3.0 / 20, 3.0 / 20",
          "unit.elements"),
    Fault("turned_shape_not_turned_back", "src/elements/shape.c",
          "mat3_product(RE, RT, euler);", "mat3_product(RE, shape->rotation, euler);", "unit.elements"),
    # kinematics
    Fault("joints_are_not_closed_after_a_step", "src/kinematics/motion.c",
          "t->type->close(&view, parent, q + node->q, shift, turn);",
          "(void)parent, (void)view;", "physics.settle"),
    Fault("directors_are_not_settled", "src/kinematics/motion.c",
          "correct_directors(q + node->q + 3, turn, rest + node->q + 3);",
          "(void)correct_directors;", "physics.settle"),
    Fault("misalignment_refused_from_1e_7", "src/kinematics/misalignment.c",
          "rounding = 2e-13, meant = 1e-5", "rounding = 2e-13, meant = 1e-7", "physics.misalignment"),
    Fault("misalignment_takes_rounding_for_meant", "src/kinematics/misalignment.c",
          "rounding = 2e-13, meant = 1e-5", "rounding = 2e-16, meant = 1e-5", "physics.misalignment"),
    # stepping
    Fault("configuration_without_compensation", "src/stepping/stepper.c",
          "double left = rest[i] + ((value[i] - (sum - shift)) + (increment[i] - shift));",
          "double left = 0 * rest[i] + 0 * shift;", "physics.compensation"),
    Fault("remainder_is_forgotten", "src/stepping/balance.c",
          "memcpy(state->q_remainder, step->remainder_end, size);", "memset(state->q_remainder, 0, size);",
          "physics.compensation"),
    Fault("newton_stops_early", "src/stepping/stepper.c",
          "now->increment <= x->tolerance * bound", "now->increment <= 1e3 * x->tolerance * bound",
          "physics.rounding"),
    Fault("composition_coefficient", "src/stepping/composition.c",
          ".part = {0.414490771794375737142, 0.414490771794375737142,",
          ".part = {0.414490771794375747142, 0.414490771794365737142,", "unit.composition"),
    Fault("loads_do_work_at_the_start_of_a_step", "src/stepping/balance.c",
          "action->type->force(action, &x, state->t + 0.5 * step->h, step->r, NULL);",
          "action->type->force(action, &x, state->t, step->r, NULL);", "physics.balance"),
    Fault("variational_momentum_without_force", "src/stepping/variational.c",
          "p[i] = 0.5 * (p[i] - T[i]);", "p[i] = 0.5 * (p[i] + T[i]);", "physics.variational"),
    # results
    Fault("verdict_exact_tolerance", "src/results/verdict.c",
          "EXACT_TOLERANCE = 1e-10;", "EXACT_TOLERANCE = 1e-6;", "unit.verdict"),
    Fault("verdict_constraint_tolerance", "src/results/verdict.c",
          "CONSTRAINT_TOLERANCE = 1e-12;", "CONSTRAINT_TOLERANCE = 1e-8;", "unit.verdict"),
    Fault("verdict_takes_nan_for_ok", "src/results/verdict.c",
          "return relative <= tolerance ? OLO_VERDICT_OK", "return !(relative > tolerance) ? OLO_VERDICT_OK",
          "unit.verdict"),
    Fault("verdict_growth_is_never_seen", "src/results/verdict.c",
          "EXPLAINED_SHARE = 0.5;", "EXPLAINED_SHARE = 1.5;", "unit.verdict"),
    Fault("seal_is_not_compared", "src/results/seal.c",
          "sum != get(seal + RANGE * count + SUMMED)", "sum + 1 == get(seal + RANGE * count + SUMMED)",
          "unit.files"),
    Fault("seal_without_its_own_ranges", "src/results/seal.c",
          "*sum = olo_checksum(*sum, seal, RANGE * count + SUMMED);",
          "*sum = olo_checksum(*sum, seal, SUMMED);", "unit.files"),
    # command
    Fault("broken_run_ends_with_success", "src/cli/run.c",
          "{CLI_OK, CLI_LAW_WARNED, CLI_LAW_BROKEN}", "{CLI_OK, CLI_LAW_WARNED, CLI_OK}",
          "cli/test_verdict.py::test_energy_that_grows_slowly_is_broken"),
]
