"""Functions of numbers that are made of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _bindings as b
from .._check import type_of
from .._context import array_of
from .._lib import lib
from ..expr import Expr, _operands, apply, const, convert
from .. import _math
from .operators import abs as absolute
from .operators import floordiv

if TYPE_CHECKING:
    from ..expr import Operand

__all__ = ["ceildiv", "clz", "exp10", "infinity", "isfinite", "isinf", "ldexp", "nextafter", "popcount", "q_multiply_shift", "reinterpret"]


def infinity(dtype: str) -> Expr:
    """Infinity.

    Parameters
    ----------
    dtype : str
        A type of floats.
    """
    return const(float("inf"), type_of(dtype).decode())


def isinf(x: Operand) -> Expr:
    """Whether a float is an infinity.

    Parameters
    ----------
    x : Expr
    """
    value = convert(x)
    return absolute(value).equal(infinity(value.dtype))


def isfinite(x: Operand) -> Expr:
    """Whether a float is neither an infinity nor NaN.

    Parameters
    ----------
    x : Expr
    """
    value = convert(x)
    return absolute(value) < infinity(value.dtype)


def exp10(x: Operand) -> Expr:
    """10 to the power of x.

    Parameters
    ----------
    x : Expr
        A float.
    """
    value = convert(x)
    return _math.pow(const(10.0, value.dtype), value)


def ldexp(x1: Operand, x2: Operand) -> Expr:
    """``x1 * 2 ** x2``.

    Parameters
    ----------
    x1 : Expr
        A float.
    x2 : Expr
    """
    value = convert(x1)
    return value * _math.exp2(convert(x2).astype(value.dtype))


def ceildiv(lhs: Operand, rhs: Operand) -> Expr:
    """Integer quotient, rounded towards plus infinity.

    Parameters
    ----------
    lhs, rhs : Expr
    """
    return -floordiv(-convert(lhs), rhs)


def _bits_of(value):
    """(number of bits, the same bits without a sign) of an integer of 8 to 64 bits."""
    kind = value.dtype.rstrip("0123456789")
    bits = int(value.dtype[len(kind):] or 0)
    if kind not in ("int", "uint") or bits not in (8, 16, 32, 64):
        raise TypeError(f"bits are counted of integers of 8, 16, 32 or 64 bits, not of {value.dtype}")
    return bits, value.astype(f"uint{bits}")


def _ones(bits, u):
    """How many bits of an unsigned integer are 1: sums of pairs, of fours, of bytes, then of all bytes."""

    def fill(byte):
        return const(int(byte * (bits // 8), 16), f"uint{bits}")

    def down(value, count):
        return apply(b.TE_SHR, value, const(count, f"uint{bits}"))

    u = u - (down(u, 1) & fill("55"))
    u = (u & fill("33")) + (down(u, 2) & fill("33"))
    u = (u + down(u, 4)) & fill("0f")
    return u if bits == 8 else down(u * fill("01"), bits - 8)


def popcount(x: Operand) -> Expr:
    """How many bits of an integer are 1; of its type.

    Parameters
    ----------
    x : Expr
    """
    value = convert(x)
    return _ones(*_bits_of(value)).astype(value.dtype)


def clz(x: Operand) -> Expr:
    """How many bits of an integer are 0 above its highest 1, as int32; all, of 0.

    Parameters
    ----------
    x : Expr
    """
    bits, u = _bits_of(convert(x))
    step = 1
    while step < bits:
        u = u | apply(b.TE_SHR, u, const(step, f"uint{bits}"))
        step *= 2
    return const(bits, "int32") - _ones(bits, u).astype("int32")


def _call(dtype, name, *args):
    context, handles = _operands(args)
    return Expr(context, context.made(lib.te_call(context.handle, type_of(dtype), name, len(handles), array_of(handles))))


def nextafter(x1: Operand, x2: Operand) -> Expr:
    """The float after `x1` in the direction of `x2`; in kernels for the host, which call the C library's.

    Parameters
    ----------
    x1, x2 : Expr
        Of type float32 or float64.
    """
    value = convert(x1)
    names = {"float32": "nextafterf", "float64": "nextafter"}
    if value.dtype not in names:
        raise ValueError(f"nextafter takes float32 and float64, not {value.dtype}")
    name = Expr(value.context, value.context.made(lib.te_string(value.context.handle, names[value.dtype].encode())))
    return _call(value.dtype, b"tir.call_pure_extern", name, value, convert(x2).astype(value.dtype))


def reinterpret(dtype: str, value: Operand) -> Expr:
    """The bits of a value as one of another type of as many bits; in kernels for the host.

    Parameters
    ----------
    dtype : str
    value : Expr
    """
    kind, x = type_of(dtype).decode(), convert(value)
    widths = [int("".join(c for c in name if c.isdigit()) or 0) for name in (kind, x.dtype)]
    if widths[0] != widths[1] or not widths[0]:
        raise ValueError(f"a value of type {x.dtype} has not as many bits as one of type {kind}")
    return _call(kind, b"tir.reinterpret", x)


def q_multiply_shift(x: Operand, y: Operand, q: Operand, s: Operand) -> Expr:
    """``x * y * 2 ** (s - q)`` of int32, computed in 64 bits and rounded half up; in kernels for the host.

    Parameters
    ----------
    x, y, q, s : Expr
    """
    return _call("int32", b"tir.q_multiply_shift", *[convert(v).astype("int32") for v in (x, y, q, s)])
