"""The lab: one experiment, its parameters in a form, run anew on every change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from quizapp.errors import QuizappError
from quizapp.text.i18n import _
from quizapp.tui.keys import binding
from quizapp.tui.screens import lab_keys
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.field_bar import FieldBar
from quizapp.tui.widgets.form_view import FormView
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.result_view import ResultView

if TYPE_CHECKING:
    from quizapp.session.bench import Bench


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
        binding("sweep"),
        binding("save"),
        binding("whose"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.bench: Bench | None = None

    def body(self) -> ComposeResult:
        with Vertical(id="bench"):
            yield FormView(id="given")
            with Vertical(id="found"):
                yield PlainText(id="failed")
                yield ResultView(id="result")

    def foot(self) -> ComposeResult:
        yield FieldBar()
        yield PlainText(id="made")

    # --- showing -----------------------------------------------------------------

    def open(self, bench: Bench) -> None:
        """Show `bench` and run it."""
        self.bench = bench
        self.query_one(FormView).show(bench)
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
        from quizapp.session.readings import place, source, state, trouble

        result = self.query_one(ResultView)
        self.top.place = place(bench)
        self.top.middle = state(bench)
        small = result.pane != "numbers"
        self.query_one(FormView).words(wide=self.has_class("-wide"), small=small)
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
        """The keys that work now."""
        return lab_keys.hints(self)

    def key_label(self, name: str) -> str:
        return lab_keys.word(self, name) or super().key_label(name)

    @property
    def param(self) -> str:
        """The name of the parameter that keys change."""
        return self.query_one(FormView).param

    # --- the form ----------------------------------------------------------------

    def action_move(self, direction: str) -> None:
        """The next or the previous parameter, round at the ends."""
        if self.bench is not None and not self.editing:
            self.query_one(FormView).move(int(direction))
            self.words()

    def action_step(self, direction: str) -> None:
        """The next larger or smaller value of the parameter."""
        if self.bench is None:
            return
        if self.bench.step(self.param, int(direction)):
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
        if self.bench.cycle(self.param):
            self._run()
            return
        words = _("{name}: type a value").format(name=self.param)
        self.query_one(FieldBar).ask("value", words, self.bench.typed(self.param))
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
                self.bench.put(self.param, event.text)
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

        bench = self.bench
        assert bench is not None
        assert bench.report is not None
        pinned = None if bench.pinned is None else bench.pinned.report
        path = save(bench.report, Path(name.strip()), pinned=pinned, sweep=bench.sweep)
        self.quiz.tell(str(path.resolve()), title=_("Saved"))

    def action_reseed(self) -> None:
        """The same run with other draws."""
        if self.bench is not None:
            self.bench.reseed()
            self._run()

    def action_whose(self) -> None:
        """The learner's attention, or ours."""
        if self.bench is not None and self.bench.swap_attention():
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

    def action_sweep(self) -> None:
        """The highlighted number over the values of the parameter."""
        result = self.query_one(ResultView)
        if self.bench is None or result.highlighted is None:
            return
        try:
            self.bench.begin_sweep(self.param, result.highlighted)
        except QuizappError as error:
            self.quiz.tell(error.what)
            return
        result.pane = "sweep"
        self.quiz.work("lab run", self.bench.run_sweep, self._updated)
        self.words()

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
