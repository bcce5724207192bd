"""Runs that were made before: an author who mends a sentence waits for none of them.

A run is known by its experiment, parameters, seed and device, and by a hash of everything
that computes it: the code of the lab and the versions of torch and NumPy. Only numbers are
kept, no plots. A cache that cannot be read or written is done without: it saves time alone.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from functools import cache
from importlib import metadata
from pathlib import Path

from pydantic import ValidationError

import quizapp
from quizapp.report import Report
from quizapp.session.paths import cache_folder
from quizapp.session.trial import Planned

#: What a run depends on, below the package.
ROOMS = ("lab", "report")


@cache
def code_hash() -> str:
    """A fingerprint of everything that computes a run."""
    package = Path(quizapp.__file__).parent
    digest = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((package / room).rglob("*.py")):
            digest.update(str(file.relative_to(package)).encode() + b"\0" + file.read_bytes())
    for library in ("torch", "numpy"):
        digest.update(f"{library} {metadata.version(library)}".encode())
    return digest.hexdigest()


class RunCache:
    """Complete reports on disk. Every method does nothing where the disk is in the way."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder()
        self._db = self._open()

    def _open(self) -> sqlite3.Connection | None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._folder / "runs.db", isolation_level=None)
            db.execute("CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, report TEXT) STRICT")
            # Runs of older code are never asked for again.
            db.execute("DELETE FROM run WHERE key NOT LIKE ?", [f"{code_hash()}%"])
        except (OSError, sqlite3.Error):
            return None
        return db

    def get(self, planned: Planned, device: str) -> Report | None:
        """The report of that run, if it was made by this very code."""
        if self._db is None:
            return None
        try:
            row = self._db.execute(
                "SELECT report FROM run WHERE key = ?", [_key(planned, device)]
            ).fetchone()
            return None if row is None else Report.model_validate_json(row[0])
        except (sqlite3.Error, ValidationError):
            return None

    def put(self, planned: Planned, device: str, report: Report) -> None:
        """Keep a complete report; one that failed is tried again next time."""
        if self._db is None or report.status != "final" or report.cross_check is None:
            return
        plain = {"tables": (), "curves": (), "histograms": (), "heat_maps": (), "trace": ()}
        kept = report.model_copy(update=plain).model_dump_json()
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO run VALUES (?, ?)", [_key(planned, device), kept]
            )
        except sqlite3.Error:
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None


def _key(planned: Planned, device: str) -> str:
    said = json.dumps([planned.experiment, planned.params, device], sort_keys=True, default=list)
    return f"{code_hash()}:{hashlib.sha256(said.encode()).hexdigest()}"
