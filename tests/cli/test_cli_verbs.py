"""The command line's verbs, in this process: output, errors in words, exit codes."""

import json
from pathlib import Path

import pytest

from quizapp.cli import VERBS, run

SMALL = Path(__file__).parent.parent / "data" / "small"
Captured = pytest.CaptureFixture[str]


def test_help_lists_every_verb(capsys: Captured) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(verb in out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_of_its_own(verb: str, capsys: Captured) -> None:
    assert run([verb, "--help"]) == 0
    assert "Usage: quizapp" in capsys.readouterr().out


def test_a_mistyped_verb_is_answered_with_the_closest(capsys: Captured) -> None:
    assert run(["chek"]) == 2
    assert "Did you mean 'check'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "score_variance", "--set", "d_k=0"], "d_k takes a whole number from 1 to 4,096"),
        (["run", "score_variance", "--set", "d_k=abc"], "d_k=abc is not possible"),
        (["run", "score_variance", "--set", "d_k=1000000000"], "d_k takes a whole number"),
        (["run", "score_variance", "--set", "d_k"], "d_k needs a value"),
        (["run", "softmax", "--set", "logits=nan,1"], "logits takes finite numbers"),
        (["run", "score_varianc"], "Did you mean 'score_variance'?"),
        (["lab", "softmx"], "Did you mean 'softmax'?"),
        (["lab", "softmax"], "quizapp run NAME"),
        (["lab"], "there is no terminal"),
        (["run", "softmax", "--device", "tpu"], "'tpu' is not one of"),
        (["check", "/does/not/exist"], "/does/not/exist"),
        (["config", "languag"], "Did you mean 'language'?"),
        (["config", "language", "fr"], "It takes en or zh"),
        (["config", "day_start", "25"], "Give an hour from 0 to 23."),
        (["config", "banks", "/does/not/exist"], "there is no such folder"),
    ],
)
def test_what_cannot_be_done_is_told_with_a_remedy_and_exit_2(
    arguments: list[str], words: str, capsys: Captured
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


def test_no_terminal_is_told(capsys: Captured) -> None:
    assert run([]) == 2
    assert "quizapp daily --plain" in capsys.readouterr().err


def test_an_unforeseen_error_is_a_line_and_with_debug_a_traceback(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("somewhere")

    monkeypatch.setattr("quizapp.session.session.open_store", broken)
    assert run(["export"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert run(["--debug", "export"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_check_of_a_sound_bank(capsys: Captured) -> None:
    assert run(["check", str(SMALL)]) == 0
    out = capsys.readouterr().out
    assert "small: 5 questions." in out
    assert "chance is" in out
    assert "0 errors, 0 warnings" in out


def test_check_points_at_the_mistake(capsys: Captured, tmp_path: Path) -> None:
    for file in SMALL.iterdir():
        text = file.read_text(encoding="utf-8").replace("run: score_variance", "run: score_varianc")
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    assert run(["check", str(tmp_path), "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert not found["ok"]
    assert {d["code"] for d in found["diagnostics"]} == {"QB050"}
    assert all(d["line"] > 0 and "score_variance" in d["remedy"] for d in found["diagnostics"])


def test_settings_are_kept(capsys: Captured) -> None:
    assert run(["config", "language", "zh"]) == 0
    assert run(["config", "language"]) == 0
    assert capsys.readouterr().out == "zh\n"
    assert run(["config", "language", ""]) == 0
    assert run(["config", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["language"] == ""


def test_undo_and_stats_before_the_first_answer(capsys: Captured) -> None:
    assert run(["--lang", "en", "undo"]) == 0
    assert "Nothing to undo." in capsys.readouterr().out
    assert run(["--lang", "en", "stats"]) == 0
    assert "Nothing answered yet" in capsys.readouterr().out


def test_export_is_json(capsys: Captured) -> None:
    assert run(["export", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == "quizapp-study/1"


def test_run_lists_experiments_in_the_language_asked_for(capsys: Captured) -> None:
    assert run(["--lang", "zh", "run"]) == 0
    out = capsys.readouterr().out
    assert "score_variance" in out
    assert "方差" in out
