"""Variants: one question asked with other numbers at each repeat.

`{name}` in a text, in `with:` or in place of a number is the value of the variant that is
asked; `rendered` puts it there. What is left is a question like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from quizapp.bank.arithmetic import MEANS, Uncomputable, Value, compute, whole
from quizapp.bank.bank import BankFile
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import BaseQuestion, Question, Run, Variants, Written
from quizapp.bank.walk import Path
from quizapp.bank.words import closest, listed
from quizapp.bank.written import SLOT, Slot
from quizapp.text import Text
from quizapp.text.placeholders import Placeholder, parse

_SLOT: Final = re.compile(SLOT)
Q = TypeVar("Q", bound=BaseQuestion)


class Unfit(Exception):  # noqa: N818 - says what a variant is
    """A question cannot be asked with a variant's values. place: where, below the question."""

    def __init__(self, code: str, place: Path, message: str, remedy: str) -> None:
        super().__init__(message)
        self.code, self.place, self.message, self.remedy = code, place, message, remedy


@dataclass(frozen=True, slots=True)
class Case:
    """A question as one variant asks it; `name` tells which, "variant 2 (d_k = 128)"."""

    name: str
    values: Mapping[str, Value]
    question: Question


def values_of(variants: Variants, index: int) -> dict[str, Value]:
    """Every value of one variant, from 0, those by arithmetic included. Raises Unfit."""
    known: dict[str, Value] = {name: whole(x) for name, x in variants.values[index].items()}
    for name, formula in variants.let.items():
        try:
            known[name] = compute(formula, known)
        except Uncomputable as error:
            message = f"`{name}` is no number in {_named(variants, index)}: {error}"
            at = ("variants", "let", name)
            raise Unfit("QB046", at, message, f"Write it with {MEANS}.") from error
    return known


def turn_of(reference: str, count: int, turn: int) -> int:
    """Which of `count` variants is asked at the n-th time, from 0: all in turn, then again.

    Their order hangs on the question's name alone.
    """
    order = sorted(range(count), key=lambda index: sha256(f"{reference}/{index}".encode()).digest())
    return order[turn % count]


def cases(question: Question) -> tuple[Case, ...]:
    """The question as each of its variants asks it; as it is where it has none. Raises Unfit."""
    if question.variants is None:
        return (Case("", {}, question),)
    made = []
    for index in range(len(question.variants.values)):
        values = values_of(question.variants, index)
        name = _named(question.variants, index)
        made.append(Case(name, values, _rendered(question, values, name)))
    return tuple(made)


def rendered(question: Q, values: Mapping[str, Value]) -> Q:
    """The question asked with these values. Raises Unfit where it cannot be."""
    return _rendered(question, values, "these values")


def _rendered(question: Q, values: Mapping[str, Value], name: str) -> Q:
    data = {**_fields(question, values, ()), "variants": None}
    try:
        return type(question).model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = tuple(step for step in first["loc"] if step != "[key]")
        wanted = first.get("ctx", {}).get("wanted", first["msg"])
        shown = first["input"] if isinstance(first["input"], int | float) else "what it is"
        message = f"in {name} `{place[-1] if place else ''}` would be {shown}"
        raise Unfit("QB048", place, message, f"It must be {wanted}.") from error


def _named(variants: Variants, index: int) -> str:
    given = ", ".join(f"{name} = {x:g}" for name, x in variants.values[index].items())
    return f"variant {index + 1} ({given})"


# --- putting values in place -------------------------------------------------------------


def _fields(model: BaseModel, values: Mapping[str, Value], at: Path) -> dict[str, Any]:
    made = {}
    for name, field in type(model).model_fields.items():
        key = field.alias or name
        if key != "variants":
            made[key] = _put(getattr(model, name), values, (*at, key))
    if isinstance(model, Run):
        made["with"] = {
            key: _parameter(x, values, (*at, "with", key)) for key, x in model.with_.items()
        }
    if isinstance(model, Written):
        made["forms"] = tuple(fill_in(form, values) for form in model.forms)
    return made


def _put(value: Any, values: Mapping[str, Value], at: Path) -> Any:
    if isinstance(value, Text):
        return Text(tuple((said, fill_in(words, values)) for said, words in value.by_language))
    if isinstance(value, Slot):
        return _value(value.name, values, at)
    if isinstance(value, BaseModel):
        return _fields(value, values, at)
    if isinstance(value, tuple):
        return tuple(_put(entry, values, (*at, n)) for n, entry in enumerate(value))
    return value


def _parameter(value: Any, values: Mapping[str, Value], at: Path) -> Any:
    """A parameter: a text that is nothing but `{name}` stands for a number."""
    if is_slot(value):
        return _value(value[1:-1], values, at)
    return _put(value, values, at)


def is_slot(parameter: Any) -> bool:
    """Whether a parameter of a run is a text that is nothing but `{name}`."""
    return isinstance(parameter, str) and _SLOT.match(parameter) is not None


def _value(name: str, values: Mapping[str, Value], at: Path) -> Value:
    if name in values:
        return values[name]
    message = f"`{{{name}}}` is no value of the variants{closest(name, values)}"
    raise Unfit("QB047", at, message, f"There are {listed(values)}.")


def fill_in(text: str, values: Mapping[str, Value]) -> str:
    """`text` with the values it names; placeholders for numbers of runs stay as they are.

    64 and 0.125 as they are written; `{root:.2f}` with as many digits as it says.
    """
    if "{" not in text:
        return text
    shown = []
    for part in parse(text):
        known = isinstance(part, Placeholder) and not part.right and part.index is None
        if isinstance(part, Placeholder) and known and part.name in values:
            value = values[part.name]
            shown.append(part.show(value) if part.format else _written(value))
        else:
            shown.append(part if isinstance(part, str) else part.source)
    return "".join(shown)


def _written(value: Value) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


# --- what an author has to mend -----------------------------------------------------------


def unfit(file: BankFile, index: int, question: Question) -> Diagnostic | None:
    """Why the `index`-th question of a file cannot be asked in each of its variants, if so."""
    try:
        cases(question)
    except Unfit as error:
        place = ("questions", index, *error.place)
        return file.diagnose(error.code, place, error.message, error.remedy)
    return None


def slots(value: Any, at: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every place of a variant's value outside the texts of a question, with its name."""
    if isinstance(value, Slot):
        yield at, value.name
    elif isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            yield from slots(getattr(value, name), (*at, field.alias or name))
    elif isinstance(value, tuple | dict):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in pairs:
            if isinstance(value, dict) and is_slot(entry):
                yield (*at, key), entry[1:-1]
            yield from slots(entry, (*at, key))
