"""How `+` and `-` move a parameter, and which parameters they can move."""

from __future__ import annotations

import math
from collections.abc import Mapping

from quizapp.report import ParamInfo, ParamValue


def movable(params: Mapping[str, ParamInfo]) -> tuple[str, ...]:
    """The parameters that have a next value, in the experiment's own order."""
    return tuple(n for n, info in params.items() if n != "seed" and info.kind != "floats")


def neighbour(info: ParamInfo, value: ParamValue, direction: int) -> ParamValue | None:
    """The next larger (direction 1) or smaller (-1) value; None at the end of the range."""
    if info.kind == "bool":
        return (direction > 0) if bool(value) != (direction > 0) else None
    if info.kind == "choice":
        index = info.choices.index(str(value)) + direction
        return info.choices[index] if 0 <= index < len(info.choices) else None
    assert isinstance(value, int | float)
    moved = _moved(info, value, direction)
    low = -math.inf if info.low is None else info.low
    high = math.inf if info.high is None else info.high
    clamped = min(max(moved, low), high)
    if clamped == value:
        return None
    return round(clamped) if info.kind == "int" else clamped


def _moved(info: ParamInfo, value: float, direction: int) -> float:
    if info.step == "double":
        halved = value // 2 if info.kind == "int" and value % 2 else value / 2
        return value * 2 if direction > 0 else halved
    if info.kind == "int":
        return value + direction
    # A float walks its range in some twenty steps of 1, 2 or 5 times a power of ten.
    span = (info.high - info.low) if info.high is not None and info.low is not None else 2.0
    rough = span / 20
    power = 10.0 ** math.floor(math.log10(rough))
    unit = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * 0.999)
    return round(round(value / unit) * unit + direction * unit, 10)
