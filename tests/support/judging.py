"""A real judge for tests: one warm process, asked synchronously."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from quizapp.bank import ExerciseFolder, load_bank
from quizapp.grader.wire import Grade, Ready, answers
from quizapp.session import grading

SHIPPED = Path(__file__).parents[2] / "questions" / "attention"


def exercises() -> dict[str, ExerciseFolder]:
    """The shipped exercises by name."""
    bank = load_bank(SHIPPED).bank
    assert bank is not None
    return dict(bank.exercises)


class SyncJudge:
    """`python -m quizapp.grader.judge`, a line in and a line out."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "quizapp.grader.judge"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(os.environ) | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )
        ready = self._read()
        assert isinstance(ready, Ready)
        self.isolation = ready.isolation

    @property
    def pid(self) -> int:
        """The judge's process id."""
        return self._process.pid

    def grade(self, folder: ExerciseFolder, source: str | bytes, **changes: Any) -> Grade:
        """The grade; `changes` replace fields of the task."""
        data = source if isinstance(source, bytes) else source.encode()
        task = grading.task(folder, data, next(self._numbers)).model_copy(update=changes)
        assert self._process.stdin is not None
        self._process.stdin.write(task.model_dump_json().encode() + b"\n")
        self._process.stdin.flush()
        answer = self._read()
        assert isinstance(answer, Grade)
        assert answer.id == task.id
        return answer

    def _read(self) -> Ready | Grade:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the judge ended"
        return answers.validate_json(line)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
