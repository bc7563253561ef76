"""What programs ask about a GPU before they choose types: there is none."""

from __future__ import annotations

from .._refuse import refuse

__all__ = ["have_bf16", "have_fp16", "have_int8", "have_tensorcore"]


def have_fp16(compute_version: object) -> bool:
    """False: there is no GPU that computes in float16.

    Parameters
    ----------
    compute_version : str
    """
    return _none(compute_version)


def have_int8(compute_version: object) -> bool:
    """False: there is no GPU with products of int8.

    Parameters
    ----------
    compute_version : str
    """
    return _none(compute_version)


def have_tensorcore(compute_version: object = None, target: object = None) -> bool:
    """False: there is no GPU with tensor cores.

    Parameters
    ----------
    compute_version : str, optional
    target : Target, optional
    """
    return _none(compute_version)


def have_bf16(compute_version: object) -> bool:
    """False: there is no GPU that computes in bfloat16.

    Parameters
    ----------
    compute_version : str
    """
    return _none(compute_version)


def _none(version):
    if version is not None and not isinstance(version, str):
        raise TypeError(f"a compute version is a str such as \"7.5\", not {type(version).__name__}")
    return False


__getattr__ = refuse("tvm.contrib.nvcc")
