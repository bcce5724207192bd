"""What a learner answered, and whether it is right. Pure: no clock, no disk, no engine."""

from __future__ import annotations

from typing import Final

from quizapp.bank import (
    ClaimQuestion,
    MultiQuestion,
    NumericQuestion,
    OpenQuestion,
    Prediction,
    PredictQuestion,
    Question,
    SingleQuestion,
)
from quizapp.report import Report
from quizapp.session.expect import judge_expectation
from quizapp.session.given import (
    Answer,
    Confidence,
    Outcome,
    tolerance,
    wanted_number,
    worth,
)
from quizapp.session.kinds import way

__all__ = [
    "FAILS",
    "HOLDS",
    "Answer",
    "Confidence",
    "Outcome",
    "claim_holds",
    "judge",
    "score",
    "share",
    "ticked",
    "tolerance",
    "wanted_number",
]

#: What can be chosen about a claim.
HOLDS: Final = "holds"
FAILS: Final = "fails"


def judge(question: Question, answer: Answer, run: Report | None) -> Outcome | None:
    """Whether `answer` is right; None while it still waits for the run that decides.

    `run` is the question's own run with its own seed and parameters, never a re-run
    the learner has changed. A failed run leaves what it had to decide unrated.
    """
    if isinstance(question, SingleQuestion):
        right = {choice.id for choice in question.choices if choice.correct}
        return "right" if set(answer.chosen) == right else "wrong"
    if isinstance(question, OpenQuestion):
        return _by_half(share(question, answer, run) or 0.0)
    if isinstance(question, MultiQuestion):
        return _by_half(ticked(question, frozenset(answer.chosen)))
    if isinstance(question, ClaimQuestion | PredictQuestion | NumericQuestion):
        return _judge_by_run(question, answer, run)
    parts = way(question)
    assert parts is not None, question.kind
    return parts.outcome(answer, run)


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
    return _word(worth(question.answer, answer.number, run))


def _by_half(had: float) -> Outcome:
    return "right" if had == 1 else "partial" if had >= 0.5 else "wrong"


def _word(reached: float | None) -> Outcome | None:
    if reached is None:
        return None
    return "right" if reached == 1 else "partial" if reached > 0 else "wrong"


def share(question: Question, answer: Answer, run: Report | None) -> float | None:
    """How much of the answer counts, 0 to 1: the points an open one had, a prediction's
    score, the credit of a near miss, the parts of others. None for the kinds without, and
    before the run has decided.
    """
    if isinstance(question, OpenQuestion):
        return len(set(answer.chosen)) / len(question.rubric)
    if isinstance(question, MultiQuestion) and question.scoring != "all":
        return ticked(question, frozenset(answer.chosen))
    parts = way(question)
    if parts is not None:
        return parts.share(answer, run) if parts.partial else None
    if isinstance(question, NumericQuestion) and question.answer.near_misses:
        return worth(question.answer, answer.number, run)
    if not isinstance(question, PredictQuestion) or answer.number is None:
        return None
    wanted = wanted_number(question.answer, run)
    return None if wanted is None else score(question.answer, answer.number, wanted)


def ticked(question: MultiQuestion, chosen: frozenset[str]) -> float:
    """How much of these ticks counts, 0 to 1, by the question's scoring."""
    right = {choice.id for choice in question.choices if choice.correct}
    if question.scoring == "all" or not chosen:
        return float(chosen == right)
    if question.scoring == "net":
        return max(0.0, (len(chosen & right) - len(chosen - right)) / len(right))
    judged = sum((choice.id in chosen) == choice.correct for choice in question.choices)
    return judged / len(question.choices)


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
