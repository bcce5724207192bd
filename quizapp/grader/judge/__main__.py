"""The judge's main loop: one task a line, one grade a line.

    python -m quizapp.grader.judge

Standard output carries the protocol; whatever else prints goes to standard error. After
anything unforeseen the judge answers and ends, so that its successor starts from nothing.
"""

from __future__ import annotations

import os
import sys
import time
from typing import BinaryIO, Final

from pydantic import BaseModel, ValidationError

from quizapp.errors import MachineError
from quizapp.grader.wire import Ready, Task
from quizapp.sandbox.host import Zygote

#: Exit status after which the front starts another judge and nobody is to blame.
RENEWED: Final = 75


def main() -> None:
    """Serve until standard input ends."""
    started = time.perf_counter()
    out: BinaryIO = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    sys.dont_write_bytecode = True
    # Plugins of the machine's own have no business in a grade.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        zygote = Zygote()  # imports torch beside us, on another core
        import torch

        from quizapp.grader.judge import warm
    except (ImportError, OSError, MachineError) as error:
        _send(out, Ready(isolation=None, problem=f"{type(error).__name__}: {error}"))
        return
    torch.set_num_threads(1)
    warm.up()
    seconds = round(time.perf_counter() - started, 3)
    _send(out, Ready(isolation=zygote.isolation, seconds=seconds))
    try:
        _serve(out, zygote)
    finally:
        zygote.close()


def _serve(out: BinaryIO, zygote: Zygote) -> None:
    from quizapp.grader.judge.grading import could_not_run, grade

    for line in sys.stdin.buffer:
        try:
            task = Task.model_validate_json(line)
        except ValidationError as error:
            print(error, file=sys.stderr)
            raise SystemExit(RENEWED) from error
        try:
            answer, lives = grade(task, zygote.fork, zygote.isolation)
        except Exception as error:
            _send(out, could_not_run(task, error, zygote.isolation))
            raise SystemExit(RENEWED) from error
        _send(out, answer)
        lives.close()


def _send(out: BinaryIO, message: BaseModel) -> None:
    out.write(message.model_dump_json().encode() + b"\n")
    out.flush()


if __name__ == "__main__":
    main()
