import math

import torch


def flash_attention(Q, K, V, block_size, causal=False):
    # en Running sums live through many tiles: float32 at least, as the kernels do.
    # zh 累计量要经过许多块：至少用 float32，真正的 kernel 也是如此。
    dtype = torch.promote_types(Q.dtype, torch.float32)
    scale = 1 / math.sqrt(Q.shape[-1])
    outputs, logsumexps = [], []

    # en Outer loop over queries: each of its turns is independent, so on a GPU each is a
    # en thread block of its own, and m, l, acc stay in its registers.
    # zh 外层循环遍历查询：每一轮互不相关，在 GPU 上各是一个线程块，
    # zh m、l、acc 都留在它的寄存器里。
    for q_start in range(0, Q.shape[-2], block_size):
        q = Q[..., q_start : q_start + block_size, :].to(dtype) * scale
        m = torch.full(q.shape[:-1], -torch.inf, dtype=dtype)  # largest score so far
        l = torch.zeros_like(m)  # sum of exp(score - m) so far
        acc = torch.zeros(*m.shape, V.shape[-1], dtype=dtype)  # the same, times values

        for k_start in range(0, K.shape[-2], block_size):
            # en Both loops cut at the same places, so a later tile lies in the future of every
            # en query here: half of all tiles are never computed.
            # zh 两个循环的切点相同，所以更靠后的块对这里所有查询都是未来：
            # zh 一半的块根本不用算。
            if causal and k_start > q_start:
                break
            # en A slice past the end is shorter, never padded: no key has to be masked away.
            # zh 超出末尾的切片只会变短、不会补零：没有多余的键需要遮掩。
            k = K[..., k_start : k_start + block_size, :].to(dtype)
            v = V[..., k_start : k_start + block_size, :].to(dtype)
            scores = q @ k.mT  # one tile: block_size × block_size

            if causal and k_start == q_start:
                # en Only the tile on the diagonal holds both past and future.
                # zh 只有对角线上的块既有过去又有未来。
                future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
                scores = scores.masked_fill(future, -torch.inf)

            m_new = torch.maximum(m, scores.amax(dim=-1))
            # en What was summed under m is brought to m_new; 0 at the first tile.
            # zh 在 m 之下累计的量换算到 m_new；第一块时为 0。
            alpha = torch.exp(m - m_new)
            p = torch.exp(scores - m_new[..., None])
            l = alpha * l + p.sum(dim=-1)
            acc = alpha[..., None] * acc + p @ v
            m = m_new

        # en One division per query, after the last tile.
        # zh 每个查询只在最后一块之后做一次除法。
        outputs.append(acc / l[..., None])
        # en One number per query is all that the backward pass needs to rebuild any weight:
        # en exp(score − lse).
        # zh 反向传播要重建任何一个权重，每个查询只需这一个数：exp(分数 − lse)。
        logsumexps.append(m + l.log())

    return torch.cat(outputs, dim=-2).to(Q.dtype), torch.cat(logsumexps, dim=-1)
