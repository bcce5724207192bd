"""The board of claims a learner has met: what each says, and what their own run measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from quizapp.bank import ClaimQuestion
from quizapp.lab.catalogue import catalogue
from quizapp.plot.grid import Grid, GridRow
from quizapp.report import Metric, Report
from quizapp.session.answers import HOLDS
from quizapp.session.expect import find, in_words, judge_expectation
from quizapp.session.library import Library
from quizapp.study.log import LoggedAnswer
from quizapp.study.store import Store
from quizapp.text.i18n import _, language
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
    """One claim with the newest answer to it. said: whether the learner said that it holds.

    experiment, parameters: the run that decided it; device and seed, where it was made.
    """

    question: str
    title: str
    claim: str
    holds: bool
    said: bool
    day: date
    seed: int | None
    device: str | None
    experiment: str
    parameters: Mapping[str, object]
    measured: tuple[Measured, ...]

    @property
    def deciding(self) -> Measured:
        """The number that refutes the claim; of one that holds, its first."""
        return next((one for one in self.measured if one.held is False), self.measured[0])


@dataclass(frozen=True, slots=True)
class Board:
    """refuted, held: the claims met, in the order of their newest answers. unmet: how many
    the banks have besides. easiest: the question to meet next of those; None without any.
    """

    refuted: tuple[Met, ...]
    held: tuple[Met, ...]
    unmet: int
    easiest: str | None


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
    unmet = [
        name
        for name in library.meanings
        if library.entries[name].kind == "claim" and name not in newest
    ]
    return Board(
        refuted=tuple(one for one in met if not one.holds),
        held=tuple(one for one in met if one.holds),
        unmet=len(unmet),
        easiest=unmet[0] if unmet else None,
    )


def _met(question: ClaimQuestion, answer: LoggedAnswer) -> Met:
    chosen = answer.answer.get("chosen") if isinstance(answer.answer, dict) else None
    said = isinstance(chosen, list) and HOLDS in chosen
    return Met(
        question=answer.question,
        title=question.title.shown(language()),
        claim=question.claim.shown(language()),
        holds=said == (answer.verdict == "right"),
        said=said,
        day=answer.local_date,
        seed=answer.seed,
        device=answer.device,
        experiment=question.experiment.run,
        parameters={**question.experiment.with_, **_seed(answer)},
        measured=tuple(_measured(question, answer)),
    )


def _seed(answer: LoggedAnswer) -> dict[str, object]:
    return {} if answer.seed is None else {"seed": answer.seed}


def _measured(question: ClaimQuestion, answer: LoggedAnswer) -> Iterator[Measured]:
    report = _report(question.experiment.run, answer)
    labels = {row.metric: row.label for row in question.show.rows}
    for expectation in question.expects:
        judged = judge_expectation(expectation, report)
        found = find(report, expectation.metric)
        unit = "" if found is None else found[0].unit
        label = labels.get(expectation.metric) or (None if found is None else found[0].label)
        yield Measured(
            metric=expectation.metric,
            label=expectation.metric if label is None else label.shown(language()),
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


# --- a claim in words --------------------------------------------------------------


def numbers(met: Met) -> Grid:
    """What was claimed beside what the learner's own run measured."""
    return Grid(
        (_("claimed"), _("measured")),
        tuple(
            GridRow(
                one.label,
                (one.claimed, one.measured),
                None if one.held is None else "held" if one.held else "refuted",
                deciding=one is met.deciding and not met.holds,
            )
            for one in met.measured
        ),
    )


def said(met: Met) -> str:
    """What the learner believed."""
    return _("you said it holds") if met.said else _("you said it does not hold")


def made(met: Met) -> str:
    """Where its numbers come from: "2026-03-02, cpu, seed 0"."""
    seed = "–" if met.seed is None else met.seed
    return _("{day}, {device}, seed {seed}").format(
        day=met.day, device=met.device or "–", seed=seed
    )
