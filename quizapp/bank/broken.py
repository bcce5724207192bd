"""What an author meant where YAML stops: the habits behind most of its syntax errors.

Each is known by the line on which the parser stopped or on which it began what it could
not end, says itself in an author's words, and is mended where that takes no judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from quizapp.bank import mend
from quizapp.bank.diagnostics import Diagnostic, Edit
from quizapp.bank.source import Source
from quizapp.bank.words import clip

Position = tuple[int, int]

_FIELD: Final = r"(?P<lead> *(?:- +)*)(?P<key>[A-Za-z_][A-Za-z_0-9-]*)"
_WIDE_COLON: Final = re.compile(rf"{_FIELD}[ \t]*(?P<colon>：[ \t]*)")
_GLUED: Final = re.compile(rf"{_FIELD}:(?P<value>[^\s:].*)")
_OPENED: Final = re.compile(r" *(?:- +)*(?:[A-Za-z_][\w-]*[ \t]*:[ \t]+)?(?P<open>[\[{])")
_PLAIN_THEN_HASH: Final = re.compile(
    r" *(?:- +)*(?:[A-Za-z_][\w-]*[ \t]*:[ \t]+)?(?![\s\"'|>#\[{])(?:(?!\s#).)*(?P<hash>\s#.*)"
)
_HASH_IN_FLOW: Final = re.compile(r"[^\s\"'][ \t]+(?P<hash>#.*)")

_QUOTE_ALL: Final = 'Put the whole text in quotes: "…".'
_EACH_LINE: Final = "Give each language a line of its own, or put each wording in quotes."


def meant(
    source: Source, text: str, problem: str, began: Position, stopped: Position
) -> Diagnostic | None:
    """The finding for a syntax error whose cause is known; None for every other.

    text: what was parsed of `source`, with every character at the same place; problem: the
    parser's own words; began: where the construct starts that it could not end; stopped:
    where it gave up.
    """
    for found in (
        *_runaway_quote(source, text, stopped),
        *_wide_colon(source, began, stopped),
        *_comment(source, problem, began, stopped),
        *_glued(source, problem, began),
        *_bracket(source, problem, stopped),
        *_languages(source, problem, began),
    ):
        return found
    return None


def repair(source: Source, message: str, began: Position, stopped: Position) -> tuple[Edit, ...]:
    """Edits that mend a syntax error told as `message`, where quotes around the text do."""
    line = source.lines[stopped[0] - 1]
    if "backslash" in message:
        return _other_quotes(source, began, stopped)
    before = line[: stopped[1] - 1]
    if "{" in before or not any(part in message for part in _QUOTING):
        return ()
    if "closed quote" in message and not before.rstrip().endswith(('"', "'")):
        return ()  # it is the indentation that is wrong
    return mend.whole_text(source, stopped[0])


#: Parts of the messages of `quizapp.bank.syntax` that quotes around the whole text mend.
_QUOTING: Final = ("inside a plain text", "cannot begin with", "follows a closed quote")


def _runaway_quote(source: Source, text: str, stopped: Position) -> Iterator[Diagnostic]:
    """A quote that nobody closed, and that ended at the next one, lines below."""
    from quizapp.bank.spans import spans  # it reads with the parser that brought us here

    end = source.offset(*stopped)
    quotes = [
        span
        for span in spans(source, text).values()
        if span.kind == "text" and span.style in ("'", '"') and span.end <= end
    ]
    last = max(quotes, key=lambda span: span.end, default=None)
    if last is None or source.text[last.end : end].strip():
        return
    opened = source.position(last.start)
    if opened[0] < stopped[0]:
        message = f"a quote that opens here is closed only on line {stopped[0]}"
        remedy = "Close it where the text ends; inside '…' write '' for an apostrophe."
        yield source.diagnose("QB005", opened, message, remedy)


def _wide_colon(source: Source, began: Position, stopped: Position) -> Iterator[Diagnostic]:
    for line in dict.fromkeys((stopped[0], stopped[0] - 1, stopped[0] - 2, began[0])):
        found = _WIDE_COLON.match(source.lines[line - 1]) if line > 0 else None
        if found:
            yield wide_colon(source, line, found.start("colon") + 1, found["key"], found["colon"])


def wide_colon(source: Source, line: int, column: int, key: str, colon: str) -> Diagnostic:
    """The finding about a `：` after a field's name."""
    start = source.offset(line, column)
    message = f"`{clip(key)}` is followed by a full-width colon, which YAML takes for a letter"
    remedy = f"Write `{clip(key)}: `, with a half-width colon and a space."
    mended = (Edit(start, start + len(colon), ": "),)
    return source.diagnose("QB018", (line, column), message, remedy, repair=mended)


