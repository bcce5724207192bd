"""Where a typed answer goes: a field for a number or a shape, an essay, the blanks."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import Vertical
from textual.widgets import Input, TextArea

from quizapp.tui.widgets.blanks import Blanks, Reader
from quizapp.tui.widgets.choices import Option


class TypingArea(Vertical):
    """Each field is made at its first use, then kept."""

    async def field(self, placeholder: str) -> None:
        """Show an empty field of one line."""
        if not self.query("#number"):
            await self.mount(Input(id="number"))
        self._only("number")
        self.query_one("#number", Input).value = ""
        self.hint(placeholder)

    async def essay(self, draft: str) -> None:
        """Show the field of many lines, with what was written before."""
        if not self.query("#essay"):
            await self.mount(TextArea(id="essay", tab_behavior="focus"))
        self._only("essay")
        self.query_one("#essay", TextArea).load_text(draft)

    async def blanks(self, options: Sequence[Sequence[Option]], read: Reader) -> None:
        """Show the field for the blanks of a sentence."""
        if not self.query("#blanks"):
            await self.mount(Blanks(id="blanks"))
        self._only("blanks")
        self.query_one(Blanks).ask(options, read)

    def hide(self) -> None:
        """Nothing is typed for this question."""
        self._only("")

    def _only(self, name: str) -> None:
        self.display = bool(name)
        for child in self.children:
            child.display = child.id == name

    def hint(self, placeholder: str) -> None:
        """What the empty field asks for."""
        for field in self.query("#number").results(Input):
            field.placeholder = placeholder

    @property
    def written(self) -> str:
        """What stands in the essay."""
        return "".join(essay.text for essay in self.query("#essay").results(TextArea))

    def confirm(self) -> None:
        """Hand in what stands in the field of one line, as Enter does."""
        if self.query_one("#number", Input).display:
            field = self.query_one("#number", Input)
            field.post_message(Input.Submitted(field, field.value))

    def focus_field(self) -> None:
        """Let keys type into the field on show."""
        for child in self.children:
            if child.display:
                (child.query_one(Input) if isinstance(child, Blanks) else child).focus()
