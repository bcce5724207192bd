"""`quizapp new` and `quizapp schema`: what is begun is sound as it stands."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from quizapp.bank.shapes import KINDS
from quizapp.cli import root
from quizapp.errors import UsageError
from quizapp.session import checking, writing

RUFF = shutil.which("ruff", path=str(Path(sys.executable).parent)) or "ruff"


def new(*words: object, lang: str = "en") -> Result:
    return CliRunner().invoke(root, ["--lang", lang, "new", *map(str, words)])


def problems(path: Path, *, compute: bool = False) -> list[str]:
    checked = checking.check(path)
    if compute:
        checked = asyncio.run(checking.compute(checked))
    return [found.render() for found in checked.diagnostics]


def modeline(file: Path) -> Path:
    """The schema that the first line of `file` names."""
    first = file.read_text("utf-8").splitlines()[0]
    named = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert named is not None, first
    return Path(os.path.normpath(file.parent / named[1]))


def snapshot(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    made = new("bank", tmp_path / "My Bank")
    assert made.exit_code == 0, made.output
    return tmp_path / "My Bank"


def test_a_bank_is_sound_and_has_its_schemas(bank: Path) -> None:
    assert problems(bank, compute=True) == []
    for file, subject in ((bank / "bank.yaml", "bank"), (bank / "questions.yaml", "question")):
        named = modeline(file)
        assert json.loads(named.read_text("utf-8"))["title"] == f"quizapp {subject}"
    assert checking.check(bank).banks[0].id == "my-bank"


def test_every_kind_can_be_begun() -> None:
    assert set(writing.kinds()) == set(KINDS)
    told = CliRunner().invoke(root, ["new", "question", "--help"]).output
    assert all(re.search(rf"\b{kind}\b", told) for kind in KINDS)


def test_a_question_of_every_kind_is_borne_out(bank: Path) -> None:
    for kind in KINDS:
        assert new("question", bank / f"{kind}.yaml", "--kind", kind).exit_code == 0
        assert modeline(bank / f"{kind}.yaml").is_file()
    questions = checking.check(bank).banks[0].questions
    assert {name: one.kind for name, one in questions.items()} == {
        "first-question": "single",
        **{kind: kind for kind in KINDS},
    }
    assert problems(bank, compute=True) == []


def test_a_question_in_no_bank_stands_alone(tmp_path: Path) -> None:
    made = new("question", tmp_path / "alone")
    assert made.stdout.splitlines() == [str(tmp_path / "alone.yaml")]
    assert problems(tmp_path / "alone.yaml") == []
    assert modeline(tmp_path / "alone.yaml") == tmp_path / ".schema" / "question.json"


def test_a_question_below_finds_the_schemas_of_its_bank(bank: Path) -> None:
    file = bank / "masks" / "causal.yaml"
    assert new("question", file).exit_code == 0
    assert modeline(file) == bank / ".schema" / "question.json"
    assert problems(bank) == []


def test_an_id_that_is_taken_gets_a_number(bank: Path) -> None:
    new("question", bank / "causal.yaml")
    new("question", bank / "more" / "causal.yaml")
    assert {"causal", "causal-2"} <= set(checking.check(bank).banks[0].questions)
    assert problems(bank) == []


def test_an_exercise_passes_its_own_tests(bank: Path) -> None:
    made = new("exercise", bank / "exercises" / "scores")
    assert made.exit_code == 0, made.output
    checked = asyncio.run(checking.compute(checking.check(bank), only=frozenset({"scores"})))
    assert [found.render() for found in checked.diagnostics] == []
    (score,) = checked.scores
    assert (score.solutions, score.mistakes, score.named) == ((2, 2), (4, 4), (3, 3))
    sheet = bank / "exercises" / "scores" / "exercise.yaml"
    assert modeline(sheet) == bank / ".schema" / "exercise.json"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_comments_are_in_the_authors_language(lang: str, tmp_path: Path) -> None:
    new("bank", tmp_path / "b", lang=lang)
    new("exercise", tmp_path / "b" / "exercises" / "scores", lang=lang)
    new("experiment", tmp_path / "lengths.py", lang=lang)
    for path in tmp_path.rglob("*"):
        if path.suffix not in (".yaml", ".py") or "solutions" in path.parts:
            continue
        text = path.read_text("utf-8")
        assert re.search(r"^\s*# (en|zh) ", text, re.MULTILINE) is None, path
        assert re.search("__[A-Z]+__", text) is None, path
        words = [line.lstrip(" #") for line in text.splitlines() if line.lstrip().startswith("# ")]
        chinese = [line for line in words if re.search("[\u4e00-\u9fff]", line)]
        assert lang == "zh" or chinese == []
        if lang == "zh" and path.name in ("bank.yaml", "questions.yaml", "exercise.yaml"):
            assert len(chinese) > 2, path
    solution = tmp_path / "b" / "exercises" / "scores" / "solutions" / "einsum.py"
    assert {"# en", "# zh"} <= set(re.findall("# (?:en|zh)", solution.read_text("utf-8")))


def test_python_that_is_begun_is_formatted(bank: Path, tmp_path: Path) -> None:
    new("exercise", bank / "exercises" / "scores")
    new("experiment", tmp_path / "lengths.py")
    files = [str(path) for path in tmp_path.rglob("*.py")]
    assert len(files) == 9
    ran = subprocess.run(
        [RUFF, "format", "--check", "--isolated", "--line-length", "100", *files],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stdout
    assert all(ast.parse(Path(path).read_text("utf-8")) for path in files)


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("bank", "My Bank"),
        ("question", "My Bank/questions.yaml"),
        ("question", "My Bank/questions"),
        ("exercise", "My Bank/exercises/scores"),
        ("experiment", "lengths.py"),
    ],
)
def test_nothing_is_overwritten(words: tuple[str, str], bank: Path) -> None:
    new("exercise", bank / "exercises" / "scores")
    new("experiment", bank.parent / "lengths.py")
    before = snapshot(bank.parent)
    refused = new(words[0], bank.parent / words[1])
    assert isinstance(refused.exception, UsageError)
    assert refused.exception.what.endswith("exists already")
    assert refused.stdout == ""
    assert snapshot(bank.parent) == before


def test_a_half_written_bank_is_not_completed(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "questions.yaml").write_text("mine", encoding="utf-8")
    refused = new("bank", tmp_path / "b")
    assert "questions.yaml exists already" in str(refused.exception)
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["questions.yaml"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("question", "q.yml"), "q.yml would not be read\n  Let its name end in .yaml."),
        (("question", "q", "--kind", "singel"), "'singel'\n  Did you mean 'single'?"),
        (("question", "问题"), "no id can be made of the name '问题'"),
        (("bank", "题库"), "no id can be made of the name '题库'"),
        (("exercise", "scores"), "lies in no bank"),
        (("exercise", "exercises/Big-Name"), "'Big-Name' is not a name for an exercise"),
        (("experiment", "two words.py"), "'two words.py' is not a name for an experiment"),
    ],
)
def test_what_cannot_be_is_refused(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = new(*words)
    assert isinstance(refused.exception, UsageError)
    assert told in str(refused.exception)
    assert list(tmp_path.iterdir()) == []


# --- schema --------------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["question", "bank", "exercise"])
def test_the_schema_is_printed(subject: str) -> None:
    printed = CliRunner().invoke(root, ["schema", subject])
    assert json.loads(printed.stdout)["title"] == f"quizapp {subject}"


def test_a_wrong_subject_is_told() -> None:
    refused = CliRunner().invoke(root, ["schema", "exercis"])
    assert "Did you mean 'exercise'?" in str(refused.exception)
