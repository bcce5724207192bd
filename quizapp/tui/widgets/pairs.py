"""Options that can be paired: each takes one of the partners below, by its letter."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from quizapp.plot import Look, Row
from quizapp.plot.cells import MUTED, PLAIN, row
from quizapp.plot.prose import inline, wrap_pieces
from quizapp.text.plain import one_line
from quizapp.tui.widgets.choices import Choices, Option, inked

#: What partners are called, in the order shown.
LETTERS = "abcdef"


class Pairs(Choices):
    """A list of options; with `partners` a letter pairs the one pointed at, and moves on.

    Left and right step through the partners, backspace takes one back. Enter posts
    `Confirmed` with a partner's id for each option, or `Unfinished` while some have none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(c, f"pair('{c}')", c, show=False, id=f"choices.{c}") for c in LETTERS),
        Binding("right", "step(1)", "next partner", show=False, id="choices.right"),
        Binding("left", "step(-1)", "partner before", show=False, id="choices.left"),
    ]

    class Unfinished(Message):
        """Enter was pressed, and some options have no partner yet."""

    paired: reactive[tuple[str, ...]] = reactive(())
    partners: tuple[Option, ...] = ()

    def pair_up(self, options: Sequence[Option], partners: Sequence[Option]) -> None:
        """Show a new question's options and partners, none of them paired."""
        self.set_options(options)
        self.partners, self.paired = tuple(partners), ("",) * len(options)

    def set_options(
        self, options: Sequence[Option], *, multi: bool = False, ordered: bool = False
    ) -> None:
        """Show options without partners."""
        self.partners, self.paired = (), ()
        super().set_options(options, multi=multi, ordered=ordered)

    def reword_partners(self, partners: Sequence[Option]) -> None:
        """The same partners in another language."""
        if tuple(partners) != self.partners:
            self.partners = tuple(partners)
            self.refresh(layout=True)

    @property
    def chosen(self) -> tuple[str, ...]:
        """With partners their ids, "" where there is none yet; else as in any list."""
        return self.paired if self.partners else super().chosen

    def action_pair(self, letter: str) -> None:
        """Give the option pointed at this partner, and point at the next without one."""
        index = LETTERS.index(letter)
        if index < len(self.partners):
            self._give(self.partners[index].id)
            rest = [*range(self.cursor + 1, len(self.options)), *range(self.cursor)]
            free = (at for at in rest if not self.paired[at])
            self._point_at(next(free, self.cursor))

    def action_step(self, step: int) -> None:
        """Give the option pointed at the next partner, or the one before."""
        if self.partners:
            names = ["", *(partner.id for partner in self.partners)]
            self._give(names[(names.index(self.paired[self.cursor]) + step) % len(names)])

    def action_take_back(self) -> None:
        """Take the partner back, or the number given last."""
        if self.partners:
            self._give("")
        else:
            super().action_take_back()

    def _give(self, name: str) -> None:
        if self.verdict is None:
            at = self.cursor
            self.paired = (*self.paired[:at], name, *self.paired[at + 1 :])
            self.post_message(self.Changed(self, self.chosen))

    def action_confirm(self) -> None:
        """Hand in what is chosen, once every option has a partner."""
        if self.partners and "" in self.paired:
            self.post_message(self.Unfinished())
        else:
            super().action_confirm()

    def drawing_key(self) -> Hashable:
        return (super().drawing_key(), self.partners, self.paired)

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:
        rows = super().cell_rows(width, height, look)
        if self.partners:
            rows.append(row(("", PLAIN)))
        for letter, partner in zip(LETTERS, self.partners, strict=False):
            head = f"   {letter}  "
            for line in wrap_pieces(inline(one_line(partner.text)), max(8, width - 7)):
                cells = (inked(text, style, PLAIN) for text, style in line)
                rows.append((*row((head, MUTED)), *row(*cells)))
                head = " " * len(head)
        return rows

    def _box(self, name: str, ticked: tuple[str, ...]) -> str:
        if not self.partners:
            return super()._box(name, ticked)
        names = [option.id for option in self.options]
        given = self.paired[names.index(name)] if name in names else ""
        ids = [partner.id for partner in self.partners]
        return f"[{LETTERS[ids.index(given)] if given in ids else ' '}] "
