"""Damaged models: every model of the catalogue and of tests/malformed, changed at random one to
three times, is checked and run for a few steps.

    tests/mutate/models.py                    3,000 mutants of seed 1
    tests/mutate/models.py --seed 2 --count 500
    tests/mutate/models.py --only 17          one of them, with its text and what the command says

A mutant is a function of seed and number alone. It fails when one of the two commands

  - ends by a signal, or with an exit code other than 0 (fine), 1 (out of memory), 2 (not valid), 3
    (the computation failed) or 6 (the verdict warns);
  - takes more than 10 s of processor time, or a minute, and the model as it was does not;
  - fails without a message, or with more than one line beside warnings and the law that was broken
    before;
  - fails with exit code 2 and does not name the file, or the option that is to blame;
  - fails with exit code 1 although 2 GB are enough for what it is (the message has to say `out of
    memory`);
  - says `nan` or `inf` as the value of something: anywhere but between quotes.

What failed is written to mutants-failed/ in the current folder, model and command line.
"""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPU_SECONDS, WALL_SECONDS, BYTES = 10, 60, 2 << 30
FILE = "mutant.yaml"

NUMBER = re.compile(rb"(?<![\w.])-?\d+(\.\d*)?([eE][-+]?\d+)?(?![\w.])")
SIZES = ["0", "-1", "1", "2", "0.5", "1e30", "-1e30", "1e-30", "1e-300", "5e-324", "1e6", "-1e6",
         "1e-6", "1e-12", "1e12", "-0", "0.1 + 0.2", "pi", "1e3", "100", "7"]
WORDS = [".nan", "nan", ".inf", "inf", "1/0", "sqrt(-1)", "1e31", "1e300", "1e400", "1e", "0x10",
         "1_000", "''", "~", "true", "t", "[]", "[1, 2, 3]", "{a: 1}", "99999999999999999999", "(1",
         "1)", "1 2", "exp(1000)", "log(0)"]
VECTORS = ["[0, 0, 0]", "[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]", "[1, 1e-9, 0]", "[0, 1e-12, 1]",
           "[1e-200, 0, 0]", "[1e200, 0, 0]",
           "[-1, 0, 0]", "[1, 1, 1]", "[1, 0]", "[1, 0, 0, 0]", "[1e30, 1e30, 1e30]", "[a, b, c]",
           "[]", "1", "[[1, 0, 0]]"]
TYPES = ["revolute", "spherical", "cylindrical", "prismatic", "planar", "rigid", "universal",
         "screw", "distance", "rolling",
         "point-on-line", "point-on-plane", "point", "centre", "slide", "plane", "hinge", "fixed",
         "linear", "box", "cylinder", "sphere", "cone", "ellipsoid", "plate", "nonsense", "1", ""]
SECTIONS = ["points", "bodies", "beams", "masses", "rods", "springs", "dampers", "supports",
            "joints", "relations", "loads", "outputs", "exact", "run", "parameters", "gravity",
            "plane", "units", "name", "description"]
KEYS = ["mass: 1", "mass: 0", "inertia: [1, 1, 1]", "inertia: [1, 1, 3]", "position: [0, 0, 0]",
        "axis: [0, 0, 1]",
        "axis: [0, 0, 0]", "type: revolute", "at: [0, 0, 0]", "between: [ground, ground]",
        "stiffness: 1e12", "stiffness: -1",
        "damping: 1", "rest_length: 0", "coordinate: angle", "motion: t", "motion: 1/t",
        "torque: 1e20", "force: [1, 0, 0]",
        "limits: [-1, 1]", "limits: [1, -1]", "repeat: {i: [1, 3]}", "repeat: {i: [1, 1e9]}",
        "repeat: {i: [3, 1]}", "name: ground",
        "name: x", "pitch: 0", "radius: 0", "relative: true", "velocity: [1e9, 0, 0]",
        "angular_velocity: [0, 0, 1e6]", "color: red"]
LINES = [b"plane: [0, 0, 1]", b"plane: [1, 0, 0]", b"gravity: [0, 0, 1e30]", b"gravity: [0, 0]",
         b"run: {step: 0}", b"units: 7",
         b"parameters: {n: 0}", b"  - {name: a}", b"- 1", b"---", b"...", b"%YAML 9", b"? x",
         b"!!binary x", b"&a *a", b"<<: *b", b"\t- x", b"joints: []", b"bodies: {}", b"x: y: z"]
