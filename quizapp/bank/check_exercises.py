"""Rules about exercises: the files that belong to one, the names in them, and what is promised.

Python is parsed here, never run: whether solutions pass and mistakes fail is for the grader.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from quizapp.bank import source as sources
from quizapp.bank.bank import Bank
from quizapp.bank.check_texts import digits, languages
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.exercises import (
    MISTAKES,
    PLAIN_NAME,
    SHEET,
    SOLUTIONS,
    STARTER,
    TESTS,
    Exercise,
    ExerciseFolder,
    SameAs,
)
from quizapp.bank.load_exercises import entries, leads_out, link_out
from quizapp.bank.source import Source
from quizapp.bank.walk import Path as Place
from quizapp.bank.walk import texts, wordings
from quizapp.bank.words import clip, closest, listed
from quizapp.text import Text

MIN_SOLUTIONS: Final = 2


def check_exercises(bank: Bank) -> Iterator[Diagnostic]:
    """Findings about every exercise of a bank."""
    for folder in bank.exercises.values():
        yield from _texts(bank, folder)
        yield from _sizes(folder)
        yield from _same_as(folder)
        yield from _followups(bank, folder)
        yield from _files(bank, folder)


def _texts(bank: Bank, folder: ExerciseFolder) -> Iterator[Diagnostic]:
    for path, text in texts(folder.exercise):
        yield from languages(bank.header.languages, folder.file.diagnose, path, text)
        for place, _, wording in wordings(path, text):
            yield from digits(folder.file.diagnose, place, wording)


def _sizes(folder: ExerciseFolder) -> Iterator[Diagnostic]:
    """Every size of a result, and of a constructor, is one that some argument gives."""
    exercise = folder.exercise
    bound = [
        size
        for argument in exercise.arguments
        if argument.shape is not None and not argument.broadcast
        for size in argument.shape
        if "+" not in size
    ]
    numbers = [argument.name for argument in exercise.arguments if argument.type is not None]
    asked: list[tuple[Place, str]] = [
        (("returns", i, "shape", j), term)
        for i, returned in enumerate(exercise.returns)
        for j, size in enumerate(returned.shape)
        for term in size.split("+")
    ]
    if exercise.class_ is not None:
        asked += [(("class", "init", i), name) for i, name in enumerate(exercise.class_.init)]
    for path, name in asked:
        if not name.isdigit() and name not in (*bound, *numbers):
            message = f"no argument gives the size `{name}`{closest(name, [*bound, *numbers])}"
            remedy = f"Given are {listed(dict.fromkeys([*bound, *numbers]))}."
            yield folder.file.diagnose("QB089", path, message, remedy)


def _same_as(folder: ExerciseFolder) -> Iterator[Diagnostic]:
    told = folder.exercise.mistakes
    known = [name for name, diagnosis in told.items() if isinstance(diagnosis, Text)]
    for name, diagnosis in told.items():
        if isinstance(diagnosis, SameAs) and diagnosis.id not in known:
            path = ("mistakes", name, "same_as")
            if diagnosis.id in told:
                message = f"`{diagnosis.id}` has no text of its own"
            else:
                message = f"there is no mistake `{diagnosis.id}`{closest(diagnosis.id, known)}"
            remedy = "Name a mistake of this exercise that has a text."
            yield folder.file.diagnose("QB084", path, message, remedy)


def _followups(bank: Bank, folder: ExerciseFolder) -> Iterator[Diagnostic]:
    known = {*bank.questions, *bank.broken}
    for index, name in enumerate(folder.exercise.followups):
        if name not in known and bank.complete:
            message = f"there is no question `{name}`{closest(name, known)}"
            remedy = "Name a question of this bank."
            yield folder.file.diagnose("QB035", ("followups", index), message, remedy)


def _files(bank: Bank, folder: ExerciseFolder) -> Iterator[Diagnostic]:
    found: list[Diagnostic] = []
    top = _inside(folder.path, found)
    for name in (STARTER, TESTS):
        if folder.path / name not in top:
            message = f"there is no {name} beside {SHEET}"
            yield folder.file.diagnose("QB081", ("id",), message, f"Add a {name}.")
    for path in top:
        if path.is_dir() and path.name in (SOLUTIONS, MISTAKES):
            continue
        if path.name == STARTER:
            yield from _python(path, (folder.exercise.entry,))
        elif path.name == TESTS:
            yield from _tests(path, bank)
        elif path.name != SHEET:
            yield _stray(path)
    yield from _solutions(folder, found)
    yield from _mistakes(folder, found)
    yield from found


def _solutions(folder: ExerciseFolder, found: list[Diagnostic]) -> Iterator[Diagnostic]:
    solutions = _modules(folder.path / SOLUTIONS, found)
    if len(solutions) < MIN_SOLUTIONS:
        message = f"{SOLUTIONS} needs at least {MIN_SOLUTIONS} files, not {len(solutions)}"
        remedy = "Add solutions that are written differently: each must pass the tests."
        yield folder.file.diagnose("QB082", ("id",), message, remedy)
    for path in solutions.values():
        yield from _python(path, _entries(folder.exercise))


def _mistakes(folder: ExerciseFolder, found: list[Diagnostic]) -> Iterator[Diagnostic]:
    files, told = _modules(folder.path / MISTAKES, found), folder.exercise.mistakes
    for name in told:
        if name not in files:
            strangers = [other for other in files if other not in told]
            message = f"there is no file {MISTAKES}/{name}.py{closest(name, strangers)}"
            remedy = "Add it, or remove the line."
            yield folder.file.diagnose("QB083", ("mistakes", name), message, remedy, key=True)
    for name, path in files.items():
        if name not in told:
            message = f"the mistake has no entry under `mistakes` in {SHEET}{closest(name, told)}"
            remedy = f"Add `{name}:` there, with its diagnosis or `none`."
            yield Source(str(path), "").diagnose("QB083", None, message, remedy)
            continue
        yield from _python(path, _entries(folder.exercise))


def _entries(exercise: Exercise) -> tuple[str, ...]:
    """What a submission may define: the function, or the class in its place."""
    return (exercise.entry, *(() if exercise.class_ is None else (exercise.class_.name,)))


def _modules(folder: Path, found: list[Diagnostic]) -> dict[str, Path]:
    """The Python files of a folder by name; what else lies there is told."""
    if not folder.is_dir() or leads_out(folder, folder.parent):
        return {}
    kept = {}
    for path in _inside(folder, found):
        if path.suffix == ".py" and path.is_file() and re.match(PLAIN_NAME, path.stem):
            kept[path.stem] = path
        else:
            found.append(_stray(path))
    return kept


def _inside(folder: Path, found: list[Diagnostic]) -> list[Path]:
    """What lies in a folder, links out of it refused."""
    paths = entries(folder, found)
    found += [link_out(path, folder) for path in paths if leads_out(path, folder)]
    return [path for path in paths if not leads_out(path, folder)]


def _stray(path: Path) -> Diagnostic:
    message = f"`{clip(path.name)}` is not read as a part of the exercise"
    remedy = f"Solutions and mistakes are {SOLUTIONS}/NAME.py and {MISTAKES}/NAME.py; move it away."
    return Source(str(path), "").diagnose("QB031", None, message, remedy, "warning")


def _python(path: Path, names: tuple[str, ...]) -> Iterator[Diagnostic]:
    """A file must be Python, and define one of `names` at its top level."""
    source, tree, found = _parse(path)
    yield from found
    if tree is None:
        return
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if not set(names) & set(defined):
        guess = closest(names[0], defined)
        message = f"defines neither of {listed(names)}" if names[1:] else f"no `{names[0]}` here"
        remedy = "Define it at the top level, under exactly that name."
        yield source.diagnose("QB087", None, f"{message}{guess}", remedy)


def _tests(path: Path, bank: Bank) -> Iterator[Diagnostic]:
    """Every test has a sentence in each language of the bank; there is one at least."""
    source, tree, found = _parse(path)
    yield from found
    if tree is None:
        return
    tests = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    if not tests:
        message = "there is no test here"
        remedy = "Write functions `test_…(submission)`."
        yield source.diagnose("QB087", None, message, remedy)
    for test in tests:
        missing = [name for name in bank.header.languages if name not in _sentence(test)]
        if missing:
            message = f"`{test.name}` has no sentence in {listed(missing)}"
            remedy = "Put @named(en=…, zh=…) above it: it is what a learner sees of the test."
            at = (test.lineno, test.col_offset + 1)
            yield source.diagnose("QB088", at, message, remedy)


def _sentence(test: ast.FunctionDef) -> set[str]:
    """The languages in which `@named` names a test."""
    return {
        word.arg
        for call in test.decorator_list
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "named"
        for word in call.keywords
        if word.arg is not None
    }


def _parse(path: Path) -> tuple[Source, ast.Module | None, list[Diagnostic]]:
    source, found = sources.read(path)
    if found:
        return source, None, found
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a learner's string is nothing to tell
            return source, ast.parse(source.text), []
    except SyntaxError as error:
        lines = len(source.lines)
        line, column = min(error.lineno or 1, lines), error.offset or 1
        at = (line, min(max(1, column), len(source.lines[line - 1]) + 1))
        message = f"this is not Python: {error.msg}"
        return source, None, [source.diagnose("QB086", at, message, "Run the file once.")]
    except (ValueError, RecursionError, MemoryError) as error:
        message = f"this is not Python: {clip(str(error)) or type(error).__name__}"
        return source, None, [source.diagnose("QB086", None, message, "Run the file once.")]
