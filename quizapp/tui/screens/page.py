"""`Page`: what every screen has: a top line, a body that scrolls, and a line of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen

from quizapp.text.i18n import _, language
from quizapp.tui.keys import binding, label, shown
from quizapp.tui.widgets.bars import KeyBar, TopBar
from quizapp.tui.widgets.plain import PlainText

if TYPE_CHECKING:
    from quizapp.tui.app import QuizApp


class Page(Screen[None]):
    """A screen with the two lines around its body. Subclasses fill `body` and `words`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("help"),
        binding("language"),
        binding("quit"),
        binding("back"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (18, "-high")]  # noqa: RUF012

    #: The keys the footer shows, by name, most useful first.
    hints: tuple[str, ...] = ()

    #: Whether a text field has the keys: every printable one then types.
    typing: bool = False

    @property
    def quiz(self) -> QuizApp:
        """The app, with its own type."""
        return cast("QuizApp", self.app)

    def compose(self) -> ComposeResult:
        yield TopBar()
        with VerticalScroll(id="body", can_focus=False):
            yield from self.body()
        yield from self.foot()
        yield PlainText(id="too-small")
        yield KeyBar()

    def body(self) -> ComposeResult:
        """The widgets between the two lines."""
        yield from ()

    def foot(self) -> ComposeResult:
        """Widgets that stay in sight below the body, however far it is scrolled."""
        yield from ()

    def on_mount(self) -> None:
        self.words()

    def on_screen_resume(self) -> None:
        self.words()

    def words(self) -> None:
        """Put every word on the screen in the current language; called again when it changes."""
        too_small = _("The window is too small: quizapp needs at least 60 columns and 18 lines.")
        self.query_one("#too-small", PlainText).update(too_small)
        self.query_one(TopBar).right = f"{language()}  {self.quiz.lab_word}".strip()
        self.show_keys()

    def show_keys(self) -> None:
        """Show the keys that work now."""
        remapped = self.quiz.remapped
        self.query_one(KeyBar).pairs = tuple(
            (shown(name, remapped, typing=self.typing), self.key_label(name)) for name in self.hints
        )

    def key_label(self, name: str) -> str:
        """The footer's word for a key; screens replace some with what would happen."""
        return label(name)

    @property
    def top(self) -> TopBar:
        """The line at the top."""
        return self.query_one(TopBar)
