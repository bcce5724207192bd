"""Columns: widths agree with the terminal library, and wrapping loses nothing."""

from __future__ import annotations

import random

from rich.cells import cell_len

from quizapp.plot.look import ASCII, UNICODE
from quizapp.plot.width import char_width, display_width, pad, truncate, wrap

MIXED = "d_k = 64 时，每个分数的标准差是 8；缩放后（除以 √d_k）是 1。"


def test_widths_agree_with_the_library_that_draws_them() -> None:
    for text in (MIXED, "score", "softmax(QKᵀ/√d_k)", "全角，。：（）", "e\u0301"):
        assert display_width(text) == cell_len(text), text


def test_every_glyph_of_both_sets_is_one_column() -> None:
    for glyphs in (UNICODE, ASCII):
        characters = (
            glyphs.vertical
            + glyphs.horizontal
            + glyphs.corner
            + glyphs.tick_x
            + glyphs.tick_y
            + glyphs.bars
            + glyphs.shades
            + glyphs.markers
            + glyphs.pointer
            + "".join(glyphs.brackets)
            + glyphs.down
            + glyphs.right
            + "⠁⣿▀▄"
        )
        assert all(char_width(c) == 1 for c in characters)
    everything = "".join(str(getattr(ASCII, name)) for name in ASCII.__slots__)
    assert everything.isascii()


def test_truncating_never_splits_a_wide_character() -> None:
    assert truncate("标准差", 6) == "标准差"
    assert truncate("标准差", 5) == "标准…"
    assert truncate("标准差", 4) == "标…"
    assert truncate("score", 3, "..") == "s.."
    assert truncate("score", 0) == ""
    assert truncate("标准差", 3, "") == "标"


def test_padding_counts_columns() -> None:
    assert pad("标", 4) == "标  "
    assert pad("标", 4, right=True) == "  标"
    assert pad("longer", 3) == "longer"


def test_latin_breaks_at_blanks_and_chinese_between_characters() -> None:
    assert wrap("the score grows", 9) == ["the score", "grows"]
    assert wrap("分数的方差", 4) == ["分数", "的方", "差"]
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrap("a\n\nb", 5) == ["a", "", "b"]
    assert wrap("", 5) == [""]


def test_no_line_begins_with_a_closing_mark_or_ends_with_an_opening_one() -> None:
    for width in range(6, 40):
        for line in wrap(MIXED, width):
            assert line[:1] not in tuple("，。；）"), (width, line)
            assert line[-1:] != "（", (width, line)


def test_random_text_wraps_within_its_width_and_keeps_every_character() -> None:
    draw = random.Random(3)
    alphabet = "abc  标准差，。（） √ᵀ-x[/]"
    for _ in range(1500):
        text = "".join(draw.choice(alphabet) for _ in range(draw.randint(0, 60)))
        width = draw.randint(2, 30)
        lines = wrap(text, width)
        assert all(display_width(line) <= width for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
