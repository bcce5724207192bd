"""The parameters of an experiment as a form, the chosen one explained beneath."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Vertical

from quizapp.plot.grid import Grid
from quizapp.text.i18n import language
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.result_view import windowed

if TYPE_CHECKING:
    from quizapp.session.bench import Bench

#: Rows of the form: on a wide screen, and on a narrow one beside numbers or what needs more room.
WIDE: Final = 20
NARROW: Final = 5
SMALL: Final = 3


class FormView(Vertical):
    """Name, value and bounds in rows; the claim, or what the run found, above them if wide."""

    DEFAULT_CSS = """
    FormView { height: auto; }
    FormView > #about { margin-bottom: 1; }
    FormView > #param-help { color: $text-muted; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.bench: Bench | None = None
        self.at = 0

    def compose(self) -> ComposeResult:
        yield PlainText(id="about")
        yield NumbersTable(Grid((), ()), id="form")
        yield PlainText(id="param-help")

    def show(self, bench: Bench) -> None:
        """Another experiment: its first parameter."""
        self.bench, self.at = bench, 0

    @property
    def param(self) -> str:
        """The name of the chosen parameter."""
        assert self.bench is not None
        return self.bench.names[self.at]

    def move(self, direction: int) -> None:
        """Choose the next or the previous parameter, round at the ends."""
        if self.bench is not None:
            self.at = (self.at + direction) % len(self.bench.names)

    def words(self, *, wide: bool, small: bool) -> None:
        """Everything anew, in the current language."""
        from quizapp.session.readings import form, help_line

        bench = self.bench
        if bench is None:
            return
        about, table = self.query_one("#about", PlainText), self.query_one(NumbersTable)
        about.display = wide
        summary = None if bench.report is None else bench.report.summary
        about.update((summary or bench.info.claim).to(language()))
        rows = WIDE if wide else SMALL if small else NARROW
        table.update(windowed(form(bench, self.at), self.at, rows))
        table.language = language()
        self.query_one("#param-help", PlainText).update(help_line(bench, self.at))
