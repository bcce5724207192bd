"""`Bodies`: questions and exercises out of an open cache, or of their files if it is damaged."""

from __future__ import annotations

from pathlib import Path

from quizapp.bank import ExerciseFolder, Question, identify
from quizapp.bank.bank import BankFile
from quizapp.bank.bodies import exercise_of, question_of
from quizapp.bank.exercises import Exercise
from quizapp.compiled import Compiled, Damaged, KeptExercise, KeptQuestion, discard
from quizapp.errors import ContentError
from quizapp.text.i18n import _


class Bodies:
    """The words of one folder of banks. root: as the person named it."""

    def __init__(self, root: Path, compiled: Compiled, cache: Path | None) -> None:
        self.root = root
        self.compiled = compiled
        self._cache = cache

    def question(self, kept: KeptQuestion) -> Question:
        """The question. Raises ContentError where the cache is damaged and its file has changed."""
        try:
            return question_of(self.compiled.words(kept.body))
        except (Damaged, ValueError):
            self._forget()
        found = self._reread(kept)
        if found is None:
            raise self._lost(kept.path)
        return found

    def exercise(self, kept: KeptExercise) -> ExerciseFolder:
        """The exercise where it lies. Raises ContentError as `question` does."""
        sheet = self.root / kept.path
        try:
            exercise: Exercise | None = exercise_of(self.compiled.words(kept.body))
        except (Damaged, ValueError):
            self._forget()
            exercise = read_sheet(sheet)
        if exercise is None:
            raise self._lost(kept.path)
        return ExerciseFolder(sheet.parent, exercise, BankFile(sheet))

    def _reread(self, kept: KeptQuestion) -> Question | None:
        from quizapp.bank.load import read_questions  # not needed where the cache is sound

        for question in read_questions(self.root / kept.path).questions.values():
            named = identify("", question)
            if (question.id, named.meaning, named.wording) == (kept.id, kept.meaning, kept.wording):
                return question
        return None

    def _forget(self) -> None:
        """The next start reads every file again."""
        if self._cache is not None:
            discard(str(self.root), str(self._cache))

    def _lost(self, path: str) -> ContentError:
        return ContentError(
            _("the file has changed while the program was open"),
            where=str(self.root / path),
            remedy=_("Start quizapp again."),
        )


def read_sheet(sheet: Path) -> Exercise | None:
    """The exercise of a sheet; None where it is not sound."""
    from quizapp.bank.read_model import read_model  # not needed where the cache is sound

    return read_model(sheet, Exercise)[1]
