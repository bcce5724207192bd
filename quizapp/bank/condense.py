"""One clear refusal where a file repeats the same mistake without end, as a bomb does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from quizapp.bank.diagnostics import Diagnostic

#: More findings of one code in one file than this tell nothing new.
MOST: Final = 20
#: More anchors and aliases than this are no slip.
_SLIPS: Final = 8
_PROPERTIES: Final = ("QB008", "QB009")


def bomb(found: Iterable[Diagnostic]) -> Diagnostic | None:
    """The one refusal of a file that is full of anchors and aliases; None where they are slips."""
    properties = [one for one in found if one.code in _PROPERTIES]
    if len(properties) <= _SLIPS:
        return None
    message = f"{len(properties)} anchors and aliases, which are not allowed, begin here"
    return replace(properties[0], code="QB009", message=message)


def condensed(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings of one file, at most `MOST` of each code; the last of them counts the rest."""
    every = list(dict.fromkeys(found))
    total, kept = Counter(one.code for one in every), Counter[str]()
    result = []
    for one in every:
        kept[one.code] += 1
        if kept[one.code] < MOST or total[one.code] == MOST == kept[one.code]:
            result.append(one)
        elif kept[one.code] == MOST:
            result.append(and_more(one, total[one.code] - MOST))
    return result


def and_more(last: Diagnostic, count: int) -> Diagnostic:
    """`last`, which also says that there are `count` more of its sort."""
    return replace(last, message=f"{last.message}; and {count} more like it in this file")
