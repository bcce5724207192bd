"""The lab's list: every experiment with its claim in a line, found by typing."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from quizapp.plot.width import pad, truncate
from quizapp.text.i18n import _
from quizapp.text.plain import one_line
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.plain import PlainText

#: Columns of the names; the claims have the rest.
NAME = 20
#: Columns the list itself takes: padding, and a scrollbar.
FRAME = 6


class LabListScreen(Page):
    """Which experiment to run."""

    AUTO_FOCUS = ""  # the field takes the keys only when it is asked for
    BINDINGS: ClassVar[list[BindingType]] = [
        binding("open"),
        binding("search"),
        binding("next_param"),
        binding("previous_param"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.found: tuple[tuple[str, str], ...] = ()
        self.read = False  # whether every experiment's file has been read

    @property
    def searching(self) -> bool:
        """Whether what is typed goes into the search."""
        return bool(self.query_one("#search", Input).has_focus)

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that work now: in the field every printable key types."""
        if self.is_mounted and self.searching:
            return ("open", "next_param", "back", "quit")
        return ("open", "next_param", "search", "back", "language", "help", "quit")

    def key_label(self, name: str) -> str:
        return _("choose") if name == "next_param" else super().key_label(name)

    def body(self) -> ComposeResult:
        experiments = OptionList(id="experiments", markup=False)
        experiments.can_focus = False  # the screen's own keys move it, in the search as well
        yield experiments

    def foot(self) -> ComposeResult:
        # Not in the body: that would take the arrows to scroll by.
        yield Input(id="search", compact=True)
        yield PlainText(id="claim")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#search").display = False

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self.quiz.work("lab list", self.reload)

    async def reload(self) -> None:
        """List what there is, in the current language."""
        from quizapp.session.experiments import found

        # The first time every experiment's file is read: not on the event loop.
        await asyncio.to_thread(found, "")
        self.read = True
        self._find()

    @on(Input.Changed, "#search")
    def _find(self) -> None:
        from quizapp.session.experiments import found

        if self.read:
            self.found = found(self.query_one("#search", Input).value)
            self._list()

    def words(self) -> None:
        super().words()
        own = self.quiz.flow.own
        yours = "" if own is None else _("attention computed by {file}").format(file=own.name)
        self.top.place, self.top.middle = _("The lab"), yours
        self.query_one("#search", Input).placeholder = _("words of a name or a claim")
        if self.is_current:
            self.quiz.work("lab list", self.reload)

    def on_resize(self) -> None:
        self._list()

    def _list(self) -> None:
        experiments = self.query_one("#experiments", OptionList)
        room = max(20, self.size.width - FRAME)
        before = self.chosen
        experiments.set_options(
            Option(truncate(f"{pad(name, NAME)} {one_line(claim)}", room), id=name)
            for name, claim in self.found
        )
        names = [name for name, _ in self.found]
        experiments.highlighted = names.index(before) if before in names else 0 if names else None
        self._tell()

    @property
    def chosen(self) -> str | None:
        """The name of the highlighted experiment."""
        experiments = self.query_one("#experiments", OptionList)
        option = experiments.highlighted_option
        return None if option is None else option.id

    @on(OptionList.OptionHighlighted)
    def _tell(self) -> None:
        """The whole claim: a line of the list may not hold it."""
        claim = dict(self.found).get(self.chosen or "", "")
        none = _("No experiment has these words.") if not self.found else ""
        self.query_one("#claim", PlainText).update(claim or none)
        self.show_keys()

    @on(OptionList.OptionSelected)
    def _picked(self) -> None:
        self.action_open()

    @on(Input.Submitted, "#search")
    def action_open(self) -> None:
        """Open the highlighted experiment."""
        if self.chosen is not None:
            self.quiz.flow.open_experiment(self.chosen)

    def action_move(self, direction: str) -> None:
        """The next or the previous experiment."""
        experiments = self.query_one("#experiments", OptionList)
        if int(direction) > 0:
            experiments.action_cursor_down()
        else:
            experiments.action_cursor_up()

    def action_search(self) -> None:
        """Type words of a name or a claim."""
        field = self.query_one("#search", Input)
        field.display = True
        field.focus()
        self.show_keys()

    def action_back(self) -> None:
        """Out of the search, then out of the lab."""
        field = self.query_one("#search", Input)
        if field.display:
            field.value = ""
            field.display = False
            self.set_focus(None)
            self.show_keys()
        else:
            self.quiz.flow.leave_lab()
