import math

import torch


def rotate_half(x):
    # en Every pair turned by 90°: (a, b) → (−b, a).
    # zh 每一对都转 90°：(a, b) → (−b, a)。
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def rotary_embedding(x, positions, base=10000.0):
    d = x.shape[-1]

    # en base^(−2j/d) = exp(−2j·ln base/d). In float64 whatever x is: these are d/2 numbers and
    # en B·S·d/2 angles, nothing beside x, and positions up to 2⁵³ stay exact.
    # zh base^(−2j/d) = exp(−2j·ln base/d)。无论 x 是什么都用 float64：这里只有 d/2 个频率、
    # zh B·S·d/2 个角度，与 x 相比微不足道，而 2⁵³ 以内的位置都精确。
    j = torch.arange(d // 2, dtype=torch.float64, device=x.device)
    theta = torch.exp(-2 * math.log(base) / d * j)
    angles = positions.unsqueeze(-1) * theta  # (B, S, d/2)

    # en Both columns of a pair turn by the same angle. Pairs are halves here, so the angles are
    # en repeated as halves: θ₀ θ₁ … θ₀ θ₁ …. `repeat_interleave` would belong to neighbours.
    # zh 一对的两列转同一个角度。这里按两半配对，角度就按两半重复：θ₀ θ₁ … θ₀ θ₁ …。
    # zh `repeat_interleave` 是给相邻列配对用的。
    angles = torch.cat([angles, angles], dim=-1).unsqueeze(1)  # (B, 1, S, d)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)

    # en A vector and its quarter turn span the plane: cos φ of the one, sin φ of the other.
    # zh 向量与它的四分之一转张成平面：前者取 cos φ，后者取 sin φ。
    return x * cos + rotate_half(x) * sin
