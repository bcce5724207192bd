"""The torch operations of a run, called directly: a warm process of their own, asked by lines.

    python -m benchmarks.direct

Reads ``{"experiment": …, "params": {…}, "metrics": […]}`` a line and answers with the
seconds until the run had measured any of those metrics.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self


class Direct:
    """The process, warm; a context manager."""

    def __enter__(self) -> Self:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self._child = subprocess.Popen(
            (sys.executable, "-m", "benchmarks.direct"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self._child.stdout is not None
        assert self._child.stdout.readline() == "warm\n"
        return self

    def seconds(
        self, experiment: str, params: Mapping[str, object], metrics: Iterable[str]
    ) -> float:
        """Until one run has the first of these metrics."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        asked = {"experiment": experiment, "params": params, "metrics": list(metrics)}
        self._child.stdin.write(json.dumps(asked) + "\n")
        self._child.stdin.flush()
        return float(self._child.stdout.readline())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait()


def main() -> None:
    """Serve until standard input ends."""
    import torch

    from quizapp.lab.catalogue import load
    from quizapp.lab.context import RunContext
    from quizapp.lab.engine import warm
    from quizapp.lab.params import validate

    torch.set_num_threads(1)
    warm.up()
    print("warm", flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        params = validate(asked["experiment"], asked["params"])
        module = load(asked["experiment"])
        start = time.perf_counter()
        context = RunContext(asked["experiment"], module.METRICS, params, "cpu")
        for report in module.run(params, context):
            if any(name in report.metrics for name in asked["metrics"]):
                break
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
