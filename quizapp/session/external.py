"""The learner's own editor: which it is, and a file opened in it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Final

from quizapp.errors import MachineError
from quizapp.text.i18n import _

#: Tried in order where neither VISUAL nor EDITOR says which.
USUAL: Final = ("nano", "vim", "vi", "notepad")


def command() -> list[str]:
    """The editor with its arguments. Raises MachineError where there is none."""
    for name in ("VISUAL", "EDITOR"):
        if words := _words(os.environ.get(name, "")):
            return words
    for name in USUAL:
        if found := shutil.which(name):
            return [found]
    raise MachineError(
        _("there is no editor to open"), remedy=_("Set EDITOR, as in: export EDITOR=nano")
    )


def _words(given: str) -> list[str]:
    try:
        # A backslash is part of a path on Windows.
        return shlex.split(given, posix=os.name != "nt")
    except ValueError:  # a quotation mark without its partner: a path with an odd name
        return [given]


def edit(file: Path) -> None:
    """Open `file` and wait until the editor ends. Raises MachineError where it does not run.

    Blocks: the terminal is the editor's meanwhile. Ctrl+C there is the editor's as well.
    """
    words = command()
    try:
        # A handler of our own, not SIG_IGN: that would be passed on to the editor.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            done = subprocess.run([*words, str(file)], check=False)
        finally:
            signal.signal(signal.SIGINT, before)
    except OSError as error:
        raise MachineError(
            _("the editor {name} cannot be started").format(name=words[0]),
            remedy=error.strerror or str(error),
        ) from error
    if done.returncode:
        raise MachineError(
            _("the editor {name} ended with code {code}").format(
                name=words[0], code=done.returncode
            ),
            where=str(file),
        )
