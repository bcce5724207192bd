"""An exercise that forbids `torch.autograd`: gradients by hand pass, autograd's do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from quizapp.sandbox.host import Fault
from quizapp.sandbox.proxy import Remote

Load = Callable[..., Remote]

NAME = "torch.autograd"
#: The gradient of Σ softmax(x)² at x, (2, 3), in different ways.
GRADIENT = "def f(x):\n    x = x.detach().requires_grad_()\n    y = (x.softmax(-1) ** 2).sum()\n"
WAYS = {
    "grad": f"import torch\n{GRADIENT}    return torch.autograd.grad(y, x)[0]\n",
    "imported": f"from torch.autograd import grad as g\n{GRADIENT}    return g(y, x)[0]\n",
    "renamed": f"import torch.autograd as a\n{GRADIENT}    return a.grad(y, x)[0]\n",
    "backward": f"{GRADIENT}    y.backward()\n    return x.grad\n",
    "looked up": f"import torch\n{GRADIENT}"
    "    return getattr(torch, 'auto' + 'grad').grad(y, x)[0]\n",
    "operator": f"import torch\n{GRADIENT}    torch.ops.aten._backward(y, [x])\n"
    "    return x.grad\n",
    "caught": f"import torch\n{GRADIENT}    try:\n        y.backward()\n"
    "    except Exception:\n        pass\n    return x.detach()\n",
    "through a softmax by hand": "import torch\ndef f(x):\n"
    "    x = x.detach().requires_grad_()\n    e = x.exp()\n"
    "    y = ((e / e.sum(-1, keepdim=True)) ** 2).sum()\n"
    "    getattr(y, 'back' + 'ward')(create_graph=True)\n    return x.grad\n",
    "softmax's gradient": "import torch\ndef f(x):\n    p = x.softmax(-1)\n"
    "    return torch._softmax_backward_data(2 * p, p, -1, x.dtype)\n",
}
BY_HAND = (
    "def f(x):\n    p = x.softmax(-1)\n    g = 2 * p\n    return p * (g - (p * g).sum(-1, True))\n"
)


@pytest.mark.parametrize("source", WAYS.values(), ids=WAYS)
def test_autograd_is_found_by_any_name(load: Load, source: str) -> None:
    with pytest.raises(Fault) as caught:
        load(source, forbidden=(NAME,)).call([torch.ones(2, 3)])
    assert (caught.value.kind, caught.value.facts["name"]) == ("forbidden", NAME)


@pytest.mark.parametrize("wants_gradient", [False, True])
def test_a_gradient_by_hand_passes(load: Load, wants_gradient: bool) -> None:
    x = torch.arange(6.0).view(2, 3)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad((leaf.softmax(-1) ** 2).sum(), leaf)
    given = x.clone().requires_grad_(wants_gradient)
    (got,) = load(BY_HAND, forbidden=(NAME,)).call([given]).results
    assert isinstance(got, torch.Tensor)
    torch.testing.assert_close(got.detach(), expected)
