"""An exercise: read it, write it, have it graded, go on from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from quizapp.text.i18n import _, language
from quizapp.text.plain import one_line
from quizapp.tui.keys import binding
from quizapp.tui.screens import practice_keys
from quizapp.tui.screens.practice_file import FilePage
from quizapp.tui.widgets.code import CodeEditor, CodeView
from quizapp.tui.widgets.graded import GradedView
from quizapp.tui.widgets.plain import Prose

if TYPE_CHECKING:
    from quizapp.session.workbench import Workbench

Pane = Literal["statement", "editor", "results", "solution"]

#: What the entry of the lab is called among the follow-ups and solutions.
LAB = "lab"


class PracticeScreen(FilePage):
    """One exercise; used again for the next one, the editor as well.

    Below 100 columns one pane at a time; from there on the editor beside the others.
    """

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        binding("write"),
        binding("grade"),
        binding("hint"),
        binding("side"),
        binding("external"),
        binding("keep"),
        binding("reset"),
        binding("cancel"),
        binding("in_lab"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.pane: Pane = "statement"
        self.left: Pane = "statement"  # what is beside the editor, or in its place
        self.solution = ""
        self.in_lab = False  # whether experiments can run what was written

    def body(self) -> ComposeResult:
        with Horizontal(id="work"):
            with Vertical(id="side"):
                with VerticalScroll(id="page"):
                    yield Prose(id="statement")
                    yield Prose(id="hints")
                    yield GradedView(id="graded")
                    yield CodeView(id="solution")
                yield OptionList(id="onward", markup=False)
            yield CodeEditor(id="code")

    # --- showing -------------------------------------------------------------------

    def open(self, bench: Workbench, text: str) -> None:
        """Show `bench`, with `text` in the editor."""
        self.asks_reset, self.notice = False, ""
        if bench is not self.bench:
            self.bench, self.solution = bench, ""
            self.load(text, top=True)
            self.pane = self.left = "statement"
        elif text != self.code.text:
            self.load(text)
        self.show_pane(self.pane)
        self.follow_file()
        self.call_after_refresh(self.quiz.work, "judge", self._warm)

    async def _warm(self) -> None:
        assert self.quiz.session is not None
        await self.quiz.session.practice.warm()
        self._updated()

    def show_pane(self, pane: Pane) -> None:
        """Bring one pane to the front, and give it the keys."""
        if pane not in (self.pane, "editor"):
            self.query_one("#page").scroll_home(animate=False)
        self.pane = pane
        if pane != "editor":
            self.left = pane
        self.set_class(pane == "editor", "-writing")
        self.words()
        if pane == "editor":
            self.code.focus()
        else:
            self.query_one("#onward" if self.choosing else "#page").focus()
        self.show_keys()

    def words(self) -> None:
        super().words()
        bench = self.bench
        self.top.place = _("Practice")
        if bench is None:
            return
        from quizapp.session import graded

        self.top.place = one_line(graded.title(bench.desk))
        self.top.middle = _("Grading …") if bench.grading else ""
        parts = {"statement": ("statement", "hints"), "results": ("graded",)}
        shown = parts.get(self.left, ("solution",))
        for part in self.query_one("#page").children:
            part.display = part.id in shown
        self.query_one("#statement", Prose).update(graded.statement(bench.desk))
        given = enumerate(graded.hints(bench.desk), 1)
        hints = [_("**Hint {n}:** {hint}").format(n=number, hint=hint) for number, hint in given]
        self.query_one("#hints", Prose).update("\n\n".join(hints))
        self.stale = bench.stale(self.code.text)
        told, view = bench.told(), self.query_one(GradedView)
        waiting = _("Starting the grader …") if bench.starting else _("Grading …")
        view.show(told, waiting if bench.grading else "", stale=self.stale)
        if self.solution:
            self.query_one(CodeView).source = bench.desk.solutions()[self.solution]
        self._onward()
        self.foot_words()
        self.show_keys()

    def _onward(self) -> None:
        """What a pass leads to: follow-up questions, model solutions, the lab."""
        bench, session = self.bench, self.quiz.session
        onward = self.query_one("#onward", OptionList)
        if bench is None or session is None:
            return
        passed = bench.passed and not bench.grading
        onward.display = passed and self.left != "statement"
        self.in_lab = passed and session.runs_in_lab(bench.desk)
        options = []
        if passed:
            for entry in session.shelf.followups(bench.desk):
                title = one_line(entry.question.title.shown(language()))
                words = _("Follow-up: {title}").format(title=title)
                options.append(Option(words, id=f"ask {entry.reference}"))
            for name in bench.desk.solutions():
                words = _("Model solution: {name}").format(name=name)
                options.append(Option(words, id=f"show {name}"))
        if self.in_lab:
            options.append(Option(_("Run yours in the lab"), id=LAB))
        at = onward.highlighted or 0
        onward.set_options(options)
        onward.highlighted = min(at, len(options) - 1) if options else None

    # --- keys ----------------------------------------------------------------------

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that work now."""
        return practice_keys.hints(self)

    def key_label(self, name: str) -> str:
        return practice_keys.word(self, name) or super().key_label(name)

    @property
    def typing(self) -> bool:  # type: ignore[override]
        """Whether the editor has the keys."""
        return self.pane == "editor"

    @property
    def choosing(self) -> bool:
        """Whether what a pass leads to is there to choose from."""
        return self.left != "statement" and self.bench is not None and self.bench.passed

    @property
    def next_pane(self) -> Pane:
        """What the key of the panes leads to."""
        graded = self.bench is not None and (self.bench.grade or self.bench.grading)
        panes: list[Pane] = ["statement", "editor", *(("results",) if graded else ())]
        at = panes.index(self.pane) if self.pane in panes else -1
        return panes[(at + 1) % len(panes)]

    def key_j(self) -> None:
        self._scroll(1)

    def key_k(self) -> None:
        self._scroll(-1)

    def _scroll(self, direction: int) -> None:
        onward, page = self.query_one("#onward", OptionList), self.query_one("#page")
        if onward.has_focus:
            onward.action_cursor_down() if direction > 0 else onward.action_cursor_up()
        else:
            page.scroll_relative(y=direction, animate=False)

    def action_side(self) -> None:
        """The next pane."""
        if self.bench is not None:
            self.show_pane(self.next_pane)

    def action_write(self) -> None:
        """Into the editor."""
        if self.bench is not None:
            self.show_pane("editor")

    def action_hint(self) -> None:
        """One more hint, below the statement."""
        if self.bench is None:
            return
        if self.bench.desk.hint() is None:
            self.quiz.tell(_("There are no more hints."))
            return
        wide = self.has_class("-wide")
        if wide and self.typing:
            self.left = "statement"
            self.words()
        else:
            self.show_pane("statement")
        self.call_after_refresh(self.query_one("#page").scroll_end, animate=False)

    def action_back(self) -> None:
        """Out of a question, a solution, the editor; then out of the exercise."""
        if self.asks_reset:
            self.asks_reset = False
            self.words()
        elif self.pane == "solution":
            self.show_pane("results")
        elif self.pane == "editor":
            self.show_pane(self.left)
        else:
            self.quiz.flow.leave_lab()

    def begin_again(self) -> None:
        self.show_pane("editor")

    # --- grading -------------------------------------------------------------------

    def action_grade(self) -> None:
        """Save, and run the tests; while they run, the newest text waits its turn."""
        bench = self.bench
        if bench is None:
            return
        if bench.grading:
            bench.want(self.code.text.encode())
        else:
            self.quiz.work("grade", self._grade)

    async def _grade(self) -> None:
        bench = self.bench
        assert bench is not None
        self.notice = ""
        await self.save()
        self.left = "results"
        if not (self.typing and self.has_class("-wide")):
            self.show_pane("results")
        await bench.check(self.code.text.encode(), self._updated)
        if bench is self.bench and self.is_current and bench.passed:
            self.show_pane("results")

    def _updated(self) -> None:
        if self.is_current:
            self.call_next(self.words)

    def action_cancel(self) -> None:
        """Stop the grading."""
        if self.bench is not None and self.bench.grading:
            self.app.workers.cancel_group(self.app, "grade")
            self.notice = _("Stopped.")

    async def leave(self) -> None:
        """Stop what runs and save, before the program ends."""
        self.action_cancel()
        if self.is_mounted:
            await self.save()

    # --- going on ------------------------------------------------------------------

    @on(OptionList.OptionSelected, "#onward")
    def _go_on(self, event: OptionList.OptionSelected) -> None:
        what, _space, name = (event.option.id or "").partition(" ")
        if what == "ask":
            self.quiz.flow.about(name)
        elif what == "show":
            self.solution = name
            self.show_pane("solution")
        elif what == LAB:
            self.action_in_lab()

    def action_in_lab(self) -> None:
        """The learner's own function in place of ours."""
        if self.in_lab:
            self.quiz.work("flow", self._open_lab)

    async def _open_lab(self) -> None:
        assert self.bench is not None
        assert self.quiz.session is not None
        self.quiz.flow.open_lab(await self.quiz.session.own_function(self.bench.desk))
