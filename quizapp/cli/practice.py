"""`quizapp practice`: attention written by hand, on the screen, in plain text, or watched."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quizapp.errors import INTERRUPTED, OK, TROUBLE, WRONG, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quizapp.session.graded import Told
    from quizapp.session.workbench import Workbench

WIDTH = 78


@click.command("practice")
@click.argument("name", required=False)
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write in this file; without it in one of quizapp's own folder.",
)
@click.option("--watch", is_flag=True, help="Grade the file each time that it is saved.")
@click.option("--plain", is_flag=True, help="Grade the file once, without a screen.")
@click.pass_context
def command(
    ctx: click.Context, *, name: str | None, file: Path | None, watch: bool, plain: bool
) -> None:
    """Write the exercise NAME and have it graded; without NAME, list them all.

    \b
    quizapp practice scaled_dot_product_attention
    quizapp practice stable_softmax --file mine.py --watch

    The file begins as a starter and is never overwritten. With --plain the exit code is 0 when
    all tests passed, 1 when some failed, 2 when the grader itself could not run.
    """
    if name is None and (watch or file is not None):
        raise UsageError(
            "which exercise is it?", remedy="`quizapp practice --plain` lists their names."
        )
    if name is None and plain:
        ctx.exit(asyncio.run(_list(ctx.obj)))
    if name is not None and (watch or plain):
        try:
            ctx.exit(asyncio.run(_without_screen(ctx.obj, name, file, watch=watch)))
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(INTERRUPTED)
    from quizapp.cli.home import screen

    if name is not None:
        _exists(ctx.obj, name)
    ctx.exit(screen("practice", ctx.obj, exercise=name, file=file))


def _exists(options: dict[str, Any], name: str) -> None:
    """Refuse a wrong name before there is a screen. Raises UsageError."""
    from quizapp.session.session import open_session

    session = open_session(language=options["lang"])
    try:
        session.shelf.desk(name)
    finally:
        asyncio.run(session.close())


async def _list(options: dict[str, Any]) -> int:
    from quizapp.plot.width import pad
    from quizapp.session.session import open_session
    from quizapp.text.i18n import _

    session = open_session(language=options["lang"])
    try:
        found = await session.exercises()
    finally:
        await session.close()
    states = {"new": _("new"), "tried": _("tried"), "passed": _("passed"), "due": _("due")}
    longest = max((len(one.short) for one in found), default=0)
    for one in found:
        minutes = pad(_("{n} min").format(n=one.minutes), 8)
        state = pad(states[one.state], 8)
        click.echo(f"{pad(one.short, longest)}  {one.difficulty}/5  {minutes}{state}{one.title}")
    return OK


async def _without_screen(
    options: dict[str, Any], name: str, file: Path | None, *, watch: bool
) -> int:
    from quizapp.cli.watching import Watching
    from quizapp.session.session import open_session

    session = open_session(language=options["lang"])
    try:
        bench = await session.take(name, file)
        say_exercise(bench, ascii_only=options["ascii"])
        if watch:
            return await Watching(session, bench, ascii_only=options["ascii"]).run()
        await bench.check(None, lambda: None)
        return say_grade(bench, ascii_only=options["ascii"])
    finally:
        await session.close()


def say_exercise(bench: Workbench, *, ascii_only: bool) -> None:
    """The statement, and which file it is written in (on standard error)."""
    from quizapp.plot.prose import prose_text
    from quizapp.session import graded
    from quizapp.text.i18n import _

    click.echo(f"# {graded.title(bench.desk)}\n")
    for line in prose_text(graded.statement(bench.desk), WIDTH, ascii=ascii_only):
        click.echo(line)
    click.echo()
    click.echo(_("The file: {file}").format(file=bench.desk.file), err=True)


def say_grade(bench: Workbench, *, ascii_only: bool) -> int:
    """The last grade, line by line; returns its exit code."""
    told = bench.told()
    assert told is not None
    for line in lines(told, ascii_only=ascii_only):
        click.echo(line)
    if told.unlogged:
        click.echo(told.unlogged, err=True)
    return TROUBLE if told.ours else OK if told.passed else WRONG


def lines(told: Told, *, ascii_only: bool) -> Iterator[str]:
    """A grade as lines: the diagnosis, each finding with its tests, the maps in words, prints."""
    from quizapp.plot import Look, wrap
    from quizapp.plot.cells import lines_of
    from quizapp.plot.checklist import draw_checklist
    from quizapp.plot.drawings import describe
    from quizapp.text.i18n import _, language

    look = Look(ascii=ascii_only, depth="none")
    yield told.headline
    yield told.made
    for part in (told.diagnosis, told.problem):
        if part:
            yield ""
            yield from wrap(part, WIDTH)
    for items in (told.first, told.further):
        if items:
            yield ""
        yield from lines_of(draw_checklist(items, WIDTH, look))
        for picture in told.pictures if items is told.first else ():
            yield f"  {picture.title.to(language())}: {describe(picture, language())}"
    if told.printed:
        yield ""
        yield _("Printed:")
        yield from told.printed.splitlines()
