"""Damaged result files: fresh results and journals are damaged at random, and every command that
reads one must refuse it or come to the same output as from the whole file. It must never crash,
loop, or answer something else.

    python3 tests/mutate/files.py [--count 2000] [--seed 1] [--first 0] [--keep FOLDER]

File number i of a seed is always damaged in the same way, as far as the fresh files are the same (a
journal breaks off where the process was killed). Files that fail are stored in FOLDER, and the
output names the damage. The command is that in the environment variable OLOID.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 10  # seconds that a command may take
REFUSALS = (2, 4)  # exit codes: bad input, file error

Subject = collections.namedtuple("Subject", "name data outputs resumed")


def command():
    return os.environ.get("OLOID", str(ROOT / "build" / "release" / "oloid"))


def environment():
    leaks = f"suppressions={ROOT}/tests/mutate/hdf5.supp:print_suppressions=0"
    return {"OLOID_MODELS": str(ROOT / "models"), "OPENBLAS_NUM_THREADS": "1",
            "LSAN_OPTIONS": leaks, **os.environ}


def oloid(folder, *words):
    """Exit code and messages; a command that takes too long is killed and has the code None."""
    share = max(1.0, os.getloadavg()[0] / os.cpu_count())  # longer on a busy machine
    try:
        done = subprocess.run([command(), *words], cwd=folder, env=environment(),
                              timeout=LIMIT * share, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stderr.decode(errors="replace")


# -- what the commands say of a file ---------------------------------------------------------------

EXPORTS = {"csv": ["export", None, "--csv", "out.csv"],
           "json": ["export", None, "--json", "out.json"],
           "vtk": ["export", None, "--vtk", "out.pvd", "--frames", "2"],
           "report": ["report", None, "-o", "out.html"]}


def take_output(folder):
    """Everything that a command has written, and clears it away."""
    found = {}
    for path in sorted(folder.glob("out*")):
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        found.update({str(file.relative_to(folder)): file.read_bytes() for file in files})
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return found


def outputs_of(folder, name):
    answers = {}
    for kind, words in EXPORTS.items():
        code, text = oloid(folder, *(name if word is None else word for word in words))
        answers[kind] = (code, text, take_output(folder))
    return answers


def resume(folder, name):
    """Continues a journal; the table of the result."""
    code, text = oloid(folder, "run", "--resume", name, "--quiet", "--no-report")
    result = folder / name.removesuffix(".partial")
    output = {}
    if result.exists():
        if oloid(folder, "export", result.name, "--csv", "out.csv")[0] == 0:
            output = take_output(folder)
        result.unlink()
    return code, text, output


# -- fresh files -----------------------------------------------------------------------------------

RESULTS = {"top.h5": ["heavy-top", "--end", "0.02"],
           "beam.h5": ["flying-beam", "--end", "0.5"],
           "robot.h5": ["robot-6r", "--end", "0.02"]}
# a run of a fraction of a second, with a checkpoint every few milliseconds
JOURNAL = ["heavy-top", "--step", "1e-4", "--end", "8", "--set", "run.frames=200", "--checkpoint",
           "0.005"]


def must(done):
    if done[0] != 0:
        raise RuntimeError(done[1])
    return done


def break_off(folder, name, how):
    """Starts a run and stops it somewhere in its middle; the bytes of its journal."""
    path = folder / f"{name}.partial"
    for _ in range(20):
        process = subprocess.Popen([command(), "run", *JOURNAL, "--quiet", "--no-report", "-o",
                                    name], cwd=folder,
                                   env=environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not path.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(0.05)
        process.send_signal(how)
        process.wait()
        if path.exists():
            return path.read_bytes()
    raise RuntimeError("no run could be broken off")


def make_subjects(folder):
    subjects = []
    for name, words in RESULTS.items():
        must(oloid(folder, "run", *words, "--quiet", "--no-report", "-o", name))
        subjects.append(Subject(name, (folder / name).read_bytes(), outputs_of(folder, name), None))
    must(oloid(folder, "run", *JOURNAL, "--quiet", "--no-report", "-o", "whole.h5"))
    must(oloid(folder, "export", "whole.h5", "--csv", "out.csv"))
    whole = take_output(folder)
    for name, how in (("killed.h5", signal.SIGKILL), ("interrupted.h5", signal.SIGINT)):
        data = break_off(folder, name, how)
        partial = f"{name}.partial"
        subject = Subject(partial, data, outputs_of(folder, partial), whole)
        if must(resume(folder, partial))[2] != whole:
            raise RuntimeError(f"{partial} does not continue to the same result")
        subjects.append(subject)
    for subject in subjects:
        for answer in subject.outputs.values():
            must(answer)
    return subjects


# -- damage ----------------------------------------------------------------------------------------

NUMBERS = [0, 1, 2, 7, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1,
           2**63, 2**64 - 1]


def somewhere(data, chance):
    """An offset; nine times out of ten one of a byte that is not zero, since much of a journal is
    empty."""
    for _ in range(200 if chance.random() < 0.9 else 1):
        at = chance.randrange(len(data))
        if data[at] != 0:
            break
    return at


def block(data, chance):
    """A piece of the file, often a whole sector or page."""
    size = chance.choice([1, 4, 8, 16, 64, 512, 1024, 4096, chance.randrange(1, 10000)])
    at = somewhere(data, chance)
    if chance.random() < 0.5 and size >= 512:
        at -= at % size
    return at, min(size, len(data) - at)


def flip_bits(data, chance):
    for _ in range(chance.choice([1, 1, 1, 2, 5, 50])):
        data[somewhere(data, chance)] ^= 1 << chance.randrange(8)


def put_garbage(data, chance):
    at, size = block(data, chance)
    data[at:at + size] = chance.randbytes(size)


def put_zeros(data, chance):
    at, size = block(data, chance)
    data[at:at + size] = bytes(size)


def put_ones(data, chance):
    at, size = block(data, chance)
    data[at:at + size] = b"\xff" * size


def put_number(data, chance):
    """A length, a count or an address that is not the right one."""
    size = chance.choice([1, 2, 4, 8])
    at = somewhere(data, chance)
    at = min(at - at % chance.choice([1, size]), len(data) - size)
    number = chance.choice(NUMBERS)
    if chance.random() < 0.3:
        number = int.from_bytes(data[at:at + size], "little") + chance.choice([-8, -1, 1, 8])
    data[at:at + size] = (number % 256**size).to_bytes(size, "little")


def cut_off(data, chance):
    del data[chance.choice([chance.randrange(len(data)), len(data) - chance.randrange(1, 100)]):]


def append(data, chance):
    data += chance.randbytes(chance.choice([1, 16, 32, 4096]))


def copy_block(data, chance):
    """A write that went to a wrong offset."""
    at, size = block(data, chance)
    to = min(somewhere(data, chance), len(data) - size)
    to -= to % size if chance.random() < 0.5 else 0
    data[to:to + size] = data[at:at + size]


def swap_blocks(data, chance):
    at, size = block(data, chance)
    to = min(somewhere(data, chance), len(data) - size)
    to -= to % size if chance.random() < 0.5 else 0
    if abs(to - at) >= size:
        data[at:at + size], data[to:to + size] = data[to:to + size], data[at:at + size]


def take_out(data, chance):
    at, size = block(data, chance)
    del data[at:at + size]


def insert(data, chance):
    at, size = block(data, chance)
    data[at:at] = data[at:at + size]


DAMAGES = [flip_bits, put_garbage, put_zeros, put_ones, put_number, cut_off, append, copy_block,
           swap_blocks, take_out, insert]


def damaged(subjects, seed, index):
    """A subject, what was done to it, and the bytes that came out, which differ from the whole
    ones."""
    chance = random.Random(f"{seed}:{index}")
    subject = chance.choice(subjects)
    while True:
        data, done = bytearray(subject.data), []
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            damage = chance.choice(DAMAGES)
            if len(data) > 0:
                damage(data, chance)
                done.append(damage.__name__)
        if data != subject.data:
            return subject, done, bytes(data)


# -- what must hold --------------------------------------------------------------------------------

def check_refused(what, answer, name):
    code, text, output = answer
    lines = [line for line in text.splitlines() if not line.startswith("libgcov")]
    if code not in REFUSALS:
        return f"{what}: exit code {code}: {text}"
    if len(lines) != 1 or not lines[0].startswith("oloid: ") or name not in lines[0]:
        return f"{what}: the message does not name the file: {text}"
    return f"{what}: left {sorted(output)}" if output else None


def table_of(answer):
    return answer[2].get("out.csv", b"")


def check(folder, subject, data):
    """What went wrong with a damaged file, or None; and whether it was refused."""
    name = subject.name
    path = folder / name
    path.write_bytes(data)
    answers = outputs_of(folder, name)
    table, whole = table_of(answers["csv"]), table_of(subject.outputs["csv"])
    refused = answers["csv"][0] != 0
    # a journal whose writer was killed may have lost its last rows, never changed them
    shorter = not refused and table != whole
    faults = []
    for kind, answer in answers.items():
        if refused:
            faults.append(check_refused(kind, answer, name))
        elif answer[0] != 0:
            faults.append(f"{kind}: exit code {answer[0]}, but the table could be had: {answer[1]}")
        elif not shorter and answer[2] != subject.outputs[kind][2]:
            faults.append(f"{kind}: another output than from the whole file")
    if shorter and not (name.startswith("killed") and whole.startswith(table) and table.count(b"\n")
                        >= 2):
        faults.append("csv: another table than from the whole file")
    if subject.resumed is not None:
        path.write_bytes(data)
        answer = resume(folder, name)
        if refused:
            faults.append(check_refused("resume", answer, name))
        elif answer[0] != 0 or answer[2] != subject.resumed:
            faults.append(f"resume: exit code {answer[0]}, or another result: {answer[1]}")
    path.unlink(missing_ok=True)
    rest = [entry for entry in os.listdir(folder)]
    if rest:
        faults.append(f"left behind: {rest}")
    faults = [fault for fault in faults if fault]
    return "\n".join(faults) or None, refused


def run(count, seed, first=0, keep=None, say=lambda text: None):
    """Damages `count` files; the faults found, and how many files were refused."""
    faults, refusals = [], 0
    with tempfile.TemporaryDirectory() as fresh, tempfile.TemporaryDirectory() as work:
        subjects = make_subjects(pathlib.Path(fresh))
        for index in range(first, first + count):
            subject, done, data = damaged(subjects, seed, index)
            fault, refused = check(pathlib.Path(work), subject, data)
            refusals += refused
            if fault:
                faults.append(
                    f"file {index} of seed {seed}, {subject.name}, {', '.join(done)}:\n{fault}")
                say(faults[-1])
                if keep is not None:
                    pathlib.Path(keep).mkdir(exist_ok=True)
                    (pathlib.Path(keep) / f"{seed}-{index}-{subject.name}").write_bytes(data)
                for entry in pathlib.Path(work).iterdir():
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    return faults, refusals


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="number of damaged files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--keep", help="folder for files that fail")
    given = parser.parse_args()
    began = time.monotonic()
    faults, refusals = run(given.count, given.seed, given.first, given.keep,
                           lambda text: print(text, flush=True))
    print(f"{given.count} damaged files in {time.monotonic() - began:.0f} s: {refusals} refused, "
          f"{given.count - refusals - len(faults)} read as if they were whole, "
          f"{len(faults)} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
