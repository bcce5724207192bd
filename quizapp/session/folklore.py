"""The board of claims a learner has met: what each says, and what their own run measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from quizapp.bank import ClaimQuestion
from quizapp.lab.catalogue import catalogue
from quizapp.report import Metric, Report
from quizapp.session.answers import HOLDS
from quizapp.session.expect import find, in_words, judge_expectation
from quizapp.session.library import Library
from quizapp.study.log import LoggedAnswer
from quizapp.study.store import Store
from quizapp.text.i18n import language
from quizapp.text.numbers import spread


@dataclass(frozen=True, slots=True)
class Measured:
    """One number a claim names: in words of the current language, and as measured.

    held: whether this number bears the claim out; None where the log lacks it.
    """

    metric: str
    label: str
    claimed: str
    measured: str
    value: float | None
    held: bool | None


@dataclass(frozen=True, slots=True)
class Met:
    """One claim with the newest answer to it. said: whether the learner said that it holds."""

    question: str
    title: str
    claim: str
    holds: bool
    said: bool
    day: date
    seed: int | None
    device: str | None
    measured: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """refuted, held: the claims met, in the order of their newest answers. unmet: how many
    the banks have besides.
    """

    refuted: tuple[Met, ...]
    held: tuple[Met, ...]
    unmet: int


def board(library: Library, store: Store) -> Board:
    """What the study log knows of the claims in `library`, in the current language.

    An answer counts only while the question means what it meant then, and where a run
    decided it. Raises MachineError.
    """
    newest: dict[str, LoggedAnswer] = {}
    for answer in store.answers_of_kind("claim"):
        entry = library.entries.get(answer.question)
        if entry is None or entry.identity.meaning != answer.meaning or answer.verdict == "unrated":
            continue
        newest.pop(answer.question, None)
        newest[answer.question] = answer
    met = [
        _met(question, answer)
        for answer in newest.values()
        if isinstance(question := library.entries[answer.question].question, ClaimQuestion)
    ]
    claims = sum(isinstance(e.question, ClaimQuestion) for e in library.entries.values())
    return Board(
        refuted=tuple(one for one in met if not one.holds),
        held=tuple(one for one in met if one.holds),
        unmet=claims - len(met),
    )


def _met(question: ClaimQuestion, answer: LoggedAnswer) -> Met:
    chosen = answer.answer.get("chosen") if isinstance(answer.answer, dict) else None
    said = isinstance(chosen, list) and HOLDS in chosen
    return Met(
        question=answer.question,
        title=question.title.to(language()),
        claim=question.claim.to(language()),
        holds=said == (answer.verdict == "right"),
        said=said,
        day=answer.local_date,
        seed=answer.seed,
        device=answer.device,
        measured=tuple(_measured(question, answer)),
    )


def _measured(question: ClaimQuestion, answer: LoggedAnswer) -> Iterator[Measured]:
    report = _report(question.experiment.run, answer)
    for expectation in question.expects:
        judged = judge_expectation(expectation, report)
        found = find(report, expectation.metric)
        unit = "" if found is None else found[0].unit
        yield Measured(
            metric=expectation.metric,
            label=expectation.metric if found is None else found[0].label.to(language()),
            claimed=in_words(judged, unit),
            measured="–" if judged.measured is None else spread(judged.measured, None, unit),
            value=judged.measured,
            held=judged.held,
        )


def _report(experiment: str, answer: LoggedAnswer) -> Report:
    """The logged numbers as the run reported them, with today's units and labels."""
    info = catalogue().experiments.get(experiment)
    known = {} if info is None else info.metrics
    return Report(
        experiment=experiment,
        status="final",
        metrics={
            name: Metric.model_validate(
                {
                    "value": value,
                    "unit": known[name].unit,
                    "label": known[name].label,
                    "meaning": known[name].meaning,
                }
            )
            for name, value in answer.metrics.items()
            if name in known
        },
    )
