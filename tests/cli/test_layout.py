"""The layout of the tests: tests/unit mirrors src."""
import pytest
from conftest import ROOT

# tests of the tests, of the library as a whole, and of what several files do together
OTHERS = {"actuation": "src/elements/load.c",
          "assertions": "tests/test.h",
          "binding": "include/oloid",
          "built_once": "src/cli/run.c",
          "control_derivatives": "src/control/redundant.c",
          "failure_injection": "src/base/memory.c",
          "injection": "src/results/journal.c",
          "injection_slow": "src/results/journal.c",
          "new_row": "src/system/constraint.h",
          "new_scheme": "src/stepping/registry.def",
          "node_types": "src/system/node.c",
          "threads": "include/oloid/simulate.h",
          "with_parameters": "src/system/copy.c"}
UNITS = sorted(path.stem for path in (ROOT / "tests" / "unit").glob("*.c"))


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_test_is_named_after_a_file_or_folder_of_src(name):
    names = {path.stem if path.is_file() else path.name for path in (ROOT / "src").rglob("*")}
    assert name in names or (ROOT / OTHERS.get(name, "nowhere")).exists(), (
        f"tests/unit/{name}.c: src has nothing of this name; rename it, or say in OTHERS what "
        "it tests")


def test_exceptions_are_needed():
    assert set(OTHERS) <= set(UNITS)
