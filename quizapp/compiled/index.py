"""The index: every question of the kept banks by id, its words left on disk until asked for."""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Literal, NamedTuple

#: What a file is to its bank.
Role = Literal["header", "questions", "exercise"]


class Damaged(Exception):  # noqa: N818 - a finding about the file, not about the program
    """What is kept is not what was written."""


class Row(NamedTuple):
    """What the index knows of one question."""

    id: str
    kind: str
    difficulty: int
    tags: tuple[str, ...]
    meaning: str
    wording: str


class KeptQuestion(NamedTuple):
    """One question without its words. path: its file, below the root; body: what holds them."""

    row: Row
    path: str
    body: tuple[int, int]


class KeptExercise(NamedTuple):
    """One exercise without its words. path: its sheet, below the root."""

    id: str
    path: str
    body: tuple[int, int]


class Part(NamedTuple):
    """One file of a bank, as its row tells it. told: of questions and errors, as JSON."""

    id: int
    role: Role
    path: str
    told: bytes


class Columns(NamedTuple):
    """The questions of one file, each column a text: ten thousand small lists would take longer
    to make than to read. No field has a blank in it, and no tag a comma.
    """

    ids: str
    kinds: str
    difficulties: str
    tags: str
    meanings: str
    wordings: str

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Columns:
        """The columns of these, in this order."""
        texts = [(*row[:2], str(row.difficulty), ",".join(row.tags), *row[4:]) for row in rows]
        return cls(*map(" ".join, zip(*texts, strict=True))) if texts else cls(*[""] * 6)


class CompiledBank:
    """One bank of the index. header: `bank.yaml` as plain data, None where it is unusable.

    folder: below the root, "" for the root itself. errors: mistakes in all its files, as
    loading it would count them.
    """

    def __init__(self, folder: str, errors: int, parts: Iterable[Part]) -> None:
        self.folder = folder
        self.errors = errors
        self.header: dict[str, Any] | None = None
        self.exercises: dict[str, KeptExercise] = {}
        self._numbers: dict[str, int] = {}
        self._parts: list[Part] = []
        self._columns: list[Columns] = []
        self._starts = [0]
        empty, complete = True, True
        for part in parts:
            told = json.loads(part.told)
            self.errors += told["errors"]
            if part.role == "header":
                self.header = told["header"]
            elif part.role == "exercise":
                if (name := told["exercise"]) is not None:
                    self.exercises[name] = KeptExercise(name, part.path, (part.id, 0))
            else:
                self._add(part, Columns(**told["questions"]))
                empty = empty and not told["broken"]
                complete = complete and told["parsed"]
        if self.header is None:
            self._numbers.clear()
            self.exercises.clear()
        elif empty and complete and not (self._numbers or self.exercises):
            self.errors += 1  # a bank without anything to ask

    @property
    def names(self) -> Collection[str]:
        """The ids of the questions, in the order of their files."""
        return self._numbers.keys()

    def question(self, name: str) -> KeptQuestion:
        """The question with that id. KeyError for none."""
        number = self._numbers[name]
        at = bisect(self._starts, number) - 1
        part, place = self._parts[at], number - self._starts[at]
        name, kind, difficulty, tags, *hashes = (
            column.split()[place] for column in self._columns[at]
        )
        row = Row(name, kind, int(difficulty), tuple(tags.split(",")), *hashes)
        return KeptQuestion(row, part.path, (part.id, place))

    def graded(self) -> Iterator[tuple[str, int, str]]:
        """(id, difficulty, meaning) of every question."""
        difficulties = [d for one in self._columns for d in one.difficulties.split()]
        meanings = [m for one in self._columns for m in one.meanings.split()]
        for name, number in self._numbers.items():
            yield name, int(difficulties[number]), meanings[number]

    def _add(self, part: Part, columns: Columns) -> None:
        ids = columns.ids.split()
        start = self._starts[-1]
        new = dict(zip(ids, range(start, start + len(ids)), strict=True))
        if len(new) < len(ids) or not self._numbers.keys().isdisjoint(new):
            # The first question with an id keeps it.
            new = {}
            for number, name in enumerate(ids, start):
                if name in self._numbers or name in new:
                    self.errors += 1
                else:
                    new[name] = number
        self._numbers.update(new)
        self._parts.append(part)
        self._columns.append(columns)
        self._starts.append(start + len(ids))
