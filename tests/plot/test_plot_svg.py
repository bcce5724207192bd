"""Plots as SVG: well-formed, escaped, nothing but shapes and text, every value in its place."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from plots_to_draw import ENTROPY, NORMS, PLOTS, WEIGHTS, random_plot

from quizapp.plot.drawings import Plot
from quizapp.plot.svg import BOTTOM, LEFT, RIGHT, TOP, WIDTH, svg
from quizapp.report import Curve, HeatMap, Histogram, Series
from quizapp.text import Text

SPACE = "{http://www.w3.org/2000/svg}"
SHAPES = {
    "svg", "title", "desc", "text", "line", "rect", "polyline", "polygon", "circle",
}  # fmt: skip


def parsed(plot: Plot, language: str = "en") -> ET.Element:
    return ET.fromstring(svg(plot, language))


def shapes(root: ET.Element, name: str) -> list[ET.Element]:
    return list(root.iter(SPACE + name))


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in shapes(root, "text")]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.id)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_says_what_it_shows_in_the_language_asked_for(plot: Plot, language: str) -> None:
    root = parsed(plot, language)
    assert root.find(SPACE + "title") is not None
    assert texts(root)[0] == plot.title.to(language)
    told = root.find(SPACE + "desc")
    assert told is not None
    assert told.text
    if not isinstance(plot, HeatMap):
        assert {series.name.to(language) for series in plot.series} <= set(texts(root))


def test_points_of_a_curve_lie_where_their_values_are() -> None:
    _, falling = shapes(parsed(ENTROPY), "polyline")
    points = [tuple(map(float, pair.split(","))) for pair in falling.attrib["points"].split()]
    across = [x for x, _ in points]
    steps = {round(b - a, 0) for a, b in pairwise(across)}
    assert len(steps) == 1  # factors of 4 on a log axis
    assert (across[0], across[-1]) == (LEFT, RIGHT)
    assert [y for _, y in points] == sorted(y for _, y in points)  # falls: further down
    assert points[-1][1] == BOTTOM
    assert len(shapes(parsed(ENTROPY), "polygon")) == 2  # the spreads


def test_gaps_cut_a_line() -> None:
    gap = Series(name=Text.of("x"), values=(1.0, math.nan, 2.0, 3.0))
    plot = ENTROPY.model_copy(update={"series": (gap,)})
    assert len(shapes(parsed(plot), "polyline")) == 2


def test_bars_are_as_high_as_their_share_of_the_tallest() -> None:
    bars = [rect for rect in shapes(parsed(NORMS), "rect") if rect.attrib["fill-opacity"] == "0.45"]
    heights = [round(float(bar.attrib["height"]) / (BOTTOM - TOP), 2) for bar in bars]
    assert heights == [1.0, 0.5, 0.25, 0.12, 1.0, 0.06]


def test_a_heat_map_colours_values_and_leaves_gaps() -> None:
    cells = [
        rect for rect in shapes(parsed(WEIGHTS), "rect") if float(rect.attrib["x"]) < RIGHT - 90
    ]
    squares = [rect for rect in cells if float(rect.attrib["height"]) > 50]
    # Two equal zeros beside each other are one rectangle, and NaN is none.
    assert len(squares) == 2 + 2 + 2
    fills = [rect.attrib["fill"] for rect in squares]
    assert fills[0] == "#fde725"  # 1, the end of the scale
    assert fills[1] == fills[3] == "#440154"  # 0


def test_names_are_text_and_never_markup() -> None:
    evil = Text.of('<script>alert(1)</script> & "quoted" ]]>')
    series = tuple(s.model_copy(update={"name": evil}) for s in NORMS.series)
    plot = NORMS.model_copy(update={"title": evil, "x_label": evil, "series": series})
    root = parsed(plot)
    assert evil.to("en") in texts(root)
    assert "<script" not in svg(plot, "en")


@pytest.mark.parametrize("seed", range(40))
def test_unreasonable_plots_are_still_well_formed(seed: int) -> None:
    plot = random_plot(random.Random(seed))
    for language in ("en", "zh"):
        root = parsed(plot, language)
        assert {element.tag.removeprefix(SPACE) for element in root.iter()} <= SHAPES
        for element in root.iter():
            for name, value in element.attrib.items():
                assert "nan" not in value.lower() or name == "aria-label"
                assert "inf" not in value.lower() or name == "aria-label"


@pytest.mark.parametrize(
    "plot",
    [
        Curve.model_validate({**ENTROPY.model_dump(), "x": (), "series": ()}),
        Histogram.model_validate({**NORMS.model_dump(), "edges": (0.0,), "series": ()}),
        HeatMap.model_validate({**WEIGHTS.model_dump(), "values": ()}),
    ],
    ids=lambda plot: plot.id,
)
def test_an_empty_plot_is_a_title(plot: Plot) -> None:
    assert texts(parsed(plot)) == [plot.title.to("en")]


def test_everything_lies_inside_the_picture() -> None:
    for plot in PLOTS:
        root = parsed(plot)
        height = float(root.attrib["height"])
        for text in shapes(root, "text"):
            assert 0 <= float(text.attrib["x"]) <= WIDTH
            assert 0 <= float(text.attrib["y"]) <= height
