"""Scaffolds: what a new bank, question, exercise or experiment begins with.

The files lie in `templates/` and pass `quizapp check` as they stand. Their comments teach, each
in two lines, `# en …` and `# zh …`; an author gets those of one language. Where a learner will
read the comments of an exercise, both stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from quizapp.bank.exercises import SOLUTIONS, STARTER, in_language

_TEMPLATES: Final = Path(__file__).with_name("templates")
_SUFFIX: Final = ".tmpl"
#: Parts of an exercise that a learner reads in their own language.
_READ_BY_LEARNERS: Final = (STARTER, SOLUTIONS)


def kinds() -> tuple[str, ...]:
    """The kinds of question there is a scaffold for."""
    names = (path.name for path in (_TEMPLATES / "question").iterdir())
    return tuple(sorted(name.removesuffix(f".yaml{_SUFFIX}") for name in names))


def bank(name: str, schema: str, language: str) -> str:
    """`bank.yaml` of a bank with the id `name`; schema: the path that its editor line names."""
    title = name.replace("-", " ").capitalize()
    given = {"ID": name, "SCHEMA": schema, "TITLE": title}
    return _filled(_TEMPLATES / f"bank.yaml{_SUFFIX}", given, language)


def question(kind: str, name: str, schema: str, language: str) -> str:
    """A file with one question of `kind` and the id `name`."""
    path = _TEMPLATES / "question" / f"{kind}.yaml{_SUFFIX}"
    return _filled(path, {"ID": name, "SCHEMA": schema}, language)


def exercise(name: str, schema: str, language: str) -> Mapping[Path, str]:
    """The files of an exercise by their paths in its folder, `exercise.yaml` first."""
    return dict(_exercise(name, schema, language))


def experiment(name: str, language: str) -> str:
    """The file of an experiment."""
    return _filled(_TEMPLATES / f"experiment.py{_SUFFIX}", {"ID": name}, language)


def _exercise(name: str, schema: str, language: str) -> Iterator[tuple[Path, str]]:
    folder = _TEMPLATES / "exercise"
    for path in sorted(folder.rglob(f"*{_SUFFIX}"), key=lambda each: (len(each.parts), each)):
        inside = path.relative_to(folder).with_suffix("")
        kept = None if inside.parts[0] in _READ_BY_LEARNERS else language
        yield inside, _filled(path, {"ID": name, "SCHEMA": schema}, kept)


def _filled(path: Path, given: Mapping[str, str], language: str | None) -> str:
    """A template with its `__NAMES__` replaced, and the comments of one language."""
    text = path.read_text(encoding="utf-8")
    for name, value in given.items():
        text = text.replace(f"__{name}__", value)
    return text if language is None else in_language(text, language)
