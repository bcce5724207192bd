"""What tests of exercises are written with, against plain functions that are right or wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import pytest
import torch
from torch import Tensor

from quizapp.grader.testing import (
    TOLERANCES,
    Mismatch,
    agree,
    draw,
    draw_mask,
    gradients_agree,
    gradients_flow,
    hides,
    ignores_hidden_keys,
    ignores_order_of_keys,
    ignores_the_future,
    is_only_class,
    named,
    only_class,
    results,
    rows_sum_to_1,
    same_dtype,
    strided,
    title_of,
    unchanged,
    within_hull,
)

WEIGHTS = ("B", "H", "S_q", "S_k")
AXES = dict.fromkeys(("Q", "K", "V"), ("B", "H", "S", "d"))


def attention(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The right answer, in the dtype of the inputs."""
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    weights = scores.softmax(-1)
    return weights @ V, weights


@dataclass
class Made:
    """A call of `Local`."""

    arguments: tuple[Any, ...]
    results: tuple[Tensor, ...]
    mutated: tuple[str, ...] = ()
    detached: tuple[str, ...] = ()


@dataclass
class Local:
    """A `submission` that is a plain function of this file."""

    function: Callable[..., Any]
    calls: list[Made] = field(default_factory=list)
    form: Literal["function", "class"] = "function"

    def __call__(self, *arguments: Any) -> Any:
        before = [x.detach().clone() if isinstance(x, Tensor) else x for x in arguments]
        returned = self.function(*arguments)
        changed = tuple(
            name
            for name, old, new in zip(("Q", "K", "V", "mask"), before, arguments, strict=False)
            if isinstance(old, Tensor) and not torch.equal(old, new)
        )
        got = results(returned)
        wanted = any(isinstance(x, Tensor) and x.requires_grad for x in arguments)
        names = ("output", "weights")
        cut = tuple(n for n, y in zip(names, got, strict=False) if wanted and not y.requires_grad)
        self.calls.append(Made(arguments, got, changed, cut))
        return returned

    def with_init(self, **sizes: int) -> Local:
        raise AssertionError(sizes)

    def fresh(self, *, memory_mib: int) -> Local:
        raise AssertionError(memory_mib)

    def peak_bytes(self) -> int:
        raise AssertionError("nothing here is measured")


def inputs(*, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor, Tensor]:
    return (
        draw(1, 2, 3, 4, 6, dtype=dtype),
        draw(2, 2, 3, 5, 6, dtype=dtype),
        draw(3, 2, 3, 5, 7, dtype=dtype),
    )


def caught(check: Callable[[], object]) -> Mismatch:
    with pytest.raises(Mismatch) as found:
        check()
    assert set(found.value.message) == {"en", "zh"}
    assert str(found.value) == found.value.message["en"]
    return found.value


def test_draws_are_the_same_numbers_in_every_dtype() -> None:
    exact = draw(7, 3, 4, dtype=torch.float64, std=2.0)
    assert torch.equal(draw(7, 3, 4, dtype=torch.bfloat16, std=2.0), exact.bfloat16())
    assert torch.equal(draw(7, 3, 4, std=2.0), exact.float())
    assert not torch.equal(draw(8, 3, 4, std=2.0), exact.float())
    assert 1.8 < float(draw(7, 10_000, std=2.0).std()) < 2.2


def test_a_drawn_mask_hides_some_and_leaves_each_row_one() -> None:
    mask = draw_mask(0, 50, 8)
    assert mask.any(-1).all()
    assert 0.5 < float(mask.float().mean()) < 0.7


def test_strided_keeps_values_and_changes_the_order_in_memory() -> None:
    x = draw(0, 2, 3, 4)
    assert torch.equal(strided(x), x)
    assert not strided(x).is_contiguous()


def test_agreement_is_silent() -> None:
    expected = draw(0, 2, 3, 4, 5, dtype=torch.float64)
    for dtype in TOLERANCES:
        agree(expected.to(dtype), expected, dtype=dtype)


