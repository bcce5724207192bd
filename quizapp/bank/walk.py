"""Walking a question: each text and each run with the path that leads to it in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from quizapp.bank.models import BaseQuestion, Choice, MultiQuestion, Run, SingleQuestion
from quizapp.text import Text

Path = tuple[str | int, ...]


def texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Text]]:
    """Every `Text` below a model, with its path in the YAML file."""
    if isinstance(value, Text):
        yield path, value
    elif isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            yield from texts(getattr(value, name), (*path, field.alias or name))
    elif isinstance(value, tuple):
        for index, entry in enumerate(value):
            yield from texts(entry, (*path, index))


def wordings(path: Path, text: Text) -> Iterator[tuple[Path, str, str]]:
    """(path, language, wording) of one text; the language is "" where there is only one form."""
    for language, wording in text.by_language:
        yield (*path, language) if language else path, language, wording


def choices(question: BaseQuestion) -> tuple[Choice, ...]:
    """The choices of a question; none for kinds without."""
    if isinstance(question, SingleQuestion | MultiQuestion):
        return question.choices
    return ()


def run_behind(question: BaseQuestion, choice: Choice | None) -> Run:
    """What is run for a choice: its counterfactual, else the question's experiment.

    A counterfactual changes one thing: in the same experiment it keeps every other
    parameter of the question's run.
    """
    own, other = question.experiment, None if choice is None else choice.counterfactual
    if other is None or other.run != own.run:
        return other or own
    return other.model_copy(update={"with_": {**own.with_, **other.with_}})


def run_of_text(question: BaseQuestion, path: Path, *, right: bool) -> Run:
    """The run that `{name}` (or `{right.name}`) in the text at `path` takes its number from.

    In a choice's own texts that is the choice's run, in a sentence of `claims` that
    sentence's, elsewhere the question's. Only a single question has one right option;
    elsewhere `right` is the question's run.
    """
    options = choices(question)
    if right and isinstance(question, SingleQuestion):
        return run_behind(question, next((c for c in options if c.correct), None))
    if not right and options and len(path) > 1 and path[0] == "choices":
        return run_behind(question, options[int(path[1])])
    if not right and len(path) > 1 and path[0] == "claims":
        return question.claims[int(path[1])].run or question.experiment
    return question.experiment


def runs(question: BaseQuestion) -> Iterator[tuple[Path, Run]]:
    """The question's experiment, every counterfactual, and every run a sentence is tied to."""
    yield ("experiment",), question.experiment
    for index, choice in enumerate(choices(question)):
        if choice.counterfactual is not None:
            yield ("choices", index, "counterfactual"), choice.counterfactual
    for index, sentence in enumerate(question.claims):
        if sentence.run is not None:
            yield ("claims", index, "run"), sentence.run
