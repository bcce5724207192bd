"""What the file system says of a folder of banks: the reason to trust, or not, what is kept.

Every name and file that decides what reading the folder comes to has a stamp: its kind,
size, times and number, and where a link leads. The times alone could lie: a file saved
twice within one tick of the clock has the same stamp both times, so one that had been
changed just before it was read is not trusted by its stamp.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

HEADER: Final = "bank.yaml"
EXERCISES: Final = "exercises"
SHEET: Final = "exercise.yaml"

#: Nanoseconds: twice the coarsest tick of a file system in use (FAT).
TICK: Final = 4_000_000_000


class Seen:
    """at: when, in ns since 1970, before the first look. stamps, newest: by path below the
    root; `newest` is the later of the times of change, in ns since 1970.
    """

    def __init__(self, at: int, root: str) -> None:
        self.at = at
        self.stamps = {"": root}
        self.newest: dict[str, int] = {}

    def settled(self, path: str, at: int) -> bool:
        """Whether what was read of `path` at the moment `at` is what its stamp stands for."""
        return self.newest[path] < at - TICK

    def confirms(self, stamps: dict[str, str], at: int) -> bool:
        """Whether what was read at `at`, when the stamps were these, would be read again now."""
        return self.stamps == stamps and all(newest < at - TICK for newest in self.newest.values())


def now() -> int:
    """Nanoseconds since 1970."""
    return time.time_ns()


def look(root: str) -> Seen:
    """The stamps of all that reading the banks at `root` depends on.

    `root` is a bank, or a folder of banks. Raises OSError where a part cannot be looked at.
    """
    seen = Seen(now(), os.path.realpath(root))
    if _is_file(os.path.join(root, HEADER)):
        _look_at_bank(root, "", seen)
    else:
        for name in os.listdir(root):
            if _is_file(os.path.join(root, name, HEADER)):
                seen.stamps[name] = os.path.realpath(os.path.join(root, name))
                _look_at_bank(root, name, seen)
    return seen


def _look_at_bank(root: str, bank: str, seen: Seen) -> None:
    waiting = [bank]
    while waiting:
        folder = waiting.pop()
        for entry in _entries(os.path.join(root, folder), "."):
            path = os.path.join(folder, entry.name)
            if folder == bank and entry.name == EXERCISES:
                _look_at_exercises(root, path, seen)
            elif entry.is_symlink() or entry.name.lower().endswith((".yaml", ".yml")):
                _stamp(root, path, seen)
            elif entry.is_dir():
                waiting.append(path)


def _look_at_exercises(root: str, parent: str, seen: Seen) -> None:
    seen.stamps[parent] = os.path.realpath(os.path.join(root, parent))
    if not os.path.isdir(os.path.join(root, parent)):
        return
    for entry in _entries(os.path.join(root, parent), ".", "__pycache__"):
        path = os.path.join(parent, entry.name)
        kind = "folder" if entry.is_dir() else "file"
        seen.stamps[path] = f"{kind} {os.path.realpath(entry.path)}"
        sheet = os.path.join(path, SHEET)
        if kind == "folder" and os.path.lexists(os.path.join(root, sheet)):
            _stamp(root, sheet, seen)


def _entries(folder: str, *hidden: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from (entry for entry in entries if not entry.name.startswith(hidden))


def _stamp(root: str, path: str, seen: Seen) -> None:
    full = os.path.join(root, path)
    own = os.lstat(full)
    stamp, newest = _words(own), max(own.st_mtime_ns, own.st_ctime_ns)
    if stat.S_ISLNK(own.st_mode):
        stamp += f" {os.path.realpath(full)}"
        if os.path.exists(full):
            target = os.stat(full)
            stamp += f" {_words(target)}"
            newest = max(newest, target.st_mtime_ns, target.st_ctime_ns)
    seen.stamps[path], seen.newest[path] = stamp, newest


def _words(found: os.stat_result) -> str:
    times = f"{found.st_mtime_ns} {found.st_ctime_ns}"
    return f"{found.st_mode:o} {found.st_size} {times} {found.st_ino}"


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
