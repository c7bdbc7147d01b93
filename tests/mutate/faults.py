"""Planted faults: each one of faults_list.py is put into a copy of the sources, and the test that
is named with it must fail. A fault that no test catches shows a rule that nothing checks.

    tests/mutate/faults.py                 all faults
    tests/mutate/faults.py --only settle   those with `settle` in their name, file or test
    tests/mutate/faults.py --list          names, files and tests

The copy is build/faults/tree, with a build of its own that is reused; the sources themselves are
not touched. A fault is `caught` when its test fails (or does not end, which is shown); one
that does not compile, or whose old text is not in the file exactly once, is an error of the list.
Every test runs without faults before and after, and must pass both times. The last line counts; the
exit code is 1 if a fault survives or the list has an error.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from faults_list import FAULTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "faults" / "tree"
BUILD = TREE / "build" / "release"
SECONDS = 300  # of a test


def copy_sources():
    """Updates the copy. The times of equal files do not change, so that little is built."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    wanted = {name for name in names if name and (ROOT / name).is_file()}
    for name in sorted(wanted):
        source, target = ROOT / name, TREE / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(source, target, follow_symlinks=True)
    for path in TREE.rglob("*"):
        inside = path.relative_to(TREE)
        if inside.parts[0] != "build" and path.is_file() and str(inside) not in wanted:
            path.unlink()


def say(command, log, seconds=None, cwd=TREE, **more):
    """Runs a command, its output to a log; None when it takes longer than `seconds`."""
    with open(log, "ab") as output:
        try:
            return subprocess.run(command, cwd=cwd, stdout=output, stderr=output,
                                  stdin=subprocess.DEVNULL, timeout=seconds, **more).returncode
        except subprocess.TimeoutExpired:
            return None


def is_python(test):
    return test.startswith("cli/")


def build(tests, log, jobs):
    """Builds what the tests need: true if it compiles."""
    targets = ["oloid_command" if is_python(test) else test.replace(".", "_") for test in tests]
    return say(["cmake", "--build", str(BUILD), "-j", str(jobs), "--target", *sorted(set(targets))],
               log) == 0


def run(test, log):
    """The exit code of a test; None: it does not end. Its folder is its own: one that fails leaves
    files."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OLOID_MODELS=str(TREE / "models"),
                       OLOID=str(BUILD / "oloid"), PYTHONDONTWRITEBYTECODE="1")
    if is_python(test):
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--color=no", "-p",
                   "no:cacheprovider", "-o", "markers=slow: takes long", str(TREE / "tests" / test)]
    else:
        command = [str(BUILD.joinpath("tests", *test.split(".")))]
    with tempfile.TemporaryDirectory() as folder:
        return say(command, log, SECONDS, folder, env=environment)


def plant(fault):
    """Writes the file with the fault; its text as it was, or None when the old text is not there
    once."""
    path = TREE / fault.file
    text = path.read_text() if path.is_file() else ""
    if text.count(fault.old) != 1:
        return None
    path.write_text(text.replace(fault.old, fault.new))
    return text


def try_fault(fault, log, jobs):
    """What became of a fault: `caught`, `caught (does not end)`, `SURVIVED`, or an error of the
    list."""
    text = plant(fault)
    if text is None:
        return "ERROR: the old text is not in the file exactly once"
    try:
        if not build([fault.test], log, jobs):
            return "ERROR: it does not compile"
        code = run(fault.test, log)
        return "caught (does not end)" if code is None else "SURVIVED" if code == 0 else "caught"
    finally:
        (TREE / fault.file).write_text(text)


def run_without_faults(faults, jobs, log):
    """Every test on the sources as they are: a list of what is wrong."""
    tests = sorted({fault.test for fault in faults})
    if say(["cmake", "--preset", "release", "-DOLOID_PAGE=OFF"],
           log) != 0 or not build(tests, log, jobs):
        return [f"the copy does not build, see {log}"]
    return [f"{test} fails without a fault, see {log}" for test in tests if run(test, log) != 0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    arguments.add_argument("--only", default="", help="part of a name, file or test")
    arguments.add_argument("--list", action="store_true", help="list the faults and end")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    options = arguments.parse_args()
    faults = [f for f in FAULTS if options.only in f.name or options.only in f.file
              or options.only in f.test]
    if options.list:
        for fault in faults:
            print(f"{fault.name:44} {fault.file:42} {fault.test}")
        return 0
    TREE.mkdir(parents=True, exist_ok=True)
    copy_sources()
    without = TREE.parent / "without.log"
    without.unlink(missing_ok=True)
    problems = run_without_faults(faults, options.jobs, without)
    if problems or not faults:
        print("\n".join(problems) or "no such fault")
        return 1
    bad = 0
    for fault in faults:
        log = TREE.parent / f"{fault.name}.log"
        log.unlink(missing_ok=True)
        began = time.monotonic()
        outcome = try_fault(fault, log, options.jobs)
        bad += not outcome.startswith("caught")
        print(f"{outcome:10} {fault.name:44} {fault.test}  ({time.monotonic() - began:.0f} s)",
              flush=True)
    problems = run_without_faults(faults, options.jobs, without)
    print("\n".join([*problems, f"{len(faults) - bad} of {len(faults)} faults caught"]))
    return 1 if bad or problems else 0


if __name__ == "__main__":
    sys.exit(main())
