"""`quizapp undo`: take back the last answer."""

from __future__ import annotations

import asyncio

import click


@click.command("undo")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Take back the last answer, or only its being called easy. The log keeps both."""
    from quizapp.session.session import open_session
    from quizapp.text.i18n import _

    async def undo() -> str | None:
        session = await asyncio.to_thread(open_session, language=ctx.obj["lang"])
        try:
            return await session.undo()
        finally:
            await session.close()

    title = asyncio.run(undo())
    if title is None:
        click.echo(_("Nothing to undo."))
    else:
        click.echo(_("Taken back: {title}").format(title=title))
