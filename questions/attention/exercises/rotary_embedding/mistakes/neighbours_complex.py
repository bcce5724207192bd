import torch


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    theta = base ** (-torch.arange(0, d, 2, dtype=dtype) / d)
    angles = positions[:, None, :, None] * theta
    turns = torch.polar(torch.ones_like(angles), angles)
    z = torch.view_as_complex(x.to(dtype).reshape(*x.shape[:-1], d // 2, 2))
    return torch.view_as_real(z * turns).flatten(-2).to(x.dtype)
