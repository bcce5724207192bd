"""Every example of docs/kinds.md is a sound question once it has the fields that all have."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from quizapp.session.checking import check

PAGE = Path(__file__).parents[2] / "docs" / "kinds.md"
EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

COMMON = """\
format: quizapp/1
questions:
  - id: example
    title: {en: An example, zh: 一例}
    prompt: {en: What is it?, zh: 是什么？}
    tags: [attention/examples]
    difficulty: 2
    explanation: {en: So it is., zh: 正是如此。}
    summary: {en: So it is., zh: 正是如此。}
    say: {en: So it is., zh: 正是如此。}
"""
CHOICES = """\
choices:
  - id: one
    text: {en: The std is 8, zh: 标准差是 8}
    correct: true
    feedback: {en: Yes., zh: 是。}
    expects: [{metric: score_std, about: 8, rtol: 0.1}]
  - id: two
    text: {en: The std is 64, zh: 标准差是 64}
    feedback: {en: No., zh: 否。}
    expects: [{metric: score_std, about: 64, rtol: 0.1}]
experiment: {run: score_variance, with: {d_k: 64}}
"""


def test_every_kind_in_parts_has_its_example() -> None:
    kinds = [example.split("\n", 1)[0].removeprefix("kind: ") for example in EXAMPLES]
    assert kinds == ["shape", "order", "match", "blank", "multi", "numeric", "single"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.split("\n", 1)[0])
def test_an_example_is_sound(example: str, tmp_path: Path) -> None:
    own = example if "experiment:" in example else example + CHOICES
    file = tmp_path / "example.yaml"
    file.write_text(COMMON + textwrap.indent(own, "    "), encoding="utf-8")
    found = check(file).diagnostics
    assert [diagnostic.render() for diagnostic in found] == []
