"""Networks that are called with all inputs at once, as :class:`vta.Model` is used step by step: set inputs, run, get outputs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from vta._ports import arrays_of, input_of
from vta.module import Timing

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    from numpy.typing import ArrayLike, NDArray

    from vta.graph import Graph
    from vta.remote_model import RemoteModel

__all__ = ["Stepwise"]


class Stepwise:
    """A network on a server, or in floats.

    Parameters
    ----------
    network : RemoteModel or Graph

    Attributes
    ----------
    name : str
    inputs, outputs : list of Port
    on_accelerator : bool
        Whether the last run, or one at all, used it.
    """

    def __init__(self, network: Union[RemoteModel, Graph]) -> None:
        self._network = network
        self.name, self.inputs, self.outputs = network.name, network.inputs, network.outputs
        self._held: dict[str, NDArray[Any]] = {}
        self._results: tuple[NDArray[Any], ...] = ()

    @property
    def on_accelerator(self) -> bool:
        """Whether it ran there."""
        return bool(getattr(self._network, "counters", {}).get("gemm_counter"))

    def profile(self) -> dict[str, Any]:
        """What each step of a network on a server took."""
        return self._network.profile()  # type: ignore[union-attr]

    def set_input(self, which: int | str, value: ArrayLike) -> None:
        """Sets one input; it stays until it is set anew.

        Parameters
        ----------
        which : int or str
            Its number, or its name.
        value : array_like
        """
        port = input_of(self.name, self.inputs, which)
        self._held[port.name], = arrays_of(self.name, [port], (value,), {})

    def run(self) -> None:
        """Computes the outputs from the inputs that are set."""
        missing = [p for p in self.inputs if p.name not in self._held]
        if missing:
            raise LookupError(f"{self.name}: {missing} were not set")
        results = self._network(*(self._held[p.name] for p in self.inputs))
        self._results = results if isinstance(results, tuple) else (results,)

    def get_output(self, index: int = 0) -> NDArray[Any]:
        """An output of the last run.

        Parameters
        ----------
        index : int, optional
        """
        if not 0 <= index < len(self.outputs):
            raise IndexError(f"{self.name} has no output {index}; there are {self.outputs}")
        if not self._results:
            raise LookupError(f"{self.name} was not run")
        return self._results[index]

    def time_evaluator(self, number: int = 10, repeat: int = 1) -> Callable[[], Timing]:
        """A function that times runs, after one that is not counted: by the server's clock where there is a server.

        Parameters
        ----------
        number, repeat : int, optional
        """
        def one() -> float:
            begin = time.perf_counter()
            self.run()
            return float(getattr(self._network, "seconds", time.perf_counter() - begin))

        def measure() -> Timing:
            one()
            return Timing([sum(one() for _ in range(number)) / number for _ in range(repeat)])

        return measure
