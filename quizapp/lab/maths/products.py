"""Multiply-adds, counted matrix product by matrix product while a piece of code runs.

Lighter than torch's own FLOP counter, which takes each operation apart first: cheap
enough to count dozens of sizes on the meta device before the first report.
"""

from __future__ import annotations

import torch

from quizapp.lab.maths.watch import Done, Watch

_PRODUCTS = (torch.ops.aten.mm.default, torch.ops.aten.bmm.default)


class Products(Watch):  # type: ignore[no-untyped-call] # torch's base has no types
    """Inside `with Products() as counted`, `counted.multiply_adds` grows with every product.

    (…, a, b) times (…, b, c) has a·b·c of them for each leading index.
    """

    def __init__(self) -> None:
        super().__init__()
        self.multiply_adds = 0

    def watch(self, done: Done) -> None:
        if done.func in _PRODUCTS:
            self.multiply_adds += done.args[0].numel() * done.args[1].shape[-1]
