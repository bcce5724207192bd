"""Reads a file that is one mapping: `bank.yaml`, `exercise.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from quizapp.bank import source as sources
from quizapp.bank.bank import BankFile
from quizapp.bank.compose import compose
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.explain import explain
from quizapp.bank.source import Source

M = TypeVar("M", bound=BaseModel)


def read_model(path: Path, model: type[M]) -> tuple[BankFile, M | None, list[Diagnostic]]:
    """The file, what it says (None when it is unusable), and all that its author has to mend."""
    source, found = sources.read(path)
    sound, _data, found = model_in(source, found, model)
    return BankFile(source), sound, found


def model_in(
    source: Source, found: list[Diagnostic], model: type[M]
) -> tuple[M | None, Any, list[Diagnostic]]:
    """What a file says as a model and as plain data, and what is wrong with it.

    found: what was wrong with it as a text; then it is not parsed.
    """
    if found:
        return None, None, found
    composed = compose(source)
    found = list(composed.diagnostics)
    if not isinstance(composed.data, dict):
        return None, None, found or [not_a_mapping(source)]
    try:
        return model.model_validate(composed.data), composed.data, found
    except ValidationError as error:
        return None, None, found + explain(source, composed, error, model)


def not_a_mapping(source: Source) -> Diagnostic:
    """The refusal of a file that is a list or a bare text."""
    message = "the file must be a mapping of fields"
    return source.diagnose("QB024", (1, 1), message, "Begin with `format: quizapp/1`.")
