"""Compiles banks: fills the cache of `quizapp.compiled`, reading only what has changed.

A file with the stamp it had is not opened; one with another stamp but the same text is not
parsed. What comes of a folder is what `load_banks` makes of it, with the words of every
question put away, as the plain data they were read as, until they are asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quizapp.bank import source as sources
from quizapp.bank.bank import BankFile
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.exercises import SHEET, Exercise
from quizapp.bank.identity import identify
from quizapp.bank.listing import HEADER, question_files, refused_link
from quizapp.bank.load import LONE, bank_folders, collector_paused, home_of, questions_in
from quizapp.bank.load_exercises import EXERCISES, exercise_folders, misnamed
from quizapp.bank.models import BankHeader, Question
from quizapp.bank.read_model import model_in
from quizapp.bank.source import Source
from quizapp.compiled import (
    Compiled,
    Damaged,
    Draft,
    KeptFile,
    Seen,
    code,
    columns,
    look,
    open_kept,
    write,
)

if TYPE_CHECKING:
    from quizapp.compiled.index import Role

_NOTHING: Final = ("",) * 6


@dataclass(frozen=True, slots=True)
class _Come:
    """What a file comes to: its findings, what the index tells of it, and the words in it."""

    found: Iterable[Diagnostic]
    unsure: bool = False
    said: str = ""
    index: tuple[str, ...] = _NOTHING
    bodies: Sequence[bytes] = ()

    @property
    def told(self) -> tuple[int | str, ...]:
        """As a row of the cache tells it."""
        return (_errors(self.found), int(self.unsure), self.said, *self.index)


#: What may be mended without touching the file, so that nothing of it is kept.
_PASSING: Final = "QB001"


def compile_banks(root: Path, folder: Path | None) -> Compiled:
    """The banks at the folder `root`, as `load_banks` finds them, and kept for the next time.

    folder: where compiled banks are kept; None keeps nothing. Raises ContentError when
    there is no bank at `root`.
    """
    place = None if folder is None else str(folder)
    try:
        seen = look(str(root))
    except OSError:
        seen = None
    old = None if place is None or seen is None else open_kept(str(root), place)
    with collector_paused():
        compiling = _Compiling(root, old, seen)
        for bank in bank_folders(root):
            compiling.bank(bank)
        made = compiling.draft.done(str(root.absolute()), code(), seen)
    if old is not None:
        old.close()
    if place is not None and seen is not None and not compiling.passing:
        write(made, place)
    return made


def compile_file(file: Path) -> tuple[Path, Compiled]:
    """The bank that reads `file`, and its folder; else a bank of it alone. Nothing is kept.

    Raises ContentError as `compile_banks` does.
    """
    home = home_of(file)
    if home is not None:
        return home, compile_banks(home, None)
    compiling = _Compiling(file.parent, None, None)
    compiling.lone(file)
    return file.parent, compiling.draft.done(str(file.parent.absolute()), code(), None)


class _Compiling:
    """One folder of banks on its way into the cache; `old` is what was kept of it before.

    passing: whether a file was in the way of reading that may be out of it next time.
    """

    def __init__(self, root: Path, old: Compiled | None, seen: Seen | None) -> None:
        self.draft = Draft()
        self.passing = False
        self._root = root
        self._old = old
        self._seen = seen

    def bank(self, folder: Path) -> None:
        """Compile one bank."""
        self.draft.bank(self._below(folder))
        refused = refused_link(folder / HEADER, folder)
        if refused is not None:
            self._count([refused])
            return
        self._file("header", folder / HEADER, _header)
        listing: list[Diagnostic] = []
        for path in question_files(folder, listing):
            self._file("questions", path, _questions)
        for inner in exercise_folders(folder / EXERCISES, listing):
            self._file("exercise", inner / SHEET, _exercise)
        self._count(listing)

    def lone(self, file: Path) -> None:
        """Compile one file as a bank; it has no header where it has no sound question."""
        self.draft.bank("")
        if self._file("questions", file, _questions).bodies:
            header = json.dumps({"id": LONE, "title": file.name, "opening": ()})
            self.draft.file(KeptFile("header", file.name, "", _Come((), said=header).told, ()))

    def _below(self, path: Path) -> str:
        below = os.path.relpath(path, self._root)
        return "" if below == os.curdir else below

    def _count(self, found: Iterable[Diagnostic]) -> None:
        self.draft.errors(_errors(found))
        self._note(found)

    def _note(self, found: Iterable[Diagnostic]) -> None:
        self.passing = self.passing or any(one.code == _PASSING for one in found)

    def _file(
        self, role: Role, path: Path, come: Callable[[Source, list[Diagnostic]], _Come]
    ) -> KeptFile:
        """Add one file to the bank, as it was kept where it has not changed; returns that."""
        name = self._below(path)
        kept = self._kept(role, name) if self._untouched(name) else None
        if kept is None:
            source, found = sources.read(path)
            digest = "" if found else hashlib.sha256(source.text.encode()).hexdigest()
            if digest and self._old is not None and self._old.sha256(role, name) == digest:
                kept = self._kept(role, name)
            if kept is None:
                new = come(source, found)
                self._note(new.found)
                kept = KeptFile(role, name, digest, new.told, new.bodies)
        self.draft.file(kept)
        return kept

    def _untouched(self, name: str) -> bool:
        old, seen = self._old, self._seen
        if old is None or seen is None or name not in seen.newest:
            return False
        return seen.stamps[name] == old.stamps.get(name) and seen.settled(name, old.at)

    def _kept(self, role: Role, name: str) -> KeptFile | None:
        try:
            return None if self._old is None else self._old.file(role, name)
        except (KeyError, Damaged):
            return None


def _header(source: Source, found: list[Diagnostic]) -> _Come:
    header, _data, found = model_in(source, found, BankHeader)
    return _Come(found, said="" if header is None else _said(header))


def _said(header: BankHeader) -> str:
    kept = {"id": header.id, "title": header.title.plain(), "opening": header.opening}
    return json.dumps(kept)


def _questions(source: Source, found: list[Diagnostic]) -> _Come:
    result = questions_in(source, found)
    return _Come(
        result.diagnostics,
        unsure=bool(result.broken) or not result.parsed,
        index=columns(map(_row, result.questions.values())),
        bodies=[_json(result.entries[at]) for at in result.questions],
    )


def _row(question: Question) -> tuple[str, str, int, tuple[str, ...], str, str]:
    named = identify("", question)
    tags = question.tags
    return question.id, question.kind, question.difficulty, tags, named.meaning, named.wording


def _exercise(source: Source, found: list[Diagnostic]) -> _Come:
    exercise, data, found = model_in(source, found, Exercise)
    found += misnamed(BankFile(source), exercise, Path(source.path).parent.name)
    if exercise is None or found:
        return _Come(found)
    return _Come(found, index=(exercise.id, *_NOTHING[1:]), bodies=[_json(data)])


def _errors(found: Iterable[Diagnostic]) -> int:
    return sum(one.severity == "error" for one in set(found))


def _json(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()
