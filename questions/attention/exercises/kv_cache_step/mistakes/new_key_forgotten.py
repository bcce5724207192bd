import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    K_all = torch.cat([K_cache, k], dim=-2)
    V_all = torch.cat([V_cache, v], dim=-2)
    scores = q @ K_cache.transpose(-2, -1) / math.sqrt(q.shape[-1])
    output = torch.softmax(scores, dim=-1) @ V_cache
    return output, K_all, V_all
