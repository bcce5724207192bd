"""Two tasks that only attention over a memory can solve, drawn afresh for every step.

    recall       each pair holds a random key code and one of C classes; the query is one of the
                 codes, the target its class. Loss: cross-entropy; ln C for guessing.
    regression   the pairs fall into S_q groups; a pair's key is its group's code plus noise, its
                 value the group's value plus noise. The query is a code, the target the value
                 without noise. Loss: mean squared error; 1/2 for answering 0. The best a weighted
                 mean of the S_k/S_q pairs of a group can do is 1/2 · S_q/S_k.

A pair is one token, its code and its value side by side; a query token has value 0, and a code
enlarged to the same mean square, 1. The order of the pairs means nothing: query j may as well
ask for pair (or group) j.

Shapes: N seeded runs, B sequences, S_q queries, S_k pairs, C width of a value, d_model of a token.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

Task = Literal["recall", "regression"]

#: Width of a key code, width of a value (and number of classes), and of a token.
CODE: Final = 24
CLASSES: Final = 8
D_MODEL: Final = CODE + CLASSES
#: Sequences a step, and queries in each.
SEQUENCES: Final = 8
QUERIES: Final = 4
#: A query's code is that much larger, so that with a blank value its mean square is 1 as well.
ASKED: Final = math.sqrt(D_MODEL / CODE)
#: Regression: how far a key lies from its group's code, beside the code's own 1.
KEY_NOISE: Final = 0.5


def guess_loss(task: Task) -> float:
    """The loss of the best answer that does not look at the memory."""
    return math.log(CLASSES) if task == "recall" else 0.5


@dataclass(frozen=True)
class Batch:
    """What one step learns from, the same for every scale and rate.

    memory (N, B·S_k, d_model), asked (N, B·S_q, d_model), and as target classes
    (N, B, S_q) or values (N, B, S_q, C).
    """

    memory: torch.Tensor
    asked: torch.Tensor
    target: torch.Tensor

    def double(self) -> Batch:
        """The same in float64, on the CPU: not every device has it."""
        target = self.target.cpu()
        if target.is_floating_point():
            target = target.double()
        return Batch(self.memory.cpu().double(), self.asked.cpu().double(), target)


def draw(task: Task, ctx: Context, step: int, runs: int, pairs: int) -> Batch:
    """The batch of one step, from streams of its own."""
    import torch
    from torch.nn.functional import one_hot

    codes = ctx.normal(f"codes.{step}", runs, SEQUENCES, pairs, CODE)
    values = ctx.normal(f"values.{step}", runs, SEQUENCES, pairs, CLASSES)
    asked = codes[:, :, :QUERIES]
    if task == "recall":
        classes = values.argmax(-1)  # (N, B, S_k), each class equally likely
        values = math.sqrt(CLASSES) * one_hot(classes, CLASSES).to(codes.dtype)  # mean square 1
        target = classes[:, :, :QUERIES]
    else:
        group = torch.arange(pairs, device=codes.device) % QUERIES
        noise = ctx.normal(f"key_noise.{step}", runs, SEQUENCES, pairs, CODE)
        codes = (asked[:, :, group] + KEY_NOISE * noise) / math.sqrt(1 + KEY_NOISE**2)
        target = ctx.normal(f"targets.{step}", runs, SEQUENCES, QUERIES, CLASSES) / math.sqrt(2)
        values = target[:, :, group] + values / math.sqrt(2)  # variance 1, half of it noise
    blank = torch.zeros_like(asked[..., :CLASSES])
    asked = ASKED * asked
    return Batch(
        memory=torch.cat([codes, values], -1).flatten(1, 2),
        asked=torch.cat([asked, blank], -1).flatten(1, 2),
        target=target,
    )
