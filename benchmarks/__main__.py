"""Every figure in one table, measured in one run.

    python -m benchmarks [NAME …] [--quick]

Each NAME is a module of this package that can also be run alone, with settings of its
own; `--quick` takes the fewest rounds that give a number, to see that all of it works.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from benchmarks import (
    first_numbers,
    first_paint,
    first_report,
    flash_memory,
    grading,
    kept_banks,
    lab_stall,
    load_banks,
    loop_stall,
)
from benchmarks.figures import Figure, table

#: name → (the figures, the same at the smallest setting)
BENCHMARKS: Final[dict[str, tuple[Callable[[], list[Figure]], Callable[[], list[Figure]]]]] = {
    "first_paint": (partial(first_paint.measure, 10), partial(first_paint.measure, 1)),
    "first_numbers": (partial(first_numbers.measure, 5), partial(first_numbers.measure, 1, 1)),
    "first_report": (
        partial(first_report.measure, 5),
        partial(first_report.measure, 1, ("softmax", "masks")),
    ),
    "flash_memory": (flash_memory.measure, partial(flash_memory.measure, 512, 64)),
    "grading": (partial(grading.measure, 15, 200, 500), partial(grading.measure, 1, 2, 2)),
    "loop_stall": (partial(loop_stall.measure, 10), partial(loop_stall.measure, 1, 1)),
    "lab_stall": (partial(lab_stall.measure, 5), partial(lab_stall.measure, 1, 1.0)),
    "load_banks": (partial(load_banks.measure, 5), partial(load_banks.measure, 1, 20, 2)),
    "kept_banks": (partial(kept_banks.measure, 5), partial(kept_banks.measure, 1, 20, 2)),
}


def main() -> None:
    """Measure, print, and say of each bound whether it is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="the smallest setting")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHMARKS]:
        parser.error(f"no such benchmark: {', '.join(unknown)}")
    figures: list[Figure] = []
    for name in options.names or BENCHMARKS:
        print(f"measuring {name} …", file=sys.stderr)
        full, quick = BENCHMARKS[name]
        figures += (quick if options.quick else full)()
    print(table(figures))


if __name__ == "__main__":
    main()
