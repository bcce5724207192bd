import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    B, H_q, S_q, d_k = Q.shape
    H_kv, S_k = K.shape[1:3]
    group = H_q // H_kv

    # en The queries of a group are just more queries to the same keys: fold them into one long
    # en sequence, (H_kv, group·S_q). One product per key/value head, with taller matrices, is
    # en how kernels decode: at S_q = 1 a group of 8 reads the cache once instead of 8 times.
    # zh 同组的查询，对同样的键来说只是更多的查询：折成一条长序列 (H_kv, group·S_q)。
    # zh 每个键值头做一次乘积，矩阵更高。内核解码时就这样做：
    # zh S_q = 1 时，8 个查询头一组只读一遍缓存，而不是 8 遍。
    folded = Q.reshape(B, H_kv, group * S_q, d_k)
    scores = folded @ K.mT / math.sqrt(d_k)

    # en Heads come before positions in the fold, so the way back is a reshape too.
    # zh 折叠时头在位置之前，所以还原也只是 reshape。
    scores = scores.reshape(B, H_q, S_q, S_k)
    if mask is not None:
        scores = scores + torch.zeros_like(scores).masked_fill(mask == 0, -math.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()

    output = weights.reshape(B, H_kv, group * S_q, S_k) @ V
    return output.reshape(B, H_q, S_q, V.shape[-1]), weights
