"""Cold start to the first paint, against an App with nothing on its screen.

    python -m benchmarks.first_paint [--rounds 10]

Each start is a fresh process in a pseudo-terminal of its own. The clock runs from
before the process is made until the bytes that paint the screen have been read: the
first cells of the bare app, the word on the top line of quizapp.
"""

from __future__ import annotations

import argparse
import os
import pty
import select
import signal
import sys
import tempfile
import termios
import time
from typing import Final

from benchmarks.figures import Figure, table

BOUND: Final = 1.5
BARE: Final = (
    sys.executable,
    "-c",
    "from textual.app import App\nApp().run()",
)
QUIZAPP: Final = (sys.executable, "-m", "quizapp")
STARTS: Final = {"quizapp": QUIZAPP, "quizapp daily": (*QUIZAPP, "daily")}
#: To the top left corner, then a colour: what every first frame begins with.
FIRST_CELLS: Final = b"\x1b[1;1H\x1b["
BRAND: Final = b"quizapp"
PATIENCE: Final = 60.0


def seconds_to(marker: bytes, command: tuple[str, ...], home: str) -> float:
    """Seconds from making the process to reading `marker`. Raises TimeoutError."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    environment = {
        **os.environ,
        "QUIZAPP_HOME": home,
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }
    start = time.perf_counter()
    child = os.posix_spawn(
        command[0],
        command,
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, theirs, fd) for fd in (0, 1, 2)],
        setsid=True,
    )
    os.close(theirs)
    try:
        return _until(marker, ours, start)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ours)


def _until(marker: bytes, terminal: int, start: float) -> float:
    seen = b""
    while select.select([terminal], [], [], PATIENCE)[0]:
        seen += os.read(terminal, 65536)
        if marker in seen:
            return time.perf_counter() - start
    raise TimeoutError(f"{marker!r} was never painted; only {seen[-500:]!r}")


def measure(rounds: int) -> list[Figure]:
    """One figure for each way to start."""
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in STARTS}
    with tempfile.TemporaryDirectory() as home:
        for command in (BARE, *STARTS.values()):
            seconds_to(FIRST_CELLS, command, home)  # compiles and caches the files
        for _ in range(rounds):
            for name, command in STARTS.items():
                bare = seconds_to(FIRST_CELLS, BARE, home)
                pairs[name].append((seconds_to(BRAND, command, home), bare))
    return [
        Figure.of_pairs(f"first paint of `{name}`", "bare Textual app", found, most_ratio=BOUND)
        for name, found in pairs.items()
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    print(table(measure(parser.parse_args().rounds)))


if __name__ == "__main__":
    main()
