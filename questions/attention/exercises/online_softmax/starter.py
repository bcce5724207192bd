import math

import torch


def online_softmax(scores, V, output=None, m=None, l=None):
    """Attention over one more chunk of keys, given its result over the chunks before.

    scores  (B, H, S_q, S_c)   the new chunk's, scaled already; -inf hides
    V       (B, H, S_c, d_v)   the new chunk's
    output  (B, H, S_q, d_v)   attention over the keys before; None at the first chunk
    m       (B, H, S_q)        largest score before
    l       (B, H, S_q)        sum of exp(score - m) before

    Returns output, m and l over all keys so far.
    """
    raise NotImplementedError
