"""Grading an exercise's own files finds every promise it breaks, with an exact message."""

from __future__ import annotations

import asyncio
from pathlib import Path

from quizapp.bank import in_order
from quizapp.session.checking import check
from quizapp.session.try_exercises import Score, try_exercises

BAD = Path(__file__).parent.parent / "data" / "bad-grades"


def test_broken_promises_are_told() -> None:
    checked = check(BAD / "bank")
    assert all(found.severity != "error" for found in checked.diagnostics)
    found, scores = asyncio.run(try_exercises(checked.banks))
    shown = "\n".join(diagnostic.render() for diagnostic in in_order(found))
    assert shown.replace(f"{BAD}/", "") + "\n" == (BAD / "bank.txt").read_text(encoding="utf-8")
    by_name = {score.exercise: score for score in scores}
    double = Score("bad-grades/double", solutions=(1, 2), mistakes=(2, 3), named=(1, 3))
    assert by_name["bad-grades/double"] == double
    assert by_name["bad-grades/broken"].solutions == (0, 2)
