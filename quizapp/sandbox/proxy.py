"""The caller's stand-in for a function that runs in a worker, gradients included.

The results are plain tensors of the caller's own. Where an argument wants a gradient, they
hang on a node whose backward asks the worker for the vector-Jacobian product, so that
`loss.backward()` and `torch.autograd.grad` work through it. No double backward.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from quizapp.sandbox import tensors
from quizapp.sandbox.host import Fault, Worker
from quizapp.sandbox.wire import Frame, ProtocolError


@dataclass(frozen=True, slots=True)
class Foreign:
    """A result that is no tensor, or one that cannot travel: what it is, and its shape if any."""

    what: str
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call gave."""

    results: tuple[torch.Tensor | Foreign, ...]
    several: bool  # a tuple or list was returned, not a single value
    mutated: tuple[int, ...]  # positions of the arguments that were changed in place
    detached: tuple[int, ...]  # positions of the results that carry no gradient, though asked to


@dataclass(slots=True)
class Budget:
    """Seconds that all requests together may take: many slow calls are as bad as one endless."""

    left: float


class Remote:
    """One loaded submission. Every method raises Fault when the worker does not answer as asked.

    seconds: for one request. budget: for all of them, shared with other workers if need be.
    """

    def __init__(self, worker: Worker, seconds: float, budget: Budget | None = None) -> None:
        self.worker = worker
        self._seconds = seconds
        self._budget = budget
        self.form: Literal["function", "class"] = "function"

    def load(
        self, source: bytes, entry: str, class_name: str | None, forbidden: Sequence[str]
    ) -> None:
        """Run the source in the worker; afterwards `form` says what it defines."""
        header = {"op": "load", "entry": entry, "class": class_name, "forbidden": list(forbidden)}
        form = self._request(header, source).header.get("form")
        if form not in {"function", "class"}:
            raise self._broken("no form")
        self.form = form

    def call(self, arguments: Sequence[Any], init: Sequence[Any] = ()) -> Answer:
        """The submission's results on `arguments` (tensors, numbers, None)."""
        described, body = tensors.pack(arguments)
        wants = [isinstance(value, torch.Tensor) and value.requires_grad for value in arguments]
        header = {"op": "call", "arguments": described, "init": list(init), "keep": any(wants)}
        frame = self._request(header, body)
        results = self._results(frame)
        given = frame.header.get("results", [])
        detached: tuple[int, ...] = ()
        if any(wants):
            detached = tuple(i for i, item in enumerate(given) if not item.get("graph"))
            results = self._attach(frame.header["id"], arguments, wants, results, detached)
        return Answer(
            tuple(results),
            several=frame.header.get("several") is True,
            mutated=self._positions(frame.header.get("mutated"), len(arguments)),
            detached=detached,
        )

    def _attach(
        self,
        call: int,
        arguments: Sequence[Any],
        wants: Sequence[bool],
        results: list[torch.Tensor | Foreign],
        detached: Sequence[int],
    ) -> list[torch.Tensor | Foreign]:
        places = [
            index
            for index, result in enumerate(results)
            if isinstance(result, torch.Tensor) and result.is_floating_point()
        ]
        places = [index for index in places if index not in detached]
        if not places:
            return results
        which = [index for index, wanted in enumerate(wants) if wanted]
        inputs = [arguments[index] for index in which]
        likes = [(tensor.shape, tensor.dtype) for tensor in inputs]
        node = _Node(self, call, which, len(results), places, likes)
        computed = [results[index] for index in places]
        outputs = _Through.apply(node, computed, *inputs)  # type: ignore[no-untyped-call]
        for index, output in zip(places, outputs, strict=True):
            results[index] = output
        return results

    def gradients(self, node: _Node, given: Sequence[torch.Tensor | None]) -> list[Any]:
        """One gradient per argument that asked for one; None where none reaches it."""
        seeds: list[torch.Tensor | None] = [None] * node.results
        for place, gradient in zip(node.places, given, strict=True):
            seeds[place] = gradient
        described, body = tensors.pack(seeds)
        # `pack` calls None a value; the worker's list wants it as it is.
        header = {"op": "vjp", "call": node.call, "which": node.which, "arguments": described}
        frame = self._request(header, body)
        found = self._results(frame)
        if len(found) != len(node.which):
            raise self._broken("another number of gradients")
        gradients = [None if isinstance(value, Foreign) else value for value in found]
        for gradient, (shape, dtype) in zip(gradients, node.likes, strict=True):
            if gradient is not None and (gradient.shape, gradient.dtype) != (shape, dtype):
                # autograd has checked this over there: only a forged frame can be wrong.
                raise self._broken("a gradient unlike its argument")
        return gradients

    def _results(self, frame: Frame) -> list[torch.Tensor | Foreign]:
        items = frame.header.get("results")
        if not isinstance(items, list):
            raise self._broken("no results")
        try:
            return [_result(item, frame.body) for item in items]
        except ProtocolError as error:
            raise self._broken(str(error)) from error

    def _positions(self, given: Any, count: int) -> tuple[int, ...]:
        if not isinstance(given, list) or any(
            type(index) is not int or not 0 <= index < count for index in given
        ):
            raise self._broken("positions that do not exist")
        return tuple(given)

    def _request(self, header: dict[str, Any], body: bytes) -> Frame:
        frame = self._timed(header, body)
        if "fault" in frame.header:
            facts = {str(key): value for key, value in frame.header.items()}
            kind = facts.pop("fault")
            facts.pop("id")
            raise Fault(str(kind), **facts)
        return frame

    def _timed(self, header: dict[str, Any], body: bytes) -> Frame:
        budget = self._budget
        if budget is None:
            return self.worker.request(header, body, self._seconds)
        started, limit = time.monotonic(), max(0.0, min(self._seconds, budget.left))
        try:
            return self.worker.request(header, body, limit)
        except Fault as fault:
            if fault.kind == "timeout" and limit < self._seconds:
                raise Fault("timeout") from fault  # not this request alone took too long
            raise
        finally:
            budget.left -= time.monotonic() - started

    def _broken(self, text: str) -> Fault:
        self.worker.end()
        return Fault("protocol", text=text)


@dataclass(frozen=True, slots=True)
class _Node:
    """What a backward pass needs to know of its call."""

    remote: Remote
    call: int
    which: list[int]
    results: int
    places: list[int]
    likes: list[tuple[torch.Size, torch.dtype]]  # shape and dtype of each gradient


class _Through(torch.autograd.Function):
    """Results that were computed elsewhere, made to depend on the arguments."""

    @staticmethod
    def forward(
        ctx: Any, node: _Node, outputs: list[torch.Tensor], *_: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        ctx.node = node
        return tuple(output.view_as(output) for output in outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *given: torch.Tensor) -> tuple[Any, ...]:
        return (None, None, *ctx.node.remote.gradients(ctx.node, given))


def _result(item: Any, body: bytes) -> torch.Tensor | Foreign:
    if not isinstance(item, dict):
        raise ProtocolError("a result without a description")
    if "other" in item:
        return Foreign(str(item["other"])[:100])
    if item.get("offset") is None:
        return Foreign("a tensor too large to send", _shape(item.get("shape")))
    tensor = tensors.unpack([item], body)[0]
    if not isinstance(tensor, torch.Tensor):
        raise ProtocolError("a result that is no tensor")
    return tensor


def _shape(given: Any) -> tuple[int, ...]:
    if not isinstance(given, list) or any(type(size) is not int for size in given):
        raise ProtocolError("a shape that is none")
    return tuple(given)
