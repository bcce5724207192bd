import torch


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    theta = base ** (-torch.arange(0, d, 2, dtype=dtype) / d)
    angles = positions[:, None, :, None] * theta
    cos, sin = angles.cos(), angles.sin()
    a, b = x.to(dtype)[..., 0::2], x.to(dtype)[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2).to(x.dtype)