BYTE_STRINGS = [b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", "\u202e".encode(), "\U0001f6b2".encode(),
                b"\xc0\xaf", b"\xed\xa0\x80",
                "ℝ".encode(), b"\r", b"\x1b[31m", "\u2028".encode(), "ａ".encode(),
                "e\u0301".encode(), b"'", b'"', b"{", b"}", b"[", b"]", b":", b"#", b"|", b">",
                b"%s%n", b"*"]
REPEATS = [b"[1, 0]", b"[1, 100000]", b"[1, 20000]", b"[1, 1e9]", b"[1, 1e18]", b"[-3, 3]",
           b"[1.5, 4]", b"[1]", b"[1, n, 2]", b"3", b"[i, i]", b"[0, 0]", b"[1, nan]",
           b"{j: [1, 2]}"]


# ---- changes of a text: each takes a generator and bytes, and gives bytes ------------------------

def replace(rng, text, matches, words):
    """One of the matches becomes one of the words."""
    found = list(matches)
    if not found:
        return text
    match = rng.choice(found)
    word = rng.choice(words)
    return text[:match.start()] + (word if isinstance(word, bytes)
                                   else word.encode()) + text[match.end():]


def find_numbers(text):
    """Those of the model, not of its name and description."""
    begin = re.search(rb"(?m)^(units|parameters|gravity|plane|points|bodies|beams|run):", text)
    return list(NUMBER.finditer(text, begin.start() if begin else 0))


def number(rng, text):
    return replace(rng, text, find_numbers(text), SIZES if rng.random() < 0.75 else WORDS)


def nearly(rng, text):
    """A number that is off by little, or has another sign or size."""
    found = find_numbers(text)
    if not found:
        return text
    match = rng.choice(found)
    value = float(match.group())
    value = rng.choice([value*(1 + 1e-12), value + 1e-9, value + 1e-6, -value, 2*value, value*1e3,
                        value*1e-3, value + 0.1])
    return text[:match.start()] + repr(value).encode() + text[match.end():]


def vector(rng, text):
    return replace(rng, text, re.finditer(rb"\[[^\[\]{}\n]*,[^\[\]{}\n]*,[^\[\]{}\n]*\]", text),
                   VECTORS)


def kind(rng, text):
    return replace(rng, text, re.finditer(rb"(?<=type: )[\w-]+", text), TYPES)


def names(rng, text):
    """One name becomes another, once or everywhere."""
    known = sorted(set(re.findall(rb"name: *([\w{}. -]*\w)", text)) | {b"ground"})
    first, second = rng.choice(known), rng.choice(known)
    if rng.random() < 0.3:
        return text.replace(first, second)
    return replace(rng, text, re.finditer(re.escape(first), text), [second, second + b"x", b""])


def lines(rng, text):
    """Lines are deleted, doubled, exchanged, indented; or one is added."""
    rows = text.split(b"\n")
    i, j = rng.randrange(len(rows)), rng.randrange(len(rows))
    what = rng.randrange(6)
    if what == 0:
        del rows[i]
    elif what == 1:
        rows.insert(j, rows[i])
    elif what == 2:
        rows[i], rows[j] = rows[j], rows[i]
    elif what == 3:
        rows[i] = b" " * rng.randrange(1, 5) + rows[i]
    elif what == 4:
        rows[i] = rows[i].lstrip()
    else:
        rows.insert(i, rng.choice(LINES))
    return b"\n".join(rows)


def section(rng, text):
    """A section gets the name of another, or the two are exchanged."""
    blocks = re.split(rb"(?m)^(?=[a-z_]+:)", text)
    i, j = rng.randrange(len(blocks)), rng.randrange(len(blocks))
    if rng.random() < 0.5:
        blocks[i] = re.sub(rb"^[a-z_]+:", rng.choice(SECTIONS).encode() + b":", blocks[i])
    elif rng.random() < 0.5:
        blocks[i], blocks[j] = blocks[j], blocks[i]
    else:
        del blocks[i]
    return b"".join(blocks)


def key(rng, text):
    """A key in braces is deleted, doubled, or added; or one gets the name of another."""
    pairs = list(re.finditer(rb"[\w]+: [^,{}\[\]\n]+(, )?", text))
    what = rng.randrange(4)
    if what == 0 and b"{" in text:
        return replace(rng, text, re.finditer(rb"\{", text), ["{" + rng.choice(KEYS) + ", "])
    if not pairs:
        return text
    match = rng.choice(pairs)
    if what == 1:
        return text[:match.start()] + text[match.end():]
    if what == 2:
        return text[:match.start()] + match.group() + text[match.start():]
    keys = [pair.group().split(b":")[0] for pair in pairs]
    return (text[:match.start()] + rng.choice(keys) + match.group()[match.group().index(b":"):]
            + text[match.end():])


