"""The authoring guide, done by the letter: its commands and files in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.bank import CODES
from quizapp.bank.shapes import KINDS

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "authoring.md").read_text(encoding="utf-8")
#: Every block in the order of the page: (what it is, its text).
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.DOTALL)


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One command of the guide, as its reader would type it, where no screen can be drawn."""
    command, _, target = line.partition(" > ")
    program, *arguments = shlex.split(command)
    assert program == "quizapp", line
    if arguments[0] == "preview":
        arguments.append("--plain")
    ran = subprocess.run(
        [sys.executable, "-m", "quizapp", *arguments],
        cwd=folder,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if target:
        (folder / target).write_text(ran.stdout, encoding="utf-8")
    return ran


def test_the_guide_can_be_followed_to_its_end(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    lines: list[str] = []
    for kind, text in BLOCKS:
        if kind == "yaml":
            named = re.match(r"# (\S+\.yaml)\n", text)
            assert named is not None, text
            assert not (folder / named[1]).exists()
            (folder / named[1]).write_text(text, encoding="utf-8")
        elif kind == "sh":
            for line in text.splitlines():
                ran = run(line, folder)
                assert ran.returncode == 0, f"{line}\n{ran.stdout}\n{ran.stderr}"
                lines.append(line)
    assert lines[-1] == "quizapp check my-bank --compute --strict"
    assert ran.stdout.splitlines()[-1] == "0 errors, 0 warnings"
    assert {line.split()[1] for line in lines} == {
        "new",
        "check",
        "preview",
        "config",
        "schema",
        "run",
    }
    assert "my-bank: 13 questions." in ran.stdout


def test_every_kind_has_a_row_and_a_command() -> None:
    for kind in KINDS:
        assert re.search(rf"^\| `{kind}` \|", GUIDE, re.MULTILINE), kind
        assert f"--kind {kind}\n" in GUIDE, kind


def test_every_code_is_in_a_group_and_explained() -> None:
    explained = (DOCS / "diagnostics.md").read_text(encoding="utf-8")
    spans = re.findall(r"^\| QB(\d{3})–QB(\d{3}) \|", GUIDE, re.MULTILINE)
    grouped = {number for low, high in spans for number in range(int(low), int(high) + 1)}
    for code in CODES:
        assert int(code[2:]) in grouped, code
        assert f"## {code}\n" in explained, code


@pytest.mark.parametrize("page", ["authoring", "fields", "kinds"])
def test_every_link_leads_somewhere(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        there = (DOCS / path) if path else DOCS / f"{page}.md"
        assert there.is_file(), target
        if anchor:
            heads = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {_anchor(head) for head in heads}, target


def _anchor(head: str) -> str:
    """A heading as the address that code hosts make of it."""
    return "".join(c for c in head.lower().replace(" ", "-") if c.isalnum() or c in "-_")
