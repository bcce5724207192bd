"""The real program in a pseudo-terminal, and a terminal emulator that reads its screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pyte
import pytest

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "space": " ",
    "ctrl+c": "\x03",
    "ctrl+q": "\x11",
}


class Terminal:
    """A program on a screen of a certain size; `wide` draws √ and ─ in two cells when asked."""

    def __init__(
        self,
        arguments: list[str],
        home: Path,
        *,
        columns: int = 80,
        lines: int = 24,
        environment: dict[str, str] | None = None,
        ambiguous: int = 1,
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._ambiguous = ambiguous
        self._child = pexpect.spawn(
            sys.executable,
            ["-m", "quizapp", *arguments],
            dimensions=(lines, columns),
            env={
                # Not LC_CTYPE: Python itself sets it where the locale of the tests is C.
                **{name: value for name, value in os.environ.items() if name[:3] != "LC_"},
                "QUIZAPP_HOME": str(home),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "LANG": "C.UTF-8",
                **(environment or {}),
            },
            timeout=30,
        )

    def _read(self, seconds: float) -> bool:
        """Take what the program writes within `seconds`; False when it has ended."""
        try:
            data = self._child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        for _ in range(data.count(b"\x1b[6n")):
            self._child.send(f"\x1b[1;{1 + self._ambiguous}R")
        self._stream.feed(data)
        return True

    def text(self) -> str:
        """What the screen shows; the second cell of a wide character left out."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait(self, *words: str, seconds: float = 30) -> str:
        """Until the screen shows all of `words`; returns it. Fails with what it shows instead."""
        return self.until(lambda text: all(word in text for word in words), words, seconds)

    def until(self, holds: Callable[[str], bool], what: object = "", seconds: float = 30) -> str:
        """Until `holds(screen text)`."""
        end = time.monotonic() + seconds
        alive = True
        while time.monotonic() < end:
            if holds(self.text()):
                return self.text()
            if not alive:
                break
            alive = self._read(0.1)
        pytest.fail(f"waited for {what}; the screen shows\n{self.text()}")

    def press(self, *keys: str) -> None:
        """Type keys by name, or characters as they are."""
        for key in keys:
            self._child.send(KEYS.get(key, key))

    def signal(self, number: int) -> None:
        """Send a signal to the program."""
        self._child.kill(number)

    @property
    def pid(self) -> int:
        """The program's process id."""
        return int(self._child.pid)

    def end(self, seconds: float = 20) -> int:
        """The exit code, once the program has ended by itself."""
        end = time.monotonic() + seconds
        while self._read(0.1) and time.monotonic() < end:
            pass
        self._child.close()
        if self._child.exitstatus is None:
            return -int(self._child.signalstatus or 0)
        return int(self._child.exitstatus)

    def restored(self) -> bool:
        """Whether the program left the alternate screen and showed the cursor again."""
        return not self._screen.cursor.hidden

    def close(self) -> None:
        """End it, whatever it does."""
        self._child.close(force=True)
