"""Entries of a question that a learner, or the log, could not tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import BaseQuestion
from quizapp.bank.walk import Path
from quizapp.bank.words import folded
from quizapp.text import Text


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str: ...


class Worded(Named, Protocol):
    """What a learner reads."""

    @property
    def text(self) -> Text: ...


_Entry = TypeVar("_Entry")


def at(path: Path, entries: Iterable[_Entry]) -> Iterator[tuple[Path, _Entry]]:
    """Each of the entries listed at `path`, with its own path."""
    return (((*path, index), entry) for index, entry in enumerate(entries))


def same_ids(
    bank: Bank, question: BaseQuestion, where: str, entries: Iterable[tuple[Path, Named]]
) -> Iterator[Diagnostic]:
    """Findings about ids given twice; `where` names the lists they stand in."""
    seen: set[str] = set()
    for path, entry in entries:
        if entry.id in seen:
            message = f"the id `{entry.id}` is given twice in {where}"
            remedy = "Give each entry an id of its own."
            yield bank.diagnose("QB061", question.id, (*path, "id"), message, remedy)
        seen.add(entry.id)


def same_texts(
    bank: Bank, question: BaseQuestion, entries: Iterable[tuple[Path, Worded]]
) -> Iterator[Diagnostic]:
    """Findings about entries that read the same in a language of the bank."""
    seen: dict[tuple[str, str], str] = {}
    for path, entry in entries:
        for language in bank.header.languages:
            wording = folded(entry.text.shown(language))
            first = seen.setdefault((language, wording), entry.id)
            if first != entry.id:
                message = f"`{entry.id}` reads the same as `{first}`"
                remedy = "Give each choice a belief of its own."
                place = (*path, "text", language)
                yield bank.diagnose("QB062", question.id, place, message, remedy)
                break
