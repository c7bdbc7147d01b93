"""`oloid report`: the page about a result and its plots. What a browser shows of it is in
tests/browser."""
import base64
import hashlib
import html.parser
import json
import os
import re
import resource
import shutil
import xml.etree.ElementTree as ElementTree

import h5py
import numpy
import pytest
from conftest import one_message
from checksum_trailer import changed, put_text, words

LIMIT = 10_000_000
SVG = "{http://www.w3.org/2000/svg}"


class Page(html.parser.HTMLParser):
    """The elements of a page that matter: scripts, policy, title, headings, pictures."""

    def __init__(self, path):
        super().__init__()
        self.scripts, self.texts, self.attributes, self.tags = [], {}, [], []
        self.open = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag == "script":
            self.scripts.append([dict(attributes), ""])

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data

    @property
    def policy(self):
        return next(value for tag, name, value in self.attributes
                    if tag == "meta" and name == "content" and "default-src" in value)

    @property
    def data(self):
        return json.loads(self.scripts[0][1])


def numbers(text, kind="<f8"):
    return numpy.frombuffer(base64.b64decode(text), kind)


def column(data, name):
    """Times and values of a column of the page."""
    found = data["columns"][name]
    return numbers(found.get("time", data.get("time"))), numbers(found["values"])


# where the columns of the page are in the file
LEDGER = {"energy.kinetic": "kinetic", "energy.total": "total", "energy.balance": "balance",
          "linear_momentum.x": "linear_momentum.x", "angular_momentum.z": "angular_momentum.z",
          "constraint_error": "constraint_error", "iterations": "iterations"}


@pytest.fixture
def run(oloid):
    def run(model, *options):
        done = oloid("run", model, "-q", "-o", f"{model}.h5", *options, timeout=300)
        assert done.returncode == 0, done.stderr
        return oloid.folder / f"{model}.h5", oloid.folder / f"{model}.report.html"
    return run


@pytest.fixture
def animated(oloid, run):
    """Skips where the command was built without npm."""
    _, page = run("planar-pendulum", "--end", "0.01")
    if len(Page(page).scripts) == 0:
        pytest.skip("built without the animated page")


def test_a_run_writes_its_report_unless_an_option_forbids_it(oloid, run):
    _, page = run("heavy-top", "--end", "0.01")
    assert page.exists()
    page.unlink()
    run("heavy-top", "--end", "0.01", "--no-report")
    assert not page.exists()
    done = oloid("report", "heavy-top.h5")
    assert done.returncode == 0 and done.stdout == "heavy-top.report.html\n" and done.stderr == ""
    assert page.exists()
    done = oloid("report", "heavy-top.h5", "-o", "other.html")
    assert done.returncode == 0
    assert (oloid.folder / "other.html").read_bytes() == page.read_bytes()
    done = oloid("report", "heavy-top.h5", "-o", "-")
    assert done.stdout == page.read_text()


def test_the_page_needs_nothing_else_and_allows_no_other_script(run, animated):
    page = Page(run("heavy-top", "--end", "0.01")[1])
    assert len(page.scripts) == 2
    assert page.scripts[0][0] == {"type": "application/json", "id": "report"}
    assert page.scripts[1][0] == {}
    digest = base64.b64encode(hashlib.sha256(page.scripts[1][1].encode()).digest()).decode()
    assert "default-src 'none'" in page.policy
    assert f"script-src 'sha256-{digest}'" in page.policy
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    assert not [a for a in page.attributes if a[1] in ("src", "href") or a[1].startswith("on")]


