import torch


def online_softmax(scores, V, output=None, m=None, l=None):
    # en The state outlives thousands of chunks, so it is float32 at least: a bfloat16 sum
    # en stops growing at 256, where adding 1 rounds back to 256.
    # zh 状态要经历成千上万块，所以至少用 float32：bfloat16 的和到 256 就不再增长，
    # zh 再加 1 会舍入回 256。
    dtype = torch.promote_types(scores.dtype, torch.float32)
    scores, V = scores.to(dtype), V.to(dtype)

    if m is None:
        # en Nothing seen yet: the maximum of no scores is −inf, their sum 0. Starting m at 0
        # en would make every row pretend it had seen a score of 0.
        # zh 还什么都没看到：没有分数时最大值是 −inf，和是 0。
        # zh 若 m 从 0 开始，每一行就好像见过一个为 0 的分数。
        m = torch.full(scores.shape[:-1], -torch.inf, dtype=dtype)
        l = torch.zeros_like(m)
        output = torch.zeros(*m.shape, V.shape[-1], dtype=dtype)

    m_new = torch.maximum(m, scores.amax(dim=-1))  # (B, H, S_q)

    # en Where everything is hidden so far, m_new is −inf, and −inf − (−inf) is NaN. Any finite
    # en number serves there: exp(−inf − 0) = 0 is right, and so is its gradient.
    # zh 若至今全被隐藏，m_new 是 −inf，而 −inf − (−inf) 是 NaN。
    # zh 此处换成任何有限数都行：exp(−inf − 0) = 0 正确，梯度也正确。
    shift = torch.where(m_new == -torch.inf, 0.0, m_new)

    # en Everything old was measured against m. alpha moves it to m_new: 1 where the maximum
    # en stayed, less where it rose, 0 where nothing had been seen.
    # zh 旧的量都是相对于 m 的。alpha 把它们换算到 m_new：
    # zh 最大值没变时为 1，升高时小于 1，之前什么都没看到时为 0。
    alpha = torch.exp(m - shift)
    p = torch.exp(scores - shift[..., None])  # (B, H, S_q, S_c)

    l_new = alpha * l + p.sum(dim=-1)

    # en The old output was divided by l: times l it is the sum Σ exp(score − m)·v again.
    # zh 旧的 output 已除以 l：乘回 l，就又是 Σ exp(分数 − m)·v。
    summed = (alpha * l)[..., None] * output + p @ V
    output = summed / torch.where(l_new == 0, 1.0, l_new)[..., None]
    return output, m_new, l_new
