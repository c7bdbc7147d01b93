"""`oloid export --vtk` and `--json`: files for other programs with the numbers of the result."""
import json
import math
import os
import signal
import subprocess
import time

import h5py
import numpy
import pytest
from conftest import environment, executable, one_message
from checksum_trailer import words
from vtk_text import PolyData, collection, volume

SHAPES = """
name: shapes
gravity: [0, 0, -9.81]
bodies:
  - {name: ball, shapes: {type: sphere, radius: 0.5, mass: 1},
     position: [0, 0, 0], angular_velocity: [1, 2, 3]}
  - {name: brick, shapes: {type: box, size: [1, 2, 3], mass: 1},
     position: [5, 0, 0], angular_velocity: [0, 1, 0]}
  - {name: can, shapes: {type: cylinder, radius: 0.5, height: 2, mass: 1},
     position: [10, 0, 0], velocity: [1, 0, 0]}
  - {name: hat, shapes: {type: cone, radius: 0.5, height: 2, mass: 1, position: [0, 0, 1]},
     position: [15, 0, 0]}
  - {name: wedge,
     shapes: {type: tetrahedron, vertices: [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], mass: 1},
     position: [20, 0, 0], angular_velocity: [1, 0, 0]}
points:
  - {name: a, mass: 1, position: [0, 5, 0]}
springs:
  - {name: soft, between: [a, {on: brick, at: [0.5, 1, 1.5]}], stiffness: 10}
rods:
  - {name: stiff, between: [a, [0, 5, 2]]}
run: {step: 0.01, end: 0.2}
"""


@pytest.fixture
def shapes(oloid):
    (oloid.folder / "shapes.yaml").write_text(SHAPES)
    assert oloid("run", "shapes.yaml", "-q").returncode == 0
    assert oloid("export", "shapes.h5", "--vtk", "shapes.pvd").returncode == 0
    return oloid.folder


def columns_of(file, dataset):
    return {name: file[dataset][:, i]
            for i, name in enumerate(words(file[dataset].attrs["columns"]))}


def test_frames_have_the_numbers_of_the_result(shapes):
    frames = collection(shapes / "shapes.pvd")
    with h5py.File(shapes / "shapes.h5", "r") as file:
        assert [now for now, _ in frames] == list(file["frames/time"])
        q, v = columns_of(file, "frames/q"), columns_of(file, "frames/v")
        names = [name.decode() if isinstance(name, bytes) else name for name in file["nodes/name"]]
        bodies = [kind in (b"body", "body") for kind in file["nodes/kind"]]
        total = file["ledger/total"][()]
        row = 13
        data = PolyData(frames[row][1]["frames"])
        assert data.field["names"] == names and len(data.cells["Verts"]) == len(names) == 6
        assert (data.field["TimeValue"][0] == frames[row][0] and data.field["energy.total"][0]
                == total[row])
        for i, name in enumerate(names):
            assert list(data.points[i]) == [q[f"{name}.position.{axis}"][row] for axis in "xyz"]
            assert list(data.point_data["velocity"][i]) == [v[f"{name}.velocity.{axis}"][row]
                                                            for axis in "xyz"]
            for d in ("d1", "d2", "d3"):
                expected = [q[f"{name}.{d}.{axis}"][row]
                            for axis in "xyz"] if bodies[i] else [0, 0, 0]
                assert list(data.point_data[d][i]) == expected
    # the angular velocity of a homogeneous ball under gravity alone is constant
    ball = names.index("ball")
    assert data.point_data["angular_velocity"][ball] == pytest.approx([1, 2, 3], rel=1e-9)


def test_surfaces_move_with_their_bodies(shapes):
    """Volumes are those of solids whose round parts are polygons with 24 corners, in every
    frame."""
    polygon = 24 / 2 * math.sin(2 * math.pi / 24)  # of a unit circle
    expected = {"brick": 6, "can": polygon * 0.25 * 2, "hat": polygon * 0.25 * 2 / 3, "wedge": 1}
    for _, files in collection(shapes / "shapes.pvd")[::10]:
        data, nodes = PolyData(files["scene"]), PolyData(files["frames"])
        polys, lines = data.cells["Polys"], len(data.cells["Lines"])
        role = data.field["roles"].index("body")
        for name, value in expected.items():
            node = nodes.field["names"].index(name)
            mine = (data.cell_data["node"][lines:] == node) & (data.cell_data["role"][lines:]
                                                               == role)
            faces = [face for face, is_mine in zip(polys, mine) if is_mine]
            assert volume(data, faces) == pytest.approx(value, rel=1e-9), name
            assert data.field["elements"][data.cell_data["element"][lines:][mine][0]] == name
        ball = nodes.field["names"].index("ball")
        corners = {i for face, node in zip(polys, data.cell_data["node"][lines:]) if node == ball
                   for i in face}
        distance = numpy.linalg.norm(data.points[sorted(corners)] - nodes.points[ball], axis=1)
        assert distance == pytest.approx(0.5, rel=1e-12)  # corners lie on the sphere


