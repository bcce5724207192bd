"""How long the event loop stands still while the lab streams a training and a heat map redraws.

    python -m benchmarks.lab_stall [--rounds 5]

`train_scaling` runs in the real lab screen, with the real engine, on the pane of its plots:
every report draws its curves anew. A heat map of 64 × 64 stands beside them and is given
other values fifteen times a second, the most that an engine sends. The heartbeat is that of
`benchmarks.loop_stall`, and beside it an app with nothing on its screen, for as long. Each
round is a fresh process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from typing import Final

from benchmarks.driven import Driven, driven
from benchmarks.figures import Figure, table
from benchmarks.loop_stall import BOUND, Heart, bare_stall
from benchmarks.plots import heat_map
from quizapp.tui.widgets.plots import HeatMapView, plot_view
from quizapp.tui.widgets.result_view import ResultView

SIZE: Final = (120, 40)
#: Seconds between two redraws.
REDRAW: Final = 1 / 15
#: Seconds of a training that are watched at most: the default one takes a few.
LONGEST: Final = 8.0


async def _streaming(drive: Driven) -> HeatMapView:
    """The lab with `train_scaling` running, its plots on show and a heat map among them."""
    app = drive.app
    await drive.ready()
    await app.run_worker(app.flow.experiment("train_scaling", {})).wait()
    result = app.lab.query_one(ResultView)
    await drive.until(lambda: "plots" in result.panes)
    while result.pane != "plots":
        drive.driver.press("tab")
        await asyncio.sleep(0.1)
    view = plot_view(heat_map(random.Random(0)))
    assert isinstance(view, HeatMapView)
    await app.lab.query_one("#body").mount(view)
    await asyncio.sleep(0.2)
    return view


async def stall(longest: float) -> tuple[float, float, float, int]:
    """The longest stall, the most computed in one, seconds watched, and reports that came."""
    # Made before: an engine sends ready numbers.
    maps = [heat_map(random.Random(seed)) for seed in range(8)]
    heart = Heart()
    async with driven(SIZE) as drive:
        view = await _streaming(drive)
        bench, seen = drive.app.lab.bench, set()
        assert bench is not None
        beating = asyncio.create_task(heart.beat())
        start = time.perf_counter()
        redraws = 0
        while bench.running and time.perf_counter() - start < longest:
            view.update(maps[redraws % len(maps)])
            redraws += 1
            seen.add(id(bench.report))
            await asyncio.sleep(REDRAW)
        beating.cancel()
        return heart.longest["open"], heart.busy, time.perf_counter() - start, len(seen)


def _child(*arguments: str) -> list[float]:
    command = (sys.executable, "-m", "benchmarks.lab_stall", *arguments)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: list[float] = json.loads(done.stdout)
    return found


def measure(rounds: int, longest: float = LONGEST) -> list[Figure]:
    """One figure."""
    pairs, computed, reports = [], [], []
    for _ in range(rounds):
        worst, busy, seconds, seen = _child("--app", str(longest))
        pairs.append((worst, _child("--bare", str(seconds))[0]))
        computed.append(busy)
        reports.append(seen)
    return [
        Figure.of_pairs(
            "loop stall while the lab streams a training",
            "bare app at rest",
            pairs,
            most_seconds=BOUND,
            note=f"longest {1000 * max(ours for ours, _ in pairs):.0f} ms, computing "
            f"{1000 * max(computed):.0f} ms; {min(reports):.0f} reports or more",
        )
    ]


def main() -> None:
    """Print the table, or what one process measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--app", type=float, metavar="SECONDS", help="one life of the app, as JSON")
    parser.add_argument("--bare", type=float, metavar="SECONDS", help="one bare app, as JSON")
    options = parser.parse_args()
    if options.app is not None:
        print(json.dumps(asyncio.run(stall(options.app))))
    elif options.bare is not None:
        print(json.dumps([asyncio.run(bare_stall(options.bare))]))
    else:
        print(table(measure(options.rounds)))


if __name__ == "__main__":
    main()
