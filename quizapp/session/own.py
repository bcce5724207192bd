"""A learner's attention on its way to the lab: from their file, or from a desk."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from quizapp.errors import MachineError, UsageError
from quizapp.grader.wire import SOURCE_LIMIT
from quizapp.lab.wire import Own
from quizapp.session.desk import Desk

__all__ = ["CLASS", "EXERCISE", "Own", "function_in", "function_on", "suits"]

#: The exercise whose function is what experiments ask for: (Q, K, V, mask) → (output, weights).
EXERCISE: Final = "scaled_dot_product_attention"
CLASS: Final = "ScaledDotProductAttention"


def function_in(file: Path) -> Own:
    """The function in `file`, under the exercise's name. Raises MachineError, UsageError."""
    try:
        with file.open("rb") as opened:
            source = opened.read(SOURCE_LIMIT + 1)
    except OSError as error:
        raise MachineError(
            "the file cannot be read", where=str(file), remedy=error.strerror or ""
        ) from error
    if len(source) > SOURCE_LIMIT:
        raise UsageError("the file is larger than 1 MiB", where=str(file))
    return Own(name=file.name, source=source, entry=EXERCISE, class_name=CLASS, class_init=("d_k",))


def suits(desk: Desk) -> bool:
    """Whether the exercise on the desk is the one whose function experiments can use."""
    return desk.folder.exercise.id == EXERCISE


def function_on(desk: Desk) -> Own | None:
    """The function on the desk; None where the exercise is not the one the lab can use."""
    exercise = desk.folder.exercise
    if not suits(desk):
        return None
    return Own(
        name=desk.file.name,
        source=desk.read(),
        entry=exercise.entry,
        class_name=CLASS,
        class_init=("d_k",),
        forbidden=exercise.forbidden,
    )
