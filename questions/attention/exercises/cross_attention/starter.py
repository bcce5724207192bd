import math

import torch


def cross_attention(X, memory, W_q, W_k, W_v, W_o, n_heads, memory_mask=None):
    """Multi-head attention from a decoder's states to an encoder's memory.

    X            (B, S_q, d_model)      decoder states
    memory       (B, S_k, d_memory)     encoder outputs
    W_q          (d_model, D_k)         D_k = n_heads·d_k
    W_k          (d_memory, D_k)
    W_v          (d_memory, d_model)    d_model = n_heads·d_v
    W_o          (d_model, d_model)
    memory_mask  (B, S_k)               0 or False: padding

    Returns output (B, S_q, d_model) and weights (B, n_heads, S_q, S_k).
    """
    raise NotImplementedError
