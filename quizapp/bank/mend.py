"""Mends: edits that keep what an author wrote and change only how YAML reads it.

Each is made from the characters as they stand in the file, so comments and layout around
them stay, and no value is ever written out anew.
"""

from __future__ import annotations

import re
from typing import Final

from quizapp.bank.diagnostics import Edit
from quizapp.bank.source import Source
from quizapp.text import LANGUAGES

#: A field or a list entry with its value on the same line: what leads to it, the value.
_LINE: Final = re.compile(
    r"(?P<lead> *(?:- +)*(?:(?P<key>[A-Za-z_][\w-]*)[ \t]*:[ \t]+)?)(?P<value>\S.*)"
)
_LANGUAGE: Final = re.compile(rf"(?:^|[,，])\s*({'|'.join(LANGUAGES)})\s*[:：]\s*")
_SPECIAL: Final = re.compile(r"[\[\]{}>|*&!%@`\"'#,]|[-?:](?:\s|$)")
_INSIDE: Final = re.compile(r":(?:\s|$)|\s#")
_QUOTED: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'", re.DOTALL)


def quoted(text: str) -> str:
    """`text` in quotes in which each of its characters stands for itself."""
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def plain_or_quoted(text: str, *, flow: bool = False) -> str:
    """`text` as it may stand after `field: `; what is quoted already stays as it is."""
    if _QUOTED.fullmatch(text):
        return text
    special = not text or _SPECIAL.match(text) or _INSIDE.search(text)
    return quoted(text) if special or (flow and re.search(r"[,\[\]{}]", text)) else text


def whole_text(source: Source, line: int) -> tuple[Edit, ...]:
    """The value that begins on `line` as one text: in quotes, or in a block if it has more lines.

    () where the line does not read `field: value` or `- value`, or is in quotes already.
    """
    found = _LINE.fullmatch(source.lines[line - 1].rstrip()) if line else None
    if found is None or _QUOTED.fullmatch(found["value"]):
        return ()
    indent = len(found["lead"]) - len(found["lead"].lstrip(" -"))
    if found["key"] is None:
        indent = len(found["lead"]) - 1  # what follows an entry is indented like its text
    start = source.offset(line, len(found["lead"]) + 1)
    last = line
    while last < len(source.lines) and _belongs(source.lines[last], indent):
        last += 1
    pieces = [found["value"], *(part.strip() for part in source.lines[line:last])]
    end = source.offset(last, len(source.lines[last - 1].rstrip()) + 1)
    if len(pieces) == 1:
        return (Edit(start, end, quoted(pieces[0])),)
    margin = ending(source, line) + " " * (indent + 2)
    return (Edit(start, end, ">-" + "".join(margin + piece for piece in pieces)),)


def _belongs(line: str, indent: int) -> bool:
    """Whether a line goes on with the text of a field that stands `indent` blanks in."""
    shown = line.lstrip(" ")
    return bool(shown) and len(line) - len(shown) > indent and "\t" not in line


def as_quoted(source: Source, start: int, end: int) -> tuple[Edit, ...]:
    """What stands from `start` to `end`, on one line, as one quoted text."""
    raw = source.text[start:end]
    return () if "\n" in raw or "\r" in raw else (Edit(start, end, quoted(raw)),)


def languages_apart(source: Source, start: int, end: int, *, block: bool) -> tuple[Edit, ...]:
    """The `{en: …, zh: …}` from `start` to `end` with each wording whole.

    block: whether it may become a mapping of a line for each language. () where the
    characters cannot be told apart for certain.
    """
    raw = source.text[start:end]
    pieces = split_languages(raw)
    if pieces is None:
        return ()
    if not block:
        inner = ", ".join(f"{k}: {plain_or_quoted(v, flow=True)}" for k, v in pieces)
        return (Edit(start, end, f"{{{inner}}}"),)
    line, column = source.position(start)
    before = source.lines[line - 1][: column - 1]
    if not re.fullmatch(r" *(?:- +)*[A-Za-z_][\w-]*[ \t]*:[ \t]+", before):
        return ()
    margin = ending(source, line) + " " * (len(re.match(r"[ -]*", before)[0]) + 2)  # type: ignore[index]
    start -= len(before) - len(before.rstrip())
    lines = [f"{margin}{key}: {plain_or_quoted(wording)}" for key, wording in pieces]
    return (Edit(start, end, "".join(lines)),)


def split_languages(raw: str) -> list[tuple[str, str]] | None:
    """`{en: a, b, zh: c}` as [("en", "a, b"), ("zh", "c")]; None where it is not of that form."""
    if not (raw.startswith("{") and raw.endswith("}")) or "\n" in raw:
        return None
    inner = raw[1:-1].strip()
    parts = _LANGUAGE.split(inner)
    keys, wordings = parts[1::2], [part.strip() for part in parts[2::2]]
    if parts[0] or not keys or len(set(keys)) < len(keys) or not all(wordings):
        return None
    return list(zip(keys, wordings, strict=True))


def ending(source: Source, line: int) -> str:
    """The line break the file uses after `line`."""
    after = source.offset(line, 1) + len(source.lines[line - 1])
    found = re.compile(r"\r\n|\r|\n").match(source.text, after)
    return found[0] if found else "\n"
