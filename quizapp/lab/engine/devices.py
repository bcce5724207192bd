"""The devices torch can use here: which one a run gets, its number formats, TF32, its memory."""

from __future__ import annotations

import gc
from functools import cache
from typing import Final, get_args

import torch

from quizapp.lab.engine.failures import Refused, kind_of
from quizapp.lab.experiment import BaseParams, NumberFormat

FORMATS: Final = get_args(NumberFormat)


def devices() -> tuple[str, ...]:
    """The devices torch can use here, best first."""
    found = []
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return (*found, "cpu")


def pick_device(wanted: str) -> str:
    """A real device for "auto", "cpu", "cuda" or "mps". Raises Refused where it is absent."""
    available = devices()
    if wanted == "auto":
        return available[0]
    if wanted not in available:
        there = ", ".join(available)
        raise Refused(
            "device",
            f"device {wanted!r} is not there\nThis machine has: {there}.",
            f"这里没有设备 {wanted!r}\n本机有：{there}。",
        )
    return wanted


@cache
def has(device: str, dtype: str) -> bool:
    """Whether the device multiplies matrices of that format and takes a softmax in it: tried."""
    try:
        x = torch.ones(2, 2, device=device).to(getattr(torch, dtype))
        torch.softmax(x @ x, -1).cpu()
    except (RuntimeError, TypeError, NotImplementedError) as error:
        if kind_of(error) in ("memory", "lost"):
            raise  # which says nothing about the format
        return False
    return True


def refuse_format(params: BaseParams, device: str) -> None:
    """Refused where the parameter `dtype` asks for a number format that the device lacks."""
    wanted = getattr(params, "dtype", None)
    if wanted not in FORMATS or has(device, wanted):
        return
    there = ", ".join(dtype for dtype in FORMATS if has(device, dtype))
    raise Refused(
        "device",
        f"{device} has no {wanted}\nLet dtype be one of: {there}; or run on cpu.",
        f"{device} 没有 {wanted}\n请把 dtype 改为 {there} 之一，或改在 cpu 上运行。",
    )


def use_tf32(device: str, wanted: bool) -> bool:
    """Let float32 products on CUDA keep 10 bits of their factors, or all 23; whether they do now.

    Set for every run anew, as an environment variable and torch's own default for convolutions
    would turn it on unasked. Other devices have no such mode.
    """
    on = wanted and device == "cuda"
    torch.backends.cuda.matmul.allow_tf32 = on
    torch.backends.cudnn.allow_tf32 = on
    return on


def give_back(device: str) -> None:
    """Return what a failed run held, so that a smaller one finds room."""
    gc.collect()  # tensors in cycles: autograd graphs, generators
    if device == "cuda":
        torch.cuda.empty_cache()
    elif device == "mps":
        torch.mps.empty_cache()
