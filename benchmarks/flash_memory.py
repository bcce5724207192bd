"""Peak memory of attention by tiles against the standard way, and beside both torch's own kernel.

    python -m benchmarks.flash_memory [--seq-len 4096] [--block 128]

One head of width 64 in float32, one forward pass, inputs not counted. Bytes do not depend on
how busy a machine is: each is measured once, by the operations' own results and, for torch's
kernel, by what its allocator says.
"""

from __future__ import annotations

import argparse
from typing import Final

from benchmarks.figures import Figure, table

BOUND: Final = 0.1
D_K: Final = 64


def measure(seq_len: int = 4096, block: int = 128) -> list[Figure]:
    """A figure for each way that is held against the standard one."""
    import torch

    from quizapp.lab.context import RunContext
    from quizapp.lab.experiments import flash_attention
    from quizapp.lab.maths import flash
    from quizapp.lab.maths.tiled import Tiling

    torch.set_num_threads(1)  # as the engine has: each thread has a work space of its own
    figures = []
    for causal in (False, True):
        params = flash_attention.Params(seq_len=seq_len, block=block, d_k=D_K, causal=causal)
        ctx = RunContext("flash_attention", flash_attention.METRICS, params, "cpu")
        q, k, v = (ctx.normal(name, seq_len, D_K) for name in "qkv")
        head = flash.Head((q, k, v), D_K**-0.5, causal)
        standard = flash.standard_peak(head, ctx)
        tiles, _ = flash.tiled_peak(head, Tiling(block, head.scale, causal=causal), ctx)
        ways = {"tiled": tiles, "torch's own kernel": flash.fused_peak(head)}
        masked = ", causal" if causal else ""
        figures += [
            Figure(
                name=f"peak of {way}, {seq_len} keys{masked}",
                value=peak,
                against="standard",
                reference=standard,
                ratio=peak / standard,
                most=BOUND,
                of_ratio=True,
                note=f"block {block}" if way == "tiled" else "",
                unit="B",
            )
            for way, peak in ways.items()
            if peak is not None
        ]
    return figures


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seq-len", type=int, default=4096)
    parser.add_argument("--block", type=int, default=128)
    options = parser.parse_args()
    print(table(measure(options.seq_len, options.block)))


if __name__ == "__main__":
    main()
