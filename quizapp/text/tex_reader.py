"""Reads a formula of TeX into pieces: a small part of the language, and nothing else."""

from __future__ import annotations

import re
from typing import Final

from quizapp.text import tex_signs as signs
from quizapp.text.tex_line import Kind, Piece, Unshown, bracketed, fraction, line, root, scripted

_TOKEN: Final = re.compile(r"\\(?:[A-Za-z]+|.)|:=|\s+|.", re.DOTALL)
_DIGIT: Final = re.compile(r"[0-9]")
#: Deepest nesting that is read: nobody reads more on a line.
_DEEPEST: Final = 12

_SINGLE: Final[dict[str, Piece]] = {
    **{char: Piece(char, "open") for char in "(["},
    **{char: Piece(char, "close") for char in ")]"},
    **{char: Piece(char, "relation") for char in ("=", "<", ">", ":=")},
    **{char: Piece(char, "point") for char in ",;:"},
    "+": Piece("+", "binary"),
    "-": Piece("−", "binary"),
    "*": Piece("*", "binary"),
    "/": Piece("/", "slash"),
}  # fmt: skip

_TABLES: Final[dict[Kind, dict[str, str]]] = {
    "sign": signs.ORDINARY,
    "binary": signs.BINARY,
    "relation": signs.RELATIONS,
    "big": signs.BIG,
    "open": signs.OPENING,
    "close": signs.CLOSING,
    "blank": signs.SPACES,
}


def read(formula: str) -> str:
    """The formula in Unicode. Raises Unshown."""
    reader = _Reader(formula)
    pieces = reader.row(None)
    return line(pieces)


