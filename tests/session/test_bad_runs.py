"""Every bank in tests/data/bad-runs reads well, and running it causes exactly the messages
that lie beside it: `NAME.txt` is what the author of `NAME/` then reads.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest
from driving import LocalEngine

from quizapp.bank import Diagnostic, in_order
from quizapp.lab.client import Engine
from quizapp.session.checking import check
from quizapp.session.compute import try_bank

BAD = Path(__file__).parent.parent / "data" / "bad-runs"
CASES = sorted(path.name for path in BAD.iterdir() if path.is_dir())


def found(folder: Path) -> tuple[Diagnostic, ...]:
    checked = check(folder)
    assert checked.diagnostics == ()
    (bank,) = checked.banks
    return in_order(asyncio.run(try_bank(bank, [cast(Engine, LocalEngine())])))


@pytest.mark.parametrize("name", CASES)
def test_message(name: str) -> None:
    shown = "\n".join(diagnostic.render() for diagnostic in found(BAD / name))
    expected = (BAD / f"{name}.txt").read_text(encoding="utf-8")
    assert shown.replace(f"{BAD}/", "") + "\n" == expected


def test_every_message_file_has_its_cause() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == CASES


def test_a_run_with_other_numbers_separates_the_choices(tmp_path: Path) -> None:
    for file in (BAD / "same-numbers").iterdir():
        text = file.read_text(encoding="utf-8")
        text = text.replace("logits: [3, 2]", "logits: [3, 1]")
        (tmp_path / file.name).write_text(text, encoding="utf-8")
    assert found(tmp_path) == ()


def test_in_one_and_the_same_run_the_expectations_tell_the_choices_apart(tmp_path: Path) -> None:
    for file in (BAD / "same-numbers").iterdir():
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = (line for line in lines if "counterfactual" not in line)
        (tmp_path / file.name).write_text("".join(kept), encoding="utf-8")
    assert found(tmp_path) == ()
