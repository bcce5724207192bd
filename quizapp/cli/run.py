"""`quizapp run`: one experiment without the screen."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizapp.errors import TROUBLE

if TYPE_CHECKING:
    from quizapp.report import Report
    from quizapp.session.saving import Format


@click.command("run")
@click.argument("name", required=False)
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Set a parameter; repeatable."
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda", "mps"]),
    help="Where to run; auto takes the best there is. Else as `quizapp config device` says.",
)
@click.option(
    "--tf32/--no-tf32",
    default=None,
    help="On CUDA, let float32 products keep 10 bits of their factors, or not. "
    "Else as `quizapp config tf32` says.",
)
@click.option(
    "--attention",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compute attention with the function in FILE, confined, in place of ours.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON.")
@click.option("--csv", metavar="FILE", help="Also write every number to FILE; - for this output.")
@click.option("--html", metavar="FILE", help="Also write one page with plots; - for this output.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    name: str | None,
    settings: tuple[str, ...],
    device: str | None,
    tf32: bool | None,
    attention: Path | None,
    as_json: bool,
    csv: str | None,
    html: str | None,
) -> None:
    """Run the experiment NAME; without one, list them all.

    \b
    quizapp run softmax --set logits=2,1,0.5
    quizapp run attention_entropy --set d_k=64 --set seed=3 --json
    quizapp run walkthrough --html walkthrough.html
    """
    from quizapp.session.experiments import listed, run_once
    from quizapp.session.own import function_in
    from quizapp.session.settings import kept as kept_settings
    from quizapp.text import i18n
    from quizapp.text.i18n import _
    from quizapp.text.plain import one_line

    kept, trouble = kept_settings()
    i18n.set_language(ctx.obj["lang"] or kept.language or i18n.system_language())
    if trouble:
        click.echo(trouble, err=True)
    if name is None:
        found = {each: one_line(claim) for each, claim in listed()}
        if as_json:
            click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        else:
            click.echo("\n".join(f"{each:<20} {claim}" for each, claim in found.items()))
        return
    own = None if attention is None else function_in(attention)
    where, coarse = device or kept.device, kept.tf32 if tf32 is None else tf32
    report = asyncio.run(run_once(name, settings, where, _progress, tf32=coarse, own=own))
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    if tf32 and report.provenance is not None and not report.provenance.tf32:
        words = _("TF32 is a mode of CUDA: {device} has none.")
        click.echo(words.format(device=report.provenance.device), err=True)
    if as_json:
        click.echo(report.model_dump_json(indent=2))
    _write(report, {"csv": csv, "html": html}, quiet=as_json)
    check = report.cross_check
    ctx.exit(0 if check is not None and check.ok else TROUBLE)


def _write(report: Report, files: dict[Format, str | None], *, quiet: bool) -> None:
    """The files asked for, one of them on standard output; else the numbers, for reading."""
    from quizapp.session.printing import lines
    from quizapp.session.saving import save, written_as

    for how, file in files.items():
        if file == "-":
            click.echo(written_as(report, how), nl=False)
            quiet = True
        elif file is not None:
            click.echo(str(save(report, Path(file), how=how, replace=True)), err=True)
    if not quiet:
        click.echo("\n".join(lines(report)))


def _progress(report: Report) -> None:
    if sys.stderr.isatty() and report.progress is not None:
        click.echo(f"\r\x1b[K{report.experiment} {report.progress:.0%}", err=True, nl=False)
