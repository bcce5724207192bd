"""Placeholders: `{score_std:.2f}` in a text, replaced by the number a run just measured.

    {name}           {name[2]}           the question's run (or the choice's own)
    {right.name}                         the run of the right option
    {name:.3g}       .Nf .Ng .Ne .N%     N from 0 to 9

A grammar of our own: `str.format` would reach attributes and can be made to allocate
without bound. Nothing is replaced inside `code spans` and maths: $…$, $$…$$, \\(…\\), so
braces there are safe; any other brace is a mistake, found by `strays`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from quizapp.text.numbers import figure
from quizapp.text.tex import FORMULA

#: Shown where a number is not there yet.
MISSING: Final = "…"

_TOKEN: Final = re.compile(
    r"(?P<literal>"
    r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"  # as many backticks at both ends
    rf"|{FORMULA}"
    r"|\$(?![\s$])(?:[^$\n]|\n(?!\s*\n))*?[^\s$]\$(?!\d)"  # "$5 and $6" is money
    r")"
    r"|(?P<field>\{(?P<right>right\.)?(?P<name>[a-z][a-z0-9_]*)(?:\[(?P<index>[0-9]{1,3})\])?"
    r"(?::(?P<format>\.[0-9][fge%]))?\})"
    r"|(?P<stray>\{[^{}\n`$]{0,60}\}|[{}])",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One number to fill in. `source` is how it is written, `offset` where in the text."""

    source: str
    offset: int
    name: str
    index: int | None = None
    right: bool = False
    format: str | None = None

    def show(self, value: float | None) -> str:
        """`value` as this placeholder wants it; an ellipsis when there is none."""
        if value is None:
            return MISSING
        if self.format is None or not math.isfinite(value):
            return figure(value)
        # "82 %", as in tables and plots.
        shown = format(value, self.format).replace("%", " %")
        # A tiny negative number must not read "-0.00".
        return shown[1:] if re.fullmatch(r"-0(?:\.0*)?(?: %)?", shown) else shown


@dataclass(frozen=True, slots=True)
class Stray:
    """A brace that begins no placeholder; shown as it is written."""

    source: str
    offset: int


Part = str | Placeholder | Stray


def parse(text: str) -> tuple[Part, ...]:
    """`text` cut into literal pieces, placeholders and stray braces; never fails.

    Joining the literal pieces with the `source` of the others gives `text` again.
    """
    parts: list[Part] = []
    literal = 0
    for token in _TOKEN.finditer(text):
        if token["literal"] is not None:
            continue
        if token.start() > literal:
            parts.append(text[literal : token.start()])
        literal = token.end()
        parts.append(_part(token))
    if literal < len(text):
        parts.append(text[literal:])
    return tuple(parts)


def _part(token: re.Match[str]) -> Placeholder | Stray:
    if token["stray"] is not None:
        return Stray(token["stray"], token.start())
    return Placeholder(
        source=token["field"],
        offset=token.start(),
        name=token["name"],
        index=None if token["index"] is None else int(token["index"]),
        right=token["right"] is not None,
        format=token["format"],
    )


def fields(text: str) -> tuple[Placeholder, ...]:
    """The placeholders of `text`, in order."""
    return tuple(part for part in parse(text) if isinstance(part, Placeholder))


def strays(text: str) -> tuple[Stray, ...]:
    """The braces of `text` that are neither placeholders nor inside code or maths."""
    return tuple(part for part in parse(text) if isinstance(part, Stray))


def fill(text: str, lookup: Callable[[Placeholder], float | None]) -> str:
    """`text` with its numbers: `lookup` gives the value of a placeholder, or None.

    A missing number shows as "…", one that is not finite as NaN or ∞.
    """
    if "{" not in text:
        return text
    shown = []
    for part in parse(text):
        if isinstance(part, Placeholder):
            shown.append(part.show(lookup(part)))
        else:
            shown.append(part if isinstance(part, str) else part.source)
    return "".join(shown)
