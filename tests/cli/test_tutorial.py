"""The models and commands of a tutorial: models are saved under their names, commands run, and what
the page shows of their output is there."""
import re
import shlex

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"^```(yaml|sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def same(word, other):
    """Equal, or numbers that differ by rounding."""
    try:
        return float(word) == pytest.approx(float(other), rel=1e-5)
    except ValueError:
        return word == other


def is_there(line, printed):
    words = re.split(r"[\s();,]+", line.strip())
    return any(len(words) == len(others) and all(map(same, words, others))
               for others in (re.split(r"[\s();,]+", other.strip()) for other in printed))


@pytest.mark.parametrize("page", ["docs/tutorial-statics.md", "docs/tutorial-convergence.md",
                                  "docs/tutorial-rods.md", "docs/tutorial-optimal-control.md",
                                  "docs/tutorial-contact.md", "docs/tutorial-crane.md",
                                  "docs/tutorial-arm-design.md"])
def test_the_commands_of_the_page_run(oloid, page):
    if re.search("optimal|crane|arm-design", page) and "Ipopt" in oloid("optimize", "double-integrator").stderr:
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
        else:
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