@pytest.mark.parametrize("model, options", [
    ("heavy-top", ["--end", "0.2"]),
    ("six-body-linkage", []),
    ("double-spherical-pendulum", ["--end", "1"]),
])
def test_plotted_values_are_those_of_the_result(run, animated, model, options):
    result, page = run(model, *options)
    data = Page(page).data
    with h5py.File(result) as file:
        for name, dataset in LEDGER.items():
            time, values = column(data, name)
            assert (time == file["frames/time"][:]).all()
            assert (values == file[f"ledger/{dataset}"][:]).all()
        for output in words(file["outputs"].attrs.get("names", [])):
            for vector in ("position", "velocity", "acceleration"):
                expected = file[f"outputs/{output}/{vector}"][:]
                for axis in range(3):
                    _, values = column(data, f"{output}.{vector}.{'xyz'[axis]}")
                    assert (values == expected[:, axis]).all()
        assert data["thinned"] == ""
        assert [v["quantity"] for v in data["verdict"]] == list(file["verdict/quantity"].asstr())
        assert [v["relative_drift"]
                for v in data["verdict"]] == list(file["verdict/relative_drift"])
        facts = dict(data["facts"])
        assert facts["Command"] == words(file.attrs["command"])
        assert facts["Version"] == words(file.attrs["oloid_version"])
        assert facts["Units"] == "SI"
        assert data["model_text"] == file["model/text"].asstr()[()]


@pytest.mark.parametrize("model", ["cardan-shaft", "planar-pair", "robot-6r"])
def test_curves_of_a_plot_have_different_names(run, animated, model):
    for plot in Page(run(model, "--end", "0.05")[1]).data["plots"]:
        assert len(set(plot["labels"])) == len(plot["labels"]) == len(plot["columns"])


def test_moments_of_beams_are_among_the_plots(run, animated):
    """At the first, the middle and the last point of each beam."""
    result, page = run("three-bar-swing", "--end", "0.05")
    data = Page(page).data
    plots = [plot for plot in data["plots"] if plot["labels"] == ["bending about d1",
                                                                  "bending about d2", "torsion"]]
    with h5py.File(result) as file:
        names = words(file["frames/stress"].attrs["columns"])
        beams = {name.split(".")[0] for name in names}
        assert len(plots) == 3 * len(beams)
        for name in (name for plot in plots for name in plot["columns"]):
            assert (column(data, name)[1] == file["frames/stress"][:, names.index(name)]).all()


def test_frames_are_the_motion_to_what_a_screen_shows(run, animated):
    result, page = run("six-body-linkage")
    data = Page(page).data
    frames, nodes = data["frames"], len(data["nodes"])
    box = numbers(frames["box"], "<f4").reshape(nodes, 2, 3).astype(float)
    steps = numbers(frames["position"], "<u2").reshape(frames["count"], nodes, 3)
    turns = numbers(frames["turn"], "<i2").reshape(frames["count"], nodes, 4) / 32767
    position = box[:, 0] + box[:, 1] * steps / 65535
    w, x, y, z = numpy.moveaxis(turns, 2, 0)
    first = numpy.stack([w*w + x*x - y*y - z*z, 2*(x*y + w*z), 2*(x*z - w*y)], 2)
    third = numpy.stack([2*(x*z + w*y), 2*(y*z - w*x), w*w - x*x - y*y + z*z], 2)
    with h5py.File(result) as file:
        q = file["frames/q"][:].reshape(-1, nodes, 4, 3)
        size = numpy.ptp(q[:, :, 0], axis=(0, 1)).max()
        assert frames["count"] == len(q)
        assert (numbers(frames["time"]) == file["frames/time"][:]).all()
        assert numpy.abs(position - q[:, :, 0]).max() < 2e-5 * size
        assert numpy.abs(first - q[:, :, 1]).max() < 2e-4
        assert numpy.abs(third - q[:, :, 3]).max() < 2e-4
    # signs are continuous: no quaternion is farther from the one before than a step turns
    assert (numpy.sum(turns[1:] * turns[:-1], axis=2) > 0).all()


