"""tools/install-deps on systems of other kinds: a folder of programs with one package manager."""
import os
import shutil
import subprocess

import pytest
from conftest import ROOT

PROGRAMS = ["sh", "awk", "cut", "env", "id", "sed", "tr"]
# names of https://packages.fedoraproject.org, archlinux.org/packages, pkgs.alpinelinux.org and
# formulae.brew.sh
PACKAGES = {
    "dnf": ("sudo dnf install", "gcc make cmake pkgconf-pkg-config libyaml-devel hdf5-devel "
            "zlib-devel suitesparse-devel lapack-devel arpack-devel openblas-devel",
            "coin-or-Ipopt-devel"),
    "pacman": ("sudo pacman -S", "gcc make cmake pkgconf libyaml hdf5 zlib suitesparse lapacke "
               "arpack openblas", "coin-or-ipopt"),
    "apk": ("sudo apk add", "build-base make cmake pkgconf yaml-dev hdf5-dev zlib-dev "
            "suitesparse-dev lapack-dev arpack-dev openblas-dev", ""),
    "brew": ("brew install", "gcc make cmake pkgconf libyaml hdf5 zlib suite-sparse lapack arpack "
             "openblas", "ipopt")}


@pytest.fixture
def system(tmp_path):
    for name in PROGRAMS:
        (tmp_path / name).symlink_to(shutil.which(name))

    def system(*options):
        return subprocess.run([ROOT / "tools/install-deps", *options], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "PATH": str(tmp_path)})

    def program(name, text=""):
        (tmp_path / name).unlink(missing_ok=True)  # a link to the system's own program
        (tmp_path / name).write_text(f"#!{shutil.which('sh')}\n{text}\n")
        (tmp_path / name).chmod(0o755)
    system.program = program
    return system


@pytest.mark.parametrize("manager", PACKAGES)
def test_other_systems_get_one_command_that_installs_what_is_missing(system, manager):
    system.program(manager)
    command, packages, ipopt = PACKAGES[manager]
    done = system()
    assert done.returncode == 1 and done.stdout == ""
    assert f"\nInstall them with: {command} {packages}\n" in done.stderr
    assert "Ipopt" not in done.stderr and "pip" not in done.stderr
    done = system("--optimize", "--test", "--page")
    for name in [*packages.split(), ipopt, "cmocka"]:
        assert name in done.stderr
    line = next(line for line in done.stderr.splitlines() if line.startswith("Install them"))
    words = line.removeprefix(f"Install them with: {command} ").split()
    assert len(words) == len(set(words))
    assert ("Ipopt: no package is known" in done.stderr) == (manager == "apk")


def test_homebrew_gets_the_paths_of_what_it_installs(system):
    system.program("brew")
    done = system()
    for word in ("CPATH", "LIBRARY_PATH", "PKG_CONFIG_PATH", "lapack", "openblas"):
        assert word in done.stderr


def test_an_unknown_system_gets_the_names(system):
    done = system()
    assert done.returncode == 1
    for name in ("C compiler", "CMake 3.21", "libyaml", "HDF5", "zlib", "SuiteSparse", "LAPACKE",
                 "ARPACK", "OpenBLAS"):
        assert f"  {name}\n" in done.stderr


def test_debian_installs_all_in_one_call_and_ipopt_on_request(system, tmp_path):
    log = tmp_path / "log.txt"
    system.program("id", "echo 0")
    system.program("apt-get", f'echo "$@" >>{log}')
    assert system().returncode == 1  # the packages of this apt-get contain nothing
    update, install = log.read_text().splitlines()
    assert "update" in update and "--no-install-recommends" in install
    assert "libopenblas-dev" in install and "ipopt" not in install and "npm" not in install
    log.write_text("")
    system("--optimize")
    assert "coinor-libipopt-dev" in log.read_text()


def test_without_root_and_sudo_debian_says_what_root_has_to_do(system):
    system.program("id", "echo 1000")
    system.program("apt-get")
    done = system()
    assert done.returncode == 1 and "as root: apt-get install gcc" in done.stderr


def test_an_unknown_option_is_named(system):
    done = system("--optimise")
    assert done.returncode == 2 and "--optimise" in done.stderr and "--optimize" in done.stderr
