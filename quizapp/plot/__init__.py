"""Drawings of report data in terminal cells, with neither a terminal nor Textual in sight.

The screen and plain output draw through this: rows of text with abstract inks.
`quizapp.plot.drawings` draws the parts of a report; importing this package loads no model.
"""

from __future__ import annotations

from quizapp.plot.cells import Colour, Ink, Row, Run, lines_of, text_of
from quizapp.plot.grid import Grid, GridRow, draw_grid, grid_rows
from quizapp.plot.look import Depth, Look
from quizapp.plot.prose import Piece, prose_lines, prose_text
from quizapp.plot.width import display_width, pad, truncate, wrap

__all__ = [
    "Colour",
    "Depth",
    "Grid",
    "GridRow",
    "Ink",
    "Look",
    "Piece",
    "Row",
    "Run",
    "display_width",
    "draw_grid",
    "grid_rows",
    "lines_of",
    "pad",
    "prose_lines",
    "prose_text",
    "text_of",
    "truncate",
    "wrap",
]
