"""Hidden tests of attention_backward, against float64 autograd of the formula and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    TOLERANCES,
    Mismatch,
    agree,
    draw,
    draw_mask,
    named,
    strided,
    unchanged,
)

# Six different sizes: an axis taken for another one shows.
B, H, S_q, S_k, d_k, d_v = 2, 3, 4, 5, 6, 7
NAMES = ("dQ", "dK", "dV")
AXES = {
    "dQ": ("B", "H", "S_q", "d_k"),
    "dK": ("B", "H", "S_k", "d_k"),
    "dV": ("B", "H", "S_k", "d_v"),
}


def inputs(seed, queries=S_q, *, dtype=torch.float32, std=1.0, width=d_k):
    Q = draw(seed, B, H, queries, width, dtype=dtype, std=std)
    K = draw(seed + 1, B, H, S_k, width, dtype=dtype, std=std)
    V = draw(seed + 2, B, H, S_k, d_v, dtype=dtype)
    return Q, K, V, draw(seed + 3, B, H, queries, d_v, dtype=dtype)


def reference(Q, K, V, dO, mask=None):
    """What autograd makes of the forward formula, in float64."""
    given = [x.detach().double().requires_grad_() for x in (Q, K, V)]
    with torch.enable_grad():
        scores = torch.einsum("bhqd,bhkd->bhqk", *given[:2]) * Q.shape[-1] ** -0.5
        if mask is not None:
            scores = torch.where(mask != 0, scores, -torch.inf)
        weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
        output = torch.einsum("bhqk,bhkv->bhqv", weights, given[2])
    return torch.autograd.grad(output, given, dO.double())


def compare(got, right, dtype, *, lead=None):
    """dV first: it is wrong only where the weights are; dQ and dK rest on them as well."""
    # A gradient adds up more rounded terms than a result.
    relative, absolute = (2 * allowed for allowed in TOLERANCES[dtype])
    for name, mine, theirs in sorted(
        zip(NAMES, got, right, strict=True), key=lambda x: x[0] != "dV"
    ):
        agree(mine, theirs, name, AXES[name], dtype=dtype, rtol=relative, atol=absolute, lead=lead)


def agrees(submission, *arguments):
    compare(submission(*arguments), reference(*arguments), arguments[0].dtype)


@named(
    en="without a mask, dQ, dK and dV are the gradients of the formula",
    zh="没有掩码时，dQ、dK、dV 是公式的梯度",
)
def test_formula(submission):
    agrees(submission, *inputs(10))


@named(
    en="with as many queries as keys they are right too",
    zh="查询与键一样多时也正确",
)
def test_square(submission):
    # Here a transpose that is missing leaves every shape as it should be.
    agrees(submission, *inputs(20, S_k))


@named(en="the scale follows d_k, 9 or 40", zh="缩放系数随 d_k 变化：9 和 40")
def test_other_widths(submission):
    agrees(submission, *inputs(30, width=9))
    agrees(submission, *inputs(34, width=40))


@named(
    en="the sum of two dO has the sum of both gradients",
    zh="两个 dO 之和，梯度也是两者之和",
)
def test_linear_in_do(submission):
    Q, K, V, dO = inputs(40)
    other = draw(44, *dO.shape)
    one, two = submission(Q, K, V, dO), submission(Q, K, V, other)
    both = [x.double() + y.double() for x, y in zip(one, two, strict=True)]
    lead = (
        "Added up, two dO should have the gradients of each, added up.",
        "两个 dO 相加，梯度应等于各自的梯度相加。",
    )
    compare(submission(Q, K, V, dO + other), both, torch.float32, lead=lead)


@named(
    en="dK sums to 0 over the keys: shifting all keys alike changes no output",
    zh="dK 对键求和为 0：所有键平移同一向量，输出不变",
)
def test_shifted_keys(submission):
    _, dK, _ = submission(*inputs(50), draw_mask(54, B, H, S_q, S_k))
    total = dK.double().sum(-2)
    agree(total.float(), torch.zeros_like(total), "Σ_k dK", ("B", "H", "d_k"), atol=5e-5)


@named(
    en="dV sums over the keys to what dO sums to over the queries",
    zh="dV 对键求和，等于 dO 对查询求和",
)
def test_shifted_values(submission):
    Q, K, V, dO = inputs(60)
    _, _, dV = submission(Q, K, V, dO, draw_mask(64, B, H, S_q, S_k))
    agree(dV.double().sum(-2).float(), dO.double().sum(-2), "Σ_k dV", ("B", "H", "d_v"), atol=5e-5)


@named(en="a bool mask hides where it is False", zh="bool 掩码在 False 处隐藏")
def test_bool_mask(submission):
    agrees(submission, *inputs(70), draw_mask(74, B, H, S_q, S_k))


@named(en="0 and 1 as integers or floats hide the same", zh="用整数或浮点数写的 0 和 1 效果相同")
def test_number_masks(submission):
    mask = draw_mask(84, B, H, S_q, S_k)
    agrees(submission, *inputs(80), mask.long())
    agrees(submission, *inputs(80), mask.float())


@named(
    en="a causal mask and a padding mask broadcast",
    zh="因果掩码和填充掩码都能广播",
)
def test_broadcast_masks(submission):
    agrees(submission, *inputs(90, S_k), torch.ones(S_k, S_k).tril().bool())
    agrees(submission, *inputs(94), draw_mask(98, B, 1, 1, S_k))


@named(
    en="a key that no query sees has the gradient 0, and its value too",
    zh="没有查询能看到的键，梯度为 0，它的值也是",
)
def test_hidden_key(submission):
    mask = torch.ones(S_k, dtype=torch.bool)
    mask[2] = False
    _, dK, dV = submission(*inputs(100), mask)
    for name, gradient in (("dK", dK), ("dV", dV)):
        agree(gradient[..., 2, :], torch.zeros_like(gradient[..., 2, :]).double(), name)


@named(
    en="queries that see one key each have dQ = dK = 0: their weight stays 1",
    zh="每个查询只看到一个键时，dQ = dK = 0：权重恒为 1",
)
def test_one_key_each(submission):
    agrees(submission, *inputs(110, S_k), torch.eye(S_k)[[2, 0, 3, 1, 4]].bool())


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, *inputs(120, std=7.0))


@named(
    en="float64 and bfloat16 stay what they are",
    zh="float64、bfloat16 各自保持不变",
)
def test_dtypes(submission):
    for seed, dtype in ((130, torch.float64), (134, torch.bfloat16)):
        agrees(submission, *inputs(seed, dtype=dtype), draw_mask(138, B, H, S_q, S_k))


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    views = [strided(x) for x in inputs(140)]
    agrees(submission, *views, strided(draw_mask(144, B, H, S_q, S_k)))


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(*inputs(150), draw_mask(154, B, H, S_q, S_k).float())
    unchanged(submission)


@named(en="the same shapes with new numbers give new results", zh="形状相同、数据不同时，重新计算")
def test_no_memory(submission):
    mask = draw_mask(168, B, H, S_q, S_k)
    agrees(submission, *inputs(160), mask)
    agrees(submission, *inputs(164), ~mask | mask.roll(1, -1))


@named(
    en="the gradients are plain tensor operations: they can be differentiated again",
    zh="梯度由普通的张量运算得出：可以再次求导",
)
def test_graph(submission):
    submission(*(x.requires_grad_() for x in inputs(170)))
    cut = submission.calls[-1].detached
    if cut:
        listed = ", ".join(cut)
        raise Mismatch(
            "no-grad",
            en=f"no gradient leaves {listed}: made by autograd, or cut off by no_grad(), detach()",
            zh=f"{listed} 没有梯度：由自动求导得出，或被 no_grad()、detach() 切断了",
        )
