"""Loader: a folder becomes a `Bank`, or a list of what its author has to mend.

A bank is a folder with `bank.yaml` and question files: every `*.yaml` beside it or
in its subfolders, `exercises/` excepted, which holds a folder for each exercise.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from quizapp.bank import source as sources
from quizapp.bank.bank import Bank, BankFile, Loaded, Origin
from quizapp.bank.compose import Composed, compose
from quizapp.bank.diagnostics import Diagnostic, in_order
from quizapp.bank.exercises import SHEET
from quizapp.bank.explain import explain
from quizapp.bank.listing import HEADER, question_files, refused_link
from quizapp.bank.load_exercises import EXERCISES, load_exercises
from quizapp.bank.models import BankHeader, Question, QuestionFile
from quizapp.bank.read_model import not_a_mapping, read_model
from quizapp.bank.source import Source
from quizapp.bank.variants import unfit
from quizapp.bank.walk import texts
from quizapp.errors import ContentError
from quizapp.text import LANGUAGES, Text

#: The bank of a question file that belongs to none.
LONE: Final = "file"

_question: Final[TypeAdapter[Question]] = TypeAdapter(Question)


@dataclass(frozen=True, slots=True)
class FileResult:
    """The questions of one file by their place in it, and what is wrong with the others.

    entries: the same, and the others, as the plain data they were made of.
    """

    file: BankFile
    questions: Mapping[int, Question]
    broken: frozenset[str]
    parsed: bool
    diagnostics: tuple[Diagnostic, ...]
    entries: Sequence[Any] = ()


def load_banks(path: Path) -> tuple[Loaded, ...]:
    """The bank at `path`, or every bank directly below it, or the bank a file belongs to.

    A question file that belongs to none is read as a bank of its own. Raises
    ContentError when there is no bank to be found.
    """
    if path.is_file():
        home = home_of(path)
        return (_alone(path) if home is None else load_bank(home),)
    return tuple(load_bank(folder) for folder in bank_folders(path))


def bank_folders(path: Path) -> tuple[Path, ...]:
    """The folder `path` if it is a bank, else every bank directly below it.

    Raises ContentError when there is none, or the folder cannot be read.
    """
    names = _entries(path)
    if HEADER in names:
        return (path,)
    found = tuple(path / name for name in names if (path / name / HEADER).is_file())
    if not found:
        raise _no_bank(path)
    return found


def load_bank(folder: Path) -> Loaded:
    """Read one bank. Raises ContentError when the folder is absent, unreadable or no bank."""
    if HEADER not in _entries(folder):
        raise _no_bank(folder)
    with collector_paused():
        return _load(folder)


def home_of(file: Path) -> Path | None:
    """The folder of the bank that reads `file`."""
    for folder in (*file.parents, *file.absolute().parents):
        if (folder / HEADER).is_file():
            sheets = folder.glob(f"{EXERCISES}/*/{SHEET}")
            read = {folder / HEADER, *question_files(folder, []), *sheets}
            return folder if {file, file.absolute()} & read else None
    return None


def _alone(path: Path) -> Loaded:
    """One file as a bank that promises the languages its texts have, and may have other files."""
    read = _Gathered([path])
    if not read.questions:
        return Loaded(path.parent, None, in_order(read.diagnostics))
    used = {key for q in read.questions.values() for _, t in texts(q) for key, _ in t.by_language}
    header = BankHeader.model_construct(
        format="quizapp/1",
        id=LONE,
        title=Text.of(path.name),
        languages=tuple(name for name in LANGUAGES if name in used) or LANGUAGES[:1],
        licence="",
        authors=(),
    )
    file = next(iter(read.origins.values())).file
    bank = Bank(path.parent, header, read.questions, file, read.origins, read.broken, False)
    return Loaded(path.parent, bank, in_order(read.diagnostics))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Loading makes no cycles, and a collector that walks the growing bank doubles the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _load(folder: Path) -> Loaded:
    refused = refused_link(folder / HEADER, folder)
    if refused is not None:
        return Loaded(folder, None, (refused,))
    header_file, header, found = read_model(folder / HEADER, BankHeader)
    passed_over: list[Diagnostic] = []
    read = _Gathered(question_files(folder, passed_over))
    exercises, amiss = load_exercises(folder)
    found += passed_over + read.diagnostics + amiss
    if header is None:
        return Loaded(folder, None, in_order(found))
    if not (read.questions or read.broken or exercises) and read.complete:
        remedy = "Add a file that begins with `format: quizapp/1` and has `questions:`."
        message = "the bank has no questions"
        found.append(header_file.source.diagnose("QB032", None, message, remedy))
    bank = Bank(
        folder,
        header,
        read.questions,
        header_file,
        read.origins,
        read.broken,
        read.complete,
        exercises,
    )
    return Loaded(folder, bank, in_order(found))


class _Gathered:
    """The questions of several files; the first of two with the same id is kept."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.questions: dict[str, Question] = {}
        self.origins: dict[str, Origin] = {}
        self.broken: frozenset[str] = frozenset()
        self.complete = True
        self.diagnostics: list[Diagnostic] = []
        for path in paths:
            self._add(read_questions(path))

    def _add(self, result: FileResult) -> None:
        self.diagnostics += result.diagnostics
        self.broken |= result.broken
        self.complete = self.complete and result.parsed
        for index, question in result.questions.items():
            if question.id in self.questions:
                first = self.origins[question.id]
                self.diagnostics.append(_twice(question.id, result.file, index, first))
                continue
            self.questions[question.id] = question
            self.origins[question.id] = Origin(result.file, index)


