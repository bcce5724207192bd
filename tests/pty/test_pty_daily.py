"""The real program in a real pseudo-terminal: both sizes, both languages, and hard endings."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

from quizapp.session.library import Library, read
from quizapp.session.paths import shipped_banks


@pytest.fixture(scope="module")
def library() -> Library:
    return read([shipped_banks()])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()


def squeezed(text: str) -> str:
    """Without blanks and line ends: wrapping must not hide a sentence."""
    return "".join(text.split())


def log(home: Path) -> list[dict[str, object]]:
    """The study log, as `quizapp export` tells it."""
    done = subprocess.run(
        [sys.executable, "-m", "quizapp", "export", "--json"],
        env={**os.environ, "QUIZAPP_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    rows: list[dict[str, object]] = json.loads(done.stdout)["review"]
    return rows


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_daily_question_end_to_end(
    home: Path, library: Library, terminals: list[Terminal], size: tuple[int, int], lang: str
) -> None:
    words = {
        "en": ("first visit", "you expected", "RIGHT", "SAY:"),
        "zh": ("首次使用", "你的预期", "正确", "这样说："),
    }[lang]
    first = library.opening()[0]
    question = first.question
    assert question.kind == "single"
    right = 1 + next(i for i, choice in enumerate(question.choices) if choice.correct)

    terminal = Terminal(["--lang", lang, "daily"], home, columns=size[0], lines=size[1])
    terminals.append(terminal)
    asked = [
        squeezed(question.prompt.to(lang))[:24],
        squeezed(words[0]),
        "cpu",
    ]  # and the lab is warm
    asked += [squeezed(choice.text.to(lang))[:12] for choice in question.choices]
    terminal.until(lambda shown: all(word in squeezed(shown) for word in asked), asked)
    terminal.press(str(right), "enter")
    # The numbers are there and the answer is saved.
    text = terminal.wait(words[1], words[2], " ms  ✓")
    assert "…" not in text.splitlines()[4]
    terminal.press("+")
    terminal.press("escape")
    terminal.until(lambda shown: squeezed(question.title.to(lang)) not in squeezed(shown))
    terminal.press("ctrl+q")
    assert terminal.end() == 0
    (row,) = log(home)
    assert (row["question"], row["verdict"]) == (first.reference, "right")


def test_the_home_screen_and_the_language_key(
    home: Path, library: Library, terminals: list[Terminal]
) -> None:
    terminal = Terminal(["--lang", "en"], home)
    terminals.append(terminal)
    terminal.wait("Welcome.", "Today: ", "0 questions due")
    terminal.press("L")
    terminal.wait(library.banks[0].title.to("zh")[-4:].replace(" ", ""))
    terminal.press("ctrl+q")
    assert terminal.end() == 0


def test_ctrl_c_restores_the_terminal_and_leaves_with_130(
    home: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal(["--lang", "en", "daily"], home)
    terminals.append(terminal)
    terminal.wait("first visit", "cpu")
    terminal.press("1", "enter")
    terminal.wait("you expected")
    terminal.press("ctrl+c")
    assert terminal.end() == 130
    assert terminal.restored()
    assert len(log(home)) == 1


def test_a_killed_program_loses_nothing_that_was_saved(
    home: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal(["--lang", "en", "daily"], home)
    terminals.append(terminal)
    terminal.wait("first visit", "cpu")
    terminal.press("1", "enter")
    terminal.wait("you expected", " ms  ✓")  # shown as saved
    terminal.signal(signal.SIGKILL)
    assert terminal.end() == -signal.SIGKILL
    assert len(log(home)) == 1
    again = Terminal(["--lang", "en", "daily"], home)
    terminals.append(again)
    again.wait("1/1", "cpu")  # the opening is behind this learner


def test_a_killed_engine_is_told_and_the_next_run_works(
    home: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal(["--lang", "en", "daily"], home)
    terminals.append(terminal)
    terminal.wait("first visit", "cpu")
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(terminal.pid)],
        capture_output=True,
        text=True,
        check=True,
    )
    for pid in children.stdout.split():
        os.kill(int(pid), signal.SIGSTOP)  # the run cannot end by itself
    terminal.press("1", "enter")
    terminal.wait("you expected")
    for pid in children.stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    terminal.wait("engine was killed")
    terminal.press("s")
    terminal.wait("seed 1")


def test_a_terminal_that_draws_wide_gets_ascii(home: Path, terminals: list[Terminal]) -> None:
    asked = {"LANG": "zh_CN.UTF-8"}
    terminal = Terminal(["--lang", "en", "daily"], home, environment=asked, ambiguous=2)
    terminals.append(terminal)
    terminal.wait("first visit", "cpu")
    terminal.press("1", "enter")
    text = terminal.wait("you expected", " ms  ok")
    assert "▸" not in text
    assert "█" not in text


def test_a_dumb_terminal_is_refused_in_words(home: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal([], home, environment={"TERM": "dumb"})
    terminals.append(terminal)
    terminal.wait("quizapp daily --plain")
    assert terminal.end() == 2
