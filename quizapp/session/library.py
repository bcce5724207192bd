"""`Library`: every question at hand, from the shipped banks and those the learner added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quizapp.bank import Bank, Identity, Question, identify, load_banks
from quizapp.errors import ContentError
from quizapp.text.i18n import ngettext


@dataclass(frozen=True, slots=True)
class Entry:
    """One question with the names its history is tied to."""

    bank: Bank
    question: Question
    identity: Identity

    @property
    def reference(self) -> str:
        """``bank-id/question-id``."""
        return self.identity.id


@dataclass(frozen=True, slots=True)
class Library:
    """All sound questions; `problems` tells what could not be read, a line each."""

    entries: Mapping[str, Entry]
    banks: tuple[Bank, ...]
    problems: tuple[str, ...]

    @property
    def meanings(self) -> dict[str, str]:
        """Question → meaning hash, easiest first: the order in which new ones are met."""
        ordered = sorted(self.entries.values(), key=lambda entry: entry.question.difficulty)
        return {entry.reference: entry.identity.meaning for entry in ordered}

    @property
    def tags(self) -> dict[str, tuple[str, ...]]:
        """Question → tags."""
        return {ref: entry.question.tags for ref, entry in self.entries.items()}

    def opening(self) -> tuple[Entry, ...]:
        """Where a newcomer starts: the first bank's opening that has one."""
        for bank in self.banks:
            if bank.header.opening:
                found = (self.entries.get(f"{bank.id}/{name}") for name in bank.header.opening)
                return tuple(entry for entry in found if entry is not None)
        return ()

    def follow(self, entry: Entry, reference: str | None) -> Entry | None:
        """The question a follow-up names: in the same bank unless it says otherwise."""
        if reference is None:
            return None
        full = reference if "/" in reference else f"{entry.bank.id}/{reference}"
        return self.entries.get(full)


def read(paths: Iterable[Path]) -> Library:
    """Load the banks at `paths`; a broken one is told and passed over, never fatal."""
    entries: dict[str, Entry] = {}
    banks: list[Bank] = []
    problems: list[str] = []
    for path in paths:
        try:
            loaded = load_banks(path)
        except ContentError as error:
            problems.append(str(error))
            continue
        for one in loaded:
            errors = [found for found in one.diagnostics if found.severity == "error"]
            if errors:
                problems.append(_problem(one.folder, len(errors)))
            if one.bank is not None:
                banks.append(one.bank)
                for question in one.bank.questions.values():
                    identity = identify(one.bank.id, question)
                    # The first bank of a name wins: an added one cannot replace a shipped question.
                    entries.setdefault(identity.id, Entry(one.bank, question, identity))
    return Library(entries, tuple(banks), tuple(problems))


def _problem(folder: Path, count: int) -> str:
    message = ngettext(
        "{folder}: {count} mistake; `quizapp check {folder}` shows it",
        "{folder}: {count} mistakes; `quizapp check {folder}` shows them",
        count,
    )
    return message.format(folder=folder, count=count)
