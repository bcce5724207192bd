"""`Shelf`: the exercises at hand, and how far the learner is with each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quizapp.bank import ExerciseFolder
from quizapp.session import desk as desks
from quizapp.session.desk import Desk
from quizapp.session.library import Entry, Library
from quizapp.session.practice import meaning
from quizapp.study.days import Moment
from quizapp.study.store import Store
from quizapp.text.i18n import language

#: new: never graded. tried: graded, never passed. due: asks again today.
State = Literal["new", "tried", "passed", "due"]


@dataclass(frozen=True, slots=True)
class Shelved:
    """One exercise as a list shows it. `short` is its id without the bank's."""

    reference: str
    title: str
    difficulty: int
    minutes: int
    state: State

    @property
    def short(self) -> str:
        """The name it is asked for by."""
        return self.reference.partition("/")[2]


class Shelf:
    """Synchronous; without a store every exercise is new."""

    def __init__(self, library: Library, store: Store | None) -> None:
        self._library = library
        self._store = store

    @property
    def _folders(self) -> Mapping[str, ExerciseFolder]:
        return desks.exercises(self._library)

    def meanings(self) -> dict[str, str]:
        """Exercise → hash of what it asks."""
        return {name: meaning(folder) for name, folder in self._folders.items()}

    def tags(self) -> dict[str, tuple[str, ...]]:
        """Exercise → tags."""
        return {name: folder.exercise.tags for name, folder in self._folders.items()}

    def title(self, reference: str) -> str | None:
        """The exercise's title in the current language; None for what is no exercise."""
        folder = self._folders.get(reference)
        return None if folder is None else folder.exercise.title.shown(language())

    def due(self, now: Moment) -> frozenset[str]:
        """The exercises that ask again today."""
        if self._store is None:
            return frozenset()
        return frozenset(one.question for one in self._store.due(now, self.meanings()))

    def listed(self, now: Moment) -> tuple[Shelved, ...]:
        """Every exercise, easiest first. Raises MachineError."""
        passed, tried = self._history()
        due = self.due(now)

        def state(name: str) -> State:
            if name in due:
                return "due"
            return "passed" if name in passed else "tried" if name in tried else "new"

        return tuple(
            Shelved(
                reference=name,
                title=folder.exercise.title.shown(language()),
                difficulty=folder.exercise.difficulty,
                minutes=folder.exercise.minutes,
                state=state(name),
            )
            for name, folder in self._folders.items()
        )

    def desk(self, name: str, file: Path | None = None) -> Desk:
        """The desk of the exercise `name`. Raises UsageError for a name that is none."""
        return desks.desk(self._library, name, file)

    def followups(self, desk: Desk) -> tuple[Entry, ...]:
        """The questions an interviewer would go on with."""
        bank = desk.reference.partition("/")[0]
        names = (f"{bank}/{name}" for name in desk.folder.exercise.followups)
        return tuple(entry for name in names if (entry := self._library.entries.get(name)))

    def _history(self) -> tuple[frozenset[str], frozenset[str]]:
        """What was passed, and what was tried, as it is asked now."""
        if self._store is None:
            return frozenset(), frozenset()
        now = self.meanings()
        mine = [a for a in self._store.answers_of_kind("exercise") if now.get(a.question)]
        passed = {
            answer.question
            for answer in mine
            if isinstance(answer.answer, Mapping)
            and answer.answer.get("verdict") == "passed"
            and answer.meaning == now[answer.question]
        }
        return frozenset(passed), frozenset(answer.question for answer in mine)
