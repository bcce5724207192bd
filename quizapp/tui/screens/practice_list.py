"""The exercises: what there is to write by hand, and how far you are with each."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from quizapp.errors import QuizappError
from quizapp.plot.width import pad, truncate
from quizapp.text.i18n import _
from quizapp.text.plain import one_line
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.plain import PlainText

if TYPE_CHECKING:
    from quizapp.session.shelf import Shelved

#: Columns of difficulty, minutes and state; the title has the rest.
HARD, MINUTES, STATE = 5, 8, 10
#: Columns the list itself takes: padding, and a scrollbar; and those between its columns.
FRAME, GAP = 6, 2


class PracticeListScreen(Page):
    """Which exercise to write."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        binding("open"),
        binding("next_param"),
        binding("previous_param"),
    ]
    hints = ("open", "next_param", "back", "language", "help", "quit")

    def __init__(self) -> None:
        super().__init__()
        self.found: tuple[Shelved, ...] = ()
        self.problem = ""
        self.read = False  # whether the banks have been asked

    def body(self) -> ComposeResult:
        yield PlainText(id="tally")
        exercises = OptionList(id="exercises", markup=False)
        exercises.can_focus = False  # the screen's own keys move it
        yield exercises

    def key_label(self, name: str) -> str:
        return _("choose") if name == "next_param" else super().key_label(name)

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self.quiz.work("practice list", self.reload)

    async def reload(self) -> None:
        """Ask the session anew: attempts change the states."""
        if self.quiz.session is None:
            return
        try:
            self.found, self.problem = await self.quiz.session.exercises(), ""
        except QuizappError as error:
            self.problem = str(error)
        self.read = True
        self._list()

    def words(self) -> None:
        super().words()
        self.top.place = _("Practice")
        if self.is_current:
            self.quiz.work("practice list", self.reload)

    def on_resize(self) -> None:
        self._list()

    def _list(self) -> None:
        exercises, before = self.query_one("#exercises", OptionList), self.chosen
        exercises.set_options(Option(self._row(one), id=one.reference) for one in self.found)
        names = [one.reference for one in self.found]
        exercises.highlighted = names.index(before) if before in names else 0 if names else None
        self.query_one("#tally", PlainText).update(self._tally())

    def _tally(self) -> str:
        if self.problem or not self.read:
            return self.problem
        if not self.found:
            return _("There are no exercises in these banks.")
        done = sum(one.state in ("passed", "due") for one in self.found)
        due = sum(one.state == "due" for one in self.found)
        words = _("Attention by hand, graded by tests. Passed: {done} of {n}; due again: {due}.")
        return words.format(done=done, n=len(self.found), due=due)

    def _row(self, one: Shelved) -> str:
        states = {"new": _("new"), "tried": _("tried"), "passed": _("passed"), "due": _("due")}
        room = self.size.width - FRAME - HARD - MINUTES - STATE - 3 * GAP
        cells = (
            pad(truncate(one_line(one.title), max(12, room)), max(12, room)),
            pad(f"{one.difficulty}/5", HARD),
            pad(_("{n} min").format(n=one.minutes), MINUTES),
            states[one.state],
        )
        return (" " * GAP).join(cells)

    @property
    def chosen(self) -> str | None:
        """The reference of the highlighted exercise."""
        option = self.query_one("#exercises", OptionList).highlighted_option
        return None if option is None else option.id

    @on(OptionList.OptionSelected)
    def _picked(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        """Open the highlighted exercise."""
        if self.chosen is not None:
            self.quiz.flow.open_exercise(self.chosen)

    def action_move(self, direction: str) -> None:
        """The next or the previous exercise."""
        exercises = self.query_one("#exercises", OptionList)
        if int(direction) > 0:
            exercises.action_cursor_down()
        else:
            exercises.action_cursor_up()

    def action_back(self) -> None:
        self.quiz.flow.leave_lab()
