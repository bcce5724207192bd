"""YAML's syntax errors in an author's words.

A parser says which token it did not expect; an author wants to know which quote,
bracket or space is missing.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import yaml

from quizapp.bank import broken
from quizapp.bank.diagnostics import Diagnostic, Edit
from quizapp.bank.source import Source

MAX_DEPTH: Final = 32


class _Advice(NamedTuple):
    problem: str  # part of what libyaml or PyYAML's own parser says
    message: str
    remedy: str
    at_start: bool = False  # point at where the construct began


_QUOTE: Final = 'Put the whole value in quotes: "…", or in a block after `|`.'

_ADVICE: Final = (
    _Advice(
        "mapping values are not allowed",
        "a `:` followed by a space inside a plain text",
        _QUOTE,
    ),
    _Advice(
        "found unexpected end of stream",
        "a quote that opens here is never closed",
        "Close it; inside '…' write '' for an apostrophe.",
        True,
    ),
    _Advice(
        "found unexpected document indicator",
        "a quote that opens here is never closed",
        "Close it; inside '…' write '' for an apostrophe.",
        True,
    ),
    _Advice(
        "unknown escape character",
        "a backslash in double quotes that means nothing to YAML",
        "Use single quotes, where a backslash is just a backslash (LaTeX!).",
    ),
    _Advice("cannot start any token", "a plain text cannot begin with this character", _QUOTE),
    _Advice(
        "expected ':'",
        "a line that is neither `field: value` nor the continuation of a text",
        "Write `field: value`, or indent it under the text it belongs to.",
        True,
    ),
    _Advice(
        "',' or ']'",
        "a list that opens with `[` here is not closed, or lacks a comma",
        "Close it with `]`, put commas between entries, and quote texts with , [ ] { }.",
        True,
    ),
    _Advice(
        "',' or '}'",
        "a mapping that opens with `{` here is not closed, or lacks a comma",
        "Close it with `}`, put commas between fields, and quote texts with , [ ] { }.",
        True,
    ),
    _Advice(
        "expected '-' indicator",
        "a list entry that does not line up with the others",
        "Give every `-` of a list the same indentation.",
    ),
    _Advice(
        "expected <block end>",
        "this does not line up with what is above it, or follows a closed quote",
        "Give the fields of one mapping the same indentation; quote the whole text.",
    ),
    _Advice(
        "expected key",
        "this does not line up with what is above it, or follows a closed quote",
        "Give the fields of one mapping the same indentation; quote the whole text.",
    ),
    _Advice(
        "undefined tag handle",
        "a plain text cannot begin with `!`",
        _QUOTE,
    ),
    _Advice("mapping keys are not allowed", "a plain text cannot begin with `? `", _QUOTE),
    _Advice(
        "block sequence entries are not allowed",
        "a list cannot begin on the line of its field",
        "Start the list on the next line; a text that begins with `- ` needs quotes.",
    ),
    _Advice(
        "comment or",
        "a text after `|` or `>` cannot begin on the same line",
        "Start it on the next line, indented.",
    ),
    _Advice("alphabetic or numeric character", "a plain text cannot begin with `&` or `*`", _QUOTE),
    _Advice(
        "expected <document start>",
        "the file goes on after its end",
        "Indent what belongs to the field above.",
    ),
)

_TAB_INDENT: Final = re.compile(r"[ ]*\t[ \t]*(?=\S)")


def explain(source: Source, error: yaml.YAMLError, text: str) -> Diagnostic:
    """The one diagnostic for the error that stopped the parser, which was reading `text`."""
    if not isinstance(error, yaml.MarkedYAMLError):
        remedy = "Compare the file with one that works."
        return source.diagnose("QB005", None, f"this is not YAML: {error}", remedy)
    stopped = _position(source, error.problem_mark) or _position(source, error.context_mark)
    began = _position(source, error.context_mark) or stopped
    problem = (error.problem or "").replace("could not find expected", "expected")
    problem = problem.replace("did not find expected", "expected").replace("a comment", "comment")
    if "maximum nesting depth" in problem:
        return too_deep(source, stopped)
    tab = _tab(source, stopped)
    if tab is not None:
        message = "a tab is used as indentation"
        return source.diagnose("QB006", tab, message, "Indent with spaces, two for each level.")
    if stopped is not None and began is not None:
        found = broken.meant(source, text, problem, began, stopped)
        if found is not None:
            return found
    for advice in _ADVICE:
        if advice.problem in problem:
            return _told(source, advice, began, stopped)
    remedy = "Compare the lines around this place with a file that works."
    return source.diagnose("QB005", stopped, f"this is not YAML: {problem}", remedy)


def _told(
    source: Source, advice: _Advice, began: tuple[int, int] | None, stopped: tuple[int, int] | None
) -> Diagnostic:
    mended: tuple[Edit, ...] = ()
    at = began if advice.at_start else stopped
    if began is not None and stopped is not None:
        mended = broken.repair(source, advice.message, began, stopped)
    return source.diagnose("QB005", at, advice.message, advice.remedy, repair=mended)


def too_deep(source: Source, at: tuple[int, int] | None) -> Diagnostic:
    """The refusal of a file that is nested deeper than any bank needs."""
    message = f"nested more than {MAX_DEPTH} levels deep"
    return source.diagnose("QB013", at, message, "A bank needs 8 at most; check the brackets.")


def _position(source: Source, mark: yaml.Mark | None) -> tuple[int, int] | None:
    if mark is None:
        return None
    line = min(mark.line, len(source.lines) - 1)
    column = mark.column if line == mark.line else len(source.lines[line])
    return line + 1, column + 1


def _tab(source: Source, stopped: tuple[int, int] | None) -> tuple[int, int] | None:
    """The tab that indents the line where the parser stopped, or the first line above it."""
    if stopped is None:
        return None
    for line in (stopped[0], stopped[0] - 1):
        if line < 1:
            continue
        found = _TAB_INDENT.match(source.lines[line - 1])
        if found:
            return line, found.group().index("\t") + 1
    return None