def _comment(
    source: Source, problem: str, began: Position, stopped: Position
) -> Iterator[Diagnostic]:
    """A ` #` that ended a text which goes on: on the next line, or in the same brackets."""
    if "',' or" in problem:
        line = began[0]
        found = _HASH_IN_FLOW.search(source.lines[line - 1], began[1] - 1)
        if found:
            start = source.offset(*began)
            end = source.offset(line, 1) + len(source.lines[line - 1].rstrip())
            apart = mend.languages_apart(source, start, end, block=True)
            yield comment(source, (line, found.start("hash") + 1), found["hash"], apart)
        return
    line = stopped[0] - 1
    found = _PLAIN_THEN_HASH.fullmatch(source.lines[line - 1]) if line > 0 else None
    below = source.lines[stopped[0] - 1].strip()
    if found and below and not re.match(r"- |[A-Za-z_][\w-]*\s*:(?:\s|$)|#", below):
        at = (line, found.start("hash") + 2)
        yield comment(source, at, found["hash"].strip(), mend.whole_text(source, line))


def comment(source: Source, at: Position, lost: str, mended: tuple[Edit, ...] = ()) -> Diagnostic:
    """The finding about a ` #` inside a text; only a warning where it may be a real comment."""
    message = f"a text ends before ` #`: `{clip(lost)}` is read as a comment"
    remedy = 'Put the whole text in quotes: "…"; give a comment a line of its own.'
    sure = bool(re.match(r"#[^\s#]", lost)) or bool(mended)
    return source.diagnose(
        "QB016", at, message, remedy, "error" if sure else "warning", repair=mended
    )


def _glued(source: Source, problem: str, began: Position) -> Iterator[Diagnostic]:
    found = _GLUED.fullmatch(source.lines[began[0] - 1])
    if found and "expected ':'" in problem:
        column = found.start("value") + 1
        start = source.offset(began[0], column)
        message = f"a space is missing after `{clip(found['key'])}:`"
        remedy = f"Write `{clip(found['key'])}: `, then the value."
        mended = (Edit(start, start, " "),)
        yield source.diagnose("QB005", (began[0], column), message, remedy, repair=mended)


def _bracket(source: Source, problem: str, stopped: Position) -> Iterator[Diagnostic]:
    """A text that begins with a bracket, which closes before the text does."""
    line = source.lines[stopped[0] - 1]
    found = _OPENED.match(line)
    if found is None or "',' or" in problem:
        return
    at = found.start("open")
    kind = "list" if found["open"] == "[" else "mapping"
    closed = line.find("]" if kind == "list" else "}", at)
    if not at < closed < stopped[1] - 1:
        return
    message = f"a text that begins with `{found['open']}` is read as a {kind}"
    mended = mend.whole_text(source, stopped[0])
    yield source.diagnose("QB017", (stopped[0], at + 1), message, _QUOTE_ALL, repair=mended)


def _languages(source: Source, problem: str, began: Position) -> Iterator[Diagnostic]:
    """`{en: …, zh: …}` with a wording that flow form cannot hold as it is."""
    if "',' or '}'" not in problem and "cannot start any token" not in problem:
        return
    line = source.lines[began[0] - 1].rstrip()
    at = line.find("{") if "cannot start" in problem else began[1] - 1
    pieces = mend.split_languages(line[at:]) if at >= 0 else None
    if pieces is None:
        return
    wide = re.search(r"[，：]\s*(?:en|zh)\s*[:：]|(?:en|zh)\s*：", line[at:])
    if wide:
        message = "full-width punctuation in `{…}`, which YAML takes for letters"
        start = (began[0], at + wide.start() + 1)
        code, remedy = "QB018", "Write `{en: …, zh: …}` with half-width colons and commas."
    else:
        wording = next((w for _, w in pieces if mend.plain_or_quoted(w) != w), pieces[0][1])
        message = f"in `{{…}}` the text `{clip(wording)}` needs quotes"
        start = (began[0], line.find(wording, at) + 1)
        code, remedy = "QB005", _EACH_LINE
    first = source.offset(began[0], at + 1)
    apart = mend.languages_apart(source, first, first + len(line) - at, block=True)
    yield source.diagnose(code, start, message, remedy, repair=apart)


def _other_quotes(source: Source, began: Position, stopped: Position) -> tuple[Edit, ...]:
    """Single quotes for a text in double ones that has a backslash meant as one."""
    if began[0] != stopped[0]:
        return ()
    found = re.compile(r'"([^"\n\r]*)"').match(source.text, source.offset(*began))
    if found is None or re.search(r'\\["\\nt]', found[1]):
        return ()
    return (Edit(found.start(), found.end(), mend.quoted(found[1])),)
