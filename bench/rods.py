"""Cost of discrete rods beside linear beam elements, its growth with their number, and the whole
curve of load and displacement of the hinged frame."""
from measure import ROOT, bounded, judge_exponent, number, row

KINDS = ("elements", "vertices", "edges")
MOST_ROD = {"vertices": 1.0, "edges": 1.0}  # instructions per element, relative to linear elements
MOST_FRAME_TIME = 2.0  # seconds for the whole curve of the frame with 200 points


def model_of(bench, name, kind):
    """A model of the catalogue with another discretisation of its beam, in a file of its own."""
    lines = (ROOT / "models" / f"{name}.yaml").read_text().splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith("    discretisation:")]
    at = next(i for i, line in enumerate(lines) if line.startswith("    elements:"))
    lines.insert(at, f"    discretisation: {kind}\n")
    path = ROOT / bench.folder.name / f"{name}-{kind}.yaml"
    path.write_text("".join(lines))
    return path


def element_costs(bench):
    """Instructions per element and Newton iteration of steps (all in except the ledger) and of an
    equilibrium by Newton's iteration."""
    print()
    row("rods of 100 elements", "step: instr", "of elements", "iterations", "static: instr",
        "of elements", "iterations")
    first = None
    for kind in KINDS:
        path = model_of(bench, "flying-beam", kind)
        cantilever = model_of(bench, "elastica", kind)
        per_step, per_iteration = bench.per("chain", lambda n: (path, 100, n, "step"), 10, 30)
        count, _, iterations = bench.instructions(
            "statics", cantilever, 100, "newton", 0.1, inside="olo_find_equilibrium")
        costs = (per_iteration / 100, count / iterations / 100)
        first = first or costs
        most = MOST_ROD.get(kind)
        ratios = [a / b for a, b in zip(costs, first)]
        row(f"  {kind}", number(costs[0]), bounded(ratios[0], most),
            f"{per_step / per_iteration:.2f}", number(costs[1]), bounded(ratios[1], most),
            iterations)
        for what, ratio in zip(("step", "equilibrium"), ratios):
            if most and ratio > most:
                bench.miss(f"rods, {kind}: {ratio:.2f} times the instructions of a linear beam "
                           f"element in a {what}, more than {most:g}")


def frame(bench):
    """The whole curve of the frame, through both limit points, with 200 points on the rod."""
    steps, iterations, cpu = bench.best("statics", "hinged-frame", 200, "arc", 21.014)
    print()
    row("curve of the hinged frame, n = 200", "equilibria", "iterations", "seconds")
    row("  up to 21.014", steps, iterations, f"{cpu:.2f} (<= {MOST_FRAME_TIME:g})")
    if cpu > MOST_FRAME_TIME:
        bench.miss(f"curve of the hinged frame: {cpu:.2f} s, more than {MOST_FRAME_TIME:g}")


def rods(bench):
    if bench.counts:
        element_costs(bench)
    print()
    row("rod of n elements", "us/iteration/element", "iterations")
    for kind in KINDS[1:]:
        path, times = model_of(bench, "flying-beam", kind), []
        for n in (10, 100, 1000, 10000, 100000):
            steps, iterations, cpu = bench.best("chain", path, n, max(10, 30000 // n), "step")
            times.append((n, cpu / iterations))
            row(f"  {kind}, n = {n}", f"{cpu / iterations / n * 1e6:.3f}", iterations)
        judge_exponent(bench, f"rod, {kind}", times)
    frame(bench)
