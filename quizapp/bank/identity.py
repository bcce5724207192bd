"""Identity: what a learner's history is tied to when a question is edited.

A question is `bank-id/question-id` for ever. Two fingerprints tell what an edit
changed: `meaning` covers everything that decides right or wrong or what is
measured; `wording` covers the text. A mended typo changes no meaning, so history is
kept; a changed meaning asks again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from quizapp.bank.kinds.ordering import needed
from quizapp.bank.models import (
    BaseQuestion,
    Choice,
    Expectation,
    OrderQuestion,
    Run,
    Step,
    Written,
)
from quizapp.bank.written import Slot
from quizapp.text import Text

_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Identity:
    """`id` is kept for ever; `meaning` and `wording` are 16 hexadecimal digits each."""

    id: str
    meaning: str
    wording: str


def identify(bank_id: str, question: BaseQuestion) -> Identity:
    """The identity of a question, independent of key order, formatting and order of choices."""
    return Identity(
        id=f"{bank_id}/{question.id}",
        meaning=_digest(_meaning(question)),
        wording=_digest(sorted(_texts(question))),
    )


def _meaning(question: BaseQuestion) -> dict[str, Any]:
    kind = getattr(question, "kind", type(question).__name__)
    meaning: dict[str, Any] = {"kind": kind, "experiment": _run(question.experiment)}
    for name, field in type(question).model_fields.items():
        if name in BaseQuestion.model_fields:
            continue
        value = getattr(question, name)
        # A field left at its default decides nothing, so a new one leaves history alone.
        if isinstance(value, Text) or value == field.default:
            continue
        meaning[name] = _decisive(value)
    if question.variants is not None:
        meaning["variants"] = _decisive(question.variants)
    if isinstance(question, OrderQuestion):
        meaning["needed"] = {step: sorted(names) for step, names in needed(question).items()}
    return meaning


def _decisive(value: Any) -> Any:
    """`value` without its texts; entries that have an id are keyed by it, not by place."""
    if isinstance(value, Choice):
        return {
            "correct": value.correct,
            "counterfactual": None if value.counterfactual is None else _run(value.counterfactual),
            "expects": _unordered(value.expects),
            # What is typed is compared with both.
            **({"forms": sorted(_forms(value))} if isinstance(value, Written) else {}),
        }
    if isinstance(value, Step):
        return {"expects": _unordered(value.expects)}  # its place is in what is needed
    if isinstance(value, Run):
        return _run(value)
    if isinstance(value, BaseModel):
        parts = {name: getattr(value, name) for name in type(value).model_fields if name != "id"}
        return {n: _decisive(v) for n, v in parts.items() if _decides(n, v)}
    if isinstance(value, tuple):
        return _several(value)
    return _number(value)


def _forms(written: Written) -> set[str]:
    return {*written.forms, *(wording for _, wording in written.text.by_language)}


def _several(values: tuple[Any, ...]) -> Any:
    if values and all(hasattr(entry, "id") for entry in values):
        return {entry.id: _decisive(entry) for entry in values}
    if values and all(isinstance(entry, Expectation) for entry in values):
        return _unordered(values)
    return [_decisive(entry) for entry in values]


def _unordered(expects: tuple[Expectation, ...]) -> list[str]:
    # All of them must hold, so their order decides nothing.
    return sorted(json.dumps(_decisive(one), sort_keys=True) for one in expects)


def _decides(name: str, value: Any) -> bool:
    # Questions without near misses keep the meaning they had before there were any.
    return not (value is None or isinstance(value, Text) or (name == "near_misses" and not value))


def _run(run: Run) -> dict[str, Any]:
    return {"run": run.run, "with": {name: _decisive(v) for name, v in run.with_.items()}}


def _number(value: Any) -> Any:
    # 64 and 64.0 are the same parameter; True is not 1. A list of texts counts by its length.
    if isinstance(value, Text):
        return ""
    if isinstance(value, Slot):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """(path, language, wording) of every text; entries are named by id or metric."""
    if isinstance(value, Text):
        for language, wording in value.by_language:
            yield path, language, wording.strip()
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _texts(getattr(value, name), f"{path}/{name}")
    elif isinstance(value, tuple):
        for index, entry in enumerate(value):
            step = getattr(entry, "id", None) or getattr(entry, "metric", None) or index
            yield from _texts(entry, f"{path}/{step}")


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
