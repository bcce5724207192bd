import torch


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([b, -a], dim=-1)


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    theta = base ** (-torch.arange(0, d, 2, dtype=dtype) / d)
    angles = positions[:, None, :, None] * theta
    angles = torch.cat([angles, angles], dim=-1)
    cos, sin = angles.cos(), angles.sin()
    y = x.to(dtype)
    return (y * cos + rotate_half(y) * sin).to(x.dtype)
