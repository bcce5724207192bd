"""Damaged files: whatever happens to a file, its author gets places in it, never a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from quizapp.bank import check, read_questions
from quizapp.bank.load import load_banks
from quizapp.bank.source import decode
from quizapp.report import Catalogue

SOUND = (
    Path(__file__).parent.parent / "data" / "bad" / "early-placeholder" / "q.yaml"
).read_bytes()
PIECES = [
    b"{", b"}", b"[", b"]", b": ", b"- ", b"'", b'"', b"|", b">", b"&a ", b"*a", b"!x ", b"<<: ",
    b"\t", b"\n", b"\r", b"  ", b"#", b"---\n", b"\x00", b"\xff", "\u202e".encode(), "全".encode(),
    "１".encode(), b"? ", b"%", b"@", b"\\", b"~", b"", b"null", b"{a: }", b"1e999", b"`", b"$",
]  # fmt: skip


def damaged(draw: random.Random) -> bytes:
    data = SOUND
    for _ in range(draw.randrange(1, 5)):
        start = draw.randrange(len(data))
        end = min(len(data), start + draw.choice([0, 0, 1, 2, 20, 200]))
        data = data[:start] + draw.choice(PIECES) + data[end:]
    return data


@pytest.mark.parametrize("seed", range(8))
def test_every_finding_stands_in_the_file(seed: int, tmp_path: Path, catalogue: Catalogue) -> None:
    draw = random.Random(seed)
    path = tmp_path / "q.yaml"
    refused = 0
    for _ in range(100):
        data = damaged(draw)
        path.write_bytes(data)
        (loaded,) = load_banks(path)
        found = [*loaded.diagnostics]
        if loaded.bank is not None:
            found += check([loaded.bank], catalogue)
        lines = decode("q.yaml", data)[0].lines
        for diagnostic in found:
            assert diagnostic.message
            assert diagnostic.remedy
            assert diagnostic.render().replace("\n", "").isprintable()
            if diagnostic.line and lines != [""]:
                line = lines[diagnostic.line - 1]
                assert diagnostic.source_line == line
                assert 1 <= diagnostic.column <= len(line) + 1
        refused += bool(loaded.diagnostics)
    assert refused > 50  # the damage is real


def test_a_file_cut_short_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    for end in range(0, len(SOUND), 7):
        path.write_bytes(SOUND[:end])
        result = read_questions(path)
        assert result.diagnostics or len(result.questions) == 1
