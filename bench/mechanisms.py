"""Cost of mechanisms beside the chain of hinges, and of all models of the catalogue beside a
baseline. All runs are `oloid run` with ledger and verdict, without a result."""
import collections
import math

from measure import ROOT, bounded, number, row

MOST_FORCES = 1.6  # a chain with forces on all joints, relative to the chain of hinges
MOST_JOINTS = 2.0  # a chain of other joints
MOST_POINTS = 1.5  # point masses on springs, per point
MOST_BODIES = 3.0  # free bodies on springs, per body
MOST_LOOPS = 0.3  # linkages with loops, relative to the baseline
NOT_SLOWER = 1.01  # relative to the baseline: one percent for iterations that fall otherwise
MOST_MEAN = 0.5  # geometric mean of all models of the catalogue, relative to the baseline
MOST_COUPLED = 0.5  # each of the models below
MOST_CONSISTENT_TREE = 1.5  # energy-momentum relative to energy-momentum-2006, trees
MOST_CONSISTENT_LOOP = 1.8  # the same with loops

PUBLISHED, RATED = "energy-momentum-2006", "energy-momentum"  # the baseline has the first,
# under the name that the scheme had then

# Models with springs, dampers, drives or loops on four or more bodies or points.
COUPLED = {"andrews-squeezer", "bricard", "four-bar", "four-bar-spatial", "gear-train",
           "robot-6r-driven", "six-body-linkage", "six-body-linkage-principal",
           "six-body-linkage-reverse", "spring-chain"}

# `of_hinges` and `of_before` are bounds of the instructions per body and step, relative to the
# chain of hinges in the same run and to the baseline. Steps `window[0]` to `window[1]` count.
Case = collections.namedtuple("Case", "name model settings bodies step window of_hinges of_before")


def chain(name, model, of_hinges, *settings, of_before=None):
    """100 bodies or points, released horizontally; each takes two Newton iterations per step."""
    return Case(name, ROOT / "bench" / "models" / f"{model}.yaml", settings, 100, 1e-3, (50, 150),
                of_hinges, of_before)


HINGES = chain("hinges alone", "chain-hinges", None, of_before=NOT_SLOWER)
CASES = (
    chain("a damper on every hinge", "chain-sprung", MOST_FORCES, "stiffness=0"),
    chain("a spring on every hinge", "chain-sprung", MOST_FORCES, "damping=0"),
    chain("a motor on every hinge", "chain-driven", MOST_FORCES, "damping=0", "stiffness=0"),
    chain("damper, spring and motor", "chain-driven", MOST_FORCES),
    chain("ball joints", "chain-spherical", MOST_JOINTS),
    chain("universal joints", "chain-universal", MOST_JOINTS),
    chain("prismatic joints", "chain-prismatic", MOST_JOINTS),
    chain("cylindrical joints", "chain-cylindrical", MOST_JOINTS),
    chain("points on springs", "points-on-springs", MOST_POINTS),
    chain("free bodies on springs", "bodies-on-springs", MOST_BODIES),
    Case("six-body linkage", "six-body-linkage", (), 6, 1e-3, (50, 150), None, MOST_LOOPS),
    Case("four-bar windows, n = 10", "four-bar", ("n=10",), 21, 0.01, (20, 60), None, MOST_LOOPS),
    Case("four-bar windows, n = 40", "four-bar", ("n=40",), 81, 0.01, (20, 60), None, MOST_LOOPS),
)


def mechanisms(bench):
    print()
    row("mechanisms, reduced", "instr/step/body", "iterations/step", "of hinges", "before",
        "of before")
    plain = None
    for case in (HINGES, *CASES):
        cost = bench.model_cost(case.model, case.step, *case.window, case.settings)
        each = cost.instructions / case.bodies
        plain = plain or each
        if case.of_hinges is not None and each > case.of_hinges * plain:
            bench.miss(f"{case.name}: {each / plain:.2f} times the chain of hinges, "
                       f"more than {case.of_hinges:g}")
        each_cost = cost._replace(instructions=each)
        row(f"  {case.name}", number(each), f"{cost.iterations:.2f}",
            bounded(each / plain, case.of_hinges),
            *bench.baseline.judge(bench, case.name, each_cost, case.of_before))


def consistent_case(name, model, step, window, *settings, most=MOST_CONSISTENT_TREE):
    return name, model, step, window, settings, most


