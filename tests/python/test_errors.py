"""Errors of the library are exceptions with its text."""
import os

import oloid
import pytest
from conftest import ROOT, pendulum

MALFORMED = sorted((ROOT / "tests" / "malformed").glob("*.yaml"))


def command_message(done):
    lines = done.stderr.splitlines()
    assert done.returncode != 0 and lines[0].startswith("oloid: "), done.stderr
    return lines[0][len("oloid: "):]


@pytest.mark.parametrize("path", MALFORMED[::12], ids=lambda path: path.stem)
def test_a_malformed_file_raises_the_text_of_the_command(command, path):
    with pytest.raises(oloid.InputError) as caught:
        oloid.run(path)
    assert str(caught.value) == command_message(command("run", path, "--quiet"))
    assert isinstance(caught.value,
                      ValueError) and caught.value.status in ("BAD_INPUT", "NOT_FOUND",
                                                              "INCONSISTENT",
                                                                           "UNSUPPORTED")


@pytest.mark.parametrize("arguments, words", [
    (("heavy-topp",), ("heavy-topp",)),
    (("heavy-top", "--set", "spinn=1"), ("heavy-top", {"spinn": 1})),
    (("heavy-top", "--step", "-1"), ("heavy-top", {"run.step": -1})),
    (("heavy-top", "--constraints", "none"), ("heavy-top", {"run.constraints": "none"})),
])
def test_bad_names_and_settings(command, arguments, words):
    with pytest.raises(oloid.Error) as caught:
        oloid.run(*words)
    assert str(caught.value) == command_message(command("run", *arguments, "--quiet"))


def test_a_model_in_code_has_the_errors_of_a_file():
    model = pendulum()
    with pytest.raises(oloid.InputError, match="unknown key 'mas', did you mean 'mass'"):
        model.add_body(name="box", mas=1)
    model.add_body(name="box", mass=1, inertia=[1, 2])
    with pytest.raises(oloid.InputError,
                       match=r"pendulum:\d+:\d+: bodies\[0\].inertia: expected 3, 6 or 3x3"):
        oloid.load(model)
    with pytest.raises(oloid.InputError, match="unknown section 'bodys'|unknown key 'bodys'"):
        oloid.load(oloid.Model("x", bodys=[]))
    message = r"points\[0\].mass: a model cannot contain a value of type object"
    with pytest.raises(oloid.InputError, match=message):
        oloid.load({"name": "x", "points": [{"name": "a", "mass": object()}]})
    with pytest.raises(oloid.InputError, match="there is no element 'bod'"):
        oloid.Model("x").add("bod")
    with pytest.raises(AttributeError):
        oloid.Model("x").add_bod(name="a")


def test_a_column_that_is_not_there():
    result = oloid.run("heavy-top", end=0.01)
    with pytest.raises(LookupError, match="did you mean 'top.position.x'") as caught:
        result["top.positon.x"]
    assert caught.value.status == "NOT_FOUND"


def test_a_run_that_fails_has_a_result_up_to_the_failure(tmp_path):
    """Beyond t = 0.5 the force is not a number: the steps before are in the result."""
    model = pendulum()
    model.add_load(name="hole", on="bob", force=[1, 0, 0], time="if(t > 0.5, sqrt(0.5-t), 1)")
    with pytest.raises(oloid.ComputationError, match="t = 0.5") as caught:
        oloid.run(model, output=tmp_path / "x.h5")
    assert isinstance(caught.value, ArithmeticError)
    result = caught.value.result
    assert result.time[-1] == pytest.approx(0.5) and result.error == str(caught.value) != ""
    assert result.status == caught.value.status and os.listdir(tmp_path) == ["x.h5.partial"]


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(oloid.FileError, match="nowhere") as caught:
        oloid.open(tmp_path / "nowhere.h5")
    assert isinstance(caught.value, OSError) and caught.value.status == "IO"
    with pytest.raises(oloid.FileError, match="nowhere"):
        oloid.run("heavy-top", end=0.01, output=tmp_path / "nowhere" / "x.h5")
    with pytest.raises(ValueError, match="zero byte"):
        oloid.run("heavy\0top")
