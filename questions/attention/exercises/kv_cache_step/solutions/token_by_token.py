import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    B, H, S_new, d_k = q.shape
    S_past, d_v = V_cache.shape[-2:]

    # en Room for all positions at once, then filled. A serving engine allocates it once for the
    # en longest text, and writes one row a step instead of copying the cache every time.
    # zh 先给所有位置留出空间，再填。推理引擎按最长文本只分配一次，
    # zh 每步写一行，而不是每次复制整个缓存。
    K_all = K_cache.new_empty(B, H, S_past + S_new, d_k)
    V_all = V_cache.new_empty(B, H, S_past + S_new, d_v)
    K_all[:, :, :S_past], K_all[:, :, S_past:] = K_cache, k
    V_all[:, :, :S_past], V_all[:, :, S_past:] = V_cache, v

    # en One query at a time sees just what lies before its end: causal without any mask.
    # zh 一次一个查询，只取到它自己为止的部分：不用掩码也是因果的。
    rows = []
    for i in range(S_new):
        end = S_past + i + 1
        scores = K_all[:, :, :end] @ q[:, :, i, :, None] / math.sqrt(d_k)  # (B, H, end, 1)
        weights = scores.softmax(dim=2)
        rows.append((weights * V_all[:, :, :end]).sum(dim=2))  # (B, H, d_v)
    return torch.stack(rows, dim=2), K_all, V_all
