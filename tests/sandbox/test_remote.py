"""A function in a worker behaves as it would here, and what goes wrong there has a name here."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
import torch

from quizapp.sandbox.confinement import Limits
from quizapp.sandbox.host import Fault, Zygote
from quizapp.sandbox.proxy import Foreign, Remote

Load = Callable[..., Remote]

ATTENTION = """
import math, torch

def f(q, k, v):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights
"""


def fault_of(load: Load, source: str) -> Fault:
    """What goes wrong when the source is loaded and its `f` called."""
    with pytest.raises(Fault) as caught:
        load(source).call([torch.ones(2, 2)])
    return caught.value


def test_results_and_gradients_are_those_of_the_function(load: Load) -> None:
    q, k, v = (torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True) for _ in range(3))
    answer = load(ATTENTION).call([q, k, v])
    weights = torch.softmax(q @ k.mT / 2.0, dim=-1)
    expected = (weights @ v, weights)
    results = [value for value in answer.results if isinstance(value, torch.Tensor)]
    for got, wanted in zip(results, expected, strict=True):
        torch.testing.assert_close(got, wanted)
    seeds = [torch.randn_like(value) for value in expected]
    got_gradients = torch.autograd.grad(results, [q, k, v], seeds)
    wanted_gradients = torch.autograd.grad(expected, [q, k, v], seeds)
    for got, wanted in zip(got_gradients, wanted_gradients, strict=True):
        torch.testing.assert_close(got, wanted)


def test_a_class_is_constructed_once_per_set_of_values(load: Load) -> None:
    remote = load(
        "import torch\nclass F(torch.nn.Module):\n"
        "    def __init__(self, d_k):\n"
        "        super().__init__()\n"
        "        self.d, self.n = d_k, 0\n"
        "    def forward(self, x):\n        self.n += 1\n        return x * self.d + self.n\n"
    )
    assert remote.form == "class"
    seen = [remote.call([torch.ones(1)], init=[d]).results[0] for d in (3, 3, 5)]
    assert seen == [torch.tensor([value]) for value in (4.0, 5.0, 6.0)]


def test_changes_in_place_and_detached_results_are_told(load: Load) -> None:
    remote = load("def f(x, y):\n    y += 1\n    return x * 2, (x * y).detach()\n")
    for wants in (False, True):
        x, y = (torch.ones(2, requires_grad=wants) for _ in range(2))
        answer = remote.call([x, y])
        assert answer.mutated == (1,)
        assert answer.detached == ((1,) if wants else ())
        assert torch.equal(y, torch.ones(2))


def test_what_is_no_tensor_is_named(load: Load) -> None:
    answer = load("def f(x):\n    return x, None, {}, x.to_sparse(), x + 1j\n").call(
        [torch.ones(2)]
    )
    assert answer.several
    kinds = [value.what for value in answer.results if isinstance(value, Foreign)]
    assert kinds[:2] == ["NoneType", "dict"]
    assert "sparse" in kinds[2]
    assert "complex64" in kinds[3]


def test_a_view_of_four_tebibytes_costs_nothing(load: Load) -> None:
    (result,) = (
        load("def f(x):\n    return x[:1, :1].expand(1 << 20, 1 << 20)\n")
        .call([torch.ones(2, 2)])
        .results
    )
    assert isinstance(result, Foreign)
    assert result.shape == (1 << 20, 1 << 20)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def f(x): return 1 / 0", "exception"),
        ("def f(x) return x", "syntax"),
        ("x = '\\0'\n\0", "syntax"),
        ("x = " + "(" * 1000 + ")" * 1000, "syntax"),
        ("def g(x): return x", "missing-function"),
        ("f = 3", "missing-function"),
        ("import os; os._exit(0)", "exit"),
        ("raise SystemExit(0)", "exit"),
        ("import os; os.abort()", "crash"),
        ("import ctypes; ctypes.string_at(0)", "crash"),
        ("x = [bytearray(1 << 26) for _ in range(1000)]", "memory"),
        ("def f(x): return x.new_zeros(1 << 34)", "memory"),
        ("while True: print('x' * 100_000)", "output-flood"),
        ("import os; os.write(3, b'x' * 64)\ndef f(x): return x", "protocol"),
        ("import os; os.close(3)\ndef f(x): return x", "protocol"),
        ("open('/etc/passwd')", "exception"),
        ("import os; os.stat('/')", "exception"),
        ("import os; os.listdir('.')", "exception"),
        ("import socket; socket.socket()", "exception"),
        ("import os; os.fork()", "exception"),
        ("import os; os.kill(os.getppid(), 9)", "exception"),
        ("import os; os.execv('/bin/true', ['true'])", "exception"),
    ],
)
def test_what_goes_wrong_has_a_kind(load: Load, source: str, kind: str) -> None:
    assert fault_of(load, source).kind == kind


def test_an_endless_loop_ends_at_the_deadline(zygote: Zygote) -> None:
    remote = Remote(zygote.fork(), seconds=0.2)
    with pytest.raises(Fault) as caught:
        remote.load(b"while True: pass", "f", None, [])
    assert caught.value.kind == "timeout"
    assert not os.path.exists(f"/proc/{remote.worker.pid}")  # noqa: PTH110


def test_an_error_names_its_own_line(load: Load) -> None:
    fault = fault_of(load, "def f(x):\n    y = x.sum()\n    return y @ x\n")
    assert fault.facts["type"] == "RuntimeError"
    assert fault.facts["line"] == 3
    assert fault.facts["code"] == "return y @ x"


@pytest.mark.parametrize(
    "source",
    [
        "import torch.nn.functional as F\ndef f(x): return F.scaled_dot_product_attention(x, x, x)",
        "from torch.nn.functional import scaled_dot_product_attention as s\n"
        "def f(x): return s(x, x, x)",
        "import torch\ng = getattr(torch.nn.functional, 'scaled_dot_' + 'product_attention')\n"
        "def f(x): return g(x, x, x)",
        "import torch\nop = getattr(torch.ops.aten, 'scaled_dot_' + 'product_attention')\n"
        "def f(x):\n"
        "    try:\n        return op(x[None], x[None], x[None])\n"
        "    except Exception:\n        return x",
    ],
)
def test_a_forbidden_function_is_found_by_any_name(load: Load, source: str) -> None:
    name = "torch.nn.functional.scaled_dot_product_attention"
    with pytest.raises(Fault) as caught:
        load(source, forbidden=(name,)).call([torch.ones(2, 2)])
    assert caught.value.kind == "forbidden"
    assert caught.value.facts["name"] == name


def test_one_worker_leaves_nothing_to_the_next(load: Load) -> None:
    load(
        "import torch\ntorch.softmax = None\n"
        "torch.set_default_dtype(torch.float64)\ndef f(x): return x"
    )
    (result,) = (
        load("import torch\ndef f(x): return torch.softmax(torch.ones(2), 0)")
        .call([torch.ones(1)])
        .results
    )
    assert isinstance(result, torch.Tensor)
    assert result.dtype == torch.float32


def test_memory_is_bounded_and_its_peak_told(zygote: Zygote) -> None:
    peaks = []
    for rows in (1, 16_000_000):
        remote = Remote(zygote.fork(Limits(memory=96 * 2**20)), 20.0)
        remote.load(b"import torch\ndef f(x): return torch.ones(x).sum()", "f", None, [])
        remote.call([rows])
        peaks.append(remote.worker.end()["peak"])
    # Sixteen million float32, less what the first call had left free.
    assert 50e6 < peaks[1] - peaks[0] < 75e6
    remote = Remote(zygote.fork(Limits(memory=64 * 2**20)), 20.0)
    remote.load(b"import torch\ndef f(x): return torch.ones(x).sum()", "f", None, [])
    with pytest.raises(Fault) as caught:
        remote.call([40_000_000])
    assert caught.value.kind == "memory"
    remote.worker.end()


def test_what_is_printed_is_kept(load: Load) -> None:
    remote = load(
        "import sys\nprint('[bold]', '\\x1b[31m')\nprint('err', file=sys.stderr)\n"
        "def f(x): return x"
    )
    remote.worker.end()
    assert remote.worker.output == "[bold] \x1b[31m\nerr\n"
