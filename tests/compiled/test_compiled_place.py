"""Where compiled banks lie: what is damaged, older or somebody else's is never used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from compiling import minutes_pass, questions, two_banks, write

from quizapp.bank.compile import compile_banks
from quizapp.compiled import CompiledBank, Damaged, discard, open_fresh, open_kept, place
from quizapp.compiled import write as keep


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two banks, compiled."""
    minutes_pass(monkeypatch)
    root = two_banks(tmp_path / "banks")
    compile_banks(root, tmp_path / "cache")
    return root


@pytest.fixture
def cache(root: Path) -> Path:
    return root.parent / "cache"


def file_in(cache: Path) -> Path:
    (file,) = cache.iterdir()
    return file


def is_fresh(root: Path, cache: Path) -> bool:
    return open_fresh(str(root), str(cache)) is not None


def test_only_its_owner_may_look_into_it(root: Path, cache: Path) -> None:
    assert is_fresh(root, cache)
    assert cache.stat().st_mode & 0o777 == 0o700
    assert file_in(cache).stat().st_mode & 0o777 == 0o600


def test_every_damaged_byte_is_noticed_or_harmless(root: Path, cache: Path) -> None:
    """A page of the file is overwritten in turn: what is then told is what was written, or none."""
    file = file_in(cache)
    whole = file.read_bytes()
    sound = open_fresh(str(root), str(cache))
    assert sound is not None
    words = {(b, n): sound.words(sound.banks[b].question(n).body) for b, n in _all(sound.banks)}
    noticed = 0
    for start in range(0, len(whole), 512):
        file.write_bytes(whole[:start] + b"\xa5" * 512 + whole[start + 512 :])
        kept = open_fresh(str(root), str(cache))
        if kept is None:
            noticed += 1
            continue
        assert list(_all(kept.banks)) == list(words)
        for (bank, name), said in words.items():
            question = kept.banks[bank].question(name)
            assert question.meaning == sound.banks[bank].question(name).meaning
            try:
                assert kept.words(question.body) == said
            except Damaged:
                noticed += 1
    assert noticed > 10


def _all(banks: Sequence[CompiledBank]) -> list[tuple[int, str]]:
    return [(number, name) for number, bank in enumerate(banks) for name in bank.names]


@pytest.mark.parametrize("left", [0, 1, 100, 5000])
def test_a_file_cut_short_is_made_anew(root: Path, cache: Path, left: int) -> None:
    file = file_in(cache)
    file.write_bytes(file.read_bytes()[:left])
    assert not is_fresh(root, cache)
    compile_banks(root, cache)
    assert is_fresh(root, cache)


def test_what_other_code_kept_is_made_anew(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "code", lambda: "another release")
    assert open_kept(str(root), str(cache)) is None


def test_an_older_format_is_not_even_understood(root: Path, cache: Path) -> None:
    db = sqlite3.connect(file_in(cache))
    db.executescript("UPDATE kept SET format = 0; DROP TABLE file; DROP TABLE bank")
    db.close()
    assert open_kept(str(root), str(cache)) is None
    compile_banks(root, cache)
    assert is_fresh(root, cache)


def test_another_folder_of_the_same_name_is_told_apart(root: Path, cache: Path) -> None:
    other = two_banks(root.parent / "others")
    file_in(cache).rename(place._file(str(other), str(cache)))
    assert open_kept(str(other), str(cache)) is None


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps other users out by itself")
def test_what_others_could_have_written_is_not_used(root: Path, cache: Path) -> None:
    file = file_in(cache)
    cache.chmod(0o770)
    assert not is_fresh(root, cache)
    before = file.stat().st_mtime_ns
    compile_banks(root, cache)
    assert file.stat().st_mtime_ns == before
    cache.chmod(0o700)
    assert is_fresh(root, cache)
    file.chmod(0o602)
    assert not is_fresh(root, cache)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_not_followed_to_a_cache(root: Path, cache: Path) -> None:
    linked = root.parent / "linked"
    linked.symlink_to(cache)
    assert not is_fresh(root, linked)
    file = file_in(cache)
    file.rename(root.parent / "moved.db")
    file.symlink_to(root.parent / "moved.db")
    assert not is_fresh(root, cache)


@pytest.mark.skipif(os.name == "nt", reason="owners have no numbers there")
def test_what_somebody_else_owns_is_not_used(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: file_in(cache).stat().st_uid + 1)
    assert not is_fresh(root, cache)


def test_a_read_only_folder_still_serves(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)  # root may write whatever the mode says
    cache.chmod(0o500)
    try:
        assert is_fresh(root, cache)
        write(root, {"two/q.yaml": questions("first", "other")})
        made = compile_banks(root, cache)
        assert list(made.banks[1].names) == ["first", "other"]
        assert not keep(made, str(cache))
    finally:
        cache.chmod(0o700)


def test_a_folder_that_cannot_be_made_costs_time_alone(root: Path, tmp_path: Path) -> None:
    blocked = write(tmp_path, {"file": "in the way"}) / "file" / "cache"
    made = compile_banks(root, blocked)
    assert list(made.banks[1].names) == ["first"]
    assert open_kept(str(root), str(blocked)) is None
    discard(str(root), str(blocked))


def test_a_full_disk_leaves_nothing_half_written(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file_in(cache).read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    write(root, {"two/q.yaml": questions("other")})
    assert list(compile_banks(root, cache).banks[1].names) == ["other"]
    assert file_in(cache).read_bytes() == before


def test_an_open_cache_outlives_its_replacement(root: Path, cache: Path) -> None:
    kept = open_fresh(str(root), str(cache))
    assert kept is not None
    question = kept.banks[1].question("first")
    words = kept.words(question.body)
    write(root, {"two/q.yaml": questions("other")})
    compile_banks(root, cache)
    assert kept.words(question.body) == words


def test_roots_long_forgotten_are_cleared_away(root: Path, cache: Path) -> None:
    old = cache / "00000000.db"
    old.write_bytes(b"")
    os.utime(old, (1, 1))
    write(root, {"two/q.yaml": questions("other")})
    compile_banks(root, cache)
    assert not old.exists()
    assert is_fresh(root, cache)


WORKER = """
import sys
from pathlib import Path
from quizapp.session.library import read
root, cache, rounds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
for number in range(rounds):
    library = read((root,), cache)
    assert library.problems == (), library.problems
    for entry in library.entries.values():
        assert entry.question.id == entry.reference.partition("/")[2]
"""


def test_processes_at_once_do_not_disturb_each_other(root: Path, cache: Path) -> None:
    """Each finds banks that were changed a moment ago, so each writes anew every time."""
    write(root, {"two/q.yaml": questions("other")})
    command = (sys.executable, "-c", WORKER, str(root), str(cache), "12")
    running = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        for _ in range(3)
    ]
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert [path.suffix for path in cache.iterdir()] == [".db"]
    assert open_kept(str(root), str(cache)) is not None


def test_the_index_opens_with_the_standard_library(root: Path, cache: Path) -> None:
    code = (
        "import sys; from quizapp.compiled import open_kept; "
        f"kept = open_kept({str(root)!r}, {str(cache)!r}); "
        "bank = kept.banks[0]; print(kept.words(bank.question('first').body)[:16]); "
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    words, loaded = ran.stdout.splitlines()
    assert "first" in words
    for heavy in (
        "pydantic",
        "yaml",
        "typing",
        "json",
        "pathlib",
        "dataclasses",
        "asyncio",
        "inspect",
    ):
        assert repr(heavy) not in loaded
