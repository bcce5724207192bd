"""Writes docs/fields.md: every field of a bank, what it takes and what it is for.

Made from the models and from quizapp/bank/fields.yaml: python docs/fields.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from quizapp.bank.schema import explained, schema
from quizapp.bank.written import METRIC
from quizapp.report import Catalogue

TARGET = Path(__file__).with_suffix(".md")

HEAD = """# Every field

What the files of a bank may say: `bank.yaml`, question files, `exercise.yaml`. Fields in **bold**
must be there. Made by `python docs/fields.py` from the models; a test fails when it is stale.

A *text* is a string in each language, `{en: …, zh: …}`, or one for all. An *id* has lower-case
letters, digits and single hyphens. A *metric* is a number that an experiment measures:
see [experiments.md](experiments.md). How the kinds with parts are answered and judged stands in
[kinds.md](kinds.md).
"""

#: What a reader calls what is defined once and used in several places.
PARTS: Final = {
    "Choice": "A choice",
    "Written": "A written answer",
    "Expectation": "An expectation",
    "Run": "A run",
    "Sentence": "An entry of `claims`",
    "Show": "`show`",
    "ShownRow": "A row of `show`",
    "Followups": "`followups`",
    "Source": "A source",
    "NumericAnswer": "The answer of a `numeric` question, or of a blank",
    "NearMiss": "A near miss",
    "Variants": "`variants`",
    "Prediction": "The answer of a `predict` question",
    "RubricPoint": "A point of a rubric",
    "ShapeAnswer": "The answer of a `shape` question",
    "ShapeSlip": "A slip",
    "Step": "A step",
    "Item": "An item",
    "Partner": "A partner",
    "Blank": "A blank",
    "Author": "An author",
    "Argument": "An argument",
    "Returned": "An entry of `returns`",
    "ClassForm": "`class`",
    "Limits": "`limits`",
}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_bank(), *_questions(), *_exercise()])


def _bank() -> Iterator[str]:
    made = schema("bank", Catalogue(), "en")
    yield from _table("`bank.yaml`", made)
    yield from _part("Author", made["definitions"]["Author"])


def _questions() -> Iterator[str]:
    made = schema("question", Catalogue(), "en")
    defined = made["definitions"]
    question = defined.pop("Question")
    yield from _table("A question file", made)
    yield from _table("Every question", question)
    for each in question["allOf"]:
        kind = each["if"]["properties"]["kind"]["const"]
        own = {n: node for n, node in each["then"]["properties"].items() if node is not True}
        words = explained()["kinds"][kind].to("en")
        yield from _table(f"`kind: {kind}`", {**each["then"], "properties": own}, words)
    for name, node in defined.items():
        if name != "Text":
            yield from _part(name, node)


def _exercise() -> Iterator[str]:
    made = schema("exercise", Catalogue(), "en")
    yield from _table("`exercise.yaml`", made)
    for name, node in made["definitions"].items():
        if name != "Text":
            yield from _part(name, node)


def _part(name: str, node: dict[str, Any]) -> Iterator[str]:
    yield from _table(PARTS[name], node)


def _table(title: str, node: dict[str, Any], words: str = "") -> Iterator[str]:
    yield f"## {title}\n"
    if words:
        yield f"{words}\n"
    yield "| Field | Takes | Is |"
    yield "|---|---|---|"
    for name, field in node["properties"].items():
        shown = f"**`{name}`**" if name in node.get("required", ()) else f"`{name}`"
        yield f"| {shown} | {_cell(_takes(field))} | {_cell(field.get('description', ''))} |"
    yield ""


def _takes(node: dict[str, Any], many: bool = False) -> str:
    """What a field takes, in a few words."""
    for key, how in _BY_KEY.items():
        if key in node:
            return how(node, many)
    kind = node.get("type", "string")
    return _BY_TYPE.get(kind[0] if isinstance(kind, list) else kind, _string)(node, many)


def _named(node: dict[str, Any], many: bool) -> str:
    name = node["$ref"].rpartition("/")[2]
    if name == "Text":
        return "texts" if many else "text"
    title = PARTS.get(name, "Every question")
    words = title.removeprefix("An ").removeprefix("A ").removeprefix("The ").partition(",")[0]
    anchor = "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")
    return f"[{words if name in PARTS else 'question'}](#{anchor})"


def _choices(node: dict[str, Any], _many: bool) -> str:
    # The names of experiments are known where there is a catalogue: they have a page of their own.
    return ", ".join(f"`{one}`" for one in node["enum"]) or "experiment"


def _constant(node: dict[str, Any], _many: bool) -> str:
    return f"`{node['const']}`"


def _either(node: dict[str, Any], many: bool) -> str:
    return " or ".join(dict.fromkeys(_takes(one, many) for one in node["anyOf"]))


def _list(node: dict[str, Any], _many: bool) -> str:
    low, high = node.get("minItems", 0), node.get("maxItems")
    if high is None:
        count = "one or more" if low else "any number"
    else:
        count = f"{low} to {high}" if low else f"up to {high}"
    return f"{count}: {_takes(node['items'], many=True)}"


def _mapping(node: dict[str, Any], _many: bool) -> str:
    if "same_as" in node.get("properties", {}):
        return "`{same_as: ID}`"
    values = list(node.get("patternProperties", {}).values()) or [node["additionalProperties"]]
    anything = len(values[0].get("anyOf", ())) > 3
    return f"names, each with {'a value' if anything else _takes(values[0])}"


def _truth(_node: dict[str, Any], _many: bool) -> str:
    return "`true` or `false`"


def _number(node: dict[str, Any], many: bool) -> str:
    whole = "integer" in node["type"]
    words = [("whole number" if whole else "number") + ("s" if many else "")]
    if "minimum" in node and "maximum" in node:
        words.append(f"from {node['minimum']:,} to {node['maximum']:,}")
    bounds = (("above", "exclusiveMinimum"), ("below", "exclusiveMaximum"))
    limits = [f"{word} {node[name]:g}" for word, name in bounds if name in node]
    if limits:
        words.append(" and ".join(limits))
    if METRIC in node.get("pattern", ""):
        words.append("or metric")
    return " ".join(words)


def _string(node: dict[str, Any], many: bool) -> str:
    word = next(
        (word for start, word in _PATTERNS if node.get("pattern", "").startswith(start)), ""
    )
    return (word or "string") + ("s" if many else "")


#: What a string is called whose pattern begins so; the first that fits.
_PATTERNS: Final = (
    (METRIC[:20], "metric"),
    ("^(?:[a-z0-9]+(?:-", "reference"),
    ("^[a-z0-9-]+(?:/", "tag"),
    ("^[a-z0-9]+(?:-", "id"),
    ("^", "name"),
)
_BY_KEY: Final[Mapping[str, Callable[[dict[str, Any], bool], str]]] = {
    "$ref": _named,
    "enum": _choices,
    "const": _constant,
    "anyOf": _either,
}
_BY_TYPE: Final[Mapping[str, Callable[[dict[str, Any], bool], str]]] = {
    "array": _list,
    "object": _mapping,
    "boolean": _truth,
    "integer": _number,
    "number": _number,
}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
