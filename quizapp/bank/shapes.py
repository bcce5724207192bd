"""Which model describes the mapping at a path of a file: what its author may write there."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel

from quizapp.bank import models
from quizapp.bank.compose import Path

#: Question models by their kind.
KINDS: Final[Mapping[str, type[models.BaseQuestion]]] = {
    get_args(member.model_fields["kind"].annotation)[0]: member
    for member in get_args(get_args(models.Question)[0])
}

MISSING: Final = object()


def look(data: Any, path: Path) -> Any:
    """The value at `path`, or MISSING."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return data


def model_at(root: type[BaseModel], path: Path, data: Any) -> type[BaseModel] | None:
    """The model that describes the mapping at `path`; a question's is chosen by its kind."""
    model: type[BaseModel] | None = root
    for depth, step in enumerate(path):
        if isinstance(step, int):
            continue
        if model is None:
            return None
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        inside = _models_in(fields[step].annotation) if step in fields else []
        model = inside[0] if len(inside) == 1 else None
        if len(inside) > 1:
            entry = look(data, path[: depth + 2])
            kind = entry.get("kind") if isinstance(entry, dict) else None
            model = KINDS.get(kind) if isinstance(kind, str) else None
    return model


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is Annotated:
        return _models_in(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType, tuple):
        return [model for inner in get_args(annotation) for model in _models_in(inner)]
    return []


def field_names(model: type[BaseModel] | None) -> list[str]:
    """The fields of a model as they are written in a file."""
    if model is None:
        return []
    return [field.alias or name for name, field in model.model_fields.items()]
