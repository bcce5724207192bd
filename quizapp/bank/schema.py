"""JSON Schemas of bank files, so that an editor completes, explains and checks while one types.

Made from the models. An editor reads YAML's own numbers where a bank keeps them as written, so
a text may be a number here; what only `quizapp check` can tell is left to it. Kinds are an
`enum`, and the fields of each follow by `if`/`then`: with `oneOf` and a discriminator, editors
list the wrong kinds as soon as one is mistyped. Draft 7, which every editor knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

import yaml
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from quizapp.bank import written
from quizapp.bank.exercises import Exercise
from quizapp.bank.models import BankHeader, BaseQuestion, QuestionFile
from quizapp.bank.shapes import KINDS
from quizapp.report import Catalogue, ExperimentInfo, ParamInfo
from quizapp.text import LANGUAGES, Text

Subject = Literal["question", "bank", "exercise"]
SUBJECTS: Final[tuple[Subject, ...]] = get_args(Subject)

_ROOTS: Final[Mapping[Subject, type[BaseModel]]] = {
    "question": QuestionFile,
    "bank": BankHeader,
    "exercise": Exercise,
}
_REF: Final = "#/definitions/"
#: Stands for a text until the whole is made: pydantic looks up every reference it meets.
_TEXT: Final = "quizapp-text"
_FIELDS: Final = Path(__file__).with_name("fields.yaml")


def schema(subject: Subject, catalogue: Catalogue, language: str) -> dict[str, Any]:
    """The schema of one sort of file, with explanations in `language`.

    catalogue: the experiments whose names and parameters the editor is to know.
    """
    root = _ROOTS[subject]
    made = root.model_json_schema(
        by_alias=True, ref_template=f"{_REF}{{model}}", schema_generator=_Generator
    )
    definitions: dict[str, Any] = {**made.pop("$defs", {}), root.__name__: made}
    _share_texts(definitions)
    definitions["Text"] = _text()
    _explain(definitions, language)
    if subject == "question":
        made["properties"]["questions"]["items"] = {"$ref": f"{_REF}Question"}
        definitions["Question"] = _question(definitions, language)
        definitions["Run"] = _run(definitions["Run"], catalogue, language)
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": f"quizapp {subject}"}
    return {**head, **definitions.pop(root.__name__), "definitions": definitions}


def explanation(model: type[BaseModel], field: str) -> Text | None:
    """What a field is for; `field` as it is written in a file. None where nobody has said."""
    found = (_fields().get(each.__name__, {}).get(field) for each in model.__mro__)
    return next((text for text in found if text is not None), None)


def explained() -> Mapping[str, Mapping[str, Text]]:
    """Every explanation: model → field → text."""
    return _fields()


def _told(section: str, name: str, language: str) -> str:
    text = _fields().get(section, {}).get(name)
    return "" if text is None else text.to(language)


@cache
def _fields() -> Mapping[str, Mapping[str, Text]]:
    data = yaml.safe_load(_FIELDS.read_text(encoding="utf-8"))
    return {
        model: {str(name): Text.of(text) for name, text in fields.items()}
        for model, fields in data.items()
    }


class _Generator(GenerateJsonSchema):
    """The models as a file states them: nothing is null, and our own scalars are YAML's."""

    def union_schema(self, schema: core_schema.UnionSchema) -> JsonSchemaValue:
        """Our scalars accept what YAML makes of them, or the text that a bank keeps of it."""
        error = schema.get("custom_error_type")
        if error == "text":
            return {"format": _TEXT}
        if error != written.ERROR:
            return super().union_schema(schema)
        members = [m[0] if isinstance(m, tuple) else m for m in schema["choices"]]
        kept = [self.generate_inner(m) for m in members if m["type"] != "chain"]
        wanted = schema.get("custom_error_context", {}).get("wanted", "")
        return kept[0] if len(kept) == 1 else _merged(kept, f"Write {wanted}.")

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        """A text may look like a number to an editor."""
        made = super().str_schema(schema)
        pattern = made.get("pattern", "")
        for number, example in (("number", "1.5"), ("integer", "1")):
            if re.search(pattern, example):
                return {**made, "type": ["string", number]}
        return made

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """A field without a value is left out, never empty."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Defaults that are nothing are not worth showing."""
        made = super().default_schema(schema)
        if not isinstance(made.get("default"), bool | int | float | str) or made["default"] == "":
            made.pop("default", None)
        return made

    def sort(
        self,
        value: JsonSchemaValue,
        parent_key: str | None = None,  # noqa: ARG002 - pydantic's signature
    ) -> JsonSchemaValue:
        """As the models have it: completions come in the order in which one writes."""
        return value


def _merged(members: list[JsonSchemaValue], wanted: str) -> JsonSchemaValue:
    """A number or one of several sorts of text as one schema: editors then name the one fault."""
    numbers = [one for one in members if one.get("type") in ("number", "integer")]
    texts = [one["pattern"] for one in members if one.get("type") == "string" and "pattern" in one]
    if len(numbers) != 1 or len(texts) + 1 != len(members):
        return {"anyOf": members}
    return {
        **numbers[0],
        "type": [numbers[0]["type"], "string"],
        "pattern": "|".join(texts),
        "patternErrorMessage": wanted,
    }


