import torch


def flash_attention(Q, K, V, block_size, causal=False):
    return Flash.apply(Q, K, V, block_size, causal)


class Flash(torch.autograd.Function):
    # en Left to autograd, every tile of weights is kept for the backward pass, S × S in all.
    # en So the real thing keeps only the output and the lse, and computes the tiles again.
    # zh 若交给 autograd，每一块权重都会为反向保留，合起来还是 S × S。
    # zh 所以真正的实现只保留 output 和 lse，反向时把各块重新算一遍。

    @staticmethod
    def forward(ctx, Q, K, V, block_size, causal):
        dtype = torch.promote_types(Q.dtype, torch.float32)
        output = torch.zeros(*Q.shape[:-1], V.shape[-1], dtype=dtype)
        m = torch.full(Q.shape[:-1], -torch.inf, dtype=dtype)
        l = torch.zeros_like(m)
        for i, j, scores in tiles(Q, K, block_size, causal):
            m_new = torch.maximum(m[..., i], scores.amax(dim=-1))
            alpha = torch.exp(m[..., i] - m_new)
            p = torch.exp(scores - m_new[..., None])
            # en No graph is recorded in here, so writing in place is fine.
            # zh 这里不记录计算图，可以就地写入。
            l[..., i] = alpha * l[..., i] + p.sum(dim=-1)
            output[..., i, :] = alpha[..., None] * output[..., i, :] + p @ V[..., j, :].to(dtype)
            m[..., i] = m_new
        output /= l[..., None]
        lse = m + l.log()
        ctx.save_for_backward(Q, K, V, output, lse)
        ctx.block_size, ctx.causal = block_size, causal
        return output.to(Q.dtype), lse

    @staticmethod
    def backward(ctx, d_output, d_lse):
        Q, K, V, output, lse = ctx.saved_tensors
        dtype, scale = lse.dtype, Q.shape[-1] ** -0.5
        d_output = d_output.to(dtype)
        dQ, dK, dV = (torch.zeros_like(x, dtype=dtype) for x in (Q, K, V))
        # en Softmax's backward pass needs Σ_k p·dp per row. Since dp = dO·v, that sum is dO·O:
        # en no row of weights is needed to know it. lse adds p·d_lse.
        # zh softmax 的反向每行需要 Σ_k p·dp。因为 dp = dO·v，这个和就是 dO·O：
        # zh 不需要整行权重就能算出。lse 再贡献 p·d_lse。
        row = (d_output * output).sum(dim=-1) - d_lse.to(dtype)
        for i, j, scores in tiles(Q, K, ctx.block_size, ctx.causal):
            q, k, v, g = (
                x.to(dtype) for x in (Q[..., i, :], K[..., j, :], V[..., j, :], d_output[..., i, :])
            )
            p = torch.exp(scores - lse[..., i, None])
            ds = p * (g @ v.mT - row[..., i, None]) * scale
            dV[..., j, :] += p.mT @ g
            dQ[..., i, :] += ds @ k
            dK[..., j, :] += ds.mT @ q
        return dQ.to(Q.dtype), dK.to(K.dtype), dV.to(V.dtype), None, None


def tiles(Q, K, block_size, causal):
    # en Slices of queries and of keys, and the scaled scores between them: never more than
    # en one tile at a time.
    # zh 查询的切片、键的切片，以及两者之间缩放后的分数：任何时候都只有一块。
    dtype, scale = torch.promote_types(Q.dtype, torch.float32), Q.shape[-1] ** -0.5
    for a in range(0, Q.shape[-2], block_size):
        last = a + block_size if causal else K.shape[-2]
        for b in range(0, min(last, K.shape[-2]), block_size):
            i, j = slice(a, a + block_size), slice(b, b + block_size)
            scores = (Q[..., i, :].to(dtype) * scale) @ K[..., j, :].to(dtype).mT
            if causal and a == b:
                future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
                scores = scores.masked_fill(future, -torch.inf)
            yield i, j, scores
