"""Spans: which characters of a file each key and each value takes.

The composer keeps only where things begin, which is all a message needs. A repair, and a
search for what YAML has dropped, need the whole extent; this reads the file once more for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from quizapp.bank.compose import Path, parser_of
from quizapp.bank.source import Source
from quizapp.bank.syntax import MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Span:
    """One value: `start` to `end` are offsets into the file's text, quotes and brackets included.

    style: "" for a plain text, else its first character, as in `"`, `'`, `|`, `>`; for a
    list or mapping `[` or `{` in flow form, "" in block form, whose end is not known
    exactly. key: offsets of the key that leads to it; inside: style of what holds it.
    """

    kind: Literal["text", "list", "mapping", "alias"]
    style: str
    start: int
    end: int
    key: tuple[int, int] | None = None
    inside: str = ""


def spans(source: Source, text: str | None = None) -> Mapping[Path, Span]:
    """Every value of `source` by its path, as far as the file can be parsed.

    text: what is parsed instead, with every character at the same offset (see
    `Composed.text`). Of a key that is given twice the first counts.
    """
    reader = _Reader(source, source.text if text is None else text)
    try:
        reader.read()
    except (yaml.YAMLError, _TooDeepError):
        return reader.found
    return reader.found


class _TooDeepError(Exception):
    """Nested deeper than any bank needs; told by the composer."""


class _Reader:
    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self._next: Callable[[], Any] = parser_of(text).get_event
        self.found: dict[Path, Span] = {}

    def read(self) -> None:
        for _ in range(2):  # the stream, the document
            self._next()
        self._node(self._next(), (), None, "", 1)

    def _node(
        self, event: Any, path: Path, key: tuple[int, int] | None, inside: str, depth: int
    ) -> None:
        kind = type(event)
        start, end = self._offset(event.start_mark), self._offset(event.end_mark)
        if kind is ScalarEvent or kind is AliasEvent:
            what: Literal["text", "alias"] = "text" if kind is ScalarEvent else "alias"
            style = (event.style or "") if kind is ScalarEvent else ""
            self._keep(path, Span(what, style, start, end, key, inside))
            return
        if kind not in (MappingStartEvent, SequenceStartEvent):
            return  # an empty file
        if depth > MAX_DEPTH:
            raise _TooDeepError
        is_list = kind is SequenceStartEvent
        opening = ("[" if is_list else "{") if event.flow_style else ""
        read = self._entries if is_list else self._fields
        last = read(path, opening, depth)
        shape: Literal["list", "mapping"] = "list" if is_list else "mapping"
        self._keep(path, Span(shape, opening, start, last, key, inside))

    def _entries(self, path: Path, opening: str, depth: int) -> int:
        index = 0
        while type(event := self._next()) is not SequenceEndEvent:
            self._node(event, (*path, index), None, opening, depth + 1)
            index += 1
        return self._offset(event.end_mark)

    def _fields(self, path: Path, opening: str, depth: int) -> int:
        while type(event := self._next()) is not MappingEndEvent:
            name = event.value if type(event) is ScalarEvent else ""
            if type(event) is ScalarEvent:
                key = (self._offset(event.start_mark), self._offset(event.end_mark))
            else:
                key = None
                self._node(event, (*path, ""), None, opening, depth + 1)
            self._node(self._next(), (*path, name), key, opening, depth + 1)
        return self._offset(event.end_mark)

    def _keep(self, path: Path, span: Span) -> None:
        self.found.setdefault(path, span)

    def _offset(self, mark: Any) -> int:
        lines = self._source.lines
        if mark.line >= len(lines):
            return len(self._source.text)
        return self._source.offset(mark.line + 1, mark.column + 1)
