import torch


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    theta = base ** (-2 * torch.arange(1, d // 2 + 1, dtype=dtype) / d)
    angles = positions[:, None, :, None] * theta
    cos, sin = angles.cos(), angles.sin()
    a, b = x.to(dtype).chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)
