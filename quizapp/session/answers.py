"""What a learner answered, and whether it is right. Pure: no clock, no disk, no engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from quizapp.bank import (
    ClaimQuestion,
    MultiQuestion,
    NumericAnswer,
    NumericQuestion,
    OpenQuestion,
    Prediction,
    PredictQuestion,
    Question,
    SingleQuestion,
)
from quizapp.report import Report
from quizapp.session.expect import find, judge_expectation

Outcome = Literal["right", "partial", "wrong", "unrated"]
Confidence = Literal["guess", "fairly", "certain"]

#: What can be chosen about a claim.
HOLDS: Final = "holds"
FAILS: Final = "fails"


@dataclass(frozen=True, slots=True)
class Answer:
    """chosen: ids of choices, or of the rubric points an open answer had; HOLDS or FAILS.

    text: what was typed, kept as typed. number: the same as a number, for `numeric` and
    `predict`.
    """

    chosen: tuple[str, ...] = ()
    text: str = ""
    number: float | None = None


def judge(question: Question, answer: Answer, run: Report | None) -> Outcome | None:
    """Whether `answer` is right; None while it still waits for the run that decides.

    `run` is the question's own run with its own seed and parameters, never a re-run
    the learner has changed. A failed run leaves what it had to decide unrated.
    """
    if isinstance(question, SingleQuestion | MultiQuestion):
        right = {choice.id for choice in question.choices if choice.correct}
        return "right" if set(answer.chosen) == right else "wrong"
    if isinstance(question, OpenQuestion):
        had = share(question, answer, run) or 0.0
        return "right" if had == 1 else "partial" if had >= 0.5 else "wrong"
    return _judge_by_run(question, answer, run)


def _judge_by_run(
    question: ClaimQuestion | PredictQuestion | NumericQuestion, answer: Answer, run: Report | None
) -> Outcome | None:
    stated = isinstance(question, NumericQuestion) and question.answer.value is not None
    if not stated and run is not None and run.status == "failed":
        return "unrated"
    if isinstance(question, ClaimQuestion):
        held = claim_holds(question, run)
        return None if held is None else _word(float((HOLDS in answer.chosen) == held))
    if isinstance(question, PredictQuestion):
        return _word(share(question, answer, run))
    wanted = wanted_number(question.answer, run)
    if wanted is None or answer.number is None:
        return None
    return _word(float(abs(answer.number - wanted) <= tolerance(question.answer, wanted)))


def _word(reached: float | None) -> Outcome | None:
    if reached is None:
        return None
    return "right" if reached == 1 else "partial" if reached > 0 else "wrong"


def share(question: Question, answer: Answer, run: Report | None) -> float | None:
    """How much of the answer counts, 0 to 1: the points an open one had, a prediction's
    score. None for the other kinds, and before the run has decided.
    """
    if isinstance(question, OpenQuestion):
        return len(set(answer.chosen)) / len(question.rubric)
    if not isinstance(question, PredictQuestion) or answer.number is None:
        return None
    wanted = wanted_number(question.answer, run)
    return None if wanted is None else score(question.answer, answer.number, wanted)


def score(answer: Prediction, stated: float, measured: float) -> float:
    """1 up to the relative error `full`, 0 from `none` on, linear between them."""
    if measured == 0:
        return float(stated == 0)  # no error is relative to nothing
    error = abs(stated - measured) / abs(measured)
    if error <= answer.full:
        return 1.0
    return max(0.0, (answer.none - error) / (answer.none - answer.full))


def claim_holds(question: ClaimQuestion, run: Report | None) -> bool | None:
    """Whether a complete run bears out all that the claim expects; None before it has."""
    if run is None or run.status != "final":
        return None
    held = [judge_expectation(expectation, run).held for expectation in question.expects]
    return None if None in held else all(held)


def wanted_number(answer: NumericAnswer | Prediction, run: Report | None) -> float | None:
    """The number that is right: stated, or measured by a complete run."""
    if isinstance(answer, NumericAnswer) and answer.value is not None:
        return answer.value
    if run is None or run.status != "final" or answer.metric is None:
        return None
    found = find(run, answer.metric)
    return None if found is None else found[1]


def tolerance(answer: NumericAnswer, wanted: float) -> float:
    """How far from `wanted` an answer may be, in its unit."""
    return answer.atol if answer.atol is not None else (answer.rtol or 0.0) * abs(wanted)
