"""Content rules: what a bank promises beyond its shape, checked without running anything.

Pure functions of the banks and a `Catalogue`; whether each `expects` is true is
for a run to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from quizapp.bank.bank import Bank
from quizapp.bank.check_beliefs import check_beliefs
from quizapp.bank.check_choices import check_choices
from quizapp.bank.check_exercises import check_exercises
from quizapp.bank.check_kinds import check_kinds
from quizapp.bank.check_numbers import check_numbers
from quizapp.bank.check_runs import check_runs
from quizapp.bank.check_texts import check_texts
from quizapp.bank.check_variants import check_variants, each_variant
from quizapp.bank.diagnostics import Diagnostic, in_order
from quizapp.bank.tells import check_tells
from quizapp.bank.walk import Path
from quizapp.bank.words import closest
from quizapp.report import Catalogue


def check(banks: Sequence[Bank], catalogue: Catalogue) -> tuple[Diagnostic, ...]:
    """Everything the rules find in `banks`, in the order of files and lines.

    References lead to any of the banks, so give all that belong together.
    """
    return in_order(_findings(banks, catalogue))


def _findings(banks: Sequence[Bank], catalogue: Catalogue) -> Iterator[Diagnostic]:
    by_id: dict[str, Bank] = {}
    for bank in banks:
        first = by_id.setdefault(bank.id, bank)
        if first is not bank:
            message = f"the bank id `{bank.id}` is taken by {first.folder}"
            remedy = "Give this bank another id; learners' histories hang on it."
            yield bank.diagnose("QB034", None, ("id",), message, remedy)
    for bank in banks:
        yield from _references(bank, by_id)
        yield from each_variant(bank, partial(_about_questions, catalogue=catalogue))
        yield from check_variants(bank, catalogue)
        yield from check_exercises(bank)
        yield from check_tells(bank)


def _about_questions(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    yield from check_texts(bank, catalogue)
    yield from check_runs(bank, catalogue)
    yield from check_choices(bank)
    yield from check_beliefs(bank, catalogue)
    yield from check_kinds(bank)
    yield from check_numbers(bank, catalogue)


def _references(bank: Bank, banks: Mapping[str, Bank]) -> Iterator[Diagnostic]:
    for index, name in enumerate(bank.header.opening):
        yield from _reference(bank, None, ("opening", index), name, banks)
    for question in bank.questions.values():
        for field in ("right", "wrong"):
            name = getattr(question.followups, field)
            if name is None:
                continue
            path = ("followups", field)
            if name in (question.id, f"{bank.id}/{question.id}"):
                message = f"the follow-up of `{question.id}` leads back to itself"
                remedy = "Name the next question, or remove the line."
                yield bank.diagnose("QB035", question.id, path, message, remedy)
                continue
            yield from _reference(bank, question.id, path, name, banks)


def _reference(
    bank: Bank, question: str | None, path: Path, name: str, banks: Mapping[str, Bank]
) -> Iterator[Diagnostic]:
    home, _, local = name.rpartition("/")
    target = banks.get(home) if home and home != bank.id else bank
    if target is None:
        message = f"`{name}` cannot be looked up: the bank `{home}` is not among those checked"
        remedy = "Check the folder that holds both banks."
        yield bank.diagnose("QB035", question, path, message, remedy, severity="warning")
        return
    known = {*target.questions, *target.broken}
    if local in known or not target.complete:
        return  # an unreadable file may well hold it; that file is told
    message = f"there is no question `{name}`{closest(local, known)}"
    remedy = "Name a question of this bank, or another bank's as `bank-id/question-id`."
    yield bank.diagnose("QB035", question, path, message, remedy)
