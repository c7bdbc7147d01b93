"""Nothing is lost: a run that is killed, interrupted or runs out of disk continues to the same
bits."""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import h5py
import numpy
import pytest
from conftest import environment, executable, one_message
from checksum_trailer import add_trailer, changed

KILLS = 50
TREATMENTS = ["reduced", "multipliers", "projected", "minimal", "penalty", "augmented"]

# attributes that may differ in two runs with the same bits
OTHER = {"created", "wall_seconds", "cpu_seconds", "command"}


@pytest.fixture
def folder():
    """An empty folder, in memory if possible, because these tests wait for the disk very often."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        yield pathlib.Path(name)


@pytest.fixture
def start(folder):
    """Starts `oloid run`; whatever still runs is ended after the test."""
    processes = []

    def begin(*arguments, env=None, **options):
        process = subprocess.Popen([executable(), "run", "--no-report", *map(str, arguments)],
                                   cwd=folder, text=True, env=environment(**(env or {})),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        processes.append(process)
        return process
    yield begin
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture
def run(start):
    def to_the_end(*arguments, timeout=300, **options):
        process = start(*arguments, **options)
        stdout, stderr = process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)
    return to_the_end


def contents(path):
    """Everything in a result as bytes, by name."""
    found = {}

    def note(name, thing):
        for key, value in thing.attrs.items():
            if key not in OTHER:
                found[f"{name}@{key}"] = repr(value if numpy.isscalar(value) else list(value))
        if isinstance(thing, h5py.Dataset):
            value = thing.asstr()[()] if thing.dtype.kind == "O" else thing[()]
            found[name] = value.tobytes() if thing.dtype.kind != "O" else repr(value)
    with h5py.File(path, "r") as result:
        note("/", result)
        result.visititems(note)
    return found


def differences(path, expected):
    got = contents(path)
    return [name for name in {**expected, **got} if expected.get(name) != got.get(name)]


def rows_of(path):
    """All datasets that grow with the run."""
    with h5py.File(path, "r") as result:
        rows = {}
        for group in ("frames", "ledger", "ledger_min", "ledger_max"):
            for name, dataset in result[group].items():
                rows[f"{group}/{name}"] = dataset[()]
        return rows


def check_is_the_begin_of(path, whole):
    """Opens with h5py, and every row that is there is that of the whole run. Gives the number of
    rows."""
    rows = rows_of(path)
    assert rows.keys() == whole.keys()
    count = min(len(values) for values in rows.values())
    assert count >= 1
    for name, values in rows.items():
        assert values[:count].tobytes() == whole[name][:count].tobytes(), name
    return count


def settings_for(run, seconds, model="heavy-top", constraints="reduced"):
    """Options of a run that takes about so many seconds here, in 500 rows."""
    options = [model, "--quiet", "--set", "run.frames=500", "--constraints", constraints,
               "--step", "1e-4"]
    steps, wall = 1000, 0.0
    while wall < 0.05:  # the first steps are slower than the others
        steps *= 4
        done = run(*options, "--end", str(1e-4 * steps), "--no-result", "--json")
        assert done.returncode in (0, 3), done.stderr
        wall = json.loads(done.stdout)["wall_seconds"]
    return [*options, "--end", str(1e-4 * max(int(steps * seconds / wall), 1000) + 0.00003)]


def wait_for(path, seconds=60):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} does not appear"
        time.sleep(0.002)


# ---- kill -9 -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_killed_at_50_random_moments_a_run_continues_to_the_same_bits(run, start, folder):
    options = settings_for(run, 0.8)
    begin = time.monotonic()
    done = run(*options, "--output", "whole.h5")
    alone = time.monotonic() - begin
    assert done.returncode == 0, done.stderr
    whole, expected = rows_of(folder / "whole.h5"), contents(folder / "whole.h5")
    assert whole["frames/step"][1] > 1  # rows of many steps, so that most checkpoints fall between

    moment = random.Random(3)
    partial, kills, runs, resumes = folder / "x.h5.partial", 0, 0, 0
    arguments = [*options, "--output", "x.h5"]
    while kills < KILLS or partial.exists():
        process = start(*arguments, "--checkpoint", "0.003")
        if kills < KILLS:
            time.sleep(moment.uniform(0.0, 0.25 * alone))
            process.kill()
        process.communicate()
        if process.returncode == -signal.SIGKILL:
            kills += 1
        else:
            assert process.returncode == 0
        arguments = [*options, "--output", "x.h5"]
        if partial.exists():
            check_is_the_begin_of(partial, whole)
            arguments = ["--resume", "x.h5.partial", "--quiet"]
            resumes += 1
        elif process.returncode == 0:
            assert differences(folder / "x.h5", expected) == []
            (folder / "x.h5").unlink()
            runs += 1
    assert kills == KILLS and runs >= 1 and resumes > KILLS // 2
    assert os.listdir(folder) == ["whole.h5"]


def test_what_is_there_after_a_kill_is_what_was_written_at_the_last_checkpoint(run, start, folder):
    # killed long before, also where the first run shared its processor
    options = settings_for(run, 2)
    assert run(*options, "--output", "whole.h5").returncode == 0
    whole = rows_of(folder / "whole.h5")
    stride = int(whole["frames/step"][1])
    process = start(*options, "--output", "x.h5", "--checkpoint", "0.01")
    wait_for(folder / "x.h5.partial")
    time.sleep(0.2)
    process.kill()
    process.communicate()
    rows = check_is_the_begin_of(folder / "x.h5.partial", whole)
    done = run("--resume", "x.h5.partial")
    assert done.returncode == 0, done.stderr
    # "oloid: heavy-top: continues after step 1234, t = 0.1234"
    step = int(done.stderr.split("continues after step ")[1].split(",")[0])
    assert 0 < step and rows >= 1 + step // stride


@pytest.mark.parametrize("constraints", TREATMENTS)
def test_every_treatment_continues_to_the_same_bits(run, start, folder, constraints):
    model = "spring-chain" if constraints == "augmented" else "double-spherical-pendulum"
    options = settings_for(run, 0.3, model, constraints)
    assert run(*options, "--output", "whole.h5").returncode in (0, 3)
    process = start(*options, "--output", "x.h5", "--checkpoint", "0.003")
    wait_for(folder / "x.h5.partial")
    time.sleep(0.1)
    process.kill()
    process.communicate()
    for _ in range(2):
        if (folder / "x.h5.partial").exists():
            process = start("--resume", "x.h5", "--quiet", "--checkpoint", "0.003")
            time.sleep(0.05)
            process.kill()
            process.communicate()
    if (folder / "x.h5.partial").exists():
        assert run("--resume", "x.h5", "--quiet").returncode in (0, 3)
    assert differences(folder / "x.h5", contents(folder / "whole.h5")) == []


def test_a_run_killed_during_contact_continues_to_the_same_bits(run, start, folder):
    # four corners slide, then stick; the sums of losses and the last forces are in the state
    options = ["sliding-block", "--quiet", "--step", "5e-5"]
    assert run(*options, "--output", "whole.h5").returncode == 0
    process = start(*options, "--output", "x.h5", "--checkpoint", "0.003")
    wait_for(folder / "x.h5.partial")
    time.sleep(0.1)
    process.kill()
    process.communicate()
    assert (folder / "x.h5.partial").exists()  # killed in the middle
    assert run("--resume", "x.h5", "--quiet").returncode == 0
    assert differences(folder / "x.h5", contents(folder / "whole.h5")) == []
    with h5py.File(folder / "x.h5", "r") as result:
        status = result["frames/contact_status"][1:]
        assert (status > 0).all() and {2, 3} <= set(status.ravel())


# ---- Ctrl-C --------------------------------------------------------------------------------------


def interrupt(start, folder, *options, output="x.h5"):
    process = start(*options, "--output", output)
    wait_for(folder / f"{output}.partial")
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


@pytest.fixture
def interrupted(start, folder):
    """An endless run that was interrupted: x.h5.partial."""
    interrupt(start, folder, "heavy-top", "--step", "1e-3", "--end", "1e6", "--quiet")
    return folder / "x.h5.partial"


def test_an_interrupted_run_continues_to_the_same_bits(run, start, folder):
    options = settings_for(run, 0.8)
    assert run(*options, "--output", "whole.h5").returncode == 0
    interrupt(start, folder, *options)
    with h5py.File(folder / "x.h5.partial", "r") as partial:
        steps = partial["run"].attrs["steps"]
        assert partial["frames/step"][-1] == steps  # the last state is there
    done = run(*options, "--resume", "--output", "x.h5", "--json")  # the same command and --resume
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["result"] == "x.h5" and report["partial"] is None
    assert report["steps"] > steps
    assert differences(folder / "x.h5", contents(folder / "whole.h5")) == []
    assert sorted(os.listdir(folder)) == ["whole.h5", "x.h5"]


def test_a_run_with_a_tolerance_continues_to_the_same_bits(run, start, folder):
    options = ["heavy-top", "--order", "4", "--tolerance", "1e-8", "--end", "15", "--quiet"]
    assert run(*options, "--output", "whole.h5").returncode == 0
    interrupt(start, folder, *options)
    done = run(*options, "--resume", "--output", "x.h5")
    assert done.returncode == 0, done.stderr
    assert differences(folder / "x.h5", contents(folder / "whole.h5")) == []
    with h5py.File(folder / "x.h5", "r") as result:
        assert result["run"].attrs["largest_step"] > result["run"].attrs["smallest_step"] > 0
        assert result["run"].attrs["rejections"] >= 0
        assert len(result["frames/time"]) <= 10001


def test_an_interrupted_run_can_be_exported(interrupted, folder):
    done = subprocess.run([executable(), "export", "x.h5.partial", "--csv", "-"], cwd=folder,
                          text=True, capture_output=True)
    assert done.returncode == 0
    assert "'x.h5.partial' is not complete: status INTERRUPTED" in one_message(done)
    rows = len(done.stdout.splitlines()) - 1
    with h5py.File(interrupted, "r") as result:
        assert rows == len(result["frames/time"])


def test_a_killed_run_can_be_exported(start, folder):
    process = start("heavy-top", "--step", "1e-3", "--end", "1e6", "--quiet", "-o", "x.h5")
    wait_for(folder / "x.h5.partial")
    process.kill()
    process.communicate()
    done = subprocess.run([executable(), "export", "x.h5.partial", "--csv", "-"], cwd=folder,
                          text=True, capture_output=True)
    assert done.returncode == 0
    assert "is not complete: status running" in one_message(done)
    assert done.stdout.startswith("time,")


# ---- what is meant -------------------------------------------------------------------------------


def resume(run, *arguments):
    """Resumes an endless run, which a limit of processor time ends."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    return run(*arguments, "--resume", preexec_fn=limit)


