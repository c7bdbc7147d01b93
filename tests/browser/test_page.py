"""The page of reports in a real browser: what a reader sees, and that it is what the result holds.

drive.mjs opens the pages and writes down what it saw; here is what must hold. OLOID_PAGES=all takes
every model of the catalogue instead of seven of different kind, OLOID_PAGES=chain,bricard those.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

import h5py
import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from conftest import environment, executable  # noqa: E402
from checksum_trailer import changed, put_text, words  # noqa: E402

# bodies in a loop, a top on a support, springs and points, rods in a plane, a robot with outputs,
# many bodies, a beam, contacts
MODELS = {"six-body-linkage": ["--end", "0.4"],
          "heavy-top": ["--end", "0.3"],
          "spring-chain": ["--end", "2"],
          "planar-pendulum": ["--end", "1"],
          "robot-6r": ["--end", "0.5"],
          "chain": ["--set", "n=60", "--end", "0.4"],
          "flying-beam": ["--end", "3"],
          "rocking-block": ["--end", "1.5"]}
# few states, so that most of them are not in the file, and their extremes are
THINNED = {"heavy-top": ["--set", "run.frames=60"]}
NASTY = ('"\'></script><script>alert(1)</script><img src=x onerror=alert(2)> \U0001f6b2 ' + "x"
         * 10000)

STUDIES = {"converge": ["converge", "heavy-top", "--time", "0.05", "--steps", "4e-3,2e-3,1e-3"],
           "compare": ["compare", "heavy-top", "--count", "10", "--no-cpu"]}

if os.environ.get("OLOID_PAGES") == "all":
    MODELS = {path.stem: MODELS.get(path.stem, [])
              for path in sorted((ROOT / "models").glob("*.yaml"))}
elif "OLOID_PAGES" in os.environ:
    MODELS = {name: MODELS.get(name, []) for name in ["heavy-top",
                                                      *os.environ["OLOID_PAGES"].split(",")]}
# what is no motion of a run: a mode that swings
STILL = {"mode": ["modes", "cantilever", "--mode", "2", "--output", "mode.h5"]}
# keys, zoom, downloads, colours and small screens are the same code on every page: bodies, a beam,
# a mode have them all
CONTROLS = [*MODELS, *STILL] if "OLOID_PAGES" in os.environ else ["six-body-linkage", "flying-beam",
                                                                  "mode"]
# what a first look must show: shapes and colours of the model, a moved start, an equilibrium, a
# model in the plane xz, a body inside another, a body that flies away, a chain of thin links,
# coordinates without bodies
FIRST = {
    "painted": ("run", """
bodies:
  - name: a
    mass: 2
    inertia: [1, 1, 1]
    color: orange
    visual:
      - {type: sphere, radius: 0.3, opacity: 0.5}
      - {type: cylinder, radius: 0.02, height: 0.8, position: [0, 0, 0.4], color: '#204060'}
  - {name: b, shapes: {type: box, size: [1, 1, 1], mass: 2, color: red}, opacity: 0.25,
     position: [2, 0, 0]}
run: {step: 0.1, end: 1}
"""),
    "moved": ("run", """
bodies:
  - {name: hull, mass: 2, inertia: [1, 1, 1], position: [0, 0, 1], points: {left: [0, 0.5, 0]}}
  - {name: wheel, mass: 1, inertia: [1, 1, 1], position: [0, 0.8, 1], points: {hub: [0, 0, 0]}}
joints: {name: axle, between: [hull.left, wheel.hub], axis: [0, 1, 0], rate: 1}
run: {end: 0.1}
"""),
    "struts": ("equilibrium", """
plane: xy
points: {name: tip, mass: 1, position: [1, 0.3]}
springs:
  - {between: [[0, 0], tip], stiffness: 10}
  - {between: [[2, 0], tip], stiffness: 10}
loads: {on: tip, force: [0, -0.05]}
"""),
    "in xz": ("run", """
plane: xz
gravity: [0, 0, -9.81]
bodies: {name: bar, shapes: {type: box, size: [1, 0.1, 0.1], mass: 1}}
supports: {on: {on: bar, at: [-0.5, 0, 0]}, type: hinge}
run: {end: 0.5}
"""),
    "inside": ("run", """
