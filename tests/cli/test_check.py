"""`oloid check`: size, constraint groups, conserved quantities."""
import json

import pytest
from conftest import MODELS, one_message


@pytest.mark.parametrize("model", MODELS)
def test_json_is_consistent(oloid, model):
    done = oloid("check", model, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["name"] == model
    assert report["constraints"] == report["internal"] + report["external"]
    assert report["constraints"] == report["rank"] + report["redundant"]
    assert report["degrees_of_freedom"] == report["coordinates"] - report["rank"]
    assert sum(group["rows"] for group in report["groups"]) == report["constraints"]
    assert report["conserved"] and all(law["why"] for law in report["conserved"])
    assert not {law["quantity"] for law in report["conserved"]} & set(report["not_conserved"])
    energy = report["energy"]
    assert energy["total"] == pytest.approx(
        energy["kinetic"] + energy["potential"] + energy["strain"])


def test_heavy_top(oloid):
    report = json.loads(oloid("check", "heavy-top", "--json").stdout)
    assert (report["points"], report["bodies"]) == (0, 1)
    assert (report["coordinates"], report["internal"], report["external"]) == (12, 6, 3)
    assert report["degrees_of_freedom"] == 3 == report["unknowns"]["reduced"]
    assert {law["quantity"] for law in report["conserved"]} == {"energy", "angular momentum z"}
    assert set(report["not_conserved"]) == {
        "linear momentum x", "linear momentum y", "linear momentum z",
        "angular momentum x", "angular momentum y"}


def test_double_spherical_pendulum(oloid):
    report = json.loads(oloid("check", "double-spherical-pendulum", "--json").stdout)
    assert (report["coordinates"], report["constraints"]) == (6, 2)
    assert report["degrees_of_freedom"] == 4


@pytest.mark.parametrize("model, joints, dofs, counted",
                         [("bricard", {"D": (1, 5)}, 1, 0),
                          ("four-bar-spatial", {"C1": (3, 5), "C2": (3, 5)}, 1, -5)])
def test_redundant_rows_are_named(oloid, model, joints, dofs, counted):
    report = json.loads(oloid("check", model, "--json").stdout)
    named = {group["name"]: (group["repeated"], group["rows"])
             for group in report["groups"] if group["repeated"]}
    assert named == joints
    assert sum(rows for rows, _ in named.values()) == report["redundant"]
    text = oloid("check", model).stdout
    for name, (redundant, rows) in joints.items():
        verb = "is" if redundant == 1 else "are"
        assert f"'{name}': {redundant} of its {rows} rows {verb} redundant" in text
    assert f"degrees of freedom  {dofs} ({counted} by counting rows)" in text


def test_free_body_conserves_all_momentum(oloid):
    report = json.loads(oloid("check", "free-body", "--json").stdout)
    assert len(report["conserved"]) == 7 and report["not_conserved"] == []


def test_text_for_people(oloid):
    done = oloid("check", "heavy-top")
    assert done.returncode == 0 and done.stderr == ""
    for wanted in ("coordinates         12", "9 (6 internal, 3 external), rank 9",
                   "degrees of freedom  3", "constraint groups", "conserved",
                   "angular momentum z", "not conserved", "linear momentum x", "initial state",
                   "energy"):
        assert wanted in done.stdout
    assert "\033" not in done.stdout


def test_large_model_is_a_page(oloid):
    done = oloid("check", "chain", "--set", "n=1000")
    assert done.returncode == 0 and len(done.stdout.splitlines()) <= 40
    assert "  link1 ... link1000      1000      0     6  internal" in done.stdout
    assert "  hinge1 ... hinge1000    1000   6000     5  external" in done.stdout
    report = json.loads(oloid("check", "chain", "--set", "n=1000", "--json").stdout)
    assert len(report["groups"]) == 2000
    done = oloid("check", "four-bar-spatial", "--set", "n=60")
    assert done.returncode == 0 and len(done.stdout.splitlines()) <= 60


@pytest.mark.parametrize("scheme, conserved", [
    ("energy-momentum-2006", "energy and momenta are conserved to round-off at any step size"),
    ("variational", "momenta are conserved to round-off at any step size; steps are symplectic, "
                    "and the energy oscillates")])
def test_what_the_scheme_of_the_model_conserves(oloid, scheme, conserved):
    setting = ("check", "heavy-top", "--set", f"run.scheme={scheme}")
    assert f"  {scheme}: {conserved}" in oloid(*setting).stdout
    report = json.loads(oloid(*setting, "--json").stdout)
    assert report["scheme"] == scheme
    assert report["scheme_keeps"].startswith(conserved)


def test_settings_are_checked_too(oloid):
    done = oloid("check", "heavy-top", "--set", "nonsense=1")
    assert done.returncode == 2 and done.stdout == ""
    assert "nonsense" in one_message(done)


@pytest.mark.parametrize("model", ["double-spherical-pendulum", "heavy-top", "six-body-linkage"])
def test_variational_steps_are_symplectic_and_others_are_not(oloid, model):
    defect = {}
    for scheme in ("variational", "energy-momentum-2006"):
        done = oloid("check", model, "--symplectic", "--json", "--set", f"run.scheme={scheme}")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["symplectic"]["degrees_of_freedom"] == report["degrees_of_freedom"]
        defect[scheme] = report["symplectic"]["defect"]
    assert defect["variational"] < 1e-12
    assert defect["energy-momentum-2006"] > 1e-9


def test_symplectic_in_words(oloid):
    done = oloid("check", "planar-pendulum", "--symplectic", "--set", "run.scheme=variational")
    assert done.returncode == 0, done.stderr
    assert "symplectic defect" in done.stdout
    assert "is symplectic: momenta are conserved" in done.stdout


def test_consistent_velocities_conserve_energy_instead(oloid):
    done = oloid("check", "heavy-top", "--symplectic",
                 "--set", "run.scheme=energy-momentum")
    assert done.returncode == 0, done.stderr
    assert "is not symplectic: energy and momenta of velocities that satisfy" in done.stdout


def test_rolling_has_no_symplectic_form(oloid):
    done = oloid("check", "rolling-disc", "--symplectic")
    assert done.returncode != 0
    assert "'contact' rolls: with rolling there is no symplectic form" in one_message(done)
