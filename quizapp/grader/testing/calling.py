"""What a test gets to call: the shape of the `submission` fixture, and its results as a tuple."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from torch import Tensor


class Call(Protocol):
    """One call that was made.

    arguments, results: as sent and as received. mutated: names of arguments that the call
    changed in place. detached: names of results without a graph although an input asked
    for its gradient.
    """

    @property
    def arguments(self) -> Sequence[Any]: ...
    @property
    def results(self) -> Sequence[Tensor]: ...
    @property
    def mutated(self) -> tuple[str, ...]: ...
    @property
    def detached(self) -> tuple[str, ...]: ...


class Submission(Protocol):
    """The learner's function, or an instance of their class made for the sizes of a call."""

    @property
    def form(self) -> Literal["function", "class"]: ...
    @property
    def calls(self) -> Sequence[Call]: ...
    def __call__(self, *arguments: Any) -> Any:
        """Call it; one tensor, or several as the exercise's `returns` says."""

    def with_init(self, **sizes: int) -> Submission:
        """The same class, constructed with these sizes (class form only)."""

    def fresh(self, *, memory_mib: int) -> Submission:
        """The same source in a worker of its own, with that much address space to take.

        Its calls are its own too: the diagnosis, which repeats calls, never sees them.
        """

    def peak_bytes(self) -> int:
        """The most memory that its worker has held, by the kernel's count; ends the worker."""


def results(returned: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """What a call gave back, as a tuple also where it is one tensor."""
    return (returned,) if isinstance(returned, Tensor) else tuple(returned)
