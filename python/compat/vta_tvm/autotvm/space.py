"""The space of a template's choices: what can be chosen, and one choice of it."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from vta._check import whole
from vta.error import NotOfferedError, Refusing, VTAValueError
from vta.te.tensor import IterVar
from .entity import ANNOTATIONS, KINDS, AnnotateEntity, OtherOptionEntity, ReorderEntity, SplitEntity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .entity import Entity

__all__ = ["InstantiationError", "Axis", "SplitEntity", "ReorderEntity", "AnnotateEntity", "OtherOptionEntity", "Knob", "ConfigSpace",
           "ConfigEntity", "FallbackConfigEntity", "get_factors", "get_pow2s"]

_MAX_CANDIDATES = 1 << 20


class InstantiationError(VTAValueError):
    """A template says that a choice makes no schedule."""


def get_factors(n: int) -> list[int]:
    """The divisors of a number, the smallest first.

    Parameters
    ----------
    n : int
    """
    low = [i for i in range(1, math.isqrt(n) + 1) if n % i == 0]
    return low + [n // i for i in reversed(low) if i * i != n]


def get_pow2s(n: int) -> list[int]:
    """The powers of two up to a number.

    Parameters
    ----------
    n : int
    """
    return [1 << i for i in range(n.bit_length())]


class Axis:
    """An axis as a space knows it: its extent, where it has one already.

    Parameters
    ----------
    space : Knob or None
        The knob that makes it.
    index : int
        Which of the knob's axes it is.
    length : int, optional
    """

    def __init__(self, space: Knob | None, index: int, length: int | None = None) -> None:
        self.space, self.index, self.length = space, index, length

    def __repr__(self) -> str:
        return f"Axis({self.length if self.length is not None else self.index})"


def _extent(axis: Any, knob: str) -> int:
    """The extent of what a knob is defined for: an axis, or a number."""
    length = axis.length if isinstance(axis, Axis) else None
    if isinstance(axis, IterVar):
        dom = axis.dom
        length = None if dom is None or not isinstance(dom.extent, int) else dom.extent
    elif not isinstance(axis, Axis):
        length = whole(axis, f"what the knob {knob} is defined for")
    if length is None or length < 1:
        raise VTAValueError(f"the knob {knob} is defined for {axis!r}, whose extent is not a number: split needs the axes that "
                            "the operator has, before a step")
    return length


class Knob:
    """One knob: the candidates that there are for it.

    Parameters
    ----------
    entities : list
        The candidates.
    num_output : int
        Axes that applying one makes.
    """

    def __init__(self, entities: list[Any], num_output: int) -> None:
        self.entities, self.num_output = entities, num_output

    def __len__(self) -> int:
        return len(self.entities)

    def __getitem__(self, index: int) -> Any:
        return self.entities[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entities)

    def __repr__(self) -> str:
        first = self.entities[0]
        return f"{type(first).__name__.removesuffix('Entity')}(len={len(self)})"


def _split_factors(length: int, policy: str, most: int) -> list[int]:
    """The sizes that a part may have."""
    if policy == "factors":
        sizes = get_factors(length)
    elif policy == "power2":
        sizes = get_pow2s(length)
    elif policy == "verbose":
        sizes = sorted({*get_factors(length), *get_pow2s(length)})
    else:
        raise VTAValueError(f"a policy of splits is factors, power2, verbose or candidate, not {policy!r}")
    return [s for s in sizes if s <= most]


def _splits(length: int, policy: str, parts: int, most: int, no_tail: bool) -> list[SplitEntity]:
    """All splits into `parts`; the innermost size changes last."""
    out = []
    for sizes in itertools.product(_split_factors(length, policy, most), repeat=parts - 1):
        product = math.prod(sizes)
        if length % product == 0 if no_tail else product < length or length == product:
            out.append(SplitEntity([-1, *reversed(sizes)]))
    return out


def _interleaved(axes: dict[Any, int], spatial: Sequence[Sequence[Any]], reduce: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Orders in which the levels of a reduction stand between those of the data axes."""
    levels = [[axes[a] for a in level] for level in spatial]
    sums = [[axes[a] for a in level] for level in reduce]
    out = []
    for places in itertools.combinations_with_replacement(range(1, len(levels) + 1), len(sums)):
        order: list[int] = []
        for i, level in enumerate(levels):
            order += [n for place, s in zip(places, sums) if place == i for n in s] + level
        out.append(order + [n for place, s in zip(places, sums) if place == len(levels) for n in s])
    return out


