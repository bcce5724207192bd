"""A checklist: marks, wrapping under the text's own beginning, and levels."""

from __future__ import annotations

from quizapp.plot import Look
from quizapp.plot.cells import lines_of
from quizapp.plot.checklist import Item, draw_checklist

ITEMS = (
    Item("rows of the weights sum to 1", "refuted"),
    Item("worst at [b=0]: 0.5", level=1),
    Item(""),
    Item("no NaN [/]", "held"),
    Item("never began", "open"),
)


def test_marks_and_levels() -> None:
    assert lines_of(draw_checklist(ITEMS, 40, Look())) == [
        "✗ rows of the weights sum to 1",
        "  worst at [b=0]: 0.5",
        "",
        "✓ no NaN [/]",
        "- never began",
    ]


def test_a_long_line_is_wrapped_under_its_own_beginning() -> None:
    assert lines_of(draw_checklist(ITEMS[:2], 16, Look(ascii=True))) == [
        "no rows of the",
        "   weights sum",
        "   to 1",
        "  worst at",
        "  [b=0]: 0.5",
    ]


def test_only_marks_carry_colour() -> None:
    rows = draw_checklist(ITEMS, 40, Look(depth="truecolor"))
    inked = [run.text.strip() for line in rows for run in line if run.ink.fg is not None]
    assert inked == ["✗", "✓"]
