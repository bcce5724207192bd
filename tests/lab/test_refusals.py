"""What a run is refused for, in the reader's language: from the front and from the engine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quizapp import lab
from quizapp.lab.engine.runner import reports
from quizapp.lab.params import parse
from quizapp.lab.told import RequestError
from quizapp.text import i18n

#: Values that do not go together, or a value that is none: every refusal an experiment has.
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("alibi", {"match_distance": 512, "seq_len": 512}),
    ("alibi", {"draws": 100, "heads": 16, "seq_len": 512}),
    ("attention_sinks", {"heads": 3}),
    ("attention_sinks", {"seq_len": 16, "window": 16}),
    ("attention_sinks", {"steps": 1000, "runs": 8}),
    ("attention_variants", {"seq_len": 4, "top_k": 8}),
    ("complexity", {"d_model": 33}),
    ("complexity", {"heads": 16, "seq_len": 2048}),
    ("complexity", {"d_model": 1024, "seq_len": 2048}),
    ("cross_attention", {"heads": 7}),
    ("flash_attention", {"seq_len": 4096, "block": 1}),
    ("flash_attention", {"order": "ascending", "causal": True}),
    ("grouped_queries", {"heads": 8, "kv_heads": 3}),
    ("grouped_queries", {"heads": 16, "seq_len": 256, "draws": 100}),
    ("head_split", {"heads": 7}),
    ("init_variance", {"heads": 7}),
    ("kv_cache", {"d_k": 3}),
    ("masks", {"seq_len": 4, "hidden_rows": 4}),
    ("precision", {"seq_len": 256, "draws": 25}),
    ("probes", {"heads": 3}),
    ("rope", {"d_k": 3}),
    ("softmax", {"target": 9}),
    ("softmax", {"logits": [float("inf"), 1.0]}),
    ("softmax", {"logits": [1.0]}),
    ("stable_softmax", {"draws": 100, "rows": 4096, "keys": 4096}),
    ("train_scaling", {"steps": 5}),
    ("train_scaling", {"shared": 12, "rates": 2}),
    ("train_scaling", {"steps": 1000, "runs": 8, "d_k": 256, "pairs": 64}),
    ("train_scaling", {"task": "nothing"}),
    ("train_scaling", {"stepz": 5}),
    ("train_scaling", {"zzzz": 5}),
    ("trained_scores", {"steps": 1000, "runs": 8, "d_k": 256, "pairs": 64}),
    ("walkthrough", {"key_transpose": ".T", "causal": "yes"}),
    ("no_such_experiment_at_all", {}),
    ("softmaxx", {}),
]
#: English words that are no parameter's name or value.
ENGLISH = re.compile(
    r"\b(the|is|takes?|cannot|must|may|not|lower|raise|number|from|needs?)\b", re.I
)


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    before = i18n.language()
    yield
    i18n.set_language(before)


@pytest.mark.parametrize(("name", "values"), REFUSED)
def test_the_engine_refuses_in_both_languages(name: str, values: dict[str, Any]) -> None:
    (only,) = reports(name, values, "cpu")
    assert only.failure is not None
    assert only.failure.kind == "params"
    en, zh = (only.failure.text.to(each) for each in ("en", "zh"))
    assert not re.search(r"[\u4e00-\u9fff]", en), en
    for line in zh.splitlines():
        assert re.search(r"[\u4e00-\u9fff]", line), zh
    assert not ENGLISH.search(zh), zh


@pytest.mark.parametrize("setting", ["steps=5", "steps=abc", "steps", "task=nothing", "steppes=3"])
def test_the_front_refuses_in_the_language_spoken(setting: str) -> None:
    i18n.set_language("zh")
    with pytest.raises(RequestError) as refused:
        parse("train_scaling", [setting])
    assert not ENGLISH.search(str(refused.value))
    assert str(refused.value) == refused.value.text.to("zh")


def test_no_validator_refuses_in_one_language_only() -> None:
    """A plain ValueError has no second language: UnfitError takes both."""
    for file in (Path(lab.__file__).parent / "experiments").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                raised = node.exc.func
                assert not (isinstance(raised, ast.Name) and raised.id == "ValueError"), (
                    f"{file.name}:{node.lineno}"
                )
