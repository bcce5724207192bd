"""Walking a question: each text and each run with the path that leads to it in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from quizapp.bank.kinds.matching import belief
from quizapp.bank.models import (
    BaseQuestion,
    BlankQuestion,
    Choice,
    ClaimQuestion,
    Expectation,
    Item,
    MatchQuestion,
    MultiQuestion,
    NumericAnswer,
    NumericQuestion,
    OrderQuestion,
    Run,
    ShapeQuestion,
    ShapeSlip,
    SingleQuestion,
)
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
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from texts(entry, (*path, key))


def wordings(path: Path, text: Text) -> Iterator[tuple[Path, str, str]]:
    """(path, language, wording) of one text; the language is "" where there is only one form."""
    for language, wording in text.by_language:
        yield (*path, language) if language else path, language, wording


def choices(question: BaseQuestion) -> tuple[Choice, ...]:
    """The choices of a question; none for kinds without."""
    if isinstance(question, SingleQuestion | MultiQuestion):
        return question.choices
    return ()


def options(question: BaseQuestion) -> Iterator[tuple[Path, Choice]]:
    """Everything a learner can believe that states what one would measure, with its path."""
    for index, choice in enumerate(choices(question)):
        yield ("choices", index), choice
    if isinstance(question, OrderQuestion):
        for index, choice in enumerate(question.distractors):
            yield ("distractors", index), choice
    if isinstance(question, BlankQuestion):
        for number, blank in enumerate(question.blanks):
            field = "choices" if blank.choices else "written"
            for index, choice in enumerate(blank.options):
                yield ("blanks", number, field, index), choice


def stated_numbers(question: BaseQuestion) -> Iterator[tuple[Path, NumericAnswer]]:
    """Every number a learner is asked for with a tolerance, with its path."""
    if isinstance(question, NumericQuestion):
        yield ("answer",), question.answer
    if isinstance(question, BlankQuestion):
        for index, blank in enumerate(question.blanks):
            if blank.answer is not None:
                yield ("blanks", index, "answer"), blank.answer


def _with_own_run(question: BaseQuestion) -> Iterator[tuple[Path, Choice | Item | ShapeSlip]]:
    """Every part of a question that may have a run of its own."""
    yield from options(question)
    if isinstance(question, MatchQuestion):
        yield from ((("items", index), item) for index, item in enumerate(question.items))
    if isinstance(question, ShapeQuestion):
        yield from ((("slips", index), slip) for index, slip in enumerate(question.slips))


def run_behind(question: BaseQuestion, part: Choice | Item | ShapeSlip | None) -> Run:
    """What is run for a part of a question: its counterfactual, else the question's experiment.

    A counterfactual changes one thing: in the same experiment it keeps every other
    parameter of the question's run.
    """
    own, other = question.experiment, None if part is None else part.counterfactual
    if other is None or other.run != own.run:
        return other or own
    return other.model_copy(update={"with_": {**own.with_, **other.with_}})


def run_of_text(question: BaseQuestion, path: Path, *, right: bool) -> Run:
    """The run that `{name}` (or `{right.name}`) in the text at `path` takes its number from.

    In the texts of a part with a run of its own that is this run, in a sentence of `claims`
    that sentence's, elsewhere the question's. Only a single question has one right option;
    elsewhere `right` is the question's run.
    """
    if right:
        single = isinstance(question, SingleQuestion)
        chosen = next((c for c in choices(question) if c.correct), None) if single else None
        return run_behind(question, chosen)
    for place, part in _with_own_run(question):
        if path[: len(place)] == place:
            return run_behind(question, part)
    if len(path) > 1 and path[0] == "claims":
        return question.claims[int(path[1])].run or question.experiment
    return question.experiment


def runs(question: BaseQuestion) -> Iterator[tuple[Path, Run]]:
    """The question's experiment, every counterfactual, and every run a sentence is tied to."""
    yield ("experiment",), question.experiment
    for path, part in _with_own_run(question):
        if part.counterfactual is not None:
            yield (*path, "counterfactual"), part.counterfactual
    for index, sentence in enumerate(question.claims):
        if sentence.run is not None:
            yield ("claims", index, "run"), sentence.run


def expectations(question: BaseQuestion) -> Iterator[tuple[Path, Run, Expectation]]:
    """Every expectation of a question: (path, the run that judges it, expectation).

    What a partner of a match expects is judged by the run of each of its items.
    """
    for path, choice in options(question):
        for number, expectation in enumerate(choice.expects):
            yield (*path, "expects", number), run_behind(question, choice), expectation
    if isinstance(question, ClaimQuestion):
        for number, expectation in enumerate(question.expects):
            yield ("expects", number), question.experiment, expectation
    if isinstance(question, OrderQuestion):
        for index, step in enumerate(question.steps):
            for number, expectation in enumerate(step.expects):
                yield ("steps", index, "expects", number), question.experiment, expectation
    if isinstance(question, MatchQuestion):
        yield from _of_pairs(question)
    for number, sentence in enumerate(question.claims):
        yield ("claims", number), sentence.run or question.experiment, sentence


def _of_pairs(question: MatchQuestion) -> Iterator[tuple[Path, Run, Expectation]]:
    # Every partner is tried on every item: a wrong one must be refuted there.
    for index, partner in enumerate(question.partners):
        for item in question.items:
            run = run_behind(question, belief(item, partner))
            for number, expectation in enumerate(partner.expects):
                yield ("partners", index, "expects", number), run, expectation
