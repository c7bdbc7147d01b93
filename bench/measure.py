"""Measurements of benchmark programs and of models, the stored baseline, and rows of a table.

Instructions are counted by callgrind (valgrind), so that they do not depend on the speed or load of
the machine. Each count is the difference of a long and a short run divided by the difference of
their steps, so that reading and compiling the model cancel. Times are CPU times, the minimum of
three.
"""
import collections
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BASELINE = ROOT / "bench" / "baseline.json"
MOST_EXPONENT = 1.1  # p where the time of a step of n bodies is proportional to n^p
WARNING = 6  # exit code of `oloid run` for a verdict with a warning

Cost = collections.namedtuple("Cost", "instructions iterations")  # per step


class Bench:
    """Runs programs of one build. Sections add to `misses` what exceeds its bound; with `writing`
    their counts become the baseline."""

    def __init__(self, build, writing):
        self.build = build
        self.writing = writing
        self.folder = tempfile.TemporaryDirectory()
        self.environment = dict(os.environ, OPENBLAS_NUM_THREADS="1",
                                OLOID_MODELS=str(ROOT / "models"))
        self.counts = shutil.which("valgrind") is not None
        self.baseline = Baseline()
        self.misses = []

    def miss(self, text):
        self.misses.append(text)

    def execute(self, command, allowed=(0,)):
        done = subprocess.run([str(word) for word in command], cwd=self.folder.name,
                              env=self.environment, capture_output=True, text=True)
        if done.returncode not in allowed:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
        return done

    def callgrind(self, command, inside=None, allowed=(0,)):
        """Instructions and standard output of a command; `inside` one function, or all."""
        options = [f"--toggle-collect={inside}"] if inside else []
        done = self.execute(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                             *options, *command], allowed)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1]), done.stdout

    # -- programs of this folder, which print steps, iterations and CPU seconds ------------------

    def program(self, name, *arguments):
        return [self.build / "bench" / name, *arguments]

    def measure(self, program, *arguments):
        """Steps, iterations and CPU seconds that a program prints."""
        steps, iterations, cpu = self.execute(self.program(program, *arguments)).stdout.split()
        return int(steps), int(iterations), float(cpu)

    def best(self, program, *arguments):
        """The measurement with the least time out of three."""
        return min((self.measure(program, *arguments) for _ in range(3)),
                   key=lambda found: found[2])

    def memory(self, model, n):
        """kB of state and workspaces, and of the whole program."""
        return map(float, self.execute(self.program("memory", model, n)).stdout.split())

    def instructions(self, program, *arguments, inside=None):
        """Instructions, steps and iterations of one run under callgrind."""
        count, output = self.callgrind(self.program(program, *arguments), inside)
        steps, iterations, _ = output.split()
        return count, int(steps), int(iterations)

    def per(self, program, arguments, short, long, inside=None):
        """Instructions per step and per Newton iteration; `arguments(steps)` are those of a run."""
        few = self.instructions(program, *arguments(short), inside=inside)
        many = self.instructions(program, *arguments(long), inside=inside)
        count, steps, iterations = (b - a for a, b in zip(few, many))
        return count / steps, count / iterations

    # -- the command `oloid run` ----------------------------------------------------------------

    def run_command(self, model, step, steps, settings=(), scheme=None):
        options = [word for setting in settings for word in ("--set", setting)]
        options += ["--scheme", scheme] if scheme else []
        return [self.build / "oloid", "run", "--quiet", "--no-result", "--no-report", "--json",
                "--step", repr(step), "--end", repr(step * steps), *options, model]

    def model_step(self, model):
        """The step of the run section of a model."""
        command = [self.build / "oloid", "run", "--quiet", "--no-result", "--json", "--end", "0"]
        return json.loads(self.execute([*command, model], (0, WARNING)).stdout)["step"]

    def model_cost(self, model, step, short, long, settings=(), scheme=None):
        """Instructions and Newton iterations per step between two numbers of steps of a run."""
        def total(steps):
            command = self.run_command(model, step, steps, settings, scheme)
            count, output = self.callgrind(command, allowed=(0, WARNING))
            summary = json.loads(output)
            if summary["steps"] != steps:
                raise RuntimeError(f"{model}: {summary['steps']} steps instead of {steps}")
            return count, summary["newton_iterations"]

        few, many = total(short), total(long)
        return Cost(*((b - a) / (long - short) for a, b in zip(few, many)))

    def startup(self, model):
        """Least wall time of a whole run of one step, from starting the command to its end."""
        times = []
        for _ in range(21):
            start = time.perf_counter()
            self.execute([self.build / "oloid", "run", "--quiet", "--no-result",
                          "--step", "1e-3", "--end", "1e-3", model])
            times.append(time.perf_counter() - start)
        return min(times)


