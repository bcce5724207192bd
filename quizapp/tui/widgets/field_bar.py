"""One field for everything that is typed on a screen, with the question it answers above it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from quizapp.tui.widgets.plain import PlainText


class FieldBar(Vertical):
    """Hidden until `ask`; posts `Typed` on Enter and stays until `close`."""

    DEFAULT_CSS = """
    FieldBar { height: auto; padding: 0 1; display: none; }
    FieldBar > PlainText { color: $text-warning; }
    """

    @dataclass
    class Typed(Message):
        """What was typed, and for what."""

        purpose: str
        text: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.purpose = ""

    def compose(self) -> ComposeResult:
        yield PlainText(id="asking")
        yield Input(id="field", compact=True)

    @property
    def open(self) -> bool:
        """Whether what is typed goes into the field."""
        return bool(self.display)

    def ask(self, purpose: str, words: str, value: str) -> None:
        """Show the field with `value` in it."""
        self.purpose = purpose
        self.display = True
        self.say(words)
        field = self.query_one(Input)
        field.value = value
        field.focus()

    def say(self, words: str) -> None:
        """Words above the field: what is asked for, or why it was not taken."""
        self.query_one(PlainText).update(words)

    def close(self) -> None:
        """Hide the field; keys are the screen's again."""
        self.display = False
        self.screen.set_focus(None)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Typed(self.purpose, event.value))
