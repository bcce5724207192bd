"""Where compiled banks lie on disk: a folder of the learner's own, a file for each root.

A file is written whole beside its place and then put there, so that another process sees
the old one or the new one, and one that has the old one open goes on reading it. A folder
or file that somebody else could have written is left alone, and so is a disk that refuses:
the cache saves time, and decides nothing.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import time
from collections.abc import Callable
from zlib import crc32

import quizapp
from quizapp.compiled.index import Damaged
from quizapp.compiled.seen import look
from quizapp.compiled.store import FORMAT, Compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: Rooms whose code decides what a bank comes to.
_ROOMS: Final = ("bank", "compiled", "text")
#: Seconds after which a root that nobody has changed or read anew is forgotten.
_FORGOTTEN: Final = 90 * 24 * 3600


def code() -> str:
    """A name for the code that compiles: another release, or an edited file, has another."""
    package = os.path.dirname(quizapp.__file__)
    total, latest = 0, 0
    for room in _ROOMS:
        for folder, _folders, files in os.walk(os.path.join(package, room)):
            for name in files:
                if name.endswith(".py"):
                    found = os.stat(os.path.join(folder, name))
                    total += found.st_size
                    latest = max(latest, found.st_mtime_ns, found.st_ctime_ns)
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{quizapp.__version__} {FORMAT} {python} {total} {latest}"


def open_fresh(root: str, folder: str) -> Compiled | None:
    """What is kept of the banks at `root`, if reading them again would come to the same."""
    kept = open_kept(root, folder)
    if kept is None:
        return None
    try:
        fresh = look(root).confirms(kept.stamps, kept.at)
    except OSError:  # what is in the way is told by whoever reads the files
        fresh = False
    if fresh:
        return kept
    kept.close()
    return None


def open_kept(root: str, folder: str) -> Compiled | None:
    """What this very code kept of the banks at `root`, whether or not they have changed since."""
    path = _file(root, folder)
    if not (_own(folder, stat.S_ISDIR) and _own(path, stat.S_ISREG)):
        return None
    try:
        # Nobody changes a file in its place: no lock and no journal has to be looked for.
        db = sqlite3.connect(f"{_uri(path)}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    except sqlite3.Error:
        return None
    try:
        return Compiled(db, os.path.abspath(root), code())
    except Damaged:
        db.close()
        return None


def write(kept: Compiled, folder: str) -> bool:
    """Keep it for the next time; False where the disk refuses or `folder` is not our own."""
    from tempfile import mkstemp

    path = _file(kept.root, folder)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not _own(folder, stat.S_ISDIR):
            return False
        handle, beside = mkstemp(dir=folder, suffix=".new")
    except OSError:
        return False
    try:
        os.close(handle)
        kept.copy_to(beside)
        os.replace(beside, path)
    except (OSError, sqlite3.Error):
        _remove(beside)
        return False
    _tidy(folder)
    return True


def discard(root: str, folder: str) -> None:
    """Forget what is kept of the banks at `root`."""
    if _own(folder, stat.S_ISDIR):
        _remove(_file(root, folder))


def _file(root: str, folder: str) -> str:
    # Two roots that share a name would only take turns: the root is written inside as well.
    name = crc32(os.fsencode(os.path.abspath(root)))
    return os.path.join(folder, f"{name:08x}.db")


def _own(path: str, is_kind: Callable[[int], bool]) -> bool:
    """Whether `path` is of that kind, no link, ours, and closed to the writing of others."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    if not is_kind(found.st_mode):
        return False
    # Windows keeps other users out of a profile by itself, and has no such numbers.
    private = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return os.name == "nt" or (private and found.st_uid == os.geteuid())


def _uri(path: str) -> str:
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:///{escaped}".replace("\\", "/") if os.name == "nt" else f"file:{escaped}"


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _tidy(folder: str) -> None:
    before = time.time() - _FORGOTTEN
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_mtime < before:
                _remove(entry.path)