bodies:
  - {name: case, shapes: {type: box, size: [1, 1, 1], mass: 1}}
  - {name: rotor, shapes: {type: cylinder, radius: 0.2, height: 0.4, mass: 1}}
joints: {between: [case, rotor], axis: [0, 0, 1], rate: 3}
"""),
    "away": ("run", """
bodies: {name: stone, shapes: {type: sphere, radius: 0.1, mass: 1}, velocity: [50, 0, 0]}
"""),
    "thin": ("run", """
bodies:
  - {name: "link{i}", repeat: {i: [1, 50]}, position: [i, 0, 0],
     shapes: {type: box, size: [1, 1e-3, 1e-3], mass: 1}}
"""),
    "undrawn": ("run", (ROOT / "models/woodpecker.yaml").read_text().replace(
        "name: woodpecker", "name: undrawn\nunits: pecks"))}
PAGES = [*MODELS, *STILL, "nasty names"]


def browser():
    for name in (os.environ.get("OLOID_BROWSER"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return shutil.which(name)
    pytest.fail("no browser: tools/install-deps --page installs one")


def install_packages():
    """The page's packages, with those that drive the browser."""
    viewer = ROOT / "viewer"
    if not (viewer / "node_modules" / "playwright-core").exists():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--loglevel=error"], cwd=viewer,
                       check=True)
        shutil.copy(viewer / "package-lock.json", viewer / "node_modules" / ".installed-lock.json")


