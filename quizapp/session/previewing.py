"""`PreviewSession`: the learner's own session on a file that is being written; it keeps nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quizapp.errors import MachineError, QuizappError
from quizapp.lab.client import Engine
from quizapp.session import library as libraries
from quizapp.session import settings as preferences
from quizapp.session.library import Entry
from quizapp.session.preview import Preview, Seen
from quizapp.session.session import Session, open_store
from quizapp.session.sitting import Next, Sitting
from quizapp.session.trial import Trial
from quizapp.study.clock import SystemClock
from quizapp.study.store import Store
from quizapp.text import i18n
from quizapp.text.i18n import _


@dataclass(slots=True)
class PreviewSitting(Sitting):
    """Stays on one question, however often it is answered."""

    def after(self, trial: Trial) -> Next:  # noqa: ARG002 - whatever was answered
        """The same question again."""
        return Next("next", self.current)


class PreviewSession(Session):
    """A session on one file, which keeps nothing."""

    def __init__(self, preview: Preview, seen: Seen, engine: Engine) -> None:
        super().__init__(seen.library or libraries.read(()), None, SystemClock(), engine)
        self.preview, self.seen = preview, seen
        self._turn = 0

    def look(self) -> Seen:
        """Read the file anew. What cannot even be read is told like a finding."""
        try:
            self.seen = self.preview.look()
        except QuizappError as error:
            self.seen = Seen((str(error),))
        if self.seen.library is not None:
            self.library = self.seen.library
        return self.seen

    def sitting_now(self) -> PreviewSitting:
        """A sitting on the question that is looked at."""
        assert self.seen.entry is not None
        turn = self._turn
        sitting = PreviewSitting("more", self.library, [self.seen.entry], turns=lambda _: turn)
        sitting.start()
        sitting.position, sitting.total = self.seen.position, self.seen.total
        return sitting

    def may_stay(self, trial: Trial, entry: Entry) -> bool:
        """Whether an answer given to `entry` still answers what is looked at now."""
        now = self.seen.entry
        return (
            now is not None
            and now.reference == entry.reference == trial.reference
            and now.identity.meaning == entry.identity.meaning
        )

    def turn(self) -> None:
        """From now on ask the next variant of a question that has some."""
        self._turn += 1

    def answered_again(self, entry: Entry, trial: Trial) -> Trial:
        """The same answer to `entry`, as it is asked now."""
        return self.answer(entry, trial.answer, confidence=trial.confidence, hints=trial.hints)

    async def settle(self, trial: Trial, entry: Entry) -> str:  # noqa: ARG002
        """Nothing is saved."""
        return ""

    def _need_store(self) -> Store:
        raise MachineError(_("nothing is saved in a preview"))


def open_preview(
    file: Path,
    name: str | None = None,
    *,
    language: str | None = None,
    engine: Engine | None = None,
) -> PreviewSession:
    """A session on `file`, at the question `name` or the first one, with the learner's settings.

    Raises UsageError where there is nothing to look at.
    """
    store = None
    try:
        store = open_store()
    except MachineError:
        chosen = preferences.read(None)  # a log that cannot be opened keeps nobody from looking
    else:
        chosen = preferences.read(store)
        store.close()
    i18n.set_language(language or chosen.language or i18n.system_language())
    preview = Preview(file, name)
    session = PreviewSession(preview, Seen(()), engine or Engine())
    session.settings = chosen
    session.look()
    return session
