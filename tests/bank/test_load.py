"""Loading folders: which files belong to a bank, and what survives a mistake."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

from quizapp.bank import NumericQuestion, check, load_bank, load_banks, read_questions
from quizapp.errors import ContentError
from quizapp.report import Catalogue

HEADER = """\
format: quizapp/1
id: demo
title: Demo
languages: [en]
licence: CC-BY-4.0
authors: [{name: Demo authors}]
"""
QUESTION = """\
  - id: {id}
    kind: numeric
    title: NO
    prompt: 3.10
    tags: [attention/scaling]
    difficulty: 2
    explanation: 2024-01-02
    summary: 1:30
    say: 08
    experiment: {{run: score_variance, with: {{d_k: 64, masked: true, logits: [1, 2.5], x: on}}}}
    answer: {{metric: score_std, rtol: 5e-2}}
"""

EXERCISE = """\
format: quizapp/1
id: x
title: Softmax
statement: Write it.
entry: softmax
arguments: [{name: x, shape: [N]}]
returns: [{name: y, shape: [N]}]
hints: [Subtract the maximum.]
tags: [attention/softmax]
difficulty: 1
minutes: 5
mistakes: {no_maximum: none}
"""


def questions(*ids: str) -> str:
    return "format: quizapp/1\nquestions:\n" + "".join(QUESTION.format(id=i) for i in ids)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "bank.yaml": HEADER,
        "b.yaml": questions("three"),
        "a.yaml": questions("one", "two"),
        "deeper/c.yaml": questions("four"),
        "exercises/x/exercise.yaml": EXERCISE,
        "exercises/x/solutions/notes.yaml": "not: a question file",
        ".hidden/d.yaml": "[",
        ".e.yaml": "[",
        "notes.md": "not read",
    }
    return write(tmp_path / "demo", files)


def test_questions_in_file_order_from_all_but_exercises_and_hidden(folder: Path) -> None:
    loaded = load_bank(folder)
    assert loaded.ok
    assert loaded.diagnostics == ()
    assert loaded.bank is not None
    assert loaded.bank.id == "demo"
    assert list(loaded.bank.questions) == ["one", "two", "three", "four"]
    assert loaded.bank.complete
    assert loaded.bank.broken == frozenset()


def test_scalars_become_what_the_model_wants_and_nothing_else(folder: Path) -> None:
    bank = load_bank(folder).bank
    assert bank is not None
    question = bank.questions["one"]
    assert isinstance(question, NumericQuestion)
    words = [question.title, question.prompt, question.explanation, question.summary, question.say]
    assert [text.to("en") for text in words] == ["NO", "3.10", "2024-01-02", "1:30", "08"]
    assert question.difficulty == 2
    assert question.answer.rtol == 0.05
    given = question.experiment.with_
    assert given == {"d_k": 64, "masked": True, "logits": (1.0, 2.5), "x": "on"}
    assert [type(value) for value in given.values()] == [int, bool, tuple, str]


def test_a_broken_question_leaves_the_others(folder: Path) -> None:
    text = questions("one", "two").replace("difficulty: 2", "difficulty: 9", 1)
    write(folder, {"a.yaml": text})
    loaded = load_bank(folder)
    assert not loaded.ok
    assert loaded.bank is not None
    assert list(loaded.bank.questions) == ["two", "three", "four"]
    assert loaded.bank.broken == {"one"}
    assert loaded.bank.complete
    place = loaded.bank.diagnose("QB053", "two", ("answer", "metric"), "m")
    assert (place.path, place.line, place.column) == (str(folder / "a.yaml"), 24, 22)


def test_an_unparsable_file_makes_the_bank_incomplete(folder: Path) -> None:
    write(folder, {"a.yaml": "questions: ["})
    loaded = load_bank(folder)
    assert loaded.bank is not None
    assert not loaded.bank.complete
    assert list(loaded.bank.questions) == ["three", "four"]


def test_without_a_usable_header_there_is_no_bank(folder: Path) -> None:
    write(folder, {"bank.yaml": HEADER.replace("id: demo", "id: Demo"), "b.yaml": "["})
    loaded = load_bank(folder)
    assert loaded.bank is None
    assert not loaded.ok
    assert {Path(d.path).name for d in loaded.diagnostics} == {"bank.yaml", "b.yaml"}


def test_a_folder_of_banks(folder: Path) -> None:
    other = HEADER.replace("demo", "other")
    write(folder.parent, {"other/bank.yaml": other, "other/q.yaml": questions("x"), "no/a.md": ""})
    banks = [loaded.bank for loaded in load_banks(folder.parent)]
    assert [bank and bank.id for bank in banks] == ["demo", "other"]


def test_a_file_stands_for_the_bank_around_it(folder: Path) -> None:
    (loaded,) = load_banks(folder / "deeper" / "c.yaml")
    assert loaded.folder == folder


def test_a_file_is_found_from_inside_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "deeper")
    (loaded,) = load_banks(Path("c.yaml"))
    assert loaded.folder == folder


def test_a_file_that_no_bank_reads_is_checked_on_its_own(
    folder: Path, catalogue: Catalogue
) -> None:
    text = questions("one", "one").replace("prompt: 3.10", "prompt: {en: a, zh: b}")
    text = text.replace("say: 08", "say: {en: a}", 1).replace("08", "{zh: b}")
    write(folder, {".lone/x.yaml": text.replace("id: one", "id: two", 1)})
    (loaded,) = load_banks(folder / ".lone" / "x.yaml")
    assert loaded.diagnostics == ()
    assert loaded.bank is not None
    assert list(loaded.bank.questions) == ["two", "one"]
    codes = [(d.code, d.line) for d in check([loaded.bank], catalogue)]
    assert codes == [("QB040", 11), ("QB051", 12), ("QB040", 22), ("QB051", 23)]
    write(folder, {".lone/y.yaml": "a: &b c"})
    (broken,) = load_banks(folder / ".lone" / "y.yaml")
    assert broken.bank is None
    assert {d.code for d in broken.diagnostics} == {"QB008", "QB020", "QB021", "QB022"}


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_no_bank_is_an_error_with_a_remedy(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    for load in (load_bank, load_banks):
        with pytest.raises(ContentError) as caught:
            load(tmp_path / name)
        assert caught.value.where == str(tmp_path / name)
        assert "bank.yaml" in caught.value.remedy


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_told_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    codes = [d.code for d in load_bank(folder).diagnostics]
    assert codes == ["QB001"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_an_unreadable_file_or_folder_is_told(folder: Path) -> None:
    (folder / "a.yaml").chmod(0)
    (folder / "deeper").chmod(0)
    try:
        found = load_bank(folder).diagnostics
    finally:
        (folder / "deeper").chmod(0o700)
    assert [d.code for d in found] == ["QB001", "QB001"]
    assert "permission denied" in found[0].message


def test_without_libyaml_the_bank_is_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = load_bank(folder).bank
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    slow = load_bank(folder).bank
    assert fast is not None
    assert slow is not None
    assert slow.questions == fast.questions
    assert slow.diagnose("QB040", "two", ("say",), "m") == fast.diagnose(
        "QB040", "two", ("say",), "m"
    )


def test_positions_come_from_the_text_that_was_loaded(folder: Path) -> None:
    bank = load_bank(folder).bank
    assert bank is not None
    shutil.rmtree(folder)
    assert bank.diagnose("QB040", "three", ("say",), "m").source_line == "    say: 08"


def test_reading_one_file(folder: Path) -> None:
    result = read_questions(folder / "a.yaml")
    assert [question.id for question in result.questions.values()] == ["one", "two"]
    assert result.parsed
