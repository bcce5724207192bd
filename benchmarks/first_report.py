"""A whole run of each experiment, against the very same torch operations called directly.

    python -m benchmarks.first_report [--rounds 5] [NAME …]

Of one run every call that reaches torch's dispatcher is recorded with its arguments:
kernels, views, random draws and those of the backward pass, below autograd. The calls are
then made again, one after another, with nothing of quizapp's between them: that is what the
numbers cost at least when they are computed in these steps. A call made from Python costs
a microsecond more than the same call inside another operation, so a ratio can be below 1.

The run is timed with nothing recorded, from its first line to the complete report. The
cross-check is left out on both sides, and so is watching how much memory is held. Seconds
are those the process computes: nothing here waits, and other programs of the machine change
them little. Everything is warm, in one process, and the two alternate.

Recorded tensors are kept until they are replayed, which happens as often as `HELD` bytes
have gathered; what an operation writes into is copied first, so that replaying changes
nothing in the run. Of two replays the second counts: the first brings the tensors near.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from unittest import mock

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks.figures import Figure, table
from quizapp.lab.catalogue import load, names
from quizapp.lab.context import RunContext
from quizapp.lab.engine import warm

#: What a complete report may cost: seconds of its own, and times the direct calls.
OWN, TIMES = 0.005, 1.3
#: Left out: it repeats its work as often as the clock asks, which differs from run to run.
CLOCKED: Final = ("complexity",)
#: Bytes recorded before they are replayed.
HELD: Final = 32 * 2**20

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Replayed(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch has no types here
    """Records the calls of a run and times them again, alone. `seconds` is their sum."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seconds = 0.0
        self.calls = 0
        self._recorded: list[Call] = []
        self._held = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        self._recorded.append((func, _own(func, args), given))
        made = func(*args, **given)
        for tensor in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(tensor, torch.Tensor):
                self._held += tensor.untyped_storage().nbytes()
        if self._held > HELD:
            self.replay()
        return made

    def replay(self) -> None:
        """Time what is recorded, and let go of it."""
        calls, self._recorded, self._held = self._recorded, [], 0
        _call(calls)
        start = time.process_time()
        _call(calls)
        self.seconds += time.process_time() - start
        self.calls += len(calls)


def _call(calls: Sequence[Call]) -> None:
    with torch.no_grad():
        for func, args, kwargs in calls:
            func(*args, **kwargs)


def _own(func: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies in place of what the operation writes into."""
    if not func._schema.is_mutable:
        return args
    written = [a.alias_info is not None and a.alias_info.is_write for a in func._schema.arguments]
    return tuple(
        arg.clone() if writes and isinstance(arg, torch.Tensor) else arg
        for arg, writes in zip(args, written, strict=False)
    )


def _unwatched(*given: Any) -> int:
    for work in given:
        if callable(work):
            work()
    return 1


@contextlib.contextmanager
def without_memory_pass() -> Iterator[None]:
    """Leaves out what measures memory: the work it watches is done unwatched."""
    from quizapp.lab.maths import live_bytes

    with contextlib.ExitStack() as stack:
        # Wherever they were imported to by name.
        for room in [module for name, module in sys.modules.items() if name.startswith("quizapp.")]:
            for name, found in list(vars(room).items()):
                if inspect.isfunction(found) and found.__module__ == live_bytes.__name__:
                    stack.enter_context(mock.patch.object(room, name, _unwatched))
        yield


def complete(name: str) -> None:
    """One run with the experiment's defaults, up to the complete report."""
    module = load(name)
    params = module.Params()
    for _ in module.run(params, RunContext(name, module.METRICS, params, "cpu")):
        pass


def timed(name: str) -> tuple[float, float]:
    """Seconds of a run, and of its operations alone."""
    start = time.process_time()
    complete(name)
    ours = time.process_time() - start
    with Replayed() as replayed:
        complete(name)
    replayed.replay()
    return ours, replayed.seconds


def measure(rounds: int, wanted: Sequence[str] = ()) -> list[Figure]:
    """One figure for each experiment; the bound is 5 ms + 1.3 × the direct calls."""
    torch.set_num_threads(1)
    warm.up()
    figures = []
    for name in wanted or [name for name in names() if name not in CLOCKED]:
        complete(name)  # imports its rooms
        with without_memory_pass():
            pairs = [timed(name) for _ in range(rounds + 1)][1:]
        figure = Figure.of_pairs(f"complete report of {name}", "its torch calls", pairs)
        figures.append(figure.at_most(OWN + TIMES * figure.reference))
    return figures


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which experiments; all of them")
    options = parser.parse_args()
    print(table(measure(options.rounds, options.names)))


if __name__ == "__main__":
    main()