@pytest.mark.parametrize("arguments, expected", [
    (["heavy-top", "-o", "x.h5", "--step", "2e-3"],
     "with step=0.001; it cannot continue with step=0.002"),
    (["x.h5", "--end", "2"], "is a run with end=1000000; it cannot continue with end=2"),
    (["x.h5.partial", "--constraints", "penalty"], "cannot continue with constraints=penalty"),
    (["x.h5", "--set", "run.frames=10"], "it cannot continue with frames=10"),
    (["heavy-top", "-o", "x.h5", "--set", "spin=7"], "it cannot continue with spin=7"),
    (["planar-pendulum", "-o", "x.h5"], "is the run of another model than 'planar-pendulum'"),
    (["x.h5", "-o", "y.h5"], "--output"),
    (["x.h5", "--no-result"], "--resume and --no-result exclude each other"),
    (["x.h5", "--checkpoint", "soon"], "--checkpoint needs seconds"),
    (["x.h5", "--checkpoint", "-1"], "--checkpoint needs seconds"),
])
def test_a_run_does_not_continue_as_another_one(run, interrupted, arguments, expected):
    before = interrupted.read_bytes()
    done = resume(run, *arguments)
    assert done.returncode == 2, done.stderr
    assert expected in done.stderr
    assert interrupted.read_bytes() == before


