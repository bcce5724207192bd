import torch


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    rotated = d // 4 * 2
    theta = base ** (-torch.arange(0, rotated, 2, dtype=dtype) / rotated)
    angles = positions[:, None, :, None] * theta
    cos, sin = angles.cos(), angles.sin()
    turned, kept = x.to(dtype).split([rotated, d - rotated], dim=-1)
    a, b = turned[..., : len(theta)], turned[..., len(theta) :]
    return torch.cat([a * cos - b * sin, a * sin + b * cos, kept], dim=-1).to(x.dtype)
