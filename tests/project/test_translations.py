"""The Chinese catalogue says everything the interface says, and nothing else."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from quizapp.text import i18n
from quizapp.text.entry import SENTENCES

PACKAGE = Path(i18n.__file__).parents[1]
FOLDER = PACKAGE / "locale" / "zh" / "LC_MESSAGES"
RENEW = "renew the catalogue: see “A word of the interface” in CONTRIBUTING.md"

#: What a message is looked up by: the sentence, or its singular and plural.
Key = str | tuple[str, ...]


@cache
def said() -> frozenset[Key]:
    """Every message that Babel finds in the source."""
    return frozenset(message for _, _, message, _, _ in extract_from_dir(PACKAGE))


@cache
def catalogue() -> Catalog:
    """The catalogue as translators write it."""
    with (FOLDER / "quizapp.po").open("rb") as file:
        return read_po(file, locale="zh", abort_invalid=True)


def messages() -> Iterator[tuple[Key, Message]]:
    """The catalogue's messages, its header left out."""
    for message in catalogue():
        if message.id:
            yield _key(message.id), message


def _key(identity: str | list[str] | tuple[str, ...]) -> Key:
    return identity if isinstance(identity, str) else tuple(identity)


def _forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def _placeholders(text: str) -> list[tuple[str, str | None, str | None]]:
    parts = string.Formatter().parse(text)
    return sorted((name, spec, conv) for _, name, spec, conv in parts if name is not None)


def test_every_message_is_translated() -> None:
    translated = {
        key
        for key, message in messages()
        if not message.fuzzy and all(form.strip() for form in _forms(message.string))
    }
    assert said() - translated == set(), RENEW


def test_no_message_outlives_its_sentence() -> None:
    assert {key for key, _ in messages()} - said() == set(), RENEW
    assert list(catalogue().obsolete) == [], RENEW


def test_translations_keep_the_placeholders() -> None:
    # Of a plural pair the plural carries every placeholder.
    wrong = {
        key: message.string
        for key, message in messages()
        for form in _forms(message.string)
        if _placeholders(form) != _placeholders(_forms(key)[-1])
    }
    assert wrong == {}


def test_the_compiled_catalogue_is_the_written_one() -> None:
    with (FOLDER / "quizapp.mo").open("rb") as file:
        compiled = {_key(m.id): _forms(m.string) for m in read_mo(file) if m.id}
    assert compiled == {key: _forms(m.string) for key, m in messages()}, RENEW


def test_babel_finds_every_marked_message() -> None:
    """Babel reads tokens: before Python 3.12 it is blind inside f-strings."""
    marked: set[Key] = set()
    for path in PACKAGE.rglob("*.py"):
        for call in _marked_calls(path):
            texts = tuple(a.value for a in call.args if isinstance(a, ast.Constant))
            if all(isinstance(argument, ast.JoinedStr) for argument in call.args):
                pytest.fail(f"{path}:{call.lineno}: an f-string cannot be translated")
            if texts:
                marked.add(str(texts[0]) if len(call.args) == 1 else tuple(map(str, texts)))
    assert marked == said()


def _marked_calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id in ("_", "N_", "ngettext") and node.args:
            yield node


@pytest.mark.parametrize("sentence", SENTENCES.values())
def test_refusals_of_a_number_are_told_in_chinese(sentence: str) -> None:
    i18n.set_language("zh")
    assert i18n._(sentence) != sentence


def test_the_language_switches_at_once() -> None:
    i18n.set_language("zh")
    assert i18n._("quit") == "退出"
    assert i18n.ngettext("{n} day in a row.", "{n} days in a row.", 1) == "已连续 {n} 天。"
    i18n.set_language("en")
    assert i18n._("quit") == "quit"


def test_a_language_that_is_not_shipped_is_refused() -> None:
    with pytest.raises(ValueError, match="tlh"):
        i18n.set_language("tlh")


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_TW.UTF-8"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_system_is_asked_for_its_language(
    variables: dict[str, str], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert i18n.system_language() == wanted


#: Full-width punctuation brings its own blank; two blanks make a gap on purpose.
DOUBLED = re.compile(r"[，。：；、！？）]\*{0,2} (?! )|(?<![ \n]) （")


def test_no_blank_stands_beside_chinese_punctuation() -> None:
    for key, message in messages():
        for words in _forms(message.string):
            assert not DOUBLED.search(words), f"{key}: {words}"
