"""The models and commands of a tutorial: models are saved under their names, commands run, and what
the page shows of their output is there."""
import re
import shlex

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# the time that a run took
SPEED = re.compile(r"in \S+ s \(\S+ steps/s\)")


def same(word, other):
    """Equal, or numbers that differ by rounding, or are nothing but rounding: errors near zero and
    condition numbers of singular matrices."""
    try:
        a, b = float(word), float(other)
        rounding = max(abs(a), abs(b)) < 1e-10 or min(a, b) > 1e30
        return rounding or a == pytest.approx(b, rel=1e-5)
    except ValueError:
        return word == other


def is_there(line, printed):
    printed = [SPEED.sub("", other) for other in printed]
    words = re.split(r"[\s();,]+", SPEED.sub("", line).strip())
    return any(len(words) == len(others) and all(map(same, words, others))
               for others in (re.split(r"[\s();,]+", other.strip()) for other in printed))


def with_changes(folder, name, text):
    """Saves a model, and those that the words of the page make of it."""
    def save(name, text):
        (folder / f"{name}.yaml").write_text(text)
    save(name, text)
    if name == "hammer":
        save("wrong", text.replace("on: hammer, type", "on: hamer, type"))
    elif name == "crank-rocker":
        save("far", text.replace("position: [0.5, 0]", "position: [2, 0]").replace(
            "between: [[0.5, 0]", "between: [[2, 0]"))
        space = re.sub(r"^plane: .*\n", "", text, flags=re.MULTILINE)
        space = re.sub(r"\[([^][,]+, [^][,]+)\]", r"[\1, 0]", space)
        space = re.sub(r"between: \[([a-z.]+, [a-z.]+), 0\]", r"between: [\1]", space)
        space = space.replace("type: revolute", "type: revolute, axis: [0, 0, 1]")
        save("crank-rocker-space", space)


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial-first-model.md",
                                  "docs/tutorial-linkage.md"])
def test_what_the_page_types_prints_what_it_shows(oloid, page):
    ran = shown = 0
    for kind, block in BLOCK.findall((ROOT / page).read_text()):
        named = re.search(r"^name: (.*)$", block, re.MULTILINE)
        if kind == "yaml" and named:
            with_changes(oloid.folder, named[1], block)
        elif kind == "yaml" and block.startswith("dampers:"):
            hammer = (oloid.folder / "hammer.yaml").read_text()
            (oloid.folder / "damped.yaml").write_text(hammer + block)
        elif kind == "" and block.startswith("six-body-linkage:"):
            block = "$ oloid run six-body-linkage\n" + block  # README: its path is above
        elif kind == "sh":
            block = "".join(f"$ {line}\n" for line in block.splitlines() if line[:6] == "oloid ")
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if kind == "yaml" or not command.startswith("oloid"):
                continue
            done = oloid(*shlex.split(command, comments=True)[1:], timeout=300)
            expected = 2 if output.startswith("oloid: ") else 6 if "warning:" in output else 0
            if "oloid check" not in command or expected == 2:
                assert done.returncode == expected, f"{command}: {done.stderr}"
            printed = (done.stdout + done.stderr).splitlines()
            if "  CPU  " not in output:  # the time of the processor depends on the machine
                for line in output.splitlines():
                    assert line.strip() in ("", "...") or is_there(line, printed), (line, printed)
                    shown += 1
            ran += 1
    assert ran > 3 and shown > 5


def test_models_of_the_page_about_beams_run(oloid):
    page = (ROOT / "docs/tutorial-beams.md").read_text()
    models = [block for kind, block in BLOCK.findall(page) if kind == "yaml"]
    assert len(models) > 2
    for model in models:
        (oloid.folder / "model.yaml").write_text(model)
        done = oloid("run", "model.yaml", "--end", "0.02")
        assert done.returncode == 0, (model, done.stderr)


@pytest.mark.parametrize("page", ["docs/tutorial-statics.md", "docs/tutorial-convergence.md",
                                  "docs/tutorial-rods.md", "docs/tutorial-optimal-control.md",
                                  "docs/tutorial-contact.md", "docs/tutorial-crane.md",
                                  "docs/tutorial-arm-design.md"])
def test_the_commands_of_the_page_run(oloid, page):
    optimal = re.search("optimal|crane|arm-design", page) is not None
    if optimal and "Ipopt" in oloid("optimize", "double-integrator").stderr:
        pytest.skip("Oloid was built without Ipopt")
    printed, ran = [], 0
    for kind, block in BLOCK.findall((ROOT / page).read_text()):
        if kind == "yaml":
            name = re.search(r"^name: (.*)$", block, re.MULTILINE).group(1)
            (oloid.folder / f"{name}.yaml").write_text(block)
        elif kind == "sh":
            printed = []
            for line in block.splitlines():
                command, *arguments = shlex.split(line, comments=True)
                code = re.search(r"# exit code (\d+)", line)
                assert command == "oloid"
                done = oloid(*arguments)
                assert done.returncode == (int(code[1]) if code else 0), f"{line}: {done.stderr}"
                printed += done.stdout.splitlines()
                ran += 1
        elif kind == "text":
            for line in block.splitlines():
                assert is_there(line, printed), (line, printed)
    assert ran > 5


def test_numbers_in_the_words_of_the_page(oloid):
    test_the_commands_of_the_page_run(oloid, "docs/tutorial-statics.md")
    last = (oloid.folder / "ruler.csv").read_text().splitlines()
    row = dict(zip(last[0].split(","), map(float, last[-1].split(","))))
    assert row["tip.position.z"] == pytest.approx(-0.079, abs=5e-4)
    assert row["root.force.z"] == pytest.approx(0.993, abs=5e-4)
    assert row["root.moment.y"] == pytest.approx(-0.292, abs=5e-4)
    for spin, lowest in [("0,0,0.000001", [3.516, 3.516]), ("0,0,4", [3.898, 5.585])]:
        done = oloid("modes", "blade.yaml", "--count", "2", "--spin", spin)
        assert [float(line.split()[2]) for line in done.stdout.splitlines()[1:]] == pytest.approx(
            lowest, abs=6e-4)
