"""Drawings as text, and drawings of data nobody should have reported."""

from __future__ import annotations

import math
import random

import pytest
from plots_to_draw import ENTROPY, NORMS, PLOTS, WEIGHTS, random_plot

from quizapp.plot import Look, display_width, lines_of, text_of
from quizapp.plot.bars import mass
from quizapp.plot.cells import row_width
from quizapp.plot.drawings import Plot, describe, draw
from quizapp.plot.heat import Plan, fit_grid, plan
from quizapp.plot.look import ramp
from quizapp.report import Curve, HeatMap, Series
from quizapp.text import Text

PLAIN, ASCII = Look(), Look(ascii=True)
COLOUR = Look(depth="truecolor")


def drawn(plot: Plot, width: int, height: int, look: Look = PLAIN, language: str = "en") -> str:
    return "\n".join(lines_of(draw(plot, width, height, look, language)))


def test_a_curve_in_braille() -> None:
    assert drawn(ENTROPY, 48, 8) == (
        "Entropy of a row  nats\n"
        "● with 1/√d_k  ▲ no scale\n"
        "4 ┤●⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉●⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉●⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉●\n"
        "  │\n"
        "2 ┤▲⠤⠤⣀⣀⣀⣀⡀\n"
        "  │       ⠈⠉⠉⠉⠉⠉⠒⠒▲⠒⠒⠒⠒⠒⠒⠢⠤⠤⠤⠤⠤⠤▲⠤⠤⠤⠤⠤⠤⠤⢄⣀⣀⣀⣀⣀⣀▲\n"
        "  └┬──────────────┬─────────────┬──────────────┬\n"
        "   16            64            256   d_k    1024"
    )


def test_a_curve_in_ascii() -> None:
    assert drawn(ENTROPY, 48, 8, ASCII).split("\n")[2:] == [
        "4 +o::::::::::::::o:::::::::::::o::::::::::::::o",
        "  |",
        "2 +x::::::.",
        "  |       .:::::::x:::::::::::::x::::::::::::::x",
        "  ++--------------+-------------+--------------+",
        "   16            64            256   d_k    1024",
    ]


def test_a_histogram_as_small_rows_in_chinese() -> None:
    assert drawn(NORMS, 40, 3, language="zh") == (
        "各行的范数  0           0.2         0.4\n"
        "● 不缩放   │██████▇▄▄▄▄▄▄▃▂▂▂▂▂▂▁▁▁▁▁▁▁│\n"
        "▲ 1/√d_k   │      ▂██████▄▁▁▁▁▁▁▁      │"
    )


def test_a_tall_histogram_in_ascii() -> None:
    assert drawn(NORMS, 64, 9, ASCII).replace("√", "v").split("\n")[1:] == [
        "           |##########:                               |",
        "           |###########----------                     |",
        "o no scale |#####################++++++++++=----------| max 53 %",
        "           |           ##########                     |",
        "           |          -##########                     |",
        "x 1/vd_k   |          ###########...........          | max 94 %",
        "           ++-------------------+--------------------+",
        "            0                  0.2      norm       0.4",
    ]


def test_a_heat_map_without_colour_shows_gaps_as_unknown() -> None:
    assert drawn(WEIGHTS, 40, 5) == (
        "Weights                   0 │ ░░▒▒▓▓█│ 1\n0 ██\n  ▒▒▒▒\n2 ░░??▒▒\n  0    2  query ↓  key →"
    )


def test_a_half_block_carries_two_values() -> None:
    rows = draw(WEIGHTS, 40, 4, COLOUR, "en")
    first, second = rows[1][1], rows[2][2]
    assert first.text[0] == "▀"
    assert (first.ink.fg, first.ink.bg) == (ramp("truecolor", 1.0), ramp("truecolor", 0.5))
    # Row 2 has no row below it and a gap in its middle: the ground shows through.
    assert second.text == " "
    assert (second.ink.fg, second.ink.bg) == (None, None)


def test_pictures_with_the_same_limits_share_one_scale() -> None:
    faint = WEIGHTS.model_copy(update={"values": ((0.25, 0.25), (0.25, 0.25))})
    (cell,) = {run.ink for run in draw(faint, 40, 4, COLOUR, "en")[1] if "▀" in run.text}
    assert cell.fg == ramp("truecolor", 0.25)


def test_gaps_break_a_line() -> None:
    flat = Series(name=Text.of("a"), values=(1.0, 1.0, math.nan, 1.0, 1.0))
    curve = ENTROPY.model_copy(update={"x": (0, 1, 2, 3, 4), "series": (flat,), "log_x": False})
    plot_rows = drawn(curve, 60, 8).split("\n")[1:-2]
    (line,) = [text for text in plot_rows if "●" in text]
    assert line.count("●") == 4
    assert "   " in line[line.index("●") :]


def test_two_equal_series_are_both_seen() -> None:
    twins = tuple(Series(name=Text.of(n), values=tuple(range(60))) for n in "ab")
    curve = ENTROPY.model_copy(update={"x": tuple(range(60)), "series": twins, "log_x": False})
    body = "\n".join(drawn(curve, 70, 12).split("\n")[1:])
    assert body.count("●") >= 2
    assert body.count("▲") >= 2


