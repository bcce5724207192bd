"""A learner's attention in the lab: right numbers for a right one, and its own for a wrong one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from quizapp.lab import attention as by_hand
from quizapp.lab.engine import own as owns
from quizapp.lab.engine.failures import Refused
from quizapp.lab.engine.own import OwnAttention
from quizapp.lab.engine.runner import reports
from quizapp.lab.wire import Own
from quizapp.report import Report

RIGHT = b"""
import math, torch

def attention(Q, K, V, mask=None):
    assert Q.dim() == K.dim() == V.dim() == 4
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ V, weights
"""


def own(source: bytes) -> Own:
    return Own(name="mine.py", source=source, entry="attention")


@pytest.fixture(scope="module", autouse=True)
def _zygote_ends() -> Iterator[None]:
    yield
    while owns._zygotes:
        owns._zygotes.pop().close()


@pytest.fixture
def right() -> Iterator[OwnAttention]:
    function = OwnAttention(own(RIGHT))
    yield function
    function.close()


@pytest.mark.parametrize("lead", [(), (3,), (2, 3), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("scale", [None, 1.0, 0.125])
def test_it_stands_for_ours_at_any_shape_and_scale(
    right: OwnAttention, lead: tuple[int, ...], scale: float | None
) -> None:
    q, k, v = (torch.randn(*lead, n, 8, dtype=torch.float64) for n in (4, 5, 5))
    mask = torch.tril(torch.ones(4, 5, dtype=torch.bool))
    for given in (None, mask):
        got = right(q, k, v, scale=scale, mask=given)
        wanted = by_hand.attention(q, k, v, scale=scale, mask=given)
        for mine, theirs in zip(got, wanted, strict=True):
            torch.testing.assert_close(mine, theirs)


def test_gradients_flow_through_it(right: OwnAttention) -> None:
    q, k, v = (torch.randn(2, 4, 8, dtype=torch.float64, requires_grad=True) for _ in range(3))
    got = torch.autograd.grad(right(q, k, v, scale=0.3)[0].sum(), [q, k, v])
    wanted = torch.autograd.grad(by_hand.attention(q, k, v, scale=0.3)[0].sum(), [q, k, v])
    for mine, theirs in zip(got, wanted, strict=True):
        torch.testing.assert_close(mine, theirs)


def run(name: str, source: bytes, **params: object) -> Report:
    *_, last = reports(name, dict(params), "cpu", own=own(source))
    return last


def test_an_experiment_agrees_with_a_right_one_and_not_with_a_wrong_one() -> None:
    good = run("attention_entropy", RIGHT)
    assert good.provenance is not None
    assert good.provenance.function == "mine.py"
    assert good.cross_check is not None
    assert good.cross_check.ok
    bad = run("attention_entropy", RIGHT.replace(b" / math.sqrt(Q.shape[-1])", b""))
    assert bad.cross_check is not None
    assert not bad.cross_check.ok


def test_training_runs_through_it() -> None:
    report = run("train_scaling", RIGHT, steps=20)
    assert report.cross_check is not None
    assert report.cross_check.ok


def test_an_experiment_without_attention_says_so() -> None:
    report = run("softmax", RIGHT)
    assert report.provenance is not None
    assert report.provenance.function == ""
    assert any("its numbers are ours" in warning.to("en") for warning in report.warnings)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"def attention(:", "not valid Python"),
        (b"x = 1", "there is no function `attention`"),
        (b"def attention(*a): return 1 / 0", "ZeroDivisionError"),
        (b"def attention(Q, K, V, mask=None): return Q", "(output, weights)"),
        (b"def attention(Q, K, V, mask=None): return Q[..., :1], Q", "(output, weights)"),
        (b"import os\ndef attention(*a): os._exit(0)", "ended its process"),
    ],
)
def test_its_faults_are_named(source: bytes, said: str) -> None:
    report = run("attention_entropy", source)
    assert report.failure is not None
    assert report.failure.kind == "own"
    assert report.failure.text.languages == {"en", "zh"}
    assert said in report.failure.text.to("en")
    # The next run works.
    assert run("softmax", RIGHT).status == "final"


def test_what_is_too_large_is_refused() -> None:
    function = OwnAttention(own(RIGHT))
    q = torch.zeros(1, 1, 1, 1).expand(1, 1, 2**13, 2**12)
    with pytest.raises(Refused, match="too large"):
        function(q.contiguous(), q.contiguous(), q.contiguous())
    function.close()
