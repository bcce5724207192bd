"""Ways around a forbidden softmax or logsumexp end where the function itself would."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from quizapp.sandbox.host import Fault
from quizapp.sandbox.proxy import Remote

NAMES = ("torch.softmax", "torch.logsumexp", "torch.logcumsumexp")
WAYS = {
    "method": "x.softmax(-1)",
    "functional": "F.softmax(x, -1)",
    "softmin": "F.softmin(-x, -1)",
    "special": "torch.special.softmax(x, -1)",
    "masked": "torch.masked.softmax(x, -1)",
    "safe": "torch._safe_softmax(x, -1)",
    "masked fused": "torch._masked_softmax(x, torch.zeros_like(x, dtype=torch.bool), 1)",
    "operator": "torch.ops.aten._softmax(x, -1, False)",
    "module": "torch.nn.Softmax(-1)(x)",
    "log": "x.log_softmax(-1).exp()",
    "loss": "F.cross_entropy(x, torch.tensor([0, 1]))",
    "logsumexp": "(x - x.logsumexp(-1, keepdim=True)).exp()",
    "logcumsumexp": "(x - x.logcumsumexp(-1)[:, -1:]).exp()",
    "distribution": "torch.distributions.Categorical(logits=x).probs",
    "without gradients": "torch.no_grad()(torch.Tensor.softmax)(x, -1)",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_ready_made_softmax_is_refused_by_any_way(load: Callable[..., Remote], way: str) -> None:
    # No way spells a forbidden name out: the run decides, not the check of the source.
    source = f"import torch\nimport torch.nn.functional as F\ndef f(x): return {way}\n"
    remote = load(source, forbidden=NAMES)
    with pytest.raises(Fault) as caught:
        remote.call([torch.tensor([[0.5, 1.0], [2.0, 3.0]])])
    assert caught.value.kind == "forbidden"
    assert caught.value.facts["name"] in NAMES


def test_a_softmax_by_hand_is_let_through(load: Callable[..., Remote]) -> None:
    source = (
        "def f(x):\n"
        "    exps = (x - x.amax(-1, keepdim=True)).exp()\n"
        "    return exps / exps.sum(-1, keepdim=True)\n"
    )
    x = torch.tensor([[0.5, 1.0], [2.0, 3.0]])
    (got,) = load(source, forbidden=NAMES).call([x]).results
    assert isinstance(got, torch.Tensor)
    torch.testing.assert_close(got, x.softmax(-1))
