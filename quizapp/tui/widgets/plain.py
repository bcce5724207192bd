"""Text from banks, learners and errors, which is never markup.

Textual would read `[/]`, `x[i][j]` and `[@click=…]` in a string as markup. Every
widget that shows a string not written in this package is one of these two.
"""

from __future__ import annotations

from typing import Any

from textual.app import RenderResult
from textual.content import Content, Span
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from quizapp.plot.prose import Line, prose_lines
from quizapp.text import clean

#: Styles of our own making, by piece; the text never reaches Textual's markup parser.
_STYLES = {"code": "$text-accent", "bold": "bold"}


class PlainText(Static):
    """A string, shown to the letter: no markup, no control sequences, no bidi overrides."""

    def __init__(
        self,
        text: str = "",
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(clean(text), markup=False, name=name, id=id, classes=classes)

    @property
    def text(self) -> str:
        """What is shown."""
        return str(self.content)

    def update(self, content: Any = "", *, layout: bool = True) -> None:
        """Show `content` instead; anything but a string is shown as its `str`."""
        text = clean(str(content))
        if text != self.text:  # a screen says everything again when one word changes
            super().update(text, layout=layout)


class Prose(Widget):
    """Bank text with `code`, **bold**, lists and paragraphs, wrapped for Chinese as well.

    Can be selected and copied, line by line as it is wrapped.
    """

    DEFAULT_CSS = """
    Prose { height: auto; width: 1fr; text-wrap: nowrap; }
    """

    text: reactive[str] = reactive("", layout=True)

    def __init__(
        self,
        text: str = "",
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._made: tuple[tuple[str, int, bool], list[Line]] | None = None
        self.set_reactive(Prose.text, text)

    def update(self, text: str) -> None:
        """Show `text` instead."""
        self.text = text

    def watch_text(self) -> None:
        """The height of the last text is no longer that of this one."""
        self.clear_cached_dimensions()

    def lines(self, width: int) -> list[Line]:
        """The wrapped lines at `width` columns."""
        key = (self.text, width, bool(getattr(self.app, "ascii_glyphs", False)))
        if self._made is None or self._made[0] != key:
            self._made = (key, prose_lines(self.text, width, ascii=key[2]))
        return self._made[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Lines the text takes at `width`."""
        return len(self.lines(width)) if width else 0

    def render(self) -> RenderResult:
        """The lines as one Content whose spans are ours."""
        written, spans, at = [], [], 0
        for line in self.lines(max(1, self.size.width)):
            for piece in line:
                if piece.style != "plain":
                    spans.append(Span(at, at + len(piece.text), _STYLES[piece.style]))
                written.append(piece.text)
                at += len(piece.text)
            written.append("\n")
            at += 1
        return Content("".join(written)[:-1], spans)