def _annotations(policy: str, count: int) -> list[AnnotateEntity]:
    choices = {"none": ["none"], "unroll": ["unroll"], "try_unroll": ["none", "unroll"], "vec": ["vec"],
               "try_vec": ["none", "vec"], "try_unroll_vec": ["none", "unroll"]}.get(policy)
    if choices is None:
        raise NotOfferedError(f"define_annotate(policy={policy!r}) is not offered; there are none, unroll, try_unroll, vec, try_vec, "
                              "try_unroll_vec and candidate")
    last = {"vec": ["vec"], "try_vec": ["none", "vec"], "try_unroll_vec": ["none", "unroll", "vec"]}.get(policy, choices)
    rest = ["none"] if "vec" in policy and "unroll" not in policy else choices
    return [AnnotateEntity(a) for a in itertools.product(*[rest] * (count - 1), last)]


class _Choices(Refusing):
    """What space and choice have in common: a template calls the same methods on both."""

    is_fallback = False

    def __init__(self) -> None:
        self._entity_map: dict[str, Any] = {}
        self.errors: list[str] = []
        self.flop = 0.0
        self.code_hash: str | None = None

    def _define(self, name: str, outputs: int, make: Callable[[], list[Any]]) -> list[Axis]:
        raise NotImplementedError

    @staticmethod
    def axis(var: Any) -> Axis:
        """An axis of the space, of an axis of a schedule or an extent.

        Parameters
        ----------
        var : IterVar or int
        """
        return var if isinstance(var, Axis) else Axis(None, 0, _extent(var, "axis"))

    reduce_axis = axis

    def define_split(self, name: str, axis: Any, policy: str = "factors", **kwargs: Any) -> list[Axis]:
        """A knob: how an axis is split.

        Parameters
        ----------
        name : str
        axis : IterVar or int
            Or its extent.
        policy : str, optional
            Sizes of parts: ``"factors"``, divisors; ``"power2"``; ``"verbose"``, both; ``"candidate"``.
        num_outputs : int
            Parts.
        max_factor : int, optional
            The largest size of a part but the outermost.
        no_tail : bool, optional
            Only splits that come out even; as it is with ``"factors"``.
        filter : callable, optional
            From a :class:`SplitEntity` to whether it is a candidate.
        candidate : list of list of int, optional
            The candidates themselves.

        Returns
        -------
        axes : list of Axis
        """
        unknown = set(kwargs) - {"num_outputs", "max_factor", "no_tail", "filter", "candidate"}
        if unknown:
            raise TypeError(f"define_split takes num_outputs, max_factor, no_tail, filter and candidate, not {', '.join(sorted(unknown))}")
        given = kwargs.get("candidate")
        if policy == "candidate" and given is None:
            raise VTAValueError(f"the knob {name}: the policy candidate takes candidate=[[sizes], …]")
        parts = kwargs.get("num_outputs") or (len(given[0]) if given else 0)
        if whole(parts, f"num_outputs of the knob {name}") < 2:
            raise VTAValueError(f"the knob {name}: num_outputs is {parts}: an axis is split into two or more")

        def make() -> list[Any]:
            if given is not None:
                found = [SplitEntity(size) for size in given]
                if any(len(s.size) != parts for s in found):
                    raise VTAValueError(f"the knob {name}: each candidate has {parts} sizes")
            else:
                found = _splits(_extent(axis, name), policy, parts, kwargs.get("max_factor") or 1 << 31,
                                kwargs.get("no_tail", policy == "factors"))
            return list(filter(kwargs.get("filter"), found))

        return self._define(name, parts, make)

    def define_reorder(self, name: str, axes: Sequence[Any], policy: str = "all", **kwargs: Any) -> list[Axis]:
        """A knob: the order of axes.

        Parameters
        ----------
        name : str
        axes : list of IterVar or Axis
        policy : str, optional
            ``"all"`` orders; ``"identity"``, the one that is; ``"interleave"``, with `spatial` and `reduce`: the levels of a reduction
            at every place between those of the data axes; ``"candidate"``.
        spatial, reduce : list of list, optional
        candidate : list of list, optional
            The orders themselves, of the axes.

        Returns
        -------
        axes : list of Axis
        """
        count, at = len(axes), {a: i for i, a in enumerate(axes)}

        def make() -> list[Any]:
            if policy == "candidate":
                orders = [[at[a] for a in order] for order in kwargs["candidate"]]
            elif policy == "identity":
                orders = [list(range(count))]
            elif policy == "all":
                if count > 8:
                    raise VTAValueError(f"the knob {name}: {count} axes have {math.factorial(count)} orders: give candidates")
                orders = [list(p) for p in itertools.permutations(range(count))]
            elif policy == "interleave":
                orders = _interleaved(at, kwargs["spatial"], kwargs["reduce"])
            else:
                raise NotOfferedError(f"define_reorder(policy={policy!r}) is not offered; there are all, identity, interleave and "
                                      "candidate")
            return [ReorderEntity(o) for o in orders]

        return self._define(name, count, make)

    def define_annotate(self, name: str, axes: Sequence[Any], policy: str, **kwargs: Any) -> list[Axis]:
        """A knob: what is unrolled or vectorized.

        Parameters
        ----------
        name : str
        axes : list of IterVar or Axis
        policy : str
            ``"none"``, ``"unroll"``, ``"try_unroll"`` (each axis or not), ``"vec"`` and ``"try_vec"`` (the last axis),
            ``"try_unroll_vec"``, ``"candidate"``.
        candidate : list of list of str, optional

        Returns
        -------
        axes : list of Axis
        """
        def make() -> list[Any]:
            if policy == "candidate":
                return [AnnotateEntity(a) for a in kwargs["candidate"]]
            return _annotations(policy, len(axes))

        return self._define(name, len(axes), make)

    def define_knob(self, name: str, candidate: Sequence[Any]) -> None:
        """A knob: one of several values, ``cfg[name].val``.

        Parameters
        ----------
        name : str
        candidate : list
        """
        self._define(name, 0, lambda: [OtherOptionEntity(c) for c in candidate])

    def add_flop(self, flop: float) -> None:
        """Counts operations of the computation; trials show operations a second.

        Parameters
        ----------
        flop : float
        """
        self.flop += float(flop)

    def raise_error(self, msg: str) -> None:
        """Says that this choice makes no schedule: the trial fails with these words.

        Parameters
        ----------
        msg : str
        """
        self.errors.append(msg)

    def valid(self) -> bool:
        """Whether nothing was said against it."""
        return not self.errors

    def __getitem__(self, name: str) -> Any:
        if name not in self._entity_map:
            raise VTAValueError(f"there is no knob {name!r}; there are {', '.join(self._entity_map) or 'none'}")
        return self._entity_map[name]

    def __setitem__(self, name: str, entity: Entity) -> None:
        self._entity_map[name] = entity

    def __contains__(self, name: str) -> bool:
        return name in self._entity_map

    def _check(self) -> None:
        """Raises what the template said."""
        if self.errors:
            raise InstantiationError("; ".join(self.errors))