def test_histogram_columns_keep_the_total_however_many_bins_there_are() -> None:
    draw_from = random.Random(5)
    for _ in range(200):
        bins, columns = draw_from.randint(1, 120), draw_from.randint(4, 90)
        edges = [0.0]
        for _ in range(bins):
            edges.append(edges[-1] + draw_from.uniform(0.01, 2))
        counts = [draw_from.choice((0.0, draw_from.uniform(0, 50))) for _ in range(bins)]
        spread = mass(edges, counts, columns)
        assert math.isclose(sum(v or 0 for v in spread), sum(counts), rel_tol=1e-6)


def test_a_large_matrix_is_averaged_and_a_small_one_enlarged() -> None:
    shrunk = plan(2, 2, (1, 1), square=True)
    assert shrunk == Plan(tall=1, wide=1, per_row=2, per_column=2)
    assert fit_grid([[1.0, 3.0], [5.0, math.nan]], shrunk) == [[3.0]]
    grown = plan(1, 2, (6, 4), square=True)
    assert fit_grid([[1.0, 2.0]], grown) == [[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]] * 3
    assert grown.height(1) == 3


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_ascii_drawings_use_ascii_glyphs_only(plot: Plot, language: str) -> None:
    words = "".join(
        text.to(language)
        for text in (
            plot.title,
            *(s.name for s in getattr(plot, "series", ())),
            *(getattr(plot, n) for n in ("x_label", "y_label", "row_label", "column_label")
              if hasattr(plot, n)),
        )
    )  # fmt: skip
    text = drawn(plot, 70, 12, ASCII, language)
    assert {c for c in text if not c.isascii()} <= {*words, *"最高"}


def test_random_plots_fill_their_area_and_never_fail() -> None:
    draw_from = random.Random(11)
    looks = [
        Look(ascii=a, depth=d, dark=k)
        for a in (True, False)
        for d in ("truecolor", "256", "none")
        for k in (True, False)
    ]  # fmt: skip
    for _ in range(1200):
        plot = random_plot(draw_from)
        width, height = draw_from.randint(1, 120), draw_from.randint(0, 30)
        language = draw_from.choice(("en", "zh"))
        rows = draw(plot, width, height, draw_from.choice(looks), language)
        assert len(rows) == height
        for line in rows:
            assert row_width(line) == width
            assert not any(c in text_of(line) for c in "\n\x1b")
        sentence = describe(plot, language)
        assert sentence
        assert "\n" not in sentence


@pytest.mark.parametrize(
    ("plot", "en", "zh"),
    [
        (
            ENTROPY,
            "with 1/√d_k stays near 4.12; no scale falls from 1.54 to 0.130.",
            "除以 √d_k 保持在 4.12 附近；不缩放从 1.54 降到 0.130。",
        ),
        (
            NORMS,
            "no scale peaks near 0.050 (53 % in one bin); "
            "1/√d_k peaks near 0.15 (94 % in one bin).",
            "不缩放的峰值在 0.050 附近（该格占 53 %）；1/√d_k 的峰值在 0.15 附近（该格占 94 %）。",
        ),
        (
            WEIGHTS,
            "Largest 1.00 at row 0, column 0; mean 0.344. 1 of 9 are not numbers.",
            "最大值 1.00 在第 0 行第 0 列；均值 0.344。9 个中有 1 个不是数。",
        ),
    ],
)
def test_plots_in_words(plot: Plot, en: str, zh: str) -> None:
    assert describe(plot, "en") == en
    assert describe(plot, "zh") == zh


def curve_of(*values: float) -> Curve:
    series = (Series(name=Text.of("{x}"), values=values),)
    return ENTROPY.model_copy(update={"x": tuple(range(len(values))), "series": series})


def test_curves_that_turn_say_where() -> None:
    assert describe(curve_of(1, 5, 2), "en") == "{x} peaks at 5.00 (1.00) and ends at 2.00."
    assert describe(curve_of(4, 1, 3), "en") == "{x} dips to 1.00 (1.00) and ends at 3.00."
    assert describe(curve_of(math.nan, 2), "en") == "{x} has the one value 2.00."
    assert describe(curve_of(math.nan), "en") == "{x} has no values."


def test_nothing_at_all_is_said() -> None:
    empty = HeatMap.model_copy(WEIGHTS, update={"values": ()})
    assert describe(empty, "en") == "No values to show."
    assert describe(empty, "zh") == "没有可显示的数值。"
    assert display_width(drawn(empty, 40, 5)) == 4  # four line breaks


def test_a_legend_cuts_its_longest_names_only() -> None:
    names = ("√d_k", "initialisation and query rate", "init alone", "rate alone")
    series = tuple(Series(name=Text.of(name), values=(1.0, 2.0)) for name in names)
    plot = ENTROPY.model_copy(update={"x": (1, 2), "series": series})
    legend = drawn(plot, 60, 12).splitlines()[1]
    assert legend == "● √d_k  ▲ initialisation and qu…  ■ init alone  ◆ rate alone"
    assert "…" not in drawn(plot, 78, 12).splitlines()[1]


def test_a_heading_without_room_loses_what_y_is_before_its_end() -> None:
    wordy = {"title": Text.of("t" * 50), "y_label": Text.of("y" * 20)}
    plot = ENTROPY.model_copy(update=wordy)
    assert drawn(plot, 80, 12).splitlines()[0] == "t" * 50 + "  " + "y" * 20
    assert drawn(plot, 60, 12).splitlines()[0] == "t" * 50
    assert drawn(plot, 40, 12).splitlines()[0] == "t" * 39 + "…"
