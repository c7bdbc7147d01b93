"""Parameters of a model as variables of `oloid optimize`, and the model that it writes."""
import json
import math

import pytest

pytestmark = pytest.mark.usefixtures("needs_ipopt")

OSCILLATOR = """
name: oscillator
parameters: {k: 1, m: 2, double: 2*k}
bodies: {name: a, mass: m, inertia: [1, 1, 1], position: [1, 0, 0]}
joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1, time: 0}
springs: {name: s, between: [{at: [-3, 0, 0]}, a], stiffness: double/2, length: 3}
outputs: {name: x, on: a}
optimize:
  intervals: 20
  duration: 0.7
  end_velocity: free
  transcription: redundant
  parameters: {name: k, lower: 0.1, upper: 100}
  conditions: {quantity: x.position, value: 0}
"""
# tan(phi/2) = h sqrt(k/m)/2 with 20 phi = pi/2
STIFFNESS = 2 * (2 / 0.035 * math.tan(math.pi / 80)) ** 2


@pytest.mark.parametrize("transcription", ["redundant", "reduced"])
def test_a_parameter_is_found_and_the_written_model_has_it(oloid, tmp_path, transcription):
    (tmp_path / "oscillator.yaml").write_text(OSCILLATOR.replace("redundant", transcription))
    summary = json.loads(oloid("optimize", "oscillator.yaml", "--json", "-m", "found.yaml").stdout)
    assert summary["parameters"] == {"k": pytest.approx(STIFFNESS, rel=1e-9)}
    oloid("run", "found.yaml", "-o", "found.h5")
    for result in ("oscillator.optimum.h5", "found.h5"):
        oloid("export", result, "--csv", "motion.csv")
        last = (tmp_path / "motion.csv").read_text().splitlines()
        column = last[0].split(",").index("x.position.x")
        assert abs(float(last[-1].split(",")[column])) < 1e-9
    printed = oloid("optimize", "oscillator.yaml", "--no-result").stdout
    assert f"  k              {STIFFNESS:.9g}\n" in printed


def test_a_parameter_needs_bounds_in_order_and_a_known_name(oloid, tmp_path):
    for before, after, words in [("name: k, lower: 0.1", "name: q, lower: 0.1", "'q'"),
                                 ("upper: 100", "upper: 0", "not below"),
                                 ("conditions:", "costs: {type: parameter, parameter: m}\n"
                                  "  conditions:", "'m' is none")]:
        (tmp_path / "wrong.yaml").write_text(OSCILLATOR.replace(before, after))
        failed = oloid("optimize", "wrong.yaml")
        assert failed.returncode == 2 and words in failed.stderr, failed.stderr


def test_many_starts_list_parameters_and_the_best_is_the_result(oloid, tmp_path):
    """With few intervals the model has several optima; the last solution begins at the best one,
    its parameters included."""
    done = oloid("optimize", "arm-design", "-n", "20", "--starts", "4", "--no-result", "-q",
                 "--alternatives", "a.html")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    head, best = lines[1].split(), lines[2].split()
    assert head[-1] == "upper" and len(lines) > 5
    found = dict(line.split(maxsplit=1) for line in lines if line.startswith("  "))
    assert float(found["cost"]) == pytest.approx(float(best[1]), rel=1e-9)
    assert float(found["upper"]) == pytest.approx(float(best[-1]), rel=1e-7)
    assert "elbow.angle" in (tmp_path / "a.html").read_text()