class ConfigSpace(_Choices):
    """Everything that can be chosen for a template, filled by its first call. Configurations have numbers: the first knob
    changes first.

    Attributes
    ----------
    space_map : dict of str to Knob
    """

    def __init__(self) -> None:
        super().__init__()
        self.space_map: dict[str, Knob] = {}

    def _define(self, name: str, outputs: int, make: Callable[[], list[Any]]) -> list[Axis]:
        if name not in self.space_map:
            entities = make()
            if not entities:
                raise VTAValueError(f"the knob {name} has no candidate")
            if len(entities) > _MAX_CANDIDATES:
                raise VTAValueError(f"the knob {name} has {len(entities)} candidates: at most {_MAX_CANDIDATES}")
            self.space_map[name] = Knob(entities, outputs)
            self._entity_map[name] = entities[0]
        return [Axis(self.space_map[name], i) for i in range(outputs)]

    def __len__(self) -> int:
        return math.prod(len(k) for k in self.space_map.values())

    @property
    def dims(self) -> list[int]:
        """How many candidates each knob has."""
        return [len(k) for k in self.space_map.values()]

    def get(self, index: int) -> ConfigEntity:
        """The configuration of a number.

        Parameters
        ----------
        index : int

        Returns
        -------
        config : ConfigEntity
        """
        index = whole(index, "the number of a configuration")
        if not 0 <= index < len(self):
            raise IndexError(f"configuration {index} of a space of {len(self)}")
        entities, rest = {}, index
        for name, knob in self.space_map.items():
            rest, at = divmod(rest, len(knob))
            entities[name] = knob[at]
        return ConfigEntity(index, self.code_hash, entities)

    def sample(self, count: int, seed: int = 0) -> list[ConfigEntity]:
        """Different configurations by chance, the same for the same seed.

        Parameters
        ----------
        count : int
        seed : int, optional
        """
        import random

        return [self.get(i) for i in random.Random(seed).sample(range(len(self)), min(count, len(self)))]

    def knobs_of(self, index: int) -> list[int]:
        """A configuration as the number of the candidate of each knob.

        Parameters
        ----------
        index : int
        """
        out = []
        for n in self.dims:
            index, at = divmod(index, n)
            out.append(at)
        return out

    def index_of(self, knobs: Sequence[int]) -> int:
        """The number of the configuration with these candidates.

        Parameters
        ----------
        knobs : list of int
        """
        out = 0
        for n, at in reversed(list(zip(self.dims, knobs))):
            out = out * n + at
        return out

    def __repr__(self) -> str:
        rows = [f"{i:2d} {name}: {knob!r}" for i, (name, knob) in enumerate(self.space_map.items())]
        return "\n".join([f"ConfigSpace (len={len(self)}, space_map=", *[f"   {r}" for r in rows], ")"])


