"""The JSON Schemas: every field explained, kinds as an enum, parameters of each experiment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from quizapp.bank import schema as schemas
from quizapp.bank.exercises import Exercise
from quizapp.bank.models import BankHeader, BaseQuestion, QuestionFile
from quizapp.bank.schema import SUBJECTS, explained, explanation, schema
from quizapp.bank.shapes import KINDS
from quizapp.lab.catalogue import catalogue
from quizapp.text import LANGUAGES

MODELS = list(schemas._below((QuestionFile, BankHeader, Exercise, *KINDS.values())))


def fields(model: type[BaseModel]) -> Iterator[str]:
    yield from (field.alias or name for name, field in model.model_fields.items())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model.__name__))
def test_every_field_is_explained_in_every_language(model: type[BaseModel]) -> None:
    for name in fields(model):
        told = explanation(model, name)
        assert told is not None, f"{model.__name__}.{name} is not explained in bank/fields.yaml"
        assert told.languages == set(LANGUAGES), name


def test_no_explanation_is_of_a_field_that_is_gone() -> None:
    every: list[type[BaseModel]] = [*MODELS, BaseQuestion]
    known = {model.__name__: set(fields(model)) for model in every}
    known["BaseQuestion"].add("kind")  # each kind's own, and explained once
    known["kinds"] = set(KINDS)
    assert {
        f"{model}.{name}"
        for model, texts in explained().items()
        for name in texts
        if name not in known.get(model, ())
    } == set()


def question(language: str = "en") -> dict[str, Any]:
    made: dict[str, Any] = schema("question", catalogue(), language)["definitions"]["Question"]
    return made


def test_kinds_are_an_enum_and_their_fields_follow() -> None:
    made = question()
    assert "oneOf" not in json.dumps(schema("question", catalogue(), "en"))
    assert made["properties"]["kind"]["enum"] == list(KINDS)
    assert len(made["properties"]["kind"]["enumDescriptions"]) == len(KINDS)
    follows = {each["if"]["properties"]["kind"]["const"]: each["then"] for each in made["allOf"]}
    assert set(follows) == set(KINDS)
    for kind, model in KINDS.items():
        assert set(follows[kind]["properties"]) == set(fields(model)), kind
        assert follows[kind]["additionalProperties"] is False


def test_a_run_knows_every_experiment_and_its_parameters() -> None:
    run = schema("question", catalogue(), "en")["definitions"]["Run"]
    known = catalogue().experiments
    assert run["properties"]["run"]["enum"] == list(known)
    assert len(run["allOf"]) == len(known)
    for each in run["allOf"]:
        name = each["if"]["properties"]["run"]["const"]
        assert set(each["then"]["properties"]["with"]["properties"]) == set(known[name].params)
    widths = run["allOf"][list(known).index("score_variance")]["then"]["properties"]["with"]
    assert widths["properties"]["d_k"]["maximum"] == 4096


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_schema_leads_nowhere_else(subject: schemas.Subject) -> None:
    made = schema(subject, catalogue(), "en")
    assert made["$schema"] == "http://json-schema.org/draft-07/schema#"

    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if "$ref" in node:
                yield node["$ref"]
            node = list(node.values())
        if isinstance(node, list):
            for inner in node:
                yield from references(inner)

    names = {reference.removeprefix("#/definitions/") for reference in references(made)}
    assert names == set(made["definitions"])


def test_explanations_are_in_the_language_asked_for() -> None:
    assert question("zh")["properties"]["title"]["description"].startswith("列表中显示")