def expression(rng, text):
    """Something is put into, or taken out of, what looks like an expression."""
    found = list(re.finditer(rb"[-+*/^()]", text))
    at = rng.choice(found).start() if found else rng.randrange(len(text) + 1)
    if rng.random() < 0.4:
        return text[:at] + text[at + 1:]
    return text[:at] + rng.choice([b"(", b")", b"+", b"-", b"*", b"/", b"^", b",", b"sin(", b"t",
                                   b"n", b"q", b"1e999", b"mod(1, 0)", b"(" * 50, b"-" * 100,
                                   b"step(t)", b"^^", b"if"]) + text[at:]


def characters(rng, text):
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(BYTE_STRINGS) + text[at + rng.randrange(3):]


def cut(rng, text):
    return text[:rng.randrange(len(text) + 1)]


def repeats(rng, text):
    if b"repeat:" not in text:
        return replace(rng, text, re.finditer(rb"(?<=name: )[\w]+", text),
                       [b"x{i}, repeat: {i: [1, 3]}", b"x{i}", b"x{"])
    return replace(rng, text, re.finditer(rb"(?<=: )\[[^\[\]]*\](?=\})", text), REPEATS)


# most mutants should still be models
CHANGES = 3*[number] + 8*[nearly] + 3*[vector, kind] + 2*[names, key] + [lines, section, expression,
                                                                         characters, cut, repeats]
OPTIONS = {"--scheme": ["energy-momentum", "energy-momentum-2006", "variational"],
           "--constraints": ["reduced", "minimal", "multipliers", "projected", "penalty",
                             "augmented"],
           "--order": ["2", "4", "6"], "--tolerance": ["1e-3", "1e-8"],
           "--set": ["run.null_space=implicit", "run.penalty=1e3", "run.iterations=1",
                     "run.newton_tolerance=1e-30",
                     "run.start=equilibrium", "run.frames=1", "run.halvings=0", "run.grid=0.001",
                     "run.forces=true", "n=3"]}
STEPS = ["1e-3", "1e-3", "0.01", "1e-6", "0.1", "10", "1e-12"]
WRONG = [["--scheme", "euler"], ["--constraints", "none"], ["--order", "3"], ["--tolerance", "-1"],
         ["--tolerance", "nan"],
         ["--set", "run.penalty=0"], ["--set", "run.end=0"], ["--set", "n=0"], ["--step", "0"],
         ["--step", "-1"], ["--end", "1e-320"]]


# ---- mutants -------------------------------------------------------------------------------------

def sources():
    return sorted((ROOT / "models").glob("*.yaml")) + sorted((ROOT / "tests"
                                                              / "malformed").glob("*.yaml"))


def mutant(seed, index):
    """Name of the source, text, and options of the run."""
    rng = random.Random(f"{seed} {index}")
    models = sources()
    catalogue = [model for model in models if model.parent.name == "models"]
    source = rng.choice(catalogue if rng.random() < 0.8 else models)
    text = source.read_bytes()
    changes = [rng.choice(CHANGES) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    for change in changes:
        text = change(rng, text)
    step = rng.choice(STEPS)
    options = ["--step", step, "--end", f"4*{step}"]
    for name, values in OPTIONS.items():
        if rng.random() < 0.3:
            options += [name, rng.choice(values)]
    if "--tolerance" in options:
        # very many small steps are no defect
        options += ["--set", "run.smallest_step=1e-4", "--end", "1e-3"]
    if rng.random() < 0.05:
        options += rng.choice(WRONG)
    return f"{source.stem}, {' '.join(change.__name__ for change in changes)}", text, options


def limit(instrumented):
    """Limits of a process. Sanitizers map far more memory than there is, and take their time."""
    seconds = CPU_SECONDS * (5 if instrumented else 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not instrumented:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


@functools.cache
def is_instrumented(command):
    """A program with sanitizers does not start in little memory."""
    done = subprocess.run([command, "--version"], preexec_fn=lambda: limit(False),
                          capture_output=True)
    return done.returncode != 0


def no_number(text):
    """`nan` or `inf` outside of quotes."""
    plain = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "", text)
    return re.search(r"(?i)(?<![\w.-])-?(nan|inf|infinity)(?![\w.-])", plain)


def judge(done):
    """What is wrong with how a command ended, or None."""
    if took_too_long(done):
        return f"more than {CPU_SECONDS} s"
    messages = [line for line in done.stderr.split("\n") if line
                and not line.startswith("oloid: warning:")]
    if len(messages) == 2 and re.search(r" drifted by |: warn: ", messages[0]):
        messages = messages[1:]
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}"
    if done.returncode not in (0, 1, 2, 3, 6):
        return f"exit code {done.returncode}"
    if done.returncode == 6 and not messages and "\n  warning: " in done.stdout:
        return None  # a warning of the summary
    if done.returncode != 0 and (len(messages) != 1 or not re.fullmatch(r"oloid: .{10,}",
                                                                        messages[0])):
        return f"{len(messages)} messages"
    if done.returncode == 1 and "out of memory" not in messages[0]:
        return "exit code 1 without a reason"
    if done.returncode == 2 and not (FILE in messages[0]
                                     or re.search(r"--\w|run\.\w|setting '|\bscheme\b",
                                                  messages[0])):
        return "names neither the file nor an option"
    if done.returncode == 0 and messages:
        return "a message of what went well"
    if no_number(done.stdout + "\n" + "\n".join(messages)):
        return "reports NaN or infinity"
    return None


