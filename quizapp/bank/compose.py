"""Composer: a YAML file as plain data, every plain scalar kept as the text it is.

Works on the events of libyaml's parser (PyYAML's own where libyaml is absent).
What a scalar means is the model's decision, so `NO`, `3.10`, `2024-01-02`, `1:30`
and `08` stay text; only below a key named in `FREE_KEYS`, where no model says what
to expect, do unquoted numbers and `true`/`false` become values.

Safe by construction: a file is one tree, of bounded depth, made of mappings with
unique text keys, lists and texts. Anchors, aliases, merge keys, tags and further
documents are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from quizapp.bank import recover, syntax
from quizapp.bank.condense import bomb, condensed
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.pure_parser import PureParser
from quizapp.bank.source import CONTROLS, Source
from quizapp.bank.syntax import MAX_DEPTH

#: Keys whose contents no model types: parameters of experiments.
FREE_KEYS: Final = frozenset({"with"})

Path = tuple[str | int, ...]

#: YAML folds a line break into a blank, which Chinese does not put between characters.
FOLD: Final = re.compile(r"(?<=[\u2e80-\u9fff\uff00-\uffef]) (?=[\u2e80-\u9fff\uff00-\uffef])")


class Broken:
    """Stands where a value could not be composed; its own diagnostic exists already."""

    def __repr__(self) -> str:
        return "<broken>"


BROKEN: Final = Broken()

_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9]")


def free_scalar(text: str) -> bool | int | float | str:
    """What an unquoted scalar looks like: true/false, an integer, a decimal, else text."""
    if text in ("true", "false"):
        return text == "true"
    if _INT.fullmatch(text) and len(text) <= 20:
        return int(text)
    if _FLOAT.fullmatch(text) and not _LEADING_ZERO.match(text):
        return float(text)
    return text


@dataclass(frozen=True)
class Places:
    """Where each key and value of a file stands.

    `root` mirrors the data: a mark, or (mark, {key: (key mark, place)}), or
    (mark, [place, …]).
    """

    root: Any = field(repr=False)

    def value(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Line and column, from 1, of the value at `path`, or of the nearest one around it."""
        return _start(self._walk(path)[0])

    def key(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Line and column of the key that leads to `path`; of the entry itself in a list."""
        place, key_mark = self._walk(path)
        return _start(key_mark) if key_mark is not None else _start(place)

    def _walk(self, path: Sequence[str | int]) -> tuple[Any, Any]:
        place, key_mark = self.root, None
        for step in path:
            children = place[1] if isinstance(place, tuple) else None
            if isinstance(children, dict) and step in children:
                key_mark, place = children[step]
            elif isinstance(children, list) and isinstance(step, int) and step < len(children):
                key_mark, place = None, children[step]
            else:
                break
        return place, key_mark


def _start(place: Any) -> tuple[int, int]:
    mark = place[0] if isinstance(place, tuple) else place
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


@dataclass(frozen=True)
class Composed:
    """A file's data (BROKEN where there is none), positions and everything refused.

    text: what was composed in the end: the source's, with questions of broken syntax as
    comments; whole: whether none had to be taken out.
    """

    data: Any
    places: Places
    diagnostics: list[Diagnostic]
    text: str = field(default="", repr=False)
    whole: bool = True


class _Stop(Exception):  # noqa: N818 - it ends the walk; the diagnostic is the error
    """The rest of the file cannot be read."""


def parser_of(text: str) -> Any:
    """libyaml's parser of `text`, or PyYAML's own where libyaml is absent."""
    if yaml.__with_libyaml__:
        from yaml._yaml import CParser

        return CParser(text)
    return PureParser(text)


def compose(source: Source, parser: Callable[[str], Any] = parser_of) -> Composed:
    """Compose `source`, which `source.read` found to be clean text.

    Goes on after everything it refuses except excessive depth and a second document, and
    without the question whose syntax is broken, so that one pass reports all it can.
    """
    from quizapp.bank.lost import lost  # it reads with what is defined here

    composer = _Composer(source, parser, source.text)
    composed = composer.compose()
    if (full := bomb(composed.diagnostics)) is not None:
        return Composed(BROKEN, Places(None), [full], source.text, False)
    if composer.stopped is None:
        composed.diagnostics[:] = condensed([*composed.diagnostics, *lost(source, source.text)])
        return composed
    text, found = source.text, composed.diagnostics
    for _ in range(recover.tries(source)):
        rest = recover.without_entry(source, text, composer.stopped.line)
        if rest is None or rest == text:
            break
        text, composer = rest, _Composer(source, parser, rest)
        composed = composer.compose()
        found += composed.diagnostics
        if composer.stopped is None:
            break
    if isinstance(composed.data, dict) and composed.data.get("questions") == "":
        composed.data["questions"] = BROKEN  # all of them were taken out
    found += lost(source, text)
    return Composed(composed.data, composed.places, condensed(found), text, False)


class _Composer:
    def __init__(self, source: Source, parser: Callable[[str], Any], text: str) -> None:
        self._source = source
        self._text = text
        self._next: Callable[[], Any] = parser(text).get_event
        self._found: list[Diagnostic] = []
        self._escapes = "\\" in text
        self.stopped: Diagnostic | None = None  # what is broken where the parser gave up

    def compose(self) -> Composed:
        data: Any = BROKEN
        place: Any = None
        try:
            self._next()  # the start of the stream
            if type(self._next()) is StreamEndEvent:
                remedy = "Begin with `format: quizapp/1`, or delete the file."
                self._refuse("QB015", None, "the file is empty", remedy)
            else:
                data, place = self._node(self._next(), 1, False)
                self._next()  # the end of the document
                after = self._next()
                if type(after) is DocumentStartEvent:
                    remedy = "Move what follows `---` into a file of its own."
                    self._refuse("QB012", after, "a second document starts here", remedy)
        except _Stop:
            pass
        except yaml.YAMLError as error:
            self.stopped = syntax.explain(self._source, error, self._text)
            self._found.append(self.stopped)
        return Composed(data, Places(place), self._found, self._text)

    def _node(self, event: Any, depth: int, free: bool) -> tuple[Any, Any]:
        """The value that `event` begins, and its place."""
        kind = type(event)
        if kind is AliasEvent:
            remedy = "Write the value out; every question must be readable on its own."
            self._refuse("QB009", event, f"the alias `*{event.anchor}` is not allowed", remedy)
            return BROKEN, event.start_mark
        if event.anchor is not None or event.tag is not None:
            self._refuse_properties(event)
        if kind is ScalarEvent:
            return self._scalar(event, free), event.start_mark
        if depth > MAX_DEPTH:
            self._found.append(syntax.too_deep(self._source, _start(event.start_mark)))
            raise _Stop
        if kind is MappingStartEvent:
            return self._mapping(event, depth, free)
        return self._sequence(event, depth, free)

    def _scalar(self, event: Any, free: bool) -> Any:
        text = event.value
        if free and not event.style:
            return free_scalar(text)
        if self._escapes and event.style == '"' and not text.isprintable():
            found = CONTROLS.search(text)
            if found:
                message = f"an escape makes the control character U+{ord(found.group()):04X}"
                remedy = r"Delete the escape, or write the backslash itself as \\."
                self._refuse("QB004", event, message, remedy)
                return BROKEN
        if (
            event.style != "|"
            and not text.isascii()
            and event.end_mark.line > event.start_mark.line
        ):
            return FOLD.sub("", text)
        return text

    def _mapping(self, start: Any, depth: int, free: bool) -> tuple[dict[str, Any], Any]:
        advance = self._next
        data: dict[str, Any] = {}
        places: dict[str, Any] = {}
        while type(event := advance()) is not MappingEndEvent:
            mark = event.start_mark
            key = self._key(event, depth, places)
            event = advance()
            if type(event) is ScalarEvent and event.tag is None and event.anchor is None:
                # The most frequent case by far, so it is spelt out here.
                if (free and not event.style) or event.style == '"' or not event.value.isascii():
                    value = self._scalar(event, free)
                else:
                    value = event.value
                place = event.start_mark
            else:
                value, place = self._node(event, depth + 1, free or key in FREE_KEYS)
            if key is not None:
                data[key] = value
                places[key] = (mark, place)
        return data, (start.start_mark, places)

    def _sequence(self, start: Any, depth: int, free: bool) -> tuple[list[Any], Any]:
        advance = self._next
        data: list[Any] = []
        places: list[Any] = []
        while type(event := advance()) is not SequenceEndEvent:
            value, place = self._node(event, depth + 1, free)
            data.append(value)
            places.append(place)
        return data, (start.start_mark, places)

    def _key(self, event: Any, depth: int, seen: dict[str, Any]) -> str | None:
        """The key as text, or None when it is refused and its value must be dropped."""
        if type(event) is not ScalarEvent:
            remedy = "Put a name before the colon; quote texts that begin with [ or {."
            self._refuse("QB014", event, "a key must be a plain text", remedy)
            self._node(event, depth + 1, False)
            return None
        if event.anchor is not None or event.tag is not None:
            self._refuse_properties(event)
        key: str = event.value
        if key in seen:
            line, _ = _start(seen[key][0])
            message = f"`{key}` is given twice in one mapping; first on line {line}"
            self._refuse("QB007", event, message, "Keep one of the two.")
            return None
        if key == "<<" and not event.style:
            remedy = "Write the fields out; every question must be readable on its own."
            self._refuse("QB010", event, "the merge key `<<` is not allowed", remedy)
            return None
        return key

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            remedy = 'Delete it; a text that begins with & needs quotes: "&…".'
            self._refuse("QB008", event, f"the anchor `&{event.anchor}` is not allowed", remedy)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            remedy = 'Delete it; a text that begins with ! needs quotes: "!…".'
            self._refuse("QB011", event, f"the tag `{tag}` is not allowed", remedy)

    def _refuse(self, code: str, event: Any, message: str, remedy: str) -> None:
        at = None if event is None else _start(event.start_mark)
        self._found.append(self._source.diagnose(code, at, message, remedy))
