import torch


def rotary_embedding(x, positions, base=10000.0):
    dtype = torch.promote_types(x.dtype, torch.float32)
    angles = positions[:, None, :, None].to(dtype)
    cos, sin = angles.cos(), angles.sin()
    a, b = x.to(dtype).chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)
