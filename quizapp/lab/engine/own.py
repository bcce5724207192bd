"""A learner's attention in place of ours: confined as when it is graded, one call at a time.

Experiments ask for any leading dimensions and any scale; the exercise's function knows
(B, H, S, d) and 1/√d_k. The first is a matter of views. The second is put into q: a right
function then gives the experiment's own scores, and a wrong one shows its mistake.
"""

from __future__ import annotations

import math
from typing import Final

import torch

from quizapp.lab.engine.failures import Refused
from quizapp.lab.wire import Own
from quizapp.sandbox import wording
from quizapp.sandbox.confinement import Limits
from quizapp.sandbox.host import Fault, Zygote
from quizapp.sandbox.proxy import Remote
from quizapp.sandbox.wire import ProtocolError

#: A call of an experiment is larger than one of a test.
_SECONDS: Final = 20.0
_MEMORY: Final = 2 * 2**30
_CPU: Final = 600

#: Started with the first run that needs it, and kept: it takes seconds.
_zygotes: list[Zygote] = []


class OwnAttention:
    """What `quizapp.lab.attention` does, by the learner's function. Raises Refused for a fault."""

    def __init__(self, own: Own) -> None:
        self._own = own
        if not _zygotes:
            _zygotes.append(Zygote())
        self._remote = Remote(_zygotes[0].fork(Limits(_MEMORY, _CPU)), _SECONDS)
        try:
            self._remote.load(own.source, own.entry, own.class_name, own.forbidden)
        except Fault as fault:
            self.close()
            raise self._refused(fault) from fault

    def __call__(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        *,
        scale: float | None = None,
        mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Output (…, S_q, d_v) and weights (…, S_q, S_k), on the device of q."""
        lead = max((q.shape[:-2], k.shape[:-2], v.shape[:-2]), key=math.prod)
        d_k = q.shape[-1]
        if scale is not None:
            q = q * (scale * math.sqrt(d_k))
        arguments = [_four(x.expand(*lead, *x.shape[-2:])).cpu() for x in (q, k, v)]
        if mask is not None:
            whole = mask.expand(*lead, q.shape[-2], k.shape[-2])
            arguments.append(_four(whole).cpu())
        init = [d_k] * len(self._own.class_init) if self._remote.form == "class" else []
        try:
            answer = self._remote.call(arguments, init)
        except Fault as fault:
            raise self._refused(fault) from fault
        except ProtocolError as error:
            words = ("sizes too large for a confined function", "尺寸过大，无法交给受限的函数")
            raise Refused("own", *words) from error
        output, weights = self._shaped(answer.results, lead, q, k, v)
        return output.to(q.device), weights.to(q.device)

    def _shaped(
        self,
        results: tuple[object, ...],
        lead: torch.Size,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        shapes = ((*lead, q.shape[-2], v.shape[-1]), (*lead, q.shape[-2], k.shape[-2]))
        if len(results) == 2:
            output, weights = results
            if isinstance(output, torch.Tensor) and isinstance(weights, torch.Tensor):
                numbers = [math.prod(shape) for shape in shapes]
                if [output.numel(), weights.numel()] == numbers:
                    return output.reshape(shapes[0]), weights.reshape(shapes[1])
        raise Refused(
            "own",
            "your function did not return (output, weights) of the right shapes",
            "你的函数没有返回形状正确的 (output, weights)",
        )

    def _refused(self, fault: Fault) -> Refused:
        en, zh = wording.words(fault.kind, fault.facts, self._own.entry)
        return Refused("own", f"Your function: {en}", f"你的函数：{zh}")

    def close(self) -> None:
        """End the worker."""
        self._remote.worker.end()


def _four(x: torch.Tensor) -> torch.Tensor:
    """(…, S, d) as (B, H, S, d): all leading dimensions but the last in B."""
    lead = x.shape[:-2]
    heads = lead[-1] if lead else 1
    return x.reshape(-1, heads, *x.shape[-2:])
