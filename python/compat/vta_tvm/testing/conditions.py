"""What tests say about where they run: decorators under the names of TVM's, for unittest and for pytest.

A test that needs what is not here (a GPU, another back end) is skipped when it is called."""

from __future__ import annotations

import functools
import inspect
import sys
import unittest
from typing import TYPE_CHECKING

from vta.ndarray import Device, cpu, device
from vta.target import Target

if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = ["device_enabled", "enabled_targets", "parametrize_targets", "parameter", "parameters", "fixture", "main", "requires",
           "requires_llvm", "requires_gpu", "requires_cuda", "requires_opencl", "requires_rocm", "requires_metal",
           "requires_vulkan", "skip_if_wheel_test", "requires_micro", "requires_rpc", "requires_cudnn", "requires_cublas", "uses_gpu"]


def device_enabled(target: str) -> bool:
    """Whether programs can be built for a target, and run.

    Parameters
    ----------
    target : str
        ``"llvm"``, ``"ext_dev"``, ``"cuda"``, …
    """
    try:
        Target(target)
    except ValueError:
        return False
    return True


def enabled_targets() -> list[tuple[str, Device]]:
    """The targets that tests run on: the host."""
    return [("llvm", cpu(0))]


def skip_if_wheel_test(test: Any) -> Any:
    """Gives the test back: what TVM's wheels leave out is here.

    Parameters
    ----------
    test : function or class
    """
    return test


def _skipping(name, reason):
    """A decorator, with or without parentheses, of tests that are skipped when they are called."""

    def decorate(*tests: Any) -> Any:
        if not tests:
            return decorate
        (test,) = tests
        if isinstance(test, type):
            return unittest.skip(reason)(test)

        @functools.wraps(test)
        def skipped(*args, **kwargs):
            raise unittest.SkipTest(reason)

        return skipped

    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = f"Skips tests (a function or a class): {reason}."
    return decorate


def _always(name, reason):
    """A decorator, with or without parentheses, that changes nothing."""

    def decorate(*tests: Any) -> Any:
        return tests[0] if tests else decorate

    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = f"Leaves tests as they are: {reason}."
    return decorate


requires_llvm = _always("requires_llvm", "code for the host is made by LLVM here")
uses_gpu = _always("uses_gpu", "a test that may use a GPU runs without one as well")
requires_rpc = _always("requires_rpc", "remote execution is here")
requires_gpu = _skipping("requires_gpu", "needs a GPU; this stack makes code for VTA and the host")
requires_cuda = _skipping("requires_cuda", "needs CUDA; this stack makes code for VTA and the host")
requires_cudnn = _skipping("requires_cudnn", "needs cuDNN; this stack makes code for VTA and the host")
requires_cublas = _skipping("requires_cublas", "needs cuBLAS; this stack makes code for VTA and the host")
requires_opencl = _skipping("requires_opencl", "needs OpenCL; this stack makes code for VTA and the host")
requires_rocm = _skipping("requires_rocm", "needs ROCm; this stack makes code for VTA and the host")
requires_metal = _skipping("requires_metal", "needs Metal; this stack makes code for VTA and the host")
requires_vulkan = _skipping("requires_vulkan", "needs Vulkan; this stack makes code for VTA and the host")
requires_micro = _skipping("requires_micro", "needs microTVM; this stack makes code for VTA and the host")


def requires(target: str) -> Callable:
    """Skips a test where there is no such target.

    Parameters
    ----------
    target : str
    """
    name = f"requires({target!r})"
    return _always(name, "the target is here") if device_enabled(target) else _skipping(name, f"needs the target {target}")


def parametrize_targets(*targets: Any) -> Any:
    """Calls a test ``test(target, dev)`` for each target that is here; without targets for :func:`enabled_targets`.

    Parameters
    ----------
    targets : str
    """
    if len(targets) == 1 and callable(targets[0]):
        return parametrize_targets()(targets[0])
    wanted = targets or tuple(name for name, _ in enabled_targets())

    def decorate(test):
        left = [p for n, p in inspect.signature(test).parameters.items() if n not in ("target", "dev")]

        @functools.wraps(test)
        def each(*args, **kwargs):
            here = [t for t in wanted if device_enabled(t)]
            if not here:
                raise unittest.SkipTest(f"needs one of the targets {', '.join(wanted)}")
            for target in here:
                test(*args, target=target, dev=device(target), **kwargs)

        each.__signature__ = inspect.Signature(left)
        return each

    return decorate


def _pytest(name):
    try:
        import pytest
    except ImportError as error:
        raise ImportError(f"testing.{name} makes a fixture of pytest, which is not installed (Debian: python3-pytest)") from error
    return pytest


def _given(*_self, request):
    """The value of a run; of a class's fixture the object comes first."""
    return request.param


def parameter(*values: Any, ids: list[str] | None = None) -> Any:
    """A fixture of pytest with a value for each run: assigned to a name of the module, or of a class of tests.

    Parameters
    ----------
    values : Any
    ids : list of str, optional
    """
    return _pytest("parameter").fixture(params=values, ids=ids)(_given)


def _caller():
    """The names of the module that called the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("tvm", "vta", "vta_tvm"):
        frame = frame.f_back
    return frame.f_globals


def parameters(*rows: tuple, ids: list[str] | None = None) -> list[Any]:
    """As :func:`parameter` for several names at once, whose values go together.

    Parameters
    ----------
    rows : tuple
        A value for each name.
    ids : list of str, optional
    """
    pytest, scope = _pytest("parameters"), _caller()
    row = f"_row_{len([n for n in scope if n.startswith('_row_')])}"  # one fixture of rows, which the columns read
    scope[row] = pytest.fixture(params=rows, ids=ids, name=row)(_given)

    def column(k):
        made: dict[str, Any] = {}
        exec(f"def column(*_self, {row}): return {row}[{k}]", made)  # pylint: disable=exec-used
        return pytest.fixture(made["column"])

    return [column(k) for k in range(len(rows[0]))]


def fixture(function: Callable | None = None, *, cache_return_value: bool = False) -> Any:
    """A fixture of pytest.

    Parameters
    ----------
    function : callable, optional
    cache_return_value : bool, optional
        Once for the whole session.
    """
    decorate = _pytest("fixture").fixture(scope="session" if cache_return_value else "function")
    return decorate if function is None else decorate(function)


def main() -> None:
    """Runs the tests of the calling file with pytest, and exits."""
    sys.exit(_pytest("main").main([_caller()["__file__"]] + sys.argv[1:]))
