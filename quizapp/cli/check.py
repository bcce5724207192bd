"""`quizapp check`: a compiler for content."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizapp.errors import TROUBLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from quizapp.session.checking import Checked, Score, Tells


@click.command("check")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--compute", is_flag=True, help="Also run what every choice expects, on five seeds.")
@click.option("--only", multiple=True, metavar="ID", help="With --compute: only this question.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def command(
    ctx: click.Context, path: Path | None, compute: bool, only: tuple[str, ...], as_json: bool
) -> None:
    """Check the bank, or folder of banks, at PATH; the shipped banks without one.

    Exit code 2 when anything is wrong.
    """
    import asyncio

    from quizapp.session import checking
    from quizapp.session.paths import shipped_banks

    checked = checking.check(path or shipped_banks())
    if compute:
        narrate = _narrator(as_json)
        chosen = frozenset(only) or None
        checked = asyncio.run(checking.compute(checked, only=chosen, progress=narrate))
    click.echo(_json(checked) if as_json else _words(checked))
    ctx.exit(0 if checked.ok else TROUBLE)


def _narrator(quiet: bool) -> Callable[[str], None]:
    import sys

    def narrate(line: str) -> None:
        if not quiet and sys.stderr.isatty():
            click.echo(f"\r\x1b[K{line}", err=True, nl=False)

    return narrate


def _json(checked: Checked) -> str:
    found = {
        "ok": checked.ok,
        "banks": [{"id": b.id, "questions": len(b.questions)} for b in checked.banks],
        "diagnostics": [d.plain() for d in checked.diagnostics],
        "tells": {name: asdict(told) for name, told in checked.tells},
        "exercises": [asdict(score) for score in checked.scores],
    }
    return json.dumps(found, ensure_ascii=False, indent=2)


def _words(checked: Checked) -> str:
    lines = [found.render() for found in checked.diagnostics]
    for bank in checked.banks:
        told = dict(checked.tells)[bank.id]
        lines.append(f"{bank.id}: {len(bank.questions)} questions. {_tells(told)}")
    lines += [_score(score) for score in checked.scores]
    errors = sum(found.severity == "error" for found in checked.diagnostics)
    warnings = len(checked.diagnostics) - errors
    lines.append(f"{errors} errors, {warnings} warnings")
    return "\n".join(lines)


def _score(score: Score) -> str:
    solutions, mistakes, named = (
        f"{done} of {count}" for done, count in (score.solutions, score.mistakes, score.named)
    )
    return f"{score.exercise}: {solutions} solutions pass, {mistakes} mistakes fail, {named} named."


def _tells(told: Tells) -> str:
    """How far guessing by length or place would get, against a blind guess."""
    if not told.first.questions:
        return "No single questions."
    by_length = ", ".join(f"{tell.share:.0%} ({lang})" for lang, tell in told.longest.items())
    first = told.first
    return (
        f"Of {first.questions} single ones the longest choice is right in {by_length}, "
        f"the first in {first.share:.0%}; chance is {first.chance:.0%} ± {first.stderr:.0%}."
    )
