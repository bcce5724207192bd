import torch


def stable_softmax(x, dim):
    # en Half precision keeps 11 bits (8 in bfloat16), and a sum in float16 ends at 65504:
    # en compute in float32, round once at the end. float64 stays as it is.
    # zh 半精度只有 11 位有效位（bfloat16 为 8 位），float16 的和到 65504 为止：
    # zh 所以在 float32 中计算，最后只舍入一次。float64 保持不变。
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x

    # en exp(x − c) / Σ exp(x − c) is the same for every c, one c for each row.
    # en With the row's own maximum the largest exponent is 0: exp cannot overflow,
    # en and the sum is at least 1, so it cannot vanish either.
    # zh 对任何 c，exp(x − c) / Σ exp(x − c) 都一样，每行一个 c。
    # zh 取该行自己的最大值，最大的指数就是 0：exp 不会溢出，
    # zh 而和至少为 1，也不会消失。
    highest = scores.amax(dim=dim, keepdim=True)

    # en Where all is hidden the maximum is −inf, and −inf − (−inf) is NaN. Any finite
    # en number in its place makes every exp of that row 0.
    # zh 整行都被隐藏时最大值是 −inf，而 −inf − (−inf) 是 NaN。
    # zh 换成任何有限数，该行的 exp 就全是 0。
    highest = highest.masked_fill(highest == float("-inf"), 0.0)

    exps = (scores - highest).exp()
    total = exps.sum(dim=dim, keepdim=True)

    # en 0 / 0 must not happen, not even to be replaced afterwards: its backward pass
    # en would give NaN. So the total is mended, not the quotient.
    # zh 0 / 0 根本不能出现，事后替换也不行：反向传播会得到 NaN。
    # zh 所以要改的是总和，不是商。
    total = total.masked_fill(total == 0, 1.0)
    return (exps / total).to(x.dtype)