def bench_model(name):
    return ROOT / "bench" / "models" / f"{name}.yaml"


CONSISTENT = (
    *(consistent_case(f"chain of {name}", bench_model(f"chain-{model}"), 1e-3, (50, 90))
      for name, model in (("hinges", "hinges"), ("ball joints", "spherical"),
                          ("universal joints", "universal"), ("prismatic joints", "prismatic"),
                          ("cylindrical joints", "cylindrical"), ("sprung hinges", "sprung"))),
    *(consistent_case(f"chain of 60 bodies, h = {step:g}", "chain", step, (50, 90), "n=60")
      for step in (5e-4, 1e-3, 2e-3)),
    consistent_case("robot with six hinges", "robot-6r", 2e-3, (50, 150)),
    consistent_case("humanoid", "humanoid-tree", 2e-3, (50, 90)),
    consistent_case("six-body linkage", "six-body-linkage", 1e-3, (50, 90),
                    most=MOST_CONSISTENT_LOOP),
    consistent_case("four-bar windows, n = 10", "four-bar", 0.01, (20, 60), "n=10",
                    most=MOST_CONSISTENT_LOOP),
)


def consistent(bench):
    """Steps with consistent velocities, relative to those of energy-momentum-2006."""
    print()
    row("consistent velocities, reduced", "instr/step", "iterations/step", "energy-momentum-2006",
        "iterations/step", "ratio")
    for name, model, step, window, settings, most in CONSISTENT:
        plain, rated = (bench.model_cost(model, step, *window, settings, scheme=scheme)
                        for scheme in (PUBLISHED, RATED))
        ratio = rated.instructions / plain.instructions
        row(f"  {name}", number(rated.instructions), f"{rated.iterations:.2f}",
            number(plain.instructions), f"{plain.iterations:.2f}", bounded(ratio, most))
        if ratio > most:
            bench.miss(f"{name}: consistent velocities take {ratio:.2f} times the instructions of "
                       f"energy-momentum-2006, more than {most:g}")


def models(bench):
    """Steps 20 to 60 of every model of the catalogue, with the step of its file."""
    print()
    row("models of the catalogue", "instr/step", "iterations/step", "before", "iterations/step",
        "of before")
    logarithms = []
    for path in sorted((ROOT / "models").glob("*.yaml")):
        case = f"model {path.stem}"
        before = bench.baseline.cases.get(case)
        cost = bench.model_cost(path.stem, bench.model_step(path.stem), 20, 60,
                                scheme=PUBLISHED if before and not bench.writing else None)
        most = MOST_COUPLED if path.stem in COUPLED else NOT_SLOWER
        count, ratio = bench.baseline.judge(bench, case, cost, most)
        row(f"  {path.stem}", number(cost.instructions), f"{cost.iterations:.2f}", count,
            f"{before.iterations:.2f}" if before else "-", ratio)
        if before:
            logarithms.append(math.log(cost.instructions / before.instructions))
    if logarithms:
        mean = math.exp(sum(logarithms) / len(logarithms))
        row("  geometric mean", "", "", "", "", bounded(mean, MOST_MEAN))
        if mean > MOST_MEAN:
            bench.miss(f"models of the catalogue: {mean:.2f} of the instructions before in the "
                       f"geometric mean, more than {MOST_MEAN:g}")


def schemes(bench):
    """The same steps with consistent velocities, relative to those of energy-momentum-2006."""
    print()
    row("consistent velocities, models", "instr/step", "iterations/step", "energy-momentum-2006",
        "iterations/step", "ratio")
    logarithms = []
    for path in sorted((ROOT / "models").glob("*.yaml")):
        step = bench.model_step(path.stem)
        try:
            plain, rated = (bench.model_cost(path.stem, step, 20, 60, scheme=scheme)
                            for scheme in (PUBLISHED, RATED))
        except RuntimeError:  # contacts have schemes of their own
            row(f"  {path.stem}", "-", "-", "-", "-", "-")
            continue
        ratio = rated.instructions / plain.instructions
        row(f"  {path.stem}", number(rated.instructions), f"{rated.iterations:.2f}",
            number(plain.instructions), f"{plain.iterations:.2f}", f"{ratio:.2f}")
        logarithms.append(math.log(ratio))
    row("  geometric mean", "", "", "", "", f"{math.exp(sum(logarithms) / len(logarithms)):.2f}")
