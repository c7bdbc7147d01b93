"""Where files go: what may be replaced, symbolic links, and what a killed process leaves."""
import os
import random
import re
import signal
import socket
import stat
import subprocess
import time

import h5py
import pytest
from conftest import ROOT, environment, executable, one_message

# commands that replace a file, whose name comes last
WRITERS = {
    "run": ["run", "heavy-top", "--end", "0.01", "--quiet", "--no-report", "-o"],
    "equilibrium": ["equilibrium", "cantilever", "--quiet", "-o"],
    "modes": ["modes", "cantilever", "--quiet", "-o"],
    "linearize": ["linearize", "cantilever", "--quiet", "-o"],
}


def arguments_of(oloid, writer):
    words = list(WRITERS[writer])
    help_text = oloid(words[0], "--help").stdout
    return [word for word in words if word != "--quiet" or "--quiet" in help_text]


def make_special(path, kind):
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        home = os.getcwd()
        os.chdir(path.parent)  # the names of sockets must be short
        try:
            socket.socket(socket.AF_UNIX).bind(path.name)
        finally:
            os.chdir(home)
    else:
        try:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("devices cannot be made here")


@pytest.mark.parametrize("ending", ["", ".partial"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "character device"])
@pytest.mark.parametrize("writer", WRITERS)
def test_only_regular_files_are_replaced(oloid, writer, kind, ending):
    if ending and writer == "linearize":
        pytest.skip("has no journal")
    path = oloid.folder / f"odd.h5{ending}"
    make_special(path, kind)
    before = path.lstat()
    done = oloid(*arguments_of(oloid, writer), "odd.h5", timeout=60)
    assert done.returncode == 2, done.stderr
    assert f"'odd.h5{ending}': it is a {kind}" in done.stderr
    assert path.lstat().st_mode == before.st_mode and path.lstat().st_ino == before.st_ino
    assert os.listdir(oloid.folder) == [path.name]


@pytest.mark.parametrize("kind", ["folder", "pipe", "character device"])
def test_frames_for_paraview_replace_only_regular_files(oloid, kind):
    assert oloid("run", "heavy-top", "--end", "0.01", "-q", "--no-report").returncode == 0
    (oloid.folder / "top").mkdir()
    odd = oloid.folder / "top" / "frames-000000.vtp"
    make_special(odd, kind)
    before = odd.lstat()
    done = oloid("export", "heavy-top.h5", "--vtk", "top.pvd", timeout=60)
    assert done.returncode == 2 and f"it is a {kind}" in one_message(done)
    assert odd.lstat().st_mode == before.st_mode and os.listdir(odd.parent) == [odd.name]


def test_a_table_may_go_into_a_pipe(oloid):
    """A pipe is written to and not replaced."""
    assert oloid("run", "heavy-top", "--end", "0.01", "-q", "--no-report").returncode == 0
    os.mkfifo(oloid.folder / "pipe")
    process = subprocess.Popen([executable(), "export", "heavy-top.h5", "--csv", "pipe"],
                               cwd=oloid.folder, env=environment())
    text = (oloid.folder / "pipe").read_text()
    assert process.wait(timeout=60) == 0
    assert text == oloid("export", "heavy-top.h5", "--csv", "-").stdout
    assert stat.S_ISFIFO((oloid.folder / "pipe").lstat().st_mode)


def is_result(path):
    with h5py.File(path) as file:
        return "status" in file.attrs or "A" in file


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_symbolic_link_stays_and_its_target_is_written(oloid, writer, there):
    (oloid.folder / "far").mkdir()
    target = oloid.folder / "far" / "target.h5"
    if there:
        target.write_text("old")
    (oloid.folder / "far" / "second.h5").symlink_to("target.h5")  # relative to the link
    (oloid.folder / "link.h5").symlink_to("far/second.h5")
    done = oloid(*arguments_of(oloid, writer), "link.h5")
    assert done.returncode in (0, 3), done.stderr
    assert (oloid.folder / "link.h5").is_symlink() and (oloid.folder / "far"
                                                        / "second.h5").is_symlink()
    assert not target.is_symlink() and is_result(target)
    assert not any(name.endswith(".partial") or ".oloid-" in name
                   for name in os.listdir(oloid.folder))


@pytest.mark.parametrize("words", [["export", "heavy-top.h5", "--csv"],
                                   ["export", "heavy-top.h5", "--json"],
                                   ["report", "heavy-top.h5", "-o"],
                                   ["report", "heavy-top.h5", "--svg", "energy", "-o"]])