def _share_texts(node: Any) -> None:
    """Let every text refer to one definition."""
    if isinstance(node, dict):
        if node.get("format") == _TEXT:
            node["$ref"] = f"{_REF}Text"
            del node["format"]
        node = list(node.values())
    if isinstance(node, list):
        for inner in node:
            _share_texts(inner)


def _text() -> dict[str, Any]:
    words = {"type": ["string", "number"], "minLength": 1}
    by_language = {
        "type": "object",
        "properties": dict.fromkeys(LANGUAGES, words),
        "additionalProperties": False,
        "minProperties": 1,
    }
    return {"anyOf": [words, by_language]}


def _explain(definitions: dict[str, Any], language: str) -> None:
    """Put the explanations of `fields.yaml` into the definitions of the models."""
    models = {model.__name__: model for model in _below((*_ROOTS.values(), *KINDS.values()))}
    for name, definition in definitions.items():
        if name not in models:
            continue
        for noise in ("title", "description"):
            definition.pop(noise, None)
        for field, value in definition["properties"].items():
            value.pop("title", None)
            told = explanation(models[name], field)
            if told is not None:
                value["description"] = told.to(language)


def _below(roots: Iterable[type[BaseModel]]) -> Iterable[type[BaseModel]]:
    """The models and all that their fields hold."""
    seen: dict[type[BaseModel], None] = {}
    waiting: list[Any] = list(roots)
    while waiting:
        one = waiting.pop()
        if isinstance(one, type) and issubclass(one, BaseModel):
            if one not in seen:
                seen[one] = None
                waiting += [field.annotation for field in one.model_fields.values()]
        else:
            waiting += get_args(one)
    return seen


def _question(definitions: dict[str, Any], language: str) -> dict[str, Any]:
    """One question: the fields all have, the kinds, and what follows from each kind.

    The definitions of the kinds are taken out of `definitions`.
    """
    kinds = {kind: definitions.pop(model.__name__) for kind, model in KINDS.items()}
    common = [field.alias or name for name, field in BaseQuestion.model_fields.items()]
    whole = next(iter(kinds.values()))
    kind = {
        "description": _told("BaseQuestion", "kind", language),
        "enum": list(kinds),
        "enumDescriptions": [_told("kinds", name, language) for name in kinds],
    }
    fields = {name: whole["properties"][name] for name in common}
    return {
        "type": "object",
        "properties": {"id": fields.pop("id"), "kind": kind, **fields},
        "required": [*(name for name in whole["required"] if name in common), "kind"],
        "allOf": [_if("kind", name, _own(made, common)) for name, made in kinds.items()],
    }


def _own(made: dict[str, Any], common: list[str]) -> dict[str, Any]:
    """What a kind has besides the common fields, and that it has nothing else."""
    others = {n: value for n, value in made["properties"].items() if n not in (*common, "kind")}
    return {
        "properties": {**dict.fromkeys((*common, "kind"), True), **others},
        "required": [name for name in made["required"] if name in others],
        "additionalProperties": False,
    }


def _if(field: str, value: str, then: dict[str, Any]) -> dict[str, Any]:
    return {"if": {"properties": {field: {"const": value}}, "required": [field]}, "then": then}


def _run(made: dict[str, Any], catalogue: Catalogue, language: str) -> dict[str, Any]:
    """A run: the names of the experiments, and the parameters that follow from each."""
    known = catalogue.experiments
    made["properties"]["run"] |= {
        "enum": list(known),
        "enumDescriptions": [info.claim.to(language) for info in known.values()],
    }
    made["allOf"] = [
        _if("run", name, {"properties": {"with": _parameters(info, language)}})
        for name, info in known.items()
    ]
    return made


def _parameters(info: ExperimentInfo, language: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _parameter(one, language) for name, one in info.params.items()},
        "additionalProperties": False,
    }


def _parameter(info: ParamInfo, language: str) -> dict[str, Any]:
    slot = {"pattern": written.SLOT, "patternErrorMessage": "Write a number."}
    kinds: dict[str, dict[str, Any]] = {
        "int": {"type": ["integer", "string"], **slot},
        "float": {"type": ["number", "string"], **slot},
        "bool": {"type": "boolean"},
        "choice": {"enum": list(info.choices)},
        "floats": {"type": "array", "items": {"type": ["number", "string"], **slot}},
    }
    bounds = {"minimum": info.low, "maximum": info.high} if info.kind in ("int", "float") else {}
    default = list(info.default) if isinstance(info.default, tuple) else info.default
    return {
        **kinds[info.kind],
        **{name: bound for name, bound in bounds.items() if bound is not None},
        "default": default,
        "description": info.help.to(language),
    }
