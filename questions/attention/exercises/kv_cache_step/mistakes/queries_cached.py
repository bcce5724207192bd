import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    K_all = torch.cat([K_cache, q], dim=-2)
    V_all = torch.cat([V_cache, v], dim=-2)
    S_new, S_past = q.shape[-2], K_cache.shape[-2]
    scores = q @ K_all.transpose(-2, -1) / math.sqrt(q.shape[-1])
    seen = torch.ones(S_new, S_past + S_new, dtype=torch.bool).tril(S_past)
    scores = scores.masked_fill(~seen, float("-inf"))
    output = torch.softmax(scores, dim=-1) @ V_all
    return output, K_all, V_all
