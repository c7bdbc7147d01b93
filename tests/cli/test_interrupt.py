"""Ctrl-C, and the display of progress."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import h5py
import pytest
from conftest import environment, executable

ENDLESS = ["run", "heavy-top", "--step", "1e-3", "--end", "1e6"]


@pytest.fixture
def start(tmp_path):
    """Starts an endless run in an empty folder; it is ended after the test in any case."""
    processes = []

    def begin(*arguments, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([executable(), *ENDLESS, *arguments], cwd=tmp_path, text=True,
                                   env=environment(**(env or {})), **options)
        processes.append(process)
        return process
    yield begin
    for process in processes:
        process.kill()
        process.wait()


def wait_for_file(path, seconds=20):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} does not appear"
        time.sleep(0.01)


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_its_journal_and_says_how_to_continue(start, tmp_path, which):
    process = start("--quiet", "--output", "my top.h5")
    wait_for_file(tmp_path / "my top.h5.partial")
    time.sleep(0.3)
    process.send_signal(which)
    process.send_signal(which)  # some parents deliver it twice
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert stderr == ""
    assert stdout.startswith("heavy-top: interrupted after ")
    assert stdout.splitlines()[-2:] == ["  result so far: my top.h5.partial",
                                        "  to continue: oloid run --resume 'my top.h5.partial'"]
    with h5py.File(tmp_path / "my top.h5.partial", "r") as result:
        assert result.attrs["status"] == b"INTERRUPTED"
        assert result["frames/step"][-1] == result["run"].attrs["steps"] > 0
        assert len(result["verdict/level"]) > 1
    assert os.listdir(tmp_path) == ["my top.h5.partial"]


def ignore_interrupts():
    """As a shell does for programs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def test_a_signal_that_is_ignored_from_the_start_stays_ignored(start, tmp_path):
    process = start("--quiet", "--output", "x.h5", preexec_fn=ignore_interrupts)
    wait_for_file(tmp_path / "x.h5.partial")
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=0.5)
    process.send_signal(signal.SIGTERM)  # which is not ignored
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted after" in stdout


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_writing_of_a_report(tmp_path, which):
    """The result is already complete."""
    words = ["run", "humanoid-tree", "-q", "--step", "5e-4", "--end", "5", "--set",
             "run.frames=10000", "-o", "x.h5"]
    codes = []
    while 130 not in codes and len(codes) < 10:  # a signal may come too early or too late
        for path in tmp_path.iterdir():
            path.unlink()
        process = subprocess.Popen([executable(), *words], cwd=tmp_path, text=True,
                                   env=environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        wait_for_file(tmp_path / "x.h5", seconds=60)
        time.sleep(0.05 / (1 + len(codes)))  # sooner on a busy machine
        process.send_signal(which)
        stdout, stderr = process.communicate(timeout=60)
        codes.append(process.returncode)
        with h5py.File(tmp_path / "x.h5", "r") as result:
            assert result.attrs["status"] == b"OK"
    assert codes[-1] == 130 and set(codes) <= {0, 130}
    assert stderr == "oloid: interrupted\n" and stdout == ""
    assert os.listdir(tmp_path) == ["x.h5"]


def wait_for_handler(process):
    """Until the process catches SIGINT: on a busy machine its start takes a while."""
    status = pathlib.Path(f"/proc/{process.pid}/status")
    while status.exists() and process.poll() is None:
        caught = re.search(r"^SigCgt:\s*(\w+)", status.read_text(), re.M)
        if not caught or int(caught[1], 16) >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.01)


# takes some seconds to read, some to compile, some to analyse
LARGE = ["chain", "--set", "n=49000"]


@pytest.mark.parametrize("seconds", [0.1, 0.4, 0.8, 1.2])
@pytest.mark.parametrize("arguments", [["check", *LARGE], ["run", *LARGE, "--output", "x.h5"],
                                       ["modes", *LARGE, "--start"], ["compare", *LARGE]],
                         ids=lambda words: words[0])
def test_interrupt_ends_a_model_that_is_being_read_or_compiled_at_once(tmp_path, arguments,
                                                                       seconds):
    # the children of a shell may ignore SIGINT
    process = subprocess.Popen([executable(), *arguments], cwd=tmp_path, text=True,
                               env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        wait_for_handler(process)
        time.sleep(seconds)
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    share = max(1.0, os.getloadavg()[0] / os.cpu_count())  # longer on a busy machine
    assert time.monotonic() - pressed < share
    assert process.returncode == 130
    assert stderr == "oloid: interrupted\n" and stdout == ""
    assert os.listdir(tmp_path) == []


def press_while_it_slides(tmp_path, *options):
    """`oloid equilibrium` of a chain whose descent takes many seconds; Ctrl-C after it has
    begun."""
    process = subprocess.Popen([executable(), "equilibrium", "chain", "--set", "n=3000", "-o",
                                "x.h5", *options],
                               cwd=tmp_path, text=True, env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        share = max(1.0, os.getloadavg()[0] / os.cpu_count())
        time.sleep(share)  # reading takes 0.2 s, sliding ten
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert time.monotonic() - pressed < share
    assert process.returncode == 130
    assert os.listdir(tmp_path) == []  # nothing was found
    return stdout, stderr


@pytest.mark.slow
def test_interrupt_ends_an_equilibrium_that_is_searched_at_once(tmp_path):
    stdout, stderr = press_while_it_slides(tmp_path)
    assert (stdout == "" and stderr
            == "oloid: interrupted during the descent: no equilibrium found yet\n")
    stdout, _ = press_while_it_slides(tmp_path, "--json")
    assert json.loads(stdout)["status"] == "INTERRUPTED"


def test_interrupted_json_is_whole(start, tmp_path):
    process = start("--quiet", "--json", "--output", "x.h5")
    wait_for_file(tmp_path / "x.h5.partial")
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    report = json.loads(stdout)
    assert report["status"] == "INTERRUPTED"
    assert report["result"] is None and report["partial"] == "x.h5.partial"
    assert 0 < report["steps"] and report["time"] < report["end"]


def read_until(descriptor, wanted, seconds=20):
    text, end = "", time.monotonic() + seconds
    while wanted not in text:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"no {wanted!r} in {text!r}"
        text += os.read(descriptor, 65536).decode()
    return text


def run_on_terminal(start, wanted, **env):
    """Starts with stderr and stdout on a terminal, interrupts once `wanted` was seen."""
    ours, theirs = pty.openpty()
    process = start("--no-result", stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    text = read_until(ours, wanted)
    process.send_signal(signal.SIGINT)
    text += read_until(ours, "constraints")
    try:
        while True:
            text += os.read(ours, 65536).decode()
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 130
    return text


def test_progress_on_a_terminal_is_one_line_redrawn(start):
    begin = time.monotonic()
    text = run_on_terminal(start, wanted="steps/s", TERM="xterm", NO_COLOR="")
    pictures = text.count("\r\033[Kheavy-top")
    assert 1 <= pictures <= 10 * (time.monotonic() - begin) + 2
    assert "%  t = " in text and "left" in text
    assert "\033[2m" in text and "\033[32mok\033[0m" in text  # reasons are muted


def test_no_color_is_respected(start):
    text = run_on_terminal(start, wanted="steps/s", TERM="xterm", NO_COLOR="1")
    assert "\033[2m" not in text and "\033[32m" not in text


@pytest.mark.slow
def test_progress_elsewhere_is_plain_lines(start):
    text = run_on_terminal(start, wanted="steps/s", TERM="dumb")
    assert "\033" not in text
    assert re.search(r"^oloid: heavy-top: \d+%, t = ", text, re.M)
