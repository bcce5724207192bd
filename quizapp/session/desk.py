"""`Desk`: one exercise before a learner: their file, which nothing overwrites unkept.

The file is the only copy of what they wrote. Every write is atomic, refuses to run over a
change made elsewhere since the last read, and a reset keeps what was there beside it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from quizapp.bank import ExerciseFolder, in_language
from quizapp.errors import MachineError, UsageError
from quizapp.grader.wire import SOURCE_LIMIT
from quizapp.session import paths
from quizapp.session.library import Library
from quizapp.text import i18n
from quizapp.text.i18n import _
from quizapp.text.nearest import closest


class Changed(MachineError):  # noqa: N818 - the file's news, told as a fault of the write
    """The file has changed on disk since it was read: nothing was written."""


@dataclass(slots=True)
class Desk:
    """One exercise and the file it is written in. Synchronous: small files, called in a thread.

    reference: ``bank/exercise``. hints: how many were shown.
    """

    reference: str
    folder: ExerciseFolder
    file: Path
    hints: int = 0
    _known: bytes | None = field(default=None, repr=False)

    def open(self) -> str:
        """The learner's text; a file that is not there yet begins as the starter.

        Raises MachineError where it cannot be read or made, UsageError where it is no text.
        """
        try:
            return self.begin().decode()
        except UnicodeDecodeError as error:
            raise UsageError(
                "the file is not UTF-8 text",
                where=str(self.file),
                remedy="It is graded as it is with `--watch`; the built-in editor cannot show it.",
            ) from error

    def begin(self) -> bytes:
        """What the file holds; one that is not there yet begins as the starter. See `read`."""
        if not self.file.exists():
            self._put(self.starter().encode())
        self._known = self.read()
        return self._known

    def read(self) -> bytes:
        """What the file holds now, for grading. Raises MachineError, and UsageError past 1 MiB."""
        try:
            if self.file.stat().st_size > SOURCE_LIMIT:
                raise UsageError(
                    "the file is larger than 1 MiB",
                    where=str(self.file),
                    remedy="Hand in the function alone.",
                )
            return self.file.read_bytes()
        except OSError as error:
            raise _unusable(self.file, error) from error

    def changed(self) -> bool:
        """Whether the file differs from what was last read or written here."""
        try:
            return self.file.read_bytes() != self._known
        except OSError:
            return True

    def holds(self, text: str) -> bool:
        """Whether `text` is what was last read or written here."""
        return text.encode() == self._known

    def save(self, text: str) -> None:
        """Write the file. Raises Changed, and MachineError where the disk refuses."""
        data = text.encode()
        if data == self._known:
            return
        if self._known is not None and self.file.exists() and self.changed():
            raise Changed(
                _("the file was changed elsewhere"),
                where=str(self.file),
                remedy=_("Yours is kept beside it as {name}.").format(name=self._keep(data).name),
            )
        self._put(data)

    def reset(self) -> Path | None:
        """The starter again; returns where the learner's text is kept. Raises MachineError."""
        kept = None
        if self.file.exists():
            current = self.read()
            if current != self.starter().encode():
                kept = self._keep(current)
        self._put(self.starter().encode())
        return kept

    def starter(self) -> str:
        """What the learner begins with, in their language."""
        return in_language(self.folder.starter.read_text("utf-8"), i18n.language())

    def solutions(self) -> Mapping[str, str]:
        """The model solutions by file name, comments in the learner's language."""
        said = i18n.language()
        return {
            path.stem: in_language(path.read_text("utf-8"), said) for path in self.folder.solutions
        }

    def hint(self) -> str | None:
        """The next hint; None when all were shown."""
        hints = self.folder.exercise.hints
        if self.hints >= len(hints):
            return None
        self.hints += 1
        return hints[self.hints - 1].shown(i18n.language())

    def _keep(self, data: bytes) -> Path:
        """Put `data` beside the file under a name of its own."""
        stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
        for number in range(1000):
            suffix = f"-{number}" if number else ""
            place = self.file.with_name(f"{self.file.stem}.{stamp}{suffix}.py")
            try:
                with place.open("xb") as out:
                    out.write(data)
            except FileExistsError:
                continue
            except OSError as error:
                raise _unusable(place, error) from error
            return place
        raise MachineError("there are a thousand copies of this second", where=str(self.file))

    def _put(self, data: bytes) -> None:
        """Replace the file in one step: a crash leaves the old text or the new, never half."""
        # Through a link, the file it leads to: replacing the link would cut it off.
        target = Path(os.path.realpath(self.file))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}-")
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(data)
                    out.flush()
                    os.fsync(out.fileno())
                if target.exists():
                    os.chmod(temporary, target.stat().st_mode & 0o777)  # noqa: PTH101
                else:
                    os.chmod(temporary, 0o644)  # noqa: PTH101
                os.replace(temporary, target)  # noqa: PTH105
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise _unusable(self.file, error) from error
        self._known = data


def _unusable(file: Path, error: OSError) -> MachineError:
    return MachineError(
        "the file cannot be read or written", where=str(file), remedy=error.strerror or str(error)
    )


def exercises(library: Library) -> dict[str, ExerciseFolder]:
    """Every exercise at hand as ``bank/name``, easiest first."""
    found = {
        f"{bank.id}/{name}": folder
        for bank in library.banks
        for name, folder in bank.exercises.items()
    }
    return dict(sorted(found.items(), key=lambda item: item[1].exercise.difficulty))


def find(library: Library, name: str) -> tuple[str, ExerciseFolder]:
    """The exercise called `name`, with or without its bank. Raises UsageError."""
    known = exercises(library)
    hits = [ref for ref in known if name in {ref, ref.partition("/")[2]}]
    if len(hits) == 1:
        return hits[0], known[hits[0]]
    if hits:
        raise UsageError(f"several banks have an exercise `{name}`", remedy=", ".join(hits))
    short = [ref.partition("/")[2] for ref in known]
    guess = closest(name, short)
    remedy = f"Did you mean `{guess}`?" if guess else f"There are: {', '.join(short)}."
    raise UsageError(f"there is no exercise `{name}`", remedy=remedy)


def desk(library: Library, name: str, file: Path | None = None) -> Desk:
    """The desk of an exercise; without `file` the text lies in the learner's folder."""
    reference, folder = find(library, name)
    bank, _slash, short = reference.partition("/")
    place = file or paths.data_folder() / "practice" / bank / f"{short}.py"
    return Desk(reference, folder, place)
