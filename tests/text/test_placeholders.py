"""Placeholders: the grammar, what stays literal, and numbers as they are shown."""

from __future__ import annotations

import math
import random

import pytest

from quizapp.text.placeholders import Placeholder, fields, fill, parse, strays


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a}", Placeholder("{a}", 0, "a")),
        ("{score_std2}", Placeholder("{score_std2}", 0, "score_std2")),
        ("{a[0]}", Placeholder("{a[0]}", 0, "a", index=0)),
        ("{a[12]:.3g}", Placeholder("{a[12]:.3g}", 0, "a", index=12, format=".3g")),
        ("{a:.0%}", Placeholder("{a:.0%}", 0, "a", format=".0%")),
        ("{a:.9f}", Placeholder("{a:.9f}", 0, "a", format=".9f")),
        ("{a:.2e}", Placeholder("{a:.2e}", 0, "a", format=".2e")),
        ("{right.a[1]:.2f}", Placeholder("{right.a[1]:.2f}", 0, "a", 1, True, ".2f")),
        ("{right}", Placeholder("{right}", 0, "right")),
    ],
)
def test_grammar(text: str, expected: Placeholder) -> None:
    assert parse(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "{}", "{ a }", "{A}", "{1}", "{a.b}", "{a.__class__}", "{wrong.a}", "{right.a.b}", "{a!r}",
        "{a:}", "{a:.10f}", "{a:10.2f}", "{a:.2x}", "{a:,}", "{a:.2}", "{a[b]}", "{a[-1]}",
        "{a[]}", "{a[1][2]}", "{a[1000]}", "{a:{b}}", "{{a}}", "{", "}", "}{", "{a", "a}", "{a b}",
    ],
)  # fmt: skip
def test_anything_else_in_braces_is_a_stray_and_shown_as_written(text: str) -> None:
    assert strays(text)
    assert all(text[s.offset : s.offset + len(s.source)] == s.source for s in strays(text))
    inner = {"{{a}}": "{1.00}", "{a:{b}}": "{a:1.00}"}
    assert fill(text, lambda _: 1.0) == inner.get(text, text)


@pytest.mark.parametrize(
    "text",
    [
        "`{a}`", "``{a} ` {b}``", "```\n{a: 1}\n```", "$\\frac{1}{\\sqrt{d_k}}$", "$$\n{a}\n$$",
        "$x$ and `{a}` and ${b}$", "$a\n{b}$",
    ],
)  # fmt: skip
def test_code_and_maths_are_literal(text: str) -> None:
    assert parse(text) == (text,)


@pytest.mark.parametrize(
    "text",
    ["it costs $5, {a} costs $6", "`{a}", "``{a}`", "$ {a} $", "${a}", "$x\n\n{a}$", "$$ {a}"],
)
def test_what_only_looks_like_code_or_maths_is_not(text: str) -> None:
    assert [field.name for field in fields(text)] == ["a"]


def test_parts_join_to_the_text() -> None:
    pieces = [
        "{a}",
        "{a[1]:.2f}",
        "{right.b}",
        "{",
        "}",
        "`",
        "``",
        "$",
        "$$",
        "x",
        " ",
        "\n",
        "中",
    ]
    draw = random.Random(0)
    for _ in range(2000):
        text = "".join(draw.choices(pieces, k=draw.randrange(12)))
        parts = parse(text)
        assert "".join(p if isinstance(p, str) else p.source for p in parts) == text
        offset = 0
        for part in parts:
            if not isinstance(part, str):
                assert part.offset == offset
            offset += len(part if isinstance(part, str) else part.source)


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("{a}", 7.9983, "8.00"),
        ("{a}", 1234567.0, "1,234,567"),
        ("{a:.2f}", 7.9983, "8.00"),
        ("{a:.3g}", 0.00012345, "0.000123"),
        ("{a:.1e}", 0.00012345, "1.2e-04"),
        ("{a:.1%}", 0.1432, "14.3 %"),
        ("{a:.0f}", 2.5, "2"),
        ("{a:.2f}", -0.001, "0.00"),
        ("{a:.0%}", -0.001, "0 %"),
        ("{a:.2f}", -0.01, "-0.01"),
        ("{a:.2f}", math.nan, "NaN"),
        ("{a:.2f}", math.inf, "∞"),
        ("{a}", -math.inf, "-∞"),
        ("{a:.2f}", None, "…"),
        ("{a}", 0.0, "0"),
    ],
)
def test_numbers_as_shown(text: str, value: float | None, shown: str) -> None:
    assert fill(f"x {text}.", lambda _: value) == f"x {shown}."


def test_lookup_gets_name_index_and_run() -> None:
    seen: list[tuple[str, int | None, bool]] = []

    def lookup(field: Placeholder) -> float:
        seen.append((field.name, field.index, field.right))
        return float(len(seen))

    text = "{a:.0f} `{a}` {b[2]:.0f} ${c}$ {right.a:.0f}"
    assert fill(text, lookup) == "1 `{a}` 2 ${c}$ 3"
    assert seen == [("a", None, False), ("b", 2, False), ("a", None, True)]


def test_filled_numbers_are_not_read_again() -> None:
    assert fill("{a}{", lambda _: None) == "…{"


@pytest.mark.parametrize("piece", ["`", "$", "{", "$x", "`a", "{a", "$$", "` ", "``` "])
def test_long_texts_of_half_open_things_end(piece: str) -> None:
    """Each would take minutes if matching were quadratic or worse."""
    assert fill(piece * 20_000, lambda _: None) == piece * 20_000
