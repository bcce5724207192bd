import torch
from torch.nn.functional import elu

#: Positions handled by one product. Its square is what the scores of a chunk take.
CHUNK = 64


def linear_attention(Q, K, V, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    q, k = 1 + elu(Q.to(dtype)), 1 + elu(K.to(dtype))
    v = V.to(dtype)

    if not causal:
        return ratio(q, torch.einsum("bhkd,bhkv->bhdv", k, v), k.sum(2)).to(Q.dtype)

    # en Between a running sum (S matrices in memory) and a loop over positions (S small steps)
    # en lie chunks: one state at each border, ordinary masked scores inside. Linear in S still,
    # en S·CHUNK scores, and made of the large products that hardware is good at.
    # zh 累计和要存 S 个矩阵，逐位置循环要走 S 小步；折中的办法是分块：
    # zh 块与块之间传一个状态，块内照常算带掩码的分数。共 S·CHUNK 个分数，仍与 S 成线性，
    # zh 而且都是硬件擅长的大矩阵乘法。
    kv, z, rows = None, None, []
    for q_c, k_c, v_c in zip(*(x.split(CHUNK, 2) for x in (q, k, v)), strict=True):
        # en tril keeps the diagonal: a query sees its own key. Weights need no −inf, for there
        # en is no exp to come: hidden ones are simply 0.
        # zh tril 保留对角线：查询要看到自己位置上的键。后面没有 exp，
        # zh 所以不需要 −inf：隐藏的权重直接为 0。
        scores = (q_c @ k_c.mT).tril()
        top, bottom = scores @ v_c, scores.sum(-1, keepdim=True)
        if kv is not None:
            # en All chunks before, through the state alone.
            # zh 之前所有的块，只通过状态起作用。
            top = top + q_c @ kv
            bottom = bottom + q_c @ z[..., None]
        rows.append(top / bottom)
        kv = k_c.mT @ v_c if kv is None else kv + k_c.mT @ v_c
        z = k_c.sum(2) if z is None else z + k_c.sum(2)
    return torch.cat(rows, 2).to(Q.dtype)


def ratio(q, kv, z):
    # en The denominator is a product of a matrix with a vector: (B, H, S_q, 1).
    # zh 分母是矩阵乘向量：(B, H, S_q, 1)。
    return (q @ kv) / (q @ z[..., None])