def test_texts_are_written_through_symbolic_links_too(oloid, words):
    assert oloid("run", "heavy-top", "--end", "0.01", "-q", "--no-report").returncode == 0
    (oloid.folder / "target").write_text("old")
    (oloid.folder / "link").symlink_to("target")
    assert oloid(*words, "link").returncode == 0
    assert (oloid.folder / "link").is_symlink() and len((oloid.folder
                                                         / "target").read_text()) > 1000


def test_links_in_a_circle_are_refused(oloid):
    (oloid.folder / "a.h5").symlink_to("b.h5")
    (oloid.folder / "b.h5").symlink_to("a.h5")
    done = oloid("run", "heavy-top", "--end", "0.01", "-q", "-o", "a.h5")
    assert done.returncode == 4 and "'a.h5'" in one_message(done)


def test_a_run_killed_at_its_very_start_leaves_nothing_but_its_journal(oloid):
    options = ["run", "heavy-top", "--end", "0.05", "-q", "--no-report", "-o", "x.h5"]
    began = time.monotonic()
    assert oloid(*options).returncode == 0
    alone = time.monotonic() - began
    moment, kills = random.Random(11), 0
    for _ in range(50):
        process = subprocess.Popen([executable(), *options], cwd=oloid.folder, env=environment())
        time.sleep(moment.uniform(0.0, alone))
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        # a file has a hidden name for a moment while it replaces another one
        left = {name for name in os.listdir(oloid.folder)
                if not re.fullmatch(r"\.x\.h5(\.partial)?\.oloid-\d+-\d+", name)}
        assert left <= {"x.h5", "x.h5.partial"}
        for name in left:
            assert oloid("export", name, "--csv", "-").returncode == 0
            if moment.random() < 0.5:  # the next one finds files, or none
                (oloid.folder / name).unlink()
    assert kills >= 10
    assert oloid(*options).returncode == 0
    assert os.listdir(oloid.folder) == ["x.h5"]


def test_files_of_the_user_beside_a_result_stay(oloid):
    """An incomplete file does not get a name that a user may have chosen."""
    mine = ("x.h5.new", "x.h5.partial.new", ".x.h5.new", "x.report.html.new", "x.csv.new")
    for name in mine:
        (oloid.folder / name).write_text("mine")
    for _ in range(2):  # the second one replaces files
        assert oloid("run", "heavy-top", "--end", "0.01", "-q", "-o", "x.h5").returncode == 0
        assert oloid("export", "x.h5", "--csv", "x.csv").returncode == 0
    assert set(os.listdir(oloid.folder)) == {"x.h5", "x.report.html", "x.csv", *mine}
    assert all((oloid.folder / name).read_text() == "mine" for name in mine)


