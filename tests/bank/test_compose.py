"""The composer: scalars stay as written, positions lead back, both parsers agree."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]

from quizapp.bank.compose import BROKEN, Composed, compose, free_scalar
from quizapp.bank.pure_parser import PureParser
from quizapp.bank.source import decode
from quizapp.bank.syntax import MAX_DEPTH


def composed(text: str, parser: Any = CParser) -> Composed:
    source, found = decode("bank.yaml", text.encode())
    assert not found
    return compose(source, parser)


@pytest.mark.parametrize(
    "written",
    ["NO", "no", "on", "null", "~", "3.10", "2024-01-02", "1:30", "08", "0x1F", "1_000", ".inf",
     "1e3", "true", "=", "-x", "12", "２"],
)  # fmt: skip
def test_plain_scalars_stay_text(written: str) -> None:
    assert composed(f"text: {written}\nlist: [a, {written}]").data == {
        "text": written,
        "list": ["a", written],
    }


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("64", 64), ("-3", -3), ("+3", 3), ("0", 0), ("0.5", 0.5), (".5", 0.5), ("5.", 5.0),
        ("1e-3", 0.001), ("-2.5E+2", -250.0), ("true", True), ("false", False), ("08", "08"),
        ("08.5", "08.5"), ("1:30", "1:30"), ("1_000", "1_000"), ("yes", "yes"), ("True", "True"),
        ("nan", "nan"), (".inf", ".inf"), ("0x10", "0x10"), ("", ""), ("-", "-"), ("１", "１"),
        ("99999999999999999999999", 1e23),
    ],
)  # fmt: skip
def test_free_scalars_become_what_they_look_like(written: str, value: object) -> None:
    found = free_scalar(written)
    assert found == value
    assert type(found) is type(value)


def test_only_unquoted_scalars_below_with_become_values() -> None:
    data = composed(
        "a: 1\nwith:\n  b: 1\n  c: '1'\n  d: [1, 2.5, \"3\"]\n  e: {f: true}\ng: 1"
    ).data
    assert data == {
        "a": "1",
        "with": {"b": 1, "c": "1", "d": [1, 2.5, "3"], "e": {"f": True}},
        "g": "1",
    }


NESTED = """\
questions:
  - id: one
    text: {en: "a", zh: 甲乙}
  - id: two
    list:
      - x
      - - y
        - z
"""


@pytest.mark.parametrize("parser", [CParser, PureParser])
@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("questions",), (1, 1), (2, 3)),
        (("questions", 0), (2, 5), (2, 5)),
        (("questions", 0, "id"), (2, 5), (2, 9)),
        (("questions", 0, "text", "zh"), (3, 21), (3, 25)),
        (("questions", 1, "list", 0), (6, 9), (6, 9)),
        (("questions", 1, "list", 1, 1), (8, 11), (8, 11)),
        (("questions", 1, "absent", "deeper"), (4, 5), (4, 5)),
        (("questions", 9), (1, 1), (2, 3)),
    ],
)
def test_places(parser: Any, path: Any, key: tuple[int, int], value: tuple[int, int]) -> None:
    places = composed(NESTED, parser).places
    assert places.value(path) == value
    assert places.key(path) == key


SOUND = [
    NESTED,
    "a: |\n  one\n  two\nb: >-\n  x\n  y\n\n  z\nc: 'it''s'\nd: \"\\u00e9\\n\"",
    "with: {a: 1, b: [1, .5], c: '2', d: true}\n",
    "---\na: b\n...\n",
    "- [a, {b: c}]\n- d\n",
]


@pytest.mark.parametrize("text", SOUND)
def test_the_two_parsers_agree_with_each_other_and_with_pyyaml(text: str) -> None:
    fast, pure = composed(text), composed(text, PureParser)
    assert fast.diagnostics == pure.diagnostics == []
    assert fast.data == pure.data
    if "with" not in text:
        assert fast.data == yaml.load(text, Loader=yaml.BaseLoader)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_and_byte_order_mark(ending: str) -> None:
    text = "\ufeff" + "format: x\na: &b c\n".replace("\n", ending)
    source, found = decode("bank.yaml", text.encode())
    result = compose(source)
    assert not found
    assert result.data == {"format": "x", "a": "c"}
    (only,) = result.diagnostics
    assert (only.line, only.column, only.source_line) == (2, 4, "a: &b c")


def test_all_refusals_of_a_file_at_once() -> None:
    text = 'a: &x 1\nb: *x\nc: !!str d\na: again\n<<: {e: f}\n? [g]\n: h\ni: "\\a"\nj: k\n'
    result = composed(text)
    codes = [d.code for d in result.diagnostics]
    assert codes == ["QB008", "QB009", "QB011", "QB007", "QB010", "QB014", "QB004"]
    assert result.data == {"a": "1", "b": BROKEN, "c": "d", "i": BROKEN, "j": "k"}


def test_what_was_found_before_broken_syntax_is_kept() -> None:
    codes = [d.code for d in composed("a: &x 1\na: 2\nb: [\n").diagnostics]
    assert codes == ["QB008", "QB007", "QB005"]


def test_depth_limit_is_exact() -> None:
    def nest(levels: int) -> str:
        return "[" * levels + "]" * levels

    assert not composed(nest(MAX_DEPTH)).diagnostics
    assert [d.code for d in composed(nest(MAX_DEPTH + 1)).diagnostics] == ["QB013"]
    assert [d.code for d in composed("? " + nest(MAX_DEPTH) + "\n").diagnostics] == [
        "QB014",
        "QB013",
    ]


def test_a_bomb_of_brackets_is_refused_without_being_walked() -> None:
    for bomb in ("[", "{a: ", "- "):
        assert [d.code for d in composed(bomb * 1_000_000).diagnostics] == ["QB013"]


def test_a_bomb_of_aliases_makes_no_data() -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
    result = composed("\n".join(lines))
    assert result.data is BROKEN
    assert [d.code for d in result.diagnostics] == ["QB009"]


def test_a_few_aliases_are_refused_one_by_one() -> None:
    result = composed("a: &a [x]\nb: [*a, *a]")
    assert result.data["b"] == [BROKEN, BROKEN]
    assert [d.code for d in result.diagnostics] == ["QB008", "QB009", "QB009"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a: >-\n  分数的标准\n  差是 8，\n  方差是 64。\n", "分数的标准差是 8，方差是 64。"),
        ("a: 分数的标准\n  差是 8\n", "分数的标准差是 8"),
        ('a: "分数的标准\n  差"\n', "分数的标准差"),
        ("a: >-\n  注意力 attention\n  很重要\n", "注意力 attention 很重要"),
        ("a: |-\n  第一行\n  第二行\n", "第一行\n第二行"),
        ("a: 一 二\n", "一 二"),
    ],
)
def test_a_fold_between_chinese_characters_leaves_no_blank(written: str, read: str) -> None:
    assert composed(written).data == {"a": read}
