"""The code of the documentation runs."""
import re

import pytest
from conftest import ROOT

from oloid._library import lib

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["docs/python.md", "README.md", "python/README.md",
                                  "docs/tutorial-statics.md", "docs/tutorial-derivatives.md",
                                  "docs/tutorial-optimal-control.md", "docs/tutorial-crane.md",
                                  "docs/tutorial-arm-design.md"])
def test_the_code_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for model in re.findall(r"^```yaml\n(.*?)^```", (ROOT / page).read_text(),
                            re.MULTILINE | re.DOTALL):
        named = re.search(r"^name: (.*)$", model, re.MULTILINE)
        if named:
            (tmp_path / f"{named.group(1)}.yaml").write_text(model)
    names = {}
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert blocks
    for block in blocks:
        if "plot(" in block:
            pytest.importorskip("matplotlib",
                                reason="matplotlib is not installed: plots of the documentation "
                                       "are not tried")
        if "oloid.optimize" in block and not lib.olo_optimize_available():
            pytest.skip("Oloid was built without Ipopt")
        if "scipy" in block:
            pytest.importorskip("scipy",
                                reason="SciPy is not installed: the optimisation of the "
                                       "documentation is not tried")
        exec(compile(block, page, "exec"), names)


def test_the_error_of_the_page_is_that_of_the_library():
    import oloid
    page = (ROOT / "docs" / "python.md").read_text()
    with pytest.raises(ValueError) as caught:
        oloid.load({"name": "x", "points": [{"name": "a", "mas": 1}]})
    assert f"# {caught.value}\n" in page