def test_the_scene_is_that_of_the_result(run, animated):
    result, page = run("six-body-linkage", "--end", "0.1")
    scene = Page(page).data["scene"]
    maps = numbers(scene["map"], "<f4").reshape(-1, 15)
    with h5py.File(result) as file:
        assert scene["name"] == list(file["scene/name"].asstr())
        assert scene["primitive"] == list(file["scene/primitive"].asstr())
        assert (numbers(scene["node"], "<i4").reshape(-1, 2) == file["scene/node"][:]).all()
        vertices = file["scene/size"][0].reshape(4, 3)
    # a tetrahedron is its first corner and three edges
    assert maps[0, :3] == pytest.approx(vertices[0])
    assert maps[0, 6:].reshape(3, 3) == pytest.approx(vertices[1:] - vertices[0])


def test_beams_are_coloured_by_the_stress_of_the_result(run, animated):
    result, page = run("three-bar-swing", "--end", "0.3")
    data = Page(page).data
    stress, scene = data["frames"]["stress"], data["scene"]
    rows = numbers(stress["drawable"], "<i4")
    assert [scene["primitive"][row] for row in rows] == ["sweep"] * stress["count"]
    assert stress["names"] == ["axial force", "shear force", "bending moment", "torsion"]
    assert stress["units"] == ["N", "N", "N m", "N m"]
    shown = numbers(stress["size"], "u1").reshape(data["frames"]["count"], stress["count"], 4) / 255
    with h5py.File(result) as file:
        columns = words(file["frames/stress"].attrs["columns"])
        elements = len(columns) // 6
        assert stress["count"] == elements == scene["primitive"].count("sweep")
        values = file["frames/stress"][:].reshape(-1, elements, 6)
        # with one point per element the name of the column begins with that of the beam
        names = [columns[6 * (file["scene/point"][row, 0] - 1)].split(".")[0] for row in rows]
        assert names == [scene["name"][row] for row in rows]
    norm = numpy.linalg.norm
    sizes = numpy.stack([abs(values[:, :, 2]), norm(values[:, :, :2], axis=2),
                         norm(values[:, :, 3:5], axis=2), abs(values[:, :, 5])], 2)
    largest = sizes.max(axis=(0, 1))
    # a planar swing is not twisted
    assert (list(stress["largest"]) == pytest.approx(list(largest), rel=1e-6) and list(largest > 0)
            == [True] * 3 + [False])
    assert (abs(shown * largest - sizes).max(axis=(0, 1)) <= (1 + 1e-4) * largest / 510).all()


def test_beams_without_stress_are_plain(oloid, run, animated):
    result, path = run("flying-beam", "--end", "0.5")
    with changed(result) as file:
        del file["frames/stress"]
        del file["scene/point"]
    assert oloid("report", result).returncode == 0
    data = Page(path).data
    assert "stress" not in data["frames"] and "sweep" in data["scene"]["primitive"]


def test_the_other_end_of_a_sweep_has_its_own_axes(run, animated):
    result, page = run("right-angle-elbow", "--end", "0.5")
    scene = Page(page).data["scene"]
    ends = numbers(scene["sweep_end"], "<f4").reshape(-1, 2, 3)
    with h5py.File(result) as file:
        sweeps = file["scene/size"][:][file["scene/primitive"].asstr()[:] == "sweep"]
    axes = sweeps[:, 3:].reshape(-1, 3, 3)
    assert len(ends) == len(sweeps) > 1
    for k in range(2):
        assert ends[:, k] == pytest.approx(sweeps[:, k, None] * axes[:, :, k], rel=1e-6)


def test_long_runs_are_thinned_and_have_their_extremes(run, animated):
    result, page = run("six-body-linkage", "--step", "1e-3", "--end", "12",
                       "--set", "run.frames=12000")
    assert page.stat().st_size < LIMIT
    data = Page(page).data
    assert "of 12001 recorded states" in data["thinned"]
    with h5py.File(result) as file:
        times = file["frames/time"][:]
        for name, dataset in LEDGER.items():
            time, values = column(data, name)
            expected = file[f"ledger/{dataset}"][:]
            rows = numpy.searchsorted(times, time)
            assert 1000 <= len(time) < len(times)
            assert (times[rows] == time).all() and (expected[rows] == values).all()
            assert time[0] == times[0] and time[-1] == times[-1]
            assert values.min() == expected.min() and values.max() == expected.max()
    assert data["frames"]["count"] <= 2400


