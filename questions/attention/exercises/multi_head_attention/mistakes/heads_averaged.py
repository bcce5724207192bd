import math

import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    B, S, d_model = X.shape
    d_k = d_model // n_heads
    Q = (X @ W_q).view(B, S, n_heads, d_k).transpose(1, 2)
    K = (X @ W_k).view(B, S, n_heads, d_k).transpose(1, 2)
    V = (X @ W_v).view(B, S, n_heads, d_k).transpose(1, 2)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask.unsqueeze(-3) == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    joined = (weights @ V).transpose(1, 2).reshape(B, S, d_model) / n_heads
    return joined @ W_o
