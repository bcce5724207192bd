"""A finding of the checker, fitted to a narrower window: its caret stays under what it means."""

from __future__ import annotations

from collections.abc import Iterator

from quizapp.plot.width import char_width, display_width, truncate, wrap

#: Columns that are kept right of the caret: what it means begins there.
_ROOM = 16


def fit_finding(rendered: str, width: int) -> list[str]:
    """A rendered finding in lines of at most `width` columns.

    Words are wrapped under their own indentation; of a source line the part around the caret
    is kept.
    """
    lines = rendered.split("\n")
    carets = {at for at, line in enumerate(lines) if at and line.strip() == "^"}
    return list(_fitted(lines, carets, max(8, width)))


def _fitted(lines: list[str], carets: set[int], width: int) -> Iterator[str]:
    for at, line in enumerate(lines):
        if at + 1 in carets:
            yield from _around(line, display_width(lines[at + 1]) - 1, width)
        elif at not in carets:
            indent = " " * (len(line) - len(line.lstrip(" ")))
            for part in wrap(line.lstrip(" "), width - len(indent)):
                yield indent + part


def _around(source: str, caret: int, width: int) -> Iterator[str]:
    """The source line, cut at its left where the caret would be out of sight, and the caret."""
    gone = 0
    if caret + _ROOM > width < display_width(source):
        kept = source
        while gone < caret - width // 2:
            gone += char_width(kept[0])
            kept = kept[1:]
        source = "…" + kept
        gone -= 1  # the ellipsis
    yield truncate(source, width)
    yield " " * (caret - gone) + "^"
