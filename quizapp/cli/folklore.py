"""`quizapp folklore`: the claims you met, and what your own runs measured."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from quizapp.session.folklore import Board, Met


@click.command("folklore")
@click.option("--json", "as_json", is_flag=True, help="Print the board as JSON.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the circulating claims you met: refuted or held, by which numbers, and when."""
    from quizapp.session.session import open_session

    session = open_session(language=ctx.obj["lang"])
    try:
        found = session.folklore()
    finally:
        asyncio.run(session.close())
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False, indent=2, default=str))
        return
    for line in _lines(found, ascii_only=ctx.obj["ascii"]):
        click.echo(line)


def _lines(found: Board, *, ascii_only: bool) -> Iterator[str]:
    from quizapp.text.i18n import _, ngettext

    if not found.refuted and not found.held:
        yield _("No claim met yet.")
    for heading, claims in (
        (_("Refuted by your own runs"), found.refuted),
        (_("Borne out by your own runs"), found.held),
    ):
        if claims:
            yield heading
        for met in claims:
            yield from _claim(met, ascii_only=ascii_only)
        if claims:
            yield ""
    yield ngettext("{n} claim not met yet", "{n} claims not met yet", found.unmet).format(
        n=found.unmet
    )


def _claim(met: Met, *, ascii_only: bool) -> Iterator[str]:
    from quizapp.plot.prose import prose_text
    from quizapp.session.folklore import made, said
    from quizapp.text.i18n import _

    for index, line in enumerate(prose_text(met.claim, 74, ascii=ascii_only)):
        yield f"{'  ' if index else '- '}{line}"
    for one in met.measured:
        yield "    " + _("{label}: claimed {claimed}, measured {measured}").format(
            label=one.label, claimed=one.claimed, measured=one.measured
        )
    yield "    " + _("{made}; {said}").format(made=made(met), said=said(met))
