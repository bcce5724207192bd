"""How long the event loop stands still while the session opens, the engine starts and runs stream.

    python -m benchmarks.loop_stall [--rounds 10]

A heartbeat sleeps for a millisecond again and again in the app's own loop, from the first
frame on; a stall is what a beat takes longer than it asked for. Each round is a fresh
process, for modules are imported once. Beside it the same heartbeat in an app with nothing
on its screen, for as long: what the machine itself makes of a sleep.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from typing import Final

from textual.app import App

from benchmarks.driven import Watched, driven
from benchmarks.figures import Figure, table

BOUND: Final = 0.050
BEAT: Final = 0.001
#: How many questions are answered; each of another experiment where there are so many.
ANSWERS: Final = 4
PHASES: Final = {
    "open": "the session opens",
    "engine": "the engine starts",
    "run": "runs stream",
}

#: phase → its longest stall, in seconds
Stalls = dict[str, float]


class Heart:
    """Beats in the loop, and keeps the longest stall of each phase.

    busy: the most that the loop's thread computed between two beats; what a stall has above it
    went to other programs, or to waiting.
    """

    def __init__(self) -> None:
        self.phase = "open"
        self.longest: Stalls = dict.fromkeys(PHASES, 0.0)
        self.busy = 0.0

    async def beat(self) -> None:
        """Until cancelled."""
        while True:
            start, computed = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT)
            self.busy = max(self.busy, time.thread_time() - computed)
            stall = time.perf_counter() - start - BEAT
            self.longest[self.phase] = max(self.longest[self.phase], stall)


async def app_stalls(answers: int) -> tuple[Stalls, float]:
    """The stalls of one life of the app, and how many seconds it took."""
    heart = Heart()
    async with driven() as drive:
        first = asyncio.Event()
        await drive.until(lambda: drive.app.is_running)
        drive.driver.watcher = lambda frame: first.set() if "quizapp" in frame else None
        await first.wait()
        start = time.perf_counter()
        beating = asyncio.create_task(heart.beat())
        await drive.until(lambda: drive.app.session is not None and drive.app.question.entry)
        await asyncio.sleep(0.1)
        heart.phase = "engine"
        await drive.ready()
        heart.phase = "run"
        assert drive.app.session is not None
        entries = drive.app.session.library.entries.values()
        kinds = {entry.question.experiment.run: entry for entry in entries}
        for entry in list(kinds.values())[:answers]:
            await drive.ask(entry)
            await drive.answer(0)
        beating.cancel()
        return heart.longest, time.perf_counter() - start


async def bare_stall(seconds: float) -> float:
    """The longest stall of an app with nothing on its screen."""
    heart, app = Heart(), App[None]()
    app.driver_class = Watched
    running = asyncio.create_task(app.run_async(size=(80, 24)))
    while not app.is_running:  # noqa: ASYNC110 - Textual has no event for it
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)
    beating = asyncio.create_task(heart.beat())
    await asyncio.sleep(seconds)
    beating.cancel()
    app.exit()
    await running
    return heart.longest["open"]


def _child(*arguments: str) -> tuple[Stalls, float]:
    command = (sys.executable, "-m", "benchmarks.loop_stall", *arguments)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    stalls, seconds = json.loads(done.stdout)
    return stalls, seconds


def measure(rounds: int, answers: int = ANSWERS) -> list[Figure]:
    """One figure for each phase."""
    pairs: dict[str, list[tuple[float, float]]] = {phase: [] for phase in PHASES}
    for _ in range(rounds):
        stalls, seconds = _child("--app", str(answers))
        bare, _ = _child("--bare", str(seconds))
        for phase, stall in stalls.items():
            pairs[phase].append((stall, bare["open"]))
    return [
        Figure.of_pairs(
            f"loop stall while {words}",
            "bare app at rest",
            pairs[phase],
            most_seconds=BOUND,
            note=f"longest {1000 * max(ours for ours, _ in pairs[phase]):.0f} ms",
        )
        for phase, words in PHASES.items()
    ]


def main() -> None:
    """Print the table, or what one process measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--app", type=int, metavar="ANSWERS", help="one life of the app, as JSON")
    parser.add_argument("--bare", type=float, metavar="SECONDS", help="one bare app, as JSON")
    options = parser.parse_args()
    if options.app is not None:
        print(json.dumps(asyncio.run(app_stalls(options.app))))
    elif options.bare is not None:
        print(json.dumps(({"open": asyncio.run(bare_stall(options.bare))}, options.bare)))
    else:
        print(table(measure(options.rounds)))


if __name__ == "__main__":
    main()
