"""Two copies of a bank compared: what an edit means for the learners who met the questions.

A changed meaning asks again; a changed wording keeps history; a vanished id leaves its
history to nobody. Compared by identity, never by place, so a question may move between files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.identity import Identity, identify
from quizapp.bank.models import Question
from quizapp.bank.words import closest

Kind = Literal["meaning", "wording", "other", "vanished", "new"]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one question. fields: those that differ, as they are written in the file.

    kind "other": a change that decides nothing and is not read, as of tags or difficulty;
    renamed: for a vanished id, the new one that asks the same.
    """

    reference: str
    kind: Kind
    fields: tuple[str, ...] = ()
    renamed: str | None = None


def compare(old: Sequence[Bank], new: Sequence[Bank]) -> tuple[Change, ...]:
    """Every question that differs, by identity; banks are matched by their id.

    Questions of `new` that are there but broken count as unchanged: they are told elsewhere.
    """
    before, after = dict(_every(old)), dict(_every(new))
    unknown = {f"{bank.id}/{name}" for bank in new for name in bank.broken}
    unreadable = {bank.id for bank in new if not bank.complete}
    found: list[Change] = []
    for reference, (identity, question) in before.items():
        if reference in after:
            found += _between(identity, question, *after[reference])
        elif reference not in unknown and reference.partition("/")[0] not in unreadable:
            found.append(Change(reference, "vanished", renamed=_renamed(identity, before, after)))
    found += [Change(reference, "new") for reference in after if reference not in before]
    return tuple(sorted(found, key=lambda change: change.reference))


def check_vanished(changes: Sequence[Change], new: Sequence[Bank]) -> Iterator[Diagnostic]:
    """A warning for each id that is no longer there."""
    for change in changes:
        if change.kind != "vanished":
            continue
        home, _, local = change.reference.partition("/")
        bank = next((bank for bank in new if bank.id == home), None)
        if bank is None:
            continue
        guess = closest(local, bank.questions) if change.renamed is None else ""
        same = f"; `{change.renamed}` asks the same" if change.renamed else guess
        message = (
            f"the question `{change.reference}` is gone, and learners' histories with it{same}"
        )
        remedy = "Give it its id again: an id that learners have met is kept for ever."
        yield bank.diagnose("QB037", None, (), message, remedy, severity="warning")


def _every(banks: Sequence[Bank]) -> Iterator[tuple[str, tuple[Identity, Question]]]:
    for bank in banks:
        for question in bank.questions.values():
            identity = identify(bank.id, question)
            yield identity.id, (identity, question)


def _between(was: Identity, before: Question, now: Identity, after: Question) -> Iterator[Change]:
    old, new = _written(before), _written(after)
    fields = tuple(sorted(k for k in {*old, *new} if old.get(k) != new.get(k)))
    if was.meaning != now.meaning:
        yield Change(now.id, "meaning", fields)
    elif was.wording != now.wording:
        yield Change(now.id, "wording", fields)
    elif fields:
        yield Change(now.id, "other", fields)


def _written(question: Question) -> dict[str, Any]:
    return question.model_dump(by_alias=True)


def _renamed(
    gone: Identity,
    before: Mapping[str, tuple[Identity, Question]],
    after: Mapping[str, tuple[Identity, Question]],
) -> str | None:
    """The new id whose question means, or at least reads, the same as one that is gone."""
    fresh = [identity for name, (identity, _) in after.items() if name not in before]
    exact = [one for one in fresh if (one.meaning, one.wording) == (gone.meaning, gone.wording)]
    alike = exact or [one for one in fresh if one.wording == gone.wording]
    return alike[0].id if len(alike) == 1 else None
