"""Arithmetic of an author, evaluated without `eval`: a tree of a few operations on numbers.

    sqrt(d_k)    2 * layers * heads * d_k    n // block    2 ** bits    floor(log2(n))

The text is parsed by `ast` and walked; a node that is not listed here is refused. Lengths,
exponents and sizes are bounded, so that no formula takes long or makes a large number.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Final

Value = int | float

#: Longest formula in characters, most nodes of its tree, largest exponent, largest number.
MAX_LENGTH: Final = 200
MAX_NODES: Final = 60
MAX_EXPONENT: Final = 64
MAX_SIZE: Final = 10**18

_BINARY: Final[Mapping[type[ast.operator], Callable[[Value, Value], Value]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Value], Value]]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
#: Functions with the numbers of arguments they take.
_CALLS: Final[Mapping[str, tuple[Callable[..., Value], range]]] = {
    "sqrt": (math.sqrt, range(1, 2)),
    "log2": (math.log2, range(1, 2)),
    "floor": (math.floor, range(1, 2)),
    "ceil": (math.ceil, range(1, 2)),
    "min": (min, range(2, 9)),
    "max": (max, range(2, 9)),
}
FUNCTIONS: Final = frozenset(_CALLS)
#: What may be written, for whoever wrote something else.
MEANS: Final = "+ - * / // % ** ( ), numbers, names given above, " + ", ".join(_CALLS)


class Uncomputable(ValueError):  # noqa: N818 - says what a formula is
    """A formula gives no number. The message says why, as "it divides by zero"."""


def names(formula: str) -> tuple[str, ...]:
    """The values a formula asks for, in the order of their first use. Raises Uncomputable."""
    used = (node.id for node in ast.walk(_parse(formula)) if isinstance(node, ast.Name))
    return tuple(dict.fromkeys(name for name in used if name not in _CALLS))


def compute(formula: str, values: Mapping[str, Value]) -> Value:
    """The number that `formula` gives with these values, whole where it is. Raises Uncomputable."""
    return whole(_value(_parse(formula), values))


def whole(value: Value) -> Value:
    """`value`, as an int where it is a whole number that a float holds exactly."""
    exact = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if exact else value


def _parse(formula: str) -> ast.expr:
    if len(formula) > MAX_LENGTH:
        raise Uncomputable(f"it is longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Uncomputable("it is no arithmetic") from error
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise Uncomputable("it is too long; give a part of it a name of its own")
    return tree


def _value(node: ast.expr, values: Mapping[str, Value]) -> Value:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _bounded(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise Uncomputable(f"there is no `{node.id}` before it")
        return values[node.id]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, values))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _value(node.left, values), _value(node.right, values)
        if isinstance(node.op, ast.Pow):
            _check_power(left, right)
        return _applied(_BINARY[type(node.op)], left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function, counts = _CALLS.get(node.func.id, (None, range(0)))
        if function is not None and len(node.args) in counts:
            return _applied(function, *(_value(argument, values) for argument in node.args))
    hint = "; a power is written **" if _is_xor(node) else ""
    raise Uncomputable(f"`{_excerpt(node)}` is not allowed{hint}")


def _is_xor(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor)


def _excerpt(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 30 else text[:29] + "…"


def _check_power(base: Value, exponent: Value) -> None:
    """Before it is taken: 9 ** 9 ** 9 must not be tried."""
    if abs(exponent) > MAX_EXPONENT:
        raise Uncomputable(f"an exponent may be {MAX_EXPONENT} at most")
    if base and abs(exponent * math.log2(abs(base))) > math.log2(MAX_SIZE) + 1:
        raise Uncomputable("a number in it is too large or too small")


def _applied(function: Callable[..., Value], *arguments: Value) -> Value:
    try:
        value = function(*arguments)
    except ZeroDivisionError as error:
        raise Uncomputable("it divides by zero") from error
    except (ValueError, OverflowError, TypeError) as error:
        raise Uncomputable("a root, a logarithm or a power in it does not exist") from error
    return _bounded(value)


def _bounded(value: Value) -> Value:
    if isinstance(value, complex):
        raise Uncomputable("a root, a logarithm or a power in it does not exist")
    if not math.isfinite(value) or abs(value) > MAX_SIZE:
        raise Uncomputable("a number in it is too large or too small")
    return value
