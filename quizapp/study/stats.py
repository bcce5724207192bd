"""Add up what a learner has done: plain data for the screen and for `--json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import get_args

from quizapp.study.log import Outcome
from quizapp.study.rating import Confidence, Verdict
from quizapp.study.schedule import CardState, due_day
from quizapp.study.streak import Streak

DAYS_AHEAD = 7


@dataclass(frozen=True, slots=True)
class Tally:
    """Rated answers, and how many of them were right (partial is not right)."""

    rated: int = 0
    right: int = 0

    @property
    def share(self) -> float | None:
        """Share right, 0–1; None before the first rated answer."""
        return self.right / self.rated if self.rated else None

    def plus(self, verdict: Verdict) -> Tally:
        """The tally with one more answer; an unrated one does not count."""
        if verdict == "unrated":
            return self
        return Tally(self.rated + 1, self.right + (verdict == "right"))


@dataclass(frozen=True, slots=True)
class Stats:
    """answered: standing answers, unrated ones too. questions: different ones among them.

    by_tag: a question counts under each of its tags. calibration: by stated confidence.
    due_today: cards due today or earlier. load: the next 7 study days after today, with
    how many come due on each if nothing is answered. refuted: questions whose last answer
    was refuted, soonest due first. Only questions present in the banks are counted as due
    or refuted.
    """

    answered: int
    questions: int
    overall: Tally
    by_tag: Mapping[str, Tally]
    calibration: Mapping[Confidence, Tally]
    due_today: int
    load: tuple[tuple[date, int], ...]
    refuted: tuple[str, ...]
    streak: Streak


def summarise(
    answers: Iterable[Outcome],
    cards: Mapping[str, CardState],
    questions: Mapping[str, str],
    tags: Mapping[str, Sequence[str]],
    *,
    today: date,
    streak: Streak,
) -> Stats:
    """The figures at study day `today`.

    answers: standing ones. questions: id → meaning hash, of the banks at hand. tags: id →
    tags; an id without an entry has none.
    """
    count = 0
    seen: set[str] = set()
    overall = Tally()
    by_tag: dict[str, Tally] = {}
    calibration: dict[Confidence, Tally] = {level: Tally() for level in get_args(Confidence)}
    for answer in answers:
        count += 1
        seen.add(answer.question)
        overall = overall.plus(answer.verdict)
        for tag in tags.get(answer.question, ()):
            by_tag[tag] = by_tag.get(tag, Tally()).plus(answer.verdict)
        if answer.confidence is not None:
            calibration[answer.confidence] = calibration[answer.confidence].plus(answer.verdict)
    present = {question: card for question, card in cards.items() if question in questions}
    due = {
        question: due_day(card, questions[question], today) for question, card in present.items()
    }
    ahead = [today + timedelta(days=days) for days in range(1, DAYS_AHEAD + 1)]
    refuted = [question for question, card in present.items() if card.refuted]
    return Stats(
        answered=count,
        questions=len(seen),
        overall=overall,
        by_tag=dict(sorted(by_tag.items())),
        calibration=calibration,
        due_today=sum(day <= today for day in due.values()),
        load=tuple((day, sum(other == day for other in due.values())) for day in ahead),
        refuted=tuple(sorted(refuted, key=lambda question: (due[question], question))),
        streak=streak,
    )
