"""`Practice`: grades what lies on a desk, and tells the review log of every attempt.

The first failure of a sitting brings the exercise back soon, as a wrong answer would; the
pass that follows it counts as one with help. Further failures in between are logged with
their source, and rated no more: trying again is how it is learned.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass

from quizapp.bank import ExerciseFolder
from quizapp.errors import MachineError, QuizappError
from quizapp.grader.client import Judge
from quizapp.grader.wire import Grade, Ready
from quizapp.session import grading
from quizapp.session.desk import Desk
from quizapp.study.clock import Clock
from quizapp.study.log import Answer, new_id
from quizapp.study.rating import Verdict
from quizapp.study.store import Store


@dataclass(slots=True)
class Attempts:
    """What was tried in this sitting at one exercise."""

    failed: int = 0
    passed: bool = False

    def verdict(self, grade: Grade) -> Verdict:
        """How the next attempt counts, and remember it."""
        if grade.verdict == "could_not_run":
            return "unrated"
        if grade.verdict == "passed":
            first, self.passed = not self.passed, True
            return "right" if first else "unrated"
        self.failed += 1
        return "wrong" if self.failed == 1 and not self.passed else "unrated"


class Practice:
    """One judge for one learner. Ended by `close`."""

    def __init__(self, store: Store | None, clock: Clock, judge: Judge | None = None) -> None:
        self._store = store
        self._clock = clock
        self._judge = judge or Judge()
        self._attempts: dict[str, Attempts] = {}
        self._number = 0
        self.started = False  # whether the judge has answered once: its start takes seconds

    async def warm(self) -> Ready:
        """Start the judge, and say how well it confines. Raises MachineError."""
        ready = await self._judge.ready()
        self.started = True
        return ready

    async def grade(self, desk: Desk, source: bytes) -> tuple[Grade, str]:
        """The grade of `source`, and what kept it from being logged, or "".

        Raises MachineError where there is no judge.
        """
        self._number += 1
        try:
            grade = await self._judge.grade(grading.task(desk.folder, source, self._number))
        except asyncio.CancelledError:
            # What it would say later, it would say to whoever asks next.
            self.started = False
            await self._judge.close()
            raise
        self.started = True
        attempts = self._attempts.setdefault(desk.reference, Attempts())
        failed_before = attempts.failed
        # An untouched starter is nobody's attempt.
        mine = source != desk.starter().encode()
        verdict = attempts.verdict(grade) if mine else "unrated"
        answer = _logged(desk, source, grade, verdict, failed_before)
        try:
            if self._store is None:
                raise MachineError("this attempt is not logged: the study log is not open")
            await asyncio.to_thread(self._store.record_answer, answer, self._clock.now())
        except QuizappError as error:
            return grade, str(error)
        return grade, ""

    async def close(self) -> None:
        """End the judge."""
        await self._judge.close()


def _logged(
    desk: Desk, source: bytes, grade: Grade, verdict: Verdict, failed_before: int
) -> Answer:
    passed = sum(test.outcome == "passed" for test in grade.tests)
    return Answer(
        id=new_id(),
        question=desk.reference,
        kind="exercise",
        answer={
            "sha256": hashlib.sha256(source).hexdigest(),
            "source": source.decode(errors="replace"),
            "verdict": grade.verdict,
            "kind": grade.kind,
            "diagnosis": None if grade.diagnosis is None else grade.diagnosis.id,
            "tests": [passed, len(grade.tests)],
            "hints": desk.hints,
        },
        verdict=verdict,
        meaning=meaning(desk.folder),
        wording=_digest(repr((desk.folder.exercise.title, desk.folder.exercise.statement))),
        # Help is help: after a failure of this sitting a pass is one with a hint.
        hints=desk.hints + failed_before,
        duration_ms=round(1000 * grade.seconds),
    )


def meaning(folder: ExerciseFolder) -> str:
    """What an exercise asks, as a hash: another signature or other tests ask again."""
    exercise = folder.exercise
    asked = (exercise.entry, exercise.class_, exercise.arguments, exercise.returns)
    return _digest(repr(asked) + folder.tests.read_text("utf-8"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
