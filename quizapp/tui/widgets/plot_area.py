"""The verdict's plots: as many as there are, in the rows that numbers and words leave."""

from __future__ import annotations

from textual.containers import Vertical

from quizapp.plot.drawings import Plot
from quizapp.tui.widgets.plots import CurveView, HeatMapView, HistogramView, plot_view

#: Rows of a plot, its caption included: at least, at most, and at most beside the words.
LEAST = 7
MOST = 10
MOST_WIDE = 18


class PlotArea(Vertical):
    """Plots below each other; a view is kept as long as it fits the next plot."""

    DEFAULT_CSS = """
    PlotArea { height: auto; }
    PlotArea > * { margin-bottom: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._views: list[CurveView | HistogramView | HeatMapView] = []

    def show(self, plots: tuple[Plot, ...], language: str, *, dimmed: bool) -> None:
        """Show `plots`, dimmed while newer ones are on their way."""
        fits = len(plots) == len(self._views) and all(
            type(view.plot) is type(plot) for view, plot in zip(self._views, plots, strict=True)
        )
        if not fits:
            for view in self._views:
                view.remove()
            self._views = [plot_view(plot, language=language) for plot in plots]
            self.mount(*self._views)
        for view, plot in zip(self._views, plots, strict=True):
            view.language, view.dimmed = language, dimmed
            if view.plot is not plot:
                view.update(plot)  # type: ignore[arg-type]

    def fit(self, rows: int, *, wide: bool, blanks: int = 0) -> bool:
        """Share `rows` among the plots; True when there is room only without blank lines.

        rows: those left by all else, the `blanks` between its parts not counted. A plot of
        fewer than seven rows tells nothing: then what lies below is scrolled to.
        """
        count = len(self._views)
        each = (rows - blanks) // max(1, count) - 1
        tight = each < LEAST if count else rows < blanks
        if tight:
            each = rows // max(1, count)
        for view in self._views:
            view.styles.max_height = min(max(LEAST, each), MOST_WIDE if wide else MOST)
        return tight
