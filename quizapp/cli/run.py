"""`quizapp run`: one experiment without the screen."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING

import click

from quizapp.errors import TROUBLE

if TYPE_CHECKING:
    from quizapp.report import Report


@click.command("run")
@click.argument("name", required=False)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Set a parameter; repeatable."
)
@click.option(
    "--device",
    default="auto",
    type=click.Choice(["auto", "cpu", "cuda", "mps"]),
    help="Where to run; auto takes the best there is.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.pass_context
def command(
    ctx: click.Context, name: str | None, settings: tuple[str, ...], device: str, as_json: bool
) -> None:
    """Run the experiment NAME; without one, list them all.

    \b
    quizapp run softmax --set logits=2,1,0.5
    quizapp run attention_entropy --set d_k=64 --set seed=3 --json
    """
    from quizapp.session.experiments import listed, run_once
    from quizapp.session.printing import lines
    from quizapp.text import i18n

    i18n.set_language(ctx.obj["lang"] or i18n.system_language())
    if name is None:
        found = dict(listed())
        if as_json:
            click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        else:
            click.echo("\n".join(f"{each:<20} {claim}" for each, claim in found.items()))
        return
    report = asyncio.run(run_once(name, settings, device, _progress))
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    click.echo(report.model_dump_json(indent=2) if as_json else "\n".join(lines(report)))
    check = report.cross_check
    ctx.exit(0 if check is not None and check.ok else TROUBLE)


def _progress(report: Report) -> None:
    if sys.stderr.isatty() and report.progress is not None:
        click.echo(f"\r\x1b[K{report.experiment} {report.progress:.0%}", err=True, nl=False)
