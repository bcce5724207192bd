"""Prose of banks: a few marks of Markdown as data, and never anything live.

Known: `code`, **bold**, blank lines between paragraphs, "- " and "1. " lists, and
fenced code. Everything else, brackets and backslashes included, is shown as written.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from quizapp.plot.width import char_width, display_width, wrap_spans
from quizapp.text.plain import clean

PieceStyle = Literal["plain", "code", "bold"]

_INLINE: Final = re.compile(r"`([^`\n]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*")
_ITEM: Final = re.compile(r"^( {0,3})(-|\d{1,2}\.) +(?=\S)")
_FENCE: Final = re.compile(r"^ {0,3}```")


class Piece(NamedTuple):
    """A stretch of text in one style."""

    text: str
    style: PieceStyle = "plain"


Line = tuple[Piece, ...]


class _Block(NamedTuple):
    kind: Literal["paragraph", "item", "code"]
    lead: str  # "- " or "1. " of an item
    text: str
    loose: bool  # a blank line stands before it


def inline(text: str) -> Line:
    """The pieces of one paragraph; unpaired marks stay as they are."""
    pieces: list[Piece] = []
    start = 0
    for found in _INLINE.finditer(text):
        code, bold = found.groups()
        pieces.append(Piece(text[start : found.start()]))
        pieces.append(Piece(code, "code") if code is not None else Piece(bold, "bold"))
        start = found.end()
    pieces.append(Piece(text[start:]))
    return tuple(piece for piece in pieces if piece.text)


def wrap_pieces(pieces: Line, width: int) -> list[Line]:
    """`pieces` as lines of at most `width` columns, broken where `wrap` would break."""
    text = "".join(piece.text for piece in pieces)
    lines: list[Line] = []
    for start, end in wrap_spans(text, width):
        line, at = [], 0
        for piece in pieces:
            part = piece.text[max(0, start - at) : max(0, end - at)]
            if part:
                line.append(Piece(part, piece.style))
            at += len(piece.text)
        lines.append(tuple(line))
    return lines


def prose_lines(text: str, width: int, *, ascii: bool = False) -> list[Line]:  # noqa: A002
    """Bank text, cleaned, as styled lines of at most `width` columns; at least one line."""
    lines: list[Line] = []
    for block in _blocks(clean(text).strip("\n")):
        if block.loose and lines:
            lines.append(())
        if block.kind == "code":
            lines += wrap_pieces((Piece(block.text, "code"),), width)
            continue
        lead = "• " if block.lead == "- " and not ascii else block.lead
        hang = " " * display_width(lead)
        for number, line in enumerate(wrap_pieces(inline(block.text), width - len(hang))):
            head = hang if number else lead
            lines.append((Piece(head), *line) if head else line)
    return lines or [()]


def prose_text(text: str, width: int, *, ascii: bool = False) -> list[str]:  # noqa: A002
    """`prose_lines` as strings, for plain output."""
    lines = prose_lines(text, width, ascii=ascii)
    return ["".join(piece.text for piece in line) for line in lines]


def _blocks(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    loose = fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            loose = loose or fenced
        elif fenced:
            blocks.append(_Block("code", "", line.rstrip(), loose))
            loose = False
        elif not line.strip():
            loose = True
        elif item := _ITEM.match(line):
            blocks.append(_Block("item", item.group(2) + " ", line[item.end() :].strip(), loose))
            loose = False
        elif blocks and not loose and blocks[-1].kind != "code":
            last = blocks[-1]
            blocks[-1] = last._replace(text=_join(last.text, line.strip()))
        else:
            blocks.append(_Block("paragraph", "", line.strip(), loose))
            loose = False
    return blocks


def _join(first: str, second: str) -> str:
    """Two source lines of a paragraph; Chinese takes no blank between them."""
    wide = char_width(first[-1]) == 2 and char_width(second[0]) == 2
    return first + ("" if wide else " ") + second
