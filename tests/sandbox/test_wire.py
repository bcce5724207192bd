"""Frames and tensors: what goes in comes out, and nothing that is forged comes in."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest
import torch

from quizapp.sandbox import tensors
from quizapp.sandbox.wire import (
    BODY_LIMIT,
    DTYPES,
    HEADER_LIMIT,
    MAGIC,
    PREFIX,
    ProtocolError,
    decode,
    encode,
)


def test_a_frame_survives_the_journey() -> None:
    header = {"id": 7, "text": "√d_k ≠ d_k", "list": [1, None]}
    frame = decode(io.BytesIO(encode(header, b"\x00\xff")).read)
    assert frame == (header, b"\x00\xff")


@pytest.mark.parametrize(
    "data",
    [
        b"x" * 100,
        PREFIX.pack(MAGIC, HEADER_LIMIT + 1, 0),
        PREFIX.pack(MAGIC, 2, BODY_LIMIT + 1),
        PREFIX.pack(MAGIC, 2, 2**64 - 1),
        PREFIX.pack(MAGIC, 3, 0) + b"{x}",
        PREFIX.pack(MAGIC, 2, 0) + b"[]",
        PREFIX.pack(MAGIC, 2, 0) + b"\xff\xfe",
        PREFIX.pack(MAGIC, 60_000, 0) + b"[" * 60_000,
    ],
)
def test_a_forged_frame_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(io.BytesIO(data).read)


def test_a_body_is_not_read_before_its_length_is_believed() -> None:
    read: list[int] = []

    def reader(count: int) -> bytes:
        read.append(count)
        return PREFIX.pack(MAGIC, 2, BODY_LIMIT * 1000)

    with pytest.raises(ProtocolError):
        decode(reader)
    assert read == [PREFIX.size]


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_travels(name: str) -> None:
    tensor = torch.arange(-3, 9).reshape(3, 4).to(getattr(torch, name))
    described, body = tensors.pack([tensor, None, 3, tensor[:0]])
    back = tensors.unpack(json.loads(json.dumps(described)), body)
    assert torch.equal(back[0], tensor)
    assert back[1:3] == [None, 3]
    assert back[3].shape == (0, 4)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.randn(3, 4).mT,
        torch.randn(4, 6)[::2, ::3],
        torch.randn(3, 1).expand(3, 5),
        torch.randn(2, 3, 4).permute(2, 0, 1)[1:],
        torch.randn(()),
    ],
    ids=["transposed", "sliced", "expanded", "permuted", "scalar"],
)
def test_strides_travel_with_an_argument(tensor: torch.Tensor) -> None:
    described, body = tensors.pack([tensor])
    back = tensors.unpack(described, body, strided=True)[0]
    assert torch.equal(back, tensor)
    assert back.stride() == tensor.stride()


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [2, 3]},
        {"shape": [-1, 4]},
        {"shape": [True, 4]},
        {"shape": [1] * 9},
        {"shape": "4"},
        {"shape": [2**62, 2**62]},
        {"offset": 1},
        {"offset": -16},
        {"size": 15},
        {"dtype": "complex64"},
        {"dtype": "__class__"},
        {"dtype": None},
    ],
)
def test_a_tensor_whose_numbers_do_not_add_up_is_refused(change: dict[str, Any]) -> None:
    described, body = tensors.pack([torch.randn(1, 4)])
    with pytest.raises(ProtocolError):
        tensors.unpack([described[0] | change], body)


def test_the_prefix_is_sixteen_bytes() -> None:
    """A worker of another version must not be misread."""
    assert struct.calcsize("<4sIQ") == PREFIX.size == 16
