"""Every benchmark runs at its smallest setting and fills its lines; what they say is not tested."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = {
    "first_paint": ("first paint of `quizapp`", "first paint of `quizapp daily`"),
    "first_numbers": ("first numbers of ",),
    "first_report": ("complete report of softmax", "complete report of masks"),
    "lab_stall": ("loop stall while the lab streams a training",),
    "flash_memory": ("peak of tiled, 512 keys", "peak of torch's own kernel, 512 keys, causal"),
    "loop_stall": ("loop stall while the session opens", "while runs stream"),
    "grading": ("grade of a right ", "grade of a wrong ", "one of 2 in a batch"),
    "kept_banks": (
        "process that opens 20 kept questions in 2 files",
        "one file of them changed",
        "by its id",
    ),
    "load_banks": ("loading 20 questions in 2 files",),
}


def run(*arguments: str) -> str:
    done = subprocess.run(
        (sys.executable, "-m", *arguments),
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", LINES)
def test_the_smallest_setting_runs(name: str) -> None:
    table = run("benchmarks", name, "--quick")
    for line in LINES[name]:
        assert line in table
    for line in table.splitlines()[1:]:
        assert "kept" in line or "MISSED" in line


def test_plots_are_timed() -> None:
    assert "heat map" in run("benchmarks.plots", "--rounds", "1")


def test_an_unknown_name_is_refused() -> None:
    done = subprocess.run(
        (sys.executable, "-m", "benchmarks", "nothing"),
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "no such benchmark: nothing" in done.stderr
