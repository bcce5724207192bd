"""Choose one more question, always: what is due, then what is new, then what is longest ago."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def one_more(
    order: Sequence[str],
    *,
    due: Sequence[str],
    last_answered: Mapping[str, int],
    skip: Collection[str] = (),
) -> str | None:
    """The next question, or None when `order` is empty.

    order: every question, new ones in the order they should be met. due: most overdue
    first. last_answered: question → a number that grows with time. skip: what was just
    asked; it is passed over while there is anything else, oldest answer first.
    """
    passed = set(skip)
    known = set(order)
    for question in due:
        if question in known and question not in passed:
            return question
    for question in order:
        if question not in last_answered and question not in passed:
            return question
    rest = [question for question in order if question not in passed] or list(order)
    return min(rest, key=lambda question: last_answered.get(question, -1), default=None)
