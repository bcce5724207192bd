"""Reads a file that is one mapping: `bank.yaml`, `exercise.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

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
    file = BankFile(source)
    if found:
        return file, None, found
    composed = compose(source)
    found = list(composed.diagnostics)
    if not isinstance(composed.data, dict):
        return file, None, found or [not_a_mapping(source)]
    try:
        return file, model.model_validate(composed.data), found
    except ValidationError as error:
        return file, None, found + explain(source, composed, error, model)


def not_a_mapping(source: Source) -> Diagnostic:
    """The refusal of a file that is a list or a bare text."""
    message = "the file must be a mapping of fields"
    return source.diagnose("QB024", (1, 1), message, "Begin with `format: quizapp/1`.")
