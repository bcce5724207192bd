"""A judge that reads the grade out of the source it is given, for tests of what surrounds it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from quizapp.errors import MachineError
from quizapp.grader.wire import Diagnosis, Grade, Kind, Ready, Task, TestResult
from quizapp.report import HeatMap
from quizapp.text import Text

#: A bank with one exercise and two questions that follow it.
PRACTICE: Final = Path(__file__).parent.parent / "data" / "practice"

FORMULA: Final = Text.of({"en": "it is the formula", "zh": "结果与公式一致"})
COLUMN: Final = Text.of({"en": "one column gives ones [/]", "zh": "只有一列时全为 1"})


def _map(name: str, title: str) -> HeatMap:
    return HeatMap(
        id=name,
        title=Text.of(title),
        row_label=Text.of("query"),
        column_label=Text.of("key"),
        values=((0.1, 0.9), (0.5, 0.5)),
        low=0.0,
        high=1.0,
    )


def passed() -> Grade:
    """Both tests pass."""
    tests = tuple(TestResult(name=name, outcome="passed") for name in (FORMULA, COLUMN))
    return Grade(id=0, verdict="passed", kind="ok", tests=tests, seconds=0.1, isolation="strict")


def failed(
    *messages: str, kind: Kind = "wrong", diagnosis: bool = False, output: str = ""
) -> Grade:
    """A test fails for each of `messages`, the others pass; with maps where a mistake is named."""
    tests = []
    for number, name in enumerate((FORMULA, COLUMN)):
        if number < len(messages):
            maps = (_map("got", "your weights"), _map("expected", "expected weights"))
            result = TestResult(
                name=name,
                outcome="failed",
                kind=kind,
                message=Text.of(messages[number]),
                pictures=maps if diagnosis and number == 0 else (),
            )
        else:
            result = TestResult(name=name, outcome="passed")
        tests.append(result)
    named = Diagnosis(
        id="over_columns",
        text=Text.of({"en": "a softmax over the columns", "zh": "沿列方向的 softmax"}),
    )
    return Grade(
        id=0,
        verdict="failed",
        kind=kind,
        diagnosis=named if diagnosis else None,
        tests=tuple(tests),
        seconds=0.1,
        isolation="strict",
        output=output,
    )


def could_not_run() -> Grade:
    """The grader's own fault."""
    return Grade(
        id=0,
        verdict="could_not_run",
        kind=None,
        message=Text.of("the judge ended: out of memory"),
        seconds=0.0,
        isolation="strict",
    )


class FakeJudge:
    """Grades by words in the source: "right" passes, "ours" could not run, "columns" is named."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked = asyncio.Event()  # a first source has come
        self.problem = ""  # why there is no judge
        self.sources: list[str] = []
        self.closed = 0

    async def ready(self) -> Ready:
        if self.problem:
            raise MachineError("the grader could not be started", remedy=self.problem)
        return Ready(isolation="strict")

    async def grade(self, task: Task) -> Grade:
        await self.ready()
        source = task.source.decode("latin-1")
        self.sources.append(source)
        self.asked.set()
        await self.gate.wait()
        return self._grade(source).model_copy(update={"id": task.id})

    def _grade(self, source: str) -> Grade:
        if "right" in source:
            return passed()
        if "ours" in source:
            return could_not_run()
        if "columns" in source:
            return failed(
                "weights: 9 of 15 values differ, largest at [b=0, n=1]: got 0.312, expected 0.25",
                diagnosis=True,
                output="[bold]seen[/] \x1b[31m(3, 5)",
            )
        if "loop" in source:
            return failed("it did not finish within 2 s", kind="timeout")
        return failed("NotImplementedError", "NotImplementedError", kind="exception")

    async def close(self) -> None:
        self.closed += 1
