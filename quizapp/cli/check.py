"""`quizapp check`: a compiler for content."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizapp.errors import TROUBLE, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from quizapp.session.checking import Change, Checked, Score, Tells


@click.command("check")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--compute", is_flag=True, help="Also run what every choice expects, on five seeds.")
@click.option("--only", multiple=True, metavar="ID", help="With --compute: only this question.")
@click.option("--strict", is_flag=True, help="Let warnings count as errors.")
@click.option("--fix", is_flag=True, help="Mend what takes no judgement in the files at PATH.")
@click.option(
    "--against",
    metavar="OLD",
    type=click.Path(path_type=Path),
    help="Tell what changed since the copy at OLD: meaning, wording, ids.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def command(  # noqa: PLR0917 - click gives them by name
    ctx: click.Context,
    path: Path | None,
    compute: bool,
    only: tuple[str, ...],
    strict: bool,
    fix: bool,
    against: Path | None,
    as_json: bool,
) -> None:
    """Check the bank, or folder of banks, at PATH; the shipped banks without one.

    Exit code 2 when anything is wrong; with --strict for a warning as well.
    """
    import asyncio

    from quizapp.session import checking
    from quizapp.session.paths import shipped_banks

    if fix and path is None:
        raise UsageError("`--fix` changes files", remedy="Say which: `quizapp check PATH --fix`.")
    checked = checking.fix(path) if fix and path else checking.check(path or shipped_banks())
    if against is not None:
        checked = checking.against(checked, against)
    if compute:
        narrate = _narrator(as_json)
        chosen = frozenset(only) or None
        checked = asyncio.run(checking.compute(checked, only=chosen, progress=narrate))
    passed = checked.clean if strict else checked.ok
    click.echo(_json(checked, passed) if as_json else _words(checked, fixing=fix))
    ctx.exit(0 if passed else TROUBLE)


def _narrator(quiet: bool) -> Callable[[str], None]:
    import sys

    def narrate(line: str) -> None:
        if not quiet and sys.stderr.isatty():
            click.echo(f"\r\x1b[K{line}", err=True, nl=False)

    return narrate


def _json(checked: Checked, passed: bool) -> str:
    found = {
        "ok": passed,
        "banks": [{"id": b.id, "questions": len(b.questions)} for b in checked.banks],
        "diagnostics": [d.plain() for d in checked.diagnostics],
        "tells": {name: asdict(told) for name, told in checked.tells},
        "exercises": [asdict(score) for score in checked.scores],
        "mended": [d.plain() for d in checked.mended],
        "changes": [asdict(change) for change in checked.changes],
    }
    return json.dumps(found, ensure_ascii=False, indent=2)


def _words(checked: Checked, *, fixing: bool) -> str:
    lines = [f"mended {found.headline()}" for found in checked.mended]
    lines += [found.render() for found in checked.diagnostics]
    lines += [_change(change) for change in checked.changes]
    for bank in checked.banks:
        told = dict(checked.tells)[bank.id]
        lines.append(f"{bank.id}: {len(bank.questions)} questions. {_tells(told)}")
    lines += [_score(score) for score in checked.scores]
    errors = sum(found.severity == "error" for found in checked.diagnostics)
    warnings = len(checked.diagnostics) - errors
    lines.append(f"{errors} errors, {warnings} warnings{_mending(checked, fixing=fixing)}")
    return "\n".join(lines)


def _mending(checked: Checked, *, fixing: bool) -> str:
    """What `--fix` has done, or could do."""
    left = len(checked.diagnostics)
    if fixing:
        done = f"{len(checked.mended)} mended"
        return f", {done}; those left need an author" if left else f", {done}"
    able = sum(bool(found.repair) for found in checked.diagnostics)
    return f"; `--fix` can mend {able} of them" if able else ""


def _change(change: Change) -> str:
    """One line on what an edit means for those who have met the question."""
    means = {
        "meaning": "meaning changed, will be asked anew",
        "wording": "wording changed, history is kept",
        "other": "changed beside its meaning and wording, history is kept",
        "vanished": "vanished",
        "new": "new",
    }
    fields = f" ({', '.join(change.fields)})" if change.fields else ""
    return f"{change.reference}: {means[change.kind]}{fields}"


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
    hedged = ", ".join(
        f"{tell.share:.0%} of {tell.questions} ({lang})"
        for lang, tell in told.hedged.items()
        if tell.questions
    )
    most = f"; where one is hedged most, that one in {hedged}" if hedged else ""
    return (
        f"Of {first.questions} single ones the longest choice is right in {by_length}, "
        f"the first in {first.share:.0%}; chance is {first.chance:.0%} ± {first.stderr:.0%}{most}."
    )
