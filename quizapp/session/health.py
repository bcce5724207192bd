"""What `quizapp doctor` finds: versions, devices, terminal, data folder, banks."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

import quizapp
from quizapp.errors import QuizappError
from quizapp.grader.client import Judge
from quizapp.lab.client import Engine
from quizapp.session import checking, paths, terminal
from quizapp.session.session import open_store

LIBRARIES = ("torch", "numpy", "textual", "pydantic", "PyYAML", "click", "fsrs", "platformdirs")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, how it is, and what to do where it is not well."""

    name: str
    state: Literal["ok", "warning", "trouble"]
    text: str
    remedy: str = ""


async def examine() -> tuple[Finding, ...]:
    """Look at everything the program needs. Never raises for what it finds."""
    python = f"Python {platform.python_version()} at {sys.executable}"
    found = [
        Finding("quizapp", "ok", f"{quizapp.__version__}, {python}, {platform.platform()}"),
        _libraries(),
        _sqlite(),
        await _lab(),
        await _grader(),
        *_terminal(),
        _guarded("data", _data),
        _guarded("banks", _banks),
    ]
    return tuple(found)


def _guarded(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except QuizappError as error:
        where = f"{error.where}: " if error.where else ""
        return Finding(name, "trouble", where + error.what, error.remedy)


def _libraries() -> Finding:
    versions, missing = [], []
    for name in LIBRARIES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        remedy = "Install quizapp again, as the README says."
        return Finding("libraries", "trouble", f"missing: {', '.join(missing)}", remedy)
    return Finding("libraries", "ok", ", ".join(versions))


def _sqlite() -> Finding:
    if sqlite3.sqlite_version_info < (3, 37):
        text = f"{sqlite3.sqlite_version}: strict tables need 3.37 or newer"
        return Finding("SQLite", "trouble", text, "Use a newer Python, or a newer libsqlite3.")
    return Finding("SQLite", "ok", sqlite3.sqlite_version)


async def _lab() -> Finding:
    engine = Engine()
    try:
        ready = await engine.ready()
        if ready.torch is None:
            remedy = "Questions still work; `pip install torch` brings the lab back."
            return Finding("lab", "trouble", ready.problem, remedy)
        devices = ", ".join(ready.devices)
        text = f"torch {ready.torch} on {devices}; warm in {ready.seconds:.1f} s"
        return Finding("lab", "ok", text)
    except QuizappError as error:
        return Finding("lab", "trouble", str(error))
    finally:
        await engine.close()


async def _grader() -> Finding:
    """How well a learner's code is confined, found out by starting the judge."""
    judge = Judge()
    try:
        ready = await judge.ready()
    except QuizappError as error:
        return Finding("grader", "trouble", str(error))
    finally:
        await judge.close()
    if ready.isolation != "strict":
        text = "submissions have limits of time and memory only: no seccomp on this system"
        remedy = "Practise with your own code; grade that of others on Linux (x86-64, aarch64)."
        return Finding("grader", "warning", text, remedy)
    text = f"submissions reach no file, no network, no process; warm in {ready.seconds:.1f} s"
    return Finding("grader", "ok", text)


def _terminal() -> list[Finding]:
    size = shutil.get_terminal_size()
    state: Literal["ok", "warning"] = "ok" if size.columns >= 60 and size.lines >= 18 else "warning"
    text = f"TERM={os.environ.get('TERM', '')}, {size.columns}×{size.lines}, {terminal.colours()}"
    remedy = "" if state == "ok" else "quizapp needs 60 columns and 18 lines."
    return [Finding("terminal", state, text, remedy), _glyphs()]


def _glyphs() -> Finding:
    widths = terminal.measure()
    if widths is None:
        return Finding("glyphs", "warning", "not measured: standard input is no terminal")
    wide = [glyph for glyph, width in widths.items() if width != 1]
    if wide:
        text = f"drawn two cells wide: {' '.join(wide)}"
        return Finding("glyphs", "warning", text, "Use `quizapp --ascii`.")
    return Finding("glyphs", "ok", f"one cell each: {' '.join(widths)}")


def _data() -> Finding:
    folder = paths.data_folder()
    with open_store() as store:
        notices = "; ".join(store.notices)
        answers = len(store.ever_answered())
    text = f"{folder}: {answers} questions answered"
    return Finding("data", "warning" if notices else "ok", text, notices)


def _banks() -> Finding:
    checked = checking.check(paths.shipped_banks())
    names = ", ".join(f"{bank.id} ({len(bank.questions)})" for bank in checked.banks)
    errors = sum(found.severity == "error" for found in checked.diagnostics)
    if errors:
        remedy = "`quizapp check` shows each at its line."
        return Finding("banks", "trouble", f"{names}; {errors} mistakes", remedy)
    return Finding("banks", "ok", f"{names} in {paths.shipped_banks()}")
