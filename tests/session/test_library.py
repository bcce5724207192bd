"""The library: the index at once, a question when it is asked for, trouble told in a line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from compiling import HEADER, minutes_pass, questions, two_banks, write

from quizapp.compiled import Compiled, open_kept
from quizapp.errors import ContentError
from quizapp.session import paths
from quizapp.session.desk import exercises
from quizapp.session.library import Library, read
from quizapp.session.session import open_session


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    minutes_pass(monkeypatch)
    return two_banks(tmp_path / "banks")


@pytest.fixture
def cache(root: Path) -> Path:
    """A folder in which the banks at `root` are kept."""
    read((root,), root.parent / "cache")
    return root.parent / "cache"


def test_the_index_tells_what_it_can_without_a_question(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Compiled, "words", lambda *_: pytest.fail("a question was read"))
        library = read((root,), cache)
        assert list(library.meanings) == [
            "one/third",
            "one/first",
            "one/second",
            "two/first",
            "one/fourth",
        ]
        assert library.tags["two/first"] == ("attention/scaling", "attention/softmax")
        assert library.entries["one/first"].kind == "numeric"
        assert library.banks[0].title.to("zh") == "演示 one"
        assert [entry.reference for entry in library.opening()] == ["one/first", "one/third"]
        assert library.problems == ()
    entry = library.entries["one/second"]
    assert entry.question.title.to("en") == "The title of second"
    assert entry.question is library.entries["one/second"].question
    assert entry.identity.meaning == library.meanings["one/second"]


def test_nothing_is_parsed_where_nothing_has_changed(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quizapp.bank.compile.compile_banks", lambda *_: pytest.fail("compiled"))
    library = read((root,), cache)
    assert next(iter(library.entries.values())).question.id == "first"
    (folder,) = exercises(library).values()
    assert folder.path == root / "one" / "exercises" / "softmax"
    assert folder.file.source.text == (folder.path / "exercise.yaml").read_text("utf-8")
    assert folder.exercise.diagnosis("no_sum") is None


def test_an_edit_is_there_at_the_next_start(root: Path, cache: Path) -> None:
    path = root / "two" / "q.yaml"
    path.write_text(path.read_text("utf-8").replace("How large?", "How wide?"), encoding="utf-8")
    question = read((root,), cache).entries["two/first"].question
    assert question.prompt.to("en") == "How wide?"


def broken(root: Path) -> None:
    write(root, {"one/b.yaml": questions("third") + "  - id: Bad Id\n    kind: numeric\n"})


@pytest.mark.parametrize("kept", [True, False], ids=["cached", "read"])
def test_mistakes_are_told_whether_or_not_the_bank_was_read(
    root: Path, cache: Path, kept: bool
) -> None:
    broken(root)
    where = cache if kept else None
    before, library = read((root,), where), read((root,), where)
    folder = root / "one"
    (problem,) = library.problems
    assert before.problems == library.problems
    assert problem.startswith(f"{folder}: ")
    assert problem.endswith(f"mistakes; `quizapp check {folder}` shows them")
    assert "one/third" in library.entries


def test_a_folder_without_banks_is_told_and_the_others_read(root: Path, cache: Path) -> None:
    library = read((root / "nothing", root), cache)
    assert len(library.problems) == 1
    assert "nothing" in library.problems[0]
    assert len(library.entries) == 5


def test_the_first_bank_of_a_name_wins(root: Path, tmp_path: Path) -> None:
    other = write(
        tmp_path / "other",
        {
            "bank.yaml": HEADER.format(id="two", opening=""),
            "q.yaml": questions("first", "more", difficulty=5),
        },
    )
    library = read((root, other), None)
    assert library.entries["two/first"].kept.difficulty == 2
    assert list(library.meanings)[-2:] == ["one/fourth", "two/more"]
    assert len(library.entries) == len(library.meanings) == 6


@pytest.mark.parametrize("name", ["two/q.yaml", "two/bank.yaml"])
def test_a_file_of_a_bank_stands_for_the_bank(root: Path, name: str) -> None:
    library = read((root / name,))
    assert list(library.entries) == ["two/first"]
    assert library.entries["two/first"].question.id == "first"


def test_a_file_of_no_bank_is_one_of_its_own(tmp_path: Path) -> None:
    file = write(tmp_path, {"q.yaml": questions("a", "b")}) / "q.yaml"
    library = read((file,))
    assert [bank.title.to("en") for bank in library.banks] == ["q.yaml"]
    assert library.entries["file/b"].question.id == "b"
    file.write_text("questions: 3\n", encoding="utf-8")
    library = read((file,))
    assert (len(library.entries), len(library.problems)) == (0, 1)


# --- a cache that is damaged while the program is open ---------------------------------


def spoil(library: Library, cache: Path) -> None:
    """Change the words of every question behind the open library's back."""
    (file,) = cache.iterdir()
    db = sqlite3.connect(file)
    db.execute("UPDATE body SET words = CAST(replace(words, 'title', 'tutle') AS BLOB)")
    db.commit()
    db.close()


def test_a_damaged_question_is_read_from_its_file_and_the_cache_made_anew(
    root: Path, cache: Path
) -> None:
    library = read((root,), cache)
    spoil(library, cache)
    assert library.entries["one/first"].question.title.to("en") == "The title of first"
    assert list(library.banks[0].exercises) == ["softmax"]
    assert open_kept(str(root), str(cache)) is None
    assert read((root,), cache).entries["one/first"].question.id == "first"


@pytest.mark.parametrize(
    "ask",
    [
        lambda library: library.entries["one/first"].question,
        lambda library: library.banks[0].exercises,
    ],
    ids=["question", "exercise"],
)
def test_damage_and_an_edit_at_once_are_told(
    root: Path, cache: Path, ask: Callable[[Library], object]
) -> None:
    library = read((root,), cache)
    spoil(library, cache)
    write(root, {"one/a.yaml": questions("first", difficulty=4).replace("d_k: 64", "d_k: 32")})
    write(root, {"one/exercises/softmax/exercise.yaml": "["})
    with pytest.raises(ContentError, match="changed while the program was open"):
        ask(library)


def test_a_session_keeps_the_shipped_banks(own_world: Path) -> None:
    session = open_session()
    assert session.library.problems == ()
    assert open_kept(str(paths.shipped_banks()), str(paths.banks_cache())) is not None
    assert paths.banks_cache().is_relative_to(own_world)
