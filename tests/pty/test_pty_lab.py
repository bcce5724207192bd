"""The lab in a real pseudo-terminal, with the real engine: of repeated keys the newest wins."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal import Terminal


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_experiment_is_varied_and_left(
    tmp_path: Path, terminals: list[Terminal], lang: str
) -> None:
    seed, agrees = {"en": ("seed", "cross-check agrees"), "zh": ("种子", "交叉验证一致")}[lang]
    screen = Terminal(["--lang", lang, "lab", "score_variance"], tmp_path / "home")
    terminals.append(screen)
    screen.wait("score_variance", agrees, f"{seed} 0", seconds=90)
    screen.press(*"sssss")
    screen.wait(f"{seed} 5", agrees)
    screen.press("+")
    screen.wait("128", agrees)
    screen.press("escape", "ctrl+q")
    assert screen.end() == 0
    assert screen.restored()


def test_the_list_is_searched(tmp_path: Path, terminals: list[Terminal]) -> None:
    screen = Terminal(["lab"], tmp_path / "home")
    terminals.append(screen)
    screen.wait("attention_entropy", "softmax ", seconds=90)
    screen.press("/", *"softmax satur", "enter")
    screen.wait("logits", "2,1,0.5", "cross-check agrees", seconds=90)
    screen.press("ctrl+c")
    assert screen.end() == 130
