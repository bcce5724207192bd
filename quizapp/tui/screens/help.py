"""Every key of the screen you came from, and what it does."""

from __future__ import annotations

from textual.app import ComposeResult

from quizapp.plot.width import pad
from quizapp.text.i18n import _
from quizapp.tui.keys import KEYS, shown
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.plain import PlainText


class HelpScreen(Page):
    """The keys of one screen; any screen opens it with `?`."""

    hints = ("back", "language", "quit")

    def __init__(self) -> None:
        super().__init__()
        self.names: tuple[str, ...] = ()

    def body(self) -> ComposeResult:
        yield PlainText(id="keys")

    def show(self, names: tuple[str, ...]) -> None:
        """List the keys of these names."""
        self.names = names
        self.words()

    def words(self) -> None:
        super().words()
        self.top.place = _("Keys")
        lines = [
            f"{pad(shown(name, self.quiz.remapped), 8)} {_(KEYS[name].help)}" for name in self.names
        ]
        saved = "ok" if self.quiz.ascii_glyphs else "✓"
        lines += ["", _("{mark} at the top right: your answer is saved.").format(mark=saved)]
        lines += [_("Every key can be remapped: quizapp config keys NAME=KEY,…"), ""]
        lines.append(_("Names: {names}").format(names=", ".join(self.names)))
        self.query_one("#keys", PlainText).update("\n".join(lines))

    def action_back(self) -> None:
        self.app.pop_screen()
