import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    """softmax(QKᵀ/√d_k)·V, and the weights.

    Q     (B, H, S_q, d_k)
    K     (B, H, S_k, d_k)
    V     (B, H, S_k, d_v)
    mask  broadcasts to (B, H, S_q, S_k); 0 or False hides

    Returns output (B, H, S_q, d_v) and weights (B, H, S_q, S_k).
    """
    raise NotImplementedError
