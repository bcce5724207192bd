"""The options of a question: pick one, tick several, or number them; by digit, arrow, mouse."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from quizapp.plot import Look, Row
from quizapp.plot.cells import BOLD, MUTED, PLAIN, Ink, row
from quizapp.plot.prose import Line, inline, wrap_pieces
from quizapp.plot.width import display_width, pad
from quizapp.text.plain import one_line
from quizapp.tui.widgets.cells import CellWidget


@dataclass(frozen=True, slots=True)
class Option:
    """One option: the choice's id and its wording (inline `code` and **bold**, never markup)."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was chosen, in order, and what is right, by option id."""

    chosen: tuple[str, ...]
    right: frozenset[str]


class Choices(CellWidget, can_focus=True):
    """Numbered options. Enter posts `Confirmed`; each move or tick posts `Changed`.

    With `multi` digits tick and untick, and so does `t` on the option pointed at;
    without, they move the pointer. With `ordered` ticks are numbered as they are made,
    and backspace takes the last one back. After `show_verdict` nothing can be changed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False, id="choices.up"),
        Binding("down,j", "move(1)", "down", show=False, id="choices.down"),
        Binding("home", "first", "first", show=False, id="choices.first"),
        Binding("end", "last", "last", show=False, id="choices.last"),
        Binding("t", "tick", "tick", show=False, id="tick"),
        Binding("backspace", "take_back", "take back", show=False, id="take_back"),
        Binding("enter", "confirm", "confirm", show=False, id="choices.confirm"),
        *(
            Binding(str(n), f"number({n})", f"option {n}", show=False, id=f"choices.{n}")
            for n in range(1, 10)
        ),
    ]

    class Changed(Message):
        """The pointer moved or a tick changed. `chosen`: ids in the order shown."""

        def __init__(self, choices: Choices, chosen: tuple[str, ...]) -> None:
            super().__init__()
            self.choices = choices
            self.chosen = chosen

        @property
        def control(self) -> Choices:
            """The list it came from."""
            return self.choices

    class Confirmed(Changed):
        """Enter was pressed on `chosen` (never empty unless `multi`)."""

    cursor: reactive[int] = reactive(0)
    ticked: reactive[tuple[str, ...]] = reactive(())
    verdict: reactive[Verdict | None] = reactive(None, layout=True)

    def __init__(
        self,
        options: Iterable[Option] = (),
        *,
        multi: bool = False,
        ordered: bool = False,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.options = tuple(options)
        self.multi, self.ordered = multi, ordered

    def set_options(
        self, options: Sequence[Option], *, multi: bool = False, ordered: bool = False
    ) -> None:
        """Show a new question's options, pointer on the first, nothing ticked, no verdict."""
        self.options, self.multi, self.ordered = tuple(options), multi, ordered
        self.verdict, self.ticked, self.cursor = None, (), 0
        self.refresh(layout=True)

    def reword(self, options: Sequence[Option]) -> None:
        """The same options in another language; pointer, ticks and verdict stay."""
        if tuple(options) != self.options:
            self.options = tuple(options)
            self.refresh(layout=True)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ids of the ticked options, or of the one pointed at, in the order shown; with
        `ordered` in the order ticked.
        """
        if self.ordered:
            return self.ticked
        if self.multi:
            return tuple(o.id for o in self.options if o.id in self.ticked)
        return tuple(o.id for o in self.options[self.cursor : self.cursor + 1])

    def show_verdict(self, chosen: Iterable[str], right: Iterable[str]) -> None:
        """Mark what was chosen and what is right, and take no more answers."""
        self.verdict = Verdict(tuple(chosen), frozenset(right))

    def action_move(self, step: int) -> None:
        """Move the pointer, stopping at the ends."""
        self._point_at(self.cursor + step)

    def action_first(self) -> None:
        """Point at the first option."""
        self._point_at(0)

    def action_last(self) -> None:
        """Point at the last option."""
        self._point_at(len(self.options) - 1)

    def action_number(self, number: int) -> None:
        """Point at an option by its number, and tick or untick it if several may be right."""
        if number <= len(self.options):
            self._point_at(number - 1)
            self.action_tick()

    def action_tick(self) -> None:
        """Tick or untick the option pointed at, where several may be right."""
        if (self.multi or self.ordered) and self.options and self.verdict is None:
            name = self.options[self.cursor].id
            rest = tuple(one for one in self.ticked if one != name)
            self.ticked = rest if name in self.ticked else (*self.ticked, name)
            self.post_message(self.Changed(self, self.chosen))

    def action_take_back(self) -> None:
        """Take back the number given last."""
        if self.ordered and self.ticked and self.verdict is None:
            self.ticked = self.ticked[:-1]
            self.post_message(self.Changed(self, self.chosen))

    def action_confirm(self) -> None:
        """Hand in what is chosen."""
        if self.verdict is None and (self.chosen or self.multi):
            self.post_message(self.Confirmed(self, self.chosen))

    def on_click(self, event: events.Click) -> None:
        """A click points at the option under it, and ticks it."""
        for index, (top, count) in enumerate(self._extents(self.size.width, self.current_look)):
            if top <= event.y < top + count:
                self.action_number(index + 1)

    def _point_at(self, index: int) -> None:
        index = max(0, min(index, len(self.options) - 1))
        if self.verdict is not None or index == self.cursor:
            return
        self.cursor = index
        top, count = self._extents(self.size.width, self.current_look)[index]
        self._show_rows(top, count)
        if not self.multi and not self.ordered:
            self.post_message(self.Changed(self, self.chosen))

    def _show_rows(self, top: int, count: int) -> None:
        """Bring these rows of the list into sight, whichever ancestor scrolls."""
        here = self.content_region
        region = Region(here.x, here.y + top, here.width, count)
        for ancestor in self.ancestors:
            if isinstance(ancestor, Widget) and ancestor.allow_vertical_scroll:
                shift = ancestor.scroll_offset - ancestor.content_region.offset
                ancestor.scroll_to_region(region.translate(shift), animate=False)
                return

    def drawing_key(self) -> Hashable:
        return (self.options, self.multi, self.ordered, self.cursor, self.ticked, self.verdict)

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:  # noqa: ARG002
        rows: list[Row] = []
        for index, lines in enumerate(self._wrapped(width, look)):
            head = self._head(index, look)
            ink = BOLD if index == self.cursor and self.verdict is None else PLAIN
            for number, line in enumerate(lines):
                lead = head if number == 0 else row((" " * self._indent(look), PLAIN))
                rows.append((*lead, *row(*(inked(text, style, ink) for text, style in line))))
        return rows

    def _extents(self, width: int, look: Look) -> list[tuple[int, int]]:
        """First row and number of rows of each option."""
        made, top = [], 0
        for lines in self._wrapped(width, look):
            made.append((top, len(lines)))
            top += len(lines)
        return made

    def _wrapped(self, width: int, look: Look) -> list[list[Line]]:
        room = max(8, width - self._indent(look) - 1)
        return [wrap_pieces(inline(one_line(option.text)), room) for option in self.options]

    def _mark_width(self, look: Look) -> int:
        return max(display_width(look.glyphs.held), display_width(look.glyphs.refuted)) + 1

    def _indent(self, look: Look) -> int:
        marks = self._mark_width(look) if self.verdict is not None else 0
        return 3 + len(self._box("", ())) + marks + 3

    def _box(self, name: str, ticked: tuple[str, ...]) -> str:
        """What stands before an option: a tick box, its place in the order, or nothing."""
        if self.ordered:
            return f"[{ticked.index(name) + 1 if name in ticked else ' '}] "
        return ("[x] " if name in ticked else "[ ] ") if self.multi else ""

    def _head(self, index: int, look: Look) -> Row:
        """Pointer, tick box, mark and number of an option."""
        option, glyphs = self.options[index], look.glyphs
        verdict, pointer, mark = self.verdict, " ", ("", PLAIN)
        ticked = self.ticked if verdict is None else verdict.chosen
        if verdict is not None:
            chosen, right = option.id in ticked, option.id in verdict.right
            pointer = glyphs.pointer if chosen else " "
            glyph = glyphs.held if right else glyphs.refuted if chosen else ""
            mark = (pad(glyph, self._mark_width(look)), Ink(fg=look.mark(right), bold=True))
        elif index == self.cursor:
            # The focus shows without colour: an arrow while keys act here, a dot when not.
            pointer = ">" if self.has_focus else "." if look.ascii else "·"
        box = (self._box(option.id, ticked), PLAIN)
        return row((f" {pointer} ", BOLD), box, mark, (f"{index + 1}  ", MUTED))


def inked(text: str, style: str, ink: Ink) -> tuple[str, Ink]:
    if style == "code":
        return text, ink._replace(code=True)
    return text, BOLD if style == "bold" else ink
