"""`Sitting`: which question comes next, from the first of the day to the last card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from quizapp.session.library import Entry, Library
from quizapp.session.trial import Trial

Kind = Literal["daily", "due", "more"]
NextKind = Literal["next", "followup", "finish"]

#: A chain of follow-ups ends here: an interviewer stops somewhere too.
CHAIN: int = 4


@dataclass(frozen=True, slots=True)
class Next:
    """What Enter leads to from a verdict."""

    kind: NextKind
    entry: Entry | None = None


@dataclass(slots=True)
class Sitting:
    """One stretch of questions. queue: those still to come, follow-ups not counted.

    opening: how many of the queue belong to a first visit; no follow-ups among those.
    turns: how often a question, by its reference, has been answered before.
    """

    kind: Kind
    library: Library
    queue: list[Entry]
    opening: int = 0
    first_visit: bool = False
    current: Entry | None = None
    position: int = 0
    total: int = 0
    trials: list[Trial] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    turns: Callable[[str], int] = lambda _: 0
    _chain: int = 0

    def __post_init__(self) -> None:
        self.total = len(self.queue)

    @property
    def minutes(self) -> int:
        """About how long the rest takes, the current question included."""
        left = [entry.question.minutes for entry in self.queue]
        return sum(left) + (self.current.question.minutes if self.current else 0)

    def start(self) -> Entry | None:
        """The first question; None when there is nothing to ask."""
        return self._take(self.queue.pop(0)) if self.queue else None

    def _take(self, entry: Entry) -> Entry:
        self.position += 1
        self.total = max(self.total, self.position)
        self.current = entry.posed(self._turn(entry))
        self.asked.append(entry.reference)
        return self.current

    def _turn(self, entry: Entry) -> int:
        """How often it was asked: what the log does not have was asked in this sitting."""
        if entry.question.variants is None:
            return 0
        return max(self.turns(entry.reference), self.asked.count(entry.reference))

    def after(self, trial: Trial) -> Next:
        """What would come after `trial`, without going there."""
        follow = self._followup(trial)
        if follow is not None:
            return Next("followup", follow)
        return Next("next", self.queue[0]) if self.queue else Next("finish")

    def _followup(self, trial: Trial) -> Entry | None:
        if self.position <= self.opening or self._chain >= CHAIN or self.current is None:
            return None
        names = trial.question.followups
        # What a wrong answer should go back to may have been asked before: then onwards.
        wanted = (names.right,) if trial.outcome == "right" else (names.wrong, names.right)
        found = (self.library.follow(self.current, name) for name in wanted)
        return next((e for e in found if e is not None and e.reference not in self.asked), None)

    def advance(self, trial: Trial) -> Entry | None:
        """Go on from `trial`; None when the last card comes."""
        coming = self.after(trial)
        if coming.kind == "finish" or coming.entry is None:
            self.current = None
            return None
        if coming.kind == "followup":
            self._chain += 1
        else:
            self._chain = 0
            self.queue.pop(0)
        return self._take(coming.entry)

    def more(self, entry: Entry) -> Entry:
        """One more question than was planned."""
        self._chain = 0
        return self._take(entry)
