"""`oloid optimize` with little memory ends with one message that says so."""
import pathlib
import resource

import pytest

from conftest import executable, one_message

pytestmark = pytest.mark.usefixtures("needs_ipopt")

ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_sanitized():
    """A sanitizer needs terabytes of addresses."""
    return b"__asan_init" in pathlib.Path(executable()).read_bytes()


# what runs out: the buffer of OpenBLAS in its threads and in the main one, allocations, MUMPS
@pytest.mark.parametrize("megabytes, threads", [
    (180, 1), (320, 1), (400, 1), (480, 1), (180, 2)])
def test_too_little_memory_is_an_error(oloid, megabytes, threads):
    if is_sanitized():
        pytest.skip("a sanitizer needs more")

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1000000, megabytes * 1000000))

    done = oloid("optimize", ROOT / "models" / "robot-6r-reach.yaml", "-n", 6000, "--no-result",
                 "--iterations", 3, "-q", env={"OPENBLAS_NUM_THREADS": str(threads)},
                 preexec_fn=limit, timeout=60)
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "out of memory" in one_message(done)
