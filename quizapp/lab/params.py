"""Parameters from the command line, a bank or a form, checked before any tensor is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from quizapp.errors import UsageError
from quizapp.lab.catalogue import describe, load
from quizapp.lab.experiment import BaseParams
from quizapp.report import ParamInfo
from quizapp.text.nearest import nearest
from quizapp.text.numbers import bound


def validate(name: str, values: Mapping[str, object]) -> BaseParams:
    """The experiment's Params with `values` in place of defaults.

    Raises UsageError that names the parameter and its range, or the closest name.
    """
    known = describe(name).params
    for key in values:
        if key not in known:
            raise UsageError(
                f"{name} has no parameter {key!r}",
                remedy=nearest(key, known) or f"It takes: {', '.join(known)}.",
            )
    try:
        return load(name).Params(**values)
    except ValidationError as error:
        raise _refusal(name, known, error) from None


def parse(name: str, settings: Iterable[str]) -> BaseParams:
    """Params from ``key=value`` words as typed after ``--set``. Raises UsageError."""
    known = describe(name).params
    values: dict[str, object] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        key, text = key.strip(), text.strip()
        info = known.get(key)
        if equals and text and info is not None:
            values[key] = from_text(info, text)
        elif info is None:
            validate(name, {key: text})  # raises with the closest name
        else:
            raise UsageError(
                f"{key} needs a value", remedy=f"{key}={_example(info)}: {allowed(info)}"
            )
    return validate(name, values)


def from_text(info: ParamInfo, text: str) -> object:
    """What was typed, as the parameter's kind wants it. Raises UsageError."""
    try:
        if info.kind == "floats":
            return tuple(_number(part) for part in text.split(","))
        if info.kind == "float":
            return _number(text)
        if info.kind == "int":
            return int(text) if text.isascii() and "_" not in text else _refuse()
    except ValueError:
        raise UsageError(f"{info.name}={text} is not possible", remedy=allowed(info)) from None
    if info.kind == "bool":
        return text.lower() in ("1", "true", "yes", "on")
    return text


def _number(text: str) -> float:
    # float() also takes "1_000" and full-width digits: a typing slip must not become a number.
    return float(text) if text.isascii() and "_" not in text else _refuse()


def _refuse() -> Any:
    raise ValueError


def allowed(info: ParamInfo) -> str:
    """What the parameter takes, in words: "d_k takes a whole number from 1 to 4,096."."""
    if info.kind == "choice":
        return f"{info.name} takes one of: {', '.join(info.choices)}."
    if info.kind == "bool":
        return f"{info.name} takes true or false."
    noun = {
        "int": "a whole number",
        "float": "a number",
        "floats": "finite numbers separated by commas,",
    }[info.kind]
    if info.low is None or info.high is None:
        return f"{info.name} takes {noun.rstrip(',')}."
    return f"{info.name} takes {noun} from {bound(info.low)} to {bound(info.high)}."


def _example(info: ParamInfo) -> str:
    default = info.default
    return ",".join(f"{x:g}" for x in default) if isinstance(default, tuple) else str(default)


def _refusal(name: str, known: Mapping[str, ParamInfo], error: ValidationError) -> UsageError:
    first = error.errors(include_url=False)[0]
    key = str(first["loc"][0]) if first["loc"] else ""
    if key in known:
        value = first["input"]
        # Bounds of a list's entries are not in its ParamInfo; pydantic's own sentence has them.
        detail = f" ({first['msg']})" if known[key].kind == "floats" else ""
        return UsageError(f"{key}={value} is not possible{detail}", remedy=allowed(known[key]))
    return UsageError(
        f"{name} cannot run so", remedy=str(first["msg"]).removeprefix("Value error, ")
    )
