"""Help, version, and what happens when the command line is wrong."""
import os
import re
import subprocess

import pytest
from conftest import COMMANDS, MODELS, environment, executable, one_message


def test_overview_names_every_command(oloid):
    for arguments in (["--help"], ["-h"], ["help"]):
        done = oloid(*arguments)
        assert done.returncode == 0 and done.stderr == ""
        for command in COMMANDS:
            assert f"  {command} " in done.stdout
        assert "exit codes:" in done.stdout and "examples:" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(oloid, command):
    done = oloid(command, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert f"usage: oloid {command}" in done.stdout
    assert "examples:" in done.stdout and "exit codes:" in done.stdout and "130" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert oloid("help", command).stdout == done.stdout


def columns(lines):
    """Columns in which explanations begin: after the first gap of two spaces behind a word."""
    return {re.match(r" +\S+(?:, \S+)?.*?  +(?=\S)", line).end() for line in lines}


def test_explanations_are_in_one_column(oloid):
    overview = oloid("--help").stdout
    commands = overview.split("commands:\n")[1].split("\n\n")[0].splitlines()
    assert len(commands) >= len(COMMANDS) and len(columns(commands)) == 1
    for command in COMMANDS:
        text = oloid(command, "--help").stdout.split("options:\n")[1].split("\n\n")[0]
        options = [line for line in text.splitlines() if re.match(r" +(-\w, )?--\w", line)]
        assert len(columns(options)) == 1, text


def test_version(oloid):
    done = oloid("--version")
    assert done.returncode == 0 and done.stderr == ""
    name, version = done.stdout.split()
    assert name == "oloid" and version.count(".") == 2


@pytest.mark.parametrize("arguments, expected", [
    ([], "a command is missing"),
    (["rnu"], "did you mean 'run'?"),
    (["chek", "heavy-top"], "did you mean 'check'?"),
    (["help", "exprot"], "did you mean 'export'?"),
    (["--versoin"], "did you mean '--version'?"),
    (["run"], "needs MODEL"),
    (["run", "heavy-top", "free-body"], "unexpected argument 'free-body'"),
    (["run", "heavy-top", "--stp", "1e-3"], "did you mean '--step'?"),
    (["run", "heavy-top", "--ouput=x.h5"], "unknown option '--ouput'; did you mean '--output'?"),
    (["run", "heavy-top", "-x"], "unknown option '-x'"),
    (["run", "heavy-top", "--step"], "'--step' needs a value"),
    (["run", "heavy-top", "--step", "--json"], "'--step' needs a value"),
    (["run", "heavy-top", "--json=yes"], "'--json' takes no value"),
    (["run", "heavy-top", "--output", "x.h5", "--no-result"], "exclude each other"),
    (["run", "--", "--json", "heavy-top"], "unexpected argument 'heavy-top'"),
    (["export", "x.h5"], "--csv FILE"),
])
def test_wrong_use_is_reported_in_one_line_with_a_hint(oloid, arguments, expected):
    done = oloid(*arguments)
    assert done.returncode == 2 and done.stdout == ""
    message = one_message(done)
    assert expected in message and "--help')" in message


def test_a_setting_needs_a_name_and_a_value(oloid):
    done = oloid("run", "heavy-top", "--set", "l")
    assert done.returncode == 2 and done.stdout == ""
    assert "name=value" in one_message(done)


@pytest.mark.parametrize("command", ["run", "check", "models"])
def test_a_misspelt_model_gets_a_suggestion(oloid, command):
    done = oloid(command, "heavy-tpo")
    assert done.returncode in (2, 4) and done.stdout == ""
    assert "heavy-top" in one_message(done)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["--version"], ["models"], ["check", "heavy-top"],
                                       ["run", "heavy-top", "--end", "0.01", "--quiet"]])
def test_a_full_disk_behind_stdout_is_an_error(oloid, arguments):
    with open("/dev/full", "w") as full:
        done = oloid(*arguments, stdout=full)
    assert done.returncode == 4
    assert "standard output" in one_message(done)


def test_a_closed_stdout_is_an_error_and_spoils_no_result(oloid):
    done = subprocess.run(["sh", "-c", '"$0" run heavy-top --end 0.01 --quiet >&-', executable()],
                          cwd=oloid.folder, env=environment(), stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert "standard output" in one_message(done)
    assert (oloid.folder / "heavy-top.h5").read_bytes()[:4] == b"\x89HDF"


def test_a_reader_that_goes_away_is_no_news(oloid):
    done = oloid("run", "heavy-top", "--quiet", "--set", "run.frames=5000")
    assert done.returncode == 0
    done = subprocess.run(["sh", "-c", '"$0" export heavy-top.h5 --csv - | head -n 1',
                           executable()],
                          cwd=oloid.folder, env=environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1


def test_catalogue_lists_every_model_with_a_sentence(oloid):
    done = oloid("models")
    assert done.returncode == 0 and done.stderr == ""
    listed = {line.split()[0]: line.split(maxsplit=1)[1:] for line in done.stdout.splitlines()}
    for name in MODELS:
        assert listed[name], f"{name} has no sentence"


def test_catalogue_prints_a_file_that_runs(oloid):
    done = oloid("models", "heavy-top")
    assert done.returncode == 0 and done.stderr == ""
    (oloid.folder / "mine.yaml").write_text(done.stdout)
    done = oloid("run", "mine.yaml", "--end", "0.01", "--quiet", "--no-result")
    assert done.returncode == 0, done.stderr