def test_a_model_that_was_edited_meanwhile_is_another_model(run, start, folder):
    model = folder / "top.yaml"
    text = subprocess.run([executable(), "models", "heavy-top"], text=True, capture_output=True,
                          env=environment()).stdout
    model.write_text(text)
    interrupt(start, folder, "top.yaml", "--end", "1e6", "--quiet")
    model.write_text(text + "# later\n")
    done = run("top.yaml", "--resume", "--output", "x.h5")
    assert done.returncode == 2
    assert "older version" in done.stderr and "oloid run --resume x.h5.partial" in done.stderr
    model.unlink()  # the run knows its model
    process = start("--resume", "x.h5.partial")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130 and "continues after step" in stderr


def test_nothing_to_resume(run, folder):
    done = run("heavy-top", "--resume")
    assert done.returncode == 4
    assert "there is no run to resume: no file 'heavy-top.h5.partial'" in one_message(done)
    assert run("heavy-top", "--end", "0.01", "-q").returncode == 0
    for word in ("heavy-top", "heavy-top.h5"):
        done = run("--resume", word)
        assert done.returncode in (2, 4) and "complete" in one_message(done)
    done = run("--resume", "other.h5.partial")
    assert done.returncode == 4
    assert one_message(done) == "oloid: cannot open 'other.h5.partial': No such file or directory"


def test_a_run_that_replaces_an_unfinished_one_says_so(run, interrupted):
    done = run("heavy-top", "--end", "0.01", "-o", "x.h5")
    assert done.returncode == 0
    assert "'x.h5.partial' of an earlier run is replaced" in one_message(done)
    assert not interrupted.exists()