def test_what_was_not_recorded_is_there_with_its_extremes(run, animated):
    result, page = run("six-body-linkage", "--step", "1e-3", "--end", "1",
                       "--set", "run.frames=50")
    data = Page(page).data
    assert "every 20-th of 1000 steps" in data["thinned"]
    with h5py.File(result) as file:
        for name, dataset in LEDGER.items():
            if name == "energy.balance":
                continue  # in no plot of the ledger by itself
            for side in ("min", "max"):
                _, values = column(data, f"{name}.{side}")
                assert (values == file[f"ledger_{side}/{dataset}"][:]).all()


@pytest.mark.slow
def test_long_beams_are_drawn_with_fewer_sections(run, animated):
    _, page = run("flying-beam", "--set", "n=4000", "--step", "0.05", "--end", "6.5")
    data = Page(page).data
    shown = len(data["nodes"])
    assert shown < 2500 and f"{shown} of 4001" in data["thinned"]
    scene = data["scene"]
    nodes = numbers(scene["node"], "<i4").reshape(-1, 2)
    sweeps = [tuple(pair) for pair, kind in zip(nodes, scene["primitive"]) if kind == "sweep"]
    assert sweeps == [(k, k + 1) for k in range(shown - 1)]


@pytest.mark.slow
def test_very_many_bodies_are_thinned(run, animated):
    _, page = run("chain", "--set", "n=3000", "--end", "0.25")
    assert page.stat().st_size < LIMIT
    data = Page(page).data
    shown = len(data["nodes"])
    assert 500 < shown < 3000 and f"{shown} of 3000" in data["thinned"]
    nodes = numbers(data["scene"]["node"], "<i4")
    assert nodes.max() == shown - 1 and data["frames"]["count"] >= 120


