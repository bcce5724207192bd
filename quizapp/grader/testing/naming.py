"""What a test is called in front of a learner, and which submissions it is for.

A sentence, in every language, because the learner never sees the test itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from quizapp.text import Text

Test = TypeVar("Test", bound=Callable[..., Any])

_TITLE: Final = "__quizapp_title__"
_ONLY_CLASS: Final = "__quizapp_only_class__"


def named(*, en: str, zh: str) -> Callable[[Test], Test]:
    """Give a test the sentence that stands for it: what holds when it passes."""

    def mark(test: Test) -> Test:
        setattr(test, _TITLE, Text.of({"en": en, "zh": zh}))
        return test

    return mark


def only_class(test: Test) -> Test:
    """A test of the class form: not expected of a submission that is a function."""
    setattr(test, _ONLY_CLASS, True)
    return test


def title_of(test: Callable[..., Any]) -> Text:
    """The sentence given by `named`; the function's name as words where there is none."""
    told = getattr(test, _TITLE, None)
    if isinstance(told, Text):
        return told
    return Text.of(test.__name__.removeprefix("test_").replace("_", " "))


def is_only_class(test: Callable[..., Any]) -> bool:
    """Whether `only_class` marks the test."""
    return bool(getattr(test, _ONLY_CLASS, False))
