"""`oloid.run`: the same as the command to the last bit, and the contents of a result."""
import subprocess
import sys
import threading

import h5py
import numpy
import oloid
import pytest

# Times, and what depends on who called.
MEASURED = {"created", "command", "wall_seconds", "cpu_seconds"}


def contents(path):
    """All datasets and attributes of a result file."""
    found = {}

    def visit(name, thing):
        if isinstance(thing, h5py.Dataset):
            found[name] = thing[()]
        for key, value in thing.attrs.items():
            if key not in MEASURED:
                found[f"{name}@{key}"] = value
    with h5py.File(path, "r") as file:
        visit("", file)
        file.visititems(visit)
    return found


def same_bits(one, other):
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.dtype.kind == "f":
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return numpy.array_equal(one, other)


@pytest.mark.parametrize("model, settings", [
    ("heavy-top", {"spin": 60, "run.step": 1e-3, "run.end": 0.5}),
    ("six-body-linkage", {"run.step": 0.02, "run.end": 2}),
    ("double-spherical-pendulum", {"run.constraints": "multipliers", "run.forces": True,
                                   "run.end": 1}),
    ("spring-chain", {"run.step": "1/300", "run.end": 0.2, "run.frames": 20}),
    ("robot-6r", {"run.end": 0.2}),
])
def test_the_result_equals_that_of_the_command_to_the_last_bit(command, model, settings):
    words = [word for name, value in settings.items()
             for word in ("--set",
                          f"{name}={str(value).lower() if isinstance(value, bool) else value}")]
    done = command("run", model, "--quiet", "--output", "command.h5", *words)
    assert done.returncode in (0, 6), done.stderr  # 6: velocities of the linkage at this step
    result = oloid.run(model, set=settings, output=command.folder / "python.h5")
    theirs, ours = contents(command.folder / "command.h5"), contents(command.folder / "python.h5")
    assert theirs.keys() == ours.keys() and len(ours) > 50
    assert [name for name in ours if not same_bits(theirs[name], ours[name])] == []
    assert result.status == "OK" and result.ok == (done.returncode == 0)


def test_columns_are_those_of_the_file(tmp_path):
    result = oloid.run("heavy-top", end=0.1, output=tmp_path / "top.h5")
    with h5py.File(tmp_path / "top.h5", "r") as file:
        columns = [name.decode() for name in file["frames/position"].attrs["columns"]]
        assert same_bits(result["top.position.x"],
                         file["frames/position"][:, columns.index("top.position.x")])
        assert same_bits(result.time, file["frames/time"][()])
        assert same_bits(result["top.position"], file["frames/position"][:, :3])
        assert same_bits(result.ledger["energy.total"], file["ledger/total"][()])
        assert same_bits(result.ledger.max["constraint_error"],
                         file["ledger_max/constraint_error"][()])
        assert [v.relative_drift for v in result.verdict] == list(file["verdict/relative_drift"])
        assert result.steps == file["run"].attrs["steps"]
        d3, rates = file["frames/q"][:, 3:12].reshape(-1, 3,
                                                      3), file["frames/v"][:, 3:12].reshape(
                                                          -1, 3, 3)
    omega = 0.5 * numpy.cross(d3, rates).sum(axis=1)  # 1/2 sum d_i x d_i'
    assert numpy.allclose(result["top.angular_velocity"], omega, rtol=1e-13, atol=1e-12)
    assert result.names[0] == "time" and len(result.names) == len(set(result.names))
    assert "top.position" in result and "top.positon" not in result
    with pytest.raises(LookupError, match="no column 'top.positon'"):
        result.units("top.positon")
    with pytest.raises(ValueError):
        result.time[0] = 1.0


@pytest.mark.parametrize("column, units", [
    ("time", "s"), ("top.position.x", "m"), ("top.velocity", "m/s"), ("top.d1.x", "1"),
    ("top.angular_velocity.z", "rad/s"), ("energy.total.max", "J"),
    ("angular_momentum.x", "kg m^2/s"), ("top.q.3", "m"), ("top.q.4", "1"), ("top.v.1", "m/s"),
    ("top.v.12", "1/s"), ("iterations", "1")])
def test_units(column, units):
    assert oloid.run("heavy-top", end=0.01).units(column) == units


def test_units_of_joints_and_of_models_that_are_not_in_si():
    result = oloid.run("six-body-linkage", end=0.01)
    angle = next(name for name in result.names if name.endswith(".angle"))
    assert result.units(angle) == "rad" and result.units(f"{angle}.rate") == "rad/s"
    model = oloid.Model("ball", units="mm, t, s",
                        points=[{"name": "a", "mass": 1, "position": [0, 0, 0]}])
    assert oloid.run(model, end=0.1).units("a.velocity.x") == "length / time (mm, t, s)"


def test_a_temporary_result_lives_as_long_as_it_is_used(tmp_path):
    import os
    result = oloid.run("heavy-top", end=0.01)
    path, time = result.path, result.time
    result.save(tmp_path / "saved.h5")
    assert os.path.exists(path)
    del result
    assert not os.path.exists(path) and not os.path.exists(os.path.dirname(path))
    assert len(time) == len(oloid.open(tmp_path / "saved.h5").time)


def test_a_law_that_breaks_is_a_warning():
    # with so large a step and tolerance the energy is not conserved
    with pytest.warns(oloid.DriftWarning, match="drifted by"):
        result = oloid.run("double-spherical-pendulum", step=0.05, end=5,
                           set={"run.newton_tolerance": 0.5})
    assert not result.ok and not result.verdict.ok and result.status == "OK"
    assert "broken" in str(result.verdict)


