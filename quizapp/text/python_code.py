"""Python source in coloured pieces, for text that is still being written.

Not a parser: half a line, an open bracket or an open string is the usual state of an editor,
and what stands before it keeps its colours.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, cast, get_args

Kind = Literal["comment", "string", "number", "keyword", "builtin", "definition", "decorator"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_TOKEN: Final = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>(?:[rRbBuUfF]{1,2})?
        (?: \"{3}(?:\\[\s\S]|[^\\])*?(?:\"{3}|\Z) | '{3}(?:\\[\s\S]|[^\\])*?(?:'{3}|\Z)
          | "(?:\\[\s\S]|[^"\\\n])*"? | '(?:\\[\s\S]|[^'\\\n])*'? ))
  | (?P<decorator>^[ \t]*@[\w.]+)
  | (?P<name>[^\W\d]\w*)
  | (?P<number>(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)[jJ]?)
    """,
    re.VERBOSE | re.MULTILINE,
)
_BUILTINS: Final = frozenset(name for name in dir(builtins) if name.islower())


class Span(NamedTuple):
    """Characters `start` to `end` of one line; `end` is not among them."""

    start: int
    end: int
    kind: Kind


def spans(source: str) -> dict[int, list[Span]]:
    """The coloured pieces of each line that has any, counted from 0."""
    found: dict[int, list[Span]] = {}
    line, begins = 0, 0  # where we are, and the offset at which this line begins
    for start, end, kind in _pieces(source):
        while (after := source.find("\n", begins, start)) != -1:
            line, begins = line + 1, after + 1
        while (after := source.find("\n", begins, end)) != -1:  # a string over several lines
            found.setdefault(line, []).append(Span(max(0, start - begins), after - begins, kind))
            line, begins = line + 1, after + 1
        found.setdefault(line, []).append(Span(max(0, start - begins), end - begins, kind))
    return found


def _pieces(source: str) -> Iterator[tuple[int, int, Kind]]:
    defines = False
    for token in _TOKEN.finditer(source):
        start, end = token.span()
        what = token.lastgroup
        if what == "name":
            word = token.group()
            if defines:
                yield start, end, "definition"
            elif keyword.iskeyword(word):
                yield start, end, "keyword"
            elif word in _BUILTINS and not source.startswith(".", start - 1 if start else 0):
                yield start, end, "builtin"
            defines = word in {"def", "class"}
        elif what is not None:
            defines = False
            yield start, end, cast(Kind, what)
