"""Saving answers: one at a time, retried until the disk takes them, never lost while we run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from threading import Lock
from typing import cast

from quizapp.bank import NumericQuestion, OpenQuestion, PredictQuestion
from quizapp.errors import MachineError
from quizapp.session.kinds import way
from quizapp.session.library import Entry
from quizapp.session.trial import Trial
from quizapp.study.days import Moment
from quizapp.study.log import Answer as LogAnswer
from quizapp.study.log import Json
from quizapp.study.store import Store


class Records:
    """Answers on their way to the store; `waiting` holds those the disk refused."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._one_at_a_time = Lock()
        self.waiting: dict[str, tuple[LogAnswer, Moment]] = {}

    def save(self, entry: Entry, trial: Trial, now: Moment) -> None:
        """Save `trial` and whatever still waits. Raises MachineError; all of it then waits."""
        # Two runs that end together both find the answer unsaved, each in a thread of its own.
        with self._one_at_a_time:
            if not trial.saved:
                self.waiting[trial.answer_id] = (log_answer(entry, trial), now)
                self._retry()
                trial.saved = True

    def retry(self) -> None:
        """Try again to save what waits. Raises MachineError."""
        with self._one_at_a_time:
            self._retry()

    @property
    def unsaved(self) -> str:
        """What waits, as JSON lines; "" where nothing does."""
        return "\n".join(
            json.dumps({**asdict(answer), "utc": moment.utc.isoformat()}, ensure_ascii=False)
            for answer, moment in self.waiting.values()
        )

    def _retry(self) -> None:
        if self._store is None:
            raise MachineError(
                "this answer is not saved: the study log could not be opened",
                remedy="It is kept until quizapp ends, and printed then.",
            )
        for name, (answer, moment) in list(self.waiting.items()):
            self._store.record_answer(answer, moment)
            del self.waiting[name]


def log_answer(entry: Entry, trial: Trial) -> LogAnswer:
    """What the log keeps of `trial`: the answer, the verdict and the numbers shown with it."""
    report = trial.first.get(trial.deciding_plan)
    made = None if report is None else report.provenance
    question = trial.question
    return LogAnswer(
        id=trial.answer_id,
        question=entry.reference,
        kind=question.kind,
        answer=_answer(trial),
        verdict=trial.outcome or "unrated",
        meaning=entry.identity.meaning,
        wording=entry.identity.wording,
        hints=trial.hints,
        confidence=trial.confidence,
        share=trial.share,
        seed=None if made is None else made.seed,
        parameters={} if made is None else cast(dict[str, Json], made.params),
        device=None if made is None else made.device,
        metrics=dict(_shown(trial)),
        duration_ms=round(1000 * trial.seconds),
    )


def _answer(trial: Trial) -> dict[str, Json]:
    """What was answered and, with variants, the values that were asked."""
    return _given(trial) | ({"variant": dict(trial.values)} if trial.values else {})


def _given(trial: Trial) -> dict[str, Json]:
    parts = way(trial.question)
    if parts is not None:
        return parts.logged(trial.answer)
    if isinstance(trial.question, NumericQuestion | PredictQuestion):
        return _number(trial, trial.question.answer.unit)
    if isinstance(trial.question, OpenQuestion):
        return {"ticked": list(trial.answer.chosen), "written": trial.answer.text}
    return {"chosen": list(trial.answer.chosen)}


def _number(trial: Trial, unit: str) -> dict[str, Json]:
    """What was typed, the number it means in the question's unit, and the slip it shows."""
    near = trial.near_miss
    return {
        "typed": trial.answer.text,
        "number": trial.answer.number,
        **({"unit": unit} if unit else {}),
        **({} if near is None else {"near_miss": near.id}),
    }


def _shown(trial: Trial) -> Iterator[tuple[str, float | tuple[float, ...]]]:
    """The numbers the verdict showed of the deciding run; never its pictures."""
    report = trial.first.get(trial.deciding_plan)
    if report is None:
        return
    names = {path.partition("[")[0] for path in trial.paths()}
    for name, metric in report.metrics.items():
        if name in names:
            yield name, metric.value
