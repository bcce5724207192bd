"""The confined end: loads one source and answers what the caller asks of its function.

    load  {"source" in the body, "entry", "class", "forbidden"}      → {"form"}
    call  {"arguments", "init", "keep"} + tensors                     → {"results", "mutated", …}
    vjp   {"call", "which"} + one gradient per result                 → {"results"}: gradients

Every answer echoes the request's id. Nothing here is trusted by the caller: once foreign
code has run, this process may say anything.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections import OrderedDict
from typing import Any, Final

import torch

from quizapp.sandbox import shortcuts, source, tensors
from quizapp.sandbox.confinement import CHANNEL, Isolation
from quizapp.sandbox.wire import BODY_LIMIT, DTYPES, MAX_NDIM, decode, encode

MAX_RESULTS: Final = 16
#: Calls whose graphs are kept for a later `vjp`.
_KEPT: Final = 16


class Worker:
    """State of one submission."""

    def __init__(self, isolation: Isolation) -> None:
        self._isolation = isolation
        self._function: Any = None
        self._class: Any = None
        self._instances: dict[tuple[Any, ...], Any] = {}
        self._graphs: OrderedDict[int, tuple[list[Any], list[Any]]] = OrderedDict()
        sys.stdin = io.TextIOWrapper(io.FileIO(0, "r"), encoding="utf-8")
        for name, number in (("stdout", 1), ("stderr", 2)):
            raw = io.FileIO(number, "w")
            stream = io.TextIOWrapper(
                io.BufferedWriter(raw), encoding="utf-8", errors="replace", line_buffering=True
            )
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        sys.argv, sys.path, sys.path_importer_cache = ["submission"], [], {}
        torch.manual_seed(0)

    def serve(self) -> None:
        """Answer until the caller hangs up."""
        operations = {"load": self._load, "call": self._call, "vjp": self._vjp}
        stdout = sys.stdout
        while True:
            try:
                request = decode(_read)
            except EOFError:
                return
            header = request.header
            try:
                answer, body = operations[header["op"]](header, request.body)
            except source.Rejected as rejected:
                answer, body = {"fault": rejected.kind, **rejected.facts}, b""
            except SystemExit as error:
                answer, body = {"fault": "exit", "text": str(error.code)[:200]}, b""
            except (MemoryError, shortcuts.Forbidden) as error:
                kind = "memory" if isinstance(error, MemoryError) else "forbidden"
                answer, body = {"fault": kind, "name": str(error)[:200]}, b""
            except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
                kind = "memory" if _is_out_of_memory(error) else "exception"
                answer, body = {"fault": kind, **source.describe(error)}, b""
            with contextlib.suppress(OSError, ValueError):  # closed by the submission
                stdout.flush()
            _write(encode({"id": header["id"], **answer}, body))

    def _load(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        shortcuts.forbid(header["forbidden"])
        module = source.load(body, header["forbidden"])
        self._function = vars(module).get(header["entry"])
        form = "function"
        if self._function is None and header["class"] is not None:
            self._class = vars(module).get(header["class"])
            form = "class"
        if self._function is None and self._class is None:
            defined = [name for name, value in vars(module).items() if callable(value)]
            raise source.Rejected("missing-function", defined=defined[:8])
        if not callable(self._function or self._class):
            raise source.Rejected("missing-function", defined=[])
        return {"form": form, "isolation": self._isolation}, b""

    def _call(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        arguments = tensors.unpack(header["arguments"], body, strided=True)
        originals = [tensors.raw(value) if _is_tensor(value) else None for value in arguments]
        for value, item in zip(arguments, header["arguments"], strict=True):
            if item.get("grad"):
                value.requires_grad_()
        # A leaf that wants a gradient cannot be changed in place: its copy can, and is told on.
        given = [
            value.clone() if _is_tensor(value) and value.requires_grad else value
            for value in arguments
        ]
        returned = self._callable(header["init"])(*given)
        several = isinstance(returned, tuple | list)
        results = list(returned[: MAX_RESULTS + 1]) if several else [returned]
        answer, sent = _describe_results(results)
        answer["several"] = several
        answer["mutated"] = [
            index
            for index, (value, before) in enumerate(zip(given, originals, strict=True))
            if before is not None and tensors.raw(value) != before
        ]
        if header["keep"]:
            self._graphs[header["id"]] = (arguments, results)
            while len(self._graphs) > _KEPT:
                self._graphs.popitem(last=False)
        return answer, sent

    def _callable(self, init: list[Any]) -> Any:
        """The function, or an instance of the class: one per set of constructor values."""
        if self._function is not None:
            return self._function
        if tuple(init) not in self._instances:
            instance = self._class(*init)
            if isinstance(instance, torch.nn.Module):
                instance.eval()
            self._instances[tuple(init)] = instance
        instance = self._instances[tuple(init)]
        return instance if callable(instance) else instance.forward

    def _vjp(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        """The gradient at each argument that asked for one, given those at the results."""
        arguments, results = self._graphs[header["call"]]
        gradients = tensors.unpack(header["arguments"], body, strided=True)
        wanted = [arguments[index] for index in header["which"]]
        pairs = [
            (result, gradient)
            for result, gradient in zip(results, gradients, strict=True)
            if _is_tensor(result) and result.requires_grad and gradient is not None
        ]
        outputs, seeds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        found: Any = [None] * len(wanted)
        if outputs:
            found = torch.autograd.grad(
                outputs, wanted, seeds, retain_graph=True, allow_unused=True
            )
        return _describe_results(list(found))


def _describe_results(results: list[Any]) -> tuple[dict[str, Any], bytes]:
    """Results as plain tensors; what is not a tensor that can travel is named instead."""
    described: list[Any] = []
    parts: list[bytes] = []
    size = 0
    for result in results:
        plain = _plain(result) if _is_tensor(result) else result
        item = _describe(plain)
        if "shape" in item and size + item["size"] <= BODY_LIMIT:
            item["offset"] = size
            parts.append(tensors.raw(plain))
            size += item["size"]
        elif "shape" in item:
            item["offset"] = None  # too large to send: its shape alone is told
        described.append(item)
    return {"results": described}, b"".join(parts)


def _describe(result: Any) -> dict[str, Any]:
    if not _is_tensor(result):
        return {"other": type(result).__name__[:100]}
    name = tensors.dtype_name(result.dtype)
    if name not in DTYPES or result.layout is not torch.strided or result.device.type != "cpu":
        return {"other": f"Tensor[{name}, {result.layout}, {result.device}]"[:100]}
    shape = list(result.shape)
    if len(shape) > MAX_NDIM:
        return {"other": f"Tensor with {len(shape)} dimensions"}
    size = result.numel() * DTYPES[name]
    return {"dtype": name, "shape": shape, "size": size, "graph": result.requires_grad}


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor without what a subclass of the submission's makes of it; its graph is kept."""
    if type(tensor) in {torch.Tensor, torch.nn.Parameter}:
        return tensor
    with torch._C.DisableTorchFunctionSubclass():
        return torch.Tensor.as_subclass(tensor, torch.Tensor)


def _is_tensor(value: Any) -> bool:
    # By its real type: `isinstance` believes what `__class__` says.
    return torch.Tensor in type(value).__mro__


def _is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, RuntimeError) and "allocate memory" in str(error)


def _read(count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        if not (chunk := os.read(CHANNEL, min(count - len(parts), 1 << 20))):
            raise EOFError
        parts += chunk
    return bytes(parts)


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(CHANNEL, view) :]
