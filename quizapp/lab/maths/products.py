"""Multiply-adds, counted matrix product by matrix product while a piece of code runs.

Lighter than torch's own FLOP counter, which takes each operation apart first: cheap
enough to count dozens of sizes on the meta device before the first report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.bmm.default)


class Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Inside `with Products() as counted`, `counted.multiply_adds` grows with every product.

    (…, a, b) times (…, b, c) has a·b·c of them for each leading index.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.multiply_adds = 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func in _PRODUCTS:
            self.multiply_adds += args[0].numel() * args[1].shape[-1]
        return func(*args, **(kwargs or {}))
