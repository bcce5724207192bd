"""`Library`: every question at hand, from the shipped banks and those the learner added.

Only the index is read at once, from the compiled cache where the files have not changed; the
words of a question are read when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from quizapp.bank import ExerciseFolder, Identity, Question
from quizapp.bank.arithmetic import Value
from quizapp.bank.variants import rendered, turn_of, values_of
from quizapp.compiled import CompiledBank, KeptQuestion, open_fresh
from quizapp.errors import ContentError
from quizapp.session.bodies import Bodies
from quizapp.text import Text
from quizapp.text.i18n import ngettext


@dataclass(frozen=True, eq=False)
class Entry:
    """One question with the names its history is tied to.

    variant: which of its variants is asked, from 0; None before that is settled, and where it
    has none.
    """

    kept: KeptQuestion
    identity: Identity
    bank: str
    _bodies: Bodies = field(repr=False)
    variant: int | None = None

    @property
    def reference(self) -> str:
        """``bank-id/question-id``."""
        return self.identity.id

    @property
    def kind(self) -> str:
        """Which kind of question it is."""
        return self.kept.kind

    @cached_property
    def question(self) -> Question:
        """The question, as its variant asks it. Raises ContentError where its words are lost."""
        return self._written if self.variant is None else rendered(self._written, self.values)

    @cached_property
    def _written(self) -> Question:
        return self._bodies.question(self.kept)

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """The values of the variant asked; none without variants."""
        variants = self._written.variants
        if self.variant is None or variants is None:
            return {}
        return values_of(variants, self.variant)

    def posed(self, turn: int) -> Entry:
        """The entry as it is asked at the n-th time, from 0: another variant at each repeat."""
        variants = self._written.variants
        if variants is None:
            return self
        return replace(self, variant=turn_of(self.reference, len(variants.values), turn))

    def posed_as(self, values: Mapping[str, Value]) -> Entry:
        """The entry as the variant with these values asks it; the first one where none has them."""
        variants = self._written.variants
        if variants is None:
            return self
        known = (values_of(variants, index) for index in range(len(variants.values)))
        index = next((n for n, each in enumerate(known) if each == values), 0)
        return replace(self, variant=index)


@dataclass(frozen=True, eq=False)
class BankAtHand:
    """One bank as learners see it. opening: ids of the questions a newcomer starts with."""

    id: str
    title: Text
    opening: tuple[str, ...]
    compiled: CompiledBank = field(repr=False)
    _bodies: Bodies = field(repr=False)

    @property
    def questions(self) -> Collection[str]:
        """The ids of its questions, in the order of its files."""
        return self.compiled.names

    @cached_property
    def exercises(self) -> Mapping[str, ExerciseFolder]:
        """Its exercises by id. Raises ContentError where the words of one are lost."""
        return {name: self._bodies.exercise(one) for name, one in self.compiled.exercises.items()}

    def entry(self, name: str) -> Entry:
        """The question with that id. KeyError for none."""
        kept = self.compiled.question(name)
        identity = Identity(f"{self.id}/{name}", kept.meaning, kept.wording)
        return Entry(kept, identity, self.id, self._bodies)


class Entries(Mapping[str, Entry]):
    """Every question by reference; each entry is made when it is first asked for.

    The first bank of a name wins: an added one cannot replace a shipped question.
    """

    def __init__(self, banks: Iterable[BankAtHand]) -> None:
        self._made: dict[str, Entry] = {}
        self._banks: dict[str, BankAtHand] = {}
        for bank in banks:
            for name in bank.questions:
                self._banks.setdefault(f"{bank.id}/{name}", bank)

    def __getitem__(self, reference: str) -> Entry:
        made = self._made.get(reference)
        if made is None:
            name = reference.partition("/")[2]
            # Whoever comes second takes the first one's: an entry is asked whether it is another.
            made = self._made.setdefault(reference, self._banks[reference].entry(name))
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._banks)

    def __len__(self) -> int:
        return len(self._banks)

    def bank(self, reference: str) -> BankAtHand:
        """The bank a question comes from. KeyError for none."""
        return self._banks[reference]


@dataclass(frozen=True)
class Library:
    """All sound questions; `problems` tells what could not be read, a line each."""

    entries: Entries
    banks: tuple[BankAtHand, ...]
    problems: tuple[str, ...]

    @cached_property
    def meanings(self) -> dict[str, str]:
        """Question → meaning hash, easiest first: the order in which new ones are met."""
        rows = [
            (difficulty, f"{bank.id}/{name}", meaning)
            for bank in self.banks
            for name, difficulty, meaning in bank.compiled.graded()
            if self.entries.bank(f"{bank.id}/{name}") is bank
        ]
        rows.sort(key=lambda row: row[0])
        return {reference: meaning for _, reference, meaning in rows}

    @property
    def tags(self) -> dict[str, tuple[str, ...]]:
        """Question → tags."""
        return {reference: entry.kept.tags for reference, entry in self.entries.items()}

    def opening(self) -> tuple[Entry, ...]:
        """Where a newcomer starts: the first bank's opening that has one."""
        for bank in self.banks:
            if bank.opening:
                found = (self.entries.get(f"{bank.id}/{name}") for name in bank.opening)
                return tuple(entry for entry in found if entry is not None)
        return ()

    def follow(self, entry: Entry, reference: str | None) -> Entry | None:
        """The question a follow-up names: in the same bank unless it says otherwise."""
        if reference is None:
            return None
        full = reference if "/" in reference else f"{entry.bank}/{reference}"
        return self.entries.get(full)


def read(paths: Iterable[Path], cache: Path | None = None) -> Library:
    """Open the banks at `paths`; a broken one is told and passed over, never fatal.

    cache: a folder where what they come to is kept for the next time; None keeps nothing.
    """
    banks: list[BankAtHand] = []
    problems: list[str] = []
    for path in paths:
        try:
            bodies = _open(path, cache)
        except ContentError as error:
            problems.append(str(error))
            continue
        for bank in bodies.compiled.banks:
            if bank.errors:
                problems.append(_problem(bodies.root / bank.folder, bank.errors))
            if (header := bank.header) is not None:
                title, opening = Text.of(header["title"]), tuple(header["opening"])
                banks.append(BankAtHand(header["id"], title, opening, bank, bodies))
    return Library(Entries(banks), tuple(banks), tuple(problems))


def _open(path: Path, cache: Path | None) -> Bodies:
    fresh = None if cache is None else open_fresh(str(path), str(cache))
    if fresh is not None:
        return Bodies(path, fresh, cache)
    from quizapp.bank.compile import compile_banks, compile_file  # only where something is new

    if path.is_file():
        folder, made = compile_file(path)
        return Bodies(folder, made, None)
    return Bodies(path, compile_banks(path, cache), cache)


def _problem(folder: Path, count: int) -> str:
    message = ngettext(
        "{folder}: {count} mistake; `quizapp check {folder}` shows it",
        "{folder}: {count} mistakes; `quizapp check {folder}` shows them",
        count,
    )
    return message.format(folder=folder, count=count)
