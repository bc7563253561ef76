"""Records of trials: lines of JSON, AutoTVM's version 0.2. ``vta.TuneLog`` reads them too."""

from __future__ import annotations

import json
import math
import os
from typing import TYPE_CHECKING

from vta._lib import lib
from vta.error import VTASyntaxError, VTAValueError
from vta.target import Target
from .space import ConfigEntity
from .task import Task
from .trial import MeasureInput, MeasureResult

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Union

    Path = Union[str, os.PathLike[str]]

__all__ = ["encode", "decode", "load_from_file", "pick_best", "measure_str_key"]

VERSION = 0.2


def measure_str_key(inp: MeasureInput, include_config: bool = True) -> str:
    """A text that identifies what a trial was of.

    Parameters
    ----------
    inp : MeasureInput
    include_config : bool, optional
        Of which configuration, too.
    """
    return "".join([str(inp.target), inp.task.name, str(inp.task.args), str(inp.config) if include_config else ""])


def encode(inp: MeasureInput, result: MeasureResult, protocol: str = "json") -> str:
    """A record.

    Parameters
    ----------
    inp : MeasureInput
    result : MeasureResult
    protocol : str, optional
        ``"json"`` only.
    """
    if protocol != "json":
        raise NotImplementedError(f"records of protocol {protocol!r} are not offered: json")
    costs = list(result.costs) if not result.error_no else [str(c) for c in result.costs]
    return json.dumps({"input": [str(inp.target), inp.task.name, inp.task.args, {}], "config": inp.config.to_json_dict(),
                       "result": [costs, int(result.error_no), result.all_cost, result.timestamp], "version": VERSION,
                       "tvm_version": f"vta-{lib.vta_version().decode()}"})


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value


def decode(row: str, protocol: str = "json") -> tuple[MeasureInput, MeasureResult] | None:
    """What a line means; None for an empty line.

    Parameters
    ----------
    row : str
    protocol : str, optional
        ``"json"`` only.
    """
    if protocol != "json":
        raise NotImplementedError(f"records of protocol {protocol!r} are not offered: json")
    if not row.strip() or row.startswith("#"):
        return None
    try:
        line = json.loads(row)
        version = line["version"] if "version" in line else line["v"]
        if version != VERSION:
            raise VTASyntaxError(f"a record of version {version}: {VERSION} is understood")
        target, name, args = line["input"][:3]
        costs, error, all_cost, timestamp = line["result"]
        task = Task(name, _tuples(args))
        task.target = Target(target)
        config = ConfigEntity.from_json_dict(line["config"])
        if not error and not all(isinstance(c, (int, float)) and math.isfinite(c) and c >= 0 for c in costs):
            raise ValueError("costs are seconds, from 0")
        return MeasureInput(task.target, task, config), MeasureResult(tuple(costs), int(error), float(all_cost), float(timestamp))
    except VTASyntaxError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise VTASyntaxError(f"no record of a trial: {error}") from None


def load_from_file(filename: Path) -> Iterator[tuple[MeasureInput, MeasureResult]]:
    """The records of a file, one after another. A line that is none is an error that names file and line.

    Parameters
    ----------
    filename : path
    """
    with open(filename, encoding="utf-8") as file:
        for number, row in enumerate(file, 1):
            try:
                record = decode(row)
            except VTASyntaxError as error:
                raise VTASyntaxError(f"{os.fspath(filename)}:{number}: {error}") from None
            if record is not None:
                yield record


def pick_best(in_file: Path, out_file: Path) -> None:
    """Writes the best record of each task of a log.

    Parameters
    ----------
    in_file, out_file : path
    """
    best: dict[str, tuple[MeasureInput, MeasureResult]] = {}
    for inp, result in load_from_file(in_file):
        key = measure_str_key(inp, include_config=False)
        if not result.error_no and (key not in best or result.mean < best[key][1].mean):
            best[key] = (inp, result)
    if not best:
        raise VTAValueError(f"{os.fspath(in_file)} has no trial that worked: there is no best one to write")
    with open(out_file, "w", encoding="utf-8") as file:
        for inp, result in best.values():
            file.write(encode(inp, result) + "\n")
