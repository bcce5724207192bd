"""Rules about numbers that learners state: units, digits, and near misses that can be told apart.

What hangs on a run is left to `quizapp.session.compute`, which finds the same with its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.kinds.stating import tolerance
from quizapp.bank.models import (
    BaseQuestion,
    NearMiss,
    NumericAnswer,
    Prediction,
    PredictQuestion,
)
from quizapp.bank.twins import at, same_ids
from quizapp.bank.walk import Path, stated_numbers
from quizapp.report import Catalogue
from quizapp.text.numbers import ends
from quizapp.text.units import factor


class Meant(NamedTuple):
    """A near miss with the number it stands for, and its place in the question."""

    place: Path
    near: NearMiss
    number: float


def check_numbers(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Findings about the numbers that the questions of a bank ask for."""
    for question in bank.questions.values():
        if isinstance(question, PredictQuestion):
            yield from _units(bank, question, question.answer, ("answer",), catalogue)
        for place, answer in stated_numbers(question):
            yield from _units(bank, question, answer, place, catalogue)
            near = (*place, "near_misses")
            yield from same_ids(bank, question, "`near_misses`", at(near, answer.near_misses))
            yield from _without_a_run(bank, question, answer, place)


def _units(
    bank: Bank,
    question: BaseQuestion,
    answer: NumericAnswer | Prediction,
    place: Path,
    catalogue: Catalogue,
) -> Iterator[Diagnostic]:
    """What is measured converts into the unit that is asked for."""
    experiment = catalogue.experiments.get(question.experiment.run)
    misses = answer.near_misses if isinstance(answer, NumericAnswer) else ()
    named = [(place, answer.metric)]
    named += [((*place, "near_misses", n), near.metric) for n, near in enumerate(misses)]
    for where, path in named:
        info = None if experiment is None or path is None else experiment.metrics.get(_name(path))
        if info is not None and factor(info.unit, answer.unit) is None:
            here = f"in {info.unit}, which does not convert into" if info.unit else "no number of"
            message = f"`{path}` is {here} {answer.unit}"
            remedy = "Ask for the number in the unit of its metric, or another size of it."
            yield bank.diagnose("QB058", question.id, (*where, "metric"), message, remedy)


def _name(path: str) -> str:
    return path.partition("[")[0]


def _without_a_run(
    bank: Bank, question: BaseQuestion, answer: NumericAnswer, place: Path
) -> Iterator[Diagnostic]:
    """What can be said before the right number is measured.

    With a tolerance relative to it, near misses that are multiples of it differ, or not,
    whatever it is.
    """
    right = answer.value
    multiples = right is None and answer.rtol is not None
    if multiples:
        right = 1.0
    meant = [
        Meant((*place, "near_misses", index), near, number)
        for index, near in enumerate(answer.near_misses)
        if (number := _number(near, right, stated=not multiples)) is not None
    ]
    if right is not None:
        yield from told_apart(bank, question, answer, right, meant, multiples=multiples)
        if not multiples:
            yield from roundable(bank, question, answer, right, place)


def _number(near: NearMiss, right: float | None, *, stated: bool) -> float | None:
    if near.times is not None and right is not None:
        return near.times * right
    return near.value if stated else None


def told_apart(
    bank: Bank,
    question: BaseQuestion,
    answer: NumericAnswer,
    right: float,
    meant: Sequence[Meant],
    *,
    multiples: bool = False,
) -> Iterator[Diagnostic]:
    """Near misses whose numbers would be taken as right, or as each other.

    multiples: whether `right` stands for 1 and the others for so many times it.
    """
    unit = None if multiples else answer.unit
    for index, (place, near, number) in enumerate(meant):
        around = (("the right number", right), *((f"`{m.near.id}`", m.number) for m in meant))
        for name, other in around[: index + 1]:
            if abs(number - other) > tolerance(answer, number) + tolerance(answer, other):
                continue
            taken = _range(other, tolerance(answer, other), unit)
            mine = _range(number, tolerance(answer, number), unit)
            message = (
                f"the near miss `{near.id}` cannot be told from {name}: taken as such is "
                f"{taken}, as the near miss {mine}"
            )
            remedy = "Narrow the tolerance, or leave the near miss out."
            yield bank.diagnose("QB057", question.id, place, message, remedy)
            break


def roundable(
    bank: Bank, question: BaseQuestion, answer: NumericAnswer, right: float, place: Path
) -> Iterator[Diagnostic]:
    """The right number, rounded to the digits that are asked for, must still be taken."""
    if answer.digits is None or right == 0:
        return
    places = answer.digits - 1 - math.floor(math.log10(abs(right)))
    half = 0.5 * 10.0**-places
    if half > tolerance(answer, right) * (1 + 1e-9):
        taken = _range(right, tolerance(answer, right), answer.unit)
        many = "1 digit does" if answer.digits == 1 else f"{answer.digits} digits do"
        message = (
            f"{many} not suffice: rounded to as many, a right number may lie outside of {taken}"
        )
        remedy = "Ask for more digits, or allow more."
        yield bank.diagnose("QB059", question.id, (*place, "digits"), message, remedy)


def _range(number: float, around: float, unit: str | None) -> str:
    """What lies around a number; around a multiple of the right one without `unit`."""
    if unit is None:
        return f"{number - around:.4g} to {number + around:.4g} times it"
    low, high = ends(number - around, number + around, unit)
    return f"{low} to {high}"
