"""The frames between a caller and a worker: a JSON header and raw bytes, never pickle.

    magic (4) · header length (4, little-endian) · body length (8) · header · body

Both lengths are bounded before a byte of the rest is read, so that a forged frame costs
its reader nothing.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

MAGIC: Final = b"QZF1"
PREFIX: Final = struct.Struct("<4sIQ")
HEADER_LIMIT: Final = 64 * 1024
BODY_LIMIT: Final = 64 * 1024 * 1024

#: Elements a tensor on the wire may have: name (torch's own) → bytes each.
DTYPES: Final = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
MAX_NDIM: Final = 8


class ProtocolError(Exception):
    """What arrived is not a frame, or not the one that was due."""


class Frame(NamedTuple):
    """One message."""

    header: dict[str, Any]
    body: bytes


def encode(header: Mapping[str, Any], body: bytes = b"") -> bytes:
    """One frame. Raises ProtocolError where it would be refused by its reader."""
    text = json.dumps(header, separators=(",", ":")).encode()
    if len(text) > HEADER_LIMIT or len(body) > BODY_LIMIT:
        raise ProtocolError(f"a frame of {len(text)} + {len(body)} bytes is over the limit")
    return PREFIX.pack(MAGIC, len(text), len(body)) + text + body


def decode(read: Callable[[int], bytes]) -> Frame:
    """The next frame; `read(n)` returns exactly n bytes or raises. Raises ProtocolError."""
    magic, header_size, body_size = PREFIX.unpack(read(PREFIX.size))
    if magic != MAGIC or header_size > HEADER_LIMIT or body_size > BODY_LIMIT:
        raise ProtocolError("not a frame of this protocol")
    try:
        header = json.loads(read(header_size))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a frame's header is not JSON") from error
    if not isinstance(header, dict):
        raise ProtocolError("a frame's header is not an object")
    return Frame(header, read(body_size))
