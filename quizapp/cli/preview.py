"""`quizapp preview`: a question as learners see it, while it is being written."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from quizapp.cli.plain import Ended, Plain
from quizapp.errors import INTERRUPTED, OK, TROUBLE
from quizapp.text.i18n import _, language

if TYPE_CHECKING:
    from quizapp.session.previewing import PreviewSession

#: Seconds between two looks at the file.
LOOK: Final = 0.15


@click.command("preview")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name", required=False, metavar="[ID]")
@click.option("--plain", is_flag=True, help="On standard input and output, without a screen.")
@click.pass_context
def command(ctx: click.Context, file: Path, name: str | None, plain: bool) -> None:
    """Show the question ID of FILE, or its first one, as a learner sees it.

    \b
    quizapp preview my-bank/questions.yaml
    quizapp preview my-bank/questions.yaml first-question --plain
    quizapp preview my-bank/exercises/scores

    It is shown again on each save, in any editor. What is wrong stands in its place, or beside
    it; nothing that is answered is saved. The exit code is 2 when it could not be shown last.
    """
    if plain:
        try:
            ctx.exit(asyncio.run(_plain(ctx.obj, file, name)))
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(INTERRUPTED)
    from quizapp.cli.home import needs_terminal
    from quizapp.session.preview import Preview
    from quizapp.session.previewing import open_preview

    Preview(file, name)  # what cannot be looked at is refused before there is a screen
    ascii_only = needs_terminal("`quizapp preview FILE --plain`", ctx.obj)
    from quizapp.tui.preview import PreviewApp

    def opener(wanted: str | None) -> PreviewSession:
        return open_preview(file, name, language=wanted)

    app = PreviewApp(opener, language=ctx.obj["lang"], ascii_only=ascii_only)
    app.run()
    ctx.exit(app.return_code or 0)


async def _plain(options: dict[str, Any], file: Path, name: str | None) -> int:
    from quizapp.session.previewing import open_preview

    session = open_preview(file, name, language=options["lang"])
    try:
        return await PlainPreview(session, ascii_only=options["ascii"]).run()
    finally:
        await session.close()


class Saved(Exception):  # noqa: N818 - the file was saved: not an error
    """The file was saved while an answer was awaited."""


class PlainPreview(Plain):
    """The question of a file, line by line, again after each save."""

    def __init__(self, session: PreviewSession, *, ascii_only: bool) -> None:
        super().__init__(session, ascii_only=ascii_only)
        self.author = session

    async def run(self) -> int:
        """Until q or the end of the input."""
        try:
            while True:
                try:
                    await self._show()
                    self.author.turn()
                except Saved:
                    click.echo("\n" + _("Saved: shown again."), err=True)
                await asyncio.to_thread(self.author.look)
        except Ended:
            return TROUBLE if self.author.seen.blocked else OK

    async def _show(self) -> None:
        """Findings, then the question, its verdict, and the wait for the next save."""
        seen = self.author.seen
        for found in seen.findings:
            click.echo(found + "\n")
        if seen.exercise is not None:
            from quizapp.session.preview import words_of

            click.echo(f"# {seen.exercise.exercise.title.shown(language())}\n")
            self.say(words_of(seen.exercise))
        elif seen.entry is not None:
            sitting = self.author.sitting_now()
            assert sitting.current is not None
            await self._verdict(sitting.current, await self._question(sitting.current, sitting))
        again = _("Enter: again") if seen.entry is not None else _("Enter: read again")
        await self.ask(f"\n{again} ({_('q quit')}): ")

    async def ask(self, prompt: str) -> str:
        """One line typed; raises Saved where the file is saved before."""
        if os.name == "nt" or not sys.stdin.isatty():
            return await super().ask(prompt)
        click.echo(prompt, nl=False)
        while not select.select([sys.stdin], [], [], 0)[0]:
            if self.author.preview.changed():
                raise Saved
            await asyncio.sleep(LOOK)
        return await super().ask("")
