"""The index: every question of the kept banks by id, its words left on disk until asked for.

Opening it is what a start waits for. `typing`, `json` and `dataclasses` each take as long to
import as ten thousand questions take to list: none of them is imported here.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    #: What a file is to its bank.
    Role = Literal["header", "questions", "exercise"]


class Damaged(Exception):  # noqa: N818 - a finding about the file, not about the program
    """What is kept is not what was written."""


class KeptQuestion:
    """One question without its words. path: its file, below the root; body: what holds them."""

    __slots__ = ("body", "difficulty", "id", "kind", "meaning", "path", "tags", "wording")

    def __init__(
        self,
        name: str,
        *,
        kind: str,
        difficulty: int,
        tags: tuple[str, ...],
        meaning: str,
        wording: str,
        path: str,
        body: tuple[int, int],
    ) -> None:
        self.id = name
        self.kind = kind
        self.difficulty = difficulty
        self.tags = tags
        self.meaning = meaning
        self.wording = wording
        self.path = path
        self.body = body


class KeptExercise:
    """One exercise without its words. path: its sheet, below the root; body: what holds them."""

    __slots__ = ("body", "id", "path")

    def __init__(self, name: str, path: str, body: tuple[int, int]) -> None:
        self.id = name
        self.path = path
        self.body = body


class Part:
    """One file of a bank. said: `bank.yaml` as JSON; unsure: whether it has, or may have,
    questions that are not sound.

    The rest is a column each of its questions, with blanks between them (of an exercise,
    `ids` alone): small objects for each of ten thousand would take longer to make than to
    read. No id, kind or hash has a blank in it, and no tag a comma.
    """

    __slots__ = (
        *("difficulties", "errors", "id", "ids", "kinds", "meanings", "path", "role", "said"),
        *("tags", "unsure", "wordings"),
    )

    def __init__(
        self,
        number: int,
        role: Role,
        path: str,
        *,
        errors: int,
        unsure: int,
        said: str,
        columns: Sequence[str],
    ) -> None:
        self.id = number
        self.role = role
        self.path = path
        self.errors = errors
        self.unsure = unsure
        self.said = said
        self.ids, self.kinds, self.difficulties = columns[:3]
        self.tags, self.meanings, self.wordings = columns[3:]

    def question(self, place: int) -> KeptQuestion:
        """The question at a place from 0."""
        columns = (self.ids, self.kinds, self.difficulties, self.tags, self.meanings, self.wordings)
        name, kind, difficulty, tags, *hashes = (column.split()[place] for column in columns)
        meaning, wording = hashes
        return KeptQuestion(
            name,
            kind=kind,
            difficulty=int(difficulty),
            tags=tuple(tags.split(",")),
            meaning=meaning,
            wording=wording,
            path=self.path,
            body=(self.id, place),
        )


class CompiledBank:
    """One bank of the index. folder: below the root, "" for the root itself.

    errors: mistakes in all its files, as loading it would count them.
    """

    def __init__(self, folder: str, errors: int, parts: Iterable[Part]) -> None:
        self.folder = folder
        self.errors = errors
        self.exercises: dict[str, KeptExercise] = {}
        self._said = ""
        self._numbers: dict[str, int] = {}
        self._parts: list[Part] = []
        self._starts = [0]
        unsure = False
        for part in parts:
            self.errors += part.errors
            unsure = unsure or bool(part.unsure)
            if part.role == "header":
                self._said = part.said
            elif part.role == "questions":
                self._add(part)
            elif part.ids:
                self.exercises[part.ids] = KeptExercise(part.ids, part.path, (part.id, 0))
        if not self._said:
            self._numbers.clear()
            self.exercises.clear()
        elif not (self._numbers or self.exercises or unsure):
            self.errors += 1  # a bank with nothing to ask

    @property
    def header(self) -> dict[str, Any] | None:
        """`bank.yaml` as plain data: id, title, opening. None where it is unusable."""
        from json import loads

        said: dict[str, Any] | None = loads(self._said) if self._said else None
        return said

    @property
    def names(self) -> Collection[str]:
        """The ids of the questions, in the order of their files."""
        return self._numbers.keys()

    def question(self, name: str) -> KeptQuestion:
        """The question with that id. KeyError for none."""
        number = self._numbers[name]
        at = bisect(self._starts, number) - 1
        return self._parts[at].question(number - self._starts[at])

    def graded(self) -> Iterator[tuple[str, int, str]]:
        """(id, difficulty, meaning) of every question."""
        difficulties = [one for part in self._parts for one in part.difficulties.split()]
        meanings = [one for part in self._parts for one in part.meanings.split()]
        for name, number in self._numbers.items():
            yield name, int(difficulties[number]), meanings[number]

    def _add(self, part: Part) -> None:
        ids = part.ids.split()
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
        self._starts.append(start + len(ids))
