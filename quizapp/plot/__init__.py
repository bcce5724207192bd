"""Drawings of report data in terminal cells, with neither a terminal nor Textual in sight.

The screen and plain output draw through this: rows of text with abstract inks.
"""

from __future__ import annotations

from quizapp.plot.bars import draw_histogram
from quizapp.plot.cells import Colour, Ink, Row, Run, lines_of, text_of
from quizapp.plot.describe import Plot, describe
from quizapp.plot.grid import Grid, GridRow, draw_grid, grid_rows
from quizapp.plot.heat import draw_heat_map
from quizapp.plot.lines import draw_curve
from quizapp.plot.look import Depth, Look
from quizapp.plot.prose import Piece, prose_lines, prose_text
from quizapp.plot.tables import draw_matrix, draw_step, draw_table, table_grid
from quizapp.plot.width import display_width, pad, truncate, wrap
from quizapp.report import Curve, Histogram

__all__ = [
    "Colour",
    "Depth",
    "Grid",
    "GridRow",
    "Ink",
    "Look",
    "Piece",
    "Plot",
    "Row",
    "Run",
    "describe",
    "display_width",
    "draw",
    "draw_curve",
    "draw_grid",
    "draw_heat_map",
    "draw_histogram",
    "draw_matrix",
    "draw_step",
    "draw_table",
    "grid_rows",
    "lines_of",
    "pad",
    "prose_lines",
    "prose_text",
    "table_grid",
    "text_of",
    "truncate",
    "wrap",
]


def draw(plot: Plot, width: int, height: int, look: Look, language: str) -> list[Row]:
    """Any plot in exactly `width` by `height` cells."""
    if isinstance(plot, Curve):
        return draw_curve(plot, width, height, look, language)
    if isinstance(plot, Histogram):
        return draw_histogram(plot, width, height, look, language)
    return draw_heat_map(plot, width, height, look, language)
