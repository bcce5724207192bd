"""Numbers as people read them: three digits that matter, and the spread beside them."""

from __future__ import annotations

import math


def figure(value: float, digits: int = 3) -> str:
    """`value` with `digits` significant digits, plain where that stays short.

    0.000123 → 1.23e-4, 0.0148 → 0.0148, 7.9983 → 8.00, 123456 → 123,456.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 10**digits:
        return f"{value:,.0f}" if size < 1e9 else _scientific(value, digits)
    if size < 1e-3:
        return _scientific(value, digits)
    exponent = math.floor(math.log10(float(f"{size:.{digits - 1}e}")))
    return f"{value:.{max(0, digits - 1 - exponent)}f}"


def _scientific(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def bound(value: float) -> str:
    """A limit as it was stated: 4096.0 → 4,096, 0.25 → 0.25."""
    return f"{value:,.0f}" if value.is_integer() else f"{value:g}"


def percent(share: float) -> str:
    """A share of one as a percentage: 0.1432 → 14 %, 0.004 → 0.4 %, 0.9968 → 99.7 %."""
    value = 100 * share
    # Near both ends the decimal is what tells "hardly any" from "none".
    if value == 0 or 10 <= abs(value) <= 99 or abs(value) >= 100:
        return f"{value:.0f} %"
    return f"{value:.1f} %" if abs(value) >= 0.05 else f"{value:.1g} %"


_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")


def size(count: float, digits: int = 3) -> str:
    """A number of bytes in the largest unit that keeps it above one: 131072 → 128 KiB."""
    value, unit = float(count), 0
    while abs(value) >= 1024 and unit < len(_BYTES) - 1:
        value, unit = value / 1024, unit + 1
    return f"{figure(value, digits)} {_BYTES[unit]}" if unit else f"{value:.0f} B"


def quantity(value: float, unit: str, digits: int = 3) -> str:
    """`value` in its unit: shares as percentages, bytes in binary units, counts whole."""
    if not math.isfinite(value):
        return figure(value)
    if unit == "count":
        return f"{value:,.0f}" if value == round(value) else figure(value, digits)
    if unit == "share":
        return percent(value)
    if unit == "B":
        return size(value, digits)
    return f"{figure(value, digits)} {unit}" if unit else figure(value, digits)


def spread(value: float, stderr: float | None, unit: str) -> str:
    """`value ± stderr`, the error at one digit, so that neither claims too much."""
    shown = quantity(value, unit)
    if (
        stderr is None
        or not math.isfinite(stderr)
        or stderr == 0
        or unit in ("share", "B", "count")
    ):
        return shown
    places = max(0, -math.floor(math.log10(stderr)))
    if places > 4:
        return shown
    # Adding 0.0 turns the "-0.00" of a tiny negative number into "0.00".
    rounded = round(value, places) + 0.0
    return f"{rounded:.{places}f} ± {stderr:.{places}f}" + (f" {unit}" if unit else "")


#: The rounding of an interval's ends is at most this share of its width.
_ROUNDED = 0.05


def ends(low: float, high: float, unit: str) -> tuple[str, str]:
    """Both ends of an interval in its unit, with as many digits as tell them apart.

    4950 to 5050 → 4,950 and 5,050; 39.98 to 40.02 → 39.98 and 40.02.
    """
    width = high - low
    if not (math.isfinite(width) and width > 0 and max(abs(low), abs(high)) > 0):
        return quantity(low, unit), quantity(high, unit)
    largest = max(abs(low), abs(high))
    needed = math.floor(math.log10(largest)) - math.floor(math.log10(_ROUNDED * width))
    digits = min(max(3, needed), 9)
    if unit == "share":
        return f"{100 * low:.{digits}g} %", f"{100 * high:.{digits}g} %"
    return quantity(low, unit, digits), quantity(high, unit, digits)
