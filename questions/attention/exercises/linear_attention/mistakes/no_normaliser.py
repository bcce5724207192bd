import torch
from torch.nn.functional import elu


def linear_attention(Q, K, V, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    q, k, v = (x.to(dtype) for x in (Q, K, V))
    q, k = elu(q) + 1, elu(k) + 1
    kv = k[..., :, None] * v[..., None, :]  # (B, H, S_k, d_k, d_v)
    kv = kv.cumsum(2) if causal else kv.sum(2, keepdim=True)
    top = (q[..., None, :] @ kv).squeeze(-2)
    return top.to(Q.dtype)
