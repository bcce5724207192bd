"""`quizapp stats`: what you know, and what comes due."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from quizapp.session.session import Session, Stats


@click.command("stats")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show answers, shares right by topic, calibration, the streak and the coming week."""
    from quizapp.session.session import open_session

    session = open_session(language=ctx.obj["lang"])
    try:
        figures = session.stats()
        if as_json:
            plain = json.dumps(asdict(figures), ensure_ascii=False, indent=2, default=str)
            click.echo(plain)
        else:
            for line in _lines(session, figures):
                click.echo(line)
    finally:
        asyncio.run(session.close())


def _lines(session: Session, figures: Stats) -> Iterator[str]:
    from quizapp.plot.width import pad
    from quizapp.text.i18n import _, ngettext
    from quizapp.text.numbers import percent

    def share(right: int, rated: int) -> str:
        return percent(right / rated) if rated else "–"

    if not figures.answered:
        yield _("Nothing answered yet: `quizapp daily` begins.").replace("`", "")
        return
    streak = figures.streak
    days = ngettext("{n} day in a row", "{n} days in a row", streak.current)
    yield _("{answers} answers to {questions} questions, {share} right").format(
        answers=figures.answered,
        questions=figures.questions,
        share=share(figures.overall.right, figures.overall.rated),
    )
    yield _("{days}; longest {n}").format(days=days.format(n=streak.current), n=streak.longest)
    yield ""
    for tag, tally in figures.by_tag.items():
        yield f"{pad(tag, 28)} {tally.right}/{tally.rated}  {share(tally.right, tally.rated)}"
    yield ""
    names = {"guess": _("guess"), "fairly": _("fairly"), "certain": _("certain")}
    for level, tally in figures.calibration.items():
        if tally.rated:
            yield _("when you say “{level}”: {share} right of {n}").format(
                level=names[level], share=share(tally.right, tally.rated), n=tally.rated
            )
    yield _("due today: {n}").format(n=figures.due_today)
    week = ", ".join(f"{day:%m-%d} {count}" for day, count in figures.load if count)
    if week:
        yield _("coming: {week}").format(week=week)
    for reference in figures.refuted:
        yield _("comes back: {title}").format(title=session.title(reference))