def test_lines_join_the_ends_of_rods_and_springs(shapes):
    _, files = collection(shapes / "shapes.pvd")[-1]
    data, nodes = PolyData(files["scene"]), PolyData(files["frames"])
    names = nodes.field["names"]
    lines = {data.field["elements"][data.cell_data["element"][i]]: data.points[line]
             for i, line in enumerate(data.cells["Lines"])}
    assert set(lines) == {"soft", "stiff"}
    a, brick = names.index("a"), names.index("brick")
    corner = nodes.points[brick] + sum(x * nodes.point_data[d][brick]
                                       for x, d in ((0.5, "d1"), (1, "d2"), (1.5, "d3")))
    ends = {tuple(numpy.round(x, 12)) for x in lines["soft"]}
    assert ends == {tuple(numpy.round(nodes.points[a], 12)), tuple(numpy.round(corner, 12))}
    assert numpy.linalg.norm(lines["stiff"][1] - lines["stiff"][0]) == pytest.approx(2, rel=1e-12)


BEAMS = """
name: beams
gravity: [0, 0, -9.81]
beams:
  - {name: flat, elements: 4, to: [2, 0, 0],
     section: {type: rectangle, width: 0.2, height: 0.1, young: 1e6, density: 100}}
  - {name: round, elements: 2, interpolation: quadratic, from: [0, 1, 0], to: [2, 1, 0],
     section: {type: circle, radius: 0.1, young: 1e6, density: 100}}
supports:
  - {name: wall, type: fixed, on: flat.start}
  - {name: floor, type: fixed, on: round.start}
run: {step: 0.01, end: 0.3}
"""


def test_beams_are_tubes_with_their_forces_and_moments(oloid):
    (oloid.folder / "beams.yaml").write_text(BEAMS)
    assert oloid("run", "beams.yaml", "-q").returncode == 0
    assert oloid("export", "beams.h5", "--vtk", "beams.pvd").returncode == 0
    frames = collection(oloid.folder / "beams.pvd")
    with h5py.File(oloid.folder / "beams.h5") as file:
        stress = file["frames/stress"][:].reshape(len(frames), -1, 6)
        drawn = file["scene/primitive"].asstr()[:] == "sweep"
        nodes, half = file["scene/node"][:][drawn], file["scene/size"][:][drawn]
        q = file["frames/q"][:].reshape(len(frames), -1, 4, 3)
    assert len(nodes) == 8 and stress.shape[1] == 8
    # at rest prisms of one eighth or a quarter of the length
    polygon = 24 / 2 * math.sin(2 * math.pi / 24)
    volumes = 4 * [0.2 * 0.1 * 0.5] + 4 * [polygon * 0.01 * 0.5]
    for row in (0, 30):
        data = PolyData(frames[row][1]["scene"])
        lines, polys = len(data.cells["Lines"]), data.cells["Polys"]
        beam = data.cell_data["role"][lines:] == data.field["roles"].index("beam")
        for k, (first, second) in enumerate(nodes):
            mine = numpy.flatnonzero(beam & (data.cell_data["node"][lines:] == first))
            assert volume(data, [polys[i] for i in mine]) == pytest.approx(volumes[k], rel=1e-9
                                                                           if row == 0 else 0.1)
            assert data.cell_data["force"][lines + mine] == pytest.approx(
                numpy.tile(stress[row, k, :3], (len(mine), 1)))
            assert data.cell_data["moment"][lines + mine] == pytest.approx(
                numpy.tile(stress[row, k, 3:], (len(mine), 1)))
            corners = {tuple(x) for i in mine for x in data.points[polys[i]].round(9)}
            # the first corner of the outline along d1, and opposite of it, at both ends
            for node in (first, second):
                phi, d1, d2, _ = q[row, node]
                for sign in (1, -1):
                    side = sign * (half[k, 0] * d1 + (0 if half[k, 2] else half[k, 1]) * d2)
                    assert min(numpy.linalg.norm(numpy.array(x) - phi - side)
                               for x in corners) < 3e-9
        assert (data.cell_data["force"][:lines] == 0).all()
        assert (data.cell_data["force"][lines:][~beam] == 0).all()
    assert abs(stress[30]).max() > 0


