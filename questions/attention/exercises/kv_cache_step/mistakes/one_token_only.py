import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    S_past = K_cache.shape[-2]
    K_all = K_cache.new_empty(*K_cache.shape[:2], S_past + 1, K_cache.shape[-1])
    V_all = V_cache.new_empty(*V_cache.shape[:2], S_past + 1, V_cache.shape[-1])
    K_all[..., :-1, :], K_all[..., -1:, :] = K_cache, k
    V_all[..., :-1, :], V_all[..., -1:, :] = V_cache, v
    scores = q @ K_all.transpose(-2, -1) / math.sqrt(q.shape[-1])
    output = torch.softmax(scores, dim=-1) @ V_all
    return output, K_all, V_all