def read_questions(path: Path) -> FileResult:
    """Read one question file on its own."""
    return questions_in(*sources.read(path))


def questions_in(source: Source, found: list[Diagnostic]) -> FileResult:
    """The questions of a file as it was read; not parsed where `found` is wrong with its text."""
    file = BankFile(source)
    if found:
        return FileResult(file, {}, frozenset(), False, tuple(found))
    composed = compose(source)
    found = list(composed.diagnostics)
    if not isinstance(composed.data, dict):
        if not found:
            found = [not_a_mapping(source)]
        return FileResult(file, {}, frozenset(), False, tuple(found))
    try:
        whole = QuestionFile.model_validate(composed.data)
    except ValidationError as error:
        found += explain(source, composed, error, QuestionFile)
        kept = _salvage(composed)
    else:
        kept = dict(enumerate(whole.questions))
    for index, question in list(kept.items()):
        odd = None if question.variants is None else unfit(file, index, question)
        if odd is not None:
            found.append(odd)
            del kept[index]
    names = _ids(composed) - {question.id for question in kept.values()}
    parsed = "questions" in composed.data and composed.whole
    entries: Sequence[Any] = composed.data["questions"] if kept else ()
    return FileResult(file, kept, frozenset(names), parsed, tuple(found), entries)


def _salvage(composed: Composed) -> dict[int, Question]:
    """The questions that are sound although another one of their file is not."""
    kept: dict[int, Question] = {}
    entries = composed.data.get("questions")
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        try:
            kept[index] = _question.validate_python(entry)
        except ValidationError:
            continue  # explained with the whole file
    return kept


def _ids(composed: Composed) -> set[str]:
    entries = composed.data.get("questions")
    if not isinstance(entries, list):
        return set()
    names = (entry.get("id") for entry in entries if isinstance(entry, dict))
    return {name for name in names if isinstance(name, str)}


def _twice(name: str, file: BankFile, index: int, first: Origin) -> Diagnostic:
    at = file.places.value(("questions", index, "id"))
    where, _ = first.file.places.value(("questions", first.index, "id"))
    message = f"the id `{name}` is taken: {first.file.source.path}:{where}"
    remedy = "Give one of them another id; an id that learners have met is kept forever."
    return file.source.diagnose("QB033", at, message, remedy)


def _entries(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are what is asked for
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ContentError(
            f"the folder of a question bank cannot be read: {reason}",
            where=str(folder),
            remedy=f"Name a folder that holds a {HEADER}, or a folder of such folders.",
        ) from error


def _no_bank(folder: Path) -> ContentError:
    return ContentError(
        f"there is no question bank here: no {HEADER}",
        where=str(folder),
        remedy=f"Name a folder that holds a {HEADER}, or a folder of such folders.",
    )
