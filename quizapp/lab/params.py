"""Parameters from the command line, a bank or a form, checked before any tensor is made.

What is refused is told in both languages: the same words come from the engine, whose front
may speak either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from quizapp.lab.catalogue import describe, load
from quizapp.lab.experiment import BaseParams, UnfitError, both
from quizapp.lab.told import RequestError
from quizapp.report import ParamInfo
from quizapp.text import Text
from quizapp.text.nearest import closest
from quizapp.text.numbers import bound

#: What pydantic finds wrong with an entry of a list, or with their number.
_DETAILS: Final = {
    "finite_number": "有一个不是有限数",
    "greater_than_equal": "有一个小于 {ge:g}",
    "less_than_equal": "有一个大于 {le:g}",
    "too_long": "最多 {max_length} 个",
    "too_short": "至少 {min_length} 个",
}


def validate(name: str, values: Mapping[str, object]) -> BaseParams:
    """The experiment's Params with `values` in place of defaults.

    Raises RequestError that names the parameter and its range, or the closest name.
    """
    known = describe(name).params
    for key in values:
        if key not in known:
            meant, takes = closest(key, known), ", ".join(known)
            raise RequestError(
                both(f"{name} has no parameter {key!r}", f"{name} 没有参数 {key!r}"),
                remedy=both(f"It takes: {takes}.", f"它的参数：{takes}。")
                if meant is None
                else both(f"Did you mean {meant!r}?", f"是否想写 {meant!r}？"),
            )
    try:
        return load(name).Params(**values)
    except ValidationError as error:
        raise _refusal(name, known, error) from None


def parse(name: str, settings: Iterable[str]) -> BaseParams:
    """Params from ``key=value`` words as typed after ``--set``. Raises RequestError."""
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
            takes, example = allowed(info), f"{key}={_example(info)}"
            raise RequestError(
                both(f"{key} needs a value", f"{key} 缺少值"),
                remedy=both(f"{example}: {takes.to('en')}", f"{example}：{takes.to('zh')}"),
            )
    return validate(name, values)


def from_text(info: ParamInfo, text: str) -> object:
    """What was typed, as the parameter's kind wants it. Raises RequestError."""
    try:
        if info.kind == "floats":
            return tuple(_number(part) for part in text.split(","))
        if info.kind == "float":
            return _number(text)
        if info.kind == "int":
            return int(text) if text.isascii() and "_" not in text else _refuse()
    except ValueError:
        raise _impossible(info, text) from None
    if info.kind == "bool":
        return text.lower() in ("1", "true", "yes", "on")
    return text


def _number(text: str) -> float:
    # float() also takes "1_000" and full-width digits: a typing slip must not become a number.
    return float(text) if text.isascii() and "_" not in text else _refuse()


def _refuse() -> Any:
    raise ValueError


def allowed(info: ParamInfo) -> Text:
    """What the parameter takes, in words: "d_k takes a whole number from 1 to 4,096."."""
    if info.kind == "choice":
        choices = info.choices
        en, zh = f"one of: {', '.join(choices)}", f"以下之一：{'、'.join(choices)}"
    elif info.kind == "bool":
        en, zh = "true or false", "true 或 false"
    else:
        en, zh = {
            "int": ("a whole number", "整数"),
            "float": ("a number", "数"),
            "floats": ("finite numbers separated by commas", "用逗号分隔的有限数"),
        }[info.kind]
        if info.low is not None and info.high is not None:
            low, high = bound(info.low), bound(info.high)
            en, zh = f"{en} from {low} to {high}", f" {low} 到 {high} 的{zh}"
    return Text.of(both(f"{info.name} takes {en}.", f"{info.name} 取{zh}。"))


def _example(info: ParamInfo) -> str:
    default = info.default
    return ",".join(f"{x:g}" for x in default) if isinstance(default, tuple) else str(default)


def _impossible(info: ParamInfo, value: object, en: str = "", zh: str = "") -> RequestError:
    words = both(f"{info.name}={value} is not possible{en}", f"{info.name} 不能为 {value}{zh}")
    return RequestError(words, remedy=allowed(info))


def _refusal(name: str, known: Mapping[str, ParamInfo], error: ValidationError) -> RequestError:
    first = error.errors(include_url=False)[0]
    key = str(first["loc"][0]) if first["loc"] else ""
    about = first.get("ctx", {})
    if key in known:
        if known[key].kind != "floats":
            return _impossible(known[key], first["input"])
        # Bounds of a list's entries are not in its ParamInfo; pydantic's own sentence has them.
        detail = _DETAILS.get(first["type"], first["msg"]).format(**about)
        return _impossible(known[key], first["input"], f" ({first['msg']})", f"（{detail}）")
    unfit = about.get("error")
    remedy = unfit.text if isinstance(unfit, UnfitError) else Text.of(str(first["msg"]))
    return RequestError(both(f"{name} cannot run so", f"{name} 无法这样运行"), remedy=remedy)
