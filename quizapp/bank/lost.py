"""Text lost to YAML: what an author wrote as one text and a parser read as something else.

A comma inside `{…}` begins a field, `[B, H, T]` is a list, ` #` begins a comment, and a
full-width colon is a letter. Some of it gives a value of the wrong shape, told in
`misread`; some gives a shorter text that looks sound, told in `lost`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

from quizapp.bank import broken, mend
from quizapp.bank.compose import Path
from quizapp.bank.diagnostics import Diagnostic, Edit
from quizapp.bank.source import Source
from quizapp.bank.spans import Span, spans
from quizapp.bank.words import clip
from quizapp.text import LANGUAGES, Text

_QUOTES: Final = 'Put the whole text in quotes: "…".'
_WIDE: Final = re.compile(rf"(?:^|(?<=\s))({'|'.join(LANGUAGES)})[ \t]*(：\s*)")
_HASH: Final = re.compile(r"[ \t]+(#.*)")
#: A list in flow form with an open bracket before a comma: worth a closer look.
#: Each part ends at the first character it cannot have, so that a bomb of brackets is no work.
_CUT: Final = re.compile(r"\[[^\]\[\n(]{0,300}\([^)\n,]{0,300},")
_HASHED: Final = re.compile(r"[^\s#][ \t]+#")


def lost(source: Source, text: str) -> list[Diagnostic]:
    """Findings about texts that YAML made shorter, or cut in two, without a word.

    text: what was composed of `source` (`Composed.text`).
    """
    wide = any(f"{name}：" in text for name in LANGUAGES)
    hashed = " #" in text and _HASHED.search(text) is not None
    if not (wide or hashed or _CUT.search(text)):
        return []
    where = spans(source, text)
    return [*_in_texts(source, where), *_cut_entries(source, where)]


def _in_texts(source: Source, where: Mapping[Path, Span]) -> Iterator[Diagnostic]:
    for path, span in where.items():
        if span.kind != "text" or span.style or not _is_text(path):
            continue
        line, column = source.position(span.end)
        found = _HASH.fullmatch(source.lines[line - 1], column - 1)
        if found and not span.inside:
            sure = re.match(r"#[^\s#]", found[1])
            edits = _whole_line(source, span, line) if sure else ()
            yield broken.comment(source, (line, found.start(1) + 1), found[1], edits)
        raw = source.text[span.start : span.end]
        wide = _WIDE.match(raw)
        if wide:
            at = source.position(span.start + wide.start(2))
            told = broken.wide_colon(source, *at, wide[1], wide[2])
            yield replace(told, repair=tuple(_colons(span.start, raw)))


def _whole_line(source: Source, span: Span, line: int) -> tuple[Edit, ...]:
    """The text of one line together with what follows it, in quotes."""
    end = source.offset(line, 1) + len(source.lines[line - 1].rstrip())
    return mend.as_quoted(source, span.start, end)


def _colons(start: int, raw: str) -> Iterator[Edit]:
    for found in _WIDE.finditer(raw):
        yield Edit(start + found.start(2), start + found.end(2), ": ")


def _cut_entries(source: Source, where: Mapping[Path, Span]) -> Iterator[Diagnostic]:
    """`[softmax(q, k)]`: one text with a comma that became two entries."""
    for path, span in where.items():
        if span.style != "[" or "with" in path:
            continue
        index = 0
        while (first := where.get((*path, index))) is not None:
            last = _balanced(source, where, path, index)
            if last is not None and last > index:
                end = where[(*path, last)].end
                whole = source.text[first.start : end]
                message = f"the comma cuts `{clip(whole)}` into {last - index + 1} entries"
                edits = mend.as_quoted(source, first.start, end)
                at = source.position(first.start)
                yield source.diagnose("QB017", at, message, _QUOTES, repair=edits)
                index = last
            index += 1


def _balanced(source: Source, where: Mapping[Path, Span], path: Path, index: int) -> int | None:
    """The entry at which the parentheses opened in the plain entry `index` are closed."""
    depth = 0
    while (span := where.get((*path, index))) is not None and span.kind == "text":
        if span.style:
            return None
        raw = source.text[span.start : span.end]
        depth += raw.count("(") - raw.count(")")
        if depth <= 0:
            return index
        index += 1
    return None


def misread(
    source: Source, where: Mapping[Path, Span], path: Path, value: Any
) -> Diagnostic | None:
    """What YAML made of the text at `path`; None where it is simply not a text."""
    span = where.get(path)
    if span is None:
        return None
    if isinstance(value, list) and span.style == "[":
        return _taken_for(source, span, "list")
    strange = [key for key in value if key not in LANGUAGES] if isinstance(value, dict) else []
    at = where.get((*path, strange[0])) if strange else None
    if at is None or at.key is None:
        return None
    if span.style == "{":
        return _flow(source, span, at.key, strange[0], value)
    return _block(source, at, strange[0], value)


def _taken_for(source: Source, span: Span, kind: str) -> Diagnostic:
    message = f"YAML reads the text `{clip(source.text[span.start : span.end])}` as a {kind}"
    edits = mend.as_quoted(source, span.start, span.end)
    return source.diagnose("QB017", source.position(span.start), message, _QUOTES, repair=edits)


def _flow(
    source: Source, span: Span, key: tuple[int, int], name: str, value: dict[str, Any]
) -> Diagnostic | None:
    """A text in `{…}`: cut at a comma, begun with a brace, or with full-width punctuation."""
    at = source.position(key[0])
    apart = mend.languages_apart(source, span.start, span.end, block=not span.inside)
    if re.match(rf"(?:{'|'.join(LANGUAGES)})\s*：", name):
        colon = (at[0], at[1] + name.index("："))
        told = broken.wide_colon(source, *colon, name[:2], "：")
        return replace(told, repair=apart)
    if value[name] != "":
        return None
    if not any(language in value for language in LANGUAGES):
        return _taken_for(source, span, "mapping")
    return _comma(source, at, name, apart)


def _comma(
    source: Source, at: tuple[int, int], name: str, edits: tuple[Edit, ...] = ()
) -> Diagnostic:
    message = f"inside `{{…}}` a comma ends a text: `{clip(name)}` became a field of its own"
    remedy = 'Put the text in quotes: "…", or give each field a line of its own.'
    return source.diagnose("QB017", at, message, remedy, repair=edits)


def _block(source: Source, at: Span, name: str, value: dict[str, Any]) -> Diagnostic | None:
    """`- Look: at q`: a colon and a space in a list entry that is a text."""
    if len(value) > 1 or (" " not in name and name.islower()) or at.key is None:
        return None
    line, column = source.position(at.key[0])
    message = f"`{clip(name)}` is read as a field: a `:` and a space follow it inside a text"
    edits = mend.whole_text(source, line)
    if edits and edits[0].start != at.key[0]:
        whole = source.text[at.key[0] : edits[0].end]
        edits = () if "\n" in whole else (Edit(at.key[0], edits[0].end, mend.quoted(whole)),)
    return source.diagnose("QB017", (line, column), message, _QUOTES, repair=edits)


def stray_field(
    source: Source, where: Mapping[Path, Span], path: Path, value: Any
) -> Diagnostic | None:
    """A field that nobody wrote: what a comma in the text before it cut off inside `{…}`."""
    if value != "" or not path:
        return None
    parent = path[:-1]
    span = where.get(path)
    if span is None or span.key is None or span.inside != "{":
        return None
    siblings = sorted(
        (other.start, other) for name, other in where.items()
        if len(name) == len(path) and name[:-1] == parent
    )  # fmt: skip
    before = [one for start, one in siblings if start < span.key[0] and one.start < one.end]
    if not before or before[-1].kind != "text" or before[-1].style:
        return None
    edits = mend.as_quoted(source, before[-1].start, span.key[1])
    return _comma(source, source.position(span.key[0]), str(path[-1]), edits)


def _is_text(path: Path) -> bool:
    """Whether the value at `path` is a text that learners read."""
    names = [step for step in path if isinstance(step, str)]
    if not names or "with" in names:
        return False
    return names[-1] in LANGUAGES or names[-1] in _text_fields()


@cache
def _text_fields() -> frozenset[str]:
    """Names of the fields that hold a text, in any model of a bank file."""
    from quizapp.bank.base import Model

    def below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
        for inner in model.__subclasses__():
            yield inner
            yield from below(inner)

    return frozenset(
        field.alias or name
        for model in below(Model)
        for name, field in model.model_fields.items()
        if Text.__name__ in re.findall(r"\w+", str(field.annotation))
    )
