"""`quizapp grade`: submissions of an exercise, one or hundreds."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quizapp.errors import OK, TROUBLE, WRONG, MachineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quizapp.session.marking import Mark


@click.command("grade")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--exercise", required=True, metavar="NAME", help="Which exercise they answer.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array, in argument order.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Judges side by side, 400 MB each.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Also write FILE.json, .csv or .xml (JUnit)."
)
@click.option(
    "--worksheet",
    type=click.Path(path_type=Path),
    help="With Moodle's archive: its grading worksheet; --out gets it back with marks.",
)
@click.option("--weak", is_flag=True, help="Grade even where nothing can be confined.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    files: tuple[Path, ...],
    exercise: str,
    as_json: bool,
    jobs: int | None,
    out: Path | None,
    worksheet: Path | None,
    weak: bool,
) -> None:
    """Grade FILE…: Python files, a folder of them, or Moodle's archive of submissions.

    \b
    quizapp grade mine.py --exercise scaled_dot_product_attention
    quizapp grade handed_in/ --exercise stable_softmax --out results.csv
    quizapp grade submissions.zip --exercise stable_softmax \\
        --worksheet grades.csv --out marked.csv

    Exit code 0 when all passed, 1 when some failed, 2 when the grader itself could not run.
    """
    from quizapp.session import mark_sheets, marking, moodle
    from quizapp.text import i18n

    i18n.set_language(ctx.obj["lang"] or i18n.system_language())
    language = i18n.language()
    if worksheet is not None and (out is None or len(files) != 1):
        raise UsageError("--worksheet goes with one archive and --out FILE.csv")
    folder = marking.exercise(exercise)
    archive = len(files) == 1 and moodle.is_archive(files[0])
    sheet = None if worksheet is None else moodle.Worksheet.read(worksheet)
    papers = moodle.papers(files[0], exercise) if archive else marking.papers(files)
    marks = asyncio.run(marking.mark(folder, papers, jobs=jobs, weak=weak, progress=_progress))
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    click.echo(
        mark_sheets.as_json(marks, language) if as_json else _words(marks, language), nl=False
    )
    if out is not None:
        text = (
            mark_sheets.written_as(marks, out, language)
            if sheet is None
            else sheet.filled(marks, language)
        )
        _write(out, text)
    ctx.exit(_code(marks))


def _progress(done: int, count: int) -> None:
    if sys.stderr.isatty() and count > 1:
        click.echo(f"\r\x1b[K{done}/{count}", err=True, nl=False)


def _write(file: Path, text: str) -> None:
    try:
        file.write_bytes(text.encode())
    except OSError as error:
        raise MachineError(
            "the marks cannot be written", where=str(file), remedy=error.strerror or ""
        ) from error


def _words(marks: Sequence[Mark], language: str) -> str:
    """A line for each submission, and what there is to say indented under it."""
    lines = []
    for mark in marks:
        grade = mark.grade
        tests = f"{mark.passed_tests}/{len(grade.tests)}"
        kind = "" if grade.kind in {None, "ok"} else f" {grade.kind}"
        lines.append(f"{mark.name}: {grade.verdict}{kind}, {tests}, {grade.seconds:.2f} s")
        if len(marks) == 1:
            remarks = "\n".join(mark.remarks(language)).splitlines()
        else:
            remarks = mark.remarks(language)[:1]
        lines += [f"    {line}" for line in remarks]
    return "\n".join(lines) + "\n"


def _code(marks: Sequence[Mark]) -> int:
    verdicts = {mark.grade.verdict for mark in marks}
    if "could_not_run" in verdicts:
        return TROUBLE
    return WRONG if "failed" in verdicts else OK
