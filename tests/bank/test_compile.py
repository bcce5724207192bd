"""Compiling: what comes of a folder is what loading makes of it, and only what changed is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from compiling import HEADER, minutes_pass, questions, two_banks, write

from quizapp.bank import Loaded, identify, load_banks
from quizapp.bank import source as sources
from quizapp.bank.bodies import exercise_of, question_of
from quizapp.bank.compile import compile_banks
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.source import Source
from quizapp.compiled import Compiled, CompiledBank, open_fresh
from quizapp.errors import ContentError
from quizapp.session.paths import shipped_banks

DATA = Path(__file__).parent.parent / "data"
FOLDERS = sorted({path.parent for path in DATA.rglob("bank.yaml")})


def compare(loaded: Loaded, bank: CompiledBank, compiled: Compiled) -> None:
    """Everything a learner could meet is the same either way."""
    assert bank.errors == sum(one.severity == "error" for one in loaded.diagnostics)
    if loaded.bank is None:
        assert (bank.header, list(bank.names), bank.exercises) == (None, [], {})
        return
    header = loaded.bank.header
    assert bank.header == {
        "id": header.id,
        "title": header.title.plain(),
        "opening": list(header.opening),
    }
    assert list(bank.names) == list(loaded.bank.questions)
    graded = {name: (difficulty, meaning) for name, difficulty, meaning in bank.graded()}
    for name, question in loaded.bank.questions.items():
        kept = bank.question(name)
        named = identify(header.id, question)
        assert (kept.id, kept.kind, kept.difficulty) == (name, question.kind, question.difficulty)
        assert (kept.tags, kept.meaning) == (question.tags, named.meaning)
        assert kept.wording == named.wording
        assert graded[name] == (question.difficulty, named.meaning)
        assert question_of(compiled.words(kept.body)) == question
        assert (Path(compiled.root) / kept.path).samefile(_file(loaded, name))
    assert {
        name: exercise_of(compiled.words(one.body)) for name, one in bank.exercises.items()
    } == {name: folder.exercise for name, folder in loaded.bank.exercises.items()}


def _file(loaded: Loaded, name: str) -> str:
    assert loaded.bank is not None
    return loaded.bank.origins[name].file.source.path


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(DATA)))
def test_a_bank_comes_to_what_loading_makes_of_it(folder: Path, tmp_path: Path) -> None:
    (loaded,) = load_banks(folder)
    made = compile_banks(folder, None)
    compare(loaded, made.banks[0], made)


def test_the_shipped_banks_are_the_same_out_of_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes_pass(monkeypatch)
    compile_banks(shipped_banks(), tmp_path / "cache")
    kept = open_fresh(str(shipped_banks()), str(tmp_path / "cache"))
    assert kept is not None
    loaded = load_banks(shipped_banks())
    assert [bank.folder for bank in kept.banks] == [one.folder.name for one in loaded]
    for one, bank in zip(loaded, kept.banks, strict=True):
        compare(one, bank, kept)


# --- what is read ------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    minutes_pass(monkeypatch)
    return two_banks(tmp_path / "banks")


@pytest.fixture
def reads(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Compiles the banks at `root`; returns which files were opened for it."""
    opened: list[str] = []
    read = sources.read

    def watched(path: Path) -> tuple[Source, list[Diagnostic]]:
        opened.append(str(path.relative_to(root)))
        return read(path)

    monkeypatch.setattr(sources, "read", watched)

    def compile_again() -> list[str]:
        opened.clear()
        cache = root.parent / "cache"
        made = compile_banks(root, cache)
        here = sorted(opened)
        for loaded, bank in zip(load_banks(root), made.banks, strict=True):
            compare(loaded, bank, made)
        assert open_fresh(str(root), str(cache)) is not None
        return here

    return compile_again


def test_at_first_everything_is_read_and_then_nothing(reads: Callable[[], list[str]]) -> None:
    assert reads() == [
        "one/a.yaml",
        "one/b.yaml",
        "one/bank.yaml",
        "one/deeper/c.yaml",
        "one/exercises/softmax/exercise.yaml",
        "two/bank.yaml",
        "two/q.yaml",
    ]
    assert reads() == []


