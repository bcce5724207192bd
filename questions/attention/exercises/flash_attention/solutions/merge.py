import torch


def flash_attention(Q, K, V, block_size, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    queries = Q.to(dtype) * Q.shape[-1] ** -0.5
    output = torch.zeros(*Q.shape[:-1], V.shape[-1], dtype=dtype)
    lse = torch.full(Q.shape[:-1], -torch.inf, dtype=dtype)

    # en One loop, over the keys, for all queries at once: a tile is S_q × block_size, still
    # en linear in the length. Flash-decoding splits a long cache this way.
    # zh 只有一层循环，遍历键，所有查询一起算：一块是 S_q × block_size，
    # zh 仍与长度成线性。flash-decoding 就是这样切分长缓存的。
    for start in range(0, K.shape[-2], block_size):
        k = K[..., start : start + block_size, :].to(dtype)
        v = V[..., start : start + block_size, :].to(dtype)

        # en Queries before `start` see nothing of this tile when causal; they are left alone.
        # zh 因果时，start 之前的查询完全看不到这一块，保持不动。
        first = start if causal else 0
        scores = queries[..., first:, :] @ k.mT
        if causal:
            # en Row 0 here is query `start`, column 0 is key `start`: the diagonal of the whole
            # en matrix is the diagonal of this tile.
            # zh 这里第 0 行是查询 start，第 0 列是键 start：
            # zh 整个矩阵的对角线就是这一块的对角线。
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, -torch.inf)

        # en The tile on its own is ordinary attention, with its logsumexp.
        # zh 单独看，这一块就是普通的注意力，外加它的 logsumexp。
        tile_lse = scores.logsumexp(dim=-1)
        tile_output = scores.softmax(dim=-1) @ v

        # en Two averages merge by their shares of the whole sum: exp(their lse − total lse).
        # en No maximum appears: logaddexp looks after it.
        # zh 两个平均按各自占总和的份额合并：exp(各自的 lse − 总的 lse)。
        # zh 看不到最大值：logaddexp 已经处理了它。
        before = lse[..., first:]
        total = torch.logaddexp(before, tile_lse)
        merged = (
            output[..., first:, :] * (before - total).exp()[..., None]
            + tile_output * (tile_lse - total).exp()[..., None]
        )
        # en cat makes new tensors: writing into slices would trip autograd.
        # zh cat 得到新张量；往切片里就地写入会妨碍 autograd。
        output = torch.cat([output[..., :first, :], merged], dim=-2)
        lse = torch.cat([lse[..., :first], total], dim=-1)

    return output.to(Q.dtype), lse
