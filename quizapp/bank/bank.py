"""`Bank`: the questions of one folder, with the way back to the lines they stand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.bank.diagnostics import Diagnostic, Edit, Severity
from quizapp.bank.models import BankHeader, Question
from quizapp.bank.source import Source, read

if TYPE_CHECKING:
    from quizapp.bank.compose import Places
    from quizapp.bank.exercises import ExerciseFolder


class BankFile:
    """One file that was read. Positions are found again, from the same text, when asked for.

    The text of one that is only known by its path is read when something is said about it.
    """

    def __init__(self, source: Source | Path) -> None:
        self._from = source

    @cached_property
    def source(self) -> Source:
        """The file's text."""
        return read(self._from)[0] if isinstance(self._from, Path) else self._from

    @cached_property
    def places(self) -> Places:
        """Where each key and value stands."""
        from quizapp.bank.compose import compose  # a bank of the cache needs no parser

        return compose(self.source).places

    def diagnose(
        self,
        code: str,
        path: Sequence[str | int],
        message: str,
        remedy: str = "",
        *,
        severity: Severity = "error",
        key: bool = False,
        inside: tuple[str, int] | None = None,
        instead: str | None = None,
    ) -> Diagnostic:
        """A finding at `path` of this file; see `Bank.diagnose` for the named ones."""
        at = self.places.key(path) if key else self.places.value(path)
        repair: tuple[Edit, ...] = ()
        if inside is not None:
            at = _within(self.source, at, *inside)
            start = self.source.offset(*at)
            if instead is not None and self.source.text.startswith(inside[0], start):
                repair = (Edit(start, start + len(inside[0]), instead),)
        return self.source.diagnose(code, at, message, remedy, severity, repair=repair)


@dataclass(frozen=True, slots=True)
class Origin:
    """Which file a question comes from, and which entry of its `questions` it is."""

    file: BankFile
    index: int


@dataclass(frozen=True)
class Bank:
    """A question bank: its header and its sound questions and exercises by id, in file order.

    broken: ids of questions that exist but cannot be used; complete: whether every
    file could be parsed, so that all ids are known.
    """

    folder: Path
    header: BankHeader
    questions: Mapping[str, Question]
    header_file: BankFile = field(repr=False)
    origins: Mapping[str, Origin] = field(repr=False)
    broken: frozenset[str] = frozenset()
    complete: bool = True
    exercises: Mapping[str, ExerciseFolder] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The first half of every question's identity."""
        return self.header.id

    def diagnose(
        self,
        code: str,
        question: str | None,
        path: tuple[str | int, ...],
        message: str,
        remedy: str = "",
        *,
        severity: Severity = "error",
        key: bool = False,
        inside: tuple[str, int] | None = None,
        instead: str | None = None,
    ) -> Diagnostic:
        """A finding at `path` of a question (of `bank.yaml` when None).

        key: point at the key that leads to `path`, not at its value.
        inside: (fragment, n) points at the n-th occurrence, from 0, of a fragment of
        the text at `path`, however that text is quoted or folded.
        instead: what mends that fragment, where it takes no judgement.
        """
        if question is None:
            file, full = self.header_file, path
        else:
            origin = self.origins[question]
            file, full = origin.file, ("questions", origin.index, *path)
        return file.diagnose(
            code, full, message, remedy, severity=severity, key=key, inside=inside, instead=instead
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came of loading one folder. `bank` is None when its `bank.yaml` is unusable."""

    folder: Path
    bank: Bank | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether there is a bank and nothing in it is an error."""
        return self.bank is not None and all(d.severity != "error" for d in self.diagnostics)


def _within(source: Source, at: tuple[int, int], fragment: str, count: int) -> tuple[int, int]:
    """Where the count-th `fragment` after `at` stands; `at` itself when it is written otherwise."""
    offset = source.offset(*at) - 1
    for _ in range(count + 1):
        offset = source.text.find(fragment, offset + 1)
        if offset < 0:
            return at
    return source.position(offset)
