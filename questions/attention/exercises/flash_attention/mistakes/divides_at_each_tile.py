import math

import torch


def flash_attention(Q, K, V, block_size, causal=False):
    wide = torch.promote_types(Q.dtype, torch.float32)
    S_q, S_k, d_v = Q.shape[-2], K.shape[-2], V.shape[-1]
    scale = 1 / math.sqrt(Q.shape[-1])
    outputs, sums = [], []
    for q_start in range(0, S_q, block_size):
        q = Q[..., q_start : q_start + block_size, :].to(wide) * scale
        m = torch.full(q.shape[:-1], float("-inf"), dtype=wide)
        l = torch.zeros_like(m)
        acc = torch.zeros(*m.shape, d_v, dtype=wide)
        for k_start in range(0, S_k, block_size):
            if causal and k_start > q_start:
                break
            k = K[..., k_start : k_start + block_size, :].to(wide)
            v = V[..., k_start : k_start + block_size, :].to(wide)
            s = q @ k.transpose(-2, -1)
            if causal:
                rows = torch.arange(q_start, q_start + s.shape[-2])[:, None]
                columns = torch.arange(k_start, k_start + s.shape[-1])
                s = s.masked_fill(columns > rows, float("-inf"))
            m_new = torch.maximum(m, s.amax(-1))
            alpha = torch.exp(m - m_new)
            p = torch.exp(s - m_new[..., None])
            l = alpha * l + p.sum(-1)
            acc = (alpha[..., None] * acc + p @ v) / l[..., None]
            m = m_new
        outputs.append(acc)
        sums.append(m + l.log())
    return torch.cat(outputs, -2).to(Q.dtype), torch.cat(sums, -1)
