"""Explain: what pydantic found, in an author's words, with the place and the likely intent.

Every error is reduced to the path of real keys that leads to it; the message is then
made from the field, the value that stands there and what the model wants.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from quizapp.bank import exercises, models
from quizapp.bank.compose import BROKEN, Composed, Path
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.lost import misread, stray_field
from quizapp.bank.new_ids import missing_id
from quizapp.bank.shapes import KINDS, MISSING, field_names, look, model_at
from quizapp.bank.source import Source
from quizapp.bank.spans import Span, spans
from quizapp.bank.words import clip, closest, closest_language, listed, show
from quizapp.text import LANGUAGES

_NOUNS: Final[Mapping[type[BaseModel], str]] = {
    exercises.Argument: "an argument",
    exercises.ClassForm: "class",
    exercises.Exercise: "an exercise",
    exercises.Limits: "limits",
    exercises.Returned: "an entry of returns",
    models.Author: "an author",
    models.BankHeader: "bank.yaml",
    models.Blank: "a blank",
    models.Choice: "a choice",
    models.Expectation: "an expectation",
    models.Followups: "followups",
    models.Item: "an item",
    models.NearMiss: "a near miss",
    models.NumericAnswer: "a numeric answer",
    models.Partner: "a partner",
    models.Prediction: "a predicted answer",
    models.QuestionFile: "a question file",
    models.RubricPoint: "a rubric point",
    models.Run: "a run",
    models.Sentence: "an entry of claims",
    models.ShapeAnswer: "the answer of a shape question",
    models.ShapeSlip: "a slip",
    models.Show: "show",
    models.ShownRow: "a shown row",
    models.Source: "a source",
    models.Step: "a step",
    models.Variants: "variants",
    models.Written: "a written answer",
}

_PATTERNS: Final = {
    "{0,29}": ("the name of a value", "lower-case letters, digits and underscores, as in `d_k`"),
    "/": ("a reference", "`question-id` or `bank-id/question-id`"),
    "[0-9]{1,3}": ("the name of a metric", "`score_std` or `quantiles[2]`"),
    "_[a-z0-9]+": ("a plain name", "lower-case letters, digits and single underscores: `no_scale`"),
    r"(?:\.": ("a dotted name", "the whole path, as in `torch.nn.MultiheadAttention`"),
    "[1-9][0-9]{0,4}": ("an axis", "a name, a size or a sum of them: `S_k`, `2`, `S_past+S_new`"),
    "[A-Za-z_]": ("a name in Python", "letters, digits and underscores, as in `n_heads`"),
    "": ("an id", "lower-case letters, digits and single hyphens, as in `why-divide`"),
}

_LIST: Final = ("a list", "Begin each entry with `- ` on a line of its own, or write […, …].")
_MAPPING: Final = ("a mapping of fields", "Write `name: value`.")
_SHAPES: Final = {
    "tuple_type": _LIST,
    "list_type": _LIST,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "string_type": ("a text", "Put it in quotes if it begins with [ or {."),
}


def explain(
    source: Source, composed: Composed, error: ValidationError, root: type[BaseModel]
) -> list[Diagnostic]:
    """One diagnostic for each thing the author has to mend, none for its consequences."""
    explainer = _Explainer(source, composed, root)
    found = [
        explainer.name(item) if item["loc"][-1:] == ("[key]",) else explainer.one(item)
        for item in error.errors(include_url=False)
    ]
    return [diagnostic for diagnostic in found if diagnostic is not None]


class _Explainer:
    def __init__(self, source: Source, composed: Composed, root: type[BaseModel]) -> None:
        self._source = source
        self._data = composed.data
        self._places = composed.places
        self._text_read = composed.text
        self._root = root

    @cached_property
    def _spans(self) -> Mapping[Path, Span]:
        return spans(self._source, self._text_read)

    def one(self, error: Any) -> Diagnostic | None:
        path, value = _real_path(error["loc"], self._data)
        kind, context = str(error["type"]), error.get("ctx", {})
        if value is BROKEN or (kind == "too_short" and len(value) >= context["min_length"]):
            return None  # told already; pydantic counts only the sound entries
        if path == ("format",):
            return self._format(path, value)
        structural = {
            "missing": self._missing,
            "extra_forbidden": self._unknown_field,
            "union_tag_not_found": self._no_kind,
            "union_tag_invalid": self._unknown_kind,
        }
        if kind in structural:
            return structural[kind](path)
        if kind == "value_error":
            remedy = "See the authoring guide on these fields."
            return self._at("QB029", path, str(context["error"]), remedy)
        if kind == "text" and value != "":
            return self._text(path, value)
        return self._at(*_value(kind, path, value, context, self._fields_at(path)))

    def name(self, error: Any) -> Diagnostic:
        """What is wrong with a name that the author chose: a key of a mapping."""
        path, _ = _real_path(error["loc"][:-1], self._data)
        return self._at(*_value(str(error["type"]), path, path[-1], error["ctx"], ()), key=True)

    def _fields_at(self, path: Path) -> list[str]:
        return field_names(model_at(self._root, path, self._data))

    def _at(
        self, code: str, path: Path, message: str, remedy: str, *, key: bool = False
    ) -> Diagnostic:
        place = self._places.key(path) if key else self._places.value(path)
        return self._source.diagnose(code, place, message, remedy)

    def _missing(self, path: Path) -> Diagnostic | None:
        parent, name = path[:-1], str(path[-1])
        model = model_at(self._root, parent, self._data)
        here = look(self._data, parent)
        known = field_names(model)
        strangers = [key for key in here if key not in known] if isinstance(here, dict) else []
        if difflib.get_close_matches(name, strangers, n=1, cutoff=0.6):
            return None  # reported as an unknown field that means this one
        noun = _noun(model, here)
        message = f"{noun} needs the field `{name}`, which is missing"
        told = self._at("QB022", parent, message, f"Add `{name}:` here.")
        if name != "id":
            return told
        return replace(told, repair=missing_id(self._source, self._spans, self._data, parent))

    def _unknown_field(self, path: Path) -> Diagnostic:
        cut_off = stray_field(self._source, self._spans, path, look(self._data, path))
        if cut_off is not None:
            return cut_off
        parent, name = path[:-1], str(path[-1])
        model = model_at(self._root, parent, self._data)
        known = field_names(model)
        noun = _noun(model, look(self._data, parent))
        message = f"{noun} has no field `{clip(name)}`{closest(name, known)}"
        return self._at("QB021", path, message, f"It has: {listed(known)}.", key=True)

    def _no_kind(self, path: Path) -> Diagnostic:
        message = "a question needs the field `kind`, which is missing"
        return self._at("QB022", path, message, f"Kinds are {listed(KINDS)}.")

    def _unknown_kind(self, path: Path) -> Diagnostic:
        kind = look(self._data, (*path, "kind"))
        message = f"there is no kind of question {show(kind)}{closest(str(kind), KINDS)}"
        return self._at("QB023", (*path, "kind"), message, f"Kinds are {listed(KINDS)}.")

    def _format(self, path: Path, value: Any) -> Diagnostic:
        remedy = "Let the file begin with `format: quizapp/1`."
        if value is MISSING:
            return self._at("QB020", (), "the file does not state its format", remedy)
        return self._at("QB020", path, f"the format {show(value)} is not known", remedy)

    def _text(self, path: Path, value: Any) -> Diagnostic:
        meant = misread(self._source, self._spans, path, value)
        if meant is not None:
            return meant
        remedy = (
            f"Write a text, or one for each language: {{{LANGUAGES[0]}: …, {LANGUAGES[1]}: …}}."
        )
        if not isinstance(value, dict):
            message = f"{_field_name(path)} must be a text, not {show(value)}"
            return self._at("QB024", path, message, remedy)
        for key, wording in value.items():
            if key not in LANGUAGES:
                message = f"`{clip(key)}` is not a language of a bank{closest_language(key)}"
                known = f"Languages are {listed(LANGUAGES)}."
                return self._at("QB027", (*path, key), message, known, key=True)
            if not isinstance(wording, str):
                inner = misread(self._source, self._spans, (*path, key), wording)
                if inner is not None:
                    return inner
                message = f"{_field_name((*path, key))} must be a text, not {show(wording)}"
                return self._at("QB024", (*path, key), message, remedy)
        empty = [key for key, wording in value.items() if wording == ""]
        where = (*path, *empty[:1])
        message = f"{_field_name(where)} is empty"
        return self._at("QB027", where, message, "Give it a value, or remove the line.")


_Finding = tuple[str, Path, str, str]


def _value(
    kind: str, path: Path, value: Any, context: Mapping[str, Any], fields: Sequence[str]
) -> _Finding:
    """Code, path, message and remedy for a value its field cannot take."""
    field, shown = _field_name(path), show(value)
    if value == "":
        return "QB027", path, f"{field} is empty", "Give it a value, or remove the line."
    if kind in _SHAPES:
        wanted, remedy = _SHAPES[kind]
        if wanted == "a mapping of fields" and fields:
            remedy = f"Its fields are {listed(fields)}."
        return "QB024", path, f"{field} must be {wanted}, not {shown}", remedy
    if kind in ("too_short", "too_long"):
        return "QB025", path, *_count(field, kind, len(value), context)
    if kind == "string_pattern_mismatch":
        what, how = _pattern(str(context["pattern"]))
        return "QB028", path, f"{shown} is not {what}", f"Write {how}."
    if kind == "string_too_long":
        message = f"{field} is longer than {context['max_length']} characters"
        return "QB028", path, message, "Shorten it."
    message, wanted = f"{field} cannot be {shown}", context.get("wanted", "another value")
    if kind == "literal_error":
        wanted = context["expected"].replace("'", "`")
        message += closest(str(value), re.findall(r"`([^`]+)`", wanted))
    return "QB026", path, message, f"Write {wanted}."


def _count(field: str, kind: str, actual: int, context: Mapping[str, Any]) -> tuple[str, str]:
    short = kind == "too_short"
    limit = context["min_length" if short else "max_length"]
    entries = "entry" if limit == 1 else "entries"
    verb = "needs at least" if short else "takes at most"
    message = f"{field} {verb} {limit} {entries}, not {actual}"
    return message, "Add some." if short else "Keep the most telling ones."


def _pattern(pattern: str) -> tuple[str, str]:
    if ")*$" in pattern and pattern.startswith("^[a-z0-9-]+"):
        return "a tag", "lower-case words joined by hyphens and slashes, as in `attention/scaling`"
    return next(words for mark, words in _PATTERNS.items() if mark in pattern)


def _real_path(loc: Sequence[str | int], data: Any) -> tuple[Path, Any]:
    """`loc` without pydantic's union tags, and what stands there (BROKEN if anything above is)."""
    path: list[str | int] = []
    node = data
    for before, step in zip((None, *loc), loc, strict=False):
        # The tag follows the index in the list; a field of that name is no tag.
        tagged = isinstance(before, int) and isinstance(node, dict)
        if tagged and step in KINDS and node.get("kind") == step:
            continue
        path.append(step)
        node = look(node, (step,))
        if node is BROKEN:
            break
    return tuple(path), node


def _noun(model: type[BaseModel] | None, value: Any) -> str:
    if model is not None and issubclass(model, models.BaseQuestion):
        name = value.get("id") if isinstance(value, dict) else None
        called = f" {show(name)}" if isinstance(name, str) and name else ""
        return f"the {value['kind']} question{called}"
    return _NOUNS.get(model, "this mapping") if model is not None else "this mapping"


def _field_name(path: Path) -> str:
    """`field`, or "entry 3 of `field`" counted from one."""
    names = [step for step in path if isinstance(step, str)]
    if not path:
        return "the file"
    if isinstance(path[-1], int):
        return f"entry {path[-1] + 1} of `{names[-1]}`" if names else f"entry {path[-1] + 1}"
    name = clip(names[-1])
    outer = path[-2] if len(path) > 1 else None
    return f"`{outer}.{name}`" if name in LANGUAGES and isinstance(outer, str) else f"`{name}`"
