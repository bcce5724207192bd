"""What the README promises is what the program does."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.screen import Screen

from quizapp.cli import VERBS
from quizapp.tui import keys
from quizapp.tui.keys import KEYS, Key
from quizapp.tui.screens.card import CardScreen
from quizapp.tui.screens.folklore import FolkloreScreen
from quizapp.tui.screens.help import HelpScreen
from quizapp.tui.screens.home import HomeScreen
from quizapp.tui.screens.lab import LabScreen
from quizapp.tui.screens.lab_list import LabListScreen
from quizapp.tui.screens.practice import PracticeScreen
from quizapp.tui.screens.practice_list import PracticeListScreen
from quizapp.tui.screens.preview import (
    FindingsScreen,
    PreviewQuestion,
    PreviewVerdict,
    SheetScreen,
)
from quizapp.tui.screens.question import QuestionScreen
from quizapp.tui.screens.verdict import VerdictScreen

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCREENS: tuple[type[Screen[None]], ...] = (
    HomeScreen,
    QuestionScreen,
    VerdictScreen,
    CardScreen,
    HelpScreen,
    LabListScreen,
    LabScreen,
    FolkloreScreen,
    PracticeListScreen,
    PracticeScreen,
    PreviewQuestion,
    PreviewVerdict,
    FindingsScreen,
    SheetScreen,
)

#: Textual's names of keys as a reader knows them.
WRITTEN = {"question_mark": "?", "plus": "+", "equals_sign": "=", "minus": "-", "escape": "esc"}
WRITTEN |= {"slash": "/"}


def _blocks(kind: str) -> list[list[str]]:
    """The lines of each fenced block of `kind`."""
    found = re.findall(rf"```{kind}\n(.*?)```", README, flags=re.DOTALL)
    return [block.splitlines() for block in found]


def _one_liners() -> list[str]:
    return [block[0] for block in _blocks("sh") if "&&" in block[0] and "-e " in block[0]]


def test_ci_runs_the_one_line_of_the_readme() -> None:
    first, second = _one_liners()
    assert first.endswith("quizapp daily")
    path = ROOT / ".ci" / "run"
    assert path.read_text(encoding="utf-8").splitlines() == ["#!/bin/bash", second]
    assert os.access(path, os.X_OK)


@pytest.mark.parametrize(
    "check",
    [
        "ruff format --check",
        "ruff check",
        "mypy",
        "lint-imports",
        "quizapp check questions --compute",
        "pytest",
    ],
)
def test_the_one_line_runs_every_check(check: str) -> None:
    steps = _one_liners()[1].split(" && ")
    assert any(step.startswith(f".venv/bin/{check}") for step in steps)


def test_no_line_lets_the_resolver_choose_torch() -> None:
    installs = [
        line for block in _blocks("sh") for line in block if re.search(r"install|tool", line)
    ]
    assert len(installs) == 5
    assert [line for line in installs if not re.search(r"constraints\.txt|torch==", line)] == []


def test_the_numbers_shown_are_what_the_command_prints() -> None:
    (shown,) = _blocks("console")
    command, *wanted = shown
    assert wanted
    program, *arguments = command.removeprefix("$ ").split()
    assert program == "quizapp"
    ran = subprocess.run(
        [sys.executable, "-m", "quizapp", *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert set(wanted) - set(ran.stdout.splitlines()) == set()


def test_every_command_is_in_the_table() -> None:
    documented = set(re.findall(r"^\| `quizapp ([a-z]+)", README, flags=re.MULTILINE))
    assert documented == set(VERBS)


# --- keys ------------------------------------------------------------------------------


def _row(name: str, key: Key) -> str:
    named = [WRITTEN.get(each, each) for each in key.keys.split(",")]
    if len(named) > 3:  # a run of keys, written as the footer writes it
        named = [key.shown]
    return f"| {' '.join(f'`{each}`' for each in named)} | `{name}` | {key.help} |"


def test_every_key_is_in_the_table() -> None:
    rows = re.findall(r"^\| `\S+`.* \| `\w+` \| .* \|$", README, flags=re.MULTILINE)
    assert rows == [_row(name, key) for name, key in KEYS.items()]


def test_no_name_of_a_key_is_used_twice() -> None:
    tree = ast.parse(Path(keys.__file__).read_text(encoding="utf-8"))
    (table,) = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "KEYS"
    )
    assert isinstance(table, ast.Dict)
    assert len(table.keys) == len(KEYS)


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: str(screen.__name__))
def test_a_key_does_one_thing_on_a_screen(screen: type[Screen[None]]) -> None:
    bound = [each for cls in screen.mro() for each in vars(cls).get("BINDINGS", ())]
    ours = [each for each in bound if isinstance(each, Binding) and each.id in KEYS]
    assert {"help", "language", "quit", "back"} <= {each.id for each in ours}
    pressed = [key for each in ours for key in each.key.split(",")]
    assert sorted(pressed) == sorted(set(pressed))
