"""Experiments for the command line: list them, run one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from quizapp.errors import MachineError, QuizappError, UsageError
from quizapp.lab import catalogue, params
from quizapp.lab.client import Engine
from quizapp.lab.told import BrokenExperimentError
from quizapp.lab.wire import Own
from quizapp.report import Failure, Report
from quizapp.text import Text
from quizapp.text.i18n import language


def listed() -> Iterator[tuple[str, str]]:
    """Every experiment with its claim in the current language."""
    for name in catalogue.names():
        yield name, claim(name).to(language())


def claim(name: str) -> Text:
    """What the experiment is for, in a line; of one that cannot be loaded, why not."""
    try:
        return catalogue.describe(name).claim
    except BrokenExperimentError as error:
        return error.text


def exists(name: str) -> None:
    """Raises UsageError, with the closest name, where there is no such experiment."""
    if name not in catalogue.names():
        catalogue.load(name)


def found(words: str) -> tuple[tuple[str, str], ...]:
    """The experiments whose name or claim, in any language, has every one of `words`.

    Each with its claim in the current language. Reads every file the first time.
    """
    wanted = words.casefold().split()
    matching = []
    for name in catalogue.names():
        said = claim(name)
        text = " ".join((name, *(words for _, words in said.by_language))).casefold()
        if all(word in text for word in wanted):
            matching.append((name, said.to(language())))
    return tuple(matching)


async def run_once(
    name: str,
    settings: Iterable[str],
    device: str,
    progress: Callable[[Report], None] = lambda _: None,
    *,
    tf32: bool = False,
    own: Own | None = None,
) -> Report:
    """The complete report of one run, cross-check included.

    settings: ``key=value`` words. Raises UsageError for what cannot be run, before any
    tensor is made, and MachineError for what the machine cannot do.
    """
    values = params.parse(name, settings).model_dump()
    engine = Engine()
    last: Report | None = None
    try:
        async for report in await engine.submit(name, values, device, tf32=tf32, own=own):
            last = report
            progress(report)
    finally:
        await engine.close()
    assert last is not None
    if last.failure is not None:
        raise as_error(last.failure)
    return last


def as_error(failure: Failure) -> QuizappError:
    """The failure of a run as an error with an exit code."""
    what, _, remedy = failure.text.to(language()).partition("\n")
    kind = UsageError if failure.kind in ("params", "device") else MachineError
    return kind(what, remedy=remedy.strip())