def test_the_reader_of_vtk_gets_the_same(shapes):
    vtk = pytest.importorskip("vtk",
                              reason="VTK for Python is not installed: its own reader is not tried")
    from vtk.util.numpy_support import vtk_to_numpy
    for kind in ("frames", "scene"):
        for _, files in collection(shapes / "shapes.pvd")[::7]:
            reader = vtk.vtkXMLPolyDataReader()
            reader.SetFileName(str(files[kind]))
            problems = []
            reader.AddObserver("ErrorEvent", lambda *a: problems.append(a))
            reader.Update()
            got, ours = reader.GetOutput(), PolyData(files[kind])
            assert problems == [] and got.GetNumberOfPoints() == len(ours.points) > 0
            assert numpy.array_equal(vtk_to_numpy(got.GetPoints().GetData()), ours.points)
            for theirs, mine in ((got.GetPointData(), ours.point_data),
                                 (got.GetCellData(), ours.cell_data)):
                assert theirs.GetNumberOfArrays() == len(mine)
                for name, values in mine.items():
                    assert numpy.array_equal(vtk_to_numpy(theirs.GetArray(name)), values)
            field = got.GetFieldData()
            for name, values in ours.field.items():
                array = field.GetAbstractArray(name)
                assert [array.GetValue(i) for i in range(array.GetNumberOfValues())] == list(values)
            assert got.GetNumberOfCells() == sum(len(cells) for cells in ours.cells.values())
            ids = vtk.vtkIdList()
            for i in (0, got.GetNumberOfCells() - 1):
                got.GetCellPoints(i, ids)
                cell = [*ours.cells["Verts"], *ours.cells["Lines"], *ours.cells["Polys"]][i]
                assert [ids.GetId(k) for k in range(ids.GetNumberOfIds())] == list(cell)


def test_a_folder_takes_the_name_of_the_result(oloid, shapes):
    done = oloid("export", "shapes.h5", "--vtk", "out", "--frames", "5")
    assert done.returncode == 0 and "21 frames, 5 of them" in one_message(done)
    assert sorted(os.listdir(shapes / "out")) == ["shapes", "shapes.pvd"]
    assert [now for now, _ in collection(shapes / "out" / "shapes.pvd")] == pytest.approx(
        [0, 0.05, 0.1, 0.15, 0.2])
    assert len(os.listdir(shapes / "out" / "shapes")) == 10


@pytest.mark.parametrize("frames", ["-1", "many", "1.5", ""])
def test_frames_is_a_number(oloid, frames):
    done = oloid("export", "x.h5", "--vtk", "x.pvd", f"--frames={frames}")
    assert done.returncode == 2 and "--frames" in done.stderr


def test_unwritable_folders(oloid, shapes):
    done = oloid("export", "shapes.h5", "--vtk", "missing/x.pvd")
    assert done.returncode == 4 and "missing/x" in one_message(done)
    (shapes / "file").write_text("")
    done = oloid("export", "shapes.h5", "--vtk", "file")
    assert done.returncode == 4 and "file" in one_message(done)
    assert (shapes / "file").read_text() == ""


def test_a_limit_for_files_leaves_no_half_file(oloid, shapes):
    """Files may have 10 kB: the first frames fit, the scene does not."""
    import resource
    limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))}
    done = oloid("export", "shapes.h5", "--vtk", "small.pvd", **limits)
    assert done.returncode == 4 and "scene-000000.vtp" in one_message(done)
    assert (os.listdir(shapes / "small") == ["frames-000000.vtp"]
            and not (shapes / "small.pvd").exists())
    PolyData(shapes / "small" / "frames-000000.vtp")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_an_export_at_once_and_leaves_no_half_file(oloid, number):
    assert oloid("run", "humanoid-tree", "-q", "--step", "1e-3", "--end", "5", "-o",
                 "h.h5").returncode == 0
    process = subprocess.Popen([executable(), "export", "h.h5", "--vtk", "h.pvd", "--frames", "0"],
                               cwd=oloid.folder, env=environment(), text=True,
                               stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    end = time.monotonic() + 20
    while not (oloid.folder / "h" / "scene-000003.vtp").exists() and time.monotonic() < end:
        time.sleep(0.005)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130 and stderr == "oloid: interrupted\n"
    assert not (oloid.folder / "h.pvd").exists()
    files = os.listdir(oloid.folder / "h")
    assert all(name.endswith(".vtp") for name in files)
    PolyData(oloid.folder / "h" / max(name for name in files if name.startswith("scene")))


def test_json_has_names_units_and_all_digits(oloid, shapes):
    assert oloid("export", "shapes.h5", "--json", "shapes.json", "--csv",
                 "shapes.csv").returncode == 0
    table = json.loads((shapes / "shapes.json").read_text())
    lines = (shapes / "shapes.csv").read_text().splitlines()
    assert [column["name"] for column in table["columns"]] == lines[0].split(",")
    assert table["rows"] == [[float(word) for word in line.split(",")] for line in lines[1:]]
    units = {column["name"]: column["units"] for column in table["columns"]}
    assert units["time"] == "s" and units["ball.d1.x"] == "1" and units["energy.total"] == "J"
    assert units["ball.angular_velocity.x"] == "rad/s" and units["a.velocity.z"] == "m/s"
    assert (table["model"] == "shapes" and table["status"] == "OK"
            and table["command"].startswith("oloid run"))
    assert oloid("export", "shapes.h5", "--json",
                 "-").stdout == (shapes / "shapes.json").read_text()
    assert not any(name.endswith(".partial") or ".oloid-" in name for name in os.listdir(shapes))
