"""Which files of a folder are its question files; whatever is passed over is told.

A bank from elsewhere may hold links to anything on this machine: none that leads out of
its own folder is followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from quizapp.bank.diagnostics import Diagnostic, Severity
from quizapp.bank.load_exercises import EXERCISES, leads_out
from quizapp.bank.source import Source

HEADER: Final = "bank.yaml"


def question_files(folder: Path, found: list[Diagnostic]) -> Iterator[Path]:
    """The question files of a bank in a fixed order; `found` takes what is passed over, and why."""

    def unreadable(error: OSError) -> None:
        reason = (error.strerror or type(error).__name__).lower()
        remedy = "Make it a folder that you may read."
        found.append(_about(str(error.filename), "QB001", f"cannot be read: {reason}", remedy))

    for here, folders, files in os.walk(folder, onerror=unreadable):
        top = Path(here)
        if top != folder and HEADER in files:
            remedy = "Move it beside the outer bank; its questions are not read."
            found.append(_about(str(top / HEADER), "QB030", "a bank inside a bank", remedy))
            folders.clear()
            continue
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not (top == folder and name == EXERCISES)
        )
        found += [_linked_folder(top / name) for name in folders if (top / name).is_symlink()]
        for name in sorted(files):
            if name.startswith(".") or (top == folder and name == HEADER):
                continue
            if name.lower().endswith(".yaml"):
                refused = refused_link(top / name, folder)
                if refused is None:
                    yield top / name
                else:
                    found.append(refused)
            elif name.lower().endswith(".yml"):
                message = "the file is not read: its name ends in .yml"
                found.append(
                    _about(str(top / name), "QB031", message, "Let it end in .yaml.", "warning")
                )


def refused_link(path: Path, folder: Path) -> Diagnostic | None:
    """The finding about `path` where it is a link out of the bank at `folder`."""
    if not path.is_symlink() or not leads_out(path, folder):
        return None
    message = "a link that leads out of the bank's folder is not followed"
    return _about(str(path), "QB036", message, "Put a copy of the file in its place.")


def _linked_folder(path: Path) -> Diagnostic:
    message = "a link to a folder is not followed"
    return _about(str(path), "QB036", message, "Put the folder itself in its place.")


def _about(
    path: str, code: str, message: str, remedy: str, severity: Severity = "error"
) -> Diagnostic:
    return Source(path, "").diagnose(code, None, message, remedy, severity)
