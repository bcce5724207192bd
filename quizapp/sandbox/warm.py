"""Everything a submission may use, imported and run once before the first fork.

After the fork nothing can be imported from disk, and the first call of many torch functions
imports hundreds of modules: what is not warm here is missing there.
"""

from __future__ import annotations

import codecs
import importlib
from typing import Final

#: Modules a submission may import beside torch's own parts.
MODULES: Final = (
    "abc", "argparse", "array", "bisect", "builtins", "cmath", "collections", "collections.abc",
    "colorsys", "contextlib", "copy", "copyreg", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "gc", "heapq", "inspect", "io", "itertools", "json", "logging",
    "math", "numbers", "numpy", "numpy.linalg", "numpy.random", "operator", "os", "pathlib",
    "pprint", "random", "re", "statistics", "string", "struct", "sys", "textwrap", "threading",
    "time", "timeit", "torch", "torch.autograd", "torch.autograd.functional",
    "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.utils.checkpoint", "traceback",
    "types", "typing", "typing_extensions", "unittest", "warnings", "weakref",
)  # fmt: skip


#: Codings a source may declare beside UTF-8: each is a module that must be there already.
CODINGS: Final = (
    "ascii", "big5", "cp1251", "cp1252", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk",
    "iso8859-15", "koi8-r", "latin-1", "shift_jis", "utf-8-sig",
)  # fmt: skip


def up() -> None:
    """Import `MODULES` and run the paths that a first call would otherwise have to load."""
    import torch

    torch.set_num_threads(1)
    for name in MODULES:
        importlib.import_module(name)
    for name in CODINGS:
        codecs.lookup(name)
    from quizapp.sandbox import worker  # noqa: F401 - loaded here, used after the fork

    _run_paths()


def _run_paths() -> None:
    import torch
    from torch import nn

    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        q = torch.randn(1, 2, 3, 4).to(dtype).requires_grad_()
        scores = torch.einsum("bhqd,bhkd->bhqk", q, q) / 2.0
        hidden = torch.tril(torch.ones(3, 3, dtype=torch.bool))
        weights = torch.softmax(scores.masked_fill(~hidden, float("-inf")), dim=-1)
        torch.autograd.backward((weights @ q).sum())
        product = (q @ q.mT).softmax(-1).exp().log()
        # With seeds, as a worker's `vjp` calls it: another path through torch, 500 modules.
        torch.autograd.grad([product], [q], [torch.ones_like(product)], allow_unused=True)
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    layer(*(torch.randn(1, 3, 4),) * 3)
    nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Dropout(0.0))(torch.randn(3, 4)).sum()
    str(torch.randn(2, 2))
