"""Colours for Python that is still being written."""

from __future__ import annotations

import pytest

from quizapp.text.python_code import spans


def pieces(source: str) -> list[tuple[int, str, str]]:
    """Every coloured piece as (line, text, kind)."""
    lines = source.split("\n")
    return [
        (line, lines[line][span.start : span.end], span.kind)
        for line, found in spans(source).items()
        for span in found
    ]


def test_each_kind_is_told() -> None:
    source = "@jit\ndef f(x): return len('a') + 0x1F * 1.5e-3  # 数"
    assert pieces(source) == [
        (0, "@jit", "decorator"),
        (1, "def", "keyword"),
        (1, "f", "definition"),
        (1, "return", "keyword"),
        (1, "len", "builtin"),
        (1, "'a'", "string"),
        (1, "0x1F", "number"),
        (1, "1.5e-3", "number"),
        (1, "# 数", "comment"),
    ]


def test_a_string_over_several_lines_is_one_on_each() -> None:
    assert pieces('x = r"""a\n  b\n""" + y') == [
        (0, 'r"""a', "string"),
        (1, "  b", "string"),
        (2, '"""', "string"),
    ]


@pytest.mark.parametrize(
    ("source", "last"),
    [
        ("x = 'open\ny = 1", (1, "1", "number")),  # ends with its line
        ('"""open\nreturn', (1, "return", "string")),  # ends with the text
        ("f(1, [2", (0, "2", "number")),
        ("'it\\'s' # ok", (0, "# ok", "comment")),
    ],
)
def test_half_a_line_is_the_usual_state(source: str, last: tuple[int, str, str]) -> None:
    assert pieces(source)[-1] == last


def test_what_only_looks_like_one_is_left_alone() -> None:
    # A product at the beginning of a line, a method with a builtin's name, a number in a name.
    assert pieces("(Q\n @ K).sum(x1)") == []


@pytest.mark.parametrize("source", ["", "\n\n", "é" * 50, "'" * 7, '"' * 9, "\\", "\x00\x07"])
def test_every_piece_lies_in_its_line(source: str) -> None:
    lines = source.split("\n")
    for line, found in spans(source).items():
        for span in found:
            assert 0 <= span.start <= span.end <= len(lines[line])