class ConfigEntity(_Choices):
    """One choice for each knob.

    Parameters
    ----------
    index : int
        Its number in its space.
    code_hash : str or None
    entity_map : dict of str to entity
    """

    def __init__(self, index: int, code_hash: str | None, entity_map: dict[str, Any]) -> None:
        super().__init__()
        self.index, self.code_hash = index, code_hash
        self._entity_map = entity_map

    def _define(self, name: str, outputs: int, make: Callable[[], list[Any]]) -> list[Axis]:
        if name not in self._entity_map:
            raise VTAValueError(f"the template has a knob {name} that the configuration does not choose: it is of another template; "
                                f"it has {', '.join(self._entity_map)}")
        return [Axis(None, i) for i in range(outputs)]

    def get_flatten_feature(self) -> list[float]:
        """The configuration as numbers: sizes of splits, orders, values where they are numbers."""
        out: list[float] = []
        for e in self._entity_map.values():
            values = e.value if isinstance(e.value, list) else [e.value]
            out += [float(v) if isinstance(v, (int, float)) else float(ANNOTATIONS.index(v)) if v in ANNOTATIONS else 0.0
                    for v in values]
        return out

    def to_json_dict(self) -> dict[str, Any]:
        """What a record has of it."""
        return {"index": self.index, "code_hash": self.code_hash,
                "entity": [[name, e.kind, e.value] for name, e in self._entity_map.items()]}

    @staticmethod
    def from_json_dict(json_dict: dict[str, Any]) -> ConfigEntity:
        """A configuration of a record.

        Parameters
        ----------
        json_dict : dict
        """
        entities: dict[str, Any] = {}
        for knob in json_dict["entity"]:
            name, kind, value = knob
            if kind not in KINDS:
                raise VTAValueError(f"the knob {name} is of kind {kind!r}; there are {', '.join(KINDS)}")
            entities[name] = KINDS[kind](value)
        return ConfigEntity(int(json_dict.get("index", -1)), json_dict.get("code_hash"), entities)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConfigEntity) and self.to_json_dict() == other.to_json_dict()

    def __hash__(self) -> int:
        return hash(repr(self.to_json_dict()))

    def __repr__(self) -> str:
        return f"{list(self._entity_map.items())},{self.code_hash},{self.index}"


class FallbackConfigEntity(ConfigSpace):
    """What a template gets where no configuration was found: what `choose` sets, or the first candidate of each knob, unless the
    template sets others (``cfg["tile_h"] = SplitEntity([-1, 14])``).

    Parameters
    ----------
    choose : callable, optional
        Called with this object when a knob is first asked for.

    Attributes
    ----------
    is_fallback : bool
        True.
    """

    is_fallback = True

    def __init__(self, choose: Callable[[FallbackConfigEntity], None] | None = None) -> None:
        super().__init__()
        self.choose = choose

    def __getitem__(self, name: str) -> Any:
        if self.choose is not None:
            function, self.choose = self.choose, None
            function(self)
        return super().__getitem__(name)

    def fallback_split(self, name: str, constraints: Sequence[int]) -> None:
        """Chooses the split whose sizes are the largest that do not exceed the given ones, the innermost first.

        Parameters
        ----------
        name : str
        constraints : list of int
            A size for each part; -1: any.
        """
        def rank(entity: SplitEntity) -> list[int]:
            return [s for s in reversed(entity.size[1:])]

        fit = [e for e in self.space_map[name]
               if all(most in (-1, None) or size <= most for size, most in zip(e.size[1:], list(constraints)[1:]))]
        if not fit:
            raise VTAValueError(f"the knob {name}: no split has sizes of at most {list(constraints)}")
        self._entity_map[name] = max(fit, key=rank)
