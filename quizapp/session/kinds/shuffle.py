"""An order to show things in that gives nothing away, the same at every visit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Protocol, TypeVar


class Named(Protocol):
    """What has an id."""

    @property
    def id(self) -> str: ...


_Entry = TypeVar("_Entry", bound=Named)


def shuffled(
    question: str,
    entries: Sequence[_Entry],
    tells: Callable[[Sequence[_Entry]], bool] = lambda _: False,
) -> tuple[_Entry, ...]:
    """`entries` in an order that hangs on the ids alone, so that adding one moves no other.

    tells: whether an order is one that must not be shown; then the next one is tried.
    """

    def place(entry: _Entry) -> bytes:
        return sha256(f"{question}/{entry.id}".encode()).digest()

    order = tuple(sorted(entries, key=place))
    for turn in range(len(order)):
        turned = order[turn:] + order[:turn]
        if not tells(turned):
            return turned
    return tuple(reversed(order))
