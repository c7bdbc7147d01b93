"""docs/gallery.md shows every model of the catalogue; tools/gallery makes it."""
import re

from conftest import ROOT

PAGE = (ROOT / "docs" / "gallery.md").read_text()
MODELS = sorted(path.stem for path in (ROOT / "models").glob("*.yaml"))


def test_gallery_has_every_model_in_order():
    assert re.findall(r"^## (\S+)$", PAGE, re.MULTILINE) == MODELS


def test_every_model_has_its_picture_sentence_and_command():
    for name in MODELS:
        part = PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]
        picture = ROOT / "docs" / "images" / "gallery" / f"{name}.jpg"
        assert picture.read_bytes()[:2] == b"\xff\xd8" and picture.stat().st_size > 3000
        assert f"images/gallery/{name}.jpg" in part and f"../models/{name}.yaml" in part
        first = (ROOT / "models" / f"{name}.yaml").read_text().splitlines()[0]
        assert first.lstrip("# ").split(". ")[0] in part
        command = re.search(rf"^oloid (\w+) {name}( --.*)?$", part, re.MULTILINE)[1]
        optimal = "\noptimize:" in (ROOT / "models" / f"{name}.yaml").read_text()
        assert command in (["optimize"] if optimal else ["run", "equilibrium"]), name
