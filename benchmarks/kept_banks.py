"""Opening 10,000 questions in 50 files that were read before, against reading them.

    python -m benchmarks.kept_banks [--questions 10000] [--files 50] [--rounds 5]

The index opens in a fresh process, measured from before it is made to after it has ended,
with one question's words fetched in it; it is held against reading the banks, `load_bank` in
this process, and against a Python that does nothing. The other two lines stay in this
process: banks of which one file has changed, and one question made whole.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Final
from unittest.mock import patch

from benchmarks.figures import Figure, table
from benchmarks.load_banks import seconds, write_bank
from quizapp.bank import load_bank
from quizapp.bank.bodies import question_of
from quizapp.bank.compile import compile_banks
from quizapp.compiled import open_fresh, seen

OPEN_SECONDS: Final = 0.060
OPEN_RATIO: Final = 0.0125
QUESTION_SECONDS: Final = 0.005
#: Of reading everything: one file of fifty, and writing the rest over.
CHANGED_RATIO: Final = 0.15

OPEN: Final = """\
import sys
from quizapp.compiled import open_fresh
kept = open_fresh(sys.argv[1], sys.argv[2])
(bank,) = kept.banks
assert len(bank.names) == int(sys.argv[3])
assert kept.words(bank.question("question-1").body)
"""


def seconds_to_open(folder: Path, cache: Path, questions: int) -> float:
    """The whole life of a process that opens the index."""
    return seconds_of((sys.executable, "-c", OPEN, str(folder), str(cache), str(questions)))


def seconds_of(command: tuple[str, ...]) -> float:
    """The whole life of a process."""
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def measure(rounds: int, questions: int = 10_000, files: int = 50) -> list[Figure]:
    """The index in a process of its own; one changed file; one question."""
    what = f"{questions:,} kept questions in {files} files"
    opened, beside, changed, asked = [], [], [], []
    with tempfile.TemporaryDirectory() as name, patch.object(seen, "now", _later):
        folder, cache = Path(name) / "bank", Path(name) / "cache"
        folder.mkdir()
        paths = write_bank(folder, questions, files)
        compile_banks(folder, cache)
        seconds_to_open(folder, cache, questions)  # compiles and caches the modules
        for _, path in zip(range(rounds), cycle(paths), strict=False):
            cold = seconds(lambda: load_bank(folder))
            spent = seconds_to_open(folder, cache, questions)
            opened.append((spent, cold))
            beside.append((spent, seconds_of((sys.executable, "-c", "pass"))))
            asked.append((_seconds_to_ask(folder, cache), cold))
            path.write_text(path.read_text("utf-8").replace("Beside", "Next to", 1), "utf-8")
            changed.append((seconds(lambda: compile_banks(folder, cache)), cold))
    reading, process = "reading them", f"process that opens {what}"
    return [
        Figure.of_pairs(process, reading, opened, most_ratio=OPEN_RATIO),
        Figure.of_pairs(process, "bare Python", beside, most_seconds=OPEN_SECONDS),
        Figure.of_pairs("one file of them changed", reading, changed, most_ratio=CHANGED_RATIO),
        Figure.of_pairs("one of them by its id", reading, asked, most_seconds=QUESTION_SECONDS),
    ]


def _later() -> int:
    # What was written a moment ago would be read again: the banks of a learner are older.
    return time.time_ns() + 2 * seen.TICK


def _seconds_to_ask(folder: Path, cache: Path) -> float:
    kept = open_fresh(str(folder), str(cache))
    if kept is None:
        raise ValueError("the cache is not the one that was just written")
    start = time.perf_counter()
    question_of(kept.words(kept.banks[0].question("question-0").body))
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(table(measure(options.rounds, options.questions, options.files)))


if __name__ == "__main__":
    main()
