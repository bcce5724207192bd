"""The lab: one experiment, its parameters in a form, run anew on every change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from quizapp.errors import QuizappError
from quizapp.plot.grid import Grid
from quizapp.text.i18n import _, language
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.field_bar import FieldBar
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.result_view import ResultView, windowed

if TYPE_CHECKING:
    from quizapp.session.bench import Bench

#: Rows of the form on a narrow screen: with the numbers, and with what needs more room.
FORM: Final = 5
FORM_SMALL: Final = 3
FORM_WIDE: Final = 20


class LabScreen(Page):
    """One experiment; used again for the next one.

    Up and down choose a parameter, left and right go through what the pane shows.
    """

    AUTO_FOCUS = ""  # the field takes the keys only when it is asked for
    BINDINGS: ClassVar[list[BindingType]] = [
        binding("next_param"),
        binding("previous_param"),
        binding("up"),
        binding("down"),
        binding("edit"),
        binding("pane"),
        binding("next_part"),
        binding("previous_part"),
        binding("reseed"),
        binding("device"),
        binding("defaults"),
        binding("cancel"),
        binding("pin"),
        binding("copy"),
        binding("save"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.bench: Bench | None = None
        self.at = 0

    def body(self) -> ComposeResult:
        with Vertical(id="bench"):
            with Vertical(id="given"):
                yield PlainText(id="about")
                yield NumbersTable(Grid((), ()), id="form")
                yield PlainText(id="param-help")
            with Vertical(id="found"):
                yield PlainText(id="failed")
                yield ResultView(id="result")

    def foot(self) -> ComposeResult:
        yield FieldBar()
        yield PlainText(id="made")

    # --- showing -----------------------------------------------------------------

    def open(self, bench: Bench) -> None:
        """Show `bench` and run it."""
        self.bench, self.at = bench, 0
        self._close_field()
        self.query_one(ResultView).show(bench)
        self.query_one("#body").scroll_home(animate=False)
        self._run()

    def _run(self) -> None:
        if self.bench is not None:
            self.quiz.work("lab run", self.bench.run, self._updated)
            self.words()

    def _updated(self) -> None:
        if self.is_current:
            self.call_next(self.words)

    def words(self) -> None:
        super().words()
        bench = self.bench
        if bench is None:
            self.top.place = _("The lab")
            return
        from quizapp.session.readings import form, help_line, source, state, trouble

        wide = self.has_class("-wide")
        result = self.query_one(ResultView)
        self.top.place = bench.info.name
        self.top.middle = state(bench)
        about = self.query_one("#about", PlainText)
        about.display = wide
        summary = None if bench.report is None else bench.report.summary
        about.update((summary or bench.info.claim).to(language()))
        rows = FORM_WIDE if wide else FORM if result.pane == "numbers" else FORM_SMALL
        table = self.query_one("#form", NumbersTable)
        table.update(windowed(form(bench, self.at), self.at, rows))
        table.language = language()
        self.query_one("#param-help", PlainText).update(help_line(bench, self.at))
        problem = trouble(bench)
        told = self.query_one("#failed", PlainText)
        told.display = bool(problem)
        told.update(problem)
        result.words()
        self.query_one("#made", PlainText).update(source(bench))
        self.show_keys()
        self.call_after_refresh(self._fit)

    def on_resize(self) -> None:
        self.call_after_refresh(self.words)

    def _fit(self) -> None:
        room = self.query_one("#body").size.height
        names = ["#failed"] if self.has_class("-wide") else ["#given", "#failed"]
        for widget in (self.query_one(name) for name in names):
            if widget.display:
                room -= widget.outer_size.height + widget.styles.margin.height
        self.query_one(ResultView).fit(room)

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that work now; in the field every printable key types."""
        if self.bench is None:
            return ("back", "quit")
        if self.editing:
            return ("edit", "back", "quit")
        first = ("cancel",) if self.bench.running else ()
        floats = self.bench.param(self.bench.names[self.at]).kind == "floats"
        return (
            *first,
            *("next_param", *(() if floats else ("up",)), "edit", "pane", "next_part", "pin"),
            *(
                "reseed",
                "help",
                *(() if floats else ("down",)),
                "copy",
                "save",
                "defaults",
                "language",
            ),
        )

    def key_label(self, name: str) -> str:
        if name in ("up", "down") and self.bench is not None:
            param = self.bench.names[self.at]
            return self.bench.neighbour_words(param, 1 if name == "up" else -1)
        if name == "edit" and self.editing:
            return _("save") if self.query_one(FieldBar).purpose == "save" else _("take it")
        if name == "next_part" and self.is_mounted:
            words = {"numbers": _("number"), "tables": _("table"), "plots": _("plot")}
            return words.get(self.query_one(ResultView).pane, _("step"))
        if name == "pin" and self.bench is not None and self.bench.pinned is not None:
            return _("let go")
        return super().key_label(name)

    # --- the form ----------------------------------------------------------------

    def action_move(self, direction: str) -> None:
        """The next or the previous parameter, round at the ends."""
        if self.bench is not None and not self.editing:
            self.at = (self.at + int(direction)) % len(self.bench.names)
            self.words()

    def action_step(self, direction: str) -> None:
        """The next larger or smaller value of the parameter."""
        if self.bench is None:
            return
        if self.bench.step(self.bench.names[self.at], int(direction)):
            self._run()
        else:
            self.quiz.tell(_("That is the end of its range."))

    @property
    def editing(self) -> bool:
        """Whether what is typed goes into the field."""
        return self.is_mounted and self.query_one(FieldBar).open

    def action_edit(self) -> None:
        """Type the parameter's value; a choice goes on to the next one."""
        if self.bench is None or self.editing:
            return
        name = self.bench.names[self.at]
        if self.bench.cycle(name):
            self._run()
            return
        words = _("{name}: type a value").format(name=name)
        self.query_one(FieldBar).ask("value", words, self.bench.typed(name))
        self.show_keys()

    def _close_field(self) -> None:
        self.query_one(FieldBar).close()
        self.show_keys()

    @on(FieldBar.Typed)
    def _typed(self, event: FieldBar.Typed) -> None:
        assert self.bench is not None
        try:
            if event.purpose == "save":
                self._save(event.text)
            else:
                self.bench.put(self.bench.names[self.at], event.text)
        except QuizappError as refused:
            words = " — ".join(part for part in (refused.what, refused.remedy) if part)
            self.query_one(FieldBar).say(words)
            return
        self._close_field()
        if event.purpose == "value":
            self._run()

    def action_save(self) -> None:
        """Ask for a file to save the numbers on show to."""
        if self.bench is None or self.bench.report is None or self.editing:
            return
        from quizapp.session.saving import free_name

        words = _("Save as .html, .json or .csv:")
        name = free_name(self.bench.report, Path()).name
        self.query_one(FieldBar).ask("save", words, name)
        self.show_keys()

    def _save(self, name: str) -> None:
        """Raises QuizappError. At most some hundred kilobytes: written at once."""
        from quizapp.session.saving import save

        assert self.bench is not None
        assert self.bench.report is not None
        path = save(self.bench.report, Path(name.strip()))
        self.quiz.tell(str(path.resolve()), title=_("Saved"))

    def action_reseed(self) -> None:
        """The same run with other draws."""
        if self.bench is not None:
            self.bench.reseed()
            self._run()

    def action_defaults(self) -> None:
        """Back to the parameters it was opened with."""
        if self.bench is not None:
            self.bench.reset()
            self._run()

    async def action_device(self) -> None:
        """Run on the next device this machine has."""
        if self.bench is not None and await self.quiz.next_device():
            self._run()

    def action_cancel(self) -> None:
        """Stop what is running; the numbers it has stay."""
        if self.bench is not None and self.bench.running:
            self.quiz.work("lab run", self._stop)

    async def _stop(self) -> None:
        assert self.bench is not None
        await self.bench.stop()
        self.words()

    # --- what was found ----------------------------------------------------------

    def action_pane(self) -> None:
        """Numbers, tables, plots, the steps of a trace."""
        if not self.editing:
            self.query_one(ResultView).next_pane()
            self.query_one("#body").scroll_home(animate=False)
            self.words()

    def action_turn(self, direction: str) -> None:
        """The next or the previous number, page of a table, plot or step."""
        if not self.editing:
            self.query_one(ResultView).turn(int(direction))
            self.words()

    def action_pin(self) -> None:
        """Keep the present run beside those to come; again lets go."""
        if self.bench is None:
            return
        if self.bench.pin():
            self.words()
        else:
            self.quiz.tell(_("One moment: there are no numbers of these values yet."))

    def action_copy(self) -> None:
        """The highlighted number as one line, to the clipboard."""
        name = self.query_one(ResultView).highlighted
        if self.bench is not None and name is not None:
            from quizapp.session.readings import copied

            line = copied(self.bench, name)
            self.quiz.copy_to_clipboard(line)
            self.quiz.tell(line, title=_("Copied"))

    # --- leaving -----------------------------------------------------------------

    def action_back(self) -> None:
        if self.editing:
            self._close_field()
            return
        if self.bench is not None:
            self.quiz.work("lab run", self.bench.stop)
        self.quiz.flow.leave_lab()
