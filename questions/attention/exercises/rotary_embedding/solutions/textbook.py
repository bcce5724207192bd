import torch


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]

    # en Angles need digits: bfloat16 cannot even hold position 257. float32 is off by some
    # en thousandths of a radian at position 100,000, so float64 inputs get float64 angles.
    # zh 角度需要精度：bfloat16 连位置 257 都存不下。float32 到位置 100,000 时
    # zh 会差千分之几弧度，所以 float64 的输入要配 float64 的角度。
    dtype = torch.promote_types(x.dtype, torch.float32)

    # en d/2 frequencies, from 1 radian per position down to almost base⁻¹: the first pairs tell
    # en neighbours apart, the last ones tell far from near.
    # zh d/2 个频率，从每个位置 1 弧度一直降到接近 base⁻¹：
    # zh 前面的对分辨相邻位置，后面的对分辨远近。
    theta = base ** (-torch.arange(0, d, 2, dtype=dtype) / d)

    # en (B, 1, S, d/2): an axis for the heads, which share their item's positions. Without it
    # en B would line up with H.
    # zh (B, 1, S, d/2)：给头添一个轴，同一样本的各个头共用位置。
    # zh 不添的话，B 会对到 H 上。
    angles = positions[:, None, :, None] * theta
    cos, sin = angles.cos(), angles.sin()

    # en A view of each half; both results use the old a and b.
    # zh 前后两半的视图；两个结果用的都是旧的 a 和 b。
    a, b = x.to(dtype).chunk(2, dim=-1)
    turned = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    # en Turned in float32, rounded to x's dtype once.
    # zh 在 float32 中旋转，最后只舍入一次到 x 的 dtype。
    return turned.to(x.dtype)
