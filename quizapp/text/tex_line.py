"""Pieces of a formula put on one line of text, bracketed where the line needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from quizapp.text.tex_signs import SUB, SUPER

Kind = Literal[
    "sign", "number", "word", "function", "big", "fraction", "root",
    "binary", "relation", "slash", "point", "open", "close", "blank",
]  # fmt: skip
_LETTERS: Final = ("sign", "number", "word")
#: What stands beside another of these without an operator is multiplied by it.
_FACTORS: Final = (*_LETTERS, "close", "fraction", "root")
_OPERATORS: Final = (None, "binary", "relation", "slash", "open", "point", "function", "big")
#: Products that are read from the left, like the fraction they stand in.
_PRODUCTS: Final = ("·", "×")


class Unshown(Exception):  # noqa: N818 - says what a formula is
    """A formula that stays TeX; the message says what is in the way."""


class Piece(NamedTuple):
    """Part of a line.

    simple: one sign, or a number, that may take an index, a power, a root or stand below a
    line as it is. raised: it ends in a power. tailed: it ends in letters after `_` or `^`.
    """

    text: str
    kind: Kind
    simple: bool = True
    raised: bool = False
    tailed: bool = False


def line(pieces: Sequence[Piece], *, tight: bool = False) -> str:
    """The pieces side by side; `tight`: without the blanks around operators, as in an index."""
    out, before = "", None
    for index, piece in enumerate(pieces):
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        out += _joint(before, piece, out, tight=tight) + _shown(before, piece, after, tight=tight)
        before = piece
    return " ".join(out.split())


def _joint(before: Piece | None, piece: Piece, out: str, *, tight: bool) -> str:
    """What stands between two neighbours: a blank, the sign of a product, or nothing."""
    if before is None or out.endswith(" "):
        return ""
    here, there = before.kind, piece.kind
    if here == "root" and there in (*_FACTORS, "open") and there != "close":
        return "·"
    if here in _FACTORS and there == "fraction":
        return "·"
    apart = (
        (here == "function" and there not in ("open", "point", "close", "fraction"))
        or (here == "big" and there != "close")
        or (here in _FACTORS and there in ("function", "big"))
        or ("word" in (here, there) and {here, there} <= set(_LETTERS))
        or (before.tailed and there in (*_LETTERS, "root"))
        or (piece.tailed and here == "sign")
        or (here == "point" and not tight)
    )
    return " " if apart else ""


def _shown(before: Piece | None, piece: Piece, after: Piece | None, *, tight: bool) -> str:
    if piece.kind == "relation" or (piece.kind == "binary" and not _is_sign(before)):
        narrow = tight or piece.text in ("·", "∘")
        if piece.text == "mod":
            narrow = False
        return piece.text if narrow else f" {piece.text} "
    if piece.kind == "fraction" and _beside(before, after):
        return f"({piece.text})"
    return piece.text


def _is_sign(before: Piece | None) -> bool:
    """Whether a plus or minus that stands here belongs to what follows."""
    return (None if before is None else before.kind) in _OPERATORS


def _beside(before: Piece | None, after: Piece | None) -> bool:
    """Whether a fraction has a neighbour that would seem to be part of it."""
    left = before is not None and before.kind in (*_FACTORS, "function", "slash")
    right = (*_LETTERS, "fraction", "root", "open", "big", "function")
    return left or (after is not None and after.kind in right)


def bracketed(text: str) -> str:
    """`text` in brackets, unless one pair of them holds all of it."""
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and index < len(text) - 1:
            break
    else:
        if text.startswith("("):
            return text
    return f"({text})"


def fraction(above: Sequence[Piece], below: Sequence[Piece]) -> Piece:
    """One over the other, on one line."""
    top, bottom = line(above), line(below)
    if not top or not bottom:
        raise Unshown("a fraction lacks a part")
    top = top if _one_product(above) else bracketed(top)
    one = len(below) == 1 and (below[0].simple or below[0].kind in ("sign", "number", "root"))
    one = one or (len(below) == 2 and below[0].text == "∂" and below[1].kind == "sign")
    return Piece(f"{top}/{bottom if one else bracketed(bottom)}", "fraction", simple=False)


def _one_product(pieces: Sequence[Piece]) -> bool:
    """Whether a line through the pieces divides all of them as they stand."""
    depth = 0
    for index, piece in enumerate(pieces):
        depth += (piece.kind == "open") - (piece.kind == "close")
        if depth > 0 or piece.kind == "close":
            continue
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        if piece.kind == "function" and (after is None or after.kind != "open"):
            return False
        leading = index == 0 and piece.text == "−"
        fine = piece.kind in ("sign", "number", "word", "root", "function", "open", "blank")
        if not (fine or leading or piece.text in _PRODUCTS):
            return False
    return True


def root(sign: str, inside: Sequence[Piece]) -> Piece:
    """A root of what is inside."""
    text = line(inside)
    if not text:
        raise Unshown("a root of nothing")
    one = len(inside) == 1 and (inside[0].simple or inside[0].kind == "sign")
    plain = one and not inside[0].raised and inside[0].kind != "fraction"
    return Piece(sign + (text if plain else bracketed(text)), "root", simple=False)


def scripted(base: Piece, sub: str | None, power: str | None) -> Piece:
    """The base with an index below it and a power above it, both as tight lines."""
    text, tailed, spread = base.text, base.tailed, base.kind in ("function", "big")
    if not (base.simple or spread or base.kind in ("word", "close")):
        text, tailed = bracketed(text), False
    if sub is not None:
        low, tailed = _lowered(sub)
        if tailed and power is not None:  # (x_b)² must not read as x with the index b²
            text, tailed = (f"{text}_({sub})" if spread else f"({text}{low})"), False
        else:
            text += low
    if power is not None:
        high, tailed = _raised(power)
        text += high
    kind: Kind = base.kind if spread or base.kind == "close" else "sign"
    return Piece(text, kind, simple=False, raised=power is not None, tailed=tailed)


def _lowered(script: str) -> tuple[str, bool]:
    if all(char in SUB for char in script):
        return "".join(SUB[char] for char in script), False
    return _marked("_", script)


def _raised(script: str) -> tuple[str, bool]:
    if all(char in SUPER for char in script):
        return "".join(SUPER[char] for char in script), False
    return _marked("^", script)


def _marked(mark: str, script: str) -> tuple[str, bool]:
    if (script.isalnum() and script.isascii()) or len(script) == 1:
        return f"{mark}{script}", True
    return f"{mark}({script})", False
