"""Submissions and exercises brought together: a bank's exercise made into a judge's task."""

from __future__ import annotations

from quizapp.bank.exercises import ExerciseFolder
from quizapp.grader.wire import Argument, Mistake, Returned, Signature, Task


def task(folder: ExerciseFolder, source: bytes, number: int = 0) -> Task:
    """What a judge needs to grade `source` on the exercise."""
    exercise = folder.exercise
    mistakes = []
    for name in exercise.mistakes:
        if (told := exercise.diagnosis(name)) is not None:
            file = str(folder.mistake(name))
            mistakes.append(Mistake(file=file, diagnosis=told[0], text=told[1]))
    return Task(
        id=number,
        exercise=exercise.id,
        folder=str(folder.path),
        signature=_signature(folder),
        forbidden=exercise.forbidden,
        seconds=exercise.limits.seconds,
        memory=exercise.limits.memory_mib * 2**20,
        mistakes=tuple(mistakes),
        solution=str(folder.reference),
        source=source,
    )


def _signature(folder: ExerciseFolder) -> Signature:
    exercise = folder.exercise
    form = exercise.class_
    return Signature(
        entry=exercise.entry,
        class_name=form.name if form is not None else None,
        class_init=form.init if form is not None else (),
        arguments=tuple(
            Argument(name=a.name, shape=a.shape, optional=a.optional, broadcast=a.broadcast)
            for a in exercise.arguments
        ),
        returns=tuple(Returned(name=r.name, shape=r.shape) for r in exercise.returns),
    )
