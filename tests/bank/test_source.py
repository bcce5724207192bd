"""Text before YAML: size, encoding, control characters; and how findings are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizapp.bank.diagnostics import CODES, Diagnostic, in_order
from quizapp.bank.source import MAX_BYTES, Source, decode, read


def test_size_limit_is_exact() -> None:
    assert decode("x", b"#" * MAX_BYTES)[1] == []
    assert [d.code for d in decode("x", b"#" * (MAX_BYTES + 1))[1]] == ["QB002"]


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(2**36)  # sparse: 64 GiB that take no room
    source, found = read(path)
    assert [d.code for d in found] == ["QB002"]
    assert source.text == ""


def test_what_is_not_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    for name in ("folder.yaml", "absent.yaml"):
        (only,) = read(tmp_path / name)[1]
        assert only.code == "QB001"
        assert only.render().startswith(f"{tmp_path / name}: QB001 cannot be read: ")


@pytest.mark.parametrize(
    "character",
    ["\0", "\x1b", "\x7f", "\x85", "\x9b", "\u200e", "\u2028", "\u202e", "\u2066", "\ufeff"],
)
def test_each_control_character_is_found_where_it_stands(character: str) -> None:
    (only,) = decode("x", f"a: b\nc: 中{character}d".encode())[1]
    assert (only.code, only.line, only.column) == ("QB004", 2, 5)


@pytest.mark.parametrize("text", ["\t\n\r\n", "中文，√ − “” … 🙂", "café\u0301", "\u200d"])
def test_ordinary_text_passes(text: str) -> None:
    assert decode("x", text.encode())[1] == []


def test_positions_and_offsets_are_inverse() -> None:
    source = Source("x", "ab\r\ncd\n\ne")
    for offset in (0, 1, 4, 5, 7, 8):
        assert source.offset(*source.position(offset)) == offset
    assert source.position(8) == (4, 1)


def at(column: int, line: str) -> list[str]:
    return Diagnostic("QB005", "error", "f", 1, column, line, "m", "r").render().split("\n")


@pytest.mark.parametrize(
    ("line", "column", "before"),
    [("abc", 3, 2), ("中文c", 3, 4), ("e\u0301x", 3, 1), ("\tx", 2, 4), ("abc", 4, 3)],
)
def test_the_caret_counts_terminal_cells(line: str, column: int, before: int) -> None:
    _, _, caret, remedy = at(column, line)
    assert caret == " " * (4 + before) + "^"
    assert remedy == "  r"


def test_a_long_line_is_cut_around_the_caret() -> None:
    _, line, caret, _ = at(5001, "a" * 5000 + "X" + "b" * 5000)
    assert len(line) < 110
    assert line[caret.index("^")] == "X"


def test_nothing_that_controls_a_terminal_is_drawn() -> None:
    shown = at(1, "\x1b[31m\u202e")[1]
    assert shown.strip().isprintable()


def test_plain_data_and_order() -> None:
    late = Diagnostic("QB005", "error", "b", 2, 1, "x", "m")
    early = Diagnostic("QB040", "warning", "a", 9, 9, "x", "m", "r")
    assert in_order([late, early, late]) == (early, late)
    assert early.plain() == {
        "code": "QB040", "severity": "warning", "path": "a", "line": 9, "column": 9,
        "source_line": "x", "message": "m", "remedy": "r",
        "fixable": False,
    }  # fmt: skip


def test_codes_are_registered_and_in_order() -> None:
    with pytest.raises(KeyError):
        Diagnostic("QB999", "error", "f", 1, 1, "", "m")
    assert list(CODES) == sorted(CODES)
