"""Rules about choices: how many are right, no twins, and a belief that can be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import BaseQuestion, Choice, OpenQuestion, RubricPoint, SingleQuestion
from quizapp.bank.walk import choices
from quizapp.bank.words import listed


def check_choices(bank: Bank) -> Iterator[Diagnostic]:
    """Findings about the choices of a bank, question by question and together."""
    for question in bank.questions.values():
        options = choices(question)
        if isinstance(question, OpenQuestion):
            yield from _same_ids(bank, question, "rubric", question.rubric)
        if options:
            yield from _same_ids(bank, question, "choices", options)
            yield from _how_many_right(bank, question, options)
            yield from _same_texts(bank, question, options)
            yield from _beliefs(bank, question, options)
    yield from _argued(bank)


def _how_many_right(
    bank: Bank, question: BaseQuestion, options: Sequence[Choice]
) -> Iterator[Diagnostic]:
    right = [choice.id for choice in options if choice.correct]
    single = isinstance(question, SingleQuestion)
    if (len(right) == 1) if single else right:
        return
    if not right:
        message = "none of the choices is right"
        remedy = "Mark the right one with `correct: true`."
    else:
        message = f"a single question has one right choice, not {len(right)}: {listed(right)}"
        remedy = "Leave one `correct: true`, or make it `kind: multi`."
    yield bank.diagnose("QB060", question.id, ("choices",), message, remedy)


def _same_ids(
    bank: Bank, question: BaseQuestion, field: str, entries: Sequence[Choice | RubricPoint]
) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if entry.id in seen:
            message = f"the id `{entry.id}` is given twice in `{field}`"
            remedy = "Give each entry an id of its own."
            yield bank.diagnose("QB061", question.id, (field, index, "id"), message, remedy)
        seen.add(entry.id)


def _same_texts(
    bank: Bank, question: BaseQuestion, options: Sequence[Choice]
) -> Iterator[Diagnostic]:
    seen: dict[tuple[str, str], str] = {}
    for index, choice in enumerate(options):
        for language in bank.header.languages:
            wording = " ".join(choice.text.to(language).split()).casefold()
            first = seen.setdefault((language, wording), choice.id)
            if first != choice.id:
                message = f"`{choice.id}` reads the same as `{first}`"
                remedy = "Give each choice a belief of its own."
                at = ("choices", index, "text", language)
                yield bank.diagnose("QB062", question.id, at, message, remedy)
                break


def _beliefs(bank: Bank, question: BaseQuestion, options: Sequence[Choice]) -> Iterator[Diagnostic]:
    for index, choice in enumerate(options):
        if choice.expects and choice.argued is not None:
            message = f"`{choice.id}` has both `expects` and `argued`"
            remedy = "Keep `expects` if a run decides it, else `argued`."
            at: tuple[str | int, ...] = ("choices", index, "argued")
        elif not choice.expects and choice.argued is None:
            message = f"`{choice.id}` does not say what one who believes it would measure"
            remedy = "Add `expects:`, or `argued:` with the reason why no run can decide it."
            at = ("choices", index)
        else:
            continue
        yield bank.diagnose("QB063", question.id, at, message, remedy)


def _argued(bank: Bank) -> Iterator[Diagnostic]:
    every = chain.from_iterable(
        ((question.id, choice) for choice in choices(question))
        for question in bank.questions.values()
    )
    wrong = [(name, choice) for name, choice in every if not choice.correct]
    argued = [f"{name}: {choice.id}" for name, choice in wrong if choice.argued is not None]
    if 3 * len(argued) > len(wrong):
        message = (
            f"{len(argued)} of {len(wrong)} wrong choices are argued, more than a third; "
            f"no run refutes {listed(argued[:3])}{' and others' if len(argued) > 3 else ''}"
        )
        remedy = "Replace some of them by beliefs that a run can refute."
        yield bank.diagnose("QB064", None, (), message, remedy)
