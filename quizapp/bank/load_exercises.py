"""Loads the exercises of a bank: one for each folder in `exercises/`.

Nothing that an exercise holds is run here, and no link is followed out of its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from quizapp.bank.bank import BankFile
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.exercises import PLAIN_NAME, SHEET, Exercise, ExerciseFolder
from quizapp.bank.read_model import read_model
from quizapp.bank.source import Source
from quizapp.bank.words import clip

EXERCISES: Final = "exercises"


def load_exercises(bank: Path) -> tuple[dict[str, ExerciseFolder], list[Diagnostic]]:
    """The sound exercises of the bank in folder `bank` by id, and what is wrong with others."""
    found: list[Diagnostic] = []
    kept: dict[str, ExerciseFolder] = {}
    for folder in exercise_folders(bank / EXERCISES, found):
        file, exercise, refused = read_model(folder / SHEET, Exercise)
        refused += misnamed(file, exercise, folder.name)
        found += refused
        if exercise is not None and not refused:
            kept[exercise.id] = ExerciseFolder(folder, exercise, file)
    return kept, found


def misnamed(file: BankFile, exercise: Exercise | None, folder: str) -> list[Diagnostic]:
    """The finding about an exercise whose folder has another name than it."""
    if exercise is None or exercise.id == folder:
        return []
    message = f"the id `{exercise.id}` is not the folder's name, `{clip(folder)}`"
    return [file.diagnose("QB080", ("id",), message, "Give both the same name.")]


def exercise_folders(parent: Path, found: list[Diagnostic]) -> Iterator[Path]:
    """The folders that hold an exercise, by name; what else lies there is told."""
    if not parent.is_dir():
        return
    for path in entries(parent, found):
        place = Source(str(path), "")
        if leads_out(path, parent):
            found.append(link_out(path, parent))
        elif not path.is_dir():
            message = "the file is not read: it lies beside the exercises, not in one"
            remedy = "Move it into the folder of its exercise, or out of `exercises`."
            found.append(place.diagnose("QB031", None, message, remedy, "warning"))
        elif not re.match(PLAIN_NAME, path.name):
            message = f"`{clip(path.name)}` is not a name for an exercise"
            remedy = "Use lower-case letters, digits and single underscores: `online_softmax`."
            found.append(place.diagnose("QB028", None, message, remedy))
        elif not (path / SHEET).is_file():
            message = f"there is no {SHEET} in the exercise's folder"
            found.append(place.diagnose("QB081", None, message, "Add one, or move it away."))
        elif leads_out(path / SHEET, path):
            found.append(link_out(path / SHEET, path))
        else:
            yield path


def entries(folder: Path, found: list[Diagnostic]) -> list[Path]:
    """What lies in a folder, by name, without hidden files and Python's own caches."""
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        remedy = "Make it a folder that you may read."
        place = Source(str(folder), "")
        found.append(place.diagnose("QB001", None, f"cannot be read: {reason}", remedy))
        return []
    return [path for path in paths if not path.name.startswith((".", "__pycache__"))]


def leads_out(path: Path, folder: Path) -> bool:
    """Whether `path` is a link, or below one, to something outside `folder`."""
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a loop of links leads nowhere
        return True


def link_out(path: Path, folder: Path) -> Diagnostic:
    """The refusal of a link out of `folder`."""
    message = f"the link leads out of `{clip(folder.name)}`"
    return Source(str(path), "").diagnose("QB085", None, message, "Put a copy in its place.")
