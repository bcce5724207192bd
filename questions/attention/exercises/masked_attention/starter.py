import math

import torch


def masked_attention(Q, K, V, key_mask=None, causal=False):
    """Attention that sees neither padding nor, if asked, the future; and the weights.

    Q         (B, H, S_q, d_k)
    K         (B, H, S_k, d_k)
    V         (B, H, S_k, d_v)
    key_mask  (B, S_k) bool; False where an item's key is padding
    causal    the last query stands at the last key, and none looks ahead

    Returns output (B, H, S_q, d_v) and weights (B, H, S_q, S_k); a query that sees no key
    has zeros in both.
    """
    raise NotImplementedError
