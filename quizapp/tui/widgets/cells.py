"""`CellWidget`: shows rows of cells from `quizapp.plot`, in the colours of theme and terminal."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.app import App
from textual.color import Color
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from quizapp.plot import Colour, Depth, Ink, Look, Row
from quizapp.plot.cells import cut
from quizapp.plot.look import xterm

#: How far muted text and stale drawings fade into the ground.
_MUTED = 0.35
_STALE = 0.55


def look_of(app: App[Any]) -> Look:
    """What the app's terminal and theme can show.

    ASCII glyphs when the app has a true `ascii_glyphs`; shades instead of colours
    under NO_COLOR and on terminals of fewer than 256 colours.
    """
    system = "truecolor" if app.is_headless else app.console.color_system
    depth: Depth = "none"
    if not app.no_color and system in ("truecolor", "256"):
        depth = "truecolor" if system == "truecolor" else "256"
    return Look(
        ascii=bool(getattr(app, "ascii_glyphs", False)),
        depth=depth,
        dark=app.current_theme.dark,
    )


class CellWidget(Widget):
    """A widget whose content is `cell_rows(width, height, look)`; redrawn when that could change.

    language: "en" or "zh". dimmed: faded, for numbers of a run that is being replaced.
    look: overrides what `look_of` finds out about the app.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"cells--code"}  # noqa: RUF012 - Textual's own declaration
    DEFAULT_CSS = """
    CellWidget { height: auto; width: 1fr; }
    CellWidget > .cells--code { color: $text-accent; }
    """

    language: reactive[str] = reactive("en", layout=True)
    dimmed: reactive[bool] = reactive(False)
    look: reactive[Look | None] = reactive(None, layout=True)

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._strips: list[Strip] = []
        self._drawn: Hashable = None

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:
        """The rows to show; `height` None asks for as many as the content wants."""
        raise NotImplementedError

    def drawing_key(self) -> Hashable:
        """What the rows depend on besides size, look, language and focus."""
        raise NotImplementedError

    @property
    def current_look(self) -> Look:
        """The look in force."""
        return self.look or look_of(self.app)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Rows the content wants at `width`."""
        return len(self.cell_rows(width, None, self.current_look)) if width else 0

    def render_line(self, y: int) -> Strip:
        """Line `y` of the drawing, made anew only when something it depends on has changed."""
        width, height = self.size
        look, style = self.current_look, self.visual_style
        key = (self.drawing_key(), width, height, look, self.language, self.dimmed,
               self.has_focus, style)  # fmt: skip
        if key != self._drawn:
            paint = _Paint(self, look)
            rows = self.cell_rows(width, height, look)
            self._strips = [paint.strip(line, width) for line in rows[:height]]
            self._drawn = key
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(width, style.rich_style)


class _Paint:
    """Inks to Rich styles for one drawing, each made once."""

    def __init__(self, widget: CellWidget, look: Look) -> None:
        visual = widget.visual_style
        self.base = visual.rich_style
        self.ground = visual.background or Color(0, 0, 0)
        self.text = self.ground + (visual.foreground or Color(255, 255, 255))
        code = widget.get_component_styles("cells--code").color
        self.code = self.ground + code
        self.stale = widget.dimmed
        self.colours = look.depth != "none"
        self.styles: dict[Ink, RichStyle] = {}

    def strip(self, line: Row, width: int) -> Strip:
        segments = [Segment(run.text, self.style(run.ink)) for run in cut(line, width)]
        return Strip(segments, width)

    def style(self, ink: Ink) -> RichStyle:
        if ink not in self.styles:
            self.styles[ink] = self._style(ink)
        return self.styles[ink]

    def _style(self, ink: Ink) -> RichStyle:
        front = self._front(ink)
        return self.base + RichStyle(
            color=None if front is None else front,
            bgcolor=None if ink.bg is None else self._faded(ink.bg),
            bold=ink.bold or None,
            dim=True if not self.colours and (ink.muted or self.stale) else None,
        )

    def _front(self, ink: Ink) -> RichColor | None:
        if ink.fg is not None:
            return self._faded(ink.fg)
        if not self.colours or self.text.ansi is not None or self.ground.ansi is not None:
            return None
        colour = self.code if ink.code else self.text
        fade = _STALE if self.stale else _MUTED if ink.muted else 0.0
        return colour.blend(self.ground, fade).rich_color if fade or ink.code else None

    def _faded(self, colour: Colour) -> RichColor:
        if isinstance(colour, int) and not self.stale:
            return RichColor.from_ansi(colour)
        rgb = xterm(colour) if isinstance(colour, int) else colour
        full = Color(*rgb)
        return (full.blend(self.ground, _STALE) if self.stale else full).rich_color
