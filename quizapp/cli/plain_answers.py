"""Reads answers from standard input, a line or several, for the plain front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import click

from quizapp.errors import UsageError
from quizapp.text.i18n import _, language

if TYPE_CHECKING:
    from quizapp.session.answers import Answer
    from quizapp.session.library import Entry


class Front(Protocol):
    """Who asks and tells."""

    async def ask(self, prompt: str) -> str: ...

    def say(self, text: str = "") -> None: ...

    def list_one(self, head: str, text: str) -> None: ...


async def read(front: Front, entry: Entry, typed: str) -> Answer | None:
    """The answer in `typed`; None, with a word, when it is none."""
    from quizapp.session import reading
    from quizapp.session.answers import Answer

    question = entry.question
    if question.kind in reading.TYPED:
        try:
            return reading.typed(question, typed)
        except UsageError as refused:
            click.echo(_(refused.what))
            return None
    if question.kind == "open":
        return await _read_open(front, entry, typed)
    if question.kind == "blank":
        return await _read_blanks(front, entry, typed)
    if question.kind == "match":
        paired = reading.pairs(question, typed)
        if paired is None:
            click.echo(_("Give each number one letter, as in 1b 2a."))
        return None if paired is None else Answer(filled=paired)
    chosen = _chosen(entry, typed)
    return None if chosen is None else Answer(chosen=chosen)


def _chosen(entry: Entry, typed: str) -> tuple[str, ...] | None:
    """The ids at the numbers typed; None, with a word, where they are none."""
    from quizapp.session.asking import listed
    from quizapp.session.reading import in_turn

    question = entry.question
    ids = [option.id for option in listed(question)]
    if question.kind == "order":
        chosen = in_turn(typed, ids)
        if chosen is None:
            click.echo(_("Type each number from 1 to {n} once at most.").format(n=len(ids)))
        return chosen
    chosen = _picked(typed, ids)
    if chosen is None or (question.kind != "multi" and len(chosen) != 1):
        click.echo(_("Type a number from 1 to {n}.").format(n=len(ids)))
        return None
    return chosen


async def _read_blanks(front: Front, entry: Entry, typed: str) -> Answer:
    """The first blank is typed already; the others are asked for, one by one."""
    from quizapp.session import asking
    from quizapp.session.answers import Answer
    from quizapp.session.reading import blank_entry

    filled: list[str] = []
    count = len(asking.blank_options(entry.question))
    while len(filled) < count:
        try:
            filled.append(blank_entry(entry.question, len(filled), typed))
        except UsageError as refused:
            click.echo(_(refused.what))
        if len(filled) < count:
            blank_options(front, entry, len(filled))
            typed = await front.ask(_("Blank {number}: ").format(number=len(filled) + 1))
    return Answer(filled=tuple(filled))


def blank_options(front: Front, entry: Entry, index: int) -> None:
    """What one blank may be chosen from; nothing where it is typed."""
    from quizapp.session import asking

    for number, option in enumerate(asking.blank_options(entry.question)[index], 1):
        front.list_one(str(number), option.words)


async def _read_open(front: Front, entry: Entry, typed: str) -> Answer:
    from quizapp.session.answers import Answer

    question, said = entry.question, language()
    assert question.kind == "open"
    front.say(question.model_answer.shown(said))
    click.echo()
    for number, point in enumerate(question.rubric, 1):
        front.list_one(str(number), point.text.shown(said))
    ids = [point.id for point in question.rubric]
    while True:
        ticked = _picked(await front.ask(_("Which of these did your answer have? ")), ids)
        if ticked is not None:
            return Answer(chosen=ticked, text=typed)
        click.echo(_("Type numbers from 1 to {n}, or nothing.").format(n=len(ids)))


def _picked(typed: str, ids: list[str]) -> tuple[str, ...] | None:
    """The ids at the numbers typed, in order; None where one is no number of the list."""
    words = typed.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() and 1 <= int(word) <= len(ids) for word in words):
        return None
    return tuple(ids[number - 1] for number in sorted({int(word) for word in words}))
