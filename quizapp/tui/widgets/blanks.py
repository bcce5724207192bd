"""One field for the blanks of a sentence, filled one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from quizapp.errors import UsageError
from quizapp.text.i18n import _
from quizapp.tui.keys import binding
from quizapp.tui.widgets.choices import Choices, Option

#: Reads what was typed for a blank: (its index, text) → what is kept; raises UsageError.
Reader = Callable[[int, str], str]


class Blanks(Vertical):
    """Enter takes what is typed and goes to the next empty blank; up and down go to any.

    Posts `Moved` whenever the sentence above has changed, `Filled` when Enter was pressed and
    no blank is empty, and `Refused` with the reason.
    """

    DEFAULT_CSS = """
    Blanks { height: auto; }
    Blanks > Choices { margin-bottom: 1; }
    Blanks > Input { width: 40; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [binding("next_blank"), binding("blank_before")]

    class Moved(Message):
        """Another blank is being filled, or one was."""

    class Refused(Message):
        """What was typed is not taken; `why` in English."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    class Filled(Message):
        """Every blank is filled: `filled`, in their order."""

        def __init__(self, filled: tuple[str, ...]) -> None:
            super().__init__()
            self.filled = filled

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.filled: tuple[str, ...] = ()
        self.at = 0
        self._options: Sequence[Sequence[Option]] = ()
        self._read: Reader = lambda _at, text: text

    def compose(self) -> ComposeResult:
        options = Choices(id="blank-options")
        options.can_focus = False  # they are chosen by typing their number
        yield options
        yield Input(id="fill")

    def ask(self, options: Sequence[Sequence[Option]], read: Reader) -> None:
        """New blanks, all empty; `options`: what each may be chosen from, or nothing."""
        self.filled, self.at = ("",) * len(options), 0
        self._read = read
        self.reword(options)
        self.query_one(Input).value = ""

    def reword(self, options: Sequence[Sequence[Option]]) -> None:
        """The same in another language, or for another blank."""
        self._options = options
        choices = options[self.at]
        shown = self.query_one(Choices)
        shown.display = bool(choices)
        shown.set_options(choices)
        shown.cursor = -1  # nothing is pointed at
        words = _("blank {number}: its number") if choices else _("blank {number}")
        self.query_one(Input).placeholder = words.format(number=self.at + 1)

    def action_go(self, step: int) -> None:
        """To another blank, with what stands in it in the field."""
        self.at = (self.at + step) % len(self.filled)
        given, names = self.filled[self.at], [one.id for one in self._options[self.at]]
        field = self.query_one(Input)
        field.value = str(names.index(given) + 1) if given in names else given
        field.cursor_position = len(field.value)
        self.reword(self._options)
        self.post_message(self.Moved())

    @on(Input.Submitted, "#fill")
    def _take(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            taken = self._read(self.at, event.value)
        except UsageError as refused:
            self.post_message(self.Refused(refused.what))
            return
        self.filled = (*self.filled[: self.at], taken, *self.filled[self.at + 1 :])
        if "" not in self.filled:
            self.post_message(self.Moved())
            self.post_message(self.Filled(self.filled))
            return
        empty = self.filled.index("")
        after = [at for at in range(self.at + 1, len(self.filled)) if not self.filled[at]]
        self.action_go((after[0] if after else empty) - self.at)

    def confirm(self) -> None:
        """Take what is typed, as Enter does."""
        field = self.query_one(Input)
        field.post_message(Input.Submitted(field, field.value))
