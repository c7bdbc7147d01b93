"""A build without Ipopt (`cmake -DOLOID_IPOPT=OFF`)."""
import pytest


@pytest.mark.parametrize("options", [(), ("--json",), ("--intervals", "8")])
def test_optimize_says_what_to_install(oloid, has_ipopt, options):
    if has_ipopt:
        pytest.skip("Oloid was built with Ipopt")
    done = oloid("optimize", "double-integrator", *options)
    assert done.returncode == 2
    assert "built without Ipopt" in done.stderr and "coinor-libipopt-dev" in done.stderr


def test_problems_are_checked_and_models_run_without_it(oloid):
    assert oloid("check", "double-integrator").returncode == 0
    assert oloid("run", "double-integrator", "--end", "0.1", "--no-report").returncode == 0
