import torch


def online_softmax(scores, V, output=None, m=None, l=None):
    dtype = torch.promote_types(scores.dtype, torch.float32)
    scores, V = scores.to(dtype), V.to(dtype)
    hidden = -torch.inf
    chunk_max = scores.amax(dim=-1)

    if m is None:
        m = torch.full_like(chunk_max, hidden)
        l = torch.zeros_like(m)
        output = torch.zeros(*m.shape, V.shape[-1], dtype=dtype)

    # en All keys seen so far act like one key: its score is their logsumexp, m + ln l, and
    # en its value their average, the output. So a step is a plain softmax over S_c + 1 keys.
    # zh 至今见过的所有键，作用相当于一个键：分数是它们的 logsumexp，即 m + ln l，
    # zh 值是它们的平均，即 output。所以一步就是在 S_c + 1 个键上做普通的 softmax。
    some = l > 0
    # en ln 0 is −inf as it should be, but its slope is infinite: 1 goes in where l is 0.
    # zh ln 0 = −inf 本身没错，但它的斜率是无穷：l 为 0 处先换成 1。
    seen = torch.where(some, m, 0.0) + torch.where(some, l, 1.0).log()
    seen = torch.where(some, seen, hidden)
    joined = torch.cat([seen[..., None], scores], dim=-1)  # (B, H, S_q, 1 + S_c)

    # en A row without any key would be softmax of nothing but −inf: NaN. Its weights are 0.
    # zh 一个键也没有的行，会对全是 −inf 的一行做 softmax，得到 NaN。它的权重是 0。
    empty = (joined == hidden).all(dim=-1, keepdim=True)
    joined = joined.masked_fill(empty, 0.0)
    weights = joined.softmax(dim=-1).masked_fill(empty, 0.0)
    output = weights[..., :1] * output + weights[..., 1:] @ V

    # en The same sum told as (m, l): l is what the logsumexp has beyond the maximum.
    # zh 用 (m, l) 表示同一个和：l 是 logsumexp 超出最大值的那部分。
    m_new = torch.maximum(m, chunk_max)
    above = joined.logsumexp(dim=-1) - torch.where(m_new == hidden, 0.0, m_new)
    return output, m_new, above.exp().masked_fill(empty[..., 0], 0.0)
