"""Milliseconds one update of a plot costs, drawing alone and painted in a running app.

Run with ``python benchmarks/plots.py``; prints medians for the largest plots a
report may carry, at 80×24 and 120×40.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import time
from collections.abc import Callable
from functools import partial

from textual.app import App, ComposeResult

from quizapp.plot import Look
from quizapp.plot.drawings import Plot, draw
from quizapp.report import Curve, HeatMap, Histogram, Series
from quizapp.text import Text
from quizapp.tui.widgets.plots import CurveView, HeatMapView, HistogramView, plot_view

View = CurveView | HistogramView | HeatMapView


def curve(draw_from: random.Random) -> Curve:
    """Three noisy lines of 200 points: the largest curve that crosses the wire."""
    xs = tuple(float(n) for n in range(200))
    return Curve(
        id="c", title=Text.of("loss"), x_label=Text.of("step"), y_label=Text.of("nats"), x=xs,
        series=tuple(
            Series(
                name=Text.of(f"rate {k}"),
                values=tuple(3 * math.exp(-x / 40 / k) + draw_from.gauss(0, 0.05) for x in xs),
            )
            for k in (1, 2, 3)
        ),
    )  # fmt: skip


def histogram(draw_from: random.Random) -> Histogram:
    """Two series of 60 bins."""
    return Histogram(
        id="h", title=Text.of("rows by norm"), x_label=Text.of("norm"),
        edges=tuple(n / 60 for n in range(61)),
        series=tuple(
            Series(name=Text.of(n), values=tuple(draw_from.uniform(0, 99) for _ in range(60)))
            for n in ("no scale", "scaled")
        ),
    )  # fmt: skip


def heat_map(draw_from: random.Random) -> HeatMap:
    """64×64 different values: no two neighbouring cells share a colour."""
    return HeatMap(
        id="m", title=Text.of("weights"), row_label=Text.of("query"), column_label=Text.of("key"),
        values=tuple(tuple(draw_from.random() for _ in range(64)) for _ in range(64)),
        low=0, high=1,
    )  # fmt: skip


KINDS: dict[str, Callable[[random.Random], Plot]] = {
    "curve": curve,
    "histogram": histogram,
    "heat map": heat_map,
}


class Bench(App[None]):
    """One view over the whole screen."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view

    def compose(self) -> ComposeResult:
        yield self.view


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """The median over `rounds` of what `work` takes."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


async def painted(plots: list[Plot], size: tuple[int, int], rounds: int) -> float:
    """Median milliseconds from `update` to the last line of the widget being rendered."""
    view = plot_view(plots[0])
    view.styles.height = "1fr"
    async with Bench(view).run_test(size=size) as pilot:
        await pilot.pause()
        turn = iter(range(rounds))

        def update() -> None:
            view.update(plots[next(turn) % len(plots)])  # type: ignore[arg-type]
            view.render_lines(view.size.region)

        return milliseconds(update, rounds)


def main() -> None:
    """Print a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    draw_from = random.Random(0)
    look = Look(depth="truecolor")
    print(f"{'plot':<12}{'size':<10}{'draw, ms':>10}{'update, ms':>12}")
    for name, make in KINDS.items():
        plots = [make(draw_from) for _ in range(2)]
        for size in ((80, 24), (120, 40)):
            area = (plots[0], *size, look, "en")
            drawing = milliseconds(partial(draw, *area), rounds)
            update = asyncio.run(painted(plots, size, rounds))
            print(f"{name:<12}{f'{size[0]}×{size[1]}':<10}{drawing:>10.2f}{update:>12.2f}")


if __name__ == "__main__":
    main()