# ---- files that are something else ---------------------------------------------------------------


def check_refused(run, path, expected, codes=(2, 4)):
    before = path.read_bytes() if path.is_file() else None
    done = run("--resume", path.name)
    assert done.returncode in codes, done.stderr
    assert expected in one_message(done)
    assert before is None or path.read_bytes() == before
    assert not path.with_suffix("").exists()


def test_what_is_no_journal_is_refused(run, folder):
    path = folder / "x.h5.partial"
    path.write_text("name: heavy-top\n")
    check_refused(run, path, "'x.h5.partial'")
    path.write_bytes(b"")
    check_refused(run, path, "'x.h5.partial'")
    with h5py.File(path, "w") as other:
        other["data"] = 1.0
    check_refused(run, path, "'x.h5.partial': it has no checksum at its end")
    add_trailer(path)
    check_refused(run, path, "'x.h5.partial' is not a result of oloid")
    path.unlink()
    path.mkdir()
    check_refused(run, path, "Is a directory", codes=(4,))


def test_a_complete_result_under_the_name_of_a_journal_is_refused(run, folder):
    assert run("heavy-top", "--end", "0.01", "-q", "-o", "x.h5").returncode == 0
    (folder / "x.h5").rename(folder / "x.h5.partial")
    check_refused(run, folder / "x.h5.partial", "is a complete result: there is nothing to resume")


def test_damaged_checkpoints_are_refused(run, interrupted):
    with changed(interrupted) as journal:
        for name in ("first", "second"):
            bytes_ = journal["checkpoint"][name][()]
            bytes_[100] ^= 1
            journal["checkpoint"][name][...] = bytes_
    check_refused(run, interrupted, "is damaged: it has no complete checkpoint", codes=(4,))


def test_a_truncated_journal_is_refused(run, interrupted):
    whole = interrupted.read_bytes()
    for part in (0.1, 0.5, 0.9, 0.999):
        interrupted.write_bytes(whole[:int(part * len(whole))])
        check_refused(run, interrupted, "x.h5.partial", codes=(4,))


@pytest.mark.slow  # and HDF5 leaks memory after a damaged file, which the sanitizers report
def test_damage_anywhere_is_no_crash(run, start, folder):
    interrupt(start, folder, "heavy-top", "--step", "1e-3", "--end", "100", "--quiet",
              "--set", "run.frames=100")
    whole = (folder / "x.h5.partial").read_bytes()
    chance = random.Random(5)
    for _ in range(15):
        broken = bytearray(whole)
        for _ in range(20):
            broken[chance.randrange(min(len(broken), 200000))] ^= 1 << chance.randrange(8)
        (folder / "y.h5.partial").write_bytes(broken)
        done = run("--resume", "y.h5.partial", "--quiet")
        assert done.returncode in (0, 2, 4), done.stderr
        assert (done.returncode == 0) == (folder / "y.h5").exists()
        (folder / "y.h5").unlink(missing_ok=True)


# ---- disks ---------------------------------------------------------------------------------------