def test_progress_and_callback_can_stop_a_run():
    seen = []
    result = oloid.run("heavy-top", step=1e-3, end=1, callback=lambda state, step: seen.append(step)
                       or step == 7)
    assert seen == list(range(8)) and result.steps == 7 and result.status == "INTERRUPTED"
    assert result.time[-1] == pytest.approx(0.007)
    fractions = []
    result = oloid.run("heavy-top", step=1e-3, end=1e6, progress=lambda done: fractions.append(done)
                       or len(fractions) > 2)
    assert len(fractions) == 3 and fractions == sorted(fractions) and 0 < fractions[0] < 1


def test_a_run_that_was_stopped_is_resumed_to_the_same_bits(tmp_path):
    whole = oloid.run("heavy-top", step=1e-3, end=0.3)
    partial = oloid.run("heavy-top", step=1e-3, end=0.3, output=tmp_path / "top.h5",
                        callback=lambda state, step: step == 100)
    assert partial.path.endswith("top.h5.partial") and partial.rows == 101
    del partial
    resumed = oloid.resume(tmp_path / "top.h5.partial")
    assert resumed.status == "OK" and resumed.path == str(tmp_path / "top.h5")
    for name in whole.names:
        assert same_bits(whole[name], resumed[name]), name


def test_two_threads_run_side_by_side_to_the_same_bits():
    alone = {model: oloid.run(model, end=0.5) for model in ("heavy-top", "six-body-linkage")}
    found = {}

    def work(model):
        found[model] = [oloid.run(model, end=0.5) for _ in range(5)]
    threads = [threading.Thread(target=work, args=(model,)) for model in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model, expected in alone.items():
        for result in found[model]:
            assert all(same_bits(expected[name], result[name]) for name in expected.names)


def test_other_threads_continue_while_a_run_computes():
    """The interpreter is free during a run: a thread counts meanwhile, at least once in ten steps
    of its waiting."""
    ticks, over = [], threading.Event()

    def count():
        while not over.wait(0.01):
            ticks.append(1)
    thread = threading.Thread(target=count)
    thread.start()
    try:
        oloid.run("heavy-top", step=1e-3, end=1e6, progress=lambda done: len(ticks) >= 20)
    finally:
        over.set()
        thread.join()
    assert len(ticks) >= 20


def test_exports_are_those_of_the_command(command):
    folder = command.folder
    result = oloid.run("heavy-top", end=0.05, output=folder / "top.h5")
    for ending in ("csv", "json"):
        result.export(folder / f"python.{ending}")
        assert command("export", "top.h5", f"--{ending}", f"command.{ending}").returncode == 0
        assert (folder / f"python.{ending}").read_bytes() == (folder
                                                              / f"command.{ending}").read_bytes()
    result.export(folder / "python.pvd", frames=3)
    assert command("export", "top.h5", "--vtk", "command.pvd", "--frames", 3).returncode == 0
    files = sorted(path.name for path in (folder / "command").iterdir())
    assert len(files) == 6 and files == sorted(path.name for path in (folder / "python").iterdir())
    assert all((folder / "python" / name).read_bytes() == (folder / "command" / name).read_bytes()
               for name in files)
    with pytest.raises(oloid.InputError, match="exported to .csv, .json or .pvd"):
        result.export(folder / "x.txt")
    with pytest.raises(OSError):
        result.export(folder / "nowhere" / "x.csv")


def test_reports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = oloid.run("heavy-top", end=0.05)
    assert result.report() == "heavy-top.report.html"
    page = (tmp_path / "heavy-top.report.html").read_text()
    assert page.startswith("<!doctype html>") and "heavy-top" in page
    assert result.report(tmp_path / "plain.html", plain=True) == str(tmp_path / "plain.html")
    plain = (tmp_path / "plain.html").read_text()
    assert "<svg" in plain and "<script" not in plain
    saved = oloid.run("heavy-top", end=0.05, output=tmp_path / "a.b" "top.h5")
    assert saved.report() == str(tmp_path / "a.btop.report.html")


def test_plots(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: plots are not tested")
    result = oloid.run("heavy-top", end=0.1)
    figure = result.plot()
    assert len(figure.axes) == 3
    line = figure.axes[0].get_lines()[0]
    assert numpy.array_equal(line.get_ydata(), result["energy.kinetic"])
    figure.savefig(tmp_path / "ledger.png")
    figure = result.plot("top.position", "top.d3.z", "top.d1.x")
    assert len(figure.axes) == 2  # metres and no units
    assert [len(axis.get_lines()) for axis in figure.axes] == [3, 2]
    assert (tmp_path / "ledger.png").stat().st_size > 1000


@pytest.mark.parametrize("setting, message",
                         [("/nowhere/liboloid.so", "there is no file '/nowhere/liboloid.so'"),
                                              (sys.executable, "is not a library of Oloid")])
def test_a_missing_library_is_reported(setting, message):
    import os
    done = subprocess.run([sys.executable, "-c", "import oloid"],
                          env={**os.environ, "OLOID_LIBRARY": setting}, text=True,
                          stderr=subprocess.PIPE)
    assert done.returncode == 1 and "ImportError" in done.stderr and message in done.stderr


def test_package_and_library_have_one_version():
    assert oloid.__version__ == oloid.library_version
