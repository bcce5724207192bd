"""Units of numbers: `2 MiB`, `2097152` and `2.1e6 B` are read as the same amount of bytes.

A unit belongs to a dimension and is so many times its base: B, s, FLOP, or a share of one.
Other units ("nats") are names: they are taken as they stand, and convert into nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from quizapp.text.entry import NUMBER, NumberRefused, Reason, parse_number

Dimension = Literal["bytes", "time", "work", "share"]


@dataclass(frozen=True, slots=True)
class Unit:
    """`name` as it is shown; `factor`: how many of the base unit it is."""

    name: str
    dimension: Dimension
    factor: float


_FACTORS: Final[dict[Dimension, dict[str, float]]] = {
    "bytes": {
        "B": 1.0,
        **{f"{k}iB": 1024.0**power for power, k in enumerate("KMGT", 1)},
        **{f"{k}B": 1000.0**power for power, k in enumerate("kMGT", 1)},
    },
    "time": {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "min": 60.0},
    "work": {"FLOP": 1.0, "MFLOP": 1e6, "GFLOP": 1e9, "TFLOP": 1e12, "PFLOP": 1e15},
    "share": {"share": 1.0, "%": 0.01},
}
UNITS: Final[dict[str, Unit]] = {
    name: Unit(name, kind, times)
    for kind, members in _FACTORS.items()
    for name, times in members.items()
}

#: Units as they are typed in haste. `Mb` is none: it could be bits.
_SPELLINGS: Final[dict[str, str]] = {
    **{name.lower(): name for name in UNITS},
    **{f"{name.lower()}s": name for name, unit in UNITS.items() if unit.dimension == "work"},
    "byte": "B",
    "bytes": "B",
    "us": "µs",
    "μs": "µs",  # the Greek letter; above it is the sign of the keyboard
    "sec": "s",
}
_BITS: Final = re.compile(r"[kKmMgGtT]?b(?:its?)?")
_FULL_WIDTH: Final = re.compile("[\uff01-\uff5e]")
_WITH_UNIT: Final = re.compile(rf"(?P<number>(?>{NUMBER}))\s*(?P<unit>[^\s0-9.,_+/\-][^\n]*)")
_UNKNOWN: Final[dict[Dimension, Reason]] = {
    "bytes": "unit-bytes",
    "time": "unit-time",
    "work": "unit-work",
    "share": "unit-share",
}


def dimension(unit: str) -> Dimension | None:
    """What a unit measures; None for one that is only a name."""
    found = UNITS.get(unit)
    return None if found is None else found.dimension


def factor(have: str, want: str) -> float | None:
    """How many `want` one `have` is; None where they measure different things.

    A unit that is only a name is 1 of itself, and of no unit at all. A count is so many FLOP.
    """
    if have == want or not want:
        return 1.0
    here, there = UNITS.get(have), UNITS.get(want)
    if there is not None and there.dimension == "work" and have == "count":
        here = UNITS["FLOP"]
    if here is None and there is None:
        return 1.0 if not have else None
    if here is None or there is None or here.dimension != there.dimension:
        return None
    return here.factor / there.factor


def parse_quantity(text: str, unit: str) -> float:
    """The number in `text`, in `unit`: "2 MiB" is 2097152 in B. Without a unit it is in `unit`.

    Raises NumberRefused for what is no number, and for a unit that `unit` does not convert to.
    """
    found = _WITH_UNIT.fullmatch(text.strip())
    if found is None or not unit:
        return parse_number(text)
    stated, wanted = found["unit"].strip(), dimension(unit)
    if wanted == "bytes" and _BITS.fullmatch(stated):
        raise NumberRefused("bits")
    if stated.casefold() == unit.casefold():
        return parse_number(found["number"])
    if wanted is None or _FULL_WIDTH.search(stated):
        return parse_number(text)  # refused, with its own reason
    name = stated if stated in UNITS else _SPELLINGS.get(stated.lower())
    times = None if name is None else factor(name, unit)
    if times is None:
        raise NumberRefused(_UNKNOWN[wanted])
    value = parse_number(found["number"]) * times
    if value in (float("inf"), float("-inf")):
        raise NumberRefused("overflow")
    return value


def stated_unit(text: str) -> str:
    """The unit typed after a number, as it was typed; empty where there is none."""
    found = _WITH_UNIT.fullmatch(text.strip())
    return "" if found is None else found["unit"].strip()


def digits(text: str) -> int:
    """How many significant digits a typed number states: 0.050 has 2, 1500 has 4, 2 MiB has 1.

    The zeros at the end of a whole number count: nobody can tell whether they are meant.
    """
    mantissa = re.split("[eE]", text.strip().lstrip("+-"), maxsplit=1)[0]
    found = re.match(r"[0-9]*\.?[0-9]*", mantissa)
    written = "" if found is None else found.group().replace(".", "")
    return len(written.lstrip("0")) or len(written[:1])
