"""Forbidden shortcuts made to raise, whichever name they are reached by.

The check of the source sees a forbidden name where it is written. Through getattr, an alias
from elsewhere, `torch.ops` or a method, the call still ends in torch's dispatcher, and there
the entry is replaced: in a worker, for its exercise alone (0.3 ms). This is a rule of the
exercise, not a security boundary.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

import torch

#: Dispatcher entries behind each name that an exercise may forbid.
ENTRIES: Final = {
    "torch.nn.functional.scaled_dot_product_attention": (
        "scaled_dot_product_attention",
        "_scaled_dot_product_attention_math",
        "_scaled_dot_product_flash_attention_for_cpu",
    ),
    "torch.nn.MultiheadAttention": ("_native_multi_head_attention",),
    "torch.softmax": (
        "softmax.int",
        "_softmax",
        "_safe_softmax",
        "_masked_softmax",
        "log_softmax.int",
        "_log_softmax",
    ),
    "torch.logsumexp": ("logsumexp",),
    # Its last number along an axis is the logsumexp.
    "torch.logcumsumexp": ("logcumsumexp", "_logcumsumexp"),
    # The engine is no entry itself, but it comes past the gradient of a softmax.
    "torch.autograd": ("_backward", "_softmax_backward_data", "_log_softmax_backward_data"),
}
#: An entry is met at the first key of a tensor that could want a gradient, or at the second.
_KEYS: Final = ("AutogradCPU", "CPU")


class Forbidden(BaseException):
    """A forbidden function was reached. No Exception, so that `except Exception` lets it pass."""


#: Registrations last as long as these objects.
_libraries: list[torch.library.Library] = []


def forbid(names: Iterable[str]) -> None:
    """From now on, in this process, reaching any of `names` raises Forbidden."""
    for name in names:
        if name == "torch.nn.MultiheadAttention":
            # Its slow path is Python and never meets an entry of its own.
            torch.nn.functional.multi_head_attention_forward = _raiser(name)
        elif name == "torch.autograd":
            # Every way into the engine goes through this one, whatever it is called by.
            torch.autograd._engine_run_backward = _raiser(name)  # type: ignore[attr-defined]
        library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "overriding a registered kernel" is the point
            for entry in ENTRIES.get(name, ()):
                for key in _KEYS:
                    library.impl(entry, _raiser(name), key)  # type: ignore[no-untyped-call]
        _libraries.append(library)


def _raiser(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise Forbidden(name)

    return refuse
