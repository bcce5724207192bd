"""Lines with a mark before them: what holds, what does not, and what was found of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from quizapp.plot.cells import PLAIN, Ink, Row, row
from quizapp.plot.look import Look
from quizapp.plot.width import display_width, pad, wrap
from quizapp.text import clean

#: "open": neither yet.
Mark = Literal["held", "refuted", "open"]
_STEP = 2


@dataclass(frozen=True, slots=True)
class Item:
    """One line, `level` steps in; longer ones are wrapped under their own beginning."""

    text: str
    mark: Mark | None = None
    level: int = 0


def draw_checklist(items: Iterable[Item], width: int, look: Look) -> list[Row]:
    """`items` in at most `width` columns; an empty text is a blank row."""
    rows: list[Row] = []
    for item in items:
        head = " " * (_STEP * item.level)
        glyph = "" if item.mark is None else _glyph(item.mark, look)
        lead = pad(glyph, display_width(glyph) + 1) if glyph else ""
        room = max(8, width - display_width(head + lead))
        ink = PLAIN if item.mark in (None, "open") else Ink(fg=look.mark(item.mark == "held"))
        for number, line in enumerate(wrap(clean(item.text), room) or [""]):
            first = lead if number == 0 else " " * display_width(lead)
            rows.append(row((head, PLAIN), (first, ink), (line, PLAIN)))
    return rows


def _glyph(mark: Mark, look: Look) -> str:
    glyphs = look.glyphs
    return {"held": glyphs.held, "refuted": glyphs.refuted, "open": "-"}[mark]
