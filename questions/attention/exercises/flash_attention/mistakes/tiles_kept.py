import math

import torch


def flash_attention(Q, K, V, block_size, causal=False):
    wide = torch.promote_types(Q.dtype, torch.float32)
    tiles = {}
    for i in range(0, Q.shape[-2], block_size):
        q = Q[..., i : i + block_size, :].to(wide) / math.sqrt(Q.shape[-1])
        for j in range(0, K.shape[-2], block_size):
            if causal and j > i:
                break
            s = q @ K[..., j : j + block_size, :].to(wide).transpose(-2, -1)
            if causal and j == i:
                s = s.masked_fill(torch.ones(s.shape[-2:]).triu(1) == 1, float("-inf"))
            tiles[i, j] = s
    outputs, sums = [], []
    for i in range(0, Q.shape[-2], block_size):
        row = [(j, s) for (a, j), s in tiles.items() if a == i]
        lse = torch.logsumexp(torch.cat([s for _, s in row], -1), -1)
        outputs.append(
            sum((s - lse[..., None]).exp() @ V[..., j : j + block_size, :].to(wide) for j, s in row)
        )
        sums.append(lse)
    return torch.cat(outputs, -2).to(Q.dtype), torch.cat(sums, -1)
