"""What to compile for."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ._blocks import Blocks
from .error import NotOfferedTargetError, Refusing

if TYPE_CHECKING:
    from typing import Any

_KINDS = ("llvm", "ext_dev", "c")


class Kind(Refusing):
    """The kind of a target.

    Attributes
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        self.name = name


def _written(options: dict[str, Any]) -> str:
    """A target that is given as a dictionary, as text."""
    if not isinstance(options.get("kind"), str):
        raise ValueError(f"a target's dictionary has kind, \"ext_dev\", \"llvm\" or \"c\", not {options!r}")
    words = [f"-{key}={','.join(map(str, value)) if isinstance(value, (list, tuple)) else value}"
             for key, value in options.items() if key not in ("kind", "host", "tag")]
    return " ".join([options["kind"], *words])


class Target(Refusing):
    """A compilation target.

    Parameters
    ----------
    target : str, dict or Target
        ``"ext_dev"`` (the accelerator), ``"llvm"``, or ``"llvm -mtriple=..."`` for another processor; as a dictionary
        ``{"kind": "llvm", "mtriple": ...}``.
    host : str or Target, optional
        Target of the host code around accelerator code.

    Attributes
    ----------
    kind : Kind
    host : Target or None
    attrs : dict of str to str
        Options without their dashes.

    Examples
    --------
    >>> with vta.Target("ext_dev"):
    ...     vta.Target.current().device_name
    'vta'
    """

    _blocks: Blocks[Target] = Blocks()

    def __init__(self, target: str | dict[str, Any] | Target, host: str | dict[str, Any] | Target | None = None) -> None:
        self.kind: Kind
        self.attrs: dict[str, str]
        self.host: Target | None
        if isinstance(target, Target):
            self.kind, self.attrs, self.host = target.kind, dict(target.attrs), target.host
        else:
            if isinstance(target, dict):
                host = host if host is not None else target.get("host")
                target = _written(target)
            words = shlex.split(str(target))
            if not words or words[0] not in _KINDS:
                raise NotOfferedTargetError(f"no target {str(target)!r}; there are ext_dev, llvm and llvm -mtriple=TRIPLE")
            self.kind, self.host = Kind(words[0]), None
            options = [w.lstrip("-").partition("=") for w in words[1:]]
            self.attrs = {key: value for key, _, value in options}
        if host is not None:
            self.host = Target(host)

    @property
    def triple(self) -> str | None:
        """LLVM's target triple of the host code; None for this machine."""
        if self.host is not None:
            return self.host.triple
        return self.attrs.get("mtriple") or self.attrs.get("target")

    @property
    def mcpu(self) -> str:
        """LLVM's name of the host, "" where none was named."""
        return self.attrs.get("mcpu", "")

    @property
    def mattr(self) -> list[str]:
        """Features of the host in LLVM's words: ``["+avx2"]``."""
        return [word for word in self.attrs.get("mattr", "").split(",") if word]

    @property
    def device_name(self) -> str:
        """``"vta"`` for the accelerator, else what the option ``-device`` says, or ""."""
        return self.attrs.get("device", "vta" if self.kind.name == "ext_dev" else "")

    @property
    def keys(self) -> list[str]:
        """What it is known as, the most special first: ``["vta", "cpu"]`` for the accelerator."""
        named = self.attrs.get("keys") or self.device_name
        return list(dict.fromkeys([*filter(None, named.split(",")), "cpu"]))

    def __enter__(self) -> Target:
        return Target._blocks.enter(self)

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        Target._blocks.leave()

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The target of the innermost ``with`` block.

        Parameters
        ----------
        allow_none : bool, optional
            None outside any block; else a ValueError.
        """
        target = Target._blocks.innermost()
        if target is None and not allow_none:
            raise ValueError("no target is set: use `with Target(...):`")
        return target

    @property
    def model(self) -> str:
        """The accelerator's model, "" where none was named."""
        return self.attrs.get("model", "")

    def __str__(self):
        return " ".join([self.kind.name] + [f"-{k}={v}" if v else f"-{k}" for k, v in self.attrs.items()])

    def __repr__(self):
        return str(self)


def create(target: str | Target) -> Target:
    """A :class:`Target` from its text.

    Parameters
    ----------
    target : str | Target
    """
    return Target(target)


def vta(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """The accelerator as a target.

    Parameters
    ----------
    model : str, optional
    options : str or list of str, optional
    """
    words = [options] if isinstance(options, str) else list(options or [])
    return Target(" ".join(["ext_dev", "-keys=vta,cpu", f"-model={model}"] + words))


def arm_cpu(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """The host of an ARM board as a target.

    Parameters
    ----------
    model : str, optional
        ``"pynq"``, ``"ultra96"``, …
    options : str or list of str, optional
    """
    triples = {"pynq": "armv7-none-linux-gnueabihf", "de10nano": "armv7-none-linux-gnueabihf"}
    words = [options] if isinstance(options, str) else list(options or [])
    return Target(" ".join(["llvm -keys=arm_cpu,cpu -device=arm_cpu", f"-mtriple={triples.get(model, 'aarch64-linux-gnu')}",
                            f"-model={model}"] + words))
