"""The list of planted faults fits the sources, so that tests/mutate/faults.py can plant all of
them."""
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests" / "mutate"))
from faults_list import FAULTS  # noqa: E402


def test_names_of_faults_differ():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_its_text_once_and_a_test(fault):
    path = ROOT / fault.file
    assert path.is_file(), f"{fault.file} is gone: adapt tests/mutate/faults_list.py"
    count = path.read_text().count(fault.old)
    assert count == 1, f"the old text occurs {count} times in {fault.file}"
    assert fault.new != fault.old
    kind, _, name = fault.test.partition(".")
    test = ROOT / "tests" / (fault.test.partition("::")[0] if "/" in fault.test
                             else f"{kind}/{name}.c")
    assert test.is_file(), f"{fault.test} is no test"
