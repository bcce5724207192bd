"""Every file and folder in tests/data/bad causes exactly the messages that lie beside it.

`NAME.yaml` is read as a question file on its own, a folder `NAME/` as a bank that is
also held to the rules; `NAME.txt` is what an author then reads.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from yaml.cyaml import CParser  # type: ignore[attr-defined]

from quizapp.bank import CODES, Diagnostic, check, in_order, load_bank, read_questions
from quizapp.bank.compose import compose
from quizapp.bank.pure_parser import PureParser
from quizapp.bank.source import read
from quizapp.report import Catalogue

BAD = Path(__file__).parent.parent / "data" / "bad"
CASES = sorted(path.stem for path in BAD.iterdir() if path.is_dir() or path.suffix == ".yaml")

#: Codes that need a file system or several banks: test_source, test_rules,
#: test_exercises, test_hostile_banks, test_compare, test_plausible.
ELSEWHERE = {"QB001", "QB002", "QB034", "QB036", "QB037", "QB056", "QB085"}
#: Those that begin so need a run, or a grade.
RUNNING = ("QB07", "QB09")


def diagnose(name: str, catalogue: Catalogue) -> tuple[Diagnostic, ...]:
    folder = BAD / name
    if not folder.is_dir():
        return in_order(read_questions(BAD / f"{name}.yaml").diagnostics)
    loaded = load_bank(folder)
    found = check([loaded.bank], catalogue) if loaded.bank is not None else ()
    return in_order([*loaded.diagnostics, *found])


@pytest.mark.parametrize("name", CASES)
def test_message(name: str, catalogue: Catalogue) -> None:
    found = diagnose(name, catalogue)
    shown = "\n".join(diagnostic.render() for diagnostic in found)
    expected = (BAD / f"{name}.txt").read_text(encoding="utf-8")
    assert shown.replace(f"{BAD}/", "") + "\n" == expected


@pytest.mark.parametrize("name", [name for name in CASES if (BAD / f"{name}.yaml").is_file()])
def test_without_libyaml_the_same_things_are_refused(name: str) -> None:
    source, found = read(BAD / f"{name}.yaml")
    if not found:
        places = [
            [(d.code, d.line) for d in compose(source, parser).diagnostics]
            for parser in (CParser, PureParser)
        ]
        assert places[0] == places[1]


def test_every_message_file_has_its_cause() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == CASES


def test_every_code_is_caused_by_something(catalogue: Catalogue) -> None:
    caused = {diagnostic.code for name in CASES for diagnostic in diagnose(name, catalogue)}
    assert caused | ELSEWHERE == {code for code in CODES if not code.startswith(RUNNING)}
