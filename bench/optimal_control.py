"""Measurements of `oloid optimize`: where the time of an iteration is spent."""
import collections
import json
import pathlib

from measure import ROOT

Solution = collections.namedtuple("Solution", "iterations seconds own share per_node")


def solve(bench, model, transcription, intervals, bodies, repetitions=3):
    """A model from its own guess: iterations, seconds of the clock in total, those of the processor
    in this library, their part of all of the processor, and microseconds per iteration, node and
    body. The best of some repetitions."""
    text = (ROOT / "models" / f"{model}.yaml").read_text()
    path = pathlib.Path(bench.folder.name) / f"{model}-{transcription}.yaml"
    path.write_text(text.replace("\noptimize:\n",
                                 f"\noptimize:\n  transcription: {transcription}\n"))
    runs = []
    for _ in range(repetitions):
        done = bench.execute([bench.build / "oloid", "optimize", "--quiet", "--no-result", "--json",
                              "--intervals", intervals, path])
        runs.append(json.loads(done.stdout))
    best = min(runs, key=lambda run: run["own_seconds"])
    seconds = min(run["wall_seconds"] for run in runs)
    iterations, own = best["iterations"], best["own_seconds"]
    share = own / min(run["cpu_seconds"] for run in runs)
    return Solution(iterations, seconds, own, share,
                    own / iterations / (intervals + 1) / bodies * 1e6)
