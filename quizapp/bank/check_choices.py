"""Rules about choices: how many are right, no twins, and a belief that can be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import BaseQuestion, Choice, OpenQuestion, SingleQuestion
from quizapp.bank.twins import at, same_ids, same_texts
from quizapp.bank.walk import Path, choices, options
from quizapp.bank.words import listed


def check_choices(bank: Bank) -> Iterator[Diagnostic]:
    """Findings about the choices of a bank, question by question and together."""
    for question in bank.questions.values():
        listed_choices = choices(question)
        if isinstance(question, OpenQuestion):
            yield from same_ids(bank, question, "`rubric`", at(("rubric",), question.rubric))
        if listed_choices:
            placed = tuple(at(("choices",), listed_choices))
            yield from same_ids(bank, question, "`choices`", placed)
            yield from _how_many_right(bank, question, listed_choices)
            yield from same_texts(bank, question, placed)
        yield from _beliefs(bank, question)
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


def _beliefs(bank: Bank, question: BaseQuestion) -> Iterator[Diagnostic]:
    for path, choice in options(question):
        where: Path = path
        if choice.expects and choice.argued is not None:
            message = f"`{choice.id}` has both `expects` and `argued`"
            remedy = "Keep `expects` if a run decides it, else `argued`."
            where = (*path, "argued")
        elif not choice.expects and choice.argued is None:
            message = f"`{choice.id}` does not say what one who believes it would measure"
            remedy = "Add `expects:`, or `argued:` with the reason why no run can decide it."
        else:
            continue
        yield bank.diagnose("QB063", question.id, where, message, remedy)


def _argued(bank: Bank) -> Iterator[Diagnostic]:
    every = chain.from_iterable(
        ((question.id, choice) for _, choice in options(question))
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
