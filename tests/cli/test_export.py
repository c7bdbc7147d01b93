"""`oloid export`: results as CSV."""
import csv
import os

import pytest
from conftest import one_message


@pytest.fixture
def result(oloid):
    done = oloid("run", "heavy-top", "--step", "1e-3", "--end", "0.1", "--quiet")
    assert done.returncode == 0, done.stderr
    return oloid.folder / "heavy-top.h5"


def test_csv_has_the_promised_columns(oloid, result):
    done = oloid("export", result, "--csv", "top.csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "" and done.stderr == ""
    with open(oloid.folder / "top.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for name in ("time", "top.position.x", "top.d3.z", "energy.total", "angular_momentum.z",
                 "constraint_error"):
        assert name in rows[0]
    times = [float(row["time"]) for row in rows]
    assert times[0] == 0.0 and times == sorted(times) and times[-1] == pytest.approx(0.1)
    energies = [float(row["energy.total"]) for row in rows]
    assert max(energies) - min(energies) <= 1e-10 * max(map(abs, energies))
    assert "top.csv.partial" not in os.listdir(oloid.folder)


def test_dash_is_standard_output(oloid, result):
    assert oloid("export", result, "--csv", "top.csv").returncode == 0
    done = oloid("export", "--csv", "-", result)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == (oloid.folder / "top.csv").read_text()


def test_a_result_is_not_overwritten_by_its_export(oloid, result):
    before = result.read_bytes()
    done = oloid("export", result, "--csv", result.name)
    assert done.returncode == 2
    assert "overwrite" in one_message(done)
    assert result.read_bytes() == before


@pytest.mark.parametrize("content", [None, b"", b"time,x\n0,1\n"])
def test_what_is_no_result_is_an_error(oloid, content):
    path = oloid.folder / "x.h5"
    if content is not None:
        path.write_bytes(content)
    done = oloid("export", path, "--csv", "x.csv")
    assert done.returncode == 4 and done.stdout == ""
    assert "x.h5" in one_message(done)
    assert not any(name.startswith("x.csv") for name in os.listdir(oloid.folder))


@pytest.mark.parametrize("output", ["missing/x.csv", "/dev/full"])
def test_unwritable_output(oloid, result, output):
    done = oloid("export", result, "--csv", output)
    assert done.returncode == 4
    assert output in one_message(done)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_full_standard_output(oloid, result):
    with open("/dev/full", "w") as full:
        done = oloid("export", result, "--csv", "-", stdout=full)
    assert done.returncode == 4
    one_message(done)
