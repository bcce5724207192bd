"""The last card: what you can now say, what was refuted and returns, tomorrow's title."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from quizapp.text.i18n import _, ngettext
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.plain import Prose

if TYPE_CHECKING:
    from quizapp.session.session import LastCard
    from quizapp.session.sitting import Sitting


class CardScreen(Page):
    """What a sitting ends with."""

    BINDINGS: ClassVar[list[BindingType]] = [binding("go_on"), binding("more"), binding("undo")]
    hints = ("go_on", "more", "undo", "language", "help", "quit")

    def __init__(self) -> None:
        super().__init__()
        self.sitting: Sitting | None = None
        self.card: LastCard | None = None

    def body(self) -> ComposeResult:
        yield Prose(id="card")

    async def show(self, sitting: Sitting) -> None:
        """Show the card of `sitting`."""
        assert self.quiz.session is not None
        self.sitting = sitting
        self.card = await self.quiz.session.last_card(sitting)
        self.words()
        self.query_one("#body").scroll_home(animate=False)

    def on_language(self) -> None:
        """The card's own sentences come from the session: ask again."""
        if self.sitting is not None:
            self.quiz.work("card", self.show, self.sitting)

    def words(self) -> None:
        super().words()
        self.top.place = _("That was it")
        if self.card is None:
            return
        card, parts = self.card, []
        if card.done:
            parts.append(_("Today's question is answered. `n` asks one more."))
        if card.can_say:
            parts.append(_("**You can now say**"))
            parts.append("\n".join(f"- {line}" for line in card.can_say))
        if card.returns:
            parts.append(_("**Refuted, and coming back**"))
            parts.append("\n".join(f"- {line}" for line in card.returns))
        if card.streak:
            days = ngettext("{n} day in a row.", "{n} days in a row.", card.streak)
            parts.append(days.format(n=card.streak))
        if card.tomorrow is not None:
            parts.append(_("**Tomorrow:** {title}").format(title=card.tomorrow))
        self.query_one("#card", Prose).update("\n\n".join(parts))

    def key_label(self, name: str) -> str:
        return _("home") if name == "go_on" else super().key_label(name)

    def action_go_on(self) -> None:
        self.quiz.flow.go_home()

    def action_back(self) -> None:
        self.quiz.flow.go_home()

    def action_more(self) -> None:
        self.quiz.flow.one_more()

    async def action_undo(self) -> None:
        """Take back the last answer, and say which."""
        await self.quiz.undo()
