"""The pages of the documentation are true: the examples of model-format.md run as written, the
rooms of the source include each other as architecture.md says, and kinds of things are
distinguished by their tables alone."""
import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "model-format.md").read_text()
EXAMPLES = [(PAGE.count("\n", 0, match.start()) + 1, match.group(1))
            for match in re.finditer(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize("text", [text for _, text in EXAMPLES],
                         ids=[f"line-{line}" for line, _ in EXAMPLES])
def test_examples_of_the_format_page_run_as_written(oloid, text):
    if not re.search(r"^(points|bodies|beams):", text, re.MULTILINE):
        pytest.skip("a part of a model, nothing in it can move")
    (oloid.folder / "example.yaml").write_text(text)
    done = oloid("run", "example.yaml", "--end", "0.1", "--no-result")
    assert done.returncode == 0, done.stderr
    assert "projected" not in done.stdout  # the start is what the page says


def rooms():
    """The folders of src/ in the order of section 3 of architecture.md."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    tree = page[page.index("\nsrc/\n"):page.index("\nviewer/")]
    return re.findall(r"^  (\w+)/ ", tree, re.MULTILINE)


def test_rooms_include_only_those_above_them():
    order = rooms()
    assert sorted(order) == sorted(path.name for path in (ROOT / "src").iterdir() if path.is_dir())
    for index, room in enumerate(order):
        for path in (ROOT / "src" / room).glob("*.[ch]"):
            used = set(re.findall(r'#include "(\w+)/', path.read_text())) & set(order)
            above = used - set(order[:index + 1])
            assert not above, f"{path.name} of {room} includes {above}"


def test_only_the_interval_kernel_evaluates_pieces_over_a_step():
    """Forces, discrete gradients and their derivatives are entries of tables and functions of
    terms; other rooms take them from system/interval.h."""
    direct = re.compile(
        r"type->(?:force|scalar|pattern|by_weight|discrete|start_tangent|hessian|second|third)\b"
        r"|olo_term_(?:discrete|midpoint|stress|third|by_length|tangent_by|second_by)"
        r"|olo_action_(?:first|second)\b")
    for path in (ROOT / "src").rglob("*.[ch]"):
        if path.parent.name != "system":
            found = direct.search(path.read_text())
            assert not found, f"{path.name}: {found and found.group()}"


def kinds():
    """Names of schemes and treatments."""
    registry = (ROOT / "src" / "stepping" / "registry.def").read_text()
    return re.findall(r'^OLO_SCHEME\(\w+, "([\w-]+)"\)', registry, re.MULTILINE) + \
        re.findall(r"^OLO_TREATMENT\((\w+),", registry, re.MULTILINE)


def test_no_file_asks_which_kind_something_is():
    """What a kind does or has is a member of its table; nothing is compared with a table or its
    name. A registry looks names up in its list, with no name written out."""
    names = kinds()
    assert len(names) == 14
    table = r"&?olo_(?:treatment|scheme|law|action|constraint|joint|segment)_(?!names)\w+"
    identity = re.compile(rf"[=!]=\s*{table}\s*(?:[&|)?:;]|$)|\({table}\s*[=!]=", re.MULTILINE)
    named = re.compile(
        r"""strn?cmp\([^;]*?"(?:%s)"|strn?cmp\([^;"]*(?:type|law|scheme|treatment|segment)->name"""
        % "|".join(names))
    for path in (ROOT / "src").rglob("*.[ch]"):
        text = path.read_text()
        found = [text.count("\n", 0, match.start()) + 1 for regex in (identity, named)
                 for match in regex.finditer(text)]
        assert not found, f"{path.relative_to(ROOT)} distinguishes kinds, in lines {found}"
