import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    S = k.shape[-2]
    K_all = torch.cat([K_cache[..., S:, :], k], dim=-2)
    V_all = torch.cat([V_cache[..., S:, :], v], dim=-2)
    S_new, S_all = q.shape[-2], K_all.shape[-2]
    scores = q @ K_all.transpose(-2, -1) / math.sqrt(q.shape[-1])
    seen = torch.ones(S_new, S_all, dtype=torch.bool).tril(S_all - S_new)
    scores = scores.masked_fill(~seen, float("-inf"))
    output = torch.softmax(scores, dim=-1) @ V_all
    return output, K_all, V_all
