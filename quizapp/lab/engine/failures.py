"""What can go wrong in a run, each as a named result that says what to do next.

torch has few error classes of its own: on accelerators most failures are a RuntimeError
that only its words tell apart. The words are those of the CUDA runtime, of its libraries
and of Metal; what is not recognised stays an `error` with the words it came with.
"""

from __future__ import annotations

import traceback
from typing import Final

import torch

from quizapp.errors import QuizappError, UsageError
from quizapp.lab.told import BrokenExperimentError, ToldError
from quizapp.report import Failure
from quizapp.text import Text

#: The device has no room. Metal says the last two, and only then that a command buffer failed.
_NO_ROOM: Final = (
    "allocate memory",
    "not enough memory",
    "out of memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "Insufficient Memory",
    "Invalid buffer size",
)
#: Nothing is broken: this build of torch, or this device, cannot do it.
_CANNOT: Final = (
    "no kernel image is available",
    "not currently implemented for the MPS device",
    "MPS framework doesn't support",
    "not implemented for 'Half'",
    "not implemented for 'BFloat16'",
    "not supported on MPS",
)
#: The device, or the process's hold on it. From here on every call in this process fails too.
_LOST: Final = (
    "CUDA error",
    "CUDA driver error",
    "CUDA unknown error",
    "CUBLAS_STATUS_",
    "CUDNN_STATUS_",
    "cuDNN error",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
    "command buffer exited with error status",
    "Caused GPU",
)
#: A NaN or an infinity met where only numbers will do.
_NOT_FINITE: Final = (
    "is not finite",
    "cannot convert float NaN",
    "cannot convert float infinity",
    "non-finite",
    "contains either `inf`, `nan`",
    "input contained NaN",
)


class Refused(Exception):  # noqa: N818 - nothing has gone wrong: it was not begun
    """A run that is not begun, as the result that says why."""

    def __init__(self, kind: str, en: str, zh: str) -> None:
        super().__init__(en)
        self.failure = Failure(kind=kind, text=Text.of({"en": en, "zh": zh}))


def failure_of(error: Exception, device: str) -> Failure:
    """What a run on `device` ended in. Prints the traceback of what has no name of its own."""
    if isinstance(error, Refused):
        return error.failure
    if isinstance(error, BrokenExperimentError):
        return Failure(kind="broken", text=error.text)
    if isinstance(error, QuizappError):
        words = error.text if isinstance(error, ToldError) else Text.of(str(error))
        kind = "params" if isinstance(error, UsageError) else "error"
        return Failure(kind=kind, text=words)
    kind = kind_of(error)
    if kind == "memory":
        return _told(kind, *_NO_ROOM_WORDS)
    traceback.print_exc()  # to the engine's stderr, which `--debug` shows
    said = _first_line(error)
    if kind == "error":
        return _told(kind, said, said)
    en, zh = _WORDS[kind]
    return _told(kind, f"{en.format(device=device)}\n{said}", f"{zh.format(device=device)}\n{said}")


def is_lost(failure: Failure) -> bool:
    """Whether this process can use its device no more, so that another must take its place."""
    return failure.kind == "lost"


def kind_of(error: Exception) -> str:
    """memory, device (it cannot do that), lost, not-finite, or error for anything else."""
    words = str(error)
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return "memory"
    if isinstance(error, (RuntimeError, TypeError, NotImplementedError)):
        # In this order: running out is told as a CUDA error and as a failed command buffer too.
        for kind, phrases in (("memory", _NO_ROOM), ("device", _CANNOT), ("lost", _LOST)):
            if any(phrase in words for phrase in phrases):
                return kind
    if any(phrase in words for phrase in _NOT_FINITE):
        return "not-finite"
    return "error"


def _first_line(error: Exception) -> str:
    # CUDA adds three lines of advice for those who write kernels.
    words = str(error).strip().splitlines()
    return f"{type(error).__name__}: {words[0]}" if words else type(error).__name__


def _told(kind: str, en: str, zh: str) -> Failure:
    return Failure(kind=kind, text=Text.of({"en": en, "zh": zh}))


_NO_ROOM_WORDS: Final = (
    "There was not enough memory for this run. Try smaller sizes.",
    "内存不足，无法完成这次运行。请把参数调小后再试。",
)
_WORDS: Final = {
    "device": (
        "{device} cannot compute this: run it on cpu.",
        "{device} 无法完成这项计算：请改在 cpu 上运行。",
    ),
    "lost": (
        "{device} was lost in the middle of the run. The engine starts afresh: "
        "run again, or on cpu.",
        "运行途中失去了设备 {device}。引擎会重新启动：请再运行一次，或改在 cpu 上运行。",
    ),
    "not-finite": (
        "The run met NaN or infinity where it needs a number. Try smaller sizes or scales.",
        "运行中本应是数的地方出现了 NaN 或无穷大。请把尺寸或尺度调小后再试。",
    ),
}
