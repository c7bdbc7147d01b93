"""`oloid optimize` and the threads of OpenBLAS, which get memory of their own: with too little
memory it ends with one message, and optima have the same bits for any number of threads."""
import json
import pathlib
import resource

import pytest

from conftest import executable, one_message

pytestmark = pytest.mark.usefixtures("needs_ipopt")

ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_sanitized():
    """A sanitizer needs terabytes of addresses."""
    return b"__asan_init" in pathlib.Path(executable()).read_bytes()


def little(oloid, megabytes, threads, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1000000, megabytes * 1000000))

    if is_sanitized():
        pytest.skip("a sanitizer needs more")
    return oloid("optimize", *words, "--no-result", "-q", preexec_fn=limit, timeout=60,
                 env={"OPENBLAS_NUM_THREADS": str(threads)})


# what runs out: the buffer of OpenBLAS, allocations, MUMPS
@pytest.mark.parametrize("megabytes", [180, 320, 400, 480])
@pytest.mark.parametrize("threads", [1, 4])
def test_too_little_memory_is_an_error(oloid, megabytes, threads):
    done = little(oloid, megabytes, threads, ROOT / "models" / "robot-6r-reach.yaml", "-n", 6000,
                  "--iterations", 3)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "out of memory" in one_message(done)


# four threads of OpenBLAS would need 512 MB
def test_a_small_problem_needs_little_memory_with_any_number_of_threads(oloid, needs_ipopt):
    done = little(oloid, 320, 4, "double-integrator")
    assert done.returncode == 0, (done.returncode, done.stderr)


def test_optima_have_the_same_bits_for_any_number_of_threads(oloid, needs_ipopt):
    """Its fronts are large enough for threads, and it has several optima."""
    costs = set()
    for threads in 1, 2:
        done = oloid("optimize", "quadcopter-swing", "--no-result", "--json", "-q", timeout=300,
                     env={"OPENBLAS_NUM_THREADS": str(threads)})
        assert done.returncode == 0, done.stderr
        costs.add(json.loads(done.stdout)["cost"])
    assert len(costs) == 1
