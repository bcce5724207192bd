"""A preview in a real pseudo-terminal, as an author uses it: begin, edit, look, check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

TITLE = {"en": "What widens the scores?", "zh": "什么会让分数更分散？"}


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_from_an_empty_folder_to_a_checked_bank(
    tmp_path: Path, terminals: list[Terminal], lang: str
) -> None:
    def start(*words: object) -> Terminal:
        arguments = ["--lang", lang, *map(str, words)]
        terminals.append(Terminal(arguments, tmp_path / "home", columns=120, lines=40))
        return terminals[-1]

    bank = tmp_path / "bank"
    assert start("new", "bank", bank).end() == 0
    screen, file = start("preview", bank / "questions.yaml"), bank / "questions.yaml"
    screen.wait(TITLE[lang], "d_k = 64", seconds=60)
    change(file, "kind: single", "kind: singel")
    # Where the line breaks depends on how long the path before it is.
    screen.until(lambda text: "didyoumean`single`?" in "".join(text.split()), "the guess")
    change(file, "kind: singel", "kind: single")
    screen.wait(TITLE[lang])
    screen.press("1", "enter")
    screen.wait("±", "✓ 2", seconds=90)
    screen.press("enter")
    screen.wait(TITLE[lang], "> 1")
    screen.press("ctrl+q")
    assert screen.end() == 0
    assert screen.restored()
    assert start("check", bank, "--strict").end() == 0


def test_plain_shows_a_save_while_it_waits(tmp_path: Path, terminals: list[Terminal]) -> None:
    bank = tmp_path / "bank"
    home = tmp_path / "home"
    terminals.append(Terminal(["new", "bank", str(bank)], home))
    assert terminals[-1].end() == 0
    file = bank / "questions.yaml"
    plain = Terminal(["preview", str(file), "--plain"], home, lines=40)
    terminals.append(plain)
    plain.wait(TITLE["en"], "Number of your choice", seconds=60)
    change(file, TITLE["en"], "What spreads the scores?")
    plain.wait("Saved: shown again.", "# What spreads the scores?")
    change(file, "    prompt:", "    promt:")
    plain.wait("QB021", "Enter: read again")
    plain.press("q", "enter")
    assert plain.end() == 2
