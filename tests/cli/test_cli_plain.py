"""The plain front: the same session on standard input and output."""

import io
import json
import re
from pathlib import Path

import pytest
from driving import SMALL, LocalEngine

from quizapp.cli import run

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small bank, and the engine in this process."""
    monkeypatch.setattr("quizapp.session.paths.shipped_banks", lambda: SMALL)
    monkeypatch.setattr("quizapp.session.session.Engine", LocalEngine)


def typed(monkeypatch: pytest.MonkeyPatch, text: str, *arguments: str, lang: str = "en") -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    return run(["--lang", lang, *arguments, "daily", "--plain"])


def test_a_wrong_answer_leaves_with_1(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert typed(monkeypatch, "nonsense\nh\n1 fairly\nq\n") == 1
    out = capsys.readouterr().out
    assert "# How wide? (1/2)" in out
    assert "  2  about 8" in out
    assert "no [/] number tells" in out
    assert "Type a number from 1 to 3." in out
    assert "Variances add." in out
    assert "NOT YET: 1, right is 2" in out
    assert "about 1" in out
    assert re.search(r"Var = 6\d", out)
    assert "SAY: “It is 8.”" in out
    assert run(["export"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["review"]
    assert (row["verdict"], row["hints"], row["confidence"]) == ("wrong", 1, "fairly")


def test_a_right_answer_leaves_with_0_and_the_end_of_input_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert typed(monkeypatch, "2\n") == 0
    assert "Everything answered is saved." in capsys.readouterr().out


def test_the_whole_way_to_the_last_card(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    answers = "2\n\n" + "1\n1\n\n" * 6
    assert typed(monkeypatch, answers) in (0, 1)
    out = capsys.readouterr().out
    assert "You can now say" in out
    assert "The std is 8." in out
    assert "Tomorrow: " in out


def test_the_other_language(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    typed(monkeypatch, "2\n", lang="zh")
    out = capsys.readouterr().out
    assert "# 有多宽？ (1/2)" in out
    assert "d_k 的平方根。" in out


def test_ascii_draws_no_other_glyphs_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    typed(monkeypatch, "1\n", "--ascii")
    out = capsys.readouterr().out
    assert "▸" not in out
    assert "✗" not in out


def test_unsaved_answers_are_printed_and_leave_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("QUIZAPP_HOME", str(blocked / "data"))
    assert typed(monkeypatch, "2\n") == 2
    captured = capsys.readouterr()
    assert "These answers could not be saved:" in captured.err
    assert '"question": "small/spread"' in captured.err
