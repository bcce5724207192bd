"""`quizapp preview`: one file on the learner's own screens, anew on each save."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final

from quizapp.errors import OK, TROUBLE, QuizappError
from quizapp.tui.app import QuizApp
from quizapp.tui.flow import Flow
from quizapp.tui.opening import apply_settings, warm
from quizapp.tui.screens.page import Page
from quizapp.tui.screens.preview import (
    FindingsScreen,
    PreviewQuestion,
    PreviewVerdict,
    SheetScreen,
)

if TYPE_CHECKING:
    from quizapp.session.library import Entry
    from quizapp.session.preview import Seen
    from quizapp.session.previewing import PreviewSession
    from quizapp.session.trial import Trial

#: Seconds between two looks at the file.
LOOK: Final = 0.15


class PreviewApp(QuizApp):
    """The learner's program, on what an author is writing."""

    def __init__(
        self,
        opener: Callable[[str | None], PreviewSession],
        *,
        language: str | None = None,
        ascii_only: bool = False,
    ) -> None:
        """opener: reads the file, in a thread."""
        super().__init__("daily", language=language, ascii_only=ascii_only)
        self.flow: PreviewFlow = PreviewFlow(self)
        self.open_file = opener
        self.seen_by: PreviewSession | None = None

    @cached_property
    def question(self) -> PreviewQuestion:
        return self._keep(PreviewQuestion())

    @cached_property
    def verdict(self) -> PreviewVerdict:
        return self._keep(PreviewVerdict())

    @cached_property
    def findings(self) -> FindingsScreen:
        """What was found in the file."""
        return self._keep(FindingsScreen())

    @cached_property
    def sheet(self) -> SheetScreen:
        """An exercise in words."""
        return self._keep(SheetScreen())

    @property
    def notice(self) -> str:
        """What was found, in a line for the top of the screen."""
        return "" if self.seen_by is None else self.seen_by.seen.notice()

    def _first(self) -> Page:
        return self.findings

    async def open_up(self) -> None:
        """Read the file, show it, and keep looking at it."""
        try:
            session = await asyncio.to_thread(self.open_file, self.wanted_language)
        except QuizappError as error:
            self.exit(return_code=error.exit_code, message=str(error))
            return
        self.session = self.seen_by = session
        apply_settings(self)
        self.work("warm", warm, self)
        await self.flow.show(session.seen)
        self.work("watch", self._watch)

    async def _watch(self) -> None:
        """Show the file again whenever it was saved."""
        session = self.seen_by
        assert session is not None
        while True:
            await asyncio.sleep(LOOK)
            # In the lab, or in a list of keys, nobody is pulled away; a save is not forgotten.
            if self.screen in self.flow.places() and session.preview.changed():
                await self.flow.show(await asyncio.to_thread(session.look))

    def _code(self) -> int:
        blocked = self.seen_by is not None and self.seen_by.seen.blocked
        return TROUBLE if blocked else OK


class PreviewFlow(Flow):
    """From the question to its verdict and back, always on what the file holds now."""

    _app: PreviewApp

    def places(self) -> tuple[Page, ...]:
        """The screens on which a save is shown."""
        app = self._app
        return (app.findings, app.question, app.verdict, app.sheet)

    async def show(self, seen: Seen) -> None:
        """Put what the file holds on the screen; the verdict stays where its answer still fits."""
        app, session = self._app, self._app.seen_by
        assert session is not None
        before = app.verdict.trial if app.screen is app.verdict else None
        entry = app.verdict.entry
        if before is not None:
            await session.stop(before)
        while len(app.screen_stack) > 2:  # the findings may lie over a question
            await app.pop_screen()
        if seen.entry is not None:
            self.sitting = session.sitting_now()
            now = self.sitting.current
            assert now is not None
            if before is not None and entry is not None and session.may_stay(before, entry):
                await self._show_verdict(now, session.answered_again(now, before))
            else:
                await self.ask(now)
        else:
            await self._switch(app.sheet if seen.exercise is not None else app.findings)

    async def _switch(self, page: Page) -> None:
        if self._app.screen is not page:
            await self._app.switch_screen(page)
        page.words()

    async def _again(self) -> None:
        session = self._app.seen_by
        if session is not None:
            await self.leave_verdict()
            if session.seen.entry is not None:
                session.turn()
                self.sitting = session.sitting_now()
                assert self.sitting.current is not None
                await self.ask(self.sitting.current)

    async def _turn(self) -> None:
        session = self._app.seen_by
        if session is not None:
            await self.leave_verdict()
            await asyncio.to_thread(session.preview.turn, 1)
            await self.show(await asyncio.to_thread(session.look))

    def go_on(self, entry: Entry, trial: Trial) -> None:  # noqa: ARG002 - there is one question
        """From the verdict back to the question."""
        self._app.work("flow", self._again)

    def finish(self) -> None:
        """The same: there is no last card."""
        self._app.work("flow", self._again)

    def one_more(self) -> None:
        """The next question of the file."""
        self._app.work("flow", self._turn)

    def go_home(self) -> None:
        """A preview has no home: leave it."""
        self._app.work("leave", self._app.action_leave)
