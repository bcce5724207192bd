"""`Trial`: one answer and the runs that meet it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from quizapp.bank import (
    Choice,
    ClaimQuestion,
    MultiQuestion,
    NearMiss,
    NumericQuestion,
    OpenQuestion,
    PredictQuestion,
    Question,
    Run,
    SingleQuestion,
)
from quizapp.bank.walk import run_behind
from quizapp.report import Report
from quizapp.session.answers import (
    FAILS,
    HOLDS,
    Answer,
    Confidence,
    Outcome,
    claim_holds,
    judge,
    share,
)
from quizapp.session.expect import Judged, judge_expectation
from quizapp.session.given import near_miss
from quizapp.session.kinds import Way, way

ParamItems = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """One run to make: the same run asked for twice is made once."""

    experiment: str
    params: ParamItems

    @classmethod
    def of(cls, run: Run, overrides: Mapping[str, object] | None = None) -> Planned:
        """The bank's run, with what the learner changed on the spot."""
        return cls(run.run, tuple(sorted({**run.with_, **(overrides or {})}.items())))


def claimed(question: ClaimQuestion) -> Choice:
    """The claim as the belief of whoever repeats it."""
    return Choice(
        id="claim", text=question.claim, feedback=question.feedback, expects=question.expects
    )


@dataclass(frozen=True, slots=True)
class Belief:
    """One choice the learner got wrong, or the right one, or a claim, held against its run.

    ticked: whether the learner chose it. A right choice that was missed is a belief too:
    that it is false.
    """

    choice: Choice
    ticked: bool
    judged: tuple[Judged, ...]


