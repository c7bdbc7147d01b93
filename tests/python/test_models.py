"""Every model of the catalogue runs from Python and goes into the formats of other programs."""
import json
import sys

import numpy
import oloid
import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "tests" / "cli"))
from vtk_text import PolyData, collection  # noqa: E402


def read_with_vtk(path):
    """Points as VTK's own reader sees them; None without VTK."""
    try:
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy
    except ImportError:
        return None
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    problems = []
    reader.AddObserver("ErrorEvent", lambda *a: problems.append(a))
    reader.Update()
    assert problems == []
    return vtk_to_numpy(reader.GetOutput().GetPoints().GetData())


@pytest.mark.parametrize("name", oloid.models())
def test_a_model_runs_and_is_exported(name, tmp_path):
    step = oloid.load(name).options["step"]
    result = oloid.run(name, end=3 * step)
    assert result.status == "OK" and all(v.level != "broken" for v in result.verdict)
    assert result.rows == 4 and numpy.all(numpy.isfinite(result["energy.total"]))
    result.export(tmp_path / "x.pvd")
    result.export(tmp_path / "x.json")
    table = json.loads((tmp_path / "x.json").read_text())
    assert all(column["units"] for column in table["columns"])
    columns = [column["name"] for column in table["columns"]]
    assert [row[columns.index("energy.total")]
            for row in table["rows"]] == list(result["energy.total"])
    frames = collection(tmp_path / "x.pvd")
    assert [time for time, _ in frames] == list(result.time)
    for row, (_, files) in enumerate(frames):
        data = PolyData(files["frames"])
        expected = numpy.array([result[f"{node}.position"][row] if f"{node}.position.x" in columns
                                else numpy.zeros(3) for node in data.field["names"]])
        assert numpy.array_equal(data.points, expected)
        for path in files.values():
            theirs = read_with_vtk(path)
            assert theirs is None or numpy.array_equal(theirs, PolyData(path).points)
