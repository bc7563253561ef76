"""The tasks of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..error import NotOfferedError

if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["TaskExtractEnv", "extract_from_program", "extract_from_multiple_program"]


class TaskExtractEnv:
    """Accepted: templates are registered when they are defined, so that there is nothing to prepare.

    Parameters
    ----------
    allow_duplicate : bool, optional
        Without effect.
    """

    def __init__(self, allow_duplicate: bool = False) -> None:
        self.allow_duplicate = allow_duplicate

    @staticmethod
    def get(allow_duplicate: bool = False) -> TaskExtractEnv:
        """An environment.

        Parameters
        ----------
        allow_duplicate : bool, optional
        """
        return TaskExtractEnv(allow_duplicate)


def extract_from_program(mod: Any = None, params: Any = None, target: Any = None, **kwargs: Any) -> NoReturn:
    """Not offered: networks are not compiled with templates.

    Parameters
    ----------
    mod, params, target, kwargs : Any
    """
    raise NotOfferedError("extract_from_program is not offered: networks are compiled with the library's own operators, not with "
                          "templates. `vta tune MODEL.onnx --log net.log` tunes each operator of a network (docs/tuning.md)")


extract_from_multiple_program = extract_from_program