def test_the_worst_value_is_named_with_its_axes() -> None:
    expected = torch.full((2, 3, 4, 5), 0.5, dtype=torch.float64)
    got = expected.float()
    got[0, 1, 2, 3], got[1, 0, 0, 0] = 0.25, 0.6251
    found = caught(lambda: agree(got, expected, "output", WEIGHTS))
    assert found.kind == "wrong"
    assert found.message == {
        "en": "output: 2 of 120 values differ, largest at [b=0, h=1, q=2, k=3]: "
        "got 0.25, expected 0.5",
        "zh": "output：120 个值中有 2 个不同，最大在 [b=0, h=1, q=2, k=3]：得到 0.25，应为 0.5",
    }
    assert found.pictures == ()


def test_weights_that_differ_tell_of_rows_and_hidden_places_and_are_drawn() -> None:
    mask = draw_mask(4, 2, 3, 4, 5)
    Q, K, V = inputs()
    _, right = attention(Q.double(), K.double(), V.double(), mask)
    _, wrong = attention(Q, K, V)
    wrong = wrong * 1.5
    found = caught(lambda: agree(wrong, right, "weights", WEIGHTS))
    first, rows, hidden = found.message["en"].splitlines()
    assert first.startswith("weights: 120 of 120 values differ, largest at [b=")
    assert rows.startswith("weights: 24 of 24 rows do not sum to 1, worst at [b=")
    assert rows.endswith("]: 1.5")
    assert hidden.startswith("weights: hidden positions get weight, most at [b=")
    assert len(found.message["zh"].splitlines()) == 3
    yours, expected = found.pictures
    assert (yours.id, expected.id) == ("got", "expected")
    assert len(yours.values) == 4
    assert len(yours.values[0]) == 5
    assert yours.low == expected.low == 0
    assert yours.high == expected.high >= 1


def test_as_many_digits_as_it_takes() -> None:
    got = torch.tensor([[0.25000123]], dtype=torch.float64)
    expected = torch.tensor([[0.25]], dtype=torch.float64)
    found = caught(lambda: agree(got, expected, "y", ("B", "S"), dtype=torch.float64))
    assert str(found).endswith("got 0.250001, expected 0.25")


def test_dtype_comes_before_values_and_nan_before_differences() -> None:
    expected = torch.zeros(2, 3, dtype=torch.float64)
    found = caught(lambda: agree(expected, expected, "y", ("B", "S")))
    assert str(found) == "y is float64, expected float32 as the inputs"
    got = torch.full((2, 3), 7.0)
    got[1, 2], got[1, 1] = math.nan, -math.inf
    found = caught(lambda: agree(got, expected, "y", ("B", "S")))
    assert str(found) == "y: 2 of 6 values are NaN or infinite, first -inf at [b=1, s=1]"


def test_a_shape_is_told_by_its_axes() -> None:
    found = caught(lambda: agree(torch.zeros(3, 2), torch.zeros(2, 3), "y", ("B", "S_q")))
    assert str(found) == "y has the shape (3, 2), expected (B=2, S_q=3)"


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_the_textbook_in_each_dtype_stays_within_its_tolerance(dtype: torch.dtype) -> None:
    for seed in range(20):
        Q, K, V = (draw(3 * seed + i, 2, 3, 4, 6, dtype=dtype) for i in range(3))
        right, weights = attention(Q.double(), K.double(), V.double())
        got = attention(Q, K, V)
        agree(got[0], right, dtype=dtype)
        agree(got[1], weights, "weights", WEIGHTS, dtype=dtype)


