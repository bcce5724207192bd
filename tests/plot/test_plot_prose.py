"""Prose: a few marks understood, everything else to the letter."""

from __future__ import annotations

import random

import pytest

from quizapp.plot.prose import Piece, inline, prose_lines, prose_text
from quizapp.plot.width import display_width


def test_code_and_bold_are_pieces() -> None:
    assert inline("the `d_k` of **one** head") == (
        Piece("the "),
        Piece("d_k", "code"),
        Piece(" of "),
        Piece("one", "bold"),
        Piece(" head"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "[/]",
        "x[i][j]",
        "[@click=app.quit]now[/]",
        "2 ** 3 ** 2",
        "a ` b",
        "****",
        "\\[b]",
        "$red {x}",
    ],
)
def test_what_looks_like_markup_is_text(text: str) -> None:
    assert inline(text) == (Piece(text),)
    assert prose_text(text, 60) == [text]


def test_marks_inside_code_are_literal() -> None:
    assert inline("`a ** b **`") == (Piece("a ** b **", "code"),)


def test_control_sequences_and_bidi_overrides_are_dropped() -> None:
    assert prose_text("a\x1b[31mred\x1b]0;title\x07 \u202eevil\u202c", 60) == ["ared evil"]


def test_paragraphs_join_their_lines_and_lists_hang() -> None:
    text = "one\ntwo\n\n- first point here\n- second\n1. third\n\n分数的\n方差"
    assert prose_text(text, 14) == [
        "one two",
        "",
        "• first point",
        "  here",
        "• second",
        "1. third",
        "",
        "分数的方差",
    ]
    assert prose_text("- a", 14, ascii=True) == ["- a"]


def test_fenced_code_keeps_its_lines() -> None:
    lines = prose_lines("see\n```python\nx = [\n    1,\n]\n```\nend", 40)
    assert [("".join(p.text for p in line), [p.style for p in line]) for line in lines] == [
        ("see", ["plain"]),
        ("", []),
        ("x = [", ["code"]),
        ("    1,", ["code"]),
        ("]", ["code"]),
        ("end", ["plain"]),
    ]


def test_a_style_survives_a_line_break() -> None:
    lines = prose_lines("**alpha beta gamma**", 11)
    assert lines == [(Piece("alpha beta", "bold"),), (Piece("gamma", "bold"),)]


def test_empty_text_is_one_empty_line() -> None:
    assert prose_lines("", 20) == [()]
    assert prose_lines("\n\n", 20) == [()]


def test_random_prose_stays_within_its_width() -> None:
    draw = random.Random(4)
    pieces = ["`", "**", "- ", "\n", "\n\n", "word ", "标准差", "，", "[b]", "1. ", "  "]
    for _ in range(1500):
        text = "".join(draw.choice(pieces) for _ in range(draw.randint(0, 40)))
        width = draw.randint(6, 50)
        assert all(display_width(line) <= width for line in prose_text(text, width)), text
