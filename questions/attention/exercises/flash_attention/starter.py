import math

import torch


def flash_attention(Q, K, V, block_size, causal=False):
    """softmax(QKᵀ/√d_k)·V tile by tile, without ever holding S_q × S_k scores.

    Q           (B, H, S_q, d_k)
    K           (B, H, S_k, d_k)
    V           (B, H, S_k, d_v)
    block_size  queries and keys of one tile; need divide neither length
    causal      query i sees keys 0 to i; then S_q = S_k

    Returns output (B, H, S_q, d_v) and lse (B, H, S_q), the logsumexp of each row's scores.
    """
    raise NotImplementedError
