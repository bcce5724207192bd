"""How much memory a computation needs at its peak, and what autograd keeps: measured, not counted.

Inputs are not counted: every way of computing attention needs them.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks

from quizapp.lab.maths.watch import Done, Watch


class LiveBytes(Watch):  # type: ignore[no-untyped-call] # torch's base has no types
    """Follows every storage that an operation makes, from birth to death.

    live and peak: bytes now and at most. Work space inside a single operation is not seen.
    """

    def __init__(self, inputs: Iterable[torch.Tensor]) -> None:
        super().__init__()
        self.live = self.peak = 0
        self._ours: dict[int, weakref.ref[Any]] = {}
        self._inputs = [tensor.untyped_storage() for tensor in inputs]

    def watch(self, done: Done) -> None:
        for tensor in done.made if isinstance(done.made, (tuple, list)) else (done.made,):
            if isinstance(tensor, torch.Tensor):
                self._follow(tensor.untyped_storage())

    def _follow(self, storage: torch.UntypedStorage) -> None:
        key, size = id(storage), storage.nbytes()
        # A view shares its storage: an input's, or one that is followed already.
        if key in self._ours or any(storage is known for known in self._inputs):
            return

        def died(_: object) -> None:
            self.live -= size
            del self._ours[key]

        self._ours[key] = weakref.ref(storage, died)
        self.live += size
        self.peak = max(self.peak, self.live)


def peak_bytes(inputs: Iterable[torch.Tensor], work: Callable[[], object]) -> int:
    """Bytes that `work` holds at most beyond `inputs`.

    On CUDA the allocator's own figure, in its blocks of 512 bytes; elsewhere `LiveBytes`.
    """
    given = list(inputs)
    if given[0].is_cuda:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = int(torch.cuda.memory_allocated())
        work()
        torch.cuda.synchronize()
        return int(torch.cuda.max_memory_allocated()) - before
    with LiveBytes(given) as live:
        work()
    return int(live.peak)


def allocated_peak(work: Callable[[], object]) -> int | None:
    """Bytes that `work` holds at most, work space inside single operations included, on the CPU.

    From what torch's CPU allocator reports to the profiler. None where torch has no profiler.
    """
    if not getattr(torch.autograd, "kineto_available", lambda: False)():
        return None
    # Its first use reads this: without it every start and stop is a line on standard error.
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        kept = work()
        del kept
    assert profile.kineto_results is not None
    events = [e for e in profile.kineto_results.events() if e.name() == "[memory]"]
    live = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        live += event.nbytes()  # negative when freed
        peak = max(peak, live)
    return int(peak)


def saved_bytes(inputs: Iterable[torch.Tensor], work: Callable[[], object]) -> int:
    """Bytes that autograd keeps for the backward pass of `work`, beyond `inputs`."""
    known = [tensor.untyped_storage() for tensor in inputs]
    total = 0

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal total
        storage = tensor.untyped_storage()
        if not any(storage is seen for seen in known):
            known.append(storage)  # kept alive, so that no later storage takes its place
            total += storage.nbytes()
        return tensor

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        kept = work()
    del kept
    return total
