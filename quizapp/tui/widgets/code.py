"""Python on the screen: an editor, and source to read, in the same colours."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.style import Style as RichStyle
from rich.text import Text as RichText
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.content import Content
from textual.content import Span as StyledSpan
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import TextArea

from quizapp.text import clean
from quizapp.text.python_code import KINDS, Kind, Span, spans

#: Variables of the theme, so that light and dark both read well.
COLOURS: Final[dict[Kind, str]] = {
    "comment": "$foreground 60%",
    "string": "$text-success",
    "number": "$text-warning",
    "keyword": "$text-primary",
    "builtin": "$text-secondary",
    "definition": "$text-accent",
    "decorator": "$text-warning",
}
INDENT: Final = 4
#: Longer texts are shown without colours: finding them would be felt at each key.
COLOURED: Final = 60_000


class CodeEditor(TextArea, inherit_bindings=False):
    """A Python editor that indents as Python does. Escape and F6 are left to the screen."""

    COMPONENT_CLASSES = {f"code--{kind}" for kind in KINDS}  # noqa: RUF012 - Textual's own
    DEFAULT_CSS = "\n".join(
        f"CodeEditor > .code--{kind} {{ color: {colour}; }}" for kind, colour in COLOURS.items()
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            each
            for each in TextArea.BINDINGS
            if not (isinstance(each, Binding) and each.key == "f6")
        ),
        Binding("ctrl+home", "cursor_text_end(False)", show=False),
        Binding("ctrl+end", "cursor_text_end(True)", show=False),
    ]
    #: What each editing key does, for `_on_key`.
    ACTIONS: ClassVar[dict[str, str]] = {
        key: each.action
        for each in BINDINGS
        if isinstance(each, Binding)
        for key in each.key.split(",")
    }

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        self._coloured: dict[int, list[Span]] = {}
        super().__init__(
            id=id,
            soft_wrap=False,
            tab_behavior="indent",
            show_line_numbers=True,
            highlight_cursor_line=False,
        )

    def _build_highlight_map(self) -> None:
        """Called by TextArea whenever the text has changed."""
        self._line_cache.clear()
        text = self.document.text
        self._coloured = spans(text) if len(text) <= COLOURED else {}

    def get_line(self, line_index: int) -> RichText:
        """The line in its colours."""
        line = super().get_line(line_index)
        found = self._coloured.get(line_index, ())
        ground = self.background_colors[1] if found else Color(0, 0, 0)
        for span in found:
            # Blended by hand: a Rich style has no transparency.
            colour = ground + self.get_component_styles(f"code--{span.kind}").color
            line.stylize(RichStyle(color=colour.rich_color), span.start, span.end)
        return line

    async def _on_key(self, event: events.Key) -> None:
        """Enter goes on at the indentation Python expects; escape is the screen's."""
        action = self.ACTIONS.get(event.key)
        if event.key == "enter" or action is not None:
            event.stop()
            event.prevent_default()
            # Here, not by its binding: that is found by way of the app, and letters would
            # overtake it that arrive in one go, as over a slow line.
            self._new_line() if action is None else await self.run_action(action)
        elif event.key == "escape":
            event.prevent_default()

    def action_cursor_text_end(self, last: bool) -> None:
        """To the end of the text, or to its start."""
        self.move_cursor(self.document.end if last else (0, 0), record_width=True)

    def select_words(self, words: str) -> None:
        """Select `words` where a line has nothing else, to be typed over; else go to the top."""
        for row, line in enumerate(self.document.lines):
            if line.strip() == words:
                start = (row, len(line) - len(line.lstrip()))
                self.move_cursor(start)
                self.move_cursor((row, start[1] + len(words)), select=True)
                return
        self.move_cursor((0, 0))

    def _new_line(self) -> None:
        start, end = self.selection
        row, column = min(start, end)
        before = self.document.get_line(row)[:column]
        indent = before[: len(before) - len(before.lstrip(" \t"))]
        deeper = " " * INDENT if before.rstrip().endswith(":") else ""
        self.replace(f"\n{indent}{deeper}", start, end, maintain_selection_offset=False)
        self.scroll_cursor_visible()

    def action_delete_left(self) -> None:
        """Backspace in the indentation takes back one step of it."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if self.selection.is_empty and before and not before.strip(" "):
            step = column % INDENT or INDENT
            self.delete((row, column - step), (row, column), maintain_selection_offset=False)
        else:
            super().action_delete_left()


class CodeView(Widget):
    """Source to read. Never markup; control characters are dropped."""

    DEFAULT_CSS = """
    CodeView { height: auto; width: 1fr; }
    """

    source: reactive[str] = reactive("", layout=True)

    def render(self) -> RenderResult:
        """The source as one Content whose spans are ours."""
        source = clean(self.source)
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return Content(
            source,
            [
                StyledSpan(starts[line] + span.start, starts[line] + span.end, COLOURS[span.kind])
                for line, found in spans(source).items()
                for span in found
            ],
        )
