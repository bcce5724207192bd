"""`quizapp practice --watch`: a file is graded each time that any editor saves it.

Looked at, not notified of: that works on every file system, in containers and over networks,
and an editor that saves by renaming is no special case.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
from typing import TYPE_CHECKING, Final

import click

from quizapp.cli.practice import WIDTH, say_grade
from quizapp.errors import OK, QuizappError
from quizapp.plot.prose import prose_text
from quizapp.text.i18n import _

if TYPE_CHECKING:
    from quizapp.session.session import Session
    from quizapp.session.workbench import Workbench

#: Seconds between two looks at the file.
LOOK: Final = 0.15

Signature = tuple[int, int, int]


class Watching:
    """Grades on each save until Ctrl+C or q. On a terminal, letters ask for more."""

    def __init__(self, session: Session, bench: Workbench, *, ascii_only: bool) -> None:
        self.session = session
        self.bench = bench
        self.ascii_only = ascii_only
        self.code = OK
        self._asked = 0

    async def run(self) -> int:
        """Until q; the exit code is that of the last grade."""
        graded = seen = self._signature()
        if not self.bench.desk.holds(self.bench.desk.starter()):
            await self._grade()
        self._prompt()
        while True:
            typed = self._typed()
            if typed == "q":
                return self.code
            if typed is not None:
                await self._do(typed)
                self._prompt()
            now = self._signature()
            # Twice the same: the editor has finished, and the file is not half a file.
            if now is not None and now == seen and now != graded:
                graded = now
                await self._grade()
                self._prompt()
            seen = now
            await asyncio.sleep(LOOK)

    def _signature(self) -> Signature | None:
        """What changes with every save; None while there is no file (it is being renamed)."""
        try:
            found = os.stat(self.bench.desk.file)  # noqa: PTH116 - through links, no Path made
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    async def _grade(self) -> None:
        click.echo(_("Grading …"), err=True)
        try:
            await self.bench.check(None, lambda: None)
        except QuizappError as error:  # too large, or gone again: the next save may be better
            click.echo(str(error), err=True)
            self.code = error.exit_code
            return
        click.echo()
        self.code = say_grade(self.bench, ascii_only=self.ascii_only)

    # --- what is typed -----------------------------------------------------------------

    def _prompt(self) -> None:
        click.echo()
        if not sys.stdin.isatty():
            click.echo(_("Waiting for the next save; Ctrl+C ends."), err=True)
            return
        words = [_("h hint"), _("e your editor")] if self.bench.more_hints else [_("e your editor")]
        if self.bench.passed:
            words += [_("s solutions"), _("f follow-up question")]
        keys = ", ".join([*words, _("q quit")])
        click.echo(_("Waiting for the next save. With Enter: {keys}").format(keys=keys), err=True)

    def _typed(self) -> str | None:
        """A line typed at the terminal, if there is one."""
        if os.name == "nt" or not sys.stdin.isatty():
            return None
        ready, _writable, _broken = select.select([sys.stdin], [], [], 0)
        if not ready:
            return None
        line = sys.stdin.readline()
        return line.strip().lower()[:1] if line else "q"

    async def _do(self, letter: str) -> None:
        if letter == "h":
            hint = self.bench.desk.hint()
            self._say(_("There are no more hints.") if hint is None else hint)
        elif letter == "e":
            self._edit()
        elif letter == "s" and self.bench.passed:
            for name, source in self.bench.desk.solutions().items():
                click.echo(f"\n# {name}.py\n\n{source.rstrip()}")
        elif letter == "f" and self.bench.passed:
            await self._follow_up()

    def _edit(self) -> None:
        from quizapp.session.external import edit

        try:
            edit(self.bench.desk.file)  # what it saves is seen at the next look
        except QuizappError as error:
            click.echo(str(error), err=True)

    async def _follow_up(self) -> None:
        """The next follow-up question, as `quizapp daily --plain` asks it."""
        from quizapp.cli.plain import Plain

        entries = self.session.shelf.followups(self.bench.desk)
        if not entries:
            self._say(_("This exercise has no follow-up question."))
            return
        entry = entries[self._asked % len(entries)]
        self._asked += 1
        await Plain(self.session, ascii_only=self.ascii_only).about(entry.reference)

    def _say(self, text: str) -> None:
        for line in prose_text(text, WIDTH, ascii=self.ascii_only):
            click.echo(line)
