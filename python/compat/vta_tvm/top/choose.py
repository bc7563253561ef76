"""Tiles where no configuration is known: those of the least estimated time that fit the accelerator's memories."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from ..autotvm.entity import OtherOptionEntity
from ..autotvm.space import FallbackConfigEntity
from vta.environment import get_env
from vta.error import VTAValueError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = ["choose", "choose_for"]

_RUN = 40  # cycles of a load or store beside its bytes, about
_BUS = 8   # bytes a cycle, of the default bus


class _Layer(NamedTuple):
    """A product in blocks: sizes of the result, taps and steps of the kernel, blocks of input channels."""

    batch: int
    outputs: int
    rows: int
    columns: int
    inputs: int
    taps: tuple[int, int]
    steps: tuple[int, int]
    whole: int   # operands as large as the result


def _layer(shapes: Sequence[Sequence[int]], operands: Sequence[Sequence[int]]) -> _Layer:
    out, data, weight = shapes
    full = sum(math.prod(o[:-2]) == math.prod(out[:-2]) for o in operands)
    if len(out) == 4:
        return _Layer(out[0], out[1], 1, 1, weight[1], (1, 1), (1, 1), full)
    steps = [max(1, (n - k) // max(1, o - 1)) for n, k, o in zip(data[2:4], weight[2:4], out[2:4])]
    return _Layer(out[0], out[1], out[2], out[3], weight[1], (weight[2], weight[3]), (steps[0], steps[1]), full)


class _Tile(NamedTuple):
    b: int
    h: int
    w: int
    ci: int
    co: int
    threads: tuple[int, int]


def _candidates(cfg: Any) -> Iterator[tuple[_Tile, dict[str, Any]]]:
    """Tiles, and what they are for the knobs."""
    names = [n for n in ("tile_b", "tile_h", "tile_w", "tile_ci", "tile_co") if n in cfg.space_map]
    threads = [(1, 1), (2, 1)] + ([(1, 2)] if "h_nthread" in cfg.space_map else [])
    for entities in itertools.product(*(cfg.space_map[n] for n in names)):
        size = {n: e.size[1] for n, e in zip(names, entities)}
        for t in threads:
            yield _Tile(size["tile_b"], size.get("tile_h", 1), size.get("tile_w", 1), size["tile_ci"], size["tile_co"],
                        t), dict(zip(names, entities))


def _estimate(layer: _Layer, t: _Tile) -> float:
    """Cycles; infinite where it does not fit."""
    env, count = get_env(), t.threads[0] * t.threads[1]
    reach = [(n - 1) * s + k for n, s, k in zip((t.h, t.w), layer.steps, layer.taps)]
    image, weight = t.b * t.ci * reach[0] * reach[1], t.ci * t.co * math.prod(layer.taps)
    sums = t.b * t.h * t.w * t.co
    tiles = [layer.outputs // t.co, layer.rows // t.h]
    if (tiles[0] % t.threads[0] or tiles[1] % t.threads[1] or image * count > env.INP_BUFF_SIZE // env.INP_ELEM_BYTES
            or weight * count > env.WGT_BUFF_SIZE // env.WGT_ELEM_BYTES
            or (sums * (1 + layer.whole) + t.co) * count > env.ACC_BUFF_SIZE // env.ACC_ELEM_BYTES):
        return math.inf
    few = t.h < min(4, layer.rows) or t.h * t.co < min(4, layer.outputs)  # micro-ops of one sum would follow each other
    rounds = layer.inputs // t.ci
    results = layer.batch // t.b * tiles[0] * tiles[1] * (layer.columns // t.w)
    loads = results * (rounds * ((image * env.INP_ELEM_BYTES + weight * env.WGT_ELEM_BYTES) / _BUS + 2 * _RUN)
                       + sums * (env.OUT_ELEM_BYTES + layer.whole * env.ACC_ELEM_BYTES) / _BUS + _RUN)
    compute = results * sums * (rounds * t.ci * math.prod(layer.taps) + 4)
    return (max(loads, compute) + (min(loads, compute) if count == 1 else 0)) * (100 if few else 1)


def choose(cfg: FallbackConfigEntity, shapes: Sequence[Sequence[int]], operands: Sequence[Sequence[int]]) -> None:
    """Sets the knobs of a configuration.

    Parameters
    ----------
    cfg : FallbackConfigEntity
    shapes : list of tuple of int
        Of the sums, the data (with its frame) and the weights.
    operands : list of tuple of int
        Of what the steps behind the sums read besides.
    """
    cfg.choose = None
    layer = _layer(shapes, operands)
    best, tile, knobs = min(((_estimate(layer, t), t, k) for t, k in _candidates(cfg)), key=lambda c: c[:2])
    if best == math.inf:
        raise VTAValueError(f"no tile of the product {shapes[0]} fits the accelerator's memories")
    for name, entity in knobs.items():
        cfg[name] = entity
    for name, count in zip(("oc_nthread", "h_nthread"), tile.threads):
        if name in cfg.space_map:
            cfg[name] = OtherOptionEntity(count)


def _spread(data: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The data of a transposed convolution, with zeros between."""
    return [*data[:2], *((n - 1) * s + 1 for n, s in zip(data[2:4], strides)), *data[4:]]


def _framed(data: Sequence[int], weight: Sequence[int], steps: Sequence[int], around: Sequence[int]) -> list[Sequence[int]]:
    """The shapes of the sums, the data with its frame, and the weights."""
    top, left, below, right = around
    framed = [*data[:2], data[2] + top + below, data[3] + left + right, *data[4:]]
    out = [data[0], weight[0], *((n - k) // s + 1 for n, k, s in zip(framed[2:4], weight[2:4], steps)), data[4], weight[4]]
    return [out, framed, weight]


def choose_for(cfg: FallbackConfigEntity, workload: Sequence[Any]) -> None:
    """Sets the knobs of a template of this package for a workload.

    Parameters
    ----------
    cfg : FallbackConfigEntity
    workload : tuple
    """
    name, data, weight = workload[0], workload[1][1], workload[2][1]
    if name == "dense_packed.vta":
        choose(cfg, [[data[0], weight[0], data[2], weight[2]], data, weight], [])
        return
    strides, padding = workload[3:5]
    around = [*padding, *padding] if len(padding) == 2 else [*padding]
    if name == "conv2d_transpose_packed.vta":
        taps = [*weight[2:4], *weight[2:4]]
        choose(cfg, _framed(_spread(data, strides), weight, (1, 1), [k - 1 - p for k, p in zip(taps, around)]), [])
    else:
        choose(cfg, _framed(data, weight, strides, around), [])
