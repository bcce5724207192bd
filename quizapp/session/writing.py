"""Begins new content for an author: a bank, a question, an exercise, an experiment.

Nothing that exists is overwritten but schemas, which are made from the program: beside the
files that need them, in `.schema/`, so that an editor finds them offline and in any checkout.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quizapp.bank import load_bank, scaffold
from quizapp.bank.exercises import PLAIN_NAME, SHEET
from quizapp.bank.listing import HEADER
from quizapp.bank.load_exercises import EXERCISES
from quizapp.bank.schema import SUBJECTS, Subject, schema
from quizapp.errors import MachineError, UsageError
from quizapp.lab import catalogue, experiments
from quizapp.text.i18n import _, language
from quizapp.text.nearest import nearest

__all__ = ["Made", "kinds", "new_bank", "new_exercise", "new_experiment", "new_question"]

#: Where the schemas of a bank lie, in its own folder.
SCHEMAS: Final = ".schema"
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Made:
    """What was written, the file to edit first; and what to do next, in words."""

    files: tuple[Path, ...]
    onward: str


def kinds() -> tuple[str, ...]:
    """The kinds of question that can be begun."""
    return scaffold.kinds()


def schema_text(subject: str) -> str:
    """The JSON Schema of one sort of file, in the current language. Raises UsageError."""
    for known in SUBJECTS:
        if known == subject:
            made = schema(known, catalogue.catalogue(), language())
            return json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    raise UsageError(
        f"there is no schema of {subject!r}",
        remedy=nearest(subject, SUBJECTS) or f"There are: {', '.join(SUBJECTS)}.",
    )


def new_bank(folder: Path) -> Made:
    """A bank with one question. Raises UsageError for a name that gives no id."""
    name = _id(folder.absolute().name)
    said = language()
    files = {
        folder / HEADER: scaffold.bank(name, f"{SCHEMAS}/bank.json", said),
        folder / "questions.yaml": scaffold.question(
            "single", "first-question", f"{SCHEMAS}/question.json", said
        ),
    }
    _write(files, folder, ("bank", "question"))
    return Made(tuple(files), _steps(folder, folder / "questions.yaml"))


def new_question(path: Path, kind: str = "single") -> Made:
    """A file with one question; its id comes from the file's name. Raises UsageError."""
    if kind not in kinds():
        raise UsageError(
            f"there is no kind of question {kind!r}",
            remedy=nearest(kind, kinds()) or f"Kinds are: {', '.join(kinds())}.",
        )
    file = path if path.suffix else path.with_suffix(".yaml")
    if file.suffix != ".yaml":
        raise UsageError(f"{file.name} would not be read", remedy="Let its name end in .yaml.")
    home = _home(file)
    folder = file.parent if home is None else home
    name = _free(_id(file.stem), home)
    text = scaffold.question(kind, name, _schema_path(file, folder, "question"), language())
    _write({file: text}, folder, ("question",))
    return Made((file,), _steps(folder if home else file, file))


def new_exercise(folder: Path) -> Made:
    """An exercise in its own folder, `BANK/exercises/NAME`. Raises UsageError elsewhere."""
    name, bank = folder.name, folder.parent.parent
    if not re.match(PLAIN_NAME, name):
        remedy = "Use lower-case letters, digits and single underscores: `online_softmax`."
        raise UsageError(f"{name!r} is not a name for an exercise", remedy=remedy)
    if folder.parent.name != EXERCISES or not (bank / HEADER).is_file():
        raise UsageError(
            f"{folder} lies in no bank",
            remedy=f"Name `BANK/{EXERCISES}/{name}`; `quizapp new bank BANK` begins one.",
        )
    sheet = folder / SHEET
    made = scaffold.exercise(name, _schema_path(sheet, bank, "exercise"), language())
    files = {folder / inside: text for inside, text in made.items()}
    _write(files, bank, ("exercise",))
    return Made(
        tuple(files),
        _("Edit {file}. Then: quizapp check {bank} --compute --only {name}").format(
            file=sheet, bank=bank, name=name
        ),
    )


def new_experiment(path: Path) -> Made:
    """An experiment's one file. Raises UsageError for a name that is none in Python."""
    file = path if path.suffix else path.with_suffix(".py")
    if file.suffix != ".py" or not re.match(PLAIN_NAME, file.stem):
        remedy = "Use lower-case letters, digits and single underscores: `score_variance.py`."
        raise UsageError(f"{file.name!r} is not a name for an experiment", remedy=remedy)
    _write({file: scaffold.experiment(file.stem, language())})
    home = Path(experiments.__path__[0])
    if file.absolute().parent == home.absolute():
        words = _("Edit {file}. Then: quizapp run {name}").format(file=file, name=file.stem)
    else:
        words = _("It runs once it lies in {folder}.").format(folder=home)
    return Made((file,), words)


def _steps(checked: Path, file: Path) -> str:
    words = _("Edit {file}. Then: quizapp preview {file}, and quizapp check {checked}")
    return words.format(file=file, checked=checked)


# --- names and places ----------------------------------------------------------------


def _id(name: str) -> str:
    """`name` as an id: lower-case letters, digits and single hyphens."""
    found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST].rstrip("-")
    if not found:
        raise UsageError(
            f"no id can be made of the name {name!r}",
            remedy="Use Latin letters or digits; texts inside may be in any language.",
        )
    return found


def _free(name: str, home: Path | None) -> str:
    """`name`, or with a number behind it where the bank has it already."""
    if home is None:
        return name
    bank = load_bank(home).bank
    taken = set() if bank is None else {*bank.questions, *bank.broken}
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name[: _LONGEST - 4]}-{number}"
    return free


def _home(file: Path) -> Path | None:
    """The folder of the bank that `file` will be a part of."""
    return next((up for up in file.absolute().parents if (up / HEADER).is_file()), None)


def _schema_path(file: Path, folder: Path, subject: Subject) -> str:
    """The way from `file` to its schema in `folder`, as the editor's line names it."""
    target = folder.absolute() / SCHEMAS / f"{subject}.json"
    return Path(os.path.relpath(target, file.absolute().parent)).as_posix()


# --- writing -------------------------------------------------------------------------


def _write(
    files: Mapping[Path, str], folder: Path | None = None, subjects: tuple[Subject, ...] = ()
) -> None:
    """Write new files, and the schemas they name into `folder`.

    Raises UsageError where one of them exists, before any is written; MachineError where
    the disk refuses.
    """
    for file in files:
        if os.path.lexists(file):
            raise UsageError(
                f"{file} exists already", remedy="Name another one; nothing was written."
            )
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8", newline="\n") as out:
                out.write(text)
        for subject in subjects:
            target = (folder or Path()) / SCHEMAS / f"{subject}.json"
            target.parent.mkdir(exist_ok=True)
            target.write_text(schema_text(subject), encoding="utf-8", newline="\n")
    except OSError as error:
        raise MachineError(
            "the files cannot be written",
            where=str(error.filename or file),
            remedy=error.strerror or str(error),
        ) from error
