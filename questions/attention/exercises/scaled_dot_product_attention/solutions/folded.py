import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    B, H, S_q, d_k = Q.shape
    S_k, d_v = V.shape[-2:]

    # en Batch and heads never mix, so they fold into one axis, and the products become bmm.
    # en reshape copies where a view is impossible: inputs may be transposed views.
    # zh 批和头互不影响，可以合成一个轴，乘积就成了 bmm。
    # zh 做不成 view 时 reshape 会复制：输入可能是转置过的视图。
    q = Q.reshape(B * H, S_q, d_k)
    k = K.reshape(B * H, S_k, d_k)
    v = V.reshape(B * H, S_k, d_v)

    # en Half of the scale on each side, d_k^(−¼): the scores are the same, and no
    # en intermediate is as large as the raw q·k, which float16 might not hold.
    # zh 两边各缩放一半，d_k^(−¼)：分数相同，
    # zh 而中间不会出现原始 q·k 那样大的数，float16 可能装不下它。
    share = 1 / math.sqrt(math.sqrt(d_k))
    scores = torch.bmm(q * share, (k * share).transpose(1, 2)).reshape(B, H, S_q, S_k)

    if mask is not None:
        # en The 4-D mask meets the scores once they are unfolded again.
        # zh 掩码是四维的，所以先把分数还原成四维。
        scores = scores.masked_fill(mask == 0, -math.inf)

    # en exp(score − logsumexp) is softmax, and stable: logsumexp subtracts the maximum inside.
    # zh exp(分数 − logsumexp) 就是 softmax，而且稳定：logsumexp 内部减去了最大值。
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()

    output = torch.bmm(weights.reshape(B * H, S_q, S_k), v)
    return output.reshape(B, H, S_q, d_v), weights
