"""Home: today's question, what comes due, the streak and the banks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from quizapp.text.i18n import _, language, ngettext
from quizapp.text.plain import one_line
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.plain import PlainText

if TYPE_CHECKING:
    from quizapp.session.session import Home


class HomeScreen(Page):
    """What there is to do today."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("daily"),
        binding("due"),
        binding("more"),
        binding("lab"),
        binding("folklore"),
        binding("practice"),
        binding("undo"),
    ]

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that do something now."""
        due = ("due",) if self.home is not None and self.home.due else ()
        undo = () if self.home is None or self.home.first_visit else ("undo",)
        rest = (*undo, "language", "help", "quit")
        return ("open", "daily", *due, "more", "lab", "practice", "folklore", *rest)

    def __init__(self) -> None:
        super().__init__()
        self.home: Home | None = None

    def body(self) -> ComposeResult:
        yield PlainText(id="greeting")
        yield OptionList(id="things", markup=False)
        yield PlainText(id="banks")
        yield PlainText(id="problems")

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self.quiz.work("home", self.reload)

    async def reload(self) -> None:
        """Ask the session anew: answers change what is due."""
        if self.quiz.session is not None:
            self.home = await self.quiz.session.home()
            self.words()

    def words(self) -> None:
        super().words()
        self.top.place = ""
        if self.home is None:
            self.query_one("#greeting", PlainText).update(_("Opening your study log …"))
            return
        home = self.home
        self.query_one("#greeting", PlainText).update(self._greeting(home))
        self._things(home)
        banks = [
            _("{title}: {seen} of {total} met").format(
                title=one_line(title), seen=seen, total=total
            )
            for title, total, seen in home.banks
        ]
        self.query_one("#banks", PlainText).update("\n".join(banks))
        self.query_one("#problems", PlainText).update("\n".join(home.problems))

    def _greeting(self, home: Home) -> str:
        if home.first_visit:
            return _("Welcome. Answer, and see the computation that proves it right or wrong.")
        if home.streak == 0:
            return _("Every answer meets a computation.")
        days = ngettext("{n} day in a row.", "{n} days in a row.", home.streak)
        return days.format(n=home.streak)

    def _things(self, home: Home) -> None:
        things = self.query_one("#things", OptionList)
        at = things.highlighted or 0
        today = "–" if home.today is None else one_line(home.today.question.title.shown(language()))
        done = "  ✓" if home.today_done else ""
        due = ngettext("{n} question due", "{n} questions due", home.due).format(n=home.due)
        things.set_options(
            [
                Option(_("Today: {title}").format(title=today) + done, id="daily"),
                Option(due, id="due", disabled=home.due == 0),
                Option(_("One more question"), id="more"),
                Option(_("The lab: every experiment, live"), id="lab"),
                Option(self._practice(home), id="practice"),
                Option(_("Folklore: the claims you met, and what your runs say"), id="folklore"),
            ]
        )
        things.highlighted = at
        if self.is_current:
            things.focus()

    def _practice(self, home: Home) -> str:
        words = _("Practice: attention by hand, graded by tests")
        if not home.exercises_due:
            return words
        due = ngettext("{n} exercise due", "{n} exercises due", home.exercises_due)
        return f"{words} ({due.format(n=home.exercises_due)})"

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        actions = {
            "daily": self.action_daily,
            "due": self.action_due,
            "more": self.action_more,
            "lab": self.action_lab,
            "practice": self.action_practice,
            "folklore": self.action_folklore,
        }
        if event.option.id is not None:
            actions[event.option.id]()

    def key_j(self) -> None:
        self.query_one("#things", OptionList).action_cursor_down()

    def key_k(self) -> None:
        self.query_one("#things", OptionList).action_cursor_up()

    def action_daily(self) -> None:
        self.quiz.flow.begin("daily")

    def action_due(self) -> None:
        if self.home is not None and self.home.due:
            self.quiz.flow.begin("due")

    def action_more(self) -> None:
        self.quiz.flow.begin("more")

    def action_lab(self) -> None:
        self.quiz.flow.open_lab()

    def action_practice(self) -> None:
        self.quiz.flow.open_practice()

    def action_folklore(self) -> None:
        self.quiz.flow.open_folklore()

    async def action_undo(self) -> None:
        """Take back the last answer, and say which."""
        await self.quiz.undo()
        await self.reload()

    async def action_back(self) -> None:
        await self.quiz.action_leave()
