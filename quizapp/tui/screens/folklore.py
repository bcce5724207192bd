"""The board of claims: those you met, and what your own runs measured of each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from quizapp.errors import QuizappError
from quizapp.plot import Grid
from quizapp.plot.look import Glyphs
from quizapp.plot.width import pad, truncate
from quizapp.text.i18n import _, ngettext
from quizapp.text.plain import one_line
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plain import PlainText, Prose

if TYPE_CHECKING:
    from quizapp.session.folklore import Board, Met

#: Columns of a claim's title, of what was claimed, measured and believed: the most they take.
TITLE, CLAIMED, MEASURED, BELIEF = 34, 30, 10, 8
#: Columns that a claimed value always keeps.
LEAST = 14
#: Columns the list itself takes: padding, and a scrollbar; and those between its columns.
FRAME, GAP = 6, 2
#: The row that asks a claim not met yet.
UNMET = "unmet"


class FolkloreScreen(Page):
    """Every claim met, refuted ones first, the newest of each before the others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("open"),
        binding("in_lab"),
        binding("next_param"),
        binding("previous_param"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.board: Board | None = None
        self.problem = ""

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that work now."""
        at = () if self.chosen is None else ("open",)
        lab = () if self.met is None else ("in_lab",)
        return (*at, *lab, "next_param", "back", "language", "help", "quit")

    def key_label(self, name: str) -> str:
        if name == "open":
            return _("ask it again") if self.met is not None else _("ask one")
        return _("choose") if name == "next_param" else super().key_label(name)

    def body(self) -> ComposeResult:
        yield PlainText(id="tally")
        yield PlainText(id="columns")
        claims = OptionList(id="claims", markup=False)
        claims.can_focus = False  # the screen's own keys move it
        yield claims

    def foot(self) -> ComposeResult:
        with Vertical(id="met"):
            yield Prose(id="claimed")
            yield NumbersTable(Grid((), ()), id="figures")
            yield PlainText(id="belief")

    # --- showing -------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self.quiz.work("folklore", self.reload)

    async def reload(self) -> None:
        """Read the log anew, in the current language: answers change the board."""
        session = self.quiz.session
        if session is None:
            return
        try:
            self.board, self.problem = await asyncio.to_thread(session.folklore), ""
        except QuizappError as error:
            self.board, self.problem = None, str(error)
        self._list()

    def words(self) -> None:
        super().words()
        self.top.place = _("Folklore")
        if self.is_current:
            self.quiz.work("folklore", self.reload)

    def on_resize(self) -> None:
        self._list()

    @property
    def _order(self) -> tuple[Met, ...]:
        board = self.board
        return () if board is None else (*reversed(board.refuted), *reversed(board.held))

    def _list(self) -> None:
        claims, before = self.query_one("#claims", OptionList), self.chosen
        rows = [Option(self._row(met), id=met.question) for met in self._order]
        if self.board is not None and self.board.unmet:
            rows.append(Option(_("  Meet one that you have not met"), id=UNMET))
        claims.set_options(rows)
        names = [row.id for row in rows]
        claims.highlighted = names.index(before) if before in names else 0 if rows else None
        self.query_one("#tally", PlainText).update(self._tally())
        headings = self.query_one("#columns", PlainText)
        headings.display = bool(self._order)
        headings.update(self._line(" ", "", _("claimed"), _("measured"), _("you")))
        self._tell()

    def _tally(self) -> str:
        board = self.board
        if board is None:
            return self.problem
        if not board.refuted and not board.held:
            met = _("No claim met yet.")
        else:
            met = _("Refuted by your own runs: {refuted}. Borne out: {held}.").format(
                refuted=len(board.refuted), held=len(board.held)
            )
        if not board.unmet:
            return met
        unmet = ngettext("{n} claim not met yet", "{n} claims not met yet", board.unmet)
        return f"{met} {unmet.format(n=board.unmet)}"

    def _row(self, met: Met) -> str:
        glyphs = self._glyphs
        mark = glyphs.held if met.holds else glyphs.refuted
        belief = _("believed") if met.said else _("doubted")
        return self._line(mark, met.title, met.deciding.claimed, met.deciding.measured, belief)

    def _line(self, mark: str, title: str, claimed: str, measured: str, belief: str) -> str:
        """A line of the list: the title gives way to the numbers, what was claimed to the rest."""
        room = self.size.width - FRAME - len("x ") - MEASURED - BELIEF - 3 * GAP
        least = min(TITLE, max(8, room - LEAST))
        columns = (least, max(LEAST, min(CLAIMED, room - least)), MEASURED, BELIEF)
        words = (title, claimed, measured, belief)
        cells = (
            pad(truncate(one_line(word), width, self._glyphs.ellipsis), width)
            for word, width in zip(words, columns, strict=True)
        )
        return f"{mark} {(' ' * GAP).join(cells)}".rstrip()

    @property
    def _glyphs(self) -> Glyphs:
        return self.query_one(NumbersTable).current_look.glyphs

    @property
    def chosen(self) -> str | None:
        """The id of the highlighted row."""
        if not self.is_mounted:
            return None
        option = self.query_one("#claims", OptionList).highlighted_option
        return None if option is None else option.id

    @property
    def met(self) -> Met | None:
        """The highlighted claim."""
        return next((met for met in self._order if met.question == self.chosen), None)

    @on(OptionList.OptionHighlighted)
    def _tell(self) -> None:
        """The whole claim, its numbers, what was believed, and where the numbers come from."""
        met = self.met
        self.query_one("#met").display = met is not None
        if met is not None:
            from quizapp.session.folklore import made, numbers, said

            verdict = _("Borne out") if met.holds else _("Refuted")
            self.query_one("#claimed", Prose).update(f"“{met.claim}”")
            self.query_one(NumbersTable).update(numbers(met))
            self.query_one("#belief", PlainText).update(
                _("{verdict}; {said}. {made}").format(
                    verdict=verdict, said=said(met), made=made(met)
                )
            )
        self.show_keys()

    # --- going on ------------------------------------------------------------------

    @on(OptionList.OptionSelected)
    def _picked(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        """Ask the highlighted claim again, or the easiest of those not met."""
        wanted = self.chosen
        if wanted == UNMET and self.board is not None:
            wanted = self.board.easiest
            self.query_one("#claims", OptionList).highlighted = None  # come back to the newest
        if wanted is not None:
            self.quiz.flow.about(wanted)

    def action_in_lab(self) -> None:
        """The run that decided the claim, in the lab."""
        if self.met is not None:
            self.quiz.flow.open_experiment(self.met.experiment, self.met.parameters)

    def action_move(self, direction: str) -> None:
        """The next or the previous claim."""
        claims = self.query_one("#claims", OptionList)
        if int(direction) > 0:
            claims.action_cursor_down()
        else:
            claims.action_cursor_up()

    def action_back(self) -> None:
        self.quiz.flow.leave_lab()
