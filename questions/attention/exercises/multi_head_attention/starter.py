import math

import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Self-attention in n_heads heads of width d_k = d_model / n_heads; no biases.

    X                   (B, S, d_model)
    W_q, W_k, W_v, W_o  (d_model, d_model), used as X @ W
    mask                broadcasts to (B, S, S), for every head; 0 or False hides

    Returns output (B, S, d_model).
    """
    raise NotImplementedError
