"""Every malformed model is refused in one line that says what is wrong and where.

The first line of each file is `# expect: <part of the message>; line: <number>`, line 0 for the
file as a whole.
"""
import re

import pytest
from conftest import ROOT, one_message

FILES = sorted((ROOT / "tests" / "malformed").glob("*.yaml"))


def expectation(path):
    first = path.read_bytes().split(b"\n", 1)[0].decode()
    match = re.fullmatch(r"# expect: (.*); line: (\d+)\s*", first)
    assert match, f"{path.name}: the first line does not say what to expect"
    return match.group(1), int(match.group(2))


@pytest.mark.parametrize("command", ["check", pytest.param("run", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_malformed_model(oloid, path, command):
    text, line = expectation(path)
    done = oloid(command, path)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    message = one_message(done)
    assert text in message
    assert f"{path.name}:{line}:" in message if line > 0 else f"{path.name}: " in message
