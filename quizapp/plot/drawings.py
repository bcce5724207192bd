"""Drawings of what a report carries: the only part of the package that loads report models.

Apart from the rest, so that a screen can be painted before those are there.
"""

from __future__ import annotations

from quizapp.plot.bars import draw_histogram
from quizapp.plot.cells import Row
from quizapp.plot.describe import Plot, describe
from quizapp.plot.heat import draw_heat_map
from quizapp.plot.lines import draw_curve
from quizapp.plot.look import Look
from quizapp.plot.tables import draw_matrix, draw_step, draw_table, table_grid
from quizapp.report import Curve, Histogram

__all__ = [
    "Plot",
    "describe",
    "draw",
    "draw_curve",
    "draw_heat_map",
    "draw_histogram",
    "draw_matrix",
    "draw_step",
    "draw_table",
    "table_grid",
]


def draw(plot: Plot, width: int, height: int, look: Look, language: str) -> list[Row]:
    """Any plot in exactly `width` by `height` cells."""
    if isinstance(plot, Curve):
        return draw_curve(plot, width, height, look, language)
    if isinstance(plot, Histogram):
        return draw_histogram(plot, width, height, look, language)
    return draw_heat_map(plot, width, height, look, language)
