"""Writes docs/diagnostics.md: every code of `quizapp check`, with a mistake and its message.

The examples are the bad files of the tests and what they must cause: python docs/diagnostics.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from quizapp.bank import CODES, read_questions

TARGET = Path(__file__).with_suffix(".md")
BAD = Path(__file__).parent.parent / "tests" / "data" / "bad"

HEAD = """# What `quizapp check` says

Each finding names file, line and column, shows the line with a caret, says what is wrong and
what to write instead. Its code is stable: a script may lean on it, and one that is no longer
used is never given to anything else. Made by `python docs/diagnostics.py` from the files in
`tests/data/bad/`; a test fails when it is stale.

- `--strict`: a warning ends in exit code 2 as well.
- `--fix`: mends what takes no judgement, in place; comments and layout stay.
- `--against OLD`: tells what changed since the copy at OLD, a bank or a folder of banks: which
  questions changed their meaning, which only their wording, which ids vanished.
- `--compute`: also makes the runs. Is every right choice borne out, every wrong one refuted?
- `--json`: everything as JSON. `ok`, `banks`, `tells`, `mended`, `changes` and `diagnostics`,
  each of these with `code`, `severity`, `path`, `line`, `column`, `source_line`, `message`,
  `remedy` and `fixable`.
"""

_FINDING = re.compile(r"^\S+?(?::\d+:\d+)?: (QB\d{3})\b", re.MULTILINE)


def page() -> str:
    """The whole page."""
    examples, mended = _examples(), _mended()
    return "\n".join([HEAD, *(_section(code, examples, code in mended) for code in CODES)])


def _section(code: str, examples: dict[str, str], mended: bool) -> str:
    lines = [f"## {code}\n", f"{CODES[code][:1].upper()}{CODES[code][1:]}."]
    if mended:
        lines.append("`--fix` mends it where there is only one way to.")
    if code in examples:
        lines.append(f"\n```text\n{examples[code]}\n```")
    return "\n".join(lines) + "\n"


def _examples() -> dict[str, str]:
    """Code → the shortest of its messages."""
    found: dict[str, str] = {}
    for path in sorted(BAD.glob("*.txt")):
        for code, words in _findings(path.read_text(encoding="utf-8")):
            if code not in found or len(words) < len(found[code]):
                found[code] = words
    return found


def _findings(text: str) -> Iterator[tuple[str, str]]:
    starts = list(_FINDING.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=True):
        yield start[1], text[start.start() : end].rstrip("\n")


def _mended() -> set[str]:
    """The codes of which some can be mended."""
    banks = (path.parent / path.stem for path in BAD.glob("*.txt"))
    files = [*BAD.glob("*.yaml"), *(file for bank in banks for file in bank.glob("*.yaml"))]
    found = {one.code for path in files for one in read_questions(path).diagnostics if one.repair}
    return found | {"QB044"}  # found by a rule of the bank, not of the file


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
