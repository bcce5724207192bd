"""A bank made to do harm gets one clear refusal, at once, and nothing of it is followed or run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quizapp.bank import load_bank, load_banks
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.source import MAX_BYTES

HEADER = """\
format: quizapp/1
id: hostile
title: Hostile
languages: [en]
licence: CC-BY-4.0
authors: [{name: Nobody}]
"""
SOUND = (
    Path(__file__).parent.parent / "data" / "bad" / "early-placeholder" / "q.yaml"
).read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bank with one sound question file, beside which the hostile ones are laid."""
    made = tmp_path / "bank"
    made.mkdir()
    (made / "bank.yaml").write_text(HEADER, encoding="utf-8")
    (made / "sound.yaml").write_bytes(SOUND)
    return made


def refused(folder: Path) -> list[str]:
    """What is said about the bank, without the way to the folder."""
    loaded = load_bank(folder)
    assert loaded.bank is not None
    assert len(loaded.bank.questions) == 1  # the sound file is read all the same
    return [told(one, folder) for one in loaded.diagnostics]


def told(one: Diagnostic, folder: Path) -> str:
    assert one.render().replace("\n", "").isprintable()
    return one.headline().replace(f"{folder}/", "")


def test_an_alias_bomb_is_refused_once_and_never_expanded(folder: Path) -> None:
    lines = ['a: &a ["x", "x", "x"]']
    for outer, inner in zip("bcdefghij", "abcdefghi", strict=True):
        lines.append(f"{outer}: &{outer} [{', '.join([f'*{inner}'] * 9)}]")
    (folder / "bomb.yaml").write_text("\n".join(lines), encoding="utf-8")
    assert refused(folder) == [
        "bomb.yaml:1:4: QB009 91 anchors and aliases, which are not allowed, begin here"
    ]


def test_a_hundred_megabytes_are_not_read(folder: Path) -> None:
    with (folder / "huge.yaml").open("wb") as file:
        file.truncate(100 * 2**20)  # sparse
    megabytes = MAX_BYTES // 2**20
    assert refused(folder) == [f"huge.yaml: QB002 the file is larger than {megabytes} MB"]


@pytest.mark.parametrize("bracket", ["[", "{", "- ", "? ", "[{a: "])
def test_deep_nesting_is_refused_before_it_is_walked(folder: Path, bracket: str) -> None:
    (folder / "deep.yaml").write_text("a: " + bracket * 300_000, encoding="utf-8")
    (only,) = refused(folder)
    assert only.split()[1] in ("QB005", "QB013", "QB014")


def test_escape_sequences_are_named_and_never_printed(folder: Path) -> None:
    (folder / "escape.yaml").write_bytes(b"a: \x1b]0;title\x07\x1b[2J\n" + b"\x1b[31m" * 800_000)
    found = refused(folder)
    assert len(found) == 20
    assert found[0] == "escape.yaml:1:4: QB004 the control character U+001B is not allowed"
    assert found[-1].endswith("; and 799983 more like it in this file")


def test_markup_is_text_like_any_other(folder: Path) -> None:
    text = SOUND.replace(b"summary: ", b'summary: "[@click=app.quit]x[/] [b]" # ', 1)
    (folder / "sound.yaml").write_bytes(text)
    loaded = load_bank(folder)
    assert loaded.bank is not None
    (question,) = loaded.bank.questions.values()
    assert question.summary.to("en") == "[@click=app.quit]x[/] [b]"


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: 123", encoding="utf-8")
    (folder / "link.yaml").symlink_to(secret)
    (folder / "chain.yaml").symlink_to("link.yaml")
    (folder / "device.yaml").symlink_to("/dev/zero")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    message = "QB036 a link that leads out of the bank's folder is not followed"
    assert refused(folder) == [
        f"{name}.yaml: {message}" for name in ("chain", "device", "link", "loop")
    ]


def test_a_link_inside_the_folder_is_followed(folder: Path) -> None:
    (folder / "sound.yaml").rename(folder / "sound.txt")
    (folder / "sound.yaml").symlink_to("sound.txt")
    assert refused(folder) == []


def test_a_link_to_a_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "q.yaml").write_bytes(SOUND)
    (folder / "more").symlink_to(tmp_path / "elsewhere")
    assert refused(folder) == ["more: QB036 a link to a folder is not followed"]


def test_a_linked_header_is_refused_and_nothing_else_is_read(folder: Path, tmp_path: Path) -> None:
    (folder / "bank.yaml").rename(tmp_path / "bank.yaml")
    (folder / "bank.yaml").symlink_to(tmp_path / "bank.yaml")
    (loaded,) = load_banks(folder)
    assert loaded.bank is None
    assert [one.code for one in loaded.diagnostics] == ["QB036"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_never_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    assert refused(folder) == ["pipe.yaml: QB001 cannot be read: not a regular file"]


def test_a_name_with_escapes_is_printed_without_them(folder: Path) -> None:
    (folder / "a\x1b[2Jb.yaml").write_text("x", encoding="utf-8")
    loaded = load_bank(folder)
    assert loaded.diagnostics
    for one in loaded.diagnostics:
        assert one.render().replace("\n", "").isprintable()
