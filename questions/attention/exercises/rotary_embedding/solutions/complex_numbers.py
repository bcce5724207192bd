import torch


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]
    dtype = torch.promote_types(x.dtype, torch.float32)
    exponents = torch.arange(0, d, 2, dtype=dtype) / d
    angles = torch.einsum("bs,j->bsj", positions.to(dtype), base**-exponents)

    # en A pair is a complex number a + b·i, and turning it is one product with
    # en e^(iφ) = cos φ + i·sin φ. Hence the law of scores: in q·e^(imθ) times the conjugate of
    # en k·e^(inθ) only the difference m − n is left.
    # zh 一对就是复数 a + b·i，旋转就是乘一次 e^(iφ) = cos φ + i·sin φ。
    # zh 分数的规律由此而来：q·e^(imθ) 乘以 k·e^(inθ) 的共轭，只剩下位置之差 m − n。
    a, b = x.to(dtype).chunk(2, dim=-1)
    pairs = torch.complex(a.contiguous(), b.contiguous())
    turned = pairs * torch.polar(torch.ones_like(angles), angles)[:, None]  # (B, 1, S, d/2)

    # en `view_as_complex` and `view_as_real` lay a pair side by side, which is the paper's
    # en pairing; the halves are put together by hand.
    # zh `view_as_complex` 和 `view_as_real` 让一对并排存放，那是论文的配对方式；
    # zh 这里的两半要自己拼。
    return torch.cat([turned.real, turned.imag], dim=-1).to(x.dtype)
