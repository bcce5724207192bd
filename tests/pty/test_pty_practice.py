"""Attention by hand in a real terminal, all the way: statement, hint, a mistake and its name, a
pass, a follow-up question, the lab. Once in the built-in editor, once in another one under
`--watch`, with the real judge and the real engine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal

NAME = "scaled_dot_product_attention"
F2, F4, F5 = "\x1bOQ", "\x1bOS", "\x1b[15~"
SELECT_ALL = "\x1b[18~"  # F7
UP, END = "\x1b[A", "\x1b[F"

#: As it is typed: the editor indents after a colon and keeps the indentation.
TYPED = (
    "import torch",
    "def scaled_dot_product_attention(Q, K, V, mask=None):",
    "scores = Q @ K.mT",
    "if mask is not None:",
    "scores = scores.masked_fill(mask == 0, -torch.inf)",
    "\x7fweights = scores.softmax(-1)",
    "return weights @ V, weights",
)
DIAGNOSIS = "Your result equals attention without the division by √d_k."

#: An editor that writes by renaming: the first time a mistake, the second time the solution.
EDITOR = """\
import os, pathlib, sys
mine = pathlib.Path(sys.argv[1])
scale = "/ Q.shape[-1] ** 0.5" if "masked_fill" in mine.read_text() else ""
new = mine.with_suffix(".new")
new.write_text(f'''import torch

def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.mT {scale}
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -torch.inf)
    weights = scores.softmax(-1)
    return weights @ V, weights
''')
os.replace(new, mine)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def editor(tmp_path: Path) -> dict[str, str]:
    script = tmp_path / "editor.py"
    script.write_text(EDITOR)
    return {"EDITOR": f"{sys.executable} {script}", "VISUAL": ""}


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()


def attempts(home: Path) -> list[tuple[str, str, int]]:
    """Verdict, diagnosis or kind, and hints of every attempt in the log."""
    done = subprocess.run(
        [sys.executable, "-m", "quizapp", "export", "--json"],
        env={**os.environ, "QUIZAPP_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [row for row in json.loads(done.stdout)["review"] if row["kind"] == "exercise"]
    return [
        (row["verdict"], row["answer"]["diagnosis"] or row["answer"]["kind"], row["hints"])
        for row in rows
    ]


def squeezed(text: str) -> str:
    return "".join(text.split())


def wait(terminal: Terminal, *words: str) -> str:
    """Until the screen shows `words`, wrapped or not."""
    wanted = [squeezed(word) for word in words]
    return terminal.until(
        lambda shown: all(word in squeezed(shown) for word in wanted), words, seconds=120
    )


def test_the_whole_way_in_the_built_in_editor(
    home: Path, terminals: list[Terminal], editor: dict[str, str]
) -> None:
    screen = Terminal(["--lang", "en", "practice", NAME], home, environment=editor)
    terminals.append(screen)
    wait(screen, "Write scaled_dot_product_attention(Q, K, V, mask=None)", "enter write")
    screen.press("i")
    wait(screen, "Hint 1: Three steps")
    screen.press("enter")
    wait(screen, "raise NotImplementedError", "F5 grade")
    screen.press(SELECT_ALL, "\x7f")
    screen.until(lambda shown: "NotImplementedError" not in shown, "an empty editor")
    screen.press("\r".join(TYPED))
    wait(screen, TYPED[-1])
    screen.press(F5)
    wait(screen, DIAGNOSIS, "✗ without a mask, output and weights are those of the formula")
    screen.press("enter")
    wait(screen, TYPED[-1], "F5 grade")
    screen.press(*[UP] * 4, END, *" / Q.shape[-1] ** 0.5")
    wait(screen, "scores = Q @ K.mT / Q.shape[-1] ** 0.5", "saved")
    screen.press(F5)
    wait(screen, "Passed: all", "Follow-up: ", "Model solution: textbook", "Run yours in the lab")
    screen.press("enter")
    wait(screen, "1/1", "enter run")
    screen.press("1", "enter")
    wait(screen, "you expected", " ms  ✓")
    screen.press("escape")
    wait(screen, "That was it", "enter home")
    screen.press("enter")
    wait(screen, "Practice: attention by hand")
    screen.press("p")
    wait(screen, "Passed: 1 of")
    screen.press("enter")
    wait(screen, "Passed: all", "o run in the lab")
    screen.press("o")
    wait(screen, f"attention computed by {NAME}.py", "/ search")
    screen.press("/", *"head_split", "enter")
    wait(screen, "cross-check agrees", f" ms  {NAME}.py")
    screen.press("ctrl+c")
    assert screen.end() == 130
    assert screen.restored()
    assert attempts(home) == [("wrong", "no_scale", 1), ("right", "ok", 2)]


def test_the_whole_way_in_another_editor_under_watch(
    home: Path, terminals: list[Terminal], editor: dict[str, str]
) -> None:
    screen = Terminal(
        ["--lang", "en", "practice", NAME, "--watch"],
        home,
        columns=100,
        lines=60,
        environment=editor,
    )
    terminals.append(screen)
    wait(screen, "Write scaled_dot_product_attention(Q, K, V, mask=None)", "h hint, e your editor")
    screen.press("h", "enter")
    wait(screen, "Three steps: a score for each pair of query and key")
    screen.press("e", "enter")
    wait(screen, DIAGNOSIS, "✗ without a mask, output and weights are those of the formula")
    wait(screen, "Waiting for the next save.")
    screen.press("e", "enter")
    wait(screen, "Passed: all", "s solutions, f follow-up question")
    screen.press("f", "enter")
    wait(screen, "Number of your choice")
    screen.press("1", "enter")
    wait(screen, "SAY:")
    screen.press("ctrl+c")
    assert screen.end() == 130
    assert attempts(home) == [("wrong", "no_scale", 1), ("right", "ok", 2)]


def test_the_screen_is_lent_to_another_editor(
    home: Path, terminals: list[Terminal], editor: dict[str, str]
) -> None:
    screen = Terminal(["--lang", "zh", "practice", NAME], home, environment=editor)
    terminals.append(screen)
    wait(screen, "编写 scaled_dot_product_attention(Q, K, V, mask=None)", "e 自己的编辑器")
    screen.press("e")
    wait(screen, "你的结果等于没有除以 √d_k 的注意力。")
    screen.press("enter")
    wait(screen, "scores = Q @ K.mT", "F4 自己的编辑器")
    screen.press(F4)
    wait(screen, "通过：全部")
    screen.press("ctrl+q")
    assert screen.end() == 0
    assert screen.restored()
