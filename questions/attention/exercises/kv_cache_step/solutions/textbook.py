import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    # en The positions are axis −2; batch, heads and width stay as they are. cat makes new
    # en tensors, so whoever else holds the old cache (another beam) keeps it unchanged.
    # zh 位置是轴 −2；批、头、维度都不变。cat 得到新的张量，
    # zh 所以别处（例如另一条 beam）还在用的旧缓存不受影响。
    K_all = torch.cat([K_cache, k], dim=-2)  # (B, H, S_past + S_new, d_k)
    V_all = torch.cat([V_cache, v], dim=-2)

    scores = q @ K_all.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, S_new, S_past + S_new)

    # en New token i stands at position S_past + i, and sees every position up to its own:
    # en a lower triangle moved right by S_past. With one new token it hides nothing.
    # zh 第 i 个新词元的位置是 S_past + i，能看到直到自己为止的所有位置：
    # zh 即右移 S_past 的下三角。只有一个新词元时什么也不隐藏。
    S_new, S_past = q.shape[-2], K_cache.shape[-2]
    seen = torch.ones(S_new, S_past + S_new, dtype=torch.bool).tril(S_past)
    scores = scores.masked_fill(~seen, float("-inf"))

    # en q is used once and never again; of a token only k and v are worth keeping.
    # zh q 只用这一次；一个词元值得保留的只有 k 和 v。
    return torch.softmax(scores, dim=-1) @ V_all, K_all, V_all
