"""Values on the wire: tensors as raw buffers, numbers and None as JSON.

A caller's tensors keep their strides, so that a non-contiguous argument arrives as one. What
a worker sends back is always contiguous, and every size is checked before it is believed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from quizapp.sandbox.wire import BODY_LIMIT, DTYPES, MAX_NDIM, ProtocolError


def pack(values: Sequence[Any]) -> tuple[list[Any], bytes]:
    """The header's description of `values`, and their bytes. Raises ProtocolError."""
    described: list[Any] = []
    parts: list[bytes] = []
    offset = 0
    for value in values:
        if not isinstance(value, torch.Tensor):
            described.append({"value": value})
            continue
        tensor = value.detach()
        data = _span(tensor)
        described.append(
            {
                "dtype": dtype_name(tensor.dtype),
                "shape": list(tensor.shape),
                "strides": list(tensor.stride()),
                "offset": offset,
                "size": len(data),
                "grad": value.requires_grad,
            }
        )
        parts.append(data)
        offset += len(data)
        if offset > BODY_LIMIT:
            raise ProtocolError(f"tensors of more than {BODY_LIMIT} bytes")
    return described, b"".join(parts)


def unpack(described: Sequence[Any], body: bytes, *, strided: bool = False) -> list[Any]:
    """Private copies of what `pack` packed. Raises ProtocolError on anything that cannot be.

    `strided` accepts the sender's strides; without it only contiguous tensors are.
    """
    return [_unpack(item, body, strided=strided) for item in described]


def dtype_name(dtype: torch.dtype) -> str:
    """torch's name without the module: `float32`."""
    return str(dtype).removeprefix("torch.")


def raw(tensor: torch.Tensor) -> bytes:
    """The bytes of a tensor's elements in row-major order."""
    flat = tensor.detach().resolve_neg().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def _span(tensor: torch.Tensor) -> bytes:
    """The part of the storage that the elements lie in, gaps included."""
    if tensor.numel() == 0:
        return b""
    last = sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    return raw(tensor.as_strided((last + 1,), (1,)))


def _unpack(item: Any, body: bytes, *, strided: bool) -> Any:
    if not isinstance(item, dict):
        raise ProtocolError("a value without a description")
    if "value" in item:
        return item["value"]
    shape: Any = item.get("shape")
    offset, size = item.get("offset"), item.get("size")
    width = DTYPES.get(str(item.get("dtype")))
    if width is None or not _is_shape(shape) or not _is_shape([offset, size]):
        raise ProtocolError("a tensor that is described wrongly")
    if strided:
        strides = item["strides"]
        needed = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    else:
        strides, needed = None, math.prod(shape)
    needed = 0 if 0 in shape else needed * width
    if size != needed or offset + size > len(body):
        raise ProtocolError("a tensor whose bytes do not fit its shape")
    dtype = getattr(torch, item["dtype"])
    if size == 0:
        return torch.empty(shape, dtype=dtype)
    flat = torch.frombuffer(bytearray(body[offset : offset + size]), dtype=dtype)
    return flat.as_strided(shape, strides) if strided else flat.reshape(shape)


def _is_shape(sizes: Any) -> bool:
    return (
        isinstance(sizes, list)
        and len(sizes) <= MAX_NDIM
        and all(type(size) is int and 0 <= size <= BODY_LIMIT for size in sizes)
    )