def execute(command, folder, arguments):
    """The command under its limits; None when a minute is over."""
    instrumented = is_instrumented(command)
    try:
        return subprocess.run([command, *arguments], cwd=folder,
                              preexec_fn=lambda: limit(instrumented), stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", errors="replace",
                              timeout=WALL_SECONDS, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    except subprocess.TimeoutExpired:
        return None


def took_too_long(done):
    return done is None or done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)


def outcomes(command, seed, index):
    """How check and run of a mutant ended: (command line, what ended or None after a minute, what
    is wrong or None)."""
    what, text, options = mutant(seed, index)
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        pathlib.Path(folder, FILE).write_bytes(text)
        for arguments in (["check", FILE], ["run", FILE, "--no-report", "--no-result", "--quiet",
                                            *options]):
            done = execute(command, folder, arguments)
            left = sorted(set(os.listdir(folder)) - {FILE})
            wrong = f"leaves {left[0]}" if left else judge(done)
            if took_too_long(done):
                # some options take long with the model as it was: then the change is not to blame
                source = next(str(path) for path in sources() if path.stem == what.split(",")[0])
                same = execute(command, folder, [arguments[0], source, *arguments[2:]])
                wrong = None if took_too_long(same) else wrong
            yield arguments, done, wrong


def defects(command, seed, index):
    """What is wrong with a mutant, one line for each command, and how its commands ended."""
    found, codes = [], []
    for arguments, done, wrong in outcomes(command, seed, index):
        codes.append(done.returncode if done else None)
        if wrong is not None:
            said = (done.stderr or done.stdout).strip()[-300:] if done else ""
            found.append(f"{' '.join(arguments)}: {wrong}: {said}")
    return found, codes


# ---- as a program --------------------------------------------------------------------------------

def show(command, seed, index):
    what, text, _ = mutant(seed, index)
    print(f"# {what}")
    sys.stdout.flush()
    sys.stdout.buffer.write(text + b"\n")
    for arguments, done, wrong in outcomes(command, seed, index):
        print(f"$ oloid {' '.join(arguments)}\n{done and done.stdout + done.stderr}"
              f"exit code {done and done.returncode}; {wrong or 'fine'}")


def store(seed, index, found):
    folder = pathlib.Path("mutants-failed")
    folder.mkdir(exist_ok=True)
    (folder / f"{seed}-{index}.yaml").write_bytes(mutant(seed, index)[1])
    (folder / f"{seed}-{index}.txt").write_text("\n".join(found) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--command", default=os.environ.get("OLOID",
                                                            str(ROOT / "build" / "release"
                                                                / "oloid")))
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int)
    given = parser.parse_args()
    if given.only is not None:
        show(given.command, given.seed, given.only)
        return 0
    tally, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        indices = range(given.first, given.first + given.count)
        for index, (found, codes) in zip(indices,
                                         pool.map(lambda i: defects(given.command, given.seed, i),
                                                  indices)):
            for name, code in zip(("check", "run"), codes):
                tally[name, code] = tally.get((name, code), 0) + 1
            if found:
                failed += 1
                store(given.seed, index, found)
                print(f"mutant {index} ({mutant(given.seed, index)[0]}):", *found, sep="\n    ",
                      flush=True)
    ends = ", ".join(f"{name} {code}: {count}"
                     for (name, code), count in sorted(tally.items(), key=str))
    print(f"{given.count} mutants of seed {given.seed}, {failed} failed; exit codes: {ends}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
