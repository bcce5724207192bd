"""Which editor it is, and how it ends."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from quizapp.errors import MachineError
from quizapp.session import external


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)


def test_visual_comes_before_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "vi")
    assert external.command() == ["vi"]
    monkeypatch.setenv("VISUAL", "'my editor' --wait")
    assert external.command() == ["my editor", "--wait"]
    monkeypatch.setenv("VISUAL", "odd'name")
    assert external.command() == ["odd'name"]


def test_without_either_it_is_one_that_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    vim = tmp_path / "vim"
    vim.write_text("#!/bin/sh\n")
    vim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert external.command() == [str(vim)]
    vim.unlink()
    with pytest.raises(MachineError, match="export EDITOR"):
        external.command()


def test_it_writes_the_file_and_the_handler_of_interrupts_is_ours_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "edit.py"
    script.write_text(
        "import signal, sys\n"
        "alone = signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
        "open(sys.argv[1], 'w').write(str(alone))\n"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    before = signal.getsignal(signal.SIGINT)
    external.edit(tmp_path / "mine.py")
    assert (tmp_path / "mine.py").read_text() == "True"
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("/does/not/exist", "/does/not/exist cannot be started"),
        (f"{sys.executable} -c 'raise SystemExit(3)'", "ended with code 3"),
    ],
)
def test_one_that_fails_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, editor: str, words: str
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    with pytest.raises(MachineError, match=words):
        external.edit(tmp_path / "mine.py")