def test_a_disk_that_is_full_leaves_the_old_result(run, folder, tmp_path):
    # a build that counts statements writes its counts elsewhere, because of the limit
    elsewhere = {"GCOV_PREFIX": str(tmp_path), "GCOV_ERROR_FILE": os.devnull}
    old = folder / "x.h5"
    old.write_text("old")

    def limit(size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for size in (0, 1000, 100_000, 1_000_000):
        done = run("heavy-top", "--step", "1e-3", "--end", "10", "-q", "-o", "x.h5",
                   preexec_fn=limit(size), env=elsewhere)
        assert done.returncode == 4, done.stderr
        assert "File too large" in one_message(done)
        assert old.read_text() == "old"
        assert sorted(os.listdir(folder)) == ["x.h5"]


def mount_small(folder):
    """Mounts a file system of 2 MB if the system permits it."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)],
                          capture_output=True)
    return done.returncode == 0


def test_a_disk_that_fills_up_during_a_run_stops_it_and_it_continues_later(run, start, folder):
    small = folder / "small"
    if not shutil.which("mount") or not mount_small(small):
        pytest.skip("no file system can be mounted here")
    try:
        options = ["heavy-top", "--step", "1e-3", "--end", "10", "-q"]
        assert run(*options, "-o", "whole.h5").returncode == 0  # some 8 MB
        done = run(*options, "-o", "small/x.h5", "--checkpoint", "0")
        assert done.returncode == 4
        assert "No space left on device" in one_message(done)
        assert "  to continue: oloid run --resume small/x.h5.partial" in done.stdout
        check_is_the_begin_of(small / "x.h5.partial", rows_of(folder / "whole.h5"))
        subprocess.run(["cp", "--sparse=always", small / "x.h5.partial", folder], check=True)
    finally:
        subprocess.run(["umount", str(small)], check=True)
    done = run("--resume", "x.h5.partial", "-q")
    assert done.returncode == 0, done.stderr
    assert differences(folder / "x.h5", contents(folder / "whole.h5")) == []


def test_a_file_that_vanishes_during_a_run_is_an_error(start, folder):
    process = start("heavy-top", "--step", "1e-3", "--end", "1e6", "-q", "-o", "x.h5",
                    "--checkpoint", "0.01")
    wait_for(folder / "x.h5.partial")
    (folder / "x.h5.partial").unlink()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 4
    assert stderr == "oloid: 'x.h5.partial' was removed or replaced while it was being written\n"
    assert os.listdir(folder) == []


def test_a_folder_that_vanishes_during_a_run_is_an_error(start, folder):
    (folder / "results").mkdir()
    process = start("heavy-top", "--step", "1e-3", "--end", "1e6", "-q", "-o", "results/x.h5")
    wait_for(folder / "results" / "x.h5.partial")
    shutil.rmtree(folder / "results")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "results/x.h5.partial" in stderr and len(stderr.splitlines()) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_an_error(run, folder):
    (folder / "results").mkdir(mode=0o500)
    done = run("heavy-top", "-q", "-o", "results/x.h5")
    assert done.returncode == 4
    assert "results/x.h5.partial" in one_message(done)


@pytest.mark.parametrize("output", ["results", "x.h5"])
def test_an_output_that_is_a_folder_is_an_error(run, folder, output):
    (folder / "results").mkdir()
    (folder / "x.h5.partial").mkdir()
    done = run("heavy-top", "-q", "-o", output)
    assert done.returncode == 2
    assert "it is a folder" in one_message(done)
    assert sorted(os.listdir(folder)) == ["results", "x.h5.partial"]


def test_a_run_that_continues_elsewhere_is_left_alone(run, start, folder):
    process = start("heavy-top", "--step", "1e-3", "--end", "1e6", "-q", "-o", "x.h5")
    wait_for(folder / "x.h5.partial")
    for arguments in (["--resume", "x.h5.partial"], ["heavy-top", "-q", "-o", "x.h5"]):
        done = run(*arguments)
        assert done.returncode == 4
        assert "another process is writing it" in one_message(done)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    check_is_the_begin_of(folder / "x.h5.partial", rows_of(folder / "x.h5.partial"))


# ---- runs that fail ------------------------------------------------------------------------------


def test_a_run_that_fails_leaves_its_journal_and_the_old_result(run, folder):
    old = folder / "x.h5"
    old.write_text("old")
    # from t = 0.5 on the load is infinite
    (folder / "jump.yaml").write_text("""
name: jump
gravity: [0, 0, -9.81]
points: {name: a, mass: 1, position: [0, 0, 1]}
loads: {on: a, force: [0, 0, 1], time: "if(t < 0.5, 0, 1/(t - t))"}
run: {step: 0.01, end: 1, halvings: 0}
""")
    done = run("jump.yaml", "-q", "-o", "x.h5")
    assert done.returncode == 3, done.stderr
    assert "  result so far: x.h5.partial" in done.stdout.splitlines()
    assert "t = 0.5" in done.stderr
    assert old.read_text() == "old"
    with h5py.File(folder / "x.h5.partial", "r") as result:
        assert result.attrs["status"] in (b"NOT_FINITE", b"NOT_CONVERGED", b"SINGULAR")
        assert b"t = 0.5" in result.attrs["error"]
        assert abs(result["frames/time"][-1] - 0.5) < 0.011


@pytest.mark.slow
def test_the_space_of_a_journal_is_bounded_however_wide_its_rows_are(run, folder):
    """It begins with at most 2 GiB for its rows; a thousand rows of this model take 3.3 GB."""
    process = subprocess.Popen([executable(), "run", "chain", "--set", "n=12000", "--set",
                                "run.frames=1000", "--step", "1e-3",
                                "--end", "1", "-q", "--no-report", "--checkpoint", "0", "-o",
                                "x.h5"], cwd=folder,
                               env=environment(), stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 100
        while not (folder / "x.h5.partial").exists() and time.monotonic() < end:
            time.sleep(0.02)
        assert (folder / "x.h5.partial").stat().st_size < 2.5e9
    finally:
        process.kill()
        process.wait()
