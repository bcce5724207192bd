import torch
from torch.nn.functional import elu


def linear_attention(Q, K, V, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    q, k, v = (x.to(dtype) for x in (Q, K, V))
    q, k = elu(q) + 1, elu(k) + 1
    weights = q @ k.mT
    weights = weights / weights.sum(-1, keepdim=True)
    if causal:
        weights = weights.tril()
    return (weights @ v).to(Q.dtype)
