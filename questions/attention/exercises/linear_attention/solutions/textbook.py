import torch
from torch.nn.functional import elu


def linear_attention(Q, K, V, causal=False):
    # en Sums over thousands of keys: a bfloat16 one stops at 256, where 256 + 1 is 256.
    # zh 要把成千上万个键加起来：bfloat16 的和到 256 就停住，因为 256 + 1 还是 256。
    dtype = torch.promote_types(Q.dtype, torch.float32)

    # en Positive, so that the weights are; and above 0 its slope is 1, below 0 never 0 as that
    # en of relu is.
    # zh φ 取正值，权重也就为正；大于 0 时斜率为 1，小于 0 时斜率也不像 relu 那样是 0。
    q, k = elu(Q.to(dtype)) + 1, elu(K.to(dtype)) + 1
    v = V.to(dtype)

    if causal:
        # en Query i needs the sums up to position i: running sums, along the sequence.
        # en One d_k × d_v matrix for each position, S·d_k·d_v numbers in all.
        # zh 查询 i 需要加到位置 i 为止的和：沿序列方向的累计和。
        # zh 每个位置一个 d_k × d_v 的矩阵，共 S·d_k·d_v 个数。
        kv = (k[..., :, None] * v[..., None, :]).cumsum(dim=2)  # (B, H, S, d_k, d_v)
        z = k.cumsum(dim=2)  # (B, H, S, d_k)
        top = torch.einsum("bhsd,bhsdv->bhsv", q, kv)
    else:
        # en (φ(Q)φ(K)ᵀ)V = φ(Q)(φ(K)ᵀV). The bracket on the right is d_k × d_v, however many
        # en keys there are. A softmax between the two products would not let it move.
        # zh (φ(Q)φ(K)ᵀ)V = φ(Q)(φ(K)ᵀV)。右边的括号是 d_k × d_v，与键的个数无关。
        # zh 两个乘积之间若有 softmax，括号就不能移动。
        top = q @ (k.transpose(-2, -1) @ v)  # (B, H, S_q, d_v)
        z = k.sum(dim=2, keepdim=True)  # (B, H, 1, d_k)

    # en The same sum with 1 for every value: what makes the output an average.
    # zh 同一个和，只是每个值换成 1：它使输出成为平均。
    bottom = (q * z).sum(dim=-1, keepdim=True)
    return (top / bottom).to(Q.dtype)
