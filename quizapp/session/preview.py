"""`Preview`: what a file of a bank holds, as a learner will see it; read anew on each save.

A question is shown as soon as it can be asked and run; what is wrong with it otherwise stands
beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from quizapp.bank import Bank, Diagnostic, ExerciseFolder, check, in_order, load_banks
from quizapp.bank import source as sources
from quizapp.bank.compose import compose
from quizapp.bank.exercises import SHEET
from quizapp.bank.listing import HEADER
from quizapp.errors import UsageError
from quizapp.lab.catalogue import catalogue
from quizapp.session import library as libraries
from quizapp.session import paths
from quizapp.session.library import Entry, Library
from quizapp.text.i18n import _, language, ngettext
from quizapp.text.nearest import nearest

#: Errors with which a question can be asked and run all the same: a language that is still
#: missing, a placeholder that shows as …, a reference that leads nowhere.
_HARMLESS: Final = frozenset({"QB035", "QB040", "QB041", "QB042", "QB043", "QB044"})

Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a file holds now.

    entry, exercise: what to show; neither where `blocked`. findings: everything found about
    it, one rendered text each; elsewhere: how many more the file has. position, total: which
    question of the file it is.
    """

    findings: tuple[str, ...]
    elsewhere: int = 0
    entry: Entry | None = None
    exercise: ExerciseFolder | None = None
    position: int = 0
    total: int = 0
    library: Library | None = field(default=None, repr=False)

    @property
    def blocked(self) -> bool:
        """Whether there is nothing to show but the findings."""
        return self.entry is None and self.exercise is None

    def notice(self) -> str:
        """What stands beside it, in a line; empty where nothing is wrong."""
        here = len(self.findings)
        parts = []
        if here:
            words = ngettext("{n} finding here", "{n} findings here", here)
            parts.append(words.format(n=here))
        if self.elsewhere:
            parts.append(_("{n} elsewhere in the file").format(n=self.elsewhere))
        return ", ".join(parts)


