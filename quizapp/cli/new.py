"""`quizapp new`: begin a bank, a question, an exercise or an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from quizapp.session.writing import Made


@click.group("new")
def command() -> None:
    """Begin new content at PATH: files with comments that teach, sound as they stand.

    \b
    quizapp new bank my-bank
    quizapp new question my-bank/masks.yaml --kind shape
    quizapp new exercise my-bank/exercises/scores
    quizapp new experiment quizapp/lab/experiments/lengths.py

    Nothing that exists is overwritten. docs/authoring.md leads through all of it.
    """


@command.command("bank")
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_context
def bank(ctx: click.Context, path: Path) -> None:
    """A folder with a first question."""
    _speak(ctx.obj)
    from quizapp.session.writing import new_bank

    _tell(new_bank(path))


@command.command("question")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    default="single",
    show_default=True,
    help="blank, claim, match, multi, numeric, open, order, predict, shape or single.",
)
@click.pass_context
def question(ctx: click.Context, path: Path, kind: str) -> None:
    """A file with one question of a kind."""
    _speak(ctx.obj)
    from quizapp.session.writing import new_question

    _tell(new_question(path, kind))


@command.command("exercise")
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_context
def exercise(ctx: click.Context, path: Path) -> None:
    """A coding exercise: PATH is BANK/exercises/NAME."""
    _speak(ctx.obj)
    from quizapp.session.writing import new_exercise

    _tell(new_exercise(path))


@command.command("experiment")
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_context
def experiment(ctx: click.Context, path: Path) -> None:
    """An experiment: one Python file."""
    _speak(ctx.obj)
    from quizapp.session.writing import new_experiment

    _tell(new_experiment(path))


def _speak(options: dict[str, Any]) -> None:
    """Comments and words in the language asked for, else the system's."""
    from quizapp.text import i18n

    i18n.set_language(options["lang"] or i18n.system_language())


def _tell(made: Made) -> None:
    for file in made.files:
        click.echo(str(file))
    click.echo(made.onward, err=True)
