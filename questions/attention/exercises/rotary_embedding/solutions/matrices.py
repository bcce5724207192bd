import torch


def rotary_embedding(x, positions, base=10000.0):
    B, H, S, d = x.shape
    dtype = torch.promote_types(x.dtype, torch.float32)
    theta = torch.pow(base, -torch.arange(0, d, 2, dtype=dtype) / d)
    angles = positions[..., None] * theta  # (B, S, d/2)
    cos, sin = torch.cos(angles), torch.sin(angles)

    # en The rotation itself, a 2 × 2 matrix for each item, position and pair:
    # en     cos φ  −sin φ
    # en     sin φ   cos φ
    # en It costs more memory than the two products written out, and shows what they are.
    # zh 旋转本身：每个样本、位置、对各有一个 2 × 2 矩阵：
    # zh     cos φ  −sin φ
    # zh     sin φ   cos φ
    # zh 它比直接写出两个乘积更占内存，但看得清两者是什么。
    rows = torch.stack([cos, -sin], dim=-1), torch.stack([sin, cos], dim=-1)
    turn = torch.stack(rows, dim=-2)  # (B, S, d/2, 2, 2)

    # en (…, d) read as (…, 2, d/2): the first axis says which half, the second which pair.
    # zh 把 (…, d) 看成 (…, 2, d/2)：前一个轴是哪一半，后一个轴是哪一对。
    pairs = x.to(dtype).reshape(B, H, S, 2, d // 2)
    turned = torch.einsum("bsjrc,bhscj->bhsrj", turn, pairs)
    return turned.reshape(B, H, S, d).to(x.dtype)
