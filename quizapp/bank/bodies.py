"""Bodies: one question or exercise of the compiled cache, made whole again."""

from __future__ import annotations

import json
from typing import Any, Final, get_args

from quizapp.bank.exercises import Exercise
from quizapp.bank.models import BaseQuestion, Question

#: Kind → its model: a question's own kind is all that has to be tried.
_KINDS: Final[dict[str, type[BaseQuestion]]] = {
    get_args(model.model_fields["kind"].annotation)[0]: model
    for model in get_args(get_args(Question)[0])
}


def question_of(words: bytes) -> Question:
    """The question these words say. Raises ValueError where they say none."""
    data = json.loads(words)
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind not in _KINDS:
        raise ValueError(f"no kind of question: {kind!r}")
    made: Any = _KINDS[kind].model_validate(data)
    question: Question = made
    return question


def exercise_of(words: bytes) -> Exercise:
    """The exercise these words say. Raises ValueError where they say none."""
    return Exercise.model_validate(json.loads(words))
