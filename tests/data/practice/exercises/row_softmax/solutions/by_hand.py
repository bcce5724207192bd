def row_softmax(x):
    # en The maximum keeps exp from overflowing.
    # zh 减去最大值，防止 exp 溢出。
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)
