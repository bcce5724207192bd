"""Diagnostics: what is wrong with a bank, where exactly, and what its author can do.

Codes are stable: scripts and documentation may lean on them. A code that is no
longer used is never given to anything else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

Severity = Literal["error", "warning"]

#: Every code, with what it stands for in a few words.
CODES: Final[dict[str, str]] = {
    # Reading a file
    "QB001": "file cannot be read",
    "QB002": "file too large",
    "QB003": "not UTF-8",
    "QB004": "control character",
    "QB005": "not YAML",
    "QB006": "tab as indentation",
    "QB007": "duplicate key",
    "QB008": "anchor",
    "QB009": "alias",
    "QB010": "merge key",
    "QB011": "tag",
    "QB012": "second document",
    "QB013": "nested too deep",
    "QB014": "key that is not plain text",
    "QB015": "empty file",
    "QB016": "rest of a text read as a comment",
    "QB017": "text cut at a comma, or read as a list or a mapping",
    "QB018": "full-width colon",
    # The shape of what it says
    "QB020": "format missing or unknown",
    "QB021": "unknown field",
    "QB022": "missing field",
    "QB023": "unknown kind of question",
    "QB024": "value of the wrong shape",
    "QB025": "too many or too few entries",
    "QB026": "value of the wrong type or out of range",
    "QB027": "text empty or in an unknown language",
    "QB028": "malformed name",
    "QB029": "fields that contradict each other",
    # The bank as a whole
    "QB030": "a bank inside a bank",
    "QB031": "file that is not read",
    "QB032": "bank without questions",
    "QB033": "question id given twice",
    "QB034": "bank id given twice",
    "QB035": "reference to nothing",
    "QB036": "link or device in place of a file",
    "QB037": "question id that has vanished",
    # Texts
    "QB040": "language missing",
    "QB041": "malformed placeholder",
    "QB042": "placeholder for an unknown metric",
    "QB043": "placeholder before any run",
    "QB044": "full-width digit",
    "QB045": "blank without a place in the sentence, or a place without a blank",
    "QB046": "arithmetic that gives no number",
    "QB047": "name that stands for no value of the variants, or for something else as well",
    "QB048": "variants that cannot be asked, or that do not vary",
    "QB049": "formula that is shown as it is written",
    # Runs
    "QB050": "unknown experiment",
    "QB051": "unknown parameter",
    "QB052": "parameter of the wrong type or out of range",
    "QB053": "unknown metric",
    "QB054": "unknown plot",
    "QB055": "expectation that the metric's range decides beforehand",
    "QB056": "number outside the plausible range of its metric",
    "QB057": "near miss that cannot be told from the right number, or from another",
    "QB058": "unit that the metric does not convert into",
    "QB059": "fewer digits than the tolerance needs",
    # Choices
    "QB060": "wrong number of right choices",
    "QB061": "choice id given twice",
    "QB062": "choices with the same meaning",
    "QB063": "choice without a belief that can be run, or with two",
    "QB064": "too many argued choices",
    "QB065": "the length of a choice tells whether it is right",
    "QB066": "the place of a choice tells whether it is right",
    "QB067": "steps that cannot be put in order",
    "QB068": "item without a partner",
    "QB069": "the hedging of a choice tells whether it is right",
    # What running shows (check --compute)
    "QB070": "a run failed",
    "QB071": "right choice not borne out",
    "QB072": "wrong choice not refuted",
    "QB073": "tolerance under four standard errors",
    "QB074": "cross-check failed",
    "QB075": "claim that no run decides",
    "QB076": "sentence not borne out",
    "QB077": "wrong choice with the numbers of the right one",
    "QB078": "run of a wrong shape that has another one",
    "QB079": "axes that do not fit the measured shape",
    # Exercises
    "QB080": "exercise id differs from its folder's name",
    "QB081": "file of an exercise missing",
    "QB082": "too few solutions",
    "QB083": "mistake without a file, or file without an entry",
    "QB084": "mistake that is the same as nothing",
    "QB085": "link out of an exercise's folder",
    "QB086": "not Python",
    "QB087": "function or class missing",
    "QB088": "test without a sentence",
    "QB089": "size that no argument gives",
    # Exercises, from grading
    "QB090": "exercise that cannot be graded",
    "QB091": "solution that fails",
    "QB092": "starter or mistake that passes",
    "QB093": "mistake that is not named",
}

#: Display columns of a source line that are shown around the caret.
_WINDOW: Final = 96


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `start` to `end`, offsets into the text of the file, by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `line` and `column` count characters from 1; 0 means the whole file.

    repair: the edits that mend it where that takes no judgement (`check --fix`).
    """

    code: str
    severity: Severity
    path: str
    line: int
    column: int
    source_line: str
    message: str
    remedy: str = ""
    repair: tuple[Edit, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"{self.code} is not registered in CODES")

    def headline(self) -> str:
        """Position, code and message."""
        path = _visible(self.path)
        place = f"{path}:{self.line}:{self.column}" if self.line else path
        word = "" if self.severity == "error" else f" {self.severity}:"
        return f"{place}: {self.code}{word} {self.message}"

    def render(self) -> str:
        """The headline; the source line; a caret under the column; the remedy."""
        lines = [self.headline()]
        if self.line and self.source_line.strip():
            shown, caret = _excerpt(self.source_line, self.column - 1)
            lines += [f"    {shown}", f"    {' ' * caret}^"]
        if self.remedy:
            lines.append(f"  {self.remedy}")
        return "\n".join(lines)

    def plain(self) -> dict[str, str | int | bool]:
        """The same as plain data, for --json."""
        return {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "source_line": _excerpt(self.source_line, max(0, self.column - 1))[0],
            "message": self.message,
            "remedy": self.remedy,
            "fixable": bool(self.repair),
        }


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted by file and position, repeats dropped."""
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda d: (d.path, d.line, d.column, d.code)))


def width(character: str) -> int:
    """Terminal cells one character takes: 0 for combining ones, 2 for wide ones."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _excerpt(line: str, offset: int) -> tuple[str, int]:
    """The part of `line` around `offset`, safe to print, and the caret's display column."""
    cut = max(0, offset - _WINDOW // 2) if len(line) > _WINDOW else 0
    head = "…" if cut else ""
    tail = "…" if len(line) > cut + _WINDOW else ""
    before = head + _visible(line[cut : min(offset, cut + _WINDOW)])
    after = _visible(line[offset : cut + _WINDOW]) + tail
    return before + after, sum(map(width, before))


def _visible(text: str) -> str:
    return "".join(
        "    " if char == "\t" else char if char.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )
