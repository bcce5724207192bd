"""`Watch`: a look at every operation torch runs while a piece of code does, and nothing imported.

A mode of torch's own kind pulls in its compiler on first use: 800 modules, two to three seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from torch.utils._python_dispatch import TorchDispatchMode


class Done(NamedTuple):
    """One operation: what it was, its positional arguments, and its result."""

    func: Any
    args: Sequence[Any]
    made: Any


class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch has no types here
    """Inside `with`, `watch` is told of each operation below autograd, once it is done."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Nothing is compiled here, so no frame need be kept from the compiler.
        return False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        self.watch(Done(func, args, made))
        return made

    def watch(self, done: Done) -> None:
        """Called after each operation."""
        raise NotImplementedError