class _Reader:
    def __init__(self, formula: str) -> None:
        self._tokens = _TOKEN.findall(formula.strip())
        self._at = 0
        self._depth = 0

    def _peek(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> str:
        token = self._peek()
        if token is None:
            raise Unshown("it ends too early")
        self._at += 1
        return str(token)

    def _skip_blanks(self) -> None:
        while (token := self._peek()) is not None and token.isspace():
            self._at += 1

    def row(self, end: str | None) -> list[Piece]:
        """Pieces up to the token `end`, which is taken too; for None up to the formula's end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unshown("it is nested too deep")
        pieces: list[Piece] = []
        while True:
            self._skip_blanks()
            if self._peek() is None or self._peek() == end:
                if end is not None:
                    self._next()
                break
            pieces += self._scripts(self._nucleus())
        self._depth -= 1
        return pieces

    def _argument(self) -> list[Piece]:
        """What a command takes: a group, or the one token that follows."""
        self._skip_blanks()
        if self._peek() == "{":
            self._next()
            return self.row("}")
        token = self._next()
        if token in ("^", "_", "}", "&"):
            raise Unshown(f"`{token}` stands where something is missing")
        return [Piece(token, "number")] if _DIGIT.match(token) else self._piece(token)

    # --- one piece -------------------------------------------------------------------

    def _nucleus(self) -> list[Piece]:
        """The next piece, or those of a group, without what stands above or below it."""
        token = self._next()
        if token == "{":
            inside = self.row("}")
            follows = self._peek() in ("^", "_", "'")
            return [_as_one(inside)] if follows and len(inside) != 1 else inside
        if _DIGIT.match(token):
            while (more := self._peek()) is not None and (
                _DIGIT.match(more) or self._decimal(more)
            ):
                token += self._next()
            return [Piece(token, "number")]
        return self._piece(token)

    def _decimal(self, token: str) -> bool:
        """A point between digits."""
        beyond = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else ""
        return token == "." and _DIGIT.match(beyond) is not None

    def _piece(self, token: str) -> list[Piece]:
        if token.startswith("\\"):
            return self._command(token[1:])
        if token in _SINGLE:
            return [_SINGLE[token]]
        if token == "~":
            return [Piece(" ", "blank")]
        if token in "{}^_'&%#$`\"\\":
            raise Unshown(f"`{token}` stands where it means nothing")
        return [Piece(token, "sign")]

    def _command(self, name: str) -> list[Piece]:
        for kind, table in _TABLES.items():
            if name in table:
                return [Piece(table[name], kind)]
        if name in signs.SIZES:
            return self._bracket()
        return [self._made(name)]

    def _made(self, name: str) -> Piece:
        """What a command makes of its arguments."""
        if name in signs.FUNCTIONS:
            made = Piece(name, "function", simple=False)
        elif name in ("frac", "dfrac", "tfrac"):
            made = fraction(self._argument(), self._argument())
        elif name == "sqrt":
            made = self._root()
        elif name in signs.UPRIGHT:
            made = self._upright(name)
        elif name in signs.ALPHABETS:
            made = self._lettered(name)
        elif name in signs.ACCENTS:
            made = self._accented(name)
        else:
            raise Unshown(f"`\\{name}` is not known")
        return made

    def _root(self) -> Piece:
        self._skip_blanks()
        index = ""
        if self._peek() == "[":
            self._next()
            index = line(self.row("]"), tight=True)
        if index not in signs.ROOTS:
            raise Unshown(f"a root with the index {index} has no sign")
        return root(signs.ROOTS[index], self._argument())

    def _bracket(self) -> list[Piece]:
        self._skip_blanks()
        token = self._next()
        if token == ".":
            raise Unshown("a bracket is left out")
        return self._piece(token)

    def _raw(self) -> str:
        """The letters of a group as they are written, blanks included."""
        self._skip_blanks()
        if self._next() != "{":
            raise Unshown("a group is missing")
        taken = []
        while (token := self._next()) != "}":
            if token in ("\\_", "\\%", "\\&", "\\#", "\\ "):
                token = token[1:]
            elif token[0] in "\\{$":
                raise Unshown(f"`{token}` stands in a text")
            taken.append(token)
        return "".join(taken)

    def _upright(self, name: str) -> Piece:
        text = self._raw()
        if not text.strip():
            raise Unshown("a text is empty")
        if name == "operatorname":
            return Piece(text, "function", simple=False)
        return Piece(text, "sign" if len(text) == 1 else "word", simple=len(text) == 1)

    def _lettered(self, name: str) -> Piece:
        alphabet, text = signs.ALPHABETS[name], self._raw().strip()
        if not text or not all(char in alphabet for char in text):
            raise Unshown(f"`\\{name}` of {text} has no sign")
        return Piece("".join(alphabet[char] for char in text), "sign", simple=len(text) == 1)

    def _accented(self, name: str) -> Piece:
        inside = self._argument()
        text = line(inside)
        if len(text) != 1 or not text.isalpha():
            raise Unshown(f"`\\{name}` of more than a letter")
        return Piece(text + signs.ACCENTS[name], "sign")

    # --- above and below ---------------------------------------------------------------

    def _scripts(self, found: list[Piece]) -> list[Piece]:
        """The pieces with what stands above and below the last of them."""
        sub = power = None
        while True:
            self._skip_blanks()
            mark = self._peek()
            if mark == "'":
                self._next()
                power = (power or "") + "′"
            elif mark in ("^", "_"):
                self._next()
                script = line(self._argument(), tight=True)
                if not script or (sub if mark == "_" else power) is not None:
                    raise Unshown(f"`{mark}` stands where it means nothing")
                sub, power = (script, power) if mark == "_" else (sub, script)
            else:
                break
        if sub is None and power is None:
            return found
        if not found or found[-1].kind in ("binary", "relation", "point", "open", "blank"):
            raise Unshown("an index or a power of nothing")
        return [*found[:-1], scripted(found[-1], sub, power)]


def _as_one(pieces: list[Piece]) -> Piece:
    text = line(pieces)
    if not text:
        raise Unshown("an index or a power of nothing")
    return Piece(bracketed(text), "close")