class Baseline:
    """Instruction counts of an earlier version, by the name of the case (bench/baseline.json)."""

    def __init__(self):
        stored = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
        self.version, self.compiler = stored.get("version"), stored.get("compiler")
        self.cases = {case: Cost(*cost) for case, cost in stored.get("cases", {}).items()}
        self.measured = {}

    def ratio(self, case, cost):
        """Notes what was measured; its ratio to the earlier count, None if there is none."""
        self.measured[case] = cost
        before = self.cases.get(case)
        return cost.instructions / before.instructions if before else None

    def judge(self, bench, case, cost, most):
        """Cells of a table: the earlier count and the ratio to it, with its bound if it has one."""
        ratio = self.ratio(case, cost)
        if ratio is None:
            return "-", "-"
        if most is not None and ratio > most:
            bench.miss(f"{case}: {ratio:.3f} of the instructions before, more than {most:g}")
        return number(self.cases[case].instructions), bounded(ratio, most)

    def write(self, build):
        """Stores what was measured as the new baseline."""
        version, compiler = describe(build)
        cases = ",\n".join(f"  {json.dumps(case)}: [{cost.instructions:.1f}, {cost.iterations:.3f}]"
                           for case, cost in self.measured.items())
        BASELINE.write_text(f'{{"version": {json.dumps(version)},\n'
                            f' "compiler": {json.dumps(compiler)},\n'
                            f' "cases": {{\n{cases}}}}}\n')


def describe(build):
    """Version and commit of the sources of a build, and its compiler."""
    def output(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    cache = (build / "CMakeCache.txt").read_text()
    sources = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M)[1]
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.M)[1]
    commit = output("git", "-C", sources, "log", "-1", "--format=%h", "--", "src")
    changed = " with changes" if output("git", "-C", sources, "status", "-s", "src") else ""
    return (f"{output(build / 'oloid', '--version')}, commit {commit}{changed}",
            output(compiler, "--version").splitlines()[0])


def number(x):
    return "-" if x is None else f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def bounded(x, most):
    """A ratio, with its bound in brackets."""
    return f"{x:.2f}" if most is None else f"{x:.2f} (<= {most:g})"


def row(*cells):
    print(f"{cells[0]:<40}" + "".join(f"{cell:>18}" for cell in cells[1:]), flush=True)


def growth_exponent(points):
    """p of the least-squares fit y = c x^p: the gradient of a line through (log x, log y)."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    x_mean, y_mean = (sum(column) / len(logs) for column in zip(*logs))
    return (sum((x - x_mean) * (y - y_mean) for x, y in logs)
            / sum((x - x_mean) ** 2 for x, _ in logs))


def judge_exponent(bench, name, times):
    exponent = growth_exponent(times)
    row("  exponent of n in the time", f"{exponent:.2f}")
    if exponent > MOST_EXPONENT:
        bench.miss(f"{name}: the time grows with n^{exponent:.2f}, "
                   f"more than n^{MOST_EXPONENT}")