class Preview:
    """One file, and which of its questions is looked at. Synchronous."""

    def __init__(self, file: Path, name: str | None = None) -> None:
        """Raises UsageError where `file` holds nothing to look at, or no question `name`."""
        self.file = _chosen(file)
        self._name, self._at = name, 0
        self._read: Signature | None = None
        self._last: Signature | None = None
        names = [found for found, _line in self._entries()]
        if name is not None and names and name not in names:
            raise UsageError(
                f"there is no question {name!r} in {self.file}",
                remedy=nearest(name, names) or f"There are: {', '.join(names)}.",
            )

    def changed(self) -> bool:
        """Whether the file was saved since it was read: seen twice alike, not half written."""
        now = self._signature()
        settled = now is not None and now == self._last
        self._last = now
        return settled and now != self._read

    def turn(self, by: int) -> None:
        """Look at the question `by` places on, the first after the last."""
        names = [name for name, _line in self._entries()]
        if names:
            self._at = (self._at + by) % len(names)
            self._name = names[self._at]

    def look(self) -> Seen:
        """Read the file, and all that belongs to it. Raises ContentError."""
        self._read = self._last = self._signature()
        (loaded,) = load_banks(self.file)
        bank = loaded.bank
        if bank is None:  # without its header nothing of the bank can be used
            return Seen(_rendered(loaded.diagnostics))
        mine = [*loaded.diagnostics, *check((self._alone(bank),), catalogue())]
        mine = [one for one in in_order(mine) if self._concerns(one)]
        if self.file.name == SHEET:
            here = self.file.absolute()
            exercises = bank.exercises.values()
            found = next((one for one in exercises if (one.path / SHEET).absolute() == here), None)
            return Seen(_rendered(mine), exercise=found)
        return self._question(bank, mine)

    def _question(self, bank: Bank, mine: list[Diagnostic]) -> Seen:
        names = self._entries()
        lines = dict(names)
        if self._name not in lines and names:
            # Renamed while we look: the question in its place is meant.
            self._name = names[min(self._at, len(names) - 1)][0]
        if self._name is None or self._name not in lines:
            return Seen(_rendered(mine))
        self._at = [name for name, _line in names].index(self._name)
        start = lines[self._name]
        end = min((line for line in lines.values() if line > start), default=10**9)
        here = [one for one in mine if not one.line or start <= one.line < end]
        elsewhere = len(mine) - len(here)
        folder = bank.folder if (bank.folder / HEADER).is_file() else self.file
        library = libraries.read((folder,), paths.banks_cache())
        mine_of = (ref for ref in library.entries if ref.partition("/")[2] == self._name)
        reference = next(mine_of, None)
        entry = None if reference is None else library.entries[reference]
        if any(one.severity == "error" and one.code not in _HARMLESS for one in here):
            entry = None
        if entry is None and not here:  # it is broken by what is found elsewhere
            here, elsewhere = mine, 0
        return Seen(
            _rendered(here), elsewhere, entry, None, self._at + 1, len(names), library=library
        )

    def _alone(self, bank: Bank) -> Bank:
        """The bank with what is looked at alone: the rest exists, and is not held to the rules."""
        here = self.file.absolute()
        mine = {
            name: question
            for name, question in bank.questions.items()
            if Path(bank.origins[name].file.source.path).absolute() == here
        }
        exercises = {
            name: one for name, one in bank.exercises.items() if one.path.absolute() == here.parent
        }
        others = bank.broken | (bank.questions.keys() - mine.keys())
        return replace(bank, questions=mine, broken=others, exercises=exercises)

    def _concerns(self, one: Diagnostic) -> bool:
        """Whether a finding is about this file; other banks are not at hand, and not missed."""
        if one.code == "QB035" and one.severity == "warning":
            return False
        path, here = Path(one.path).absolute(), self.file.absolute()
        return path == here or (here.name == SHEET and path.is_relative_to(here.parent))

    def _entries(self) -> list[tuple[str, int]]:
        """Id and first line of each question of the file, sound or not."""
        source, refused = sources.read(self.file)
        if refused or self.file.name == SHEET:
            return []
        composed = compose(source)
        data = composed.data if isinstance(composed.data, dict) else {}
        entries = data.get("questions")
        found: dict[str, int] = {}
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            name = entry.get("id") if isinstance(entry, dict) else None
            line, _column = composed.places.value(("questions", index))
            found.setdefault(name if isinstance(name, str) else f"#{index + 1}", line)
        return list(found.items())

    def _signature(self) -> Signature | None:
        """What changes with every save; None while there is no file (it is being renamed)."""
        try:
            found = os.stat(self.file)  # noqa: PTH116 - through links, no Path made
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _rendered(found: Iterable[Diagnostic]) -> tuple[str, ...]:
    return tuple(one.render() for one in found)


def _chosen(file: Path) -> Path:
    """The file that is meant. Raises UsageError where it holds no question and no exercise."""
    if (file / SHEET).is_file():
        return file / SHEET
    if file.is_dir():
        raise UsageError(
            f"{file} is a folder", remedy="Name a question file in it, or an exercise's folder."
        )
    if not file.exists():
        raise UsageError(f"there is no file {file}", remedy=f"`quizapp new question {file}`?")
    if file.name == HEADER:
        raise UsageError(
            f"{HEADER} holds no question", remedy="Name one of the question files beside it."
        )
    return file


def words_of(exercise: ExerciseFolder) -> str:
    """An exercise in words: statement, hints, and what each mistake is told."""
    said, sheet = language(), exercise.exercise
    parts = [sheet.statement.shown(said).strip()]
    for number, hint in enumerate(sheet.hints, 1):
        parts.append(_("Hint {number}: {hint}").format(number=number, hint=hint.shown(said)))
    told = dict.fromkeys(
        found[1].shown(said)
        for name in sheet.mistakes
        if (found := sheet.diagnosis(name)) is not None
    )
    if told:
        parts.append(_("A submission that fails may be told that its result equals"))
        parts.append("\n".join(f"- {one}" for one in told))
    return "\n\n".join(parts)
