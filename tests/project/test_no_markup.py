"""No text reaches Textual's markup parser: in a label `[/]` crashes and `[@click=…]` is live."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import quizapp

PACKAGE = Path(quizapp.__file__).parent
#: The one module that may make them: it switches markup off.
PLAIN = PACKAGE / "tui" / "widgets" / "plain.py"

#: Widgets that read markup in what they are given to show.
READS_MARKUP = {"Static", "Label", "Markdown", "MarkdownViewer", "Button", "Checkbox"}
READS_MARKUP |= {"RadioButton", "Collapsible", "Tooltip", "Link"}
#: Calls that show text, and switch markup off with `markup=False`.
TAKES_MARKUP = {"notify", "OptionList", "SelectionList"}
#: Attributes that Textual reads as markup when a string is assigned.
MARKUP_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip"}


def offences(source: str, *, plain: bool = False) -> Iterator[str]:
    """Every place in `source` where a string could be read as markup, as "line: what"."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name in READS_MARKUP and not plain:
                yield f"{node.lineno}: {name}(…): use PlainText or Prose"
            if name in TAKES_MARKUP and not _markup_off(node):
                yield f"{node.lineno}: {name}(…) without markup=False"
        elif isinstance(node, ast.ClassDef) and not plain:
            for base in node.bases:
                if _name(base) in READS_MARKUP:
                    yield f"{node.lineno}: class {node.name}({_name(base)}): use PlainText"
        elif isinstance(node, ast.Attribute) and _is_set(node) and node.attr in MARKUP_ATTRIBUTES:
            yield f"{node.lineno}: {node.attr} is read as markup"


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_set(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def _markup_off(call: ast.Call) -> bool:
    given = (keyword.value for keyword in call.keywords if keyword.arg == "markup")
    return any(isinstance(value, ast.Constant) and value.value is False for value in given)


def test_no_text_of_quizapp_is_markup() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{offence}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for offence in offences(path.read_text(encoding="utf-8"), plain=path == PLAIN)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(title)",
        "widgets.Label(title)",
        "class Title(Static): ...",
        "self.notify(message)",
        "self.notify(message, markup=True)",
        "self.notify(message, markup=quiet)",
        "OptionList(id='things')",
        "self.border_title = title",
    ],
)
def test_the_lint_sees_raw_widgets(source: str) -> None:
    assert len(list(offences(source))) == 1


@pytest.mark.parametrize(
    "source", ["PlainText(title)", "self.notify(message, markup=False)", "OptionList(markup=False)"]
)
def test_the_lint_lets_plain_text_pass(source: str) -> None:
    assert list(offences(source)) == []


def test_only_plain_text_may_be_static() -> None:
    assert list(offences("class PlainText(Static): ...", plain=True)) == []
