"""What computations read of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._check import items, need
from .tensor import Operation, Tensor

if TYPE_CHECKING:
    from typing import Sequence


def read_graph(ops: Operation | Sequence[Operation]) -> dict[Operation, list[Tensor]]:
    """What operations read, and the operations that these need.

    Parameters
    ----------
    ops : Operation or list of Operation

    Returns
    -------
    graph : dict of Operation to list of Tensor
    """
    graph: dict[Operation, list[Tensor]] = {}
    todo = [need(op, Operation, "an operation of a graph") for op in items(ops)]
    while todo:
        op = todo.pop()
        if op not in graph:
            graph[op] = op.input_tensors
            todo += [t.op for t in graph[op]]
    return graph


def producers_first(ops: Operation | Sequence[Operation], graph: dict[Operation, list[Tensor]]) -> list[Operation]:
    """The operations of a graph, each after those that it reads.

    Parameters
    ----------
    ops : Operation or list of Operation
        Where the graph ends.
    graph : dict of Operation to list of Tensor
        See :func:`read_graph`.
    """
    order: dict[Operation, None] = {}
    todo = [(op, False) for op in reversed(items(ops))]
    while todo:
        op, done = todo.pop()
        if done:
            order.setdefault(op)
        elif op not in order:
            todo.append((op, True))
            todo += [(t.op, False) for t in reversed(graph[op]) if t.op not in order]
    return list(order)
