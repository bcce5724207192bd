"""Hidden tests of online_softmax: a step from a known state, whole passes, and laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    Mismatch,
    agree,
    draw,
    draw_mask,
    named,
    strided,
    unchanged,
)

# Sizes that differ: an axis taken for another one shows.
B, H, S_q, S_c, d_v = 2, 3, 4, 5, 6
ROWS, OUTPUT = ("B", "H", "S_q"), ("B", "H", "S_q", "d_v")
HIDDEN = -torch.inf


def chunk(seed, size=S_c, *, dtype=torch.float32, std=1.0, shift=0.0):
    """Scores and values of one chunk."""
    scores = draw(seed, B, H, S_q, size, std=std) + shift
    return scores.to(dtype), draw(seed + 1, B, H, size, d_v, dtype=dtype)


def reference(*chunks):
    """output, m and l over all the chunks at once, in float64; a row without keys is 0."""
    scores = torch.cat([scores.double() for scores, _ in chunks], -1)
    V = torch.cat([V.double() for _, V in chunks], -2)
    m = scores.amax(-1)
    empty = m == HIDDEN
    p = (scores - torch.where(empty, 0.0, m)[..., None]).exp()
    l = p.sum(-1)
    return (p @ V) / torch.where(empty, 1.0, l)[..., None], m, l


def state(*chunks):
    """What lies behind these chunks, right, in the dtype a state has."""
    dtype = torch.promote_types(chunks[0][0].dtype, torch.float32)
    return tuple(x.to(dtype) for x in reference(*chunks))


def compare(got, right, dtype=torch.float32, *lead):
    """m first, then l, then the output: each rests on the one before."""
    kept = torch.promote_types(dtype, torch.float32)
    for name, x in zip(("output", "m", "l"), got, strict=True):
        if x.dtype != kept:
            is_, be = (str(d).removeprefix("torch.") for d in (x.dtype, kept))
            raise Mismatch(
                "wrong",
                en=f"{name} is {is_}, expected {be}: the state is kept in it",
                zh=f"{name} 的 dtype 是 {is_}，应为 {be}：状态用它保存",
            )
    output, m, l = got
    right_output, right_m, right_l = right
    nothing = (right_m == HIDDEN) & (m.detach() == HIDDEN)
    m, right_m = (x.masked_fill(nothing, 0.0) for x in (m.detach(), right_m))
    if (right_m == HIDDEN).any():
        wrong, first = right_m == HIDDEN, float(m[right_m == HIDDEN][0])
        raise Mismatch(
            "wrong",
            en=f"m: {first:.4g} in {int(wrong.sum())} rows without a visible key, expected -inf",
            zh=f"m：{int(wrong.sum())} 行没有可见的键，却得到 {first:.4g}，应为 -inf",
        )
    said = lead or None
    agree(m, right_m, "m", ROWS, dtype=kept, lead=said)
    agree(l, right_l, "l", ROWS, dtype=kept, lead=said)
    agree(output, right_output, "output", OUTPUT, dtype=kept, lead=said)


def agrees(submission, new, *before):
    """One step from the right state, so that its numbers are its own."""
    got = submission(*new, *state(*before)) if before else submission(*new)
    compare(got, reference(*before, new), new[0].dtype)


def folded(submission, chunks):
    """Every chunk in turn, each step from the state of the last."""
    got = ()
    for new in chunks:
        got = submission(*new, *got)
    return got


@named(
    en="the first chunk alone gives its softmax, its maximum and its sum",
    zh="只有第一块时，得到它的 softmax、最大值与和",
)
def test_first_chunk(submission):
    agrees(submission, chunk(10))


@named(
    en="a second chunk joins the first, as if both had come at once",
    zh="第二块并入第一块，如同两块一起到来",
)
def test_second_chunk(submission):
    agrees(submission, chunk(20), chunk(22, 3))


@named(
    en="it is right whether the new chunk raises the maximum or not",
    zh="新的一块抬高最大值或不抬高，结果都正确",
)
def test_rising_and_falling(submission):
    agrees(submission, chunk(30, shift=4.0), chunk(32))
    agrees(submission, chunk(34, shift=-4.0), chunk(36))


@named(
    en="a pass over chunks of 1, 4 and 2 gives attention over all 7 keys",
    zh="依次经过 1、4、2 个键的三块，得到全部 7 个键的注意力",
)
def test_whole_pass(submission):
    chunks = chunk(40, 1), chunk(42, 4), chunk(44, 2)
    compare(folded(submission, chunks), reference(*chunks))


@named(en="the order of the chunks does not matter", zh="各块的先后顺序不影响结果")
def test_order(submission):
    one, other = chunk(50), chunk(52, 3, shift=2.0)
    before, after = (folded(submission, chunks) for chunks in ((one, other), (other, one)))
    compare(
        after,
        [x.detach().double() for x in before],
        torch.float32,
        "Two chunks in the other order gave another result.",
        "两块换了顺序，结果变了。",
    )


@named(
    en="m is the maximum also where all scores are far below 0",
    zh="所有分数都远小于 0 时，m 仍是最大值",
)
def test_negative_scores(submission):
    agrees(submission, chunk(60, shift=-30.0))
    agrees(submission, chunk(62, shift=-30.0), chunk(64, shift=-33.0))


@named(en="scores of thousands leave no NaN", zh="分数达到几千时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, chunk(70, std=300.0), chunk(72, std=300.0))
    agrees(submission, chunk(78, shift=-1000.0), chunk(80, shift=1000.0))


@named(en="a key whose score is −inf counts for nothing", zh="分数为 −inf 的键不起任何作用")
def test_hidden_keys(submission):
    scores, V = chunk(90)
    scores = scores.masked_fill(~draw_mask(92, B, H, S_q, S_c), HIDDEN)
    agrees(submission, (scores, V), chunk(93))


@named(
    en="a chunk that is −inf throughout changes nothing, the first one neither",
    zh="整块都是 −inf 时什么也不变，第一块也不例外",
)
def test_hidden_chunks(submission):
    visible, (scores, V) = chunk(100), chunk(102)
    hidden = torch.full_like(scores, HIDDEN), V
    agrees(submission, hidden, visible)
    agrees(submission, hidden)
    agrees(submission, visible, hidden)


@named(
    en="one query and a chunk of one key work (decoding)", zh="一个查询、一块一个键也正确（解码）"
)
def test_one_key(submission):
    new, before = ((x[:1, :1, :1], V[:1, :1]) for x, V in (chunk(110, 1), chunk(112)))
    agrees(submission, new, before)


@named(en="float64 stays float64 and is as precise", zh="float64 输入得到 float64，且精度相当")
def test_float64(submission):
    before = chunk(120, dtype=torch.float64)
    agrees(submission, before)
    agrees(submission, chunk(122, dtype=torch.float64), before)


@named(
    en="half-precision chunks have a float32 state, in which 256 + 1 is 257",
    zh="半精度的块配 float32 的状态：256 + 1 等于 257",
)
def test_half(submission):
    for seed, dtype in ((130, torch.bfloat16), (140, torch.float16)):
        agrees(submission, chunk(seed, dtype=dtype), chunk(seed + 2, dtype=dtype))
    # 256 keys of score 0 and one more: in bfloat16 the sum stays at 256.
    many, one = ((torch.zeros(1, 1, 1, n), draw(150 + n, 1, 1, n, d_v)) for n in (256, 1))
    agrees(submission, tuple(x.bfloat16() for x in one), tuple(x.bfloat16() for x in many))


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    new, before = chunk(160), chunk(162)
    kept = [strided(x) for x in state(before)]
    compare(submission(*map(strided, new), *kept), reference(before, new))


@named(
    en="two passes that take turns do not disturb each other, nor the states given",
    zh="两遍交替进行互不干扰，也不改动传入的状态",
)
def test_passes_apart(submission):
    streams = [(chunk(seed), chunk(seed + 2)) for seed in (170, 174)]
    starts = [submission(*first) for first, _ in streams]
    ends = [submission(*second, *got) for (_, second), got in zip(streams, starts, strict=True)]
    for stream, got in zip(streams, ends, strict=True):
        compare(got, reference(*stream))
    unchanged(submission)


def gradients(submission, chunks):
    """Those of a weighted sum of the last output, at all scores and values, are the reference's."""
    names = [f"{x}{i}" for i in "₁₂"[: len(chunks)] for x in ("scores", "V")]
    axes = [("B", "H", "S_q", "S_c"), ("B", "H", "S_c", "d_v")] * len(chunks)
    probe = draw(0, B, H, S_q, d_v, dtype=torch.float64)
    found = []
    for run in (lambda pairs: folded(submission, pairs), lambda pairs: reference(*pairs)):
        leaves = [x.clone().requires_grad_() for pair in chunks for x in pair]
        output = run(list(zip(leaves[::2], leaves[1::2], strict=True)))[0]
        if not output.requires_grad:
            raise Mismatch("no-grad", en="the output has no gradient", zh="output 没有梯度")
        total = (output * probe.to(output.dtype)).sum()
        found.append(torch.autograd.grad(total, leaves, allow_unused=True))
    for name, axis, mine, right in zip(names, axes, *found, strict=True):
        if mine is None:
            raise Mismatch("no-grad", en=f"no gradient reaches {name}", zh=f"梯度到不了 {name}")
        agree(mine, right, f"∂/∂{name}", axis, dtype=torch.float64, rtol=1e-5, atol=1e-6)


@named(
    en="gradients reach the scores and values of every chunk",
    zh="梯度传到每一块的分数和值",
)
def test_gradients(submission):
    gradients(submission, [chunk(s, dtype=torch.float64) for s in (180, 182)])


@named(
    en="behind a hidden chunk gradients are finite, and 0 at what is hidden",
    zh="经过整块隐藏的块，梯度仍有限，隐藏处为 0",
)
def test_gradients_of_hidden_chunks(submission):
    scores, V = chunk(190, dtype=torch.float64)
    hidden = torch.full_like(scores, HIDDEN), V
    gradients(submission, [hidden, chunk(192, dtype=torch.float64)])
