"""Hidden tests of kv_cache_step: single steps, and whole texts against one causal pass."""

from __future__ import annotations

import torch

from quizapp.grader.testing import agree, draw, named, strided, unchanged

# Six different sizes: an axis taken for another one shows.
B, H, S_new, S_past, d_k, d_v = 2, 3, 4, 5, 6, 7
POSITIONS = ("B", "H", "position", "width")
OUTPUT = ("B", "H", "S_new", "d_v")


def text(seed, length, *, dtype=torch.float32, std=1.0, width=d_k, items=B):
    """Queries, keys and values of so many tokens."""
    Q = draw(seed, items, H, length, width, dtype=dtype, std=std)
    K = draw(seed + 1, items, H, length, width, dtype=dtype, std=std)
    return Q, K, draw(seed + 2, items, H, length, d_v, dtype=dtype)


def step(tokens, past, new):
    """The arguments of a step that takes `new` tokens after the first `past` ones."""
    Q, K, V = tokens
    end = past + new
    fresh = tuple(x[:, :, past:end].clone() for x in (Q, K, V))
    return *fresh, K[:, :, :past].clone(), V[:, :, :past].clone()


def reference(Q, K, V):
    """One causal pass over a whole text, in float64."""
    Q, K, V = Q.double(), K.double(), V.double()
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * Q.shape[-1] ** -0.5
    order = torch.arange(Q.shape[-2])
    scores = torch.where(order <= order[:, None], scores, -torch.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("bhqk,bhkv->bhqv", weights, V)


def compare(got, tokens, past, lead=None):
    """The cache first, to the last bit: a wrong one explains a wrong output."""
    output, K_all, V_all = got
    dtype, end = tokens[0].dtype, past + output.shape[-2]
    for name, cache, rows in (("K_all", K_all, tokens[1]), ("V_all", V_all, tokens[2])):
        kept = rows[:, :, :end].double()
        agree(cache, kept, name, POSITIONS, dtype=dtype, rtol=0.0, atol=0.0, lead=lead)
    right = reference(*(x[:, :, :end] for x in tokens))[:, :, past:]
    agree(output, right, "output", OUTPUT, dtype=dtype, lead=lead)


def agrees(submission, tokens, past, new):
    compare(submission(*step(tokens, past, new)), tokens, past)


def run(submission, tokens, *sizes):
    """A text in steps of these sizes, each with the cache that the last one gave; all outputs."""
    Q, K, V = tokens
    K_cache, V_cache, done, outputs = K[:, :, :0], V[:, :, :0], 0, []
    for size in sizes:
        fresh = (x[:, :, done : done + size].clone() for x in (Q, K, V))
        output, K_cache, V_cache = submission(*fresh, K_cache, V_cache)
        outputs.append(output)
        done += size
    return torch.cat(outputs, 2), K_cache, V_cache


@named(
    en="one new token sees the whole cache and itself",
    zh="一个新词元看到整个缓存和它自己",
)
def test_one_token(submission):
    agrees(submission, text(10, S_past + 1), S_past, 1)


@named(
    en="several new tokens see the cache, themselves and those before, none after",
    zh="几个新词元看到缓存、自己和之前的，看不到之后的",
)
def test_several_tokens(submission):
    agrees(submission, text(20, S_past + S_new), S_past, S_new)


@named(
    en="an empty cache and one token: the output is its value",
    zh="缓存为空、只有一个词元：输出就是它的值",
)
def test_first_token(submission):
    agrees(submission, text(30, 1), 0, 1)


@named(
    en="an empty cache and a whole prompt: causal attention (prefill)",
    zh="缓存为空、一整段提示：因果注意力（预填充）",
)
def test_prompt(submission):
    agrees(submission, text(40, 5), 0, 5)


@named(
    en="more new tokens than cached ones are causal too",
    zh="新词元比缓存的还多时，也是因果的",
)
def test_more_new_than_cached(submission):
    agrees(submission, text(50, 6), 2, 4)


@named(
    en="a text token by token gives what one causal pass gives",
    zh="逐个词元处理整段文本，与一次因果计算的结果相同",
)
def test_token_by_token(submission):
    tokens = text(60, 5)
    lead = (
        "A text was taken token by token, each step with the cache of the one before.",
        "逐个词元处理文本，每一步用上一步返回的缓存。",
    )
    compare(run(submission, tokens, 1, 1, 1, 1, 1), tokens, 0, lead)


@named(
    en="a prompt of 4, a chunk of 2 and one token give it too",
    zh="4 个词元的提示、2 个一块、再加 1 个，结果也相同",
)
def test_prompt_then_tokens(submission):
    tokens = text(70, 7)
    lead = (
        "A text was taken in steps of 4, 2 and 1 tokens, each with the cache of the one before.",
        "按 4、2、1 个词元分步处理文本，每一步用上一步返回的缓存。",
    )
    compare(run(submission, tokens, 4, 2, 1), tokens, 0, lead)


@named(
    en="two continuations of one cache do not disturb each other",
    zh="同一个缓存的两个后续互不影响",
)
def test_two_continuations(submission):
    one = text(80, S_past + 3)
    # The same beginning and another end, as two beams have.
    ends = [y[:, :, S_past:] for y in text(83, S_past + 3)]
    other = [torch.cat([x[:, :, :S_past], y], 2) for x, y in zip(one, ends, strict=True)]
    for past, new in ((S_past, 2), (S_past + 2, 1)):
        agrees(submission, one, past, new)
        agrees(submission, other, past, new)


@named(
    en="a later token has no influence on an earlier output",
    zh="后面的词元不影响前面的输出",
)
def test_future(submission):
    q, k, v, K_cache, V_cache = step(text(90, S_past + S_new), S_past, S_new)
    before = submission(q, k, v, K_cache, V_cache)[0][:, :, :2]
    k, v = k.clone(), v.clone()
    for seed, x in ((93, k), (94, v)):
        x[:, :, 2:] = draw(seed, *x[:, :, 2:].shape, std=3.0)
    after = submission(q, k, v, K_cache, V_cache)[0][:, :, :2]
    lead = (
        "Changing k and v of new tokens 2 and 3 changed the outputs of 0 and 1.",
        "只改动第 2、3 个新词元的 k 和 v，第 0、1 个的输出却变了。",
    )
    agree(after, before.double(), "output", OUTPUT, lead=lead)


@named(
    en="the scale follows d_k, 9 or 40, and not the length of the cache",
    zh="缩放系数随 d_k 变化（9 和 40），与缓存长度无关",
)
def test_other_widths(submission):
    agrees(submission, text(100, 4, width=9), 2, 2)
    agrees(submission, text(103, 9, width=40), 8, 1)


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, text(110, S_past + S_new, std=7.0), S_past, S_new)


@named(
    en="float64 and bfloat16 stay what they are, cache included",
    zh="float64、bfloat16 各自保持不变，缓存也是",
)
def test_dtypes(submission):
    for seed, dtype in ((120, torch.float64), (123, torch.bfloat16)):
        agrees(submission, text(seed, S_past + S_new, dtype=dtype), S_past, S_new)


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    tokens = text(130, S_past + S_new)
    compare(submission(*map(strided, step(tokens, S_past, S_new))), tokens, S_past)


@named(
    en="the cache that was given, and q, k and v, are left as they were",
    zh="传入的缓存以及 q、k、v 保持原样",
)
def test_inputs_unchanged(submission):
    submission(*step(text(140, S_past + S_new), S_past, S_new))
    unchanged(submission)


@named(
    en="another text of the same lengths gives new results",
    zh="长度相同的另一段文本，重新计算",
)
def test_no_memory(submission):
    for seed in (150, 153):
        agrees(submission, text(seed, S_past + S_new), S_past, S_new)
    agrees(submission, text(156, 9), 9 - S_new, S_new)
    agrees(submission, text(159, S_past + S_new), S_past, S_new)
