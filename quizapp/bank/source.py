"""`Source`: the text of one bank file, checked before anything parses it.

Keeps the lines, so that every later finding can point at what the author wrote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from quizapp.bank.diagnostics import Diagnostic, Edit, Severity

#: The largest bank file that is read, in bytes.
MAX_BYTES: Final = 4 * 1024 * 1024

# C0 but tab and line breaks, DEL, C1, bidirectional controls, line separators that
# editors do not show as breaks, surrogates and the two non-characters YAML forbids.
CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    r"\ud800-\udfff\ufeff\ufffe\uffff]"
)
_ASCII_CONTROLS: Final = bytes([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
_BREAK: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Source:
    """One file as read: `path` for messages, `text` without a byte order mark."""

    path: str
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends (CRLF, CR and LF all count)."""
        return _BREAK.split(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _BREAK.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """Where in `text` line and column (from 1) lie."""
        return self._line_starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of an offset into `text`."""
        from bisect import bisect_right

        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def diagnose(
        self,
        code: str,
        at: tuple[int, int] | None,
        message: str,
        remedy: str = "",
        severity: Severity = "error",
        *,
        repair: tuple[Edit, ...] = (),
    ) -> Diagnostic:
        """A finding at (line, column), from 1, or about the whole file."""
        line, column = at or (0, 0)
        shown = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return Diagnostic(code, severity, self.path, line, column, shown, message, remedy, repair)


def read(path: Path) -> tuple[Source, list[Diagnostic]]:
    """The file's text and what is wrong with it as text; when anything is, do not parse it."""
    name = str(path)
    nothing = Source(name, "")
    try:
        if not path.is_file() and path.exists():  # a pipe would make us wait for ever
            raise OSError(None, "not a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        remedy = "Make it a file that you may read, or move it out of the bank's folder."
        return nothing, [nothing.diagnose("QB001", None, f"cannot be read: {reason}", remedy)]
    return decode(name, data)


def decode(name: str, data: bytes) -> tuple[Source, list[Diagnostic]]:
    """`data` as text: size, UTF-8 and control characters are checked here."""
    nothing = Source(name, "")
    if len(data) > MAX_BYTES:
        message = f"the file is larger than {MAX_BYTES // 2**20} MB"
        return nothing, [nothing.diagnose("QB002", None, message, "Split it into several files.")]
    try:
        source = Source(name, data.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        return nothing, [_not_utf8(name, data, error)]
    return source, _control_characters(source, data)


def _not_utf8(name: str, data: bytes, error: UnicodeDecodeError) -> Diagnostic:
    source = Source(name, data.decode("utf-8", errors="replace").removeprefix("\ufeff"))
    before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
    remedy = "Save the file in the encoding UTF-8."
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return source.diagnose("QB003", None, "the file is UTF-16, not UTF-8", remedy)
    byte = f"0x{data[error.start]:02X}"
    message = f"not UTF-8: the byte {byte} cannot be read here"
    return source.diagnose("QB003", source.position(len(before)), message, remedy)


def _control_characters(source: Source, data: bytes) -> list[Diagnostic]:
    # Deleting from bytes is a hundred times faster than searching text.
    if data.isascii() and len(data.translate(None, _ASCII_CONTROLS)) == len(data):
        return []
    from quizapp.bank.condense import MOST, and_more

    places = CONTROLS.finditer(source.text)
    found = [
        source.diagnose(
            "QB004",
            source.position(place.start()),
            f"the control character U+{ord(place.group()):04X} is not allowed",
            "Delete it; it is invisible in most editors.",
        )
        for place in islice(places, MOST)
    ]
    more = sum(1 for _ in places)
    return [*found[:-1], and_more(found[-1], more)] if more else found
