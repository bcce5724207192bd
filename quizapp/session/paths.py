"""Where things lie: the learner's data, and the banks that come with the program."""

from __future__ import annotations

import os
from pathlib import Path

import quizapp
from quizapp.errors import ContentError


def data_folder() -> Path:
    """The learner's folder; `QUIZAPP_HOME` overrides the system's own place."""
    if home := os.environ.get("QUIZAPP_HOME"):
        return Path(home).expanduser()
    from platformdirs import user_data_path

    return user_data_path("quizapp", appauthor=False)


def cache_folder() -> Path:
    """Where things lie that can be made again; inside `QUIZAPP_HOME` when that is set."""
    if home := os.environ.get("QUIZAPP_HOME"):
        return Path(home).expanduser() / "cache"
    from platformdirs import user_cache_path

    return user_cache_path("quizapp", appauthor=False)


def banks_cache(home: Path | None = None) -> Path:
    """Where compiled banks are kept, for the learner whose folder is `home` or the usual one."""
    return (cache_folder() if home is None else home / "cache") / "banks"


def shipped_banks() -> Path:
    """`questions/` of a checkout, else the copy inside the installed package.

    Raises ContentError where neither is there.
    """
    package = Path(quizapp.__file__).parent
    for folder in (package / "_questions", package.parent / "questions"):
        if folder.is_dir():
            return folder
    raise ContentError(
        "the question banks that come with quizapp are missing",
        where=str(package.parent / "questions"),
        remedy="Install quizapp again, or name your own with `quizapp config banks PATH`.",
    )
