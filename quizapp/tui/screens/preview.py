"""The screens of `quizapp preview`: the learner's own, with what an author needs beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType

from quizapp.plot.excerpts import fit_finding
from quizapp.text.i18n import _, language
from quizapp.text.plain import clean, one_line
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.screens.question import QuestionScreen
from quizapp.tui.screens.verdict import VerdictScreen
from quizapp.tui.widgets.plain import PlainText, Prose

if TYPE_CHECKING:
    from quizapp.tui.preview import PreviewApp


class _ForAuthors(Page):
    """What the screens of a preview share: the next question of the file, and the findings."""

    BINDINGS: ClassVar[list[BindingType]] = [binding("findings")]

    @property
    def author(self) -> PreviewApp:
        """The app, with its own type."""
        return cast("PreviewApp", self.app)

    def key_label(self, name: str) -> str:
        """In a preview one more question is the next of the file."""
        if name == "more":
            return _("next question")
        return _("ask again") if name == "go_on" else super().key_label(name)

    def words(self) -> None:
        """The findings stand at the top, where a learner sees language and device."""
        super().words()
        if self.author.notice:
            self.top.right = f"{self.author.notice}  {self.top.right}"

    def action_findings(self) -> None:
        """What was found, over the question; nothing where nothing was."""
        if self.author.notice:
            self.author.push_screen(self.author.findings)
        else:
            self.author.tell(_("Nothing was found."))


class PreviewQuestion(_ForAuthors, QuestionScreen):
    """The question as learners see it."""

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The learner's keys, with the author's among them."""
        learners = super().hints
        found = ("findings",) if self.author.notice else ()
        return (*learners[:2], "more", *found, *learners[2:])


class PreviewVerdict(_ForAuthors, VerdictScreen):
    """The verdict as learners see it."""

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The same, with the findings where there are any."""
        learners = super().hints
        found = ("findings",) if self.author.notice else ()
        return (learners[0], *found, *learners[1:])


class FindingsScreen(Page):
    """What the checker says, in place of a question that cannot be shown, or over one."""

    BINDINGS: ClassVar[list[BindingType]] = [binding("findings"), binding("more")]
    hints = ("more", "back", "language", "help", "quit")

    @property
    def author(self) -> PreviewApp:
        """The app, with its own type."""
        return cast("PreviewApp", self.app)

    def body(self) -> ComposeResult:
        yield PlainText(id="findings")
        yield PlainText(id="waiting")

    def words(self) -> None:
        super().words()
        session = self.author.seen_by
        if session is None:
            self.query_one("#findings", PlainText).update(_("Reading …"))
            return
        self.top.place = clean(session.preview.file.name)
        self._fit()
        words = _("Mend the file and save it: this screen follows.")
        self.query_one("#waiting", PlainText).update(words)

    def on_resize(self) -> None:
        if self.author.seen_by is not None:
            self._fit()

    def _fit(self) -> None:
        assert self.author.seen_by is not None
        width = max(20, self.query_one("#body").content_size.width - 1)
        blocks = [
            "\n".join(fit_finding(clean(found), width))
            for found in self.author.seen_by.seen.findings
        ]
        self.query_one("#findings", PlainText).update("\n\n".join(blocks))

    def key_label(self, name: str) -> str:
        return _("next question") if name == "more" else super().key_label(name)

    async def action_findings(self) -> None:
        """Back to the question they are about."""
        await self.action_back()

    def action_more(self) -> None:
        """The next question of the file."""
        self.author.flow.one_more()

    async def action_back(self) -> None:
        """To the question, if there is one to be seen."""
        if len(self.author.screen_stack) > 2:  # the first is Textual's
            self.author.pop_screen()
        else:
            await self.author.action_leave()

    def key_j(self) -> None:
        self.query_one("#body").scroll_down(animate=False)

    def key_k(self) -> None:
        self.query_one("#body").scroll_up(animate=False)

    key_down, key_up = key_j, key_k


class SheetScreen(_ForAuthors):
    """An exercise as a learner reads it: statement, hints, and what its mistakes are told."""

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that do something here."""
        found = ("findings",) if self.author.notice else ()
        return (*found, "back", "language", "help", "quit")

    def body(self) -> ComposeResult:
        yield Prose(id="statement")

    def words(self) -> None:
        super().words()
        session = self.author.seen_by
        if session is None or session.seen.exercise is None:
            return
        from quizapp.session.preview import words_of

        exercise = session.seen.exercise
        self.top.place = one_line(exercise.exercise.title.shown(language()))
        self.query_one("#statement", Prose).update(words_of(exercise))

    async def action_back(self) -> None:
        await self.author.action_leave()

    def key_j(self) -> None:
        self.query_one("#body").scroll_down(animate=False)

    def key_k(self) -> None:
        self.query_one("#body").scroll_up(animate=False)

    key_down, key_up = key_j, key_k
