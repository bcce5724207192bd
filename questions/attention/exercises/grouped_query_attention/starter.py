import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    """Attention in which H_q / H_kv query heads in a row share one head of keys and values.

    Q     (B, H_q, S_q, d_k)
    K     (B, H_kv, S_k, d_k)   H_kv divides H_q
    V     (B, H_kv, S_k, d_v)
    mask  broadcasts to (B, H_q, S_q, S_k); 0 or False hides

    Returns output (B, H_q, S_q, d_v) and weights (B, H_q, S_q, S_k).
    """
    raise NotImplementedError