def test_what_killed_processes_have_left_is_removed(oloid):
    """A file that replaces another one has a name like .x.h5.oloid-1234-0 for a moment."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    words = ["run", "heavy-top", "--end", "0.01", "-q", "--no-report", "-o", "x.h5"]
    for old in (False, True):
        assert (oloid.folder / "x.h5").exists() == old
        (oloid.folder / f".x.h5.oloid-{ended.pid}-0").write_text("half a file")
        (oloid.folder / f".x.h5.partial.oloid-{ended.pid}-1").write_text("half a journal")
        (oloid.folder / f".x.h5.oloid-{os.getpid()}-0").write_text("of a process that lives")
        assert oloid(*words).returncode == 0
        assert set(os.listdir(oloid.folder)) == {"x.h5", f".x.h5.oloid-{os.getpid()}-0"}


def wait_until_handled(process, number):
    """Until the program has set its signal handlers, the system ends it at a signal."""
    end = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < end:
        with open(f"/proc/{process.pid}/status") as status:
            caught = [line.split()[1] for line in status if line.startswith("SigCgt:")]
        if caught and int(caught[0], 16) >> (number - 1) & 1:
            return


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [["export", "x.h5", "--csv", "x.out"],
                                   ["export", "x.h5", "--json", "x.out"],
                                   ["report", "x.h5", "-o", "x.out"]])
def test_a_signal_ends_a_command_and_leaves_no_half_file(oloid, words, number):
    assert oloid("run", "chain", "--set", "n=40", "--step", "1e-3", "--end", "1", "-q",
                 "--no-report", "-o", "x.h5").returncode == 0
    for delay in (0.0, 0.04):
        process = subprocess.Popen([executable(), *words], cwd=oloid.folder, env=environment(),
                                   text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        wait_until_handled(process, number)
        time.sleep(delay)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=5)
        code = process.returncode
        assert code in (0, 130)
        assert stderr == ("oloid: interrupted\n" if code else "")
        assert set(os.listdir(oloid.folder)) == {"x.h5"} | ({"x.out"} if code == 0 else set())
        (oloid.folder / "x.out").unlink(missing_ok=True)


# commands that read a model, and the words after which the file comes that they write
READERS = {"run": ["--end", "0.01", "-q", "-o"], "equilibrium": ["-o"], "modes": ["-o"],
           "linearize": ["-o"], "compare": ["--end", "0.01", "-q", "--report"],
           "converge": ["--time", "0.01", "-q", "--report"]}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("way", ["name", "path", "link", "catalogue"])
def test_no_command_writes_over_its_model(oloid, reader, way):
    model = oloid.folder / "my.yaml"
    text = (ROOT / "models" / "planar-pendulum.yaml").read_text()
    model.write_text(text)
    (oloid.folder / "link.h5").symlink_to("my.yaml")
    target = {"name": "my.yaml", "path": str(model), "link": "link.h5",
              "catalogue": str(model)}[way]
    word, env = ("my", {"OLOID_MODELS": str(oloid.folder)}) if way == "catalogue" else ("my.yaml",
                                                                                        {})
    done = oloid(reader, word, *READERS[reader], target, env=env)
    assert (done.returncode == 2 and f"{target}: the " in one_message(done)
            and "overwrite the model" in done.stderr)
    assert model.read_text() == text and set(os.listdir(oloid.folder)) == {"my.yaml", "link.h5"}


@pytest.mark.parametrize("reader", ["run", "equilibrium", "modes"])
@pytest.mark.parametrize("name", ["x.h5.partial", "x.report.html"])
def test_no_file_beside_a_result_replaces_the_model(oloid, reader, name):
    text = (ROOT / "models" / "planar-pendulum.yaml").read_text()
    (oloid.folder / name).write_text(text)
    done = oloid(reader, name, *READERS[reader], "x.h5")
    assert (done.returncode == 2 and f"{name}: the " in one_message(done)
            and "overwrite the model" in done.stderr)
    assert (oloid.folder / name).read_text() == text and os.listdir(oloid.folder) == [name]


def test_an_export_for_paraview_does_not_write_over_its_result(oloid):
    assert oloid("run", "heavy-top", "--end", "0.01", "-q", "--no-report", "-o",
                 "x.pvd").returncode == 0
    done = oloid("export", "x.pvd", "--vtk", "x.pvd")
    assert done.returncode == 2 and "overwrite the result" in one_message(done)
    assert is_result(oloid.folder / "x.pvd") and os.listdir(oloid.folder) == ["x.pvd"]


def as_nobody():
    """Permissions do not apply to the superuser."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


@pytest.mark.parametrize("name", ["x.h5", "x.h5.partial"])
def test_a_file_that_may_not_be_written_is_not_replaced(oloid, name):
    oloid.folder.chmod(0o777)
    (oloid.folder / name).write_text("protected")
    (oloid.folder / name).chmod(0o444)
    try:
        done = oloid("run", "heavy-top", "--end", "0.01", "-q", "--no-report", "-o", "x.h5",
                     preexec_fn=as_nobody)
    except PermissionError:
        pytest.skip("the program is where only the superuser can run it")
    assert done.returncode == 4, done.stderr
    assert f"cannot create '{name}': Permission denied" in one_message(done)
    assert (oloid.folder / name).read_text() == "protected" and os.listdir(oloid.folder) == [name]


def test_replaced_files_have_the_old_permissions(oloid):
    names = ("x.h5", "x.report.html", "x.csv")
    for name in names:
        (oloid.folder / name).write_text("old")
        (oloid.folder / name).chmod(0o600)
    assert oloid("run", "heavy-top", "--end", "0.01", "-q", "-o", "x.h5").returncode == 0
    assert oloid("export", "x.h5", "--csv", "x.csv").returncode == 0
    assert [stat.S_IMODE((oloid.folder / name).stat().st_mode) for name in names] == [0o600] * 3


def test_a_link_into_a_missing_folder_is_refused_before_the_run(oloid):
    (oloid.folder / "x.h5").symlink_to("missing/x.h5")
    done = oloid("run", "heavy-top", "--step", "1e-3", "--end", "1e6", "-q", "-o", "x.h5",
                 timeout=20)
    assert (done.returncode == 4
            and "cannot create 'x.h5': No such file or directory" in one_message(done))
    assert os.listdir(oloid.folder) == ["x.h5"]
