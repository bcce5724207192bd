"""What a parameter takes, in the reader's language, and what was typed for one, read exactly."""

from __future__ import annotations

from typing import cast

from quizapp.errors import UsageError
from quizapp.report import ParamInfo, ParamValue
from quizapp.text.entry import parse_number
from quizapp.text.i18n import _
from quizapp.text.numbers import bound


def takes(info: ParamInfo) -> str:
    """One sentence: "a whole number from 1 to 4,096"."""
    if info.kind == "choice":
        return _("one of: {choices}").format(choices=", ".join(info.choices))
    if info.kind == "bool":
        return _("true or false")
    if info.kind == "floats":
        return _("numbers separated by commas")
    if info.low is None or info.high is None:
        return _("a whole number") if info.kind == "int" else _("a number")
    words = {
        "int": _("a whole number from {low} to {high}"),
        "float": _("a number from {low} to {high}"),
    }[info.kind]
    return words.format(low=bound(info.low), high=bound(info.high))


def bounds(info: ParamInfo) -> str:
    """The range in as few columns as a form has, "1 … 4,096"; empty where there is none."""
    if info.kind in ("choice", "bool", "floats") or info.low is None or info.high is None:
        return ""
    return f"{bound(info.low)} … {bound(info.high)}"


def written(value: ParamValue) -> str:
    """A value as it can be typed again."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(f"{item:.10g}" for item in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def plain(given: object) -> str:
    """A parameter of a report as the form writes it: JSON has made a list of what was a tuple."""
    return written(cast(ParamValue, tuple(given) if isinstance(given, list) else given))


def read(info: ParamInfo, typed: str) -> ParamValue | None:
    """What was typed, as the parameter's kind wants it and within its bounds; else None."""
    text = typed.strip()
    if info.kind == "choice":
        return text if text in info.choices else None
    if info.kind == "bool":
        return {"true": True, "false": False}.get(text.lower())
    try:
        numbers = tuple(parse_number(part) for part in text.split(","))
    except UsageError:
        return None
    return numbers if info.kind == "floats" else _one(info, numbers)


def _one(info: ParamInfo, numbers: tuple[float, ...]) -> ParamValue | None:
    number = numbers[0]
    if len(numbers) != 1 or not _within(info, number):
        return None
    if info.kind == "int":
        return int(number) if number.is_integer() else None
    return number


def _within(info: ParamInfo, value: float) -> bool:
    return (info.low is None or value >= info.low) and (info.high is None or value <= info.high)
