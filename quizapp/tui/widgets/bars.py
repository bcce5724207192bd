"""The two lines that never move: where you are at the top, which keys work now at the bottom."""

from __future__ import annotations

from textual.reactive import reactive

from quizapp.plot.width import display_width, truncate
from quizapp.tui.widgets.plain import PlainText


class TopBar(PlainText):
    """ "quizapp", the place and the middle word on the left; language and device on the right."""

    DEFAULT_CSS = """
    TopBar { height: 1; width: 1fr; padding: 0 1; background: $panel; text-wrap: nowrap; }
    """

    place: reactive[str] = reactive("")
    middle: reactive[str] = reactive("")
    right: reactive[str] = reactive("")

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def watch_place(self) -> None:
        self._draw()

    def watch_middle(self) -> None:
        self._draw()

    def watch_right(self) -> None:
        self._draw()

    def _draw(self) -> None:
        """The place gives way first, then the middle; what is right of them stays whole."""
        width = self.content_region.width
        if width <= 0:
            return
        brand, right = "quizapp", self.right
        room = max(0, width - display_width(right) - 2)
        middle = truncate(self.middle, max(0, room - display_width(brand) - 2))
        left = truncate(self.place, max(0, room - display_width(brand + middle) - 4))
        line = "  ".join(part for part in (brand, left) if part)
        gap = room - display_width(line) - display_width(middle)
        before = max(2, gap // 2) if middle else 0
        line += " " * before + middle
        fill = max(1, width - display_width(line) - display_width(right))
        self.update(line + " " * fill + right, layout=False)


class KeyBar(PlainText):
    """The few keys that work now, as "key word" pairs; what does not fit is left out."""

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; padding: 0 1; background: $panel; text-wrap: nowrap; }
    """

    pairs: reactive[tuple[tuple[str, str], ...]] = reactive(())

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def watch_pairs(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.content_region.width
        line = ""
        for key, word in self.pairs:
            longer = f"{line}  {key} {word}" if line else f"{key} {word}"
            if display_width(longer) > width:
                continue
            line = longer
        self.update(line, layout=False)