@dataclass(slots=True)
class Trial:
    """An answered question, filling up with reports as they stream in.

    overrides: parameters the learner changed after the verdict; empty for the run that
    decides. pending: the newest change, while its numbers are not there yet. `first` keeps
    the deciding runs' reports when others replace them; `told` the newest of those same
    runs, which sentences speak of: run again after a failure, they have numbers at last.
    values: those of the variant that `question` asks.
    """

    question: Question
    reference: str  # bank-id/question-id
    answer: Answer
    confidence: Confidence | None = None
    hints: int = 0
    seconds: float = 0.0
    overrides: dict[str, object] = field(default_factory=dict)
    reports: dict[Planned, Report] = field(default_factory=dict)
    pending: dict[str, object] | None = None
    saved: bool = False
    answer_id: str = ""
    problem: str = ""
    first: dict[Planned, Report] = field(default_factory=dict)
    told: dict[Planned, Report] = field(default_factory=dict)
    values: Mapping[str, int | float] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome | None:
        """Right or wrong; None while the answer waits for the run that decides."""
        return judge(self.question, self.answer, self.deciding_run)

    @property
    def share(self) -> float | None:
        """How much of an open answer or a prediction counts, 0 to 1."""
        return share(self.question, self.answer, self.deciding_run)

    @property
    def near_miss(self) -> NearMiss | None:
        """The known slip that leads to the number stated, once its run has decided."""
        if not isinstance(self.question, NumericQuestion):
            return None
        return near_miss(self.question.answer, self.answer.number, self.deciding_run)

    @property
    def way(self) -> Way[Any] | None:
        """How an answer in several parts is judged and told; None for the other kinds."""
        return way(self.question)

    @property
    def deciding_plan(self) -> Planned:
        """The question's own run with its own seed and parameters, as asked for."""
        return Planned.of(self.question.experiment)

    @property
    def deciding_run(self) -> Report | None:
        """Its report, as far as it has come."""
        return self.first.get(self.deciding_plan)

    def given_ids(self) -> tuple[str, ...]:
        """Ids of what was chosen, or of the parts that were answered, in the learner's order."""
        return self.answer.chosen if self.way is None else tuple(self.way.given(self.answer))

    def right_ids(self) -> frozenset[str]:
        """Ids of the choices that are right; every rubric point of an open question; the parts
        answered rightly of an answer in parts.

        What a claim's run has not decided yet is in neither.
        """
        if isinstance(self.question, SingleQuestion | MultiQuestion):
            return frozenset(choice.id for choice in self.question.choices if choice.correct)
        if isinstance(self.question, OpenQuestion):
            return frozenset(point.id for point in self.question.rubric)
        if isinstance(self.question, ClaimQuestion):
            held = claim_holds(self.question, self.deciding_run)
            return frozenset() if held is None else frozenset({HOLDS if held else FAILS})
        return frozenset() if self.way is None else self.way.kept(self.answer, self.deciding_run)

    def paths(self) -> Iterator[str]:
        """Every metric the verdict names."""
        for row in self.question.show.rows:
            yield row.metric
            if row.beside is not None:
                yield row.beside
        for belief in self.beliefs():
            for judged in belief.judged:
                wanted = judged.expectation
                named = (wanted.metric, wanted.below, wanted.above, wanted.about)
                yield from (path for path in named if isinstance(path, str))
        if isinstance(self.question, NumericQuestion | PredictQuestion):
            metric = self.question.answer.metric
            if metric is not None:
                yield metric
        near = self.near_miss
        if near is not None and near.metric is not None:
            yield near.metric
        if self.way is not None:
            yield from self.way.metrics()

    def plan(self, overrides: dict[str, object] | None = None) -> tuple[Planned, ...]:
        """The runs to make, the ones the verdict shows first; with other `overrides`, theirs."""
        changed = self.overrides if overrides is None else overrides
        shown = [
            self._planned(choice, changed)
            for choice in (*self._wrong_choices(), *self._held_choices())
        ]
        right = self._right_choice()
        main = Planned.of(self.question.experiment, changed)
        wanted = [*shown, main if right is None else self._planned(right, changed), main]
        return tuple(dict.fromkeys(wanted))

    @property
    def main(self) -> Planned:
        """The question's own run."""
        return Planned.of(self.question.experiment, self.overrides)

    @property
    def right(self) -> Planned:
        """The run of the right option: its counterfactual, else the question's own."""
        choice = self._right_choice()
        return self.main if choice is None else self._planned(choice)

    @property
    def mine(self) -> Planned:
        """The run that meets the learner's answer; of one in parts, whose parts may have
        several, the question's own.
        """
        if self.way is not None:
            return self.main
        wrong = self._wrong_choices()
        return self._planned(wrong[0]) if wrong else self.right

    def _planned(self, choice: Choice, overrides: dict[str, object] | None = None) -> Planned:
        run, own = run_behind(self.question, choice), self.question.experiment
        # What the counterfactual itself changes stays changed; another experiment
        # shares nothing but the seed.
        changed = {
            name: value
            for name, value in (self.overrides if overrides is None else overrides).items()
            if name == "seed" or (run.run == own.run and run.with_.get(name) == own.with_.get(name))
        }
        return Planned.of(run, changed)

    def _right_choice(self) -> Choice | None:
        if isinstance(self.question, SingleQuestion):
            return next(choice for choice in self.question.choices if choice.correct)
        return None

    def _wrong_choices(self) -> list[Choice]:
        """Choices wrongly ticked or missed, in the question's order."""
        if self.way is not None:
            return list(self.way.wrong(self.answer))
        if isinstance(self.question, SingleQuestion):
            return [
                c for c in self.question.choices if c.id in self.answer.chosen and not c.correct
            ]
        if isinstance(self.question, MultiQuestion):
            return [c for c in self.question.choices if (c.id in self.answer.chosen) != c.correct]
        return []

    def _held_choices(self) -> list[Choice]:
        """Right parts of an answer that are held against runs of their own."""
        return [] if self.way is None else list(self.way.held(self.answer))

    def beliefs(self) -> tuple[Belief, ...]:
        """What the verdict holds against the runs: the wrong beliefs, else the right one.

        A claim is held against its run whatever was answered.
        """
        choices = self._wrong_choices()
        if isinstance(self.question, ClaimQuestion):
            choices = [claimed(self.question)]
        choices += self._held_choices()
        if not choices and isinstance(self.question, SingleQuestion | MultiQuestion):
            choices = [choice for choice in self.question.choices if choice.correct]
        return tuple(
            Belief(
                choice=choice,
                ticked=choice.id in self.answer.chosen
                or not isinstance(self.question, MultiQuestion),
                judged=tuple(
                    judge_expectation(expectation, self.reports.get(self._planned(choice)))
                    for expectation in choice.expects
                ),
            )
            for choice in choices
        )

    def planned_reports(self) -> list[Report]:
        """The newest reports of the planned runs, as far as they have come."""
        found = (self.reports.get(planned) for planned in self.plan())
        return [report for report in found if report is not None]

    def report_for(self, choice: Choice) -> Report | None:
        """The newest report of the run that meets `choice`."""
        return self.reports.get(self._planned(choice))

    def deciding_for(self, choice: Choice | None) -> Report | None:
        """The report, of the runs that decided, that a text speaks of: the choice's own,
        or the question's for None. What is played afterwards changes no sentence.
        """
        plan = self.deciding_plan if choice is None else self._planned(choice, {})
        return self.told.get(plan)

    @property
    def deciding_right(self) -> Report | None:
        """The same for the right option."""
        return self.deciding_for(self._right_choice())

    def take(self, planned: Planned, report: Report) -> None:
        """A newer report of one of the runs of `plan()`, or of `plan(pending)`.

        Old numbers stay, stale, until every run has something newer to show.
        """
        self.reports[planned] = report
        if planned in self.plan({}):
            self.told[planned] = report
        if self.pending is None:
            if not self.overrides:
                self.first[planned] = report
        elif all(wanted in self.reports for wanted in self.plan(self.pending)):
            self.overrides, self.pending = self.pending, None

    @property
    def complete(self) -> bool:
        """Whether every planned run has ended, well or badly."""
        found = [self.reports.get(planned) for planned in self.plan()]
        return all(report is not None and report.status != "partial" for report in found)
