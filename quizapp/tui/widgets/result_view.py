"""What a run found, pane by pane: numbers, tables, plots, the steps of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from textual.app import ComposeResult
from textual.containers import Vertical

from quizapp.plot.drawings import Plot, table_grid
from quizapp.plot.grid import Grid
from quizapp.report import Curve, HeatMap, Histogram, Step, Table
from quizapp.text.i18n import _, language
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.plot_area import PlotArea
from quizapp.tui.widgets.step_view import StepView

if TYPE_CHECKING:
    from quizapp.report import Report
    from quizapp.session.bench import Bench

Pane = Literal["numbers", "tables", "plots", "trace", "sweep"]
PANES: Final[tuple[Pane, ...]] = ("numbers", "tables", "plots", "trace", "sweep")
#: What a pane shows one of: some rows of a table, a plot, or a step of a trace.
Part = tuple[Table, int] | Plot | Step

#: Rows of a table at a time: on a narrow screen, and beside the form on a wide one.
ROWS: Final = 7
ROWS_WIDE: Final = 12
#: Columns a list of numbers may take: alone, and beside a pinned run's.
LIST, LIST_BESIDE = 36, 18


class ResultView(Vertical):
    """One pane at a time; on a wide screen the numbers stay above the others."""

    DEFAULT_CSS = """
    ResultView { height: auto; }
    ResultView #meaning { color: $text-muted; margin-bottom: 1; }
    ResultView #swept { color: $text-muted; }
    ResultView #panes { color: $text-muted; text-wrap: nowrap; }
    ResultView #step { margin-bottom: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.bench: Bench | None = None
        self.pane: Pane = "numbers"
        self.metric = ""
        self._at: dict[Pane, int] = {}

    def compose(self) -> ComposeResult:
        yield PlainText(id="panes")
        yield NumbersTable(Grid((), ()), id="figures")
        yield PlainText(id="meaning")
        yield PlainText(id="swept")
        yield NumbersTable(Grid((), ()), id="table")
        yield PlotArea(id="drawn")
        yield StepView(id="step")

    def show(self, bench: Bench) -> None:
        """Another experiment: the first pane, the first number."""
        self.bench, self.pane, self.metric, self._at = bench, "numbers", "", {}

    # --- moving ------------------------------------------------------------------

    @property
    def panes(self) -> tuple[Pane, ...]:
        """Those that have something to show."""
        begun = self.bench is not None and self.bench.sweep is not None
        always = ("numbers", "sweep") if begun else ("numbers",)
        return tuple(pane for pane in PANES if pane in always or self.count(pane))

    def count(self, pane: Pane) -> int:
        """How many numbers, pages of tables, plots or steps there are."""
        if pane == "numbers":
            return 0 if self._report is None else len(self._report.metrics)
        return len(self._parts(pane))

    def _parts(self, pane: Pane) -> Sequence[Part]:
        """What a pane goes through from left to right; the numbers are one table of their own."""
        report, sweep = self._report, None if self.bench is None else self.bench.sweep
        if pane == "sweep" and sweep is not None:
            curve = () if sweep.curve is None else (sweep.curve,)
            table = () if sweep.table is None else (sweep.table,)
            return (*curve, *self._pages(table))
        if report is None:
            return ()
        if pane == "tables":
            return self._pages(report.tables)
        if pane == "plots":
            return (*report.curves, *report.histograms, *report.heat_maps)
        return report.trace if pane == "trace" else ()

    def at(self, pane: Pane) -> int:
        """Which of them is on show."""
        if pane == "numbers" and self._report is not None:
            names = list(self._report.metrics)
            return names.index(self.metric) if self.metric in names else 0
        return min(self._at.get(pane, 0), max(0, self.count(pane) - 1))

    def next_pane(self) -> None:
        """Show the next pane that has something."""
        panes = self.panes
        at = panes.index(self.pane) if self.pane in panes else -1
        self.pane = panes[(at + 1) % len(panes)]

    def turn(self, direction: int) -> None:
        """The next or the previous number, page, plot or step, round at the ends."""
        count = self.count(self.pane)
        if not count or self._report is None:
            return
        at = (self.at(self.pane) + direction) % count
        self._at[self.pane] = at
        if self.pane == "numbers":
            self.metric = list(self._report.metrics)[at]

    @property
    def _report(self) -> Report | None:
        return None if self.bench is None else self.bench.report

    @property
    def highlighted(self) -> str | None:
        """The name of the highlighted number."""
        report = self._report
        return (
            None
            if not self.count("numbers") or report is None
            else (list(report.metrics)[self.at("numbers")])
        )

    # --- drawing -----------------------------------------------------------------

    @property
    def _wide(self) -> bool:
        return self.screen.has_class("-wide")

    @property
    def _rows(self) -> int:
        return ROWS_WIDE if self._wide else ROWS

    def words(self) -> None:
        """Everything anew, in the current language."""
        bench = self.bench
        if self.pane not in self.panes:
            self.pane = "numbers"
        self.query_one("#panes", PlainText).update(self._panes_line())
        below = self.pane
        if self._wide and below == "numbers":
            below = next((p for p in ("plots", "trace", "tables") if p in self.panes), below)
        self._numbers(shown=self._wide or below == "numbers")
        swept_line = self.query_one("#swept", PlainText)
        swept_line.display = below == "sweep"
        parts = self._parts(below)
        part = parts[self.at(below)] if parts else None
        table, drawn = self.query_one("#table", NumbersTable), self.query_one(PlotArea)
        step = self.query_one(StepView)
        table.display, step.display = isinstance(part, tuple), isinstance(part, Step)
        drawn.display = isinstance(part, Curve | Histogram | HeatMap)
        if bench is None:
            return
        said, stale = language(), bench.stale and below != "sweep"
        table.language = step.language = said
        table.dimmed = step.dimmed = stale
        if isinstance(part, tuple):
            page, start = part
            rows = page.rows[start : start + self._rows]
            table.update(table_grid(page.model_copy(update={"rows": rows}), said))
        elif isinstance(part, Curve | Histogram | HeatMap):
            drawn.show((part,), said, dimmed=stale)
        step.update(part if isinstance(part, Step) else None)
        if swept_line.display and bench.sweep is not None:
            from quizapp.session.readings import swept

            swept_line.update(swept(bench.sweep))

    def _numbers(self, *, shown: bool) -> None:
        from quizapp.session.readings import meaning, numbers

        figures, told = self.query_one("#figures", NumbersTable), self.query_one("#meaning")
        figures.display = told.display = shown
        bench, report, name = self.bench, self._report, self.highlighted
        if not shown or bench is None:
            return
        columns = LIST if bench.pinned is None else LIST_BESIDE
        grid = numbers(bench, self.at("numbers"), columns=columns)
        figures.update(windowed(grid, self.at("numbers"), self._rows))
        figures.language, figures.dimmed = language(), bench.stale
        words = "" if report is None or name is None else meaning(report, name)
        self.query_one("#meaning", PlainText).update(words)

    def _panes_line(self) -> str:
        """ "numbers 3/18  [plots 1/4]  trace 1/5": what there is, the one on show in brackets."""
        words = {
            "numbers": _("numbers"),
            "tables": _("tables"),
            "plots": _("plots"),
            "trace": _("trace"),
            "sweep": _("sweep"),
        }
        parts = []
        for pane in self.panes:
            count = self.count(pane)
            part = f"{words[pane]} {self.at(pane) + 1}/{count}" if count else words[pane]
            parts.append(f"[{part}]" if pane == self.pane else part)
        return "  ".join(parts)

    def _pages(self, tables: Sequence[Table]) -> list[tuple[Table, int]]:
        """Each table in pieces of as many rows as are shown at a time."""
        return [
            (table, start)
            for table in tables
            for start in range(0, max(1, len(table.rows)), self._rows)
        ]

    def fit(self, rows: int) -> None:
        """Give the plot what the other parts leave of `rows`."""
        beside = [w for w in self.children if w.display and not isinstance(w, PlotArea)]
        taken = sum(w.outer_size.height + w.styles.margin.height for w in beside)
        self.query_one(PlotArea).fit(rows - taken, wide=self._wide)


def windowed(grid: Grid, at: int, size: int) -> Grid:
    """`size` rows of `grid` around the row `at`."""
    start = max(0, min(at - size // 2, len(grid.rows) - size))
    return replace(grid, rows=grid.rows[start : start + size])