def test_laws_hold_for_attention() -> None:
    Q, K, V = inputs()
    submission, mask = Local(attention), draw_mask(5, 2, 1, 1, 5)
    output, weights = attention(Q, K, V, mask)
    rows_sum_to_1(weights)
    hides(weights, mask)
    within_hull(output, V)
    ignores_order_of_keys(submission, Q, K, V)
    ignores_hidden_keys(submission, Q, K, V, mask)
    S = draw(9, 2, 3, 6, 4)
    ignores_the_future(submission, S, S, S, torch.ones(6, 6).tril())
    unchanged(submission)


def test_each_law_refuses_what_breaks_it() -> None:
    Q, K, V = inputs()
    _, weights = attention(Q, K, V)
    mask = draw_mask(5, 2, 1, 1, 5)
    assert "rows do not sum to 1" in str(caught(lambda: rows_sum_to_1(weights * 2)))
    assert "negative" in str(
        caught(lambda: rows_sum_to_1(2 * weights - weights.mean(-1, keepdim=True)))
    )
    assert "hidden positions" in str(caught(lambda: hides(weights, mask)))
    assert "no average" in str(caught(lambda: within_hull(3 * (weights @ V), V)))

    def in_order(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None) -> Tensor:
        return attention(Q, K, V * torch.arange(5)[:, None])[0]

    found = caught(lambda: ignores_order_of_keys(Local(in_order), Q, K, V))
    assert str(found).startswith("Permuting the keys together with their values changed")

    def unmasked(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> Tensor:
        return attention(Q, K, V)[0]

    found = caught(lambda: ignores_hidden_keys(Local(unmasked), Q, K, V, mask))
    assert str(found).startswith("Changing only hidden keys and values changed the output.")
    S = draw(9, 2, 3, 6, 4)
    found = caught(lambda: ignores_the_future(Local(attention), S, S, S))
    assert "from position 3 on changed earlier outputs" in str(found)


def test_gradients_of_attention_agree_in_both_precisions() -> None:
    for dtype in (torch.float64, torch.float32):
        Q, K, V = inputs(dtype=dtype)
        named_inputs = {"Q": Q, "K": K, "V": V}
        gradients_agree(Local(attention), attention, named_inputs, axes=AXES)
        gradients_flow(Local(attention), named_inputs)


def test_gradients_that_are_cut_or_wrong_are_told_apart() -> None:
    Q, K, V = inputs(dtype=torch.float64)
    named_inputs = {"Q": Q, "K": K, "V": V}

    def check(function: Callable[..., Any]) -> Mismatch:
        return caught(lambda: gradients_agree(Local(function), attention, named_inputs, axes=AXES))

    found = check(lambda Q, K, V: (attention(Q, K, V)[0], attention(Q, K, V)[1].detach()))
    assert found.kind == "no-grad"
    assert str(found).startswith("no gradient leaves weights")
    found = check(lambda Q, K, V: attention(Q.detach(), K, V))
    assert (found.kind, str(found)) == ("no-grad", "no gradient reaches Q")
    found = check(lambda Q, K, V: attention(Q, K, 2 * V - V.detach()))
    assert found.kind == "wrong"
    assert str(found).startswith("∂/∂V: 210 of 210 values differ")
    found = caught(lambda: gradients_flow(Local(lambda x: x.abs().sqrt()), {"x": torch.zeros(3)}))
    assert str(found) == "∂/∂x: 3 of 3 values are NaN or infinite"


def test_a_change_in_place_is_told_by_name() -> None:
    def scaled(Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
        Q /= math.sqrt(Q.shape[-1])
        return attention(Q, K, V)

    submission = Local(scaled)
    submission(*inputs())
    found = caught(lambda: unchanged(submission))
    assert (found.kind, str(found)) == (
        "mutates-input",
        "the call changed its input in place: Q",
    )


def test_dtypes_without_a_tolerance_are_told() -> None:
    found = caught(lambda: rows_sum_to_1(torch.ones(1, 1, 1, 1, dtype=torch.int64)))
    assert str(found) == "weights is int64, expected a real floating-point dtype"
    found = caught(lambda: same_dtype(torch.ones(1, dtype=torch.bool), torch.float32))
    assert str(found) == "output is bool, expected float32 as the inputs"


FILLS = (math.nan, math.inf, -math.inf, 1e300, -1e300, 1.79e308, 0.0, -0.5, 5e-324)
DTYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
)  # fmt: skip


def filled(full: Tensor, right: Tensor) -> Tensor:
    return full.expand(right.shape).clone()


def one_column(full: Tensor, right: Tensor) -> Tensor:
    changed = right.detach().to(full.dtype).clone()
    changed[..., 0] = full
    return changed


def cast(dtype: torch.dtype, right: Tensor) -> Tensor:
    return right.to(dtype)


def strange() -> Iterator[Callable[[Tensor], Tensor]]:
    """What a hostile worker might send in place of a result of the right shape."""
    for fill in FILLS:
        for dtype in (torch.float32, torch.float64):
            full = torch.full((1,), fill, dtype=torch.float64).to(dtype)
            yield partial(filled, full)
            yield partial(one_column, full)
    for dtype in DTYPES:
        yield partial(filled, torch.ones(1, dtype=dtype))
        yield partial(cast, dtype)


def every_helper(change: Callable[[Tensor], Tensor]) -> Iterator[Callable[[], object]]:
    """Each check, on a submission whose results are changed every time or every other time."""
    Q, K, V = inputs()
    mask, S, causal = draw_mask(5, 2, 1, 1, 5), draw(9, 2, 3, 6, 4), torch.ones(6, 6).tril()
    output, weights = (change(y) for y in attention(Q, K, V))
    right, right_weights = attention(Q.double(), K.double(), V.double())
    yield lambda: agree(output, right)
    yield lambda: agree(weights, right_weights, "weights", WEIGHTS)
    if output.dtype in TOLERANCES:
        yield lambda: agree(output, right, dtype=output.dtype)
    yield lambda: rows_sum_to_1(weights)
    yield lambda: hides(weights, mask)
    yield lambda: within_hull(output, V)
    tensors = {"Q": Q, "K": K, "V": V}
    for period in (1, 2):
        submission = Local(_now_and_then(change, period))
        yield partial(ignores_order_of_keys, submission, Q, K, V)
        yield partial(ignores_hidden_keys, submission, Q, K, V, mask)
        yield partial(ignores_the_future, submission, S, S, S, causal)
        yield partial(gradients_flow, submission, tensors)
        yield partial(gradients_flow, submission, tensors)
        yield partial(gradients_agree, submission, attention, tensors, axes=AXES)
        yield partial(gradients_agree, submission, attention, tensors, axes=AXES)


def _now_and_then(change: Callable[[Tensor], Tensor], period: int) -> Callable[..., Any]:
    turns = itertools.count(1)

    def function(*arguments: Tensor) -> tuple[Tensor, ...]:
        got = attention(*arguments)
        return got if next(turns) % period else tuple(change(y) for y in got)

    return function


@pytest.mark.parametrize("change", list(strange()))
def test_whatever_numbers_arrive_a_helper_is_silent_or_says_why(
    change: Callable[[Tensor], Tensor],
) -> None:
    told = 0
    for check in every_helper(change):
        try:
            check()
        except Mismatch as found:
            told += bool(found.message["en"]) and bool(found.message["zh"])
    assert told or change(torch.tensor([0.3, 0.4])).tolist() == pytest.approx([0.3, 0.4])


def test_names_and_marks() -> None:
    @named(en="rows sum to 1", zh="每行之和为 1")
    @only_class
    def test_rows() -> None: ...

    def test_no_name() -> None: ...

    assert title_of(test_rows).to("zh") == "每行之和为 1"
    assert title_of(test_no_name).to("en") == "no name"
    assert is_only_class(test_rows)
    assert not is_only_class(test_no_name)
