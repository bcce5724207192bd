"""A finding in a narrow window: nothing is lost but what is far from the caret."""

from __future__ import annotations

import pytest

from quizapp.plot.excerpts import fit_finding
from quizapp.plot.width import display_width

RENDERED = """\
q.yaml:12:41: QB053 score_variance has no metric `score_stdd`; did you mean `score_std`?
        - {metric: score_variance, above: 9, metric: score_stdd, rtol: 0.05}
                                                     ^
  It has: `score_mean`, `score_variance`, `score_std`, `scaled_std`."""


def under_the_caret(lines: list[str]) -> str:
    """What begins in the caret's column on the line above it."""
    at = next(n for n, line in enumerate(lines) if line.strip() == "^")
    column, source = display_width(lines[at]) - 1, lines[at - 1]
    return next(source[n:] for n in range(len(source)) if display_width(source[:n]) == column)


@pytest.mark.parametrize("width", [30, 40, 60, 78, 120])
def test_the_caret_stays_under_its_word(width: int) -> None:
    lines = fit_finding(RENDERED, width)
    assert all(display_width(line) <= width for line in lines)
    assert under_the_caret(lines).startswith("score_stdd"[: width // 4])


def test_what_fits_is_left_alone() -> None:
    assert fit_finding(RENDERED, 120) == RENDERED.split("\n")


def test_words_are_wrapped_and_none_is_lost() -> None:
    lines = fit_finding(RENDERED, 40)
    words = " ".join(line.strip() for line in lines)
    assert "did you mean `score_std`?" in words
    assert words.endswith("`score_std`, `scaled_std`.")


def test_wide_characters_count_double() -> None:
    source = "    zh: 注意力分数除以维度的平方根之后标准差为一，promt: 未训练"
    column = display_width(source[: source.index("promt")])
    lines = fit_finding(f"q.yaml:1:1: QB021 no\n{source}\n{' ' * column}^", 40)
    assert under_the_caret(lines).startswith("promt")
    assert lines[1].startswith("…")


def test_a_finding_without_a_line_is_words_alone() -> None:
    assert fit_finding("q.yaml: QB001 cannot be read\n  Make it a file.", 80) == [
        "q.yaml: QB001 cannot be read",
        "  Make it a file.",
    ]
