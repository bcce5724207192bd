"""`check --fix`: mends what takes no judgement, at the characters concerned and nowhere else.

Comments, layout, line ends and a byte order mark stay. A file is written whole or not at
all, and only when YAML still reads everything in it that it read before.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from quizapp.bank.compose import compose
from quizapp.bank.diagnostics import Diagnostic, Edit
from quizapp.bank.source import Source, read
from quizapp.errors import MachineError

_MARK: Final = "\ufeff"


def mend(path: Path, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Make the repairs of `found`, all of the file at `path`; returns those that were made.

    Of two that touch the same characters the first is made; the other shows again when the
    file is read anew. Raises MachineError when the file cannot be written.
    """
    source, unreadable = read(path)
    if unreadable:
        return ()
    current = [one for one in found if one.repair and _unchanged(source, one)]
    made, edits = _apart(current)
    text = edited(source.text, edits)
    if not made or not _as_whole(source, Source(source.path, text)):
        return ()
    write(path, text)
    return tuple(made)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """`text` with `edits` made, none of which touch each other."""
    parts, last = [], 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        parts += [text[last : edit.start], edit.text]
        last = edit.end
    return "".join([*parts, text[last:]])


def _apart(found: Sequence[Diagnostic]) -> tuple[list[Diagnostic], list[Edit]]:
    """The findings whose edits stay clear of each other, or are the same, and those edits."""
    made: list[Diagnostic] = []
    edits: list[Edit] = []
    for one in found:
        fresh = [edit for edit in one.repair if edit not in edits]
        if any(a.start <= b.end and b.start <= a.end for a in fresh for b in edits):
            continue
        made.append(one)
        edits += fresh
    return made, edits


def _unchanged(source: Source, one: Diagnostic) -> bool:
    """Whether the line of a finding is still the one that was checked."""
    known = 0 < one.line <= len(source.lines)
    return known and source.lines[one.line - 1] == one.source_line


def _as_whole(old: Source, new: Source) -> bool:
    """Whether everything that could be read before still can."""
    before, after = compose(old), compose(new)
    return after.whole or not before.whole


def write(path: Path, text: str) -> None:
    """Replace the file at `path` by `text` in one step; its rights and byte order mark stay."""
    target = path.resolve()
    try:
        marked = target.read_bytes().startswith(_MARK.encode())
        data = ((_MARK if marked else "") + text).encode()
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        beside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise MachineError(
            f"the file cannot be written: {(error.strerror or type(error).__name__).lower()}",
            where=str(path),
            remedy="Nothing in it was changed. Make it, and its folder, writable for you.",
        ) from error
