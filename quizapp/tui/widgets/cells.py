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
from textual.style import Style as VisualStyle
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
        self._measured: tuple[Hashable, int] = (None, 0)
        self._paint: tuple[Hashable, _Paint] | None = None

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
        """Rows the content wants at `width`; a layout asks several times."""
        look = self.current_look
        key = (self.drawing_key(), width, look, self.language, self.dimmed)
        if key != self._measured[0]:
            rows = len(self.cell_rows(width, None, look)) if width else 0
            self._measured = (key, rows)
        return self._measured[1]

    def render_line(self, y: int) -> Strip:
        """Line `y` of the drawing, made anew only when something it depends on has changed."""
        width, height = self.size
        look, style = self.current_look, self.visual_style
        key = (self.drawing_key(), width, height, look, self.language, self.dimmed,
               self.has_focus, style)  # fmt: skip
        if key != self._drawn:
            paint = self._paint_for(look)
            rows = self.cell_rows(width, height, look)
            self._strips = [paint.strip(line, width) for line in rows[:height]]
            self._drawn = key
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(width, style.rich_style)

    def _paint_for(self, look: Look) -> _Paint:
        """The paint of the last drawing, unless theme, look or fading has changed since."""
        code = self.get_component_styles("cells--code").color
        key = (look, self.dimmed, self.visual_style, code)
        if self._paint is None or self._paint[0] != key:
            self._paint = (key, _Paint(self.visual_style, code, look, stale=self.dimmed))
        return self._paint[1]


class _Paint:
    """Inks to Rich styles, each made once: a heat map has thousands."""

    def __init__(self, visual: VisualStyle, code: Color, look: Look, *, stale: bool) -> None:
        self.base = visual.rich_style
        self.ground = visual.background or Color(0, 0, 0)
        self.text = self.ground + (visual.foreground or Color(255, 255, 255))
        self.code = self.ground + code
        self.stale = stale
        self.colours = look.depth != "none"
        self.styles: dict[Ink, RichStyle] = {}
        self.faded: dict[Colour, RichColor] = {}

    def strip(self, line: Row, width: int) -> Strip:
        styles = self.styles
        segments = []
        for text, ink in cut(line, width):
            style = styles.get(ink)
            if style is None:
                style = styles[ink] = self._style(ink)
            segments.append(Segment(text, style))
        return Strip(segments, width)

    def _style(self, ink: Ink) -> RichStyle:
        front = self._front(ink)
        if ink.bg is not None and front is not None and not ink.bold:
            return RichStyle.from_color(front, self._faded(ink.bg))
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
        if colour not in self.faded:
            self.faded[colour] = self._fade(colour)
        return self.faded[colour]

    def _fade(self, colour: Colour) -> RichColor:
        if isinstance(colour, int) and not self.stale:
            return RichColor.from_ansi(colour)
        rgb = xterm(colour) if isinstance(colour, int) else colour
        full = Color(*rgb)
        return (full.blend(self.ground, _STALE) if self.stale else full).rich_color
