"""`quizapp preview --plain`, and what it refuses before there is a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quizapp.cli import root
from quizapp.errors import MachineError, UsageError
from quizapp.session.writing import new_bank, new_exercise


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return new_bank(tmp_path / "bank").files[1]


def preview(*words: object, typed: str = "", lang: str = "en") -> Result:
    arguments = ["--lang", lang, "preview", *map(str, words)]
    return CliRunner().invoke(root, arguments, input=typed)


def test_the_question_is_asked(file: Path) -> None:
    shown = preview(file, "--plain", typed="h\nq\n")
    assert shown.exit_code == 0
    assert "# What widens the scores? (1/1)" in shown.stdout
    assert "  2  All entries get the mean 1" in shown.stdout
    assert "Write q·k as a sum of 64 products." in shown.stdout


def test_findings_come_in_its_place(file: Path) -> None:
    text = file.read_text("utf-8").replace("    prompt:", "    promt:")
    file.write_text(text, encoding="utf-8")
    shown = preview(file, "--plain", typed="\nq\n")
    assert shown.exit_code == 2
    assert shown.stdout.count("QB021") == 2  # Enter reads again
    assert "Number of your choice" not in shown.stdout


def test_findings_come_before_it(file: Path) -> None:
    text = file.read_text("utf-8").replace("      zh: 什么会让分数更分散？\n", "")
    file.write_text(text, encoding="utf-8")
    shown = preview(file, "--plain")
    assert shown.exit_code == 0
    assert shown.stdout.index("QB040") < shown.stdout.index("# What widens the scores?")


def test_an_exercise_is_told(file: Path) -> None:
    folder = new_exercise(file.parent / "exercises" / "scores").files[0].parent
    shown = preview(folder, "--plain", lang="zh")
    assert shown.exit_code == 0
    assert "# 缩放后的分数" in shown.stdout
    assert "提示 1：" in shown.stdout


@pytest.mark.parametrize("words", [("none.yaml",), ("bank/bank.yaml",), ("bank",)])
def test_what_cannot_be_looked_at_is_refused_first(words: tuple[str], file: Path) -> None:
    assert isinstance(preview(file.parent.parent / words[0]).exception, UsageError)
    assert isinstance(preview(file.parent.parent / words[0], "--plain").exception, UsageError)
    assert isinstance(preview(file, "no-such").exception, UsageError)


def test_without_a_terminal_plain_is_named(file: Path) -> None:
    refused = preview(file)
    assert isinstance(refused.exception, MachineError)
    assert "`quizapp preview FILE --plain`" in str(refused.exception)
