import torch


def attention_backward(Q, K, V, dO, mask=None):
    scale = Q.shape[-1] ** -0.5
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * scale
    if mask is not None:
        # en The lowest finite number hides as well as −inf where every query sees a key.
        # zh 只要每个查询至少看到一个键，最小的有限数与 −inf 效果相同。
        scores = torch.where(mask != 0, scores, torch.finfo(scores.dtype).min)
    P = scores.softmax(dim=-1)

    # en Each row's Jacobian as a matrix: ∂p_i/∂s_j = p_i·(δ_ij − p_j). This is the definition,
    # en good for checking; it takes S_q·S_k² numbers, so nobody runs it on a long text.
    # zh 把每一行的雅可比矩阵写出来：∂p_i/∂s_j = p_i·(δ_ij − p_j)。这就是定义，适合用来核对；
    # zh 它要 S_q·S_k² 个数，长文本上没人这样算。
    jacobian = torch.diag_embed(P) - P[..., :, None] * P[..., None, :]  # (B, H, S_q, S_k, S_k)

    # en einsum names what is summed: d_v for dP, then i, the weight that a score j changed.
    # zh einsum 直接写出对什么求和：dP 对 d_v，接着是 i，即分数 j 所改变的权重。
    dP = torch.einsum("bhqv,bhkv->bhqk", dO, V)
    dS = torch.einsum("bhqij,bhqi->bhqj", jacobian, dP) * scale

    # en The index that is missing on the right is summed over: k for dQ, q for dK and dV.
    # zh 右边缺的那个下标就是求和的：dQ 对 k，dK 和 dV 对 q。
    dQ = torch.einsum("bhqk,bhkd->bhqd", dS, K)
    dK = torch.einsum("bhqk,bhqd->bhkd", dS, Q)
    dV = torch.einsum("bhqk,bhqv->bhkv", P, dO)
    return dQ, dK, dV
