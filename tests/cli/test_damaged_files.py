"""Damaged results and journals are refused in a moment, with a message that names the file."""
import lzma
import os
import pathlib
import sys

import h5py
import numpy
import pytest
from conftest import ROOT, executable, one_message
from checksum_trailer import add_trailer, changed

sys.path.insert(0, str(ROOT / "tests" / "mutate"))
import files  # noqa: E402

# files of format 1 with a damaged heap of texts: HDF5 1.10 loops or crashes on them
OLD = sorted((pathlib.Path(__file__).parent / "damaged").glob("*.xz"))
READERS = [["export", "--csv", "x.csv"], ["export", "--json", "x.json"],
           ["export", "--vtk", "x.pvd"], ["report", "-o", "x.html"]]


def check_refused(oloid, name, text):
    for words in READERS:
        done = oloid(words[0], name, *words[1:], timeout=10)
        assert done.returncode in (2, 4), done.stderr
        assert name in one_message(done) and text in done.stderr
        assert os.listdir(oloid.folder) == [name]


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_damaged_files_of_format_1_are_refused(oloid, path):
    name = path.stem
    (oloid.folder / name).write_bytes(lzma.decompress(path.read_bytes()))
    check_refused(oloid, name, "it has no checksum at its end")
    # with a valid checksum of the damaged file: texts of variable length are not read
    add_trailer(oloid.folder / name)
    check_refused(oloid, name, "is not a result of oloid")


def test_a_sample_of_damaged_files(tmp_path):
    os.environ.setdefault("OLOID", executable())
    faults, refused = files.run(60, seed=2026)
    assert faults == []
    assert refused > 50


@pytest.fixture
def result(oloid):
    assert oloid("run", "heavy-top", "--end", "0.01", "-q", "--no-report").returncode == 0
    return oloid.folder / "heavy-top.h5"


def test_a_result_that_another_program_has_changed_is_refused_until_its_checksum_is_written_again(
    oloid, result):
    before = oloid("export", result, "--csv", "-").stdout
    with h5py.File(result, "r+") as file:
        file.attrs["note"] = 1.0
    check_refused(oloid, result.name, "another program has changed it")
    add_trailer(result)
    assert oloid("export", result, "--csv", "-").stdout == before


def put_variable_text(file):
    file.attrs["units"] = "SI"  # h5py makes a text of variable length


def put_variable_names(file):
    del file["nodes/name"]
    file["nodes/name"] = ["top"]


def put_references(file):
    del file["frames/time"]
    file["frames/time"] = numpy.array([file.ref, file.ref], dtype=h5py.ref_dtype)


def put_short_numbers(file):
    del file["frames/time"]
    file["frames/time"] = numpy.zeros(11, dtype="f4")


def put_more_rows_than_bytes(file):
    del file["frames/time"]
    file.create_dataset("frames/time", shape=(2**40,), dtype="f8", chunks=(1024,))


@pytest.mark.parametrize("put", [put_variable_names, put_references, put_short_numbers,
                                 put_more_rows_than_bytes])
def test_what_this_program_does_not_write_is_not_read(oloid, result, put):
    with changed(result) as file:
        put(file)
    check_refused(oloid, result.name, "unexpected contents")


def test_a_text_of_variable_length_that_is_not_needed_is_passed_over(oloid, result):
    with changed(result) as file:
        put_variable_text(file)
    assert oloid("export", result, "--csv", "x.csv", timeout=10).returncode == 0


def test_a_pipe_is_no_result(oloid):
    os.mkfifo(oloid.folder / "x.h5")
    check_refused(oloid, "x.h5", "it is not a regular file")


def test_the_checksum_trailer_is_as_documented(result):
    data = result.read_bytes()
    assert data[-32:-24] == b"oloidend" and int.from_bytes(data[-16:-8], "little") == len(data) - 32
    result.write_bytes(data[:-32])
    add_trailer(result)
    assert result.read_bytes() == data
