"""`FilePage`: a screen with an editor whose text is a file, which others may write as well."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult, SuspendNotSupported
from textual.widgets import TextArea

from quizapp.errors import QuizappError
from quizapp.text.i18n import _
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.code import CodeEditor
from quizapp.tui.widgets.plain import PlainText

if TYPE_CHECKING:
    from quizapp.session.workbench import Newer, Workbench

#: Seconds from the last key to the disk, and between two looks at the file.
SETTLE, LOOK = 0.4, 0.3
#: What starters have in place of a body.
UNWRITTEN = "raise NotImplementedError"


class FilePage(Page):
    """Saves as one types and on leaving; takes what another editor wrote, and has it graded."""

    def __init__(self) -> None:
        super().__init__()
        self.bench: Workbench | None = None
        self.asks_reset = False
        self.notice = ""
        self.stale = False

    def foot(self) -> ComposeResult:
        yield PlainText(id="notice")
        yield PlainText(id="where")

    def action_grade(self) -> None:
        """Have the text graded."""
        raise NotImplementedError

    def begin_again(self) -> None:
        """The starter is in the editor."""
        raise NotImplementedError

    @property
    def code(self) -> CodeEditor:
        """The editor."""
        return self.query_one(CodeEditor)

    def load(self, text: str, *, top: bool = False) -> None:
        """Another text in the editor; the cursor where it was, or where there is to begin."""
        at = self.code.cursor_location
        self.code.load_text(text)
        if top:
            self.code.select_words(UNWRITTEN)
        else:
            self.code.move_cursor(at)

    def foot_words(self) -> None:
        """What there is to know of the file, and where it is."""
        if self.bench is None:
            return
        words = self.notice
        if self.asks_reset:
            words = _("Start over from the starter? What you wrote is kept beside it.")
        notice = self.query_one("#notice", PlainText)
        notice.display = bool(words)
        notice.update(words)
        desk = self.bench.desk
        state = _("saved") if desk.holds(self.code.text) else _("not saved yet")
        self.query_one("#where", PlainText).update(f"{state}  {_short(desk.file)}")

    # --- saving --------------------------------------------------------------------

    @on(TextArea.Changed, "#code")
    def _changed(self) -> None:
        bench = self.bench
        if bench is None:
            return
        if not bench.desk.holds(self.code.text):
            self.quiz.work("autosave", self._autosave)
        self.foot_words()
        if bench.stale(self.code.text) != self.stale:
            self.words()

    async def _autosave(self) -> None:
        await asyncio.sleep(SETTLE)
        await self.save()

    async def save(self) -> bool:
        """Keep the text now; what came in its place is told. False where the disk refuses."""
        if self.bench is None:
            return True
        try:
            self._take(await self.bench.save(self.code.text))
        except QuizappError as error:
            self.notice = str(error)
        self.foot_words()
        return self.bench.desk.holds(self.code.text)

    async def on_screen_suspend(self) -> None:
        await self.save()

    def action_keep(self) -> None:
        """Save now."""
        self.quiz.work("autosave", self._keep)

    async def _keep(self) -> None:
        await self.save()

    # --- what others write -----------------------------------------------------------

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self.follow_file()

    def follow_file(self) -> None:
        """From now on, grade whatever another editor saves."""
        if self.bench is not None:
            self.quiz.work("exercise file", self._follow_file, self.bench)

    async def _follow_file(self, bench: Workbench) -> None:
        while bench is self.bench and self.is_current:
            await self._look(bench)
            await asyncio.sleep(LOOK)

    async def _look(self, bench: Workbench) -> bool:
        """Take what another editor wrote, and grade it; whether there was anything."""
        try:
            taken = self._take(await bench.newer(self.code.text))
        except QuizappError as error:
            self.notice = str(error)
            self.foot_words()
            return False
        if taken:
            self.action_grade()
        return taken

    def _take(self, newer: Newer | None) -> bool:
        """Show the file's own text where somebody else has written it."""
        if newer is None:
            return False
        self.notice = newer.notice
        self.load(newer.text)
        self.words()
        return True

    def action_external(self) -> None:
        """The learner's own editor; what it saved is graded."""
        if self.bench is not None:
            self.quiz.work("exercise editor", self._edit_outside, self.bench)

    async def _edit_outside(self, bench: Workbench) -> None:
        from quizapp.session.external import edit

        if not await self.save():
            return
        problem = None
        try:
            with self.app.suspend():
                # Blocks on purpose: whatever we drew meanwhile would be drawn into the editor.
                try:
                    edit(bench.desk.file)
                except QuizappError as error:
                    problem = error
        except SuspendNotSupported:
            self.quiz.tell(_("This terminal cannot be lent to another program."))
            return
        self.app.refresh(layout=True)
        if problem is not None:
            self.quiz.trouble(problem)
        elif not await self._look(bench):
            self.action_grade()

    # --- starting over ----------------------------------------------------------------

    def action_reset(self) -> None:
        """Ask; the second time begin again from the starter."""
        if self.bench is None:
            return
        if not self.asks_reset:
            self.asks_reset = True
            self.words()
        else:
            self.asks_reset = False
            self.quiz.work("exercise reset", self._reset, self.bench)

    async def _reset(self, bench: Workbench) -> None:
        if not await self.save():
            return
        try:
            text, kept = await bench.reset()
        except QuizappError as error:
            self.quiz.trouble(error)
            return
        self.notice = "" if kept is None else _("What you wrote is in {file}.").format(file=kept)
        self.load(text, top=True)
        self.begin_again()


def _short(file: Path) -> str:
    """The path as people write it."""
    try:
        return f"~/{file.relative_to(Path.home())}"
    except ValueError:
        return str(file)