def oloid(folder, *arguments):
    done = subprocess.run([executable(), *arguments], cwd=folder, text=True, capture_output=True,
                          env=environment(), timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def spoil(path):
    """Names that want to be code, wherever a result has names."""
    with changed(path) as file:
        for key in ("model", "description", "units", "command", "warnings", "error"):
            file.attrs[key] = numpy.bytes_(NASTY.encode())
        for dataset in ("nodes/name", "scene/name", "verdict/quantity", "verdict/why"):
            put_text(file, dataset, NASTY)


@pytest.fixture(scope="session")
def seen(tmp_path_factory):
    """What the browser showed, by page."""
    install_packages()
    folder = tmp_path_factory.mktemp("pages")
    plan = []
    for i, (model, options) in enumerate(MODELS.items()):
        oloid(folder, "run", model, "-q", "-o", f"{model}.h5", *options, *THINNED.get(model, []))
        plan.append({"name": model, "page": str(folder / f"{model}.report.html"),
                     "controls": model in CONTROLS, "video": i == 0})
    for name, options in STILL.items():
        oloid(folder, *options)
        plan.append({"name": name, "page": str(folder / f"{name}.report.html"),
                     "controls": name in CONTROLS, "video": False})
    for name, (command, text) in FIRST.items():
        (folder / "first.yaml").write_text(text)
        path = folder / f"{name.replace(' ', '-')}.h5"
        subprocess.run([executable(), command, "first.yaml", "-o", str(path)], cwd=folder,
                       capture_output=True, env=environment(), timeout=60)
        plan.append({"name": name, "page": str(path.with_suffix(".report.html")),
                     "controls": False, "video": False})
    shutil.copy(folder / "heavy-top.h5", folder / "nasty.h5")
    spoil(folder / "nasty.h5")
    oloid(folder, "report", "nasty.h5")
    plan.append({"name": "nasty names", "page": str(folder / "nasty.report.html"),
                 "controls": False, "video": False})
    for name, options in STUDIES.items():
        study = oloid(folder, *options, "-q", "--json", "--report", f"{name}.html")
        (folder / f"{name}.json").write_text(study)
        plan.append({"name": name, "page": str(folder / f"{name}.html"), "controls": False,
                     "video": False})
    oloid(folder, "equilibrium", "hinged-frame", "--load", "21.014", "--arc-length",
          "-o", "path.h5")
    plan.append({"name": "path", "page": str(folder / "path.report.html"), "path": True})
    (folder / "plan.json").write_text(json.dumps(plan))
    subprocess.run(["node", str(ROOT / "tests/browser/drive.mjs"), "plan.json", "seen.json"],
                   cwd=folder, check=True, env={**os.environ, "BROWSER": browser()},
                   timeout=1400 + 60 * len(plan))
    found = json.loads((folder / "seen.json").read_text())
    found["folder"] = folder
    for name, page in found.items():
        if name != "folder":
            print(f"{name}: {page['seconds']:.1f} s")
    return found


@pytest.fixture(params=PAGES)
def page(request, seen):
    assert "failure" not in seen[request.param], seen[request.param]["failure"]
    return seen[request.param]


@pytest.fixture(params=CONTROLS)
def used(request, seen):
    """A page whose controls were used."""
    assert "failure" not in seen[request.param], seen[request.param]["failure"]
    return seen[request.param]


@pytest.fixture(params=list(MODELS))
def model(request, seen):
    assert "failure" not in seen[request.param], seen[request.param]["failure"]
    return request.param, seen[request.param], seen["folder"] / f"{request.param}.h5"


def test_opens_without_errors_and_without_the_network(page):
    assert page["console"] == [] and page["dialogs"] == []
    assert all(url.startswith("file:") for url in page["requests"])
    assert len(page["requests"]) == (2 if "phone" in page else 1)  # the page itself, and on a phone


def test_the_canvas_is_not_blank(page):
    assert page["look"]["colours"] > 30


def test_play_moves_the_picture_and_pause_stops_it(page):
    playing = page["playing"]
    assert playing["running"] is True
    assert playing["after"]["time"] > playing["before"]["time"]
    assert playing["later"] == playing["after"]["time"]
    assert playing["after"]["look"]["hash"] != playing["before"]["look"]["hash"]


def test_scrubbing_moves_the_cursor_of_every_plot(page):
    first, second = page["scrubbing"]["first"], page["scrubbing"]["second"]
    assert second["time"] > first["time"] and first["look"]["hash"] != second["look"]["hash"]
    assert len(first["heads"]) >= 3
    for one, two in zip(first["heads"], second["heads"]):
        assert one["time"] == first["time"] and two["time"] == second["time"]
        assert two["x"] > one["x"] + 10 and two["legend"] > one["legend"]
        assert two["x"] == pytest.approx(two["expected"], abs=1)


def source(file, name):
    """A column of the page in the file."""
    side = {"min": "ledger_min", "max": "ledger_max"}.get(name.rsplit(".", 1)[-1])
    plain = name.rsplit(".", 1)[0] if side else name
    short = plain.removeprefix("energy.")
    if f"ledger/{short}" in file:
        return file[f"{side or 'ledger'}/{short}"][:]
    if plain == "closed_contacts":
        return file[f"{side or 'ledger'}/closed"][:]
    owner, _, rest = plain.partition(".")
    if rest in ("normal", "friction", "torque"):
        loads = file["frames/contact_load"]
        return loads[:, words(loads.attrs["columns"]).index(plain)]
    joints = words(file["frames/joint"].attrs["columns"]) if "frames/joint" in file else []
    if plain in joints:
        return file["frames/joint"][:, joints.index(plain)]
    vector, axis = rest.rsplit(".", 1)
    return file[f"outputs/{owner}/{vector}"][:, "xyz".index(axis)]


def test_plotted_values_are_those_of_the_result(model):
    name, page, path = model
    plotted = {p["name"] for p in page["plotted"]}
    assert {"energy", "drift", "iterations"} <= plotted
    with h5py.File(path) as file:
        errors = [file["ledger/constraint_error"][:], file["ledger/velocity_error"][:]]
        assert ("constraint_error" in plotted) == bool(numpy.any(errors))
        times = file["frames/time"][:]
        for plot in page["plotted"]:
            shown = dict(zip(plot["labels"], plot["data"][1:]))
            assert plot["data"][0] == list(times)
            for column, label, scale in zip(plot["columns"], plot["all"], plot["scales"]):
                expected = source(file, column)
                if label not in shown:
                    assert plot["name"] in ("energy", "contact_normal") and (expected == 0).all()
                    continue
                if plot["drift"]:
                    expected = abs(expected - expected[0]) / scale
                values = [None if plot["log"] and y <= 0 else y for y in expected]
                assert shown[label] == values, (plot["name"], column)
                for side in ("min", "max"):
                    if f"{label} {side}" in shown:
                        extremes = source(file, f"{column}.{side}")
                        assert shown[f"{label} {side}"] == [None if plot["log"] and y <= 0 else y
                                                            for y in extremes]
        if name in THINNED:
            assert any(label.endswith(" max") for plot in page["plotted"]
                       for label in plot["labels"])


def test_errors_have_a_logarithmic_scale(page):
    # unless they are zero throughout
    for plot in page["plotted"]:
        if plot["name"] in ("drift", "constraint_error"):
            assert plot["log"] or all(y == 0 for column in plot["data"][1:] for y in column)
        else:
            assert not plot["log"]


def test_the_keyboard_does_everything(used):
    keys, frames = used["keyboard"], used["keyboard"]["frames"]
    assert keys["home"] == frames[0] and keys["right"] == frames[1]
    assert (keys["shift"] == frames[11] and keys["left"] == frames[10] and keys["end"]
            == keys["last"])
    assert keys["help"] and keys["closed"]
    assert keys["slower"] < keys["speed"] < keys["faster"]
    assert keys["followed"] == "0"
    assert keys["views"] >= 3 and keys["grid"]


def test_orbit_zoom_and_fit(used):
    assert used["keyboard"]["zoomed"] and used["keyboard"]["orbited"] and used["keyboard"]["fitted"]


def test_plots_zoom_together_and_a_click_goes_there(used):
    zoom = used["zooming"]
    (low, high), (first, last) = zoom["zoomed"][0], zoom["before"][0]
    assert first < low < high < last
    assert all(pair == pytest.approx([low, high]) for pair in zoom["zoomed"])
    assert all(pair == pytest.approx([first, last]) for pair in zoom["reset"])
    assert zoom["clicked"] == pytest.approx((first + last) / 2, abs=0.02 * (last - first))


def test_beams_have_a_legend_of_their_stress(model):
    name, page, path = model
    with h5py.File(path) as file:
        if "frames/stress" not in file:
            assert page["legend"] is None
            return
        moments = file["frames/stress"][:].reshape(len(file["frames/time"]), -1, 6)[:, :, 3:5]
    legend = page["legend"]
    largest, units = legend["most"].split(" ", 1)
    assert legend["chosen"] == "bending moment" and legend["choices"][:4] == [
        "axial force", "shear force", "bending moment", "torsion"]
    assert float(largest) == pytest.approx(numpy.linalg.norm(moments, axis=2).max(), rel=6e-3)
    assert "m" in units
    # each choice is another picture, and so is none
    assert len(set(legend["looks"])) == 3 and legend["plain"]


def test_contacts_have_a_table_marks_and_arrows(model):
    name, page, path = model
    with h5py.File(path) as file:
        if "frames/contact_status" not in file:
            assert page["contacts"] is None
            return
        names = [one.removesuffix(".status") for one
                 in words(file["frames/contact_status"].attrs["columns"])]
        status, time = file["frames/contact_status"][:], file["frames/time"][:]
        force = numpy.linalg.norm(file["frames/contact_force"][:].reshape(len(time), -1, 3), axis=2)
        impulse = file["ledger_max/impulse"][:]
    contacts = page["contacts"]
    row = numpy.searchsorted(time, contacts["time"] + 1e-12) - 1
    assert [one["name"] for one in contacts["rows"]] == names
    assert [one["now"] for one in contacts["rows"]] == [
        ("open", "closed", "slides", "sticks")[int(k)] for k in status[row]]
    assert [float(one["force"]) for one in contacts["rows"]] == pytest.approx(force[row], rel=1e-3)
    # a bar for every stretch that is not open
    for i, one in enumerate(contacts["rows"]):
        begins = (status[1:-1, i] != status[:-2, i]) & (status[1:-1, i] > 0)
        assert one["bars"] == int(begins.sum()) + int(status[0, i] > 0)
    assert contacts["impacts"] == list(time[impulse > 1e-3 * impulse.max()])
    assert contacts["red"] > 0  # their ticks
    assert contacts["looks"][0] != contacts["looks"][1]  # without arrows


def test_light_and_dark_are_readable(used):
    assert used["theme"] == "dark" and used["toggled"]
    assert used["phone"]["theme"] == "dark"  # as the system has it
    for theme in ("light", "dark"):
        for selector, ratio in used["contrast"][theme].items():
            assert ratio >= 4.5, (theme, selector)


def test_a_phone_shows_it_all(used):
    assert used["phone"]["look"]["colours"] > 30
    assert used["phone"]["overflow"] <= 0
    assert used["phone"]["canvas"]["width"] >= 350 and used["phone"]["canvas"]["height"] >= 250


def test_everything_has_a_name(used):
    assert len(used["names"]) > 10 and all(used["names"])


def test_pictures_and_videos_can_be_saved(seen):
    for name, page in seen.items():
        if name not in CONTROLS:
            continue
        assert page["downloads"]["picture"]["magic"] == "89504e47"
        assert page["downloads"]["picture"]["name"].endswith(".png")
    video = seen[next(iter(MODELS))]["downloads"]["video"]
    assert video["magic"] == "1a45dfa3" and video["size"] > 5000  # EBML, as of webm


def test_verdict_and_facts_in_words(model):
    _, page, path = model
    with h5py.File(path) as file:
        for quantity in file["verdict/quantity"].asstr():
            assert quantity in page["texts"]
        assert words(file.attrs["command"]) in page["texts"]
        assert words(file.attrs["oloid_version"]) in page["texts"]
        stride = file["run"].attrs["stride"]
        assert (f"every {stride}-th of" in page["texts"]) == (stride > 1)


def test_the_text_of_a_mode_is_shown(seen):
    assert "One period of mode 2: frequency 26.3" in seen["mode"]["texts"]


def test_nasty_names_are_shown_and_not_run(seen):
    page = seen["nasty names"]
    assert page["title"] == NASTY and page["dialogs"] == []
    assert math.isfinite(page["seconds"])


@pytest.mark.parametrize("name", list(STUDIES))
def test_studies_have_pages_of_the_same_kind(seen, name):
    page = seen[name]
    study = json.loads((seen["folder"] / f"{name}.json").read_text())
    assert "failure" not in page and page["console"] == [] and len(page["requests"]) == 1
    assert all(ratio >= 4.5 for ratio in page["contrast"]["light"].values())
    rows = study["rows"]
    chart = dict(zip(["x", *range(20)], page["charts"][0]))
    if name == "converge":
        order = numpy.argsort([row["step"] for row in rows])
        assert chart["x"] == [rows[i]["step"] for i in order]
        for k, error in enumerate(["q", "p", "z"]):
            assert chart[k] == [rows[i]["error"][error] for i in order]
    else:
        order = numpy.argsort(study["condition_steps"])
        assert chart["x"] == [study["condition_steps"][i] for i in order]
        for k, row in enumerate(rows):
            assert chart[k] == [row["condition"][i] for i in order]
    assert len(page["tables"][0]) >= len(rows) + 1


def test_without_webgl_the_ledger_is_there(seen):
    page = seen["no WebGL"]
    assert page["console"] == []
    assert "no WebGL" in page["texts"] and "Verdict" in page["texts"]
    assert len(page["heads"]) >= 5 and all(head["x"] > 100 for head in page["heads"])


def test_the_motion_plays_when_the_page_opens(seen):
    assert all(seen[name]["autoplay"] is True for name in MODELS)


def test_warnings_are_in_the_verdict_above_the_fold(seen):
    look = seen["moved"]["firstLook"]
    first, second = look["findings"]
    assert "'axle' was off by 0.3" in first["text"] and first["level"] == "warn"
    assert second["text"].startswith("The initial state was made consistent")
    assert second["level"] == "plain" and first["bottom"] < second["bottom"] < look["window"]


def test_equilibria_have_a_load_axis_their_stability_and_no_empty_plots(seen):
    look = seen["struts"]["firstLook"]
    assert [one["text"] for one in look["findings"]] == [
        "The equilibrium at load factor 1 is stable."]
    assert look["clock"].startswith("load factor = ") and set(look["axes"]) == {"load factor"}
    assert not [title for title in look["titles"] if "momentum" in title]


def test_a_path_that_turns_back_is_shown_as_curves(seen):
    assert "failure" not in seen["path"] and seen["path"]["console"] == []
    path = seen["path"]["path"]
    with h5py.File(seen["folder"] / "path.h5") as file:
        loads = file["frames/time"][:]
    # the clock follows the path of the result, through both limit loads
    assert len(path["loads"]) == len(loads) and max(loads) > 21 and min(loads) < -10
    assert path["loads"] == pytest.approx(loads, rel=1e-3, abs=1e-3)
    # the curve of load and displacement, with a mark that moves along it
    [x] = [one for one in path["curves"] if one["label"] == "x"]
    assert x["time"] == pytest.approx(loads) and len(set(map(str, path["marks"]))) == len(loads)
    assert path["clicked"] == path["middle"]
    assert path["shapes"] == 12  # equilibria side by side


def test_modes_show_their_frequency_and_damping(seen):
    [finding] = seen["mode"]["firstLook"]["findings"]
    assert re.fullmatch(r"Mode 2: \S+ Hz, damping ratio 0\.", finding["text"])


def test_plane_xz_is_not_mirrored(seen):
    axes = {one["name"]: one for one in seen["in xz"]["firstLook"]["triad"]}
    assert axes["x"]["x"] > 30 and axes["z"]["y"] < -25  # to the right, upwards


def test_every_list_of_speeds_has_real_time(seen):
    for name in [*MODELS, *FIRST]:
        speeds = seen[name]["firstLook"]["speeds"]
        assert 1 in speeds and speeds == sorted(speeds)


def test_bodies_around_others_are_transparent(seen):
    assert seen["inside"]["firstLook"]["clear"] == ["case"]
    assert seen["six-body-linkage"]["firstLook"]["clear"] == []


def test_bodies_have_the_shapes_colours_and_opacity_of_the_model(seen):
    bodies = [one for one in seen["painted"]["firstLook"]["painted"] if one["name"] in ("a", "b")]
    assert {(one["name"], one["primitive"], one["color"], one["opacity"]) for one in bodies} == {
        ("a", "ellipsoid", "#ffa500", 0.5), ("a", "cylinder", "#204060", 1.0),
        ("b", "box", "#ff0000", 0.25)}


def test_what_flies_away_is_followed(seen):
    assert seen["away"]["firstLook"]["follow"] == "0"
    assert seen["heavy-top"]["firstLook"]["follow"] == "-1"


def test_plots_are_shown_instead_of_an_empty_scene(seen):
    page = seen["undrawn"]["firstLook"]
    beside_a_scene = seen["heavy-top"]["firstLook"]["ledger"]
    assert page["stage"] == 0 and page["ledger"] > 1.5 * beside_a_scene
    assert page["captions"][0] == "Energy [mass length² / time²]"  # "pecks" is among the facts
    assert seen["heavy-top"]["firstLook"]["stage"] > 400


def test_errors_are_drawn_over_eight_powers_of_ten(seen):
    """States between those of an equilibrium or a mode may have errors of 1e-50."""
    low, high = seen["mode"]["firstLook"]["errors"]
    assert 1e-16 <= high < 1e-8 and low == pytest.approx(1e-8 * high)


def test_windings_of_springs_do_not_touch(seen):
    thickness, distance = seen["struts"]["firstLook"]["wire"]
    assert 0.2 * distance < thickness < 0.8 * distance


def test_what_is_between_backticks_is_code(seen):
    assert seen["moved"]["firstLook"]["code"] == ["at"]


def test_thin_bodies_are_visible(seen):
    assert seen["thin"]["firstLook"]["thinnest"] > 1


def test_plots_are_found_by_a_part_of_their_title(seen):
    assert seen["heavy-top"]["firstLook"]["opened"] == 1
    titles = seen["flying-beam"]["firstLook"]["titles"]
    assert any(title.endswith(": moments at point 1") for title in titles)
