import math

import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    """Causal attention of new tokens to a cache and to themselves; and the cache after it.

    q        (B, H, S_new, d_k)    of the new tokens, as k and v
    k        (B, H, S_new, d_k)
    v        (B, H, S_new, d_v)
    K_cache  (B, H, S_past, d_k)   of all tokens before; S_past may be 0
    V_cache  (B, H, S_past, d_v)

    Returns output (B, H, S_new, d_v), K_all (B, H, S_past + S_new, d_k) and
    V_all (B, H, S_past + S_new, d_v).
    """
    raise NotImplementedError