@pytest.mark.slow
def test_the_report_of_very_many_bodies_costs_less_than_their_run(oloid):
    # names are looked up in a table, and neighbouring columns are read together: the cost is in
    # proportion to the bodies
    def seconds(*arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = oloid(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0, done.stderr
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    run = seconds("run", "chain", "--set", "n=20000", "--end", "0.01", "--quiet", "--no-report",
                  "-o", "many.h5")
    assert seconds("report", "many.h5", "-o", "many.html") < run
    assert os.path.getsize(oloid.folder / "many.html") < 10e6


NASTY = ['</script><script>alert(1)</script>', '"\'><img src=x onerror=alert(1)>', "<!--<script>",
         "\u202egnp.exe \U0001f6b2\u2028", "& &lt; \\u003c \\", "x" * 10000]


def spoil(path, name):
    """Puts a name everywhere where a result has one."""
    with changed(path) as file:
        for key in ("model", "description", "units", "command", "warnings", "error"):
            file.attrs[key] = numpy.bytes_(name.encode())
        for dataset in ("nodes/name", "scene/name", "scene/role", "verdict/quantity", "verdict/why",
                        "model/text"):
            put_text(file, dataset, name)


@pytest.mark.parametrize("name", NASTY, ids=["script", "attribute", "comment", "emoji", "entity",
                                             "long"])
def test_names_cannot_become_part_of_the_page(oloid, run, name):
    result, path = run("six-body-linkage", "--end", "0.1")
    before = Page(path)
    spoil(result, name)
    for options in ([], ["--plain"]):
        done = oloid("report", result, *options)
        assert done.returncode == 0, done.stderr
        page = Page(path)
        assert page.texts["title"].startswith(name)
        if not page.scripts:
            assert not {"script", "img"} & set(page.tags)
            continue
        assert page.tags == before.tags  # no element came in
        data = page.data
        assert data["title"] == name and data["nodes"] == [name] * 6
        assert data["verdict"][0]["quantity"] == name[:127]


def test_the_plain_page_has_plots_and_no_scripts(oloid, run):
    _, path = run("six-body-linkage", "--end", "0.1")
    done = oloid("report", "six-body-linkage.h5", "--plain")
    assert done.returncode == 0, done.stderr
    page = Page(path)
    assert "script" not in page.tags and "script-src" not in page.policy
    assert page.tags.count("svg") >= 6
    assert "npm" not in path.read_text()
    for picture in re.findall(r"<svg.*?</svg>", path.read_text(), re.S):
        assert len(ElementTree.fromstring(picture).findall(f"{SVG}path")) > 3


@pytest.mark.skipif("OLOID_OTHER" not in os.environ, reason="needs a build without the page")
def test_without_npm_the_page_says_what_is_missing(oloid, run):
    result, path = run("heavy-top", "--end", "0.05")
    other = [os.environ["OLOID_OTHER"], "report", str(result)]
    import subprocess
    done = subprocess.run(other, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = Page(path)
    assert "script" not in page.tags and page.tags.count("svg") >= 6
    assert "animation is missing" in path.read_text() and "npm" in path.read_text()
    done = subprocess.run([*other, "--png"], capture_output=True, text=True)
    assert done.returncode != 0 and "npm" in one_message(done)


def test_a_run_that_broke_off_has_a_report(oloid, run):
    done = oloid("run", "heavy-top", "-q", "--set", "run.iterations=1", "--set", "run.halvings=0",
                 "--checkpoint", "0")
    assert done.returncode == 3 and not (oloid.folder / "heavy-top.report.html").exists()
    done = oloid("report", "heavy-top.h5.partial", "--plain")
    assert done.returncode == 0, done.stderr
    assert "NOT_CONVERGED" in (oloid.folder / "heavy-top.report.html").read_text()
    done = oloid("report", "heavy-top.h5.partial")
    assert done.returncode == 0, done.stderr


def test_a_force_that_is_not_finite_ends_the_run_and_its_page_says_where(oloid, animated):
    (oloid.folder / "push.yaml").write_text(
        "name: push\npoints: {name: a, mass: 1, position: [1, 0, 0]}\n"
        "loads: {on: a, force: [1, 0, 0], time: 1/sqrt(0.5-t)}\nrun: {step: 0.01, end: 1}\n")
    done = oloid("run", "push.yaml", "-q")
    assert done.returncode == 3 and "the step at t = 0.5" in one_message(done)
    done = oloid("report", "push.h5.partial")
    assert done.returncode == 0, done.stderr
    page = Page(oloid.folder / "push.report.html")
    assert "the step at t = 0.5" in page.scripts[0][1]
    time, values = column(page.data, "energy.total")
    assert time[-1] == 0.5 and numpy.isfinite(values).all()


def test_plots_of_what_is_not_there_are_left_out(oloid, animated):
    """A point in free fall has no constraints, and a mode that swings was found without Newton."""
    (oloid.folder / "fall.yaml").write_text(
        "name: fall\ngravity: [0, 0, -9.81]\n"
        "points: {name: a, mass: 1, position: [1, 0, 0]}\nrun: {step: 0.01, end: 1}\n")
    assert oloid("run", "fall.yaml", "-q").returncode == 0
    assert oloid("modes", "planar-pendulum", "-n", "1", "-o", "mode.h5").returncode == 0
    plots = {name: {plot["name"]
                    for plot in Page(oloid.folder / f"{name}.report.html").data["plots"]}
             for name in ("fall", "mode")}
    assert "constraint_error" not in plots["fall"] and {"energy", "iterations"} <= plots["fall"]
    assert "iterations" not in plots["mode"] and "energy" in plots["mode"]


# -- plots as SVG ----------------------------------------------------------------------------------

def curves(picture):
    """The curves of a picture in the units of its axes, from the ticks and their labels."""
    ticks = {"x": [], "y": []}
    children = list(picture)
    for path, text in zip(children, children[1:]):
        if path.tag == f"{SVG}path" and text.tag == f"{SVG}text":
            vertical = re.fullmatch(r"M([\d.]+) ([\d.]+)V[\d.]+", path.get("d"))
            level = re.fullmatch(r"M([\d.]+) ([\d.]+)H[\d.]+", path.get("d"))
            if vertical:
                ticks["x"].append((float(vertical[1]), float(text.text)))
            if level:
                ticks["y"].append((float(level[2]), float(text.text)))
    log = picture.findall(f"{SVG}text") and all(
        numpy.log10(value) % 1 == 0 for _, value in ticks["y"] if value > 0) and min(
        value for _, value in ticks["y"]) > 0
    maps = {}
    for axis, list_ in ticks.items():
        pixels, values = numpy.array(list_).T
        values = numpy.log10(values) if log and axis == "y" else values
        maps[axis] = numpy.polyfit(pixels, values, 1)
    found = []
    for path in picture.findall(f"{SVG}path"):
        if path.get("stroke-linejoin"):
            points = numpy.array(re.findall(r"([\d.]+) ([\d.]+)", path.get("d")), float)
            y = numpy.polyval(maps["y"], points[:, 1])
            found.append((numpy.polyval(maps["x"], points[:, 0]), 10**y if log else y))
    return found


@pytest.mark.parametrize("name, path, column", [
    ("angular_momentum", "ledger/angular_momentum.x", 0),
    ("energy", "ledger/kinetic", 0),
    ("diagonal.position", "outputs/diagonal/position", 0),
    ("three.position.y", "frames/position", 10),
    ("joint_angles", "frames/joint", 0),
])
def test_svg_shows_the_numbers_of_the_result(oloid, run, name, path, column):
    result, _ = run("six-body-linkage", "--end", "0.5")
    done = oloid("report", result, "--svg", name, "-o", "plot.svg")
    assert done.returncode == 0, done.stderr
    picture = ElementTree.parse(oloid.folder / "plot.svg").getroot()
    time, values = curves(picture)[0]
    with h5py.File(result) as file:
        expected = file[path][:]
        expected = expected[:, column] if expected.ndim == 2 else expected
        assert time == pytest.approx(file["frames/time"][:], abs=1e-3)
        # half a pixel of 238
        assert values == pytest.approx(expected, abs=3e-3 * (numpy.ptp(expected) + 1e-9) + 1e-2
                                       * numpy.abs(values).max())


def test_the_page_has_contacts_and_marks_impacts(oloid, run, animated):
    result, page = run("rocking-block", "--end", "1.2")
    data = Page(page).data
    contacts = data["frames"]["contacts"]
    with h5py.File(result) as file:
        time, impulse = file["frames/time"][:], file["ledger_max/impulse"][:]
        status, force = file["frames/contact_status"][:], file["frames/contact_force"][:]
        marked = time[impulse > 1e-3 * impulse.max()]
        assert 1 <= len(marked) <= 5 and (numbers(data["impacts"]) == marked).all()
        assert contacts["names"] == ["left", "right"]
        assert (numbers(contacts["status"], "u1") == status.ravel()).all()
        assert {0, 3} <= set(status.ravel()) <= {0, 2, 3}
        assert numbers(contacts["force"], "<f4") == pytest.approx(force.ravel(), rel=1e-6)
        point = file["frames/contact_point"][:]
        assert numbers(contacts["point"], "<f4") == pytest.approx(point.ravel(), abs=1e-6)
        assert list(numbers(contacts["owner"], "<i4")) == [0, 1]
        # the point of a closed contact is on the floor
        assert abs(point[:, 2][status[:, 0] > 0]).max() < 1e-9
    names = {plot["name"] for plot in data["plots"]}
    assert {"losses", "closed_contacts", "impact_impulse", "contact_normal", "contact_friction",
            "contact_gap"} <= names
    done = oloid("report", result, "--svg", "contact_normal", "-o", "plot.svg")
    assert done.returncode == 0, done.stderr
    picture = ElementTree.parse(oloid.folder / "plot.svg").getroot()
    ticks = next(path for path in picture.iter(f"{SVG}path") if path.get("class") == "impacts")
    assert ticks.get("d").count("M") == len(marked)


def test_svg_of_errors_is_logarithmic(oloid, run):
    result, _ = run("six-body-linkage", "--end", "0.5")
    done = oloid("report", result, "--svg", "constraint_error", "-o", "-")
    assert done.returncode == 0, done.stderr
    errors = curves(ElementTree.fromstring(done.stdout))[0][1]
    with h5py.File(result) as file:
        expected = file["ledger/constraint_error"][:]
    expected = expected[expected > 0]
    assert numpy.log10(errors) == pytest.approx(numpy.log10(expected), abs=0.05)


def test_svg_of_what_is_not_there_suggests_a_name(oloid, run):
    run("heavy-top", "--end", "0.01")
    done = oloid("report", "heavy-top.h5", "--svg", "enrgy")
    assert done.returncode != 0 and "did you mean 'energy'" in one_message(done)
    done = oloid("report", "heavy-top.h5", "--svg", "top.positio.x")
    assert "top.position.x" in one_message(done)


def test_svg_has_a_name_of_its_own(oloid, run):
    run("heavy-top", "--end", "0.01")
    done = oloid("report", "heavy-top.h5", "--svg", "energy")
    assert done.stdout == "heavy-top.energy.svg\n"
    assert (oloid.folder / "heavy-top.energy.svg").exists()


# -- studies ---------------------------------------------------------------------------------------

def test_converge_writes_a_page_with_its_numbers(oloid):
    arguments = ["converge", "heavy-top", "--time", "0.1", "--steps", "4e-3,2e-3,1e-3", "-q",
                 "--report", "study.html"]
    done = oloid(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    page = Page(oloid.folder / "study.html")
    if not page.scripts:
        assert page.tags.count("svg") == 1 and page.tags.count("tr") > 4
        return
    data = page.data
    assert data["kind"] == "study" and data["title"] == "heavy-top"
    plot = data["study_plots"][0]
    assert plot["x_log"] and plot["y_log"]
    assert [series["name"] for series in plot["series"]] == ["q", "p", "z"]
    for series in plot["series"]:
        assert series["x"] == [row["step"] for row in rows]
        assert series["y"] == [row["error"][series["name"]] for row in rows]
    assert len(data["tables"][0]["rows"]) == len(rows) + 1  # and the fitted orders
    assert dict(data["facts"])["Command"] == "oloid " + " ".join([*arguments, "--json"])


def test_compare_writes_a_page_with_its_numbers(oloid):
    done = oloid("compare", "heavy-top", "--count", "20", "--no-cpu", "-q", "--json", "--report",
                 "study.html")
    assert done.returncode == 0, done.stderr
    study = json.loads(done.stdout)
    page = Page(oloid.folder / "study.html")
    if not page.scripts:
        assert page.tags.count("svg") == 1 and page.tags.count("table") == 3
        return
    runs, conditions = page.data["tables"]
    assert len(runs["rows"]) == len(conditions["rows"]) == len(study["rows"])
    for row, expected in zip(runs["rows"], study["rows"]):
        assert row[0].split()[0] == expected["treatment"]
        assert int(row[1]) == expected["unknowns"]
    for series, expected in zip(page.data["study_plots"][0]["series"], study["rows"]):
        assert series["x"] == study["condition_steps"] and series["y"] == expected["condition"]


@pytest.mark.parametrize("command", ["converge", "compare"])
def test_a_study_whose_page_cannot_be_written_says_so(oloid, command):
    short = ["--time", "0.01"] if command == "converge" else ["--count", "2", "--no-cpu"]
    done = oloid(command, "heavy-top", *short, "-q", "--report", "missing/x.html")
    assert done.returncode == 4 and "missing/x.html" in one_message(done)
    assert "heavy-top" in done.stdout


def test_zero_drift_is_shown_as_by_the_command(oloid):
    (oloid.folder / "still.yaml").write_text(
        "name: still\npoints:\n  - {name: a, mass: 1, position: [1, 2, 3]}\n"
                                             "run: {step: 0.1, end: 1}\n")
    done = oloid("run", "still.yaml", "-q")
    assert done.returncode == 0 and "constant to 0 " in done.stdout
    assert oloid("report", "still.h5", "--plain").returncode == 0
    page = (oloid.folder / "still.report.html").read_text()
    assert "<td>constant to 0</td>" in page and "0.0e+00" not in page


# -- mistakes --------------------------------------------------------------------------------------

@pytest.mark.parametrize("arguments, text", [
    (["heavy-top.h5", "-o", "heavy-top.h5"], "overwrite"),
    (["missing.h5"], "missing.h5"),
    (["heavy-top.h5", "-o", "missing/x.html"], "missing/x.html"),
    (["heavy-top.h5", "--svg", "energy", "--png"], "exclude"),
    (["heavy-top.h5", "--svg", "nonsense"], "plots are energy, drift, constraint_error"),
    (["heavy-top.h5", "--time", "1"], "--png"),
    (["heavy-top.h5", "--png", "--time", "nan"], "'nan' is not a number"),
    (["heavy-top.h5", "--png", "--time", "1s"], "'1s' is not a number"),
    (["heavy-top.h5", "--png", "--time", "0.02"], "extends from 0 to 0.01"),
    (["heavy-top.h5", "-o", "/dev/full"], "/dev/full"),
])
def test_mistakes_are_reported(oloid, run, arguments, text):
    result, _ = run("heavy-top", "--end", "0.01")
    before = result.read_bytes()
    done = oloid("report", *arguments)
    assert done.returncode in (2, 4) and text in done.stderr
    assert done.stderr.startswith("oloid: ")
    assert result.read_bytes() == before
    assert not [name for name in os.listdir(oloid.folder) if ".oloid-" in name]


def test_a_result_without_a_scene_has_a_report(oloid, run, animated):
    result, path = run("heavy-top", "--end", "0.01")
    with changed(result) as file:
        del file["scene"]
    assert oloid("report", result).returncode == 0
    assert Page(path).data["scene"]["count"] == 0


def test_a_damaged_scene_is_refused(oloid, run):
    result, _ = run("heavy-top", "--end", "0.01")
    with changed(result) as file:
        del file["scene/size"]
        file["scene/size"] = numpy.zeros((1, 3))
    done = oloid("report", result)
    if "built without" not in done.stderr and done.returncode != 0:
        assert "scene" in one_message(done)


# -- pictures --------------------------------------------------------------------------------------

def test_a_picture_without_a_browser_says_what_to_do(oloid, run, animated):
    run("heavy-top", "--end", "0.01")
    done = oloid("report", "heavy-top.h5", "--png", env={"PATH": "/nonexistent"})
    assert done.returncode != 0 and "chromium" in one_message(done)
    done = oloid("report", "heavy-top.h5", "--png", env={"OLOID_BROWSER": "no-such-browser"})
    assert done.returncode != 0 and "no-such-browser" in one_message(done)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no browser")
def test_a_picture_of_the_scene(oloid, run, animated):
    run("heavy-top", "--end", "0.01")
    done = oloid("report", "heavy-top.h5", "--png")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "heavy-top.png\n"
    picture = (oloid.folder / "heavy-top.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) > 10000
