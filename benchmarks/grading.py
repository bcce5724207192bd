"""Grading the first exercise, against a cold `python -m pytest` on the same tests and file.

    python -m benchmarks.grading [--rounds 15] [--batch 200] [--leaks 500]

The cold run is what a course's script would do: a new Python, torch imported, the hidden
tests on the submission in the same process, nothing confined, no diagnosis. The warm grade
goes through the front's own client: confined, diagnosed, judged. Targets: a fifteenth of
the cold time; in a batch, 25 times the rate of cold runs one after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, table
from quizapp.bank import ExerciseFolder, load_bank
from quizapp.grader.batch import default_jobs, grade_all
from quizapp.grader.client import Judge
from quizapp.session import grading
from quizapp.session.paths import shipped_banks

EXERCISE: Final = "scaled_dot_product_attention"
GRADE_BOUND: Final = 1 / 15
RATE_BOUND: Final = 1 / 25

#: The fixture of a cold run: the submission's own function, called in the same process.
CONFTEST: Final = """
import importlib.util, pytest
class Local:
    form = "function"
    def __init__(self, function):
        self._function, self.calls = function, []
    def __call__(self, *arguments):
        result = self._function(*arguments)
        self.calls.append(type("Call", (), {"mutated": (), "detached": ()}))
        return result
@pytest.fixture
def submission():
    spec = importlib.util.spec_from_file_location("handed_in", %r)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Local(module.%s)
"""


def measure(rounds: int, batch: int, leaks: int) -> list[Figure]:
    """Warm against cold; a batch against cold runs in series; growth over many grades."""
    return asyncio.run(_measure(rounds, batch, leaks))


async def _measure(rounds: int, batch: int, leaks: int) -> list[Figure]:
    folder = exercise()
    judge = Judge()
    await judge.ready()
    figures = []
    mixed = handed_in(folder)
    for name, path in (("right", folder.solutions[0]), ("wrong", mixed[-1])):
        source = path.read_bytes()
        await warm(judge, folder, source)
        pairs = [(await warm(judge, folder, source), cold(folder, path)) for _ in range(rounds)]
        what = f"grade of a {name} {EXERCISE}"
        figures.append(Figure.of_pairs(what, "cold pytest", pairs, most_ratio=GRADE_BOUND))
    figures.append(await _leak(judge, folder, mixed, leaks))
    await judge.close()
    figures.append(await _batch(folder, mixed, batch, rounds))
    return figures


def exercise() -> ExerciseFolder:
    """The first exercise as shipped."""
    bank = load_bank(shipped_banks() / "attention").bank
    assert bank is not None
    return bank.exercises[EXERCISE]


def handed_in(folder: ExerciseFolder) -> list[Path]:
    """Its solutions and mistakes, mixed."""
    mistakes = [folder.mistake(name) for name in folder.exercise.mistakes]
    return [*folder.solutions, *mistakes]


async def warm(judge: Judge, folder: ExerciseFolder, source: bytes) -> float:
    """Seconds from the source to its grade."""
    started = time.perf_counter()
    grade = await judge.grade(grading.task(folder, source))
    assert grade.verdict != "could_not_run"
    return time.perf_counter() - started


def cold(folder: ExerciseFolder, path: Path) -> float:
    """Seconds of a new pytest process on the same tests and file."""
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "conftest.py").write_text(CONFTEST % (str(path), folder.exercise.entry))
        (Path(place) / "test_it.py").write_bytes(folder.tests.read_bytes())
        started = time.perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", place]
        ended = subprocess.run(command, capture_output=True, check=False)
        seconds = time.perf_counter() - started
    assert ended.returncode in {0, 1}, ended.stdout.decode()
    return seconds


async def _batch(folder: ExerciseFolder, mixed: Sequence[Path], count: int, rounds: int) -> Figure:
    """Seconds a submission takes in a batch, start of the judges included."""
    sources = [path.read_bytes() for path in islice(cycle(mixed), count)]
    tasks = [grading.task(folder, source, number) for number, source in enumerate(sources)]
    jobs = default_jobs(count)
    started = time.perf_counter()
    async for _, grade in grade_all(tasks, jobs):
        assert grade.verdict != "could_not_run"
    each = (time.perf_counter() - started) / count
    pairs = [(each, cold(folder, path)) for path in islice(cycle(mixed), rounds)]
    what = f"one of {count} in a batch, {jobs} judges"
    return Figure.of_pairs(what, "cold pytest", pairs, most_ratio=RATE_BOUND)


async def _leak(judge: Judge, folder: ExerciseFolder, mixed: Sequence[Path], count: int) -> Figure:
    """Memory of judge and zygote before and after many grades; bounded to a tenth more."""
    before = _family_bytes(judge)
    for path in islice(cycle(mixed), count):
        await judge.grade(grading.task(folder, path.read_bytes()))
    after = _family_bytes(judge)
    what = f"memory of a grader after {count} grades"
    return Figure(what, after, "before", before, after / before, 1.1, of_ratio=True, unit="B")


def _family_bytes(judge: Judge) -> float:
    """Proportional memory of the judge and the processes it started, in bytes."""
    assert judge.pid is not None
    children = Path(f"/proc/{judge.pid}/task/{judge.pid}/children").read_text().split()
    total = 0
    for pid in (judge.pid, *children):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += 1024 * int(line.split()[1])
    return float(total)


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--leaks", type=int, default=500)
    options = parser.parse_args()
    print(table(measure(options.rounds, options.batch, options.leaks)))


if __name__ == "__main__":
    main()
