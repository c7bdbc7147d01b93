"""CITATION.cff: the version of the build, a date, and references that can be found by their DOI."""
import datetime
import re

from conftest import ROOT

TEXT = (ROOT / "CITATION.cff").read_text()


def value(key):
    return re.search(rf'^{key}: "?(.*?)"?$', TEXT, re.MULTILINE).group(1)


def test_citation_names_this_version(oloid):
    assert oloid("--version").stdout.split()[1] == value("version")
    assert '  - name: "The Oloid developers"' in TEXT
    assert datetime.date.fromisoformat(value("date-released")) >= datetime.date(2026, 1, 1)


def test_every_reference_has_authors_year_and_doi():
    references = TEXT.split("references:\n")[1].split("  - type: ")[1:]
    assert len(references) >= 4
    for text in references:
        assert re.search(r"^    doi: 10\.\d{4,}/\S+$", text, re.MULTILINE), text
        assert re.search(r"^    year: (19|20)\d\d$", text, re.MULTILINE), text
        assert "family-names: " in text and "    title: " in text and "    journal: " in text