def test_a_changed_file_is_reread_alone(root: Path, reads: Callable[[], list[str]]) -> None:
    reads()
    (root / "one" / "b.yaml").write_text(questions("third", "fifth"), encoding="utf-8")
    assert open_fresh(str(root), str(root.parent / "cache")) is None
    assert reads() == ["one/b.yaml"]
    assert reads() == []


def test_a_touched_file_is_read_and_not_parsed(
    root: Path, reads: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reads()
    os.utime(root / "one" / "b.yaml", (1_000_000_000, 1_000_000_000))
    cache = root.parent / "cache"
    assert open_fresh(str(root), str(cache)) is None
    with monkeypatch.context() as patch:
        patch.setattr("quizapp.bank.compile.questions_in", lambda *_: pytest.fail("parsed"))
        compile_banks(root, cache)
    assert open_fresh(str(root), str(cache)) is not None


@pytest.mark.parametrize(
    ("change", "read"),
    [
        (lambda root: (root / "one" / "a.yaml").unlink(), []),
        (lambda root: write(root, {"one/new.yaml": questions("new")}), ["one/new.yaml"]),
        (lambda root: (root / "one" / "a.yaml").rename(root / "one" / "z.yaml"), ["one/z.yaml"]),
        (lambda root: write(root, {"one/a.yaml": "questions: ["}), ["one/a.yaml"]),
        (lambda root: write(root, {"one/a.yaml": questions("third")}), ["one/a.yaml"]),
        (lambda root: write(root, {"one/a.yml": ""}), []),
        (
            lambda root: write(root, {"two/bank.yaml": HEADER.format(id="new", opening="")}),
            ["two/bank.yaml"],
        ),
        (lambda root: write(root, {"two/bank.yaml": "id: 1"}), ["two/bank.yaml"]),
        (lambda root: (root / "two" / "bank.yaml").unlink(), []),
        (
            lambda root: write(root, {"new/bank.yaml": HEADER.format(id="new", opening="")}),
            ["new/bank.yaml"],
        ),
        (
            lambda root: (root / "one" / "exercises" / "softmax").rename(
                root / "one" / "exercises" / "renamed"
            ),
            ["one/exercises/renamed/exercise.yaml"],
        ),
        (lambda root: (root / "one" / "exercises" / "empty").mkdir(), []),
        (lambda root: (root / "one" / "loop").symlink_to(root / "one"), []),
        (lambda root: (root / "one" / "out.yaml").symlink_to(root / "two" / "q.yaml"), []),
    ],
    ids=[
        "file gone",
        "file new",
        "file renamed",
        "file broken",
        "id twice",
        "file passed over",
        "bank renamed",
        "bank broken",
        "bank gone",
        "bank empty",
        "exercise renamed",
        "exercise without a sheet",
        "link to a folder",
        "link out of the bank",
    ],
)
def test_whatever_changes_is_seen(
    root: Path,
    reads: Callable[[], list[str]],
    change: Callable[[Path], object],
    read: list[str],
) -> None:
    reads()
    change(root)
    assert open_fresh(str(root), str(root.parent / "cache")) is None
    assert reads() == read
    assert reads() == []


def test_what_was_changed_just_before_is_not_trusted_by_its_times(root: Path) -> None:
    cache = str(root.parent / "cache")
    minutes_pass(monkeypatch := pytest.MonkeyPatch(), 0)
    try:
        compile_banks(root, Path(cache))
        assert open_fresh(str(root), cache) is None
    finally:
        monkeypatch.undo()


def test_what_could_not_be_read_is_not_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = sources.read

    def refuse(path: Path) -> tuple[Source, list[Diagnostic]]:
        if path.name != "b.yaml":
            return read(path)
        source = Source(str(path), "")
        return source, [source.diagnose("QB001", None, "cannot be read: input/output error")]

    cache = root.parent / "cache"
    with monkeypatch.context() as patch:
        patch.setattr(sources, "read", refuse)
        assert compile_banks(root, cache).banks[0].errors == 1
    assert open_fresh(str(root), str(cache)) is None
    assert compile_banks(root, cache).banks[0].errors == 0


def test_a_folder_without_a_bank_is_refused_as_ever(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="no question bank here"):
        compile_banks(tmp_path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
