"""Plots on the screen: each draws one plot of a report and says beneath it what it shows."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Generic, TypeVar

from quizapp.plot import Look, Row, truncate, wrap
from quizapp.plot.cells import MUTED, row
from quizapp.plot.drawings import Plot, describe, draw
from quizapp.plot.heat import plan
from quizapp.report import Curve, HeatMap, Histogram
from quizapp.tui.widgets.cells import CellWidget

P = TypeVar("P", Curve, Histogram, HeatMap)

_STALE = {"en": "(previous run) ", "zh": "（上一次运行）"}
_CAPTION_LINES = 2
_SERIES = 3  # the most a sentence speaks of
_SHORT = 10


class _PlotView(CellWidget, Generic[P]):
    """A plot with its sentence; `natural_height` is what the drawing takes by itself."""

    tallest: ClassVar[int] = 12

    def __init__(
        self,
        plot: P,
        *,
        language: str = "en",
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._plot: P = plot
        self._version = 0  # not the plot's id(), which a later plot may be given again
        self.set_reactive(CellWidget.language, language)

    @property
    def plot(self) -> P:
        """The plot on show."""
        return self._plot

    def update(self, plot: P) -> None:
        """Show `plot` in place of the last one; laid out anew only if it wants another height."""
        width, look = self.size.width, self.current_look
        before = self.natural_height(self._plot, width, look)
        self._plot = plot
        self._version += 1
        self.refresh(layout=self.natural_height(plot, width, look) != before)

    def natural_height(self, plot: P, width: int, look: Look) -> int:
        """Rows of the drawing without its sentence."""
        raise NotImplementedError

    def drawing_key(self) -> Hashable:
        return self._version

    def caption(self, width: int, most: int = _CAPTION_LINES) -> list[str]:
        """The sentence beneath, on at most `most` lines.

        It speaks of as many series as fit whole; of a single one an ellipsis stands for the rest.
        """
        language, width = self.language, max(1, width)
        stale = _STALE.get(language, _STALE["en"]) if self.dimmed else ""
        for series in range(_SERIES, 0, -1):
            lines: list[str] = wrap(stale + describe(self._plot, language, series), width)
            if len(lines) <= most:
                return lines
        rest = " ".join(lines[most - 1 :])
        return [*lines[: most - 1], truncate(rest, width, self.current_look.glyphs.ellipsis)]

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:
        caption: list[str] = self.caption(width)
        if height is None:
            height = self.natural_height(self._plot, width, look) + len(caption)
        elif height < _SHORT and len(caption) > 1:
            caption = self.caption(width, 1)  # a short plot needs its rows
        rows: list[Row] = draw(self._plot, width, height - len(caption), look, self.language)
        rows += [row((line, MUTED)) for line in caption]
        return rows


class CurveView(_PlotView[Curve]):
    """A braille line chart."""

    def natural_height(self, plot: Curve, width: int, look: Look) -> int:  # noqa: ARG002
        return self.tallest if len(plot.series) < 4 else self.tallest + 3


class HistogramView(_PlotView[Histogram]):
    """A histogram in eighth blocks: one row for each series unless its height is set."""

    def natural_height(self, plot: Histogram, width: int, look: Look) -> int:  # noqa: ARG002
        return 7 if len(plot.series) == 1 else 1 + len(plot.series)


class HeatMapView(_PlotView[HeatMap]):
    """A heat map in half blocks."""

    def natural_height(self, plot: HeatMap, width: int, look: Look) -> int:
        lines, columns = len(plot.values), max(map(len, plot.values), default=0)
        if not columns:
            return 1
        per_cell = 2 if look.depth != "none" else 1
        gutter = len(str(lines - 1)) + 1
        area = (max(1, width - gutter), self.tallest * per_cell)
        how = plan(lines, columns, area, square=per_cell == 2)
        return 2 + -(-how.height(lines) // per_cell)


def plot_view(
    plot: Plot,
    *,
    language: str = "en",
    id: str | None = None,  # noqa: A002
    classes: str | None = None,
) -> CurveView | HistogramView | HeatMapView:
    """The view that belongs to `plot`."""
    if isinstance(plot, Curve):
        return CurveView(plot, language=language, id=id, classes=classes)
    if isinstance(plot, Histogram):
        return HistogramView(plot, language=language, id=id, classes=classes)
    return HeatMapView(plot, language=language, id=id, classes=classes)
