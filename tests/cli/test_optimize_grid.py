"""Grids of time of `oloid optimize`: the model that it writes runs with the same steps."""
import pathlib

import pytest

pytestmark = pytest.mark.usefixtures("needs_ipopt")

ROOT = pathlib.Path(__file__).resolve().parents[2]


def last_row(oloid, result):
    oloid("export", result, "--csv", "motion.csv")
    lines = (oloid.folder / "motion.csv").read_text().splitlines()
    return dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))


@pytest.mark.parametrize("grid", ["grading: 1.04", "grid: [" + ", ".join(["1", "2"] * 20) + "]"])
@pytest.mark.parametrize("transcription", ["reduced", "redundant"])
def test_a_written_model_ends_where_the_optimum_does(oloid, grid, transcription):
    text = (ROOT / "models" / "two-link-pendulum.yaml").read_text()
    assert "  intervals: 128\n" in text
    text = text.replace("  intervals: 128\n", f"  intervals: 40\n  {grid}\n")
    (oloid.folder / "arm.yaml").write_text(text.rstrip() + f"\n  transcription: {transcription}\n")
    done = oloid("optimize", "arm.yaml", "--model", "driven.yaml", "-o", "optimum.h5")
    assert done.returncode == 0, done.stderr
    done = oloid("run", "driven.yaml", "-o", "driven.h5")
    assert done.returncode == 0, done.stderr
    found, run = last_row(oloid, "optimum.h5"), last_row(oloid, "driven.h5")
    for name in set(found) & set(run):
        if ".position." in name:
            assert abs(found[name] - run[name]) < 1e-7, name


@pytest.mark.parametrize("grid, words", [
    ("grading: 0", "grading: must be positive"), ("grid: [1, 2]", "2 lengths are not"),
    ("grid: [1, -2]\n  intervals: 2", "positive"), ("grading: 9", "of the duration"),
    ("grid: [1, 2]\n  intervals: 2\n  grading: 2", "not both")])
def test_a_grid_that_cannot_be_is_refused(oloid, grid, words):
    text = (ROOT / "models" / "double-integrator.yaml").read_text()
    if "intervals" in grid:
        text = text.replace("  intervals: 50\n", "")
    (oloid.folder / "wrong.yaml").write_text(text + f"  {grid}\n")
    done = oloid("optimize", "wrong.yaml", "--no-result")
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_steps_of_a_run_are_a_list(oloid):
    text = (ROOT / "models" / "planar-pendulum.yaml").read_text()
    start = text.index("run:")
    (oloid.folder / "p.yaml").write_text(text[:start] + "run: {steps: [0.01, 0.02, 0.03]}\n")
    done = oloid("run", "p.yaml", "-o", "p.h5")
    assert done.returncode == 0, done.stderr
    assert last_row(oloid, "p.h5")["time"] == pytest.approx(0.06, abs=1e-15)
    (oloid.folder / "q.yaml").write_text(text[:start] + "run: {steps: [0.01], end: 3}\n")
    done = oloid("run", "q.yaml")
    assert done.returncode == 2 and "follow from `steps`" in done.stderr
    done = oloid("run", "p.yaml", "--step", "0.01", "--end", "0.05", "-o", "p.h5")
    assert done.returncode == 0 and last_row(oloid, "p.h5")["time"] == pytest.approx(0.05)
